//! The settings of how texts become vectors.

use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::config::{Key, Section, Trust, values};
use crate::http::address;

/// Where on the server.
pub(super) const PATH: &str = "/embeddings";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    #[serde(deserialize_with = "values::any_case")]
    pub provider: Provider,
    /// The address of the server, with or without `/v1` or `/v1/embeddings`; empty where none is set.
    #[serde(deserialize_with = "url")]
    pub url: String,
    /// The name of the model there.
    pub model: String,
    /// The name of the environment variable with the key; empty where none is needed.
    #[serde(deserialize_with = "values::variable")]
    pub key_env: String,
    /// What stands before a query.
    pub query_prefix: String,
    /// What stands before a passage.
    pub passage_prefix: String,
    /// The most texts in one request.
    #[serde(deserialize_with = "batch")]
    pub batch: usize,
    /// How long a request for passages may take.
    #[serde(with = "values::seconds")]
    pub timeout: Duration,
    /// How long a query may take in all.
    #[serde(with = "values::seconds")]
    pub patience: Duration,
}

/// What makes vectors of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// The model in mem.
    #[default]
    Embedded,
    /// A server.
    Endpoint,
    /// Nothing: searches go by words alone.
    Off,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            provider: Provider::default(),
            url: String::new(),
            model: String::new(),
            key_env: String::new(),
            query_prefix: String::new(),
            passage_prefix: String::new(),
            batch: 32,
            timeout: Duration::from_secs(60),
            patience: Duration::from_secs(2),
        }
    }
}

/// A vault says nothing here: it would send a stranger's texts, or the user's, where it likes.
impl Section for Options {
    const NAME: &'static str = "embed";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "provider",
                Trust::Nothing,
                "\"embedded\", \"endpoint\" or \"off\"",
                "what computes embeddings: the built-in model, a server, or nothing",
            ),
            Key::new(
                "url",
                Trust::Nothing,
                "an address like http://localhost:11434",
                "base URL of a server with an OpenAI-compatible `/v1/embeddings`",
            ),
            Key::new("model", Trust::Nothing, "text", "model name on that server"),
            Key::new(
                "key_env",
                Trust::Nothing,
                "the name of an environment variable",
                "environment variable that holds the server's API key, if any",
            )
            .secret(),
            Key::new(
                "query_prefix",
                Trust::Nothing,
                "text",
                "prefix the model expects before a query",
            ),
            Key::new(
                "passage_prefix",
                Trust::Nothing,
                "text",
                "prefix the model expects before a passage",
            ),
            Key::new(
                "batch",
                Trust::Nothing,
                "a number from 1 to 2048",
                "maximum passages per request",
            ),
            Key::new(
                "timeout",
                Trust::Nothing,
                "seconds, like 60 or 0.5",
                "timeout of such a request, in seconds",
            ),
            Key::new(
                "patience",
                Trust::Nothing,
                "seconds, like 60 or 0.5",
                "timeout of a query's embedding, in seconds; then the search uses words alone",
            ),
        ]
    }
}

fn batch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 1..=2048)
}

fn url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let url = String::deserialize(deserializer)?;
    if !url.is_empty() {
        address(&url, PATH).map_err(D::Error::custom)?;
    }
    Ok(url)
}
