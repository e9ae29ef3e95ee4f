//! The sentence encoders, computed in this process: all-MiniLM-L6-v2 for English, multilingual-e5-small for
//! the languages of Europe.
//!
//! Unlike the token table they depend on word order, and they match paraphrases. A text costs some hundred
//! times as much, and twice that with the second one, which understands a hundred languages and a question
//! in another language than its answer. In English it is worse than the first, whose training text was
//! English only.

mod matmul;
mod pass;
mod spelling;
#[cfg(test)]
mod tests;
mod weights;

use std::sync::LazyLock;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use self::pass::Instructions;
use self::weights::{AlignedBytes, ENGLISH, EUROPEAN, EncoderWeights};
use super::embedder::{Embedder, EmbeddingPurpose, Model, normalise};
use super::error::EmbedError;
use super::static_model::embedded;
use super::wordpiece::UNKNOWN;
use crate::note::words::language::Language;

/// Weight of the cosine in the combined score of a search. Fitted on three English vaults: 2 raises their
/// mean MRR by .007, but lowers that of one.
const ENGLISH_WEIGHT: f32 = 1.6;
/// Fitted outside the program, with BM25: of .8, 1.6, 2.4, 3.2, 4 and 6 the mean MRR of three vaults is best at 6,
/// whichever of four is left out, and .002 to .018 lower at 4, where words still decide between near cosines.
const EUROPEAN_WEIGHT: f32 = 4.0;
/// Texts of one language and kind are nearer to one another than those that the centres are made of. The median
/// cosine of a question and a passage is .105 to .13 in four vaults.
const EUROPEAN_BASELINE: f32 = 0.12;

/// Languages in letters that no piece has.
const OTHER_LETTERS: [&str; 23] = [
    "arabic",
    "armenian",
    "bengali",
    "burmese",
    "chinese",
    "georgian",
    "gujarati",
    "hebrew",
    "hindi",
    "japanese",
    "kannada",
    "khmer",
    "korean",
    "malayalam",
    "marathi",
    "nepali",
    "persian",
    "punjabi",
    "tamil",
    "telugu",
    "thai",
    "urdu",
    "yiddish",
];

static ENGLISH_ENCODER: LazyLock<Encoder> =
    LazyLock::new(|| Encoder::new("all-MiniLM-L6-v2", (ENGLISH_WEIGHT, 0.0), ENGLISH));
static EUROPEAN_ENCODER: LazyLock<Encoder> = LazyLock::new(|| {
    Encoder::new(
        "multilingual-e5-small",
        (EUROPEAN_WEIGHT, EUROPEAN_BASELINE),
        EUROPEAN,
    )
});

/// Returns the encoder for English.
pub(super) fn english() -> &'static Encoder {
    &ENGLISH_ENCODER
}

/// Returns the encoder for the languages of Europe.
pub(super) fn european() -> &'static Encoder {
    &EUROPEAN_ENCODER
}

#[derive(Debug)]
pub(super) struct Encoder {
    model: Model,
    weights: EncoderWeights,
    instructions: Instructions,
}

impl Encoder {
    fn new(id: &str, (weight, baseline): (f32, f32), file: &'static AlignedBytes<[u8]>) -> Self {
        let weights = EncoderWeights::of_file(file)
            .expect("the file is part of the program, and a test reads it all");
        Self {
            model: Model {
                id: id.to_owned(),
                thresholds: weights.thresholds,
                search_weight: weight,
                question_weight: weight,
                baseline,
            },
            weights,
            instructions: Instructions::available()[0],
        }
    }

    /// Whether the encoder was trained on more languages than English.
    fn is_european(&self) -> bool {
        self.weights.pieces.len() > 0
    }

    /// Returns the vector of a text, of length 1. Text after the last position is not read.
    fn vector(&self, text: &str, purpose: EmbeddingPurpose) -> Vec<f32> {
        let tokens = self.tokens(text, purpose);
        let mut vector = self.instructions.vector(&self.weights, &tokens);
        let [of_passages, of_queries] = self.weights.centres;
        let centre = match purpose {
            EmbeddingPurpose::Passage => of_passages,
            EmbeddingPurpose::Query => of_queries,
        };
        for (number, centre) in vector.iter_mut().zip(centre) {
            *number -= centre.get();
        }
        normalise(&mut vector);
        vector
    }

    /// Returns the tokens, with those of start and end.
    fn tokens(&self, text: &str, purpose: EmbeddingPurpose) -> Vec<u32> {
        let specials = self.weights.rows.len() as u32 - 3;
        let [unknown, start, end] = [specials, specials + 1, specials + 2];
        let most = self.weights.positions.len() - 1;
        let mut tokens = vec![start];
        let mut add = |token: Option<u32>| {
            if tokens.len() < most {
                tokens.push(token.unwrap_or(unknown));
            }
        };
        if self.is_european() {
            // The model was trained with these words.
            let kind = match purpose {
                EmbeddingPurpose::Query => "query",
                EmbeddingPurpose::Passage => "passage",
            };
            let text = format!("{kind}: {text}");
            let pieces = spelling::pieces(&self.weights.pieces, &text);
            pieces.into_iter().for_each(add);
        } else {
            let wordpiece = embedded().wordpiece();
            wordpiece.each_token(text, |token| add((token != UNKNOWN).then_some(token)));
        }
        tokens.push(end);
        tokens
    }
}

impl Embedder for Encoder {
    fn model(&self) -> &Model {
        &self.model
    }

    fn is_immediate(&self) -> bool {
        false
    }

    fn is_local(&self) -> bool {
        true
    }

    fn knows_language(&self, language: Language) -> bool {
        if self.is_european() {
            !OTHER_LETTERS.contains(&language.name())
        } else {
            language.is_english()
        }
    }

    /// The token table tells, of English words.
    fn knows(&self, word: &str) -> Option<bool> {
        embedded().knows(word)
    }

    fn embed(
        &self,
        texts: &[&str],
        purpose: EmbeddingPurpose,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(match texts {
            // A query starts no threads.
            [text] => vec![self.vector(text, purpose)],
            _ => texts
                .par_iter()
                .map(|text| self.vector(text, purpose))
                .collect(),
        })
    }
}
