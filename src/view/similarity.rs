//! Semantic similarity between notes.
//!
//! A note's vector is the mean of its passages' vectors.

use crate::cache::embedding::normalised_sum;
use crate::cache::vectors::neighbours::{Neighbourhood, Neighbours};
use crate::cache::vectors::note_vectors::NoteVectors;
use crate::cache::{Row, Slot, Vectors};
use crate::embed::{Thresholds, dot};

use super::entry::Entry;

/// The vectors of a vault and the thresholds of their model.
#[derive(Debug)]
pub struct NoteSimilarity {
    vectors: Vectors,
    thresholds: Thresholds,
    seed: u64,
}

impl NoteSimilarity {
    /// Creates the index. `thresholds` belong to the model that made `vectors`; `seed` starts the
    /// clustering of large vaults.
    pub fn new(vectors: Vectors, thresholds: Thresholds, seed: u64) -> Self {
        Self {
            vectors,
            thresholds,
            seed,
        }
    }

    /// Returns the minimum cosines at which the model's similarities are meaningful.
    pub fn thresholds(&self) -> Thresholds {
        self.thresholds
    }

    /// Returns `entries` as a set to search for neighbours, by slot. Notes without a vector have
    /// none.
    pub fn among(&self, entries: &[Entry]) -> Neighbourhood {
        let range = |entry: &Entry| (entry.slot, entry.row.rows.first, entry.row.rows.count);
        let mut rows: Vec<(Slot, u32, u32)> = entries.iter().map(range).collect();
        rows.sort_unstable();
        Neighbourhood::new(NoteVectors::of(&self.vectors, rows), self.seed)
    }

    /// Returns, for each of `seeds`, the `k` nearest other `entries` by ascending slot.
    ///
    /// Neighbours have a cosine of at least `min_cosine`. For several queries over the same entries
    /// use [`Self::among`].
    pub fn neighbours(
        &self,
        entries: &[Entry],
        seeds: &[Slot],
        k: usize,
        min_cosine: f32,
    ) -> Vec<Neighbours> {
        let mut seeds = seeds.to_vec();
        seeds.sort_unstable();
        self.among(entries).neighbours(&seeds, k, min_cosine)
    }

    /// Returns the cosine of two notes; `None` if either has no vector.
    pub fn cosine(&self, a: &Entry, b: &Entry) -> Option<f32> {
        Some(dot(&self.vector(a)?, &self.vector(b)?))
    }

    /// Returns the unit vector of a note; `None` if it has none.
    pub fn vector(&self, entry: &Entry) -> Option<Vec<f32>> {
        mean(&self.vectors, &entry.row)
    }
}

/// Returns the normalised mean of a note's passage vectors; `None` for a note without any.
pub fn mean(vectors: &Vectors, row: &Row) -> Option<Vec<f32>> {
    let passages: Vec<Vec<f32>> = row.rows.range().map(|row| vectors.vector(row)).collect();
    normalised_sum(passages.iter().map(Vec::as_slice))
}
