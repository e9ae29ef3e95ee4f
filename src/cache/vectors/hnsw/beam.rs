//! Beam search in one level of the graph: expands the nearest rows found so far.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::candidate::RowCandidate;

/// Reusable buffers of a search.
#[derive(Default)]
pub(super) struct Beam {
    visited: RowSet,
    /// Rows whose cosines are computed together.
    rows: Vec<u32>,
    cosines: Vec<f32>,
}

impl Beam {
    /// Reserves a bit for each of the `rows` of the graph.
    pub(super) fn new(rows: usize) -> Self {
        let mut beam = Self::default();
        beam.visited.bits.resize(rows.div_ceil(64), 0);
        beam
    }

    /// Returns the `width` nearest rows found, best first. Starts at `starts` and expands each row through
    /// `neighbours`; `measure` writes the cosines of rows.
    pub(super) fn search<N: IntoIterator<Item = u32>>(
        &mut self,
        starts: impl IntoIterator<Item = RowCandidate>,
        width: usize,
        neighbours: impl Fn(u32) -> N,
        measure: impl Fn(&[u32], &mut [f32]) + Copy,
    ) -> Vec<RowCandidate> {
        let mut visited = std::mem::take(&mut self.visited);
        visited.clear();
        let mut open: BinaryHeap<RowCandidate> = starts.into_iter().collect();
        let mut nearest: BinaryHeap<_> = open.iter().map(|start| Reverse(*start)).collect();
        for start in &open {
            visited.insert(start.row());
        }
        while let Some(candidate) = open.pop() {
            let worst = nearest.peek().filter(|_| nearest.len() >= width);
            if worst.is_some_and(|Reverse(worst)| candidate < *worst) {
                break;
            }
            let rows = neighbours(candidate.row()).into_iter();
            let unseen = rows.filter(|row| visited.insert(*row));
            for candidate in self.measured(unseen, measure) {
                let worst = nearest.peek().filter(|_| nearest.len() >= width);
                if worst.is_none_or(|Reverse(worst)| candidate > *worst) {
                    open.push(candidate);
                    nearest.push(Reverse(candidate));
                    if nearest.len() > width {
                        nearest.pop();
                    }
                }
            }
        }
        self.visited = visited;
        let sorted = nearest.into_sorted_vec().into_iter();
        sorted.map(|Reverse(candidate)| candidate).collect()
    }

    pub(super) fn measured(
        &mut self,
        rows: impl IntoIterator<Item = u32>,
        measure: impl Fn(&[u32], &mut [f32]),
    ) -> impl Iterator<Item = RowCandidate> {
        self.rows.clear();
        self.rows.extend(rows);
        self.cosines.resize(self.rows.len(), 0.0);
        measure(&self.rows, &mut self.cosines);
        let both = self.rows.iter().zip(&self.cosines);
        both.map(|(row, cosine)| RowCandidate::new(*cosine, *row))
    }
}

/// A set of rows: a bit for each row of the graph, and the rows to clear before the next search.
#[derive(Default)]
struct RowSet {
    bits: Vec<u64>,
    rows: Vec<u32>,
}

impl RowSet {
    fn clear(&mut self) {
        for row in self.rows.drain(..) {
            self.bits[row as usize / 64] = 0;
        }
    }

    /// Returns whether `row` was not in the set.
    fn insert(&mut self, row: u32) -> bool {
        let (word, bit) = (&mut self.bits[row as usize / 64], 1 << (row % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        self.rows.extend(is_new.then_some(row));
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_visited_once_in_each_search() {
        let mut visited = Beam::new(5_000).visited;
        for _ in 0..2 {
            assert!((0..5_000).all(|row| visited.insert(row)));
            assert!((0..5_000).all(|row| !visited.insert(row)));
            visited.clear();
        }
    }
}
