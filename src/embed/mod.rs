//! Text to vector: the model in the program, or an endpoint that the user configured.
//!
//! The index embeds passages, a search its query, jobs compare what came out. Vectors have length
//! 1, so that the cosine of two is their product, and compare only under the same [`Model::id`].

mod address;
mod answer;
mod endpoint;
mod file;
mod options;
mod table;
mod wordpiece;

use std::time::Duration;

pub use endpoint::{Endpoint, Setup};
pub use options::{Options, Provider};
pub use table::{Embedded, embedded};

/// What the numbers of a vector mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Two vectors compare only under the same one.
    pub id: String,
    /// What its cosines say.
    pub thresholds: Thresholds,
}

/// The cosines from which on two texts are taken for more than strangers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Worth a link.
    pub related: f32,
    /// Of one cluster, for texts of a sentence.
    pub cluster_short: f32,
    /// Of one cluster, for whole notes.
    pub cluster_note: f32,
    /// Perhaps the same.
    pub duplicate: f32,
}

/// What a text is embedded for; some models want to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To find passages with.
    Query,
    /// To be found.
    Passage,
}

/// What makes vectors of texts.
pub trait Embedder: Sync {
    /// Returns what its numbers mean.
    fn model(&self) -> &Model;

    /// Returns how many numbers a vector has; `None` before an endpoint has answered.
    fn dims(&self) -> Option<usize>;

    /// Returns whether it answers at once and on this machine.
    fn is_immediate(&self) -> bool;

    /// Returns a vector of length 1 for each text, in their order; all zero for a text in which it
    /// knows nothing.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Brings a vector to length 1, unless it is all zero.
fn normalise(vector: &mut [f32]) {
    let length = vector
        .iter()
        .map(|number| number * number)
        .sum::<f32>()
        .sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}

/// Why there are no vectors. What an endpoint said is in it in one line, its key never.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EmbedError {
    /// The address cannot be one.
    #[error("`{url}` cannot be the address of an embedding endpoint: {why}")]
    Address {
        /// What was given, without a password in it.
        url: String,
        /// What is wrong.
        why: &'static str,
    },
    /// Nobody is there.
    #[error("no embedding endpoint answers at `{url}`: {cause}")]
    Missing {
        /// Its address.
        url: String,
        /// What the system said.
        cause: String,
    },
    /// It took too long.
    #[error("`{url}` did not answer within {limit:?}")]
    Slow {
        /// Its address.
        url: String,
        /// How long it had.
        limit: Duration,
    },
    /// A query was not answered in time a moment ago, so it was not asked again.
    #[error("`{url}` is left alone for a minute: {why}")]
    Resting {
        /// Its address.
        url: String,
        /// What happened then.
        why: String,
    },
    /// The connection was lost, each time it was tried.
    #[error("`{url}` broke off: {cause}")]
    Lost {
        /// Its address.
        url: String,
        /// What the system said.
        cause: String,
    },
    /// It says that it cannot answer now, each time it was asked.
    #[error("`{url}` cannot answer now: {status}{}", aside(.said))]
    Busy {
        /// Its address.
        url: String,
        /// The HTTP status, 429 or 500 and above.
        status: u16,
        /// What it said of it; may be empty.
        said: String,
    },
    /// It will not answer this.
    #[error("`{url}` refused: {status}{}", aside(.said))]
    Refused {
        /// Its address.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What it said of it; may be empty.
        said: String,
    },
    /// What it answered is no list of vectors for what it was asked.
    #[error("`{url}` answered with something else than the vectors it was asked for: {why}")]
    Unusable {
        /// Its address.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// Its vectors are not those of the model that was used before.
    #[error("`{url}` answered with vectors of {found} numbers, but those known have {known}")]
    Width {
        /// Its address.
        url: String,
        /// How many numbers came.
        found: usize,
        /// How many there should be.
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
            Self::Missing { .. } => {
                "is it running? `mem config embed.url` shows where mem looks for it, and \
                 `mem config embed.provider embedded` goes back to the model in mem"
            }
            Self::Slow { .. } | Self::Resting { .. } => {
                "`embed.patience` is how long a query may take, `embed.timeout` a batch of passages"
            }
            Self::Lost { .. } | Self::Busy { .. } => {
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
