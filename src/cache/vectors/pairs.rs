//! Which notes are near which: the neighbours that jobs look for pairs among.
//!
//! For few notes, those that changed since a job's last success, every one is compared with all
//! others. When that would be too many pairs the notes are first sorted into lists of what is alike,
//! and each is compared with the notes of the lists nearest to it; what one finds counts for both.
//! That misses a few neighbours, seldom near ones: of 100,000 passages of real text, five in a hundred
//! above a cosine of 0.5, one in two hundred above 0.7, none above 0.9. Which way is taken depends on counts only; sums are
//! of whole numbers, so that the same notes and seed give the same neighbours on any machine.

use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSlice as _;

use super::best::{Key, Sieve};
use super::kernel::Kernel;
use super::lists::Lists;
use super::notes::NoteVectors;
use super::query::scale;

/// Pairs up to which all are compared, which takes about a second: all of 10,000 notes, or 1,000 of
/// 100,000.
const PAIRS: usize = 100_000_000;
/// Notes that are compared with the same block of others, one after the other.
const QUERIES: usize = 32;
/// Others in a block: what the fastest cache holds.
const BLOCK: usize = 64;

/// A note near another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearNote {
    /// Its slot.
    pub slot: u32,
    /// How near, up to 1.
    pub cosine: f32,
}

/// A note and those near it, nearest first, ties by slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbours {
    /// The note.
    pub slot: u32,
    /// Those near it.
    pub near: Vec<NearNote>,
}

/// Returns the `k` nearest others of each note of `of` whose cosine is `least` or more.
///
/// `of` is slots in ascending order; those that have no vector are left out of the answer. `seed` is
/// where sorting into lists begins.
#[must_use]
pub fn neighbours(
    notes: &NoteVectors,
    of: &[u32],
    k: usize,
    least: f32,
    seed: u64,
) -> Vec<Neighbours> {
    let places: Vec<u32> = of
        .iter()
        .filter_map(|slot| notes.slots().binary_search(slot).ok())
        .map(|place| place as u32)
        .collect();
    let search = Search {
        notes,
        kernel: Kernel::detect(),
        k,
        least,
    };
    let found = if k == 0 {
        vec![Vec::new(); places.len()]
    } else if places.len().saturating_mul(notes.len()) <= PAIRS {
        search.all(&places)
    } else {
        search.alike(&places, seed)
    };
    let slot = |place: u32| notes.slots()[place as usize];
    let near = |key: &Key| NearNote {
        slot: slot(key.row()),
        cosine: key.cosine(),
    };
    places
        .iter()
        .zip(found)
        .map(|(place, keys)| Neighbours {
            slot: slot(*place),
            near: keys.iter().map(near).collect(),
        })
        .collect()
}

/// What is looked for. Notes are known by their places.
struct Search<'n> {
    notes: &'n NoteVectors,
    kernel: Kernel,
    k: usize,
    least: f32,
}

impl Search<'_> {
    /// Compares each of `places` with all notes.
    fn all(&self, places: &[u32]) -> Vec<Vec<Key>> {
        let blocks = self.notes.rows().chunks(BLOCK * self.notes.stride());
        let found = places.par_chunks(QUERIES).flat_map_iter(|places| {
            let mut sieves: Vec<_> = places.iter().map(|_| Sieve::new(self.k)).collect();
            for (rows, start) in blocks.clone().zip((0..).step_by(BLOCK)) {
                for (place, sieve) in places.iter().zip(&mut sieves) {
                    self.compare(*place, rows, |row| start + row, sieve);
                }
            }
            sieves.into_iter().map(Sieve::into_best)
        });
        found.collect()
    }

    /// Compares each of `places` with the notes of the lists nearest to it.
    fn alike(&self, places: &[u32], seed: u64) -> Vec<Vec<Key>> {
        let lists = Lists::of(self.notes, self.kernel, seed);
        // Notes of one list are compared with the same lists.
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|at| (lists.home(places[*at]), places[*at]));
        let found: Vec<(usize, Sieve)> = order
            .into_par_iter()
            .map(|at| {
                let mut sieve = Sieve::new(self.k);
                for list in lists.near(places[at]) {
                    let (rows, members) = lists.list(*list);
                    self.compare(places[at], rows, |row| members[row as usize], &mut sieve);
                }
                (at, sieve)
            })
            .collect();
        self.shared(places, found)
    }

    /// Gives each what others found it near to, too.
    fn shared(&self, places: &[u32], found: Vec<(usize, Sieve)>) -> Vec<Vec<Key>> {
        let mut at = vec![usize::MAX; self.notes.len()];
        for (index, place) in places.iter().enumerate() {
            at[*place as usize] = index;
        }
        let mut best: Vec<Vec<Key>> = vec![Vec::new(); places.len()];
        for (index, sieve) in found {
            best[index] = sieve.into_best();
        }
        let mut returned: Vec<Vec<Key>> = vec![Vec::new(); places.len()];
        for (place, keys) in places.iter().zip(&best) {
            for key in keys {
                if let Some(other) = returned.get_mut(at[key.row() as usize]) {
                    other.push(Key::new(key.cosine(), *place));
                }
            }
        }
        let both = best.into_par_iter().zip(returned);
        both.map(|(mut keys, returned)| {
            keys.extend(returned);
            keys.sort_unstable_by(|a, b| b.cmp(a));
            keys.dedup();
            keys.truncate(self.k);
            keys
        })
        .collect()
    }

    /// Offers the notes of `rows`, whose places `place` says, to the sieve of the note `of`.
    fn compare(&self, of: u32, rows: &[u8], place: impl Fn(u32) -> u32, sieve: &mut Sieve) {
        let (numbers, rest) = self.notes.row(of as usize).split_at(self.notes.width());
        let mut cosines = [0.0; BLOCK];
        let stride = self.notes.stride();
        for (block, start) in rows.chunks(BLOCK * stride).zip((0..).step_by(BLOCK)) {
            let rows = block.chunks_exact(stride);
            let cosines = &mut cosines[..rows.len()];
            self.kernel.cosines(numbers, scale(rest), rows, cosines);
            for (cosine, row) in cosines.iter().zip(start..) {
                if *cosine >= self.least && place(row) != of {
                    sieve.offer(Key::new(*cosine, place(row)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::made::{self, vectors};
    use super::*;

    fn notes(rows: &[Vec<f32>]) -> NoteVectors {
        let dir = tempfile::tempdir().unwrap();
        let file = made::file(dir.path(), 1, rows);
        // Slots with holes, as in a vault from which notes were removed.
        NoteVectors::of(&file, (0..file.rows()).map(|row| (row * 3 + 1, row, 1)))
    }

    fn search(notes: &NoteVectors, k: usize, least: f32) -> Search<'_> {
        Search {
            notes,
            kernel: Kernel::detect(),
            k,
            least,
        }
    }

    /// Compares each pair on its own.
    fn compared(notes: &NoteVectors, of: &[u32], k: usize, least: f32) -> Vec<Neighbours> {
        let cosine = |a: usize, b: usize| {
            let (numbers, rest) = notes.row(a).split_at(notes.width());
            let mut cosine = [0.0];
            let other = std::iter::once(notes.row(b));
            Kernel::Portable.cosines(numbers, scale(rest), other, &mut cosine);
            cosine[0]
        };
        let place = |slot: &u32| notes.slots().iter().position(|other| other == slot);
        of.iter()
            .filter_map(place)
            .map(|a| {
                let others = (0..notes.len()).filter(|b| *b != a);
                let mut near: Vec<NearNote> = others
                    .map(|b| NearNote {
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
        fn few_are_compared_with_all(
            count in 1usize..200,
            seed: u64,
            every in 1usize..5,
            k in 0usize..20,
            least in -1.0f32..1.0,
        ) {
            let mut rows = vectors(count, 10, seed);
            rows[count / 2] = rows[0].clone();
            let notes = notes(&rows);
            // Some of these are of no note.
            let of: Vec<u32> = (0..=count as u32 * 3).step_by(every).collect();
            prop_assert_eq!(
                neighbours(&notes, &of, k, least, seed),
                compared(&notes, &of, k, least)
            );
        }
    }

    #[test]
    fn many_are_compared_with_what_is_alike() {
        let notes = notes(&vectors(1_200, 20, 1));
        let places: Vec<u32> = (0..1_200).collect();
        let search = search(&notes, 10, 0.5);
        let all = search.all(&places);
        let alike = search.alike(&places, 7);
        assert_eq!(alike, search.alike(&places, 7));
        let wanted: usize = all.iter().map(Vec::len).sum();
        let found = all.iter().zip(&alike);
        let found = found.map(|(all, alike)| all.iter().filter(|key| alike.contains(key)).count());
        let share = found.sum::<usize>() as f64 / wanted as f64;
        assert!(wanted > 8_000 && share > 0.97, "{share} of {wanted}");
        // Other lists, hardly other neighbours.
        let other = search.alike(&places, 8);
        let same = alike.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!(same > 1_000, "{same}");
        for (place, keys) in places.iter().zip(&alike) {
            assert!(keys.is_sorted_by(|a, b| a > b) && keys.len() <= 10);
            assert!(
                keys.iter()
                    .all(|key| key.row() != *place && key.cosine() >= 0.5)
            );
        }
    }

    #[test]
    fn a_part_is_compared_with_what_is_alike() {
        let notes = notes(&vectors(900, 20, 1));
        let places: Vec<u32> = (0..900).step_by(3).collect();
        let search = search(&notes, 5, 0.3);
        let (all, alike) = (search.all(&places), search.alike(&places, 0));
        let same = all
            .iter()
            .zip(&alike)
            .filter(|(all, alike)| all == alike)
            .count();
        assert!(same as f64 > 0.9 * places.len() as f64, "{same}");
    }

    #[test]
    fn lists_hold_each_note_once_and_equal_ones_together() {
        for (count, equal) in [(1, 1), (20, 20), (500, 100)] {
            let mut rows = vectors(count, 10, 3);
            for row in 1..equal {
                rows[row] = rows[0].clone();
            }
            let notes = notes(&rows);
            let lists = Lists::of(&notes, Kernel::detect(), u64::MAX);
            let mut held: Vec<u32> = Vec::new();
            for list in 0..lists.len() {
                let (rows, members) = lists.list(list);
                assert_eq!(rows.len(), members.len() * notes.stride());
                for (row, place) in rows.chunks(notes.stride()).zip(members) {
                    assert_eq!(row, notes.row(*place as usize));
                    assert_eq!(lists.home(*place), list);
                }
                held.extend(members);
            }
            held.sort_unstable();
            assert_eq!(held, (0..count as u32).collect::<Vec<_>>());
            assert!((0..equal as u32).all(|place| lists.home(place) == lists.home(0)));
        }
    }
}
