//! The interface of embedding models.

use std::fmt::Debug;

use super::error::EmbedError;
use crate::note::words::language::Language;

/// Identity and thresholds of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Only vectors with equal ids are comparable.
    pub id: String,
    /// Cosine thresholds of the model.
    pub thresholds: Thresholds,
    /// Weight of the cosine in the combined score of a search.
    pub search_weight: f32,
    /// The same for a question.
    pub question_weight: f32,
    /// What the cosine of a query and an unrelated note exceeds 0 by; searches subtract it.
    pub baseline: f32,
}

/// Weight of the cosine of an unknown model.
pub const DEFAULT_SEARCH_WEIGHT: f32 = 0.5;

/// Minimum cosines by relation of two texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Related enough for a link.
    pub related: f32,
    /// Same cluster, for texts of one sentence.
    pub cluster_short: f32,
    /// Same cluster, for whole notes.
    pub cluster_note: f32,
    /// Possible duplicates.
    pub duplicate: f32,
}

/// Purpose of an embedding; some models distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingPurpose {
    /// A search query.
    Query,
    /// A passage to be found.
    Passage,
}

pub trait Embedder: Debug + Sync {
    fn model(&self) -> &Model;

    /// Returns whether the model runs in this process without delay.
    fn is_immediate(&self) -> bool;

    /// Returns whether the model runs in this process.
    fn is_local(&self) -> bool {
        self.is_immediate()
    }

    /// Returns whether its cosines are meaningful for texts in `language`.
    fn knows_language(&self, _language: Language) -> bool {
        true
    }

    /// Returns whether the model knows `word`, if it can tell; a typo is unknown.
    fn knows(&self, _word: &str) -> Option<bool> {
        None
    }

    /// Returns a vector of length 1 for each text, in order; all zero for a text without a known word.
    fn embed(&self, texts: &[&str], purpose: EmbeddingPurpose)
    -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Normalises a vector to length 1; returns false if it is all zero.
pub fn normalise(vector: &mut [f32]) -> bool {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
    length > 0.0
}

/// Returns the dot product: the cosine, if both vectors have length 1.
///
/// Additions of floats keep their order, so that a single sum is calculated number by number. Independent ones
/// are calculated together.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, rest_of_a), (b, rest_of_b)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
    let mut sums = [0.0; 32];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest = rest_of_a.iter().zip(rest_of_b).map(|(a, b)| a * b);
    sums.into_iter().chain(rest).sum()
}
