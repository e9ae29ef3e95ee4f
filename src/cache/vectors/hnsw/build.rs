//! Builds the graph: `hnsw_rs` assigns levels and first neighbours, [`prune`] improves them, and the result
//! is written flat.
//!
//! The library is unsuitable for a process that searches once, since it loads its whole file; it cannot
//! delete rows either. It is therefore used only for the slow and rare build, with precautions. It gets row
//! numbers instead of vectors, and distances are never negative. Its files are not used. A panic is caught
//! and leaves no graph.
//!
//! Equal rows would fill each other's lists until no path leads out, and a row in no list cannot be found.
//! Therefore the first of equal rows represents its duplicates, and unreachable rows are listed, so that
//! every row can be found.
//!
//! Threads insert concurrently, in an order that varies. Two graphs over the same rows differ and can give
//! slightly different answers; one graph always gives the same.

use std::collections::HashMap;
use std::io::{BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use hnsw_rs::anndists::dist::Distance;
use hnsw_rs::hnsw::Hnsw;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};
use zerocopy::IntoBytes as _;

use super::super::file::Vectors;
use super::super::kernel::Kernel;
use super::super::{Accept, Result, VectorError};
use super::graph::{GraphHeader, HnswGraph, MAX_LEVELS, NONE, path};
use super::prune;
use crate::cache::failpoint;
use crate::cache::panics::catch;

/// Neighbours per row (`M`); twice as many at level 0.
const NEIGHBOURS_PER_ROW: usize = 8;
/// `ef_construction`. Small, since pruning starts from the result and takes much less time per row.
const EF_CONSTRUCTION: usize = 24;

impl HnswGraph {
    /// Builds the graph over all rows of `vectors` that are `alive`, and stores it in `folder`, replacing an
    /// older one.
    ///
    /// `seed` decides the insertion order. Takes 1 ms of processor time and 2 KB of memory per row, on all
    /// threads of the current pool. Fails without living rows, and if the library panics.
    pub fn build(vectors: &Vectors, alive: Accept, seed: u64, folder: &Path) -> Result<Self> {
        let path = path(folder, vectors.number());
        let failed =
            |reason: String| VectorError::unusable(&path, format!("is not built: {reason}"));
        vectors.verify()?;
        let (mut rows, duplicates) = distinct(vectors, alive);
        if rows.is_empty() {
            return Err(failed("no rows to build it from".to_owned()));
        }
        shuffle(&mut rows, seed);
        let layout = catch(|| {
            let distance = RowDistance {
                vectors,
                kernel: Kernel::detect(),
            };
            let hnsw = Hnsw::new(
                NEIGHBOURS_PER_ROW,
                rows.len(),
                MAX_LEVELS + 1,
                EF_CONSTRUCTION,
                distance,
            );
            // Each thread catches its own panics, so that none is printed.
            let insert = |row: &u32| catch(|| hnsw.insert((&[*row], *row as usize)));
            rows.par_iter().try_for_each(insert)?;
            Ok(Layout::of(&hnsw, vectors.rows()))
        });
        let mut layout = layout.flatten().map_err(failed)?;
        layout.base = prune::pruned(vectors, layout.base);
        let unreachable = layout.unreachable(&rows);
        layout.write(vectors, &duplicates, &unreachable, folder)?;
        Self::open(folder, vectors)
    }
}

struct RowDistance<'v> {
    vectors: &'v Vectors,
    kernel: Kernel,
}

impl Distance<u32> for RowDistance<'_> {
    fn eval(&self, a: &[u32], b: &[u32]) -> f32 {
        let [a, b] = [a[0], b[0]].map(|row| self.vectors.raw_row(row));
        // A cosine is at most 1, so this is never negative.
        1.0 - self.kernel.cosine(a, b)
    }
}

/// Returns the distinct rows, and each duplicate with the row equal to it, ascending.
fn distinct(vectors: &Vectors, alive: Accept) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut first: HashMap<u64, u32> = HashMap::new();
    let (mut rows, mut duplicates) = (Vec::new(), Vec::new());
    for row in (0..vectors.rows()).filter(|row| alive(*row, vectors.slot(*row))) {
        let components = vectors.raw_row(row).components;
        let same = *first.entry(xxh3_64(components.as_bytes())).or_insert(row);
        if same != row && vectors.raw_row(same).components == components {
            duplicates.push((same, row));
        } else {
            rows.push(row);
        }
    }
    duplicates.sort_unstable();
    (rows, duplicates)
}

/// Shuffles `rows` by `seed`. Neighbours in a vault are neighbours in the file, and a graph built in that
/// order has few long edges.
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

struct Layout {
    /// Lists of each row at level 0.
    base: Vec<Vec<u32>>,
    /// Rows and their lists, ascending, per level above 0.
    upper: Vec<Vec<(u32, Vec<u32>)>>,
    entry: u32,
}

impl Layout {
    fn of(hnsw: &Hnsw<u32, RowDistance>, covered: u32) -> Self {
        let mut base = vec![Vec::new(); covered as usize];
        let mut upper: Vec<Vec<(u32, Vec<u32>)>> = Vec::new();
        let points = hnsw.get_point_indexation();
        // The library stores points by their highest level.
        for level in 0..=hnsw.get_max_level_observed() {
            upper.resize(level.into(), Vec::new());
            for point in points.get_layer_iterator(level.into()) {
                let row = point.get_origin_id() as u32;
                let mut lists = point.get_neighborhood_id().into_iter().map(|list| {
                    let rows = list.iter().map(|near| near.get_origin_id() as u32);
                    rows.filter(|near| *near != row).collect::<Vec<_>>()
                });
                base[row as usize] = lists.next().unwrap_or_default();
                for (level, mut list) in upper.iter_mut().zip(lists) {
                    list.resize(NEIGHBOURS_PER_ROW, NONE);
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
            base,
            upper,
            entry: entry.unwrap_or(NONE),
        }
    }

    /// Returns those of `rows` that cannot be reached from the entry, ascending.
    fn unreachable(&self, rows: &[u32]) -> Vec<u32> {
        let mut is_reached = vec![false; self.base.len()];
        let mut open = vec![self.entry];
        is_reached[self.entry as usize] = true;
        while let Some(row) = open.pop() {
            for near in &self.base[row as usize] {
                if !std::mem::replace(&mut is_reached[*near as usize], true) {
                    open.push(*near);
                }
            }
        }
        let mut unreachable = rows.to_vec();
        unreachable.retain(|row| !is_reached[*row as usize]);
        unreachable.sort_unstable();
        unreachable
    }

    /// Writes the graph under a temporary name and renames it.
    fn write(
        &self,
        vectors: &Vectors,
        duplicates: &[(u32, u32)],
        unreachable: &[u32],
        folder: &Path,
    ) -> Result<()> {
        let path = path(folder, vectors.number());
        let io = &VectorError::at(&path);
        let offsets = self.base_offsets().ok_or_else(|| {
            VectorError::unusable(&path, "cannot be written: there are too many neighbours")
        })?;
        let levels: Vec<u32> = self.upper.iter().map(|level| level.len() as u32).collect();
        let mut header = GraphHeader::new(&levels);
        header.number = vectors.number().into();
        header.covered = vectors.rows().into();
        header.base = offsets[self.base.len()].into();
        header.upper = (NEIGHBOURS_PER_ROW as u32).into();
        header.duplicates = (duplicates.len() as u32).into();
        header.unreachable = (unreachable.len() as u32).into();
        header.entry = self.entry.into();
        header.last_row = vectors.check(vectors.rows() - 1).into();
        let upper = self.upper.iter().flat_map(|level| {
            let rows = level.iter().map(|(row, _)| *row);
            rows.chain(level.iter().flat_map(|(_, list)| list.iter().copied()))
        });
        let numbers = offsets
            .into_iter()
            .chain(self.base.iter().flatten().copied())
            .chain(upper)
            .chain(duplicates.iter().flat_map(|(row, same)| [*row, *same]))
            .chain(unreachable.iter().copied());
        let temp_file = tempfile::Builder::new()
            .prefix("graph.")
            .tempfile_in(folder);
        let mut file = BufWriter::new(temp_file.map_err(io)?);
        failpoint::pass(folder);
        let write = || {
            let mut body = Xxh3::new();
            file.write_all(header.encode())?;
            for number in numbers {
                body.update(&number.to_le_bytes());
                file.write_all(&number.to_le_bytes())?;
            }
            header.body = body.digest().into();
            file.seek(SeekFrom::Start(0))?;
            file.write_all(header.encode())?;
            file.flush()
        };
        write().map_err(io)?;
        failpoint::pass(folder);
        let file = file.into_inner().map_err(|error| io(error.into_error()))?;
        file.persist(&path).map_err(|error| io(error.error))?;
        failpoint::pass(folder);
        Ok(())
    }

    /// Returns the offsets of the lists at level 0, with the end of the last; `None` if they exceed the
    /// format.
    fn base_offsets(&self) -> Option<Vec<u32>> {
        let mut end = 0u32;
        let mut offsets = vec![end];
        for list in &self.base {
            end = end.checked_add(list.len() as u32)?;
            offsets.push(end);
        }
        Some(offsets)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::cache::vectors::tests::{MODEL, vector_file, vectors};

    #[test]
    fn needs_at_least_one_row() {
        let dir = tempfile::tempdir().unwrap();
        let file = vector_file(dir.path(), 1, &vectors(10, 24, 1));
        for rows in [0, 10] {
            let file = Vectors::open(dir.path(), 1, rows, MODEL).unwrap();
            let failed = HnswGraph::build(&file, &|_, _| false, 1, dir.path()).unwrap_err();
            assert!(failed.to_string().ends_with("no rows to build it from"));
        }
        let one = HnswGraph::build(&file, &|row, _| row == 3, 1, dir.path()).unwrap();
        let found = file.nearest(&vectors(10, 24, 1)[0], 5, None, Some(&one));
        assert_eq!(found.iter().map(|near| near.row).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn reports_damaged_rows() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(200, 24, 1);
        vector_file(dir.path(), 1, &all);
        let file = dir.path().join("vectors.1");
        let mut bytes = fs::read(&file).unwrap();
        let scales = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1.0];
        for (row, scale) in scales.into_iter().cycle().enumerate().take(100) {
            let at = 64 + row * 56 + 32;
            bytes[at..at + 4].copy_from_slice(&scale.to_le_bytes());
        }
        fs::write(&file, bytes).unwrap();
        let file = Vectors::open(dir.path(), 1, 200, MODEL).unwrap();
        let named = "row 0 has a wrong checksum";
        let built = HnswGraph::build(&file, &|_, _| true, 1, dir.path()).err();
        assert!(built.is_some_and(|error| error.to_string().ends_with(named)));
        for query in &all[150..] {
            assert_eq!(file.nearest(query, 10, None, None).len(), 10);
        }
        let found = file.confirm().unwrap_err();
        assert!(found.to_string().ends_with(named), "{found}");
    }

    #[test]
    fn lists_unreachable_rows() {
        let base = [vec![3], vec![0], vec![], vec![0], vec![1]].to_vec();
        let layout = Layout {
            base,
            upper: Vec::new(),
            entry: 0,
        };
        // Row 2 is not in the graph.
        assert_eq!(layout.unreachable(&[4, 3, 1, 0]), [1, 4]);
    }

    #[test]
    fn finds_unreachable_rows_and_duplicates() {
        let dir = tempfile::tempdir().unwrap();
        let mut all = vectors(40, 24, 1);
        all[30] = all[7].clone();
        let file = vector_file(dir.path(), 1, &all);
        let (rows, duplicates) = distinct(&file, &|_, _| true);
        assert_eq!((rows.len(), &duplicates[..]), (39, &[(7, 30)][..]));
        // Only rows 0 and 7 are linked.
        let mut base = vec![Vec::new(); 40];
        base[0] = vec![7];
        let layout = Layout {
            base,
            upper: vec![vec![(0, vec![NONE; NEIGHBOURS_PER_ROW])]],
            entry: 0,
        };
        let unreachable = layout.unreachable(&rows);
        layout
            .write(&file, &duplicates, &unreachable, dir.path())
            .unwrap();
        let graph = HnswGraph::open(dir.path(), &file).unwrap();
        graph.verify().unwrap();
        assert_eq!(graph.duplicates(7).collect::<Vec<_>>(), [30]);
        for (row, query) in all.iter().enumerate() {
            let found = file.nearest(query, 40, None, Some(&graph));
            assert_eq!(found, file.nearest(query, 40, None, None), "{row}");
        }
    }

    #[test]
    fn shuffles_by_seed() {
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
        let file = vector_file(dir.path(), 1, &vectors(20, 24, 1));
        HnswGraph::build(&file, &|_, _| true, 1, dir.path()).unwrap();
        HnswGraph::build(&file, &|_, _| false, 1, dir.path()).unwrap_err();
        HnswGraph::open(dir.path(), &file).unwrap();
        let names = fs::read_dir(dir.path()).unwrap();
        assert_eq!(names.count(), 2);
    }
}
