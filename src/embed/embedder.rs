//! What makes vectors of texts, and what it says of itself.

use super::error::EmbedError;
use crate::note::words::language::Language;

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

pub trait Embedder: Sync {
    fn model(&self) -> &Model;

    /// Returns how many numbers a vector has; `None` before an endpoint has answered.
    fn dims(&self) -> Option<usize>;

    /// Returns whether it answers at once and on this machine.
    fn is_immediate(&self) -> bool;

    /// Returns whether its cosines mean something for texts in `language`.
    fn knows_language(&self, _language: Language) -> bool {
        true
    }

    /// Returns whether `word` is a word to it, as far as it can say: a slip of the pen is none.
    fn knows(&self, _word: &str) -> bool {
        false
    }

    /// Returns a vector of length 1 for each text, in their order; all zero for a text in which it
    /// knows nothing.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Brings a vector to length 1, unless it is all zero; returns whether it is not.
pub fn normalise(vector: &mut [f32]) -> bool {
    let squares = vector.iter().map(|number| number * number);
    let length = squares.sum::<f32>().sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
    length > 0.0
}
