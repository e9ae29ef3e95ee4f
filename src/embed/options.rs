//! Settings of the embeddings.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::config::values::Seconds;
use crate::config::{Trust, section, values};
use crate::http::address;

/// Path of the endpoint below the base URL.
pub(super) const PATH: &str = "/embeddings";

section! {
    /// A vault cannot set these: it could send texts of the user to any server.
    pub struct EmbedOptions: "embed", everyday [provider, encoder, url, model, key_env] {
        /// what computes embeddings: the built-in model, a server, or nothing
        provider: Provider, "\"embedded\", \"endpoint\" or \"off\"", Trust::Nothing;
        /// whether a built-in sentence encoder replaces the token table once `sleep`, `watch` or `index
        /// --encoder` has computed its vectors for the whole vault: better at paraphrases
        encoder: EncoderUse, "\"auto\" or \"off\"", Trust::Nothing;
        /// maximum time that `mem sleep` computes vectors of the encoder, in seconds
        encoder_time: Duration = Duration::from_secs(60), Seconds, Trust::Nothing;
        /// base URL of a server with an OpenAI-compatible `/v1/embeddings`
        url: String, values::text("an address like http://localhost:11434", is_url), Trust::Nothing;
        /// name of the model on the server of `embed.url`
        model: String, "text", Trust::Nothing;
        /// environment variable that holds the server's API key, if any
        key_env: String, values::secret("the name of an environment variable", values::is_variable), Trust::Nothing;
        /// prefix the model expects before a query
        query_prefix: String, "text", Trust::Nothing;
        /// prefix the model expects before a passage
        passage_prefix: String, "text", Trust::Nothing;
        /// maximum number of passages per request
        batch: usize = 32, 1..=2048, Trust::Nothing;
        /// timeout of a request for embeddings, in seconds
        timeout: Duration = Duration::from_secs(60), Seconds, Trust::Nothing;
        /// timeout of the request for a query, in seconds; then the search uses words only
        patience: Duration = Duration::from_secs(2), Seconds, Trust::Nothing;
    }
}

/// The source of vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// The model built into mem.
    #[default]
    Embedded,
    /// A server.
    Endpoint,
    /// None: searches are lexical.
    Off,
}

/// Use of the sentence encoder instead of the token table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EncoderUse {
    /// As soon as its vectors cover the vault.
    #[default]
    Auto,
    Off,
}

/// Returns whether `url` is a server address, or empty.
fn is_url(url: &str) -> bool {
    url.is_empty() || address(url, PATH).is_ok()
}
