//! The search through the graph.
//!
//! It looks for the nearest rows whether they are accepted or not, and asks for them from the best
//! down, as the scan does; when too few are accepted it looks for more, and when that would touch so
//! many rows that reading all in order is faster, it leaves it to the scan. How many that is depends
//! on counts only, so that the same file gives the same answer everywhere.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::best::Key;
use super::file::Vectors;
use super::graph::Graph;
use super::query::Query;
use super::scan::{self, Found};
use super::{Accept, Near};

/// How many of the nearest rows are kept on the way, or four times as many as are asked for.
const KEPT: usize = 768;
/// Of how many rows one is kept, if that is more: the more rows there are, the more stand in the way.
const ONE_OF: usize = 640;
/// By how much more when too few of them are accepted.
const GROWTH: usize = 4;
/// Of how many rows one may be kept before all are looked at instead: a row that is kept costs about
/// this many rows read in order.
const SHARE: usize = 128;
/// About how many rows are looked at for each that is kept.
const LINKS: usize = 16;

/// Returns the `k` accepted rows that are nearest to `query`, best first; none when all rows have to
/// be looked at.
pub(super) fn nearest(
    vectors: &Vectors,
    graph: &Graph,
    query: &Query,
    k: usize,
    accept: Option<Accept>,
) -> Option<Vec<Near>> {
    let mut kept = KEPT
        .max(graph.built() as usize / ONE_OF)
        .max(k.saturating_mul(4));
    let limit = kept.max(graph.built() as usize / SHARE);
    let mut found = loop {
        let keys = descend(vectors, graph, query, kept);
        let mut found = Found::new(vectors, query, k, accept);
        for key in &keys {
            if found.is_settled(key.cosine()) {
                break;
            }
            if found.look_at(key.row()) {
                // They are equal and come in order: after one that is not near enough none is.
                let _ = graph.twins(key.row()).all(|twin| found.look_at(twin));
            }
        }
        // With fewer than it may keep it has seen all that can be reached.
        if found.len() >= k || keys.len() < kept {
            break found;
        }
        kept = kept.saturating_mul(GROWTH);
        if kept > limit {
            return None;
        }
    };
    for stray in graph.strays() {
        if found.look_at(stray) {
            let _ = graph.twins(stray).all(|twin| found.look_at(twin));
        }
    }
    let mut near = found.into_sorted();
    let tail = graph.built()..vectors.rows();
    near.extend(scan::nearest(vectors, tail, query, k, accept));
    near.sort_unstable_by_key(|near| Reverse(Key::new(near.cosine, near.row)));
    near.truncate(k);
    Some(near)
}

/// Returns the `kept` nearest of the graph's rows, best first, by their rough cosines.
fn descend(vectors: &Vectors, graph: &Graph, query: &Query, kept: usize) -> Vec<Key> {
    if graph.entry() >= graph.built() {
        return Vec::new();
    }
    let measure = |rows: &[u32], cosines: &mut [f32]| {
        query.rough(rows.iter().map(|row| vectors.row(*row)), cosines);
    };
    let mut beam = Beam::new(kept.min(graph.built() as usize) * LINKS);
    let entry = beam.measured([graph.entry()], measure).next();
    let entry = entry.expect("it is one row");
    let mut best = entry;
    for level in (1..=graph.levels()).rev() {
        loop {
            let better = beam.measured(graph.neighbours(level, best.row()), measure);
            match better.max() {
                Some(better) if better > best => best = better,
                _ => break,
            }
        }
    }
    // What no path leads to from the entry is listed: both are begun from.
    let starts = [best].into_iter().chain((best != entry).then_some(entry));
    beam.nearest(starts, kept, |row| graph.neighbours(0, row), measure)
}

/// The way through a graph at one level, from the nearest rows that were found to their neighbours.
pub(super) struct Beam {
    seen: Seen,
    /// Rows whose cosines are taken together.
    rows: Vec<u32>,
    cosines: Vec<f32>,
}

impl Beam {
    /// Expects to see that many rows.
    pub(super) fn new(expected: usize) -> Self {
        Self {
            seen: Seen::new(expected),
            rows: Vec::new(),
            cosines: Vec::new(),
        }
    }

    /// Returns the `kept` nearest rows that it finds, best first: goes on from each that is among them
    /// to its `neighbours`, beginning with `starts`. `measure` writes how near each row is.
    pub(super) fn nearest<N: IntoIterator<Item = u32>>(
        &mut self,
        starts: impl IntoIterator<Item = Key>,
        kept: usize,
        neighbours: impl Fn(u32) -> N,
        measure: impl Fn(&[u32], &mut [f32]) + Copy,
    ) -> Vec<Key> {
        let mut seen = std::mem::take(&mut self.seen);
        seen.clear();
        let mut open: BinaryHeap<Key> = starts.into_iter().collect();
        let mut near: BinaryHeap<_> = open.iter().map(|key| Reverse(*key)).collect();
        for key in &open {
            seen.insert(key.row());
        }
        while let Some(key) = open.pop() {
            let is_worse = near.peek().is_some_and(|Reverse(worst)| key < *worst);
            if near.len() >= kept && is_worse {
                break;
            }
            let unseen = neighbours(key.row()).into_iter();
            let unseen = unseen.filter(|row| seen.insert(*row));
            for key in self.measured(unseen, measure) {
                let is_better = near.peek().is_some_and(|Reverse(worst)| key > *worst);
                if is_better || near.len() < kept {
                    open.push(key);
                    near.push(Reverse(key));
                    if near.len() > kept {
                        near.pop();
                    }
                }
            }
        }
        self.seen = seen;
        let near = near.into_sorted_vec().into_iter();
        near.map(|Reverse(key)| key).collect()
    }

    fn measured(
        &mut self,
        rows: impl IntoIterator<Item = u32>,
        measure: impl Fn(&[u32], &mut [f32]),
    ) -> impl Iterator<Item = Key> {
        self.rows.clear();
        self.rows.extend(rows);
        self.cosines.resize(self.rows.len(), 0.0);
        measure(&self.rows, &mut self.cosines);
        let both = self.rows.iter().zip(&self.cosines);
        both.map(|(row, cosine)| Key::new(*cosine, *row))
    }
}

/// The rows that were seen on the way: as large as they are many, not as there are.
#[derive(Default)]
struct Seen {
    /// One more than a row, by its hash; 0 is a free place.
    places: Vec<u32>,
    taken: usize,
}

impl Seen {
    fn new(expected: usize) -> Self {
        Self {
            places: vec![0; expected.next_power_of_two().max(64)],
            taken: 0,
        }
    }

    /// Forgets them all.
    fn clear(&mut self) {
        self.places.fill(0);
        self.taken = 0;
    }

    /// Returns true if `row` was not seen before.
    fn insert(&mut self, row: u32) -> bool {
        let mask = self.places.len() - 1;
        let mut place = (row.wrapping_mul(0x9e37_79b1) >> 7) as usize & mask;
        while self.places[place] != 0 {
            if self.places[place] == row + 1 {
                return false;
            }
            place = (place + 1) & mask;
        }
        self.places[place] = row + 1;
        self.taken += 1;
        if self.taken * 2 > self.places.len() {
            let old = std::mem::take(&mut self.places);
            self.places = vec![0; old.len() * 2];
            self.taken = 0;
            for row in old.into_iter().filter(|row| *row != 0) {
                self.insert(row - 1);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use proptest::prelude::*;

    use super::super::made::{self, MODEL, vectors};
    use super::super::writer::VectorWriter;
    use super::*;

    fn graph(folder: &Path, vectors: &Vectors) -> Graph {
        let graph = Graph::build(vectors, &|_, _| true, 1, folder).unwrap();
        graph.verify().unwrap();
        assert_eq!(graph.built(), vectors.rows());
        graph
    }

    /// The share of what the scan finds that the graph finds, over many questions.
    fn recall(
        vectors: &Vectors,
        graph: &Graph,
        queries: &[Vec<f32>],
        accept: Option<Accept>,
    ) -> f64 {
        let (mut same, mut all) = (0, 0);
        for query in queries {
            let exact = vectors.nearest(query, 10, accept, None);
            let found = vectors.nearest(query, 10, accept, Some(graph));
            assert_eq!(found.len(), exact.len());
            let cosines: Vec<f32> = found.iter().map(|near| near.cosine).collect();
            assert!(cosines.is_sorted_by(|a, b| a >= b), "{cosines:?}");
            let exact: BTreeSet<u32> = exact.iter().map(|near| near.row).collect();
            same += found
                .iter()
                .filter(|near| exact.contains(&near.row))
                .count();
            all += exact.len();
        }
        same as f64 / all as f64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// As many as are kept on the way are all seen, whatever the graph looks like.
        #[test]
        fn with_few_rows_it_answers_as_the_scan_does(
            numbers in proptest::collection::vec((0u8..4, 0u8..4, 0u8..4), 1..KEPT),
            asked in 0usize..KEPT,
            k in 0usize..60,
            modulus in 1u32..5,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let wide = |(a, b, c): &(u8, u8, u8)| [*a, *b, *c].map(|x| f32::from(x) - 1.0).to_vec();
            let rows: Vec<_> = numbers.iter().map(wide).collect();
            let file = made::file(dir.path(), 1, &rows);
            let graph = graph(dir.path(), &file);
            let query = &rows[asked % rows.len()];
            let accept = |row: u32, _: u32| row.is_multiple_of(modulus);
            for accept in [None, Some::<Accept>(&accept)] {
                prop_assert_eq!(
                    file.nearest(query, k, accept, Some(&graph)),
                    file.nearest(query, k, accept, None)
                );
            }
        }
    }

    #[test]
    fn it_finds_what_the_scan_finds() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(1_500, 24, 1);
        let file = made::file(dir.path(), 1, &all);
        let graph = graph(dir.path(), &file);
        assert!(graph.levels() > 0);
        let queries: Vec<_> = all.iter().step_by(31).cloned().collect();
        assert!(recall(&file, &graph, &queries, None) >= 0.99);
        let share = |share: u32| move |row: u32, _: u32| (row % 97).is_multiple_of(share);
        // Removed notes, and filters that leave many, some, few and no rows.
        let removed = |row: u32, _: u32| !row.is_multiple_of(5);
        assert!(recall(&file, &graph, &queries, Some(&removed)) >= 0.99);
        for few in [2, 10, 50] {
            assert!(
                recall(&file, &graph, &queries, Some(&share(few))) >= 0.99,
                "{few}"
            );
        }
        let none = |_: u32, _: u32| false;
        assert_eq!(file.nearest(&all[0], 10, Some(&none), Some(&graph)), []);
    }

    #[test]
    fn a_filter_that_leaves_too_few_is_left_to_the_scan() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(1_500, 24, 1);
        let file = made::file(dir.path(), 1, &all);
        let graph = graph(dir.path(), &file);
        let few = |row: u32, _: u32| row.is_multiple_of(150);
        let query = Query::new(&all[7]);
        assert_eq!(nearest(&file, &graph, &query, 10, Some(&few)), None);
        assert_eq!(
            file.nearest(&all[7], 10, Some(&few), Some(&graph)),
            file.nearest(&all[7], 10, Some(&few), None)
        );
    }

    #[test]
    fn rows_added_since_are_found_too() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(1_000, 24, 2);
        let file = made::file(dir.path(), 1, &all[..800]);
        graph(dir.path(), &file);
        let mut writer = VectorWriter::append(dir.path(), 1, 800, MODEL).unwrap();
        for (row, vector) in (800..).zip(&all[800..]) {
            writer.push(row, 0, vector);
        }
        let file = Vectors::open(dir.path(), 1, writer.finish().unwrap(), MODEL).unwrap();
        let graph = Graph::open(dir.path(), &file).unwrap();
        assert_eq!((graph.built(), file.rows()), (800, 1_000));
        let queries: Vec<_> = all.iter().step_by(40).cloned().collect();
        assert!(recall(&file, &graph, &queries, None) >= 0.99);
        for row in [0, 799, 800, 999] {
            let found = file.nearest(&all[row as usize], 1, None, Some(&graph));
            assert_eq!(found[0].row, row);
        }
    }

    #[test]
    fn rows_that_were_gone_when_it_was_built_do_not_come_back() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(600, 24, 3);
        let file = made::file(dir.path(), 1, &all);
        let alive = |row: u32, _: u32| row >= 300;
        let graph = Graph::build(&file, &alive, 1, dir.path()).unwrap();
        for query in all.iter().step_by(31) {
            assert_eq!(
                file.nearest(query, 5, Some(&alive), Some(&graph)),
                file.nearest(query, 5, Some(&alive), None)
            );
            let found = file.nearest(query, 5, None, Some(&graph));
            assert!(found.iter().all(|near| near.row >= 300));
        }
    }

    #[test]
    fn many_equal_rows_hide_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let mut all = vectors(400, 24, 4);
        for place in 0..1_200 {
            all.insert(place / 2, all[place % 2].clone());
        }
        all.extend(vec![vec![0.0; 24]; 300]);
        let file = made::file(dir.path(), 1, &all);
        let graph = graph(dir.path(), &file);
        for query in all.iter().step_by(13) {
            let exact = file.nearest(query, 20, None, None);
            let found = file.nearest(query, 20, None, Some(&graph));
            // Among equal ones the first are chosen, too.
            let is_zero = query.iter().all(|x| *x == 0.0);
            assert!(is_zero || found == exact, "{found:?} {exact:?}");
        }
        // Everything is as near to a question that is about nothing.
        assert_eq!(file.nearest(&[0.0; 24], 7, None, Some(&graph)).len(), 7);
    }

    #[test]
    fn seen_rows_are_seen_once() {
        let mut seen = Seen::new(10);
        let rows = (0..5_000u32).chain([u32::MAX - 2, 1 << 31]);
        assert!(rows.clone().all(|row| seen.insert(row)));
        assert!(rows.clone().all(|row| !seen.insert(row)));
        assert!(seen.places.len() <= 4 * 8192);
    }
}
