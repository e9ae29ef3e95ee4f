//! A query as a vector, and the notes with the nearest passages.

use std::collections::HashSet;
use std::thread::{Scope, ScopedJoinHandle};

use super::failure::FirstError;
use super::filters::Filters;
use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::cache::vectors::file::Vectors;
use crate::cache::vectors::hnsw::graph::HnswGraph;
use crate::cache::vectors::query::VectorQuery;
use crate::cache::vectors::scan::RoughScan;
use crate::embed::{Embedder, EmbeddingPurpose, dot, model_of_questions};
use crate::view::View;

/// Minimum number of rows for which a separate thread is faster.
const MIN_ROWS_FOR_THREAD: u32 = 10_000;

/// Passages retrieved per requested note, since a long note has many.
const PASSAGES_PER_NOTE: usize = 3;

/// A query as a vector, and the vectors to compare it with.
#[derive(Clone, Copy)]
pub struct SemanticQuery<'m> {
    /// The vectors that the view's catalog refers to.
    pub vectors: &'m Vectors,
    /// The graph over a prefix of the rows, if it should be used.
    pub graph: Option<&'m HnswGraph>,
    /// The embedded words of the query.
    pub words: &'m str,
    /// Their vector, of length one.
    pub vector: &'m [f32],
    /// The model that computed the vector.
    pub embedder: &'m dyn Embedder,
}

/// A note near the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SemanticHit {
    pub(super) slot: Slot,
    /// Cosine of its nearest passage, less the baseline of the model.
    pub(super) cosine: f32,
    /// Index of that passage, from 0.
    pub(super) passage: u32,
}

impl SemanticQuery<'_> {
    /// Starts the comparison with all rows in a thread, if that is faster.
    pub(super) fn start_scan<'s>(
        &self,
        scope: &'s Scope<'s, '_>,
        limit: usize,
    ) -> Option<ScopedJoinHandle<'s, RoughScan>>
    where
        Self: 's,
    {
        if self.graph.is_some() || self.vectors.rows() < MIN_ROWS_FOR_THREAD {
            return None;
        }
        let (vectors, query) = (self.vectors, self.vector);
        let passages = limit.saturating_mul(PASSAGES_PER_NOTE);
        Some(scope.spawn(move || RoughScan::new(vectors, query, passages)))
    }

    /// Returns about `limit` of the nearest notes that meet `filters`, best first. `scan` is the result
    /// of [`SemanticQuery::start_scan`].
    pub(super) fn nearest(
        &self,
        view: &View<'_>,
        filters: &Filters<'_>,
        limit: usize,
        scan: Option<RoughScan>,
    ) -> Result<Vec<SemanticHit>, CacheError> {
        let failure = FirstError::default();
        let accept = |row: u32, slot: Slot| {
            let is_living = || Ok(view.reading().rows(slot)?.is_some_and(|rows| rows.has(row)));
            failure.or_default(is_living().and_then(|yes| Ok(yes && filters.admits(slot)?)))
        };
        let passages = limit.saturating_mul(PASSAGES_PER_NOTE);
        let found = if let Some(scan) = scan {
            scan.nearest(self.vectors, passages, Some(&accept))
        } else {
            self.vectors
                .nearest(self.vector, passages, Some(&accept), self.graph)
        };
        let mut seen = HashSet::new();
        let mut near = Vec::new();
        for found in failure.or(found)? {
            // Sorted by cosine: later passages of the same note are farther.
            if near.len() == limit || !seen.insert(found.slot) {
                continue;
            }
            let rows = view.reading().rows(found.slot)?;
            near.push(SemanticHit {
                slot: found.slot,
                cosine: found.cosine - self.embedder.model().baseline,
                passage: found.row - rows.map_or(0, |rows| rows.first),
            });
        }
        Ok(near)
    }

    /// Returns the cosine with `text`, if the model is immediate.
    pub(super) fn cosine_of_text(&self, text: &str) -> Option<f32> {
        if !self.embedder.is_immediate() {
            return None;
        }
        let vectors = self
            .embedder
            .embed(&[text], EmbeddingPurpose::Passage)
            .ok()?;
        Some(dot(vectors.first()?, self.vector))
    }

    /// Returns the vectors of questions to compare with one another; `None` for a server.
    pub(super) fn questions(&self, texts: &[&str]) -> Option<Vec<Vec<f32>>> {
        model_of_questions(self.embedder)?
            .embed(texts, EmbeddingPurpose::Query)
            .ok()
    }

    /// Returns the nearest passage of the note of `slot`; `None` if it has no vectors.
    pub(super) fn nearest_passage(
        &self,
        view: &View<'_>,
        slot: Slot,
    ) -> Result<Option<SemanticHit>, CacheError> {
        let Some(rows) = view.reading().rows(slot)? else {
            return Ok(None);
        };
        let query = VectorQuery::new(self.vector);
        let mut best: Option<SemanticHit> = None;
        for (passage, row) in rows.range().enumerate() {
            let cosine = self.vectors.cosine(row, &query) - self.embedder.model().baseline;
            if best.is_none_or(|best| cosine > best.cosine) {
                best = Some(SemanticHit {
                    slot,
                    cosine,
                    passage: passage as u32,
                });
            }
        }
        Ok(best)
    }
}
