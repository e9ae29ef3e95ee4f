//! The settings of how texts become vectors.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::config::values::Seconds;
use crate::config::{Trust, section, values};
use crate::http::address;

/// Where on the server.
pub(super) const PATH: &str = "/embeddings";

section! {
    /// A vault says nothing here: it would send a stranger's texts, or the user's, where it likes.
    pub struct Options: "embed" {
        /// what computes embeddings: the built-in model, a server, or nothing
        provider: Provider, "\"embedded\", \"endpoint\" or \"off\"", Trust::Nothing;
        /// base URL of a server with an OpenAI-compatible `/v1/embeddings`
        url: String, values::text("an address like http://localhost:11434", is_url), Trust::Nothing;
        /// model name on that server
        model: String, "text", Trust::Nothing;
        /// environment variable that holds the server's API key, if any
        key_env: String, values::secret("the name of an environment variable", values::is_variable), Trust::Nothing;
        /// prefix the model expects before a query
        query_prefix: String, "text", Trust::Nothing;
        /// prefix the model expects before a passage
        passage_prefix: String, "text", Trust::Nothing;
        /// maximum passages per request
        batch: usize = 32, 1..=2048, Trust::Nothing;
        /// timeout of such a request, in seconds
        timeout: Duration = Duration::from_secs(60), Seconds, Trust::Nothing;
        /// timeout of a query's embedding, in seconds; then the search uses words alone
        patience: Duration = Duration::from_secs(2), Seconds, Trust::Nothing;
    }
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

/// Returns whether this is the address of a server, or nothing.
fn is_url(url: &str) -> bool {
    url.is_empty() || address(url, PATH).is_ok()
}
