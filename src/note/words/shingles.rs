//! Three-word shingles of texts: overlap, and agreement of numbers and negations.
//!
//! Cosine similarity ignores word order and "not"; two notes are equal only if their ordered words, numbers
//! and negations are. [`minhash`](super::minhash) finds the candidates; `jobs::dedupe` compares them by
//! [`Shingles`].

use std::cmp::Ordering;

use xxhash_rust::xxh3::xxh3_64;

use super::english;
use super::minhash::{shingle_of, shingles, word_hashes};
use super::segments::TextWeights;
use super::tokens::each_word;

/// Number of first words of a text that are stored individually.
const OPENING_WORDS: usize = 40;

/// Minimum words in sequence that two texts hardly share by chance.
const MIN_PHRASE_WORDS: usize = 3;

/// The shingles of a text, with the features that must not differ between duplicates.
#[derive(Clone, Debug, Default)]
pub struct Shingles {
    /// Distinct hashes, ascending.
    hashes: Vec<u64>,
    /// Weight of each, unless all are equal.
    weights: Vec<f32>,
    /// Every word with a digit and every number word, in order.
    numbers: Vec<String>,
    negations: usize,
    /// Hashes of the first words.
    opening: Vec<u64>,
    /// Number of words.
    pub words: usize,
}

impl Shingles {
    pub fn of(text: &str) -> Self {
        Self::weighted(text, &TextWeights::default())
    }

    /// Reads a text with weighted parts; a shingle has the weight of its lightest word.
    pub fn weighted(text: &str, parts: &TextWeights) -> Self {
        let mut words = Vec::new();
        let mut of_words = Vec::new();
        let mut numbers = Vec::new();
        let mut negations = 0;
        each_word(text, |word, span| {
            words.push(xxh3_64(word.as_bytes()));
            if !parts.is_empty() {
                of_words.push(parts.at(span.start));
            }
            numbers.extend(english::number(word).map(str::to_owned));
            negations += usize::from(english::is_negation(word));
        });
        let (hashes, weights) = if parts.is_empty() {
            (shingles(&words), Vec::new())
        } else {
            weigh(&words, &of_words)
        };
        Self {
            hashes,
            weights,
            numbers,
            negations,
            words: words.len(),
            opening: words.into_iter().take(OPENING_WORDS).collect(),
        }
    }

    /// Returns whether the text begins with the words of `phrase`, or contains a longer phrase among its
    /// first words.
    pub fn opens_with(&self, phrase: &str) -> bool {
        let words = word_hashes(phrase);
        !words.is_empty()
            && (self.opening.starts_with(&words)
                || words.len() >= MIN_PHRASE_WORDS
                    && self.opening.windows(words.len()).any(|run| run == words))
    }

    pub fn has_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Returns the weighted Jaccard similarity of the shingles: 0–1.
    pub fn overlap(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        share(shared, self.weight() + other.weight() - shared)
    }

    /// Returns the share of the shorter text's shingles that the longer one has too: 0–1.
    pub fn containment(&self, other: &Self) -> f64 {
        share(self.shared(other), self.weight().min(other.weight()))
    }

    /// Returns whether both have the same numbers in order and equally many negations.
    pub fn agrees_on_facts(&self, other: &Self) -> bool {
        self.numbers == other.numbers && self.negations == other.negations
    }

    fn weight(&self) -> f64 {
        if self.weights.is_empty() {
            self.hashes.len() as f64
        } else {
            self.weights.iter().copied().map(f64::from).sum()
        }
    }

    fn shared(&self, other: &Self) -> f64 {
        let (mut i, mut j, mut shared) = (0, 0, 0.0);
        let of = |text: &Self, at: usize| text.weights.get(at).copied().unwrap_or(1.0);
        while let (Some(a), Some(b)) = (self.hashes.get(i), other.hashes.get(j)) {
            match a.cmp(b) {
                Ordering::Less => i += 1,
                Ordering::Greater => j += 1,
                Ordering::Equal => {
                    shared += f64::from(of(self, i).min(of(other, j)));
                    i += 1;
                    j += 1;
                }
            }
        }
        shared
    }
}

/// Returns `part / whole`; 1 if both are 0.
fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 1.0 } else { part / whole }
}

/// Returns the shingles, as [`shingles`] does, with the weight of each.
fn weigh(words: &[u64], of_words: &[f32]) -> (Vec<u64>, Vec<f32>) {
    let run = words.len().clamp(1, 3);
    let runs = words.windows(run).zip(of_words.windows(run));
    let lightest = |weights: &[f32]| weights.iter().copied().fold(1.0, f32::min);
    let mut all: Vec<(u64, f32)> = runs
        .map(|(words, weights)| (shingle_of(words), lightest(weights)))
        .collect();
    all.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    all.dedup_by_key(|(hash, _)| *hash);
    all.into_iter().unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_negations_distinguish_similar_texts() {
        for (a, b, agree) in [
            ("we use port 8080 here", "we use port 8080 here.", true),
            ("we use port 8080 here", "we use port 9090 here", false),
            (
                "we use Postgres for billing",
                "we do not use Postgres for billing",
                false,
            ),
            ("it is enabled", "it isn't enabled", false),
            ("from 8080 to 9090", "from 9090 to 8080", false),
            ("in 2024", "in 2025", false),
        ] {
            let (x, y) = (Shingles::of(a), Shingles::of(b));
            assert_eq!(x.agrees_on_facts(&y), agree, "{a} / {b}");
        }
    }

    #[test]
    fn overlap_sees_word_order() {
        let forward = Shingles::of("Alice manages Bob and Carol in the office");
        let backward = Shingles::of("Bob manages Alice and Carol in the office");
        assert!(forward.overlap(&backward) < 0.6);
        assert!((forward.overlap(&forward) - 1.0).abs() < f64::EPSILON);
        let part = Shingles::of("Alice manages Bob");
        assert!((forward.containment(&part) - 1.0).abs() < f64::EPSILON);
    }
}
