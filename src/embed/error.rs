//! Errors of the embedding model, with hints.

use crate::http::HttpError;

/// An error of the embedding model. Includes the response of an endpoint in one line, without the key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EmbedError {
    #[error(transparent)]
    Http(#[from] HttpError),
    /// A recent query timed out, so no request was sent.
    #[error("backing off from `{url}` for a minute: {why}")]
    BackingOff { url: String, why: String },
    /// The response is not a list of vectors for the request.
    #[error("unexpected reply from `{url}`: {why}")]
    Unusable { url: String, why: String },
    /// The width of its vectors differs from that of the model used before.
    #[error("`{url}` returned vectors of {found} dimensions; the index has {known}")]
    Width {
        url: String,
        found: usize,
        known: usize,
    },
}

impl EmbedError {
    /// Returns a hint for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Http(HttpError::Unreachable { .. }) => {
                "is it running? `mem config embed.url` shows the address; `mem config embed.provider embedded` returns to the built-in model"
            }
            Self::Http(HttpError::TimedOut { .. }) | Self::BackingOff { .. } => {
                "timeouts: `embed.patience` for a query, `embed.timeout` for a batch of passages"
            }
            Self::Http(HttpError::Disconnected { .. } | HttpError::Busy { .. }) => {
                "finished embeddings are kept; run the command again later"
            }
            Self::Http(HttpError::Refused {
                status: 300..=399, ..
            }) => "mem does not follow redirects; set `embed.url` to the target",
            Self::Http(HttpError::Refused {
                status: 401 | 403, ..
            }) => "`embed.key_env` names the environment variable with the key",
            Self::Http(HttpError::Refused { .. }) => {
                "does the server have the model named by `embed.model`?"
            }
            Self::Unusable { .. } | Self::Http(HttpError::TooLarge { .. }) => {
                "`embed.url` must point to an OpenAI-compatible `/v1/embeddings`"
            }
            Self::Width { .. } => {
                "did the model change under the same name? `mem index --rebuild` embeds all notes again"
            }
        }
    }
}
