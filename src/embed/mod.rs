//! Text to vector: the model in the program, or an endpoint that the user configured.
//!
//! The index embeds passages, a search its query, jobs compare what came out. Vectors have length
//! 1, so that the cosine of two is their product, and compare only under the same [`Model::id`].

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
pub use static_model::{Embedded, embedded};
