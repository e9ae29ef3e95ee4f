//! Computes exact cosines for candidates from the best down, until no other can change the answer.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::candidate::RowCandidate;
use super::file::Vectors;
use super::query::VectorQuery;
use super::{Accept, NearRow};

/// The best rows so far, by exact cosine.
pub(super) struct Rescorer<'a> {
    vectors: &'a Vectors,
    query: &'a VectorQuery,
    k: usize,
    accept: Option<Accept<'a>>,
    /// A heap with the worst on top.
    best: BinaryHeap<Reverse<RowCandidate>>,
}

impl<'a> Rescorer<'a> {
    pub(super) fn new(
        vectors: &'a Vectors,
        query: &'a VectorQuery,
        k: usize,
        accept: Option<Accept<'a>>,
    ) -> Self {
        Self {
            vectors,
            query,
            k,
            accept,
            best: BinaryHeap::new(),
        }
    }

    /// Returns whether rows with this or a lower rough cosine cannot change the answer.
    pub(super) fn is_done_below(&self, rough: f32) -> bool {
        self.worst()
            .is_some_and(|worst| worst.cosine() > rough + self.query.error())
    }

    /// Adds `row` if it is accepted and among the best; returns false if it is not as near as those found.
    pub(super) fn offer(&mut self, row: u32) -> bool {
        let candidate = RowCandidate::new(self.query.exact(self.vectors.row(row)), row);
        let worst = self.worst();
        // The filter costs more than the cosine, so it runs last.
        if worst.is_some_and(|worst| candidate < worst) {
            return false;
        }
        let is_accepted = |accept: Accept| accept(row, self.vectors.slot(row));
        if self.accept.is_none_or(is_accepted) {
            self.best.push(Reverse(candidate));
            if worst.is_some() {
                self.best.pop();
            }
        }
        true
    }

    /// Returns the worst of the best, once there are `k`.
    fn worst(&self) -> Option<RowCandidate> {
        let worst = self.best.peek().filter(|_| self.best.len() >= self.k);
        worst.map(|Reverse(worst)| *worst)
    }

    pub(super) fn len(&self) -> usize {
        self.best.len()
    }

    /// Returns the best rows, best first.
    pub(super) fn into_sorted(self) -> Vec<NearRow> {
        let sorted = self.best.into_sorted_vec().into_iter();
        sorted
            .map(|Reverse(candidate)| NearRow {
                row: candidate.row(),
                slot: self.vectors.slot(candidate.row()),
                cosine: candidate.cosine(),
            })
            .collect()
    }
}
