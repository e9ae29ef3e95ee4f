//! The search for better neighbours, once there is a graph that leads about the right way.
//!
//! The library that makes the first graph drops the farthest neighbour when a list is full. A row that
//! is not among the nearest of anybody, of which there are many where texts are made of the same few
//! parts, ends up in no list or in one: nearly all of what a search missed was such rows, each of them
//! far from all that stands near the question, too. So here
//!
//! * each row looks for its own nearest, and of these takes those that are nearer to it than to one
//!   taken before: that one leads to the others;
//! * whom it took hears of it, and chooses again in the same way among all it heard of;
//! * whom it does not take, it tells to the one that stands before them, which chooses again in turn.
//!
//! So whoever is not in a list is led to from one that is: no row is forgotten by all. Every pass makes
//! the lists afresh out of those of the pass before, and gives the same for the same, whatever the
//! number of threads.

use rayon::iter::{IntoParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};

use super::best::Key;
use super::file::Vectors;
use super::kernel::Kernel;
use super::query::scale;
use super::walk::Beam;

/// How many of its nearest each row looks at, in each pass: what the first finds makes the second find
/// more.
const PASSES: [usize; 2] = [64, 128];
/// How many neighbours a row has at most. Most have a tenth of it.
const MOST: usize = 128;
/// How often rows choose again after they heard of each other; the last time nobody is told.
const ROUNDS: usize = 4;
/// About how many rows a row looks at for each of its nearest.
const LINKS: usize = 32;

/// Returns better neighbours of each row than `lists` has, nearest first; a row without any gets none.
pub(super) fn refined(vectors: &Vectors, lists: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let rows = Rows {
        vectors,
        kernel: Kernel::detect(),
    };
    PASSES.into_iter().fold(lists, |lists, nearest| {
        let taken = rows.taken(&lists, nearest);
        drop(lists);
        let lists = rows.agreed(taken);
        let rows = |list: Vec<Key>| list.into_iter().map(Key::row).collect();
        lists.into_iter().map(rows).collect()
    })
}

/// A choice among rows that are near to one.
#[derive(Default)]
struct Choice {
    /// Those that were taken, nearest first.
    taken: Vec<Key>,
    /// The one that stands before each of the others, and the other, as near as it is to that one.
    told: Vec<(u32, Key)>,
}

struct Rows<'v> {
    vectors: &'v Vectors,
    kernel: Kernel,
}

impl Rows<'_> {
    /// Writes how near each of `others` is to `row`.
    fn measure(&self, row: u32, others: &[u32], cosines: &mut [f32]) {
        let (numbers, rest) = self.vectors.parts(row);
        let others = others.iter().map(|other| self.vectors.row(*other));
        self.kernel.cosines(numbers, scale(rest), others, cosines);
    }

    /// Returns what each row takes of its `nearest`, which it finds by way of `lists`.
    fn taken(&self, lists: &[Vec<u32>], nearest: usize) -> Vec<Vec<Key>> {
        let all = (0..lists.len() as u32).into_par_iter();
        let taken = all.map_init(
            || Beam::new(nearest * LINKS),
            |beam, row| {
                if lists[row as usize].is_empty() {
                    return Vec::new();
                }
                let near = beam.nearest(
                    [Key::new(1.0, row)],
                    nearest,
                    |row| lists[row as usize].iter().copied(),
                    |others, cosines| self.measure(row, others, cosines),
                );
                self.choice(near.into_iter().filter(|key| key.row() != row))
                    .taken
            },
        );
        taken.collect()
    }

    /// Chooses among rows that are near to one, given nearest first.
    fn choice(&self, near: impl IntoIterator<Item = Key>) -> Choice {
        let mut choice = Choice::default();
        let (mut rows, mut cosines) = (Vec::new(), Vec::new());
        for key in near {
            cosines.resize(rows.len(), 0.0);
            self.measure(key.row(), &rows, &mut cosines);
            let before = rows.iter().zip(&cosines).max_by(|a, b| a.1.total_cmp(b.1));
            match before {
                // Of two that are as near none stands before the other, or each might tell the other.
                Some((before, cosine)) if *cosine > key.cosine() => {
                    choice.told.push((*before, Key::new(*cosine, key.row())));
                }
                _ if rows.len() < MOST => {
                    rows.push(key.row());
                    choice.taken.push(key);
                }
                _ => {}
            }
        }
        choice
    }

    /// Lets all rows choose among those they took and those they hear of, and tell of the others.
    fn agreed(&self, taken: Vec<Vec<Key>>) -> Vec<Vec<Key>> {
        let mut lists = vec![Vec::new(); taken.len()];
        for (row, list) in (0..).zip(&taken) {
            for key in list {
                lists[key.row() as usize].push(Key::new(key.cosine(), row));
            }
        }
        for (list, taken) in lists.iter_mut().zip(taken) {
            list.extend(taken);
        }
        let mut waiting: Vec<u32> = (0..lists.len() as u32).collect();
        for round in 1..=ROUNDS {
            let choices: Vec<Choice> = waiting
                .par_iter()
                .map(|row| {
                    let mut near = lists[*row as usize].clone();
                    near.sort_unstable_by(|a, b| b.cmp(a));
                    near.dedup();
                    self.choice(near)
                })
                .collect();
            let mut told = Vec::new();
            for (row, choice) in waiting.drain(..).zip(choices) {
                lists[row as usize] = choice.taken;
                told.extend(choice.told);
            }
            if round < ROUNDS {
                for (row, key) in told {
                    let list = &mut lists[row as usize];
                    if !list.contains(&key) {
                        list.push(key);
                        waiting.push(row);
                    }
                }
                waiting.sort_unstable();
                waiting.dedup();
            }
        }
        lists
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{self, vectors};
    use super::*;

    const ROWS: u32 = 400;

    /// Calls `check` with the lists that come of each row knowing but the next; the last five are not
    /// in the graph.
    fn with_lists(check: impl FnOnce(&Rows, &[Vec<u32>])) {
        let dir = tempfile::tempdir().unwrap();
        let file = made::file(dir.path(), 1, &vectors(ROWS as usize + 5, 24, 5));
        let ring = (0..ROWS).map(|row| vec![(row + 1) % ROWS]);
        let lists: Vec<_> = ring.chain(vec![Vec::new(); 5]).collect();
        let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let refined = refined(&file, lists.clone());
        assert_eq!(
            threads.unwrap().install(|| super::refined(&file, lists)),
            refined
        );
        let rows = Rows {
            vectors: &file,
            kernel: Kernel::detect(),
        };
        check(&rows, &refined);
    }

    fn cosine(rows: &Rows, a: u32, b: u32) -> f32 {
        let mut cosine = [0.0];
        rows.measure(a, &[b], &mut cosine);
        cosine[0]
    }

    #[test]
    fn each_neighbour_is_nearer_to_the_row_than_to_those_before_it() {
        with_lists(|rows, lists| {
            for (row, list) in (0..).zip(lists) {
                assert_eq!(list.is_empty(), row >= ROWS, "{row}");
                assert!(list.len() <= MOST && !list.contains(&row), "{list:?}");
                for (place, near) in list.iter().enumerate() {
                    let own = cosine(rows, row, *near);
                    for before in &list[..place] {
                        assert!(cosine(rows, row, *before) >= own, "{row} {near}");
                        assert!(cosine(rows, *before, *near) <= own, "{row} {near}");
                    }
                }
            }
        });
    }

    #[test]
    fn from_any_row_each_is_found_by_few_steps_that_all_lead_nearer() {
        with_lists(|rows, lists| {
            let mut found = 0;
            for to in 0..ROWS {
                let mut at = to * 31 % ROWS;
                while at != to {
                    let near = lists[at as usize].iter().copied();
                    let next =
                        near.max_by(|a, b| cosine(rows, to, *a).total_cmp(&cosine(rows, to, *b)));
                    let next = next.unwrap();
                    if cosine(rows, to, next) <= cosine(rows, to, at) {
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
    fn who_is_not_taken_is_told_to_the_one_before() {
        let dir = tempfile::tempdir().unwrap();
        // Row 0 is near to 1 and 2, which are nearer to each other; 3 stands on the other side.
        let rows = [
            [1.0, 0.0, 0.0],
            [0.8, 0.6, 0.0],
            [0.7, 0.7, 0.1],
            [0.8, -0.6, 0.0],
        ];
        let file = made::file(dir.path(), 1, &rows.map(Vec::from));
        let rows = Rows {
            vectors: &file,
            kernel: Kernel::detect(),
        };
        let key = |of: u32, row: u32| Key::new(cosine(&rows, of, row), row);
        let mut near = [1, 2, 3].map(|row| key(0, row));
        near.sort_unstable_by(|a, b| b.cmp(a));
        let mut choice = rows.choice(near);
        choice.taken.sort_unstable_by_key(|key| key.row());
        assert_eq!(choice.taken, [key(0, 1), key(0, 3)]);
        assert_eq!(choice.told, [(1, key(1, 2))]);
    }
}
