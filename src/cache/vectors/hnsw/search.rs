//! Search in the graph.
//!
//! Finds the nearest rows first, and filters them from the best down, as the scan does. If too few are
//! accepted, it searches more widely, unless a scan would then be faster: in that case it returns `None`.
//! The limit depends on counts only, so that the same file gives the same answer everywhere.

use std::cmp::Reverse;

use super::super::candidate::RowCandidate;
use super::super::file::Vectors;
use super::super::query::VectorQuery;
use super::super::rescore::Rescorer;
use super::super::{Accept, NearRow, scan};
use super::beam::Beam;
use super::graph::HnswGraph;

/// Minimum beam width; the width is at least four times `k`.
const MIN_WIDTH: usize = 768;
/// Minimum beam width as a fraction of the rows: with more rows, more of them compete.
const ROWS_PER_WIDTH: usize = 640;
/// Factor on the width if too few rows are accepted.
const WIDTH_GROWTH: usize = 4;
/// Maximum beam width as a fraction of the rows. A row in the beam costs about as much as this many rows
/// scanned in order.
const ROWS_PER_MAX_WIDTH: usize = 128;

/// Returns the `k` accepted rows nearest to `query`, best first; `None` if a scan is faster.
pub(in super::super) fn nearest(
    vectors: &Vectors,
    graph: &HnswGraph,
    query: &VectorQuery,
    k: usize,
    accept: Option<Accept>,
) -> Option<Vec<NearRow>> {
    let covered = graph.covered();
    let mut width = MIN_WIDTH
        .max(covered as usize / ROWS_PER_WIDTH)
        .max(k.saturating_mul(4));
    let widest = width.max(covered as usize / ROWS_PER_MAX_WIDTH);
    let mut rescorer = loop {
        let candidates = descend(vectors, graph, query, width);
        let mut rescorer = Rescorer::new(vectors, query, k, accept);
        for candidate in &candidates {
            if rescorer.is_done_below(candidate.cosine()) {
                break;
            }
            offer(&mut rescorer, graph, candidate.row());
        }
        // A beam that is not full has visited all reachable rows.
        if rescorer.len() >= k || candidates.len() < width {
            break rescorer;
        }
        width = width.saturating_mul(WIDTH_GROWTH);
        if width > widest {
            return None;
        }
    };
    for row in graph.unreachable() {
        offer(&mut rescorer, graph, row);
    }
    let mut near = rescorer.into_sorted();
    near.extend(scan::nearest(
        vectors,
        covered..vectors.rows(),
        query,
        k,
        accept,
    ));
    near.sort_unstable_by_key(|near| Reverse(RowCandidate::new(near.cosine, near.row)));
    near.truncate(k);
    Some(near)
}

/// Offers a row of the graph and its duplicates.
fn offer(rescorer: &mut Rescorer, graph: &HnswGraph, row: u32) {
    if rescorer.offer(row) {
        // Duplicates are equal and in order: after a rejected one all others are rejected too.
        let _ = graph.duplicates(row).all(|row| rescorer.offer(row));
    }
}

/// Returns the `width` nearest rows of the graph, best first, by rough cosine.
fn descend(
    vectors: &Vectors,
    graph: &HnswGraph,
    query: &VectorQuery,
    width: usize,
) -> Vec<RowCandidate> {
    if graph.entry() >= graph.covered() {
        return Vec::new();
    }
    let measure = |rows: &[u32], cosines: &mut [f32]| {
        let rows = rows.iter().map(|row| vectors.row(*row));
        query.kernel.cosines(query.quantized(), rows, cosines);
    };
    let mut beam = Beam::new(graph.covered() as usize);
    let measured_entry = beam.measured([graph.entry()], measure).next();
    let entry = measured_entry.expect("it is one row");
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
    // Reachability is computed from the entry, so the search starts from both.
    let starts = [best].into_iter().chain((best != entry).then_some(entry));
    beam.search(starts, width, |row| graph.neighbours(0, row), measure)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use proptest::prelude::*;

    use super::super::super::writer::VectorWriter;
    use super::*;
    use crate::cache::vectors::tests::{MODEL, vector_file, vectors};

    fn graph(folder: &Path, vectors: &Vectors) -> HnswGraph {
        let graph = HnswGraph::build(vectors, &|_, _| true, 1, folder).unwrap();
        graph.verify().unwrap();
        assert_eq!(graph.covered(), vectors.rows());
        graph
    }

    /// Returns the recall of the graph relative to the scan, over many queries.
    fn recall(
        vectors: &Vectors,
        graph: &HnswGraph,
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

        /// If the beam holds all rows, all are visited, in any graph.
        #[test]
        fn matches_the_scan_for_few_rows(
            numbers in proptest::collection::vec((0u8..4, 0u8..4, 0u8..4), 1..MIN_WIDTH),
            asked in 0usize..MIN_WIDTH,
            k in 0usize..60,
            modulus in 1u32..5,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let wide = |(a, b, c): &(u8, u8, u8)| [*a, *b, *c].map(|x| f32::from(x) - 1.0).to_vec();
            let rows: Vec<_> = numbers.iter().map(wide).collect();
            let file = vector_file(dir.path(), 1, &rows);
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
    fn finds_nearly_what_the_scan_finds() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(1_500, 24, 1);
        let file = vector_file(dir.path(), 1, &all);
        let graph = graph(dir.path(), &file);
        assert!(graph.levels() > 0);
        let queries: Vec<_> = all.iter().step_by(31).cloned().collect();
        assert!(recall(&file, &graph, &queries, None) >= 0.99);
        let share = |share: u32| move |row: u32, _: u32| (row % 97).is_multiple_of(share);
        // Removed notes, and filters that accept many, some, few and no rows.
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
    fn leaves_narrow_filters_to_the_scan() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(1_500, 24, 1);
        let file = vector_file(dir.path(), 1, &all);
        let graph = graph(dir.path(), &file);
        let few = |row: u32, _: u32| row.is_multiple_of(150);
        let query = VectorQuery::new(&all[7]);
        assert_eq!(nearest(&file, &graph, &query, 10, Some(&few)), None);
        assert_eq!(
            file.nearest(&all[7], 10, Some(&few), Some(&graph)),
            file.nearest(&all[7], 10, Some(&few), None)
        );
    }

    #[test]
    fn finds_rows_added_after_the_build() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(1_000, 24, 2);
        let file = vector_file(dir.path(), 1, &all[..800]);
        graph(dir.path(), &file);
        let mut writer = VectorWriter::append(dir.path(), 1, 800, MODEL).unwrap();
        for (row, vector) in (800..).zip(&all[800..]) {
            writer.push(row, 0, vector);
        }
        let file = Vectors::open(dir.path(), 1, writer.finish().unwrap(), MODEL).unwrap();
        let graph = HnswGraph::open(dir.path(), &file).unwrap();
        assert_eq!((graph.covered(), file.rows()), (800, 1_000));
        let queries: Vec<_> = all.iter().step_by(40).cloned().collect();
        assert!(recall(&file, &graph, &queries, None) >= 0.99);
        for row in [0, 799, 800, 999] {
            let found = file.nearest(&all[row as usize], 1, None, Some(&graph));
            assert_eq!(found[0].row, row);
        }
    }

    #[test]
    fn never_returns_rows_removed_before_the_build() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(600, 24, 3);
        let file = vector_file(dir.path(), 1, &all);
        let alive = |row: u32, _: u32| row >= 300;
        let graph = HnswGraph::build(&file, &alive, 1, dir.path()).unwrap();
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
    fn equal_rows_hide_no_others() {
        let dir = tempfile::tempdir().unwrap();
        let mut all = vectors(400, 24, 4);
        for copy in 0..1_200 {
            all.insert(copy / 2, all[copy % 2].clone());
        }
        all.extend(vec![vec![0.0; 24]; 300]);
        let file = vector_file(dir.path(), 1, &all);
        let graph = graph(dir.path(), &file);
        for query in all.iter().step_by(13) {
            let exact = file.nearest(query, 20, None, None);
            let found = file.nearest(query, 20, None, Some(&graph));
            // Among equal rows the first ones are selected too.
            let is_zero = query.iter().all(|x| *x == 0.0);
            assert!(is_zero || found == exact, "{found:?} {exact:?}");
        }
        // Every row is equally near to a zero query.
        assert_eq!(file.nearest(&[0.0; 24], 7, None, Some(&graph)).len(), 7);
    }
}
