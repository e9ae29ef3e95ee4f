//! Improves the neighbour lists of an approximate graph: pruning by the relative neighbourhood rule, and
//! reverse edges.
//!
//! `hnsw_rs` drops the farthest neighbour when a list is full. A row that is not among the nearest of any
//! other row ends up in one list or none. Such rows are frequent where texts share the same few parts, and
//! nearly all missed results were such rows. Therefore
//!
//! * each row searches for its nearest rows, and keeps every one that is nearer to it than to any kept
//!   before, since it leads to the others;
//! * each kept neighbour gets a reverse edge, and prunes again by the same rule;
//! * each pruned neighbour is handed over to the row that pruned it, which prunes again.
//!
//! So every pruned row stays reachable through a row in the list: no row is lost. Each pass builds new lists
//! from those of the previous pass. The result is deterministic, regardless of the number of threads.

use rayon::iter::{IntoParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};

use super::super::candidate::RowCandidate;
use super::super::file::Vectors;
use super::super::kernel::Kernel;
use super::beam::Beam;

/// Beam width of each pass; the first makes the second more accurate.
const BEAM_WIDTHS: [usize; 2] = [64, 128];
/// Maximum number of neighbours per row. Most rows have a tenth of it.
const MAX_NEIGHBOURS: usize = 128;
/// Number of times that rows prune after new edges; the last time nothing is handed over.
const MAX_ROUNDS: usize = 4;

/// Returns improved neighbour lists, nearest first; a row without neighbours keeps none.
pub(super) fn pruned(vectors: &Vectors, lists: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let pruner = Pruner {
        vectors,
        kernel: Kernel::detect(),
    };
    BEAM_WIDTHS.into_iter().fold(lists, |lists, width| {
        let kept = pruner.nearest_kept(&lists, width);
        drop(lists);
        let rows = |list: Vec<RowCandidate>| list.into_iter().map(RowCandidate::row).collect();
        pruner
            .with_reverse_edges(kept)
            .into_iter()
            .map(rows)
            .collect()
    })
}

#[derive(Default)]
struct PruneResult {
    /// Nearest first.
    kept: Vec<RowCandidate>,
    /// For each pruned neighbour: the neighbour that pruned it, and the pruned one with its cosine to that.
    handed_over: Vec<(u32, RowCandidate)>,
}

struct Pruner<'v> {
    vectors: &'v Vectors,
    kernel: Kernel,
}

impl Pruner<'_> {
    /// Writes the cosines of `others` with `row`.
    fn measure(&self, row: u32, others: &[u32], cosines: &mut [f32]) {
        let others = others.iter().map(|other| self.vectors.raw_row(*other));
        self.kernel
            .cosines(self.vectors.raw_row(row), others, cosines);
    }

    /// Returns the pruned nearest rows of each row, found through `lists`.
    fn nearest_kept(&self, lists: &[Vec<u32>], width: usize) -> Vec<Vec<RowCandidate>> {
        let all = (0..lists.len() as u32).into_par_iter();
        let kept = all.map_init(
            || Beam::new(lists.len()),
            |beam, row| {
                if lists[row as usize].is_empty() {
                    return Vec::new();
                }
                let near = beam.search(
                    [RowCandidate::new(1.0, row)],
                    width,
                    |row| lists[row as usize].iter().copied(),
                    |others, cosines| self.measure(row, others, cosines),
                );
                self.prune(near.into_iter().filter(|near| near.row() != row))
                    .kept
            },
        );
        kept.collect()
    }

    /// Prunes the neighbours of a row, sorted nearest first.
    fn prune(&self, near: impl IntoIterator<Item = RowCandidate>) -> PruneResult {
        let mut pruned = PruneResult::default();
        let (mut rows, mut cosines) = (Vec::new(), Vec::new());
        for candidate in near {
            cosines.resize(rows.len(), 0.0);
            self.measure(candidate.row(), &rows, &mut cosines);
            let nearest = rows.iter().zip(&cosines).max_by(|a, b| a.1.total_cmp(b.1));
            match nearest {
                // Of two equally near rows neither prunes the other, since each could hand over the other.
                Some((nearest, cosine)) if *cosine > candidate.cosine() => {
                    let other = RowCandidate::new(*cosine, candidate.row());
                    pruned.handed_over.push((*nearest, other));
                }
                _ if rows.len() < MAX_NEIGHBOURS => {
                    rows.push(candidate.row());
                    pruned.kept.push(candidate);
                }
                _ => {}
            }
        }
        pruned
    }

    /// Adds reverse edges and prunes, until nothing is handed over or after [`MAX_ROUNDS`].
    fn with_reverse_edges(&self, kept: Vec<Vec<RowCandidate>>) -> Vec<Vec<RowCandidate>> {
        let mut lists = vec![Vec::new(); kept.len()];
        for (row, list) in (0..).zip(&kept) {
            for near in list {
                lists[near.row() as usize].push(RowCandidate::new(near.cosine(), row));
            }
        }
        for (list, kept) in lists.iter_mut().zip(kept) {
            list.extend(kept);
        }
        let mut changed: Vec<u32> = (0..lists.len() as u32).collect();
        for _ in 1..MAX_ROUNDS {
            let handed_over = self.prune_again(&mut lists, &changed);
            changed.clear();
            for (row, near) in handed_over {
                let list = &mut lists[row as usize];
                if !list.contains(&near) {
                    list.push(near);
                    changed.push(row);
                }
            }
            changed.sort_unstable();
            changed.dedup();
        }
        self.prune_again(&mut lists, &changed);
        lists
    }

    /// Prunes the lists of `changed` and returns the rows handed over to each row.
    fn prune_again(
        &self,
        lists: &mut [Vec<RowCandidate>],
        changed: &[u32],
    ) -> Vec<(u32, RowCandidate)> {
        let prune = |row: &u32| {
            let mut near = lists[*row as usize].clone();
            near.sort_unstable_by(|a, b| b.cmp(a));
            near.dedup();
            self.prune(near)
        };
        let all: Vec<PruneResult> = changed.par_iter().map(prune).collect();
        let mut handed_over = Vec::new();
        for (row, pruned) in changed.iter().zip(all) {
            lists[*row as usize] = pruned.kept;
            handed_over.extend(pruned.handed_over);
        }
        handed_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::vectors::tests::{vector_file, vectors};

    const ROWS: u32 = 400;

    /// Calls `check` with the lists of a graph where each row only links to the next. The last five rows are
    /// not in the graph.
    fn with_lists(check: impl FnOnce(&Pruner, &[Vec<u32>])) {
        let dir = tempfile::tempdir().unwrap();
        let file = vector_file(dir.path(), 1, &vectors(ROWS as usize + 5, 24, 5));
        let ring = (0..ROWS).map(|row| vec![(row + 1) % ROWS]);
        let lists: Vec<_> = ring.chain(vec![Vec::new(); 5]).collect();
        let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let result = pruned(&file, lists.clone());
        assert_eq!(threads.unwrap().install(|| pruned(&file, lists)), result);
        let pruner = Pruner {
            vectors: &file,
            kernel: Kernel::detect(),
        };
        check(&pruner, &result);
    }

    fn cosine(pruner: &Pruner, a: u32, b: u32) -> f32 {
        let mut cosine = [0.0];
        pruner.measure(a, &[b], &mut cosine);
        cosine[0]
    }

    #[test]
    fn each_neighbour_is_nearer_to_the_row_than_to_those_before_it() {
        with_lists(|pruner, lists| {
            for (row, list) in (0..).zip(lists) {
                assert_eq!(list.is_empty(), row >= ROWS, "{row}");
                assert!(
                    list.len() <= MAX_NEIGHBOURS && !list.contains(&row),
                    "{list:?}"
                );
                for (at, near) in list.iter().enumerate() {
                    let own = cosine(pruner, row, *near);
                    for before in &list[..at] {
                        assert!(cosine(pruner, row, *before) >= own, "{row} {near}");
                        assert!(cosine(pruner, *before, *near) <= own, "{row} {near}");
                    }
                }
            }
        });
    }

    #[test]
    fn every_row_is_reachable_greedily() {
        with_lists(|pruner, lists| {
            let mut found = 0;
            for to in 0..ROWS {
                let mut at = to * 31 % ROWS;
                while at != to {
                    let near = lists[at as usize].iter().copied();
                    let next = near
                        .max_by(|a, b| cosine(pruner, to, *a).total_cmp(&cosine(pruner, to, *b)))
                        .unwrap();
                    if cosine(pruner, to, next) <= cosine(pruner, to, at) {
                        break;
                    }
                    at = next;
                }
                found += u32::from(at == to);
            }
            assert!(found >= ROWS * 99 / 100, "{found}");
        });
    }

    #[test]
    fn pruned_rows_are_handed_over() {
        let dir = tempfile::tempdir().unwrap();
        // Row 0 is near to 1 and 2, which are nearer to each other; 3 is on the other side.
        let rows = [
            [1.0, 0.0, 0.0],
            [0.8, 0.6, 0.0],
            [0.7, 0.7, 0.1],
            [0.8, -0.6, 0.0],
        ];
        let file = vector_file(dir.path(), 1, &rows.map(Vec::from));
        let pruner = Pruner {
            vectors: &file,
            kernel: Kernel::detect(),
        };
        let near = |of: u32, row: u32| RowCandidate::new(cosine(&pruner, of, row), row);
        let mut list = [1, 2, 3].map(|row| near(0, row));
        list.sort_unstable_by(|a, b| b.cmp(a));
        let PruneResult {
            mut kept,
            handed_over,
        } = pruner.prune(list);
        kept.sort_unstable_by_key(|near| near.row());
        assert_eq!(kept, [near(0, 1), near(0, 3)]);
        assert_eq!(handed_over, [(1, near(1, 2))]);
    }
}
