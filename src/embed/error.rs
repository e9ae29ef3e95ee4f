//! Why there are no vectors, and what to do about it.

use std::time::Duration;

/// Why there are no vectors. What an endpoint said is in it in one line, its key never.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EmbedError {
    #[error("`{url}` is not a valid embedding endpoint: {why}")]
    Address {
        /// What was given, without a password in it.
        url: String,
        why: &'static str,
    },
    #[error("cannot reach the embedding endpoint `{url}`: {cause}")]
    Unreachable { url: String, cause: String },
    #[error("`{url}` did not answer within {limit:?}")]
    TimedOut { url: String, limit: Duration },
    /// A query was not answered in time a moment ago, so it was not asked again.
    #[error("backing off from `{url}` for a minute: {why}")]
    BackingOff { url: String, why: String },
    /// The connection was lost, each time it was tried.
    #[error("`{url}` closed the connection early: {cause}")]
    Disconnected { url: String, cause: String },
    /// It says that it cannot answer now, each time it was asked.
    #[error("`{url}` is unavailable: {status}{}", aside(.message))]
    Busy {
        url: String,
        /// The HTTP status, 429 or 500 and above.
        status: u16,
        /// What it said of it; may be empty.
        message: String,
    },
    #[error("`{url}` refused the request: {status}{}", aside(.message))]
    Refused {
        url: String,
        status: u16,
        /// What it said of it; may be empty.
        message: String,
    },
    /// What it answered is no list of vectors for what it was asked.
    #[error("unexpected reply from `{url}`: {why}")]
    Unusable { url: String, why: String },
    /// Its vectors are not those of the model that was used before.
    #[error("`{url}` returned vectors of {found} dimensions; the index has {known}")]
    Width {
        url: String,
        found: usize,
        known: usize,
    },
}

fn aside(text: &str) -> String {
    let colon = if text.is_empty() { "" } else { ": " };
    format!("{colon}{text}")
}

impl EmbedError {
    /// Returns what to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Address { .. } => "set it with `mem config embed.url http://localhost:11434`",
            Self::Unreachable { .. } => {
                "is it running? `mem config embed.url` shows the address; `mem config embed.provider embedded` returns to the built-in model"
            }
            Self::TimedOut { .. } | Self::BackingOff { .. } => {
                "timeouts: `embed.patience` for a query, `embed.timeout` for a batch of passages"
            }
            Self::Disconnected { .. } | Self::Busy { .. } => {
                "finished embeddings are kept; run the command again later"
            }
            Self::Refused {
                status: 300..=399, ..
            } => "mem does not follow redirects; set `embed.url` to the target",
            Self::Refused {
                status: 401 | 403, ..
            } => "`embed.key_env` names the environment variable with the key",
            Self::Refused { .. } => "does the server have the model named by `embed.model`?",
            Self::Unusable { .. } => {
                "`embed.url` must point to an OpenAI-compatible `/v1/embeddings`"
            }
            Self::Width { .. } => {
                "did the model change under the same name? `mem index --rebuild` embeds all notes again"
            }
        }
    }
}
