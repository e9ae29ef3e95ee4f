//! The sentence encoder: all-MiniLM-L6-v2 with 8-bit weights, computed in this process.
//!
//! Unlike the token table it depends on word order, and it matches paraphrases. A text costs some hundred
//! times as much. The training text was English.

mod matmul;
mod pass;
#[cfg(test)]
mod tests;
mod weights;

use std::sync::LazyLock;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use self::pass::Instructions;
use self::weights::Weights;
use super::embedder::{Embedder, Model, Purpose};
use super::error::EmbedError;
use super::static_model::embedded;
use super::wordpiece::UNKNOWN;
use crate::note::words::language::Language;

/// Weight of the cosine in the combined score of a search. Fitted on three English vaults: 2 raises their
/// mean MRR by .007, but lowers that of one.
const SEARCH_WEIGHT: f32 = 1.6;

static ENCODER: LazyLock<Encoder> = LazyLock::new(|| {
    let weights =
        Weights::of_file().expect("the file is part of the program, and a test reads it all");
    Encoder {
        model: Model {
            id: "all-MiniLM-L6-v2-int8".to_owned(),
            thresholds: weights.thresholds,
            search_weight: SEARCH_WEIGHT,
            question_weight: SEARCH_WEIGHT,
        },
        weights,
        instructions: Instructions::available()[0],
    }
});

/// Returns the built-in encoder.
pub(super) fn encoder() -> &'static Encoder {
    &ENCODER
}

#[derive(Debug)]
pub(super) struct Encoder {
    model: Model,
    weights: Weights,
    instructions: Instructions,
}

impl Encoder {
    /// Returns the vector of a text, of length 1. Text after the last position is not read.
    fn vector(&self, text: &str) -> Vec<f32> {
        self.instructions.vector(&self.weights, &self.tokens(text))
    }

    /// Returns the tokens between those of start and end.
    fn tokens(&self, text: &str) -> Vec<u32> {
        let specials = self.weights.words.len() as u32 - 3;
        let [unknown, start, end] = [specials, specials + 1, specials + 2];
        let most = self.weights.positions.len() - 1;
        let mut tokens = vec![start];
        embedded().wordpiece().each_token(text, |token| {
            if tokens.len() < most {
                tokens.push(if token == UNKNOWN { unknown } else { token });
            }
        });
        tokens.push(end);
        tokens
    }
}

impl Embedder for Encoder {
    fn model(&self) -> &Model {
        &self.model
    }

    fn dims(&self) -> Option<usize> {
        Some(weights::WIDTH)
    }

    fn is_immediate(&self) -> bool {
        false
    }

    fn is_local(&self) -> bool {
        true
    }

    fn knows_language(&self, language: Language) -> bool {
        language.is_english()
    }

    /// The vocabulary is that of the token table.
    fn knows(&self, word: &str) -> Option<bool> {
        embedded().knows(word)
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(match texts {
            // A query starts no threads.
            [text] => vec![self.vector(text)],
            _ => texts.par_iter().map(|text| self.vector(text)).collect(),
        })
    }
}
