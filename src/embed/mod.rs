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

pub use embedder::{
    DEFAULT_SEARCH_WEIGHT, Embedder, EmbeddingPurpose, Model, Thresholds, dot, normalise,
};
pub use endpoint::{Endpoint, Setup};
pub use error::EmbedError;
pub use options::{EmbedOptions, EncoderUse, Provider};
pub use static_model::{StaticModel, embedded};
pub use token_query::TokenQuery;

use crate::note::Language;

/// Returns the model that compares questions with one another; `None` if `embedder` is a server.
///
/// The encoder would take half a second for the questions of one recall.
pub fn model_of_questions(embedder: &dyn Embedder) -> Option<&'static dyn Embedder> {
    embedder.is_local().then(|| embedded() as &dyn Embedder)
}

/// Returns the sentence encoder for notes in these languages: the one for English if most of them are in
/// English, else the one for the languages of Europe. `None` if the program was built without them.
pub fn encoder_for(languages: impl IntoIterator<Item = Language>) -> Option<&'static dyn Embedder> {
    let [english, european] = encoders()?;
    let mut others = 0_i64;
    for language in languages {
        if english.knows_language(language) {
            others -= 1;
        } else if european.knows_language(language) {
            others += 1;
        }
    }
    Some(if others > 0 { european } else { english })
}

/// Returns the sentence encoder with this id, if there is one.
pub fn encoder_named(id: &str) -> Option<&'static dyn Embedder> {
    encoders()?
        .into_iter()
        .find(|encoder| encoder.model().id == id)
}

/// Returns the encoders for English and for the languages of Europe.
pub fn encoders() -> Option<[&'static dyn Embedder; 2]> {
    #[cfg(feature = "encoder")]
    let encoders: Option<[&'static dyn Embedder; 2]> =
        Some([encoder::english(), encoder::european()]);
    #[cfg(not(feature = "encoder"))]
    let encoders = None;
    encoders
}

#[cfg(all(test, feature = "encoder"))]
mod tests {
    use super::*;

    #[test]
    fn the_languages_of_most_notes_select_the_encoder() {
        let [english, european] = encoders().unwrap();
        for (languages, expected) in [
            ("", english),
            ("en", english),
            ("en it", english),
            ("en it es", european),
            ("de", european),
            ("en ko ja zh", english),
            ("ko", english),
            ("en ko ru el", european),
        ] {
            let codes = languages.split_whitespace();
            let encoder = encoder_for(codes.map(|code| code.parse().unwrap())).unwrap();
            assert_eq!(encoder.model().id, expected.model().id, "{languages}");
            assert!(encoder_named(&encoder.model().id).is_some());
        }
        assert!(encoder_named("all-MiniLM-L6").is_none());
    }
}
