//! Which notes mean something like which: what jobs look for pairs among.
//!
//! A note's vector is the mean of its passages'.

use crate::cache::embedding::normalised_sum;
use crate::cache::row::{Row, Slot};
use crate::cache::vectors::file::Vectors;
use crate::cache::vectors::neighbours::{Neighbourhood, Neighbours};
use crate::cache::vectors::note_vectors::NoteVectors;
use crate::embed::Thresholds;

use super::entry::Entry;

/// The vectors of a vault and how to read them.
#[derive(Debug)]
pub struct Near {
    vectors: Vectors,
    thresholds: Thresholds,
    seed: u64,
}

impl Near {
    /// `thresholds` are those of the model that made `vectors`; `seed` is where sorting many notes
    /// begins.
    #[must_use]
    pub fn new(vectors: Vectors, thresholds: Thresholds, seed: u64) -> Self {
        Self {
            vectors,
            thresholds,
            seed,
        }
    }

    /// Returns the cosines from which on the model's vectors say something.
    pub fn thresholds(&self) -> Thresholds {
        self.thresholds
    }

    /// Returns `entries` as what neighbours, by slot, are looked for among. Notes without a vector have none.
    pub fn among(&self, entries: &[Entry]) -> Neighbourhood {
        let rows = entries.iter().map(|entry| (entry.slot, &entry.row.rows));
        let rows = rows.map(|(slot, rows)| (slot, rows.first, rows.count));
        let mut rows: Vec<(Slot, u32, u32)> = rows.collect();
        rows.sort_unstable();
        Neighbourhood::new(NoteVectors::of(&self.vectors, rows), self.seed)
    }

    /// Returns, for each of `seeds`, the `k` nearest others among `entries` whose cosine is `least` or
    /// more, by ascending slot. Who asks again of the same entries does it by [`Self::among`].
    pub fn neighbours(
        &self,
        entries: &[Entry],
        seeds: &[Slot],
        k: usize,
        least: f32,
    ) -> Vec<Neighbours> {
        let mut seeds = seeds.to_vec();
        seeds.sort_unstable();
        self.among(entries).neighbours(&seeds, k, least)
    }

    /// Returns how near two notes are, up to 1; `None` if one of them has no vector.
    pub fn cosine(&self, a: &Entry, b: &Entry) -> Option<f32> {
        Some(cosine(&self.vector(a)?, &self.vector(b)?))
    }

    /// Returns the vector of a note, of length one; `None` if it has none.
    pub fn vector(&self, entry: &Entry) -> Option<Vec<f32>> {
        mean(&self.vectors, &entry.row)
    }
}

/// Returns the cosine of two vectors of length one.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the mean of the vectors of a note's passages, of length one; `None` if it says nothing.
pub fn mean(vectors: &Vectors, row: &Row) -> Option<Vec<f32>> {
    let passages: Vec<Vec<f32>> = row.rows.range().map(|row| vectors.vector(row)).collect();
    normalised_sum(passages.iter().map(Vec::as_slice))
}
