//! The building of the graph: `hnsw_rs` finds the levels and first neighbours, [`refine`] better ones,
//! which are then laid out flat.
//!
//! The library cannot serve a process that asks once, since it reads its whole file first; nor does
//! it know how to forget a row. So it is used for what takes long and is done seldom, with care: it
//! gets row numbers instead of vectors, distances that are never below 0, and none of its files; a
//! panic of it is caught, and there is no graph then.
//!
//! Equal rows would fill each other's lists until no path leads out, and a row that nobody has for a
//! neighbour cannot be found: the first of equal rows stands for all, and what cannot be reached is
//! listed, so that every row can be found.
//!
//! Threads insert side by side, in an order that is never the same twice. Two graphs over the same
//! rows differ and may give answers that differ in a few rows; one graph always gives the same.

use std::collections::HashMap;
use std::io::{BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use hnsw_rs::anndists::dist::Distance;
use hnsw_rs::hnsw::Hnsw;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::file::Vectors;
use super::graph::{Graph, Header, LEVELS, NONE, path};
use super::kernel::Kernel;
use super::query::scale;
use super::{Accept, VectorError, refine};
use crate::cache::step;
use crate::cache::text::caught;

/// How many neighbours a row gets, twice as many at level 0.
const NEIGHBOURS: usize = 8;
/// How many candidates are looked at for them. Few: it is only where the search for better ones begins,
/// which takes much less time for each.
const CANDIDATES: usize = 24;

impl Graph {
    /// Builds the graph over all rows of `vectors` that are `alive`, and puts it into `folder` in the
    /// place of an older one.
    ///
    /// `seed` is the order in which rows are added. Takes 1 ms of processor time and 2 KB of memory per
    /// row, and all threads of the pool it is called in. Without a row that is alive it is an
    /// error, as is a panic of the library.
    pub fn build(
        vectors: &Vectors,
        alive: Accept,
        seed: u64,
        folder: &Path,
    ) -> Result<Self, VectorError> {
        let path = path(folder, vectors.number());
        let failed = |reason: String| VectorError::Graph {
            path: path.clone(),
            reason,
        };
        let Distinct { mut rows, twins } = distinct(vectors, alive);
        if rows.is_empty() {
            return Err(failed("there is no row to build it over".to_owned()));
        }
        shuffle(&mut rows, seed);
        let layout = caught(|| {
            let between = Between {
                vectors,
                kernel: Kernel::detect(),
            };
            let hnsw = Hnsw::new(NEIGHBOURS, rows.len(), LEVELS + 1, CANDIDATES, between);
            // Each thread catches its own, so that none says a word.
            let insert = |row: &u32| caught(|| hnsw.insert((&[*row], *row as usize)));
            rows.par_iter().try_for_each(insert)?;
            Ok(Layout::of(&hnsw, vectors.rows()))
        });
        let mut layout = layout.and_then(|layout| layout).map_err(failed)?;
        layout.ground = refine::refined(vectors, layout.ground);
        let strays = layout.strays(&rows);
        layout.write(vectors, &twins, &strays, folder)?;
        Self::open(folder, vectors)
    }
}

/// How far apart two rows are.
struct Between<'v> {
    vectors: &'v Vectors,
    kernel: Kernel,
}

impl Distance<u32> for Between<'_> {
    fn eval(&self, a: &[u32], b: &[u32]) -> f32 {
        let (numbers, rest) = self.vectors.parts(a[0]);
        let other = std::iter::once(self.vectors.row(b[0]));
        let mut cosine = [0.0];
        self.kernel
            .cosines(numbers, scale(rest), other, &mut cosine);
        // Within its bounds it is no less than 0.
        1.0 - cosine[0]
    }
}

/// The rows to build over, and those that are equal to one of them.
struct Distinct {
    rows: Vec<u32>,
    /// One of `rows` and one equal to it, ascending.
    twins: Vec<(u32, u32)>,
}

fn distinct(vectors: &Vectors, alive: Accept) -> Distinct {
    let mut first: HashMap<u64, u32> = HashMap::new();
    let mut rows = Vec::new();
    let mut twins = Vec::new();
    for row in (0..vectors.rows()).filter(|row| alive(*row, vectors.slot(*row))) {
        let (numbers, _) = vectors.parts(row);
        let same = *first.entry(xxh3_64(numbers)).or_insert(row);
        if same != row && vectors.parts(same).0 == numbers {
            twins.push((same, row));
        } else {
            rows.push(row);
        }
    }
    twins.sort_unstable();
    Distinct { rows, twins }
}

/// Brings `rows` into an order that only `seed` decides: neighbours in a vault are neighbours in the
/// file, and a graph that grows along them has few long edges.
fn shuffle(rows: &mut [u32], seed: u64) {
    let mut state = seed;
    for last in (1..rows.len()).rev() {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let chosen = (u128::from(mixed ^ mixed >> 31) * (last as u128 + 1)) >> 64;
        rows.swap(last, chosen as usize);
    }
}

/// The neighbours of every row.
struct Layout {
    /// Those of each row at level 0.
    ground: Vec<Vec<u32>>,
    /// Rows and their lists, ascending, from the first level above 0.
    upper: Vec<Vec<(u32, Vec<u32>)>>,
    entry: u32,
}

impl Layout {
    fn of(hnsw: &Hnsw<u32, Between>, built: u32) -> Self {
        let mut ground = vec![Vec::new(); built as usize];
        let mut upper: Vec<Vec<(u32, Vec<u32>)>> = Vec::new();
        let points = hnsw.get_point_indexation();
        // Points are kept by the highest level they are in.
        for level in 0..=hnsw.get_max_level_observed() {
            upper.resize(level.into(), Vec::new());
            for point in points.get_layer_iterator(level.into()) {
                let row = point.get_origin_id() as u32;
                let mut lists = point.get_neighborhood_id().into_iter().map(|list| {
                    let rows = list.iter().map(|near| near.get_origin_id() as u32);
                    rows.filter(|near| *near != row).collect::<Vec<_>>()
                });
                ground[row as usize] = lists.next().unwrap_or_default();
                for (level, mut list) in upper.iter_mut().zip(lists) {
                    list.resize(NEIGHBOURS, NONE);
                    level.push((row, list));
                }
            }
        }
        for level in &mut upper {
            level.sort_unstable();
        }
        let top = points.get_layer_iterator(hnsw.get_max_level_observed().into());
        let entry = top.map(|point| point.get_origin_id() as u32).min();
        Self {
            ground,
            upper,
            entry: entry.unwrap_or(NONE),
        }
    }

    /// Returns those of `rows` that no path leads to from the entry, ascending.
    fn strays(&self, rows: &[u32]) -> Vec<u32> {
        let mut is_reached = vec![false; self.ground.len()];
        let mut open = vec![self.entry];
        is_reached[self.entry as usize] = true;
        while let Some(row) = open.pop() {
            for near in &self.ground[row as usize] {
                if !std::mem::replace(&mut is_reached[*near as usize], true) {
                    open.push(*near);
                }
            }
        }
        let mut strays: Vec<u32> = rows.to_vec();
        strays.retain(|row| !is_reached[*row as usize]);
        strays.sort_unstable();
        strays
    }

    /// Writes the graph under another name and then puts it in its place.
    fn write(
        &self,
        vectors: &Vectors,
        twins: &[(u32, u32)],
        strays: &[u32],
        folder: &Path,
    ) -> Result<(), VectorError> {
        let path = path(folder, vectors.number());
        let io = |source| VectorError::Io {
            path: path.clone(),
            source,
        };
        let upper = self.upper.iter().flat_map(|level| {
            let rows = level.iter().map(|(row, _)| *row);
            rows.chain(level.iter().flat_map(|(_, list)| list.iter().copied()))
        });
        let mut ground = 0u32;
        let mut starts = vec![ground];
        for list in &self.ground {
            let end = ground.checked_add(list.len() as u32);
            ground = end.ok_or_else(|| VectorError::Graph {
                path: path.clone(),
                reason: "there are too many neighbours for one file".to_owned(),
            })?;
            starts.push(ground);
        }
        let lists = self.ground.iter().flatten().copied();
        let numbers = starts.into_iter().chain(lists).chain(upper);
        let numbers = numbers.chain(twins.iter().flat_map(|(row, twin)| [*row, *twin]));
        let numbers = numbers.chain(strays.iter().copied());
        let mut body = Xxh3::new();
        let mut header = Header {
            number: vectors.number(),
            built: vectors.rows(),
            ground,
            upper: NEIGHBOURS as u32,
            levels: self.upper.iter().map(|level| level.len() as u32).collect(),
            twins: twins.len() as u32,
            strays: strays.len() as u32,
            entry: self.entry,
            tie: vectors.check(vectors.rows() - 1),
            body: 0,
        };
        let file = tempfile::Builder::new()
            .prefix("graph.")
            .tempfile_in(folder);
        let mut file = BufWriter::new(file.map_err(io)?);
        step(folder);
        let write = || {
            file.write_all(&header.encode())?;
            for number in numbers {
                body.update(&number.to_le_bytes());
                file.write_all(&number.to_le_bytes())?;
            }
            header.body = body.digest();
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header.encode())?;
            file.flush()
        };
        write().map_err(io)?;
        step(folder);
        let file = file.into_inner().map_err(|error| io(error.into_error()))?;
        file.persist(&path).map_err(|error| io(error.error))?;
        step(folder);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::made::{self, MODEL, vectors};
    use super::*;

    #[test]
    fn without_a_row_there_is_no_graph() {
        let dir = tempfile::tempdir().unwrap();
        let file = made::file(dir.path(), 1, &vectors(10, 24, 1));
        for rows in [0, 10] {
            let file = Vectors::open(dir.path(), 1, rows, MODEL).unwrap();
            let failed = Graph::build(&file, &|_, _| false, 1, dir.path()).unwrap_err();
            assert!(
                failed
                    .to_string()
                    .ends_with("there is no row to build it over")
            );
        }
        let one = Graph::build(&file, &|row, _| row == 3, 1, dir.path()).unwrap();
        let found = file.nearest(&vectors(10, 24, 1)[0], 5, None, Some(&one));
        assert_eq!(found.iter().map(|near| near.row).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn rows_that_make_no_sense_hurt_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(200, 24, 1);
        made::file(dir.path(), 1, &all);
        let place = dir.path().join("vectors.1");
        let mut bytes = fs::read(&place).unwrap();
        let scales = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1.0];
        for (row, scale) in scales.into_iter().cycle().enumerate().take(100) {
            let at = 64 + row * 56 + 32;
            bytes[at..at + 4].copy_from_slice(&scale.to_le_bytes());
        }
        fs::write(&place, bytes).unwrap();
        let file = Vectors::open(dir.path(), 1, 200, MODEL).unwrap();
        let graph = Graph::build(&file, &|_, _| true, 1, dir.path()).unwrap();
        for query in &all[150..] {
            assert_eq!(file.nearest(query, 10, None, Some(&graph)).len(), 10);
        }
    }

    #[test]
    fn what_nobody_leads_to_is_listed() {
        let ground = [vec![3], vec![0], vec![], vec![0], vec![1]].to_vec();
        let layout = Layout {
            ground,
            upper: Vec::new(),
            entry: 0,
        };
        // Row 2 is not part of the graph.
        assert_eq!(layout.strays(&[4, 3, 1, 0]), [1, 4]);
    }

    #[test]
    fn strays_and_twins_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let mut all = vectors(40, 24, 1);
        all[30] = all[7].clone();
        let file = made::file(dir.path(), 1, &all);
        let Distinct { rows, twins } = distinct(&file, &|_, _| true);
        assert_eq!((rows.len(), &twins[..]), (39, &[(7, 30)][..]));
        // Only rows 0 and 7 know of each other.
        let mut ground = vec![Vec::new(); 40];
        ground[0] = vec![7];
        let layout = Layout {
            ground,
            upper: vec![vec![(0, vec![NONE; NEIGHBOURS])]],
            entry: 0,
        };
        let strays = layout.strays(&rows);
        layout.write(&file, &twins, &strays, dir.path()).unwrap();
        let graph = Graph::open(dir.path(), &file).unwrap();
        graph.verify().unwrap();
        assert_eq!(graph.twins(7).collect::<Vec<_>>(), [30]);
        for (row, query) in all.iter().enumerate() {
            let found = file.nearest(query, 40, None, Some(&graph));
            assert_eq!(found, file.nearest(query, 40, None, None), "{row}");
        }
    }

    #[test]
    fn the_seed_is_the_order() {
        let shuffled = |seed| {
            let mut rows: Vec<u32> = (0..50).collect();
            shuffle(&mut rows, seed);
            rows
        };
        assert_eq!(shuffled(1), shuffled(1));
        assert_ne!(shuffled(1), shuffled(2));
        let mut sorted = shuffled(3);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn a_failed_build_leaves_the_older_graph() {
        let dir = tempfile::tempdir().unwrap();
        let file = made::file(dir.path(), 1, &vectors(20, 24, 1));
        Graph::build(&file, &|_, _| true, 1, dir.path()).unwrap();
        Graph::build(&file, &|_, _| false, 1, dir.path()).unwrap_err();
        Graph::open(dir.path(), &file).unwrap();
        let names = fs::read_dir(dir.path()).unwrap();
        assert_eq!(names.count(), 2);
    }
}
