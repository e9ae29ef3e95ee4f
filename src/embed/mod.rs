//! Computes vectors of texts with the built-in model, or with an endpoint that the user configured.
//!
//! The index embeds passages, a search its query, and jobs compare the vectors. Vectors have length 1, so
//! that the dot product of two is their cosine. Only vectors with the same [`Model::id`] are comparable.

mod answer;
mod embedder;
#[cfg(feature = "encoder")]
mod encoder;
mod endpoint;
mod error;
mod model_file;
mod options;
mod static_model;
mod token_query;
mod wordpiece;

pub use embedder::{DEFAULT_SEARCH_WEIGHT, Embedder, Model, Purpose, Thresholds, normalise};
pub use endpoint::{Endpoint, Setup};
pub use error::EmbedError;
pub use options::{EncoderUse, Options, Provider};
pub use static_model::{StaticModel, embedded};
pub use token_query::TokenQuery;

/// Returns the model that compares questions with one another; `None` if `embedder` is a server.
///
/// The encoder would take half a second for the questions of one recall.
pub fn model_of_questions(embedder: &dyn Embedder) -> Option<&'static dyn Embedder> {
    embedder.is_local().then(|| embedded() as &dyn Embedder)
}

/// Returns the sentence encoder; `None` if the program was built without it.
pub fn sentence_encoder() -> Option<&'static dyn Embedder> {
    #[cfg(feature = "encoder")]
    let encoder: Option<&'static dyn Embedder> = Some(encoder::encoder());
    #[cfg(not(feature = "encoder"))]
    let encoder = None;
    encoder
}
