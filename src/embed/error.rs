//! Why there are no vectors, and what to do about it.

use std::time::Duration;

/// Why there are no vectors. What an endpoint said is in it in one line, its key never.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EmbedError {
    #[error("`{url}` cannot be the address of an embedding endpoint: {why}")]
    Address {
        /// What was given, without a password in it.
        url: String,
        why: &'static str,
    },
    #[error("no embedding endpoint answers at `{url}`: {cause}")]
    Unreachable { url: String, cause: String },
    #[error("`{url}` did not answer within {limit:?}")]
    TimedOut { url: String, limit: Duration },
    /// A query was not answered in time a moment ago, so it was not asked again.
    #[error("`{url}` is left alone for a minute: {why}")]
    BackingOff { url: String, why: String },
    /// The connection was lost, each time it was tried.
    #[error("`{url}` broke off: {cause}")]
    Disconnected { url: String, cause: String },
    /// It says that it cannot answer now, each time it was asked.
    #[error("`{url}` cannot answer now: {status}{}", aside(.message))]
    Busy {
        url: String,
        /// The HTTP status, 429 or 500 and above.
        status: u16,
        /// What it said of it; may be empty.
        message: String,
    },
    #[error("`{url}` refused: {status}{}", aside(.message))]
    Refused {
        url: String,
        status: u16,
        /// What it said of it; may be empty.
        message: String,
    },
    /// What it answered is no list of vectors for what it was asked.
    #[error("`{url}` answered with something else than the vectors it was asked for: {why}")]
    Unusable { url: String, why: String },
    /// Its vectors are not those of the model that was used before.
    #[error("`{url}` answered with vectors of {found} numbers, but those known have {known}")]
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
            Self::Address { .. } => "`mem config embed.url http://localhost:11434` sets it",
            Self::Unreachable { .. } => {
                "is it running? `mem config embed.url` shows where mem looks for it, and \
                 `mem config embed.provider embedded` goes back to the model in mem"
            }
            Self::TimedOut { .. } | Self::BackingOff { .. } => {
                "`embed.patience` is how long a query may take, `embed.timeout` a batch of passages"
            }
            Self::Disconnected { .. } | Self::Busy { .. } => {
                "what was embedded is kept; run the command again later"
            }
            Self::Refused {
                status: 300..=399, ..
            } => "mem follows no redirection; set `embed.url` to where it leads",
            Self::Refused {
                status: 401 | 403, ..
            } => "`embed.key_env` names the environment variable with the key",
            Self::Refused { .. } => "is `embed.model` the name of a model that it has?",
            Self::Unusable { .. } => {
                "`embed.url` has to be of an OpenAI-compatible `/v1/embeddings`"
            }
            Self::Width { .. } => {
                "is it another model under the same name? `mem index --rebuild` embeds all afresh"
            }
        }
    }
}
