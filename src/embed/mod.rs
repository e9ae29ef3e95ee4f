//! Computes vectors of texts with the built-in model, or with an endpoint that the user configured.
//!
//! The index embeds passages, a search its query, and jobs compare the vectors. Vectors have length 1, so
//! that the dot product of two is their cosine. Only vectors with the same [`Model::id`] are comparable.

mod answer;
mod embedder;
mod endpoint;
mod error;
mod model_file;
mod options;
mod static_model;
mod wordpiece;

pub use embedder::{Embedder, Model, Purpose, Thresholds, normalise};
pub use endpoint::{Endpoint, Setup};
pub use error::EmbedError;
pub use options::{Options, Provider};
pub use static_model::{StaticModel, embedded};
