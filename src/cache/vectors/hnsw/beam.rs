//! Beam search in one level of the graph: expands the nearest rows found so far.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::candidate::Candidate;

/// Reusable buffers of a search.
pub(super) struct Beam {
    visited: RowSet,
    /// Rows whose cosines are computed together.
    rows: Vec<u32>,
    cosines: Vec<f32>,
}

impl Beam {
    /// Reserves space for `expected` visited rows.
    pub(super) fn new(expected: usize) -> Self {
        Self {
            visited: RowSet::new(expected),
            rows: Vec::new(),
            cosines: Vec::new(),
        }
    }

    /// Returns the `width` nearest rows found, best first. Starts at `starts` and expands each row through
    /// `neighbours`; `measure` writes the cosines of rows.
    pub(super) fn search<N: IntoIterator<Item = u32>>(
        &mut self,
        starts: impl IntoIterator<Item = Candidate>,
        width: usize,
        neighbours: impl Fn(u32) -> N,
        measure: impl Fn(&[u32], &mut [f32]) + Copy,
    ) -> Vec<Candidate> {
        let mut visited = std::mem::take(&mut self.visited);
        visited.clear();
        let mut open: BinaryHeap<Candidate> = starts.into_iter().collect();
        let mut nearest: BinaryHeap<_> = open.iter().map(|start| Reverse(*start)).collect();
        for start in &open {
            visited.insert(start.row());
        }
        while let Some(candidate) = open.pop() {
            let worst = nearest.peek().filter(|_| nearest.len() >= width);
            if worst.is_some_and(|Reverse(worst)| candidate < *worst) {
                break;
            }
            let unseen = neighbours(candidate.row()).into_iter();
            let unseen = unseen.filter(|row| visited.insert(*row));
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
    ) -> impl Iterator<Item = Candidate> {
        self.rows.clear();
        self.rows.extend(rows);
        self.cosines.resize(self.rows.len(), 0.0);
        measure(&self.rows, &mut self.cosines);
        let both = self.rows.iter().zip(&self.cosines);
        both.map(|(row, cosine)| Candidate::new(*cosine, *row))
    }
}

/// A set of rows; its memory grows with the visited rows, not with all rows.
#[derive(Default)]
struct RowSet {
    /// Row plus one, by hash; 0 is free.
    slots: Vec<u32>,
    len: usize,
}

impl RowSet {
    fn new(expected: usize) -> Self {
        Self {
            slots: vec![0; expected.next_power_of_two().max(64)],
            len: 0,
        }
    }

    fn clear(&mut self) {
        self.slots.fill(0);
        self.len = 0;
    }

    /// Returns whether `row` was not in the set.
    fn insert(&mut self, row: u32) -> bool {
        let mask = self.slots.len() - 1;
        let mut slot = (row.wrapping_mul(0x9e37_79b1) >> 7) as usize & mask;
        while self.slots[slot] != 0 {
            if self.slots[slot] == row + 1 {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = row + 1;
        self.len += 1;
        if self.len * 2 > self.slots.len() {
            self.grow();
        }
        true
    }

    fn grow(&mut self) {
        let larger = vec![0; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, larger);
        self.len = 0;
        for row in old.into_iter().filter(|row| *row != 0) {
            self.insert(row - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_visited_once() {
        let mut visited = RowSet::new(10);
        let rows = (0..5_000u32).chain([u32::MAX - 2, 1 << 31]);
        assert!(rows.clone().all(|row| visited.insert(row)));
        assert!(rows.clone().all(|row| !visited.insert(row)));
        assert!(visited.slots.len() <= 4 * 8192);
    }
}
