//! Nearest neighbours among notes, from which jobs take pairs.
//!
//! A few notes, such as those changed since a job's last success, are each compared with all others. If that
//! were too many pairs, the notes are first sorted into inverted lists. Each is then compared with the notes
//! of its nearest lists, and a pair found by one counts for both.
//!
//! That misses a few neighbours, seldom near ones. Of 100,000 passages of real text it misses five in a
//! hundred above a cosine of 0.5, one in two hundred above 0.7, and none above 0.9. The choice of the method
//! depends on counts only, and sums are of integers: the same notes and seed give the same neighbours on any
//! machine.

use std::ops::Range;
use std::sync::OnceLock;

use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSlice as _;

use super::candidate::RowCandidate;
use super::ivf::InvertedLists;
use super::kernel::Kernel;
use super::note_vectors::NoteVectors;
use super::quantized::QuantizedTable;
use crate::cache::top_k::TopK;

/// Maximum number of pairs for exhaustive comparison, about one second: all of 10,000 notes, or 1,000 of
/// 100,000.
const MAX_EXACT_PAIRS: usize = 100_000_000;
/// Number of notes compared with the same block of others in turn.
const QUERIES_PER_BLOCK: usize = 32;
/// Notes in a block, sized for the L1 cache.
const BLOCK_NOTES: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeighbourSlot {
    pub slot: u32,
    /// At most 1.
    pub cosine: f32,
}

/// A note and its neighbours, nearest first, ties by slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbours {
    pub slot: u32,
    pub near: Vec<NeighbourSlot>,
}

/// The vectors of the notes to search; sorted into lists at most once.
#[derive(Debug)]
pub struct Neighbourhood {
    notes: NoteVectors,
    /// Seed of k-means.
    seed: u64,
    lists: OnceLock<InvertedLists>,
}

impl Neighbourhood {
    pub fn new(notes: NoteVectors, seed: u64) -> Self {
        Self {
            notes,
            seed,
            lists: OnceLock::new(),
        }
    }

    /// Returns the `k` nearest others of each note of `of` with a cosine of at least `least`.
    ///
    /// `of` is ascending; slots without a vector are missing from the result.
    pub fn neighbours(&self, of: &[u32], k: usize, least: f32) -> Vec<Neighbours> {
        let slots = self.notes.slots();
        let indexes: Vec<u32> = of
            .iter()
            .filter_map(|slot| slots.binary_search(slot).ok())
            .map(|index| index as u32)
            .collect();
        let search = Search {
            vectors: self.notes.vectors(),
            kernel: Kernel::detect(),
            k,
            least,
        };
        let found = if k == 0 {
            vec![Vec::new(); indexes.len()]
        } else if indexes.len().saturating_mul(slots.len()) <= MAX_EXACT_PAIRS {
            search.exact(&indexes)
        } else {
            let lists = || InvertedLists::build(search.vectors, search.kernel, self.seed);
            search.approximate(&indexes, self.lists.get_or_init(lists))
        };
        let near = |candidate: &RowCandidate| NeighbourSlot {
            slot: slots[candidate.row() as usize],
            cosine: candidate.cosine(),
        };
        indexes
            .iter()
            .zip(found)
            .map(|(index, candidates)| Neighbours {
                slot: slots[*index as usize],
                near: candidates.iter().map(near).collect(),
            })
            .collect()
    }
}

/// A search among vectors, identified by index.
struct Search<'v> {
    vectors: &'v QuantizedTable,
    kernel: Kernel,
    k: usize,
    least: f32,
}

impl Search<'_> {
    /// Compares each of `indexes` with all vectors.
    fn exact(&self, indexes: &[u32]) -> Vec<Vec<RowCandidate>> {
        let count = self.vectors.len();
        let found = indexes
            .par_chunks(QUERIES_PER_BLOCK)
            .flat_map_iter(|queries| {
                let mut best: Vec<_> = queries.iter().map(|_| TopK::new(self.k)).collect();
                for start in (0..count).step_by(BLOCK_NOTES) {
                    let block = start..count.min(start + BLOCK_NOTES);
                    for (query, best) in queries.iter().zip(&mut best) {
                        self.compare(*query, self.vectors, block.clone(), |i| i as u32, best);
                    }
                }
                best.into_iter().map(TopK::into_sorted)
            });
        found.collect()
    }

    /// Compares each of `indexes` with the vectors of its nearest lists.
    fn approximate(&self, indexes: &[u32], lists: &InvertedLists) -> Vec<Vec<RowCandidate>> {
        let members = lists.members();
        // Members of one list are compared with the same lists.
        let mut order: Vec<usize> = (0..indexes.len()).collect();
        order.sort_by_key(|at| (lists.home(indexes[*at]), indexes[*at]));
        let probed: Vec<(usize, Vec<RowCandidate>)> = order
            .into_par_iter()
            .map(|at| {
                let mut best = TopK::new(self.k);
                for list in lists.probes(indexes[at]) {
                    let list = lists.list(*list);
                    self.compare(
                        indexes[at],
                        lists.vectors(),
                        list,
                        |i| members[i],
                        &mut best,
                    );
                }
                (at, best.into_sorted())
            })
            .collect();
        let mut found = vec![Vec::new(); indexes.len()];
        for (at, best) in probed {
            found[at] = best;
        }
        self.symmetric(indexes, found)
    }

    /// Adds each found pair to both of its notes.
    fn symmetric(&self, indexes: &[u32], found: Vec<Vec<RowCandidate>>) -> Vec<Vec<RowCandidate>> {
        let mut at = vec![usize::MAX; self.vectors.len()];
        for (position, index) in indexes.iter().enumerate() {
            at[*index as usize] = position;
        }
        let mut returned: Vec<Vec<RowCandidate>> = vec![Vec::new(); indexes.len()];
        for (index, candidates) in indexes.iter().zip(&found) {
            for candidate in candidates {
                if let Some(other) = returned.get_mut(at[candidate.row() as usize]) {
                    other.push(RowCandidate::new(candidate.cosine(), *index));
                }
            }
        }
        let both = found.into_par_iter().zip(returned);
        both.map(|(mut candidates, returned)| {
            candidates.extend(returned);
            candidates.sort_unstable_by(|a, b| b.cmp(a));
            candidates.dedup();
            candidates.truncate(self.k);
            candidates
        })
        .collect()
    }

    /// Offers the vectors of `range` in `table`, whose indexes are in `index`, as neighbours of `query`.
    fn compare(
        &self,
        query: u32,
        table: &QuantizedTable,
        range: Range<usize>,
        index: impl Fn(usize) -> u32,
        best: &mut TopK<RowCandidate>,
    ) {
        let vector = self.vectors.get(query as usize);
        let mut cosines = [0.0; BLOCK_NOTES];
        for start in range.clone().step_by(BLOCK_NOTES) {
            let block = start..range.end.min(start + BLOCK_NOTES);
            self.kernel
                .cosines(vector, table.range(block.clone()), &mut cosines);
            for (cosine, at) in cosines.iter().zip(block) {
                if *cosine >= self.least && index(at) != query {
                    best.offer(RowCandidate::new(*cosine, index(at)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cache::vectors::tests::{vector_file, vectors};

    fn notes(rows: &[Vec<f32>]) -> NoteVectors {
        let dir = tempfile::tempdir().unwrap();
        let file = vector_file(dir.path(), 1, rows);
        // Slots with gaps, as after removals.
        NoteVectors::of(&file, (0..file.rows()).map(|row| (row * 3 + 1, row, 1)))
    }

    fn search(notes: &NoteVectors, k: usize, least: f32) -> Search<'_> {
        Search {
            vectors: notes.vectors(),
            kernel: Kernel::detect(),
            k,
            least,
        }
    }

    /// Reference: compares every pair.
    fn compared(notes: &NoteVectors, of: &[u32], k: usize, least: f32) -> Vec<Neighbours> {
        let vectors = notes.vectors();
        let cosine = |a: usize, b: usize| Kernel::Portable.cosine(vectors.get(a), vectors.get(b));
        let index = |slot: &u32| notes.slots().iter().position(|other| other == slot);
        of.iter()
            .filter_map(index)
            .map(|a| {
                let others = (0..notes.slots().len()).filter(|b| *b != a);
                let mut near: Vec<NeighbourSlot> = others
                    .map(|b| NeighbourSlot {
                        slot: notes.slots()[b],
                        cosine: cosine(a, b),
                    })
                    .filter(|near| near.cosine >= least)
                    .collect();
                near.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.slot.cmp(&b.slot)));
                near.truncate(k);
                Neighbours {
                    slot: notes.slots()[a],
                    near,
                }
            })
            .collect()
    }

    proptest! {
        #[test]
        fn compares_few_notes_with_all(
            count in 1usize..200,
            seed: u64,
            every in 1usize..5,
            k in 0usize..20,
            least in -1.0f32..1.0,
        ) {
            let mut rows = vectors(count, 10, seed);
            rows[count / 2] = rows[0].clone();
            let notes = notes(&rows);
            // Some of these slots belong to no note.
            let of: Vec<u32> = (0..=count as u32 * 3).step_by(every).collect();
            prop_assert_eq!(
                compared(&notes, &of, k, least),
                Neighbourhood::new(notes, seed).neighbours(&of, k, least)
            );
        }
    }

    #[test]
    fn the_approximate_search_finds_nearly_all() {
        let notes = notes(&vectors(1_200, 20, 1));
        let indexes: Vec<u32> = (0..1_200).collect();
        let search = search(&notes, 10, 0.5);
        let exact = search.exact(&indexes);
        let sorted = |seed| InvertedLists::build(notes.vectors(), search.kernel, seed);
        let approximate = search.approximate(&indexes, &sorted(7));
        assert_eq!(approximate, search.approximate(&indexes, &sorted(7)));
        let wanted: usize = exact.iter().map(Vec::len).sum();
        let both = exact.iter().zip(&approximate);
        let found =
            both.map(|(exact, found)| exact.iter().filter(|near| found.contains(near)).count());
        let share = found.sum::<usize>() as f64 / wanted as f64;
        assert!(wanted > 8_000 && share > 0.97, "{share} of {wanted}");
        // Other lists give nearly the same neighbours.
        let other = search.approximate(&indexes, &sorted(8));
        let same = approximate.iter().zip(&other).filter(|(a, b)| a == b);
        assert!(same.count() > 1_000);
        for (index, near) in indexes.iter().zip(&approximate) {
            assert!(near.is_sorted_by(|a, b| a > b) && near.len() <= 10);
            assert!(
                near.iter()
                    .all(|near| near.row() != *index && near.cosine() >= 0.5)
            );
        }
    }

    #[test]
    fn the_approximate_search_of_a_part_finds_nearly_all() {
        let notes = notes(&vectors(900, 20, 1));
        let indexes: Vec<u32> = (0..900).step_by(3).collect();
        let search = search(&notes, 5, 0.3);
        let lists = InvertedLists::build(notes.vectors(), search.kernel, 0);
        let (exact, approximate) = (search.exact(&indexes), search.approximate(&indexes, &lists));
        let same = exact
            .iter()
            .zip(&approximate)
            .filter(|(a, b)| a == b)
            .count();
        assert!(same as f64 > 0.9 * indexes.len() as f64, "{same}");
    }

    #[test]
    fn lists_hold_each_note_once_and_equal_ones_together() {
        for (count, equal) in [(1, 1), (20, 20), (500, 100)] {
            let mut rows = vectors(count, 10, 3);
            for row in 1..equal {
                rows[row] = rows[0].clone();
            }
            let notes = notes(&rows);
            let lists = InvertedLists::build(notes.vectors(), Kernel::detect(), u64::MAX);
            let mut held: Vec<u32> = Vec::new();
            for list in 0..lists.len() {
                for at in lists.list(list) {
                    let index = lists.members()[at];
                    assert_eq!(lists.vectors().get(at), notes.vectors().get(index as usize));
                    assert_eq!(lists.home(index), list);
                    held.push(index);
                }
            }
            held.sort_unstable();
            assert_eq!(held, (0..count as u32).collect::<Vec<_>>());
            assert!((0..equal as u32).all(|index| lists.home(index) == lists.home(0)));
        }
    }
}
