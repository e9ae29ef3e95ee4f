//! The graph file: its format, and reading it in place.
//!
//! ```text
//! header  magic 8 bytes | format, number, covered, base, upper, levels, duplicates, unreachable,
//!         entry u32 | rows per upper level 15 × u32 | last row u64 | body u64
//!         | check u64 of the header before it
//! body    covered × u32, and base                 offset of each row's list at level 0
//!         base × row                              these lists, each nearest first
//!         per upper level: its rows, ascending, then as many × upper × row
//!         duplicates × (row, row), ascending      the one in the graph, and one equal to it
//!         unreachable × row, ascending            rows that no path leads to
//! ```
//!
//! All little-endian; [`NONE`] pads short lists of an upper level. `number` and `covered` identify the vector
//! file and its rows, `last row` is the checksum of the last of them, `body` the checksum of the body. Like a
//! vector file it is only written under a temporary name and renamed, and a graph of any other format is
//! rebuilt.
//!
//! Lists are not trusted: invalid rows are skipped, so a damaged graph only gives worse answers.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, FromZeros, IntoBytes};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::super::file::Vectors;
use super::super::{Result, VectorError};

/// Version of the graph file; any other version is rebuilt.
pub const FORMAT: u32 = 2;

const MAGIC: [u8; 8] = *b"mem hnsw";
/// Pads a list.
pub(super) const NONE: u32 = u32::MAX;
/// Maximum number of levels above 0.
pub(super) const MAX_LEVELS: usize = 15;
const HEADER: usize = size_of::<GraphHeader>();

/// The header of a graph file.
#[derive(Clone, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct GraphHeader {
    magic: [u8; 8],
    format: U32,
    pub(super) number: U32,
    pub(super) covered: U32,
    /// Total number of neighbours at level 0.
    pub(super) base: U32,
    /// Maximum number of neighbours of a row at an upper level.
    pub(super) upper: U32,
    levels: U32,
    pub(super) duplicates: U32,
    pub(super) unreachable: U32,
    /// The row where a search begins, at the top level.
    pub(super) entry: U32,
    /// Number of rows per level above 0, from below.
    level_rows: [U32; MAX_LEVELS],
    /// Checksum of the last covered row.
    pub(super) last_row: U64,
    pub(super) body: U64,
    check: U64,
}

impl GraphHeader {
    /// Returns a header with `levels`, otherwise zero.
    pub(super) fn new(levels: &[u32]) -> Self {
        let mut header = Self::new_zeroed();
        header.magic = MAGIC;
        header.format = FORMAT.into();
        header.levels = (levels.len() as u32).into();
        for (rows, level) in header.level_rows.iter_mut().zip(levels) {
            *rows = (*level).into();
        }
        header
    }

    pub(super) fn encode(&mut self) -> &[u8] {
        self.check = self.checksum().into();
        self.as_bytes()
    }

    fn checksum(&self) -> u64 {
        xxh3_64(&self.as_bytes()[..HEADER - size_of::<U64>()])
    }

    fn read(mut file: &File, path: &Path) -> Result<Self> {
        let damaged = |reason: &str| VectorError::damaged(path, reason);
        let mut header = Self::new_zeroed();
        file.read_exact(header.as_mut_bytes())
            .map_err(|source| VectorError::header(path, source))?;
        if header.magic != MAGIC {
            return Err(damaged("it is not a graph file"));
        }
        VectorError::outdated(path, header.format.get(), FORMAT)?;
        if header.checksum() != header.check.get() {
            return Err(damaged("its header has a wrong checksum"));
        }
        if header.levels.get() as usize > MAX_LEVELS || header.upper.get() == 0 {
            return Err(damaged("its header is invalid"));
        }
        Ok(header)
    }

    /// Returns the number of rows per level above 0, from below.
    fn levels(&self) -> &[U32] {
        &self.level_rows[..self.levels.get() as usize]
    }

    /// Returns the length of the body in bytes; `None` if it exceeds the limits of a file.
    fn body_length(&self) -> Option<u64> {
        let [covered, base, upper] = [self.covered, self.base, self.upper].map(u64::from);
        let rows: u64 = self.levels().iter().map(|rows| u64::from(*rows)).sum();
        let rest = 2 * u64::from(self.duplicates) + u64::from(self.unreachable);
        let numbers = rows.checked_mul(upper + 1)?;
        numbers
            .checked_add(covered + 1 + base + rest)?
            .checked_mul(4)
    }
}

/// Returns the path of the graph over vector file `number` in `folder`.
pub(in super::super) fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("graph.{number}"))
}

/// The graph over the first rows of a vector file, mapped; see the [module](self).
#[derive(Debug)]
pub struct HnswGraph {
    map: Mmap,
    path: PathBuf,
    header: GraphHeader,
    /// Offsets of the levels above 0, the duplicates and the unreachable rows, in numbers.
    offsets: Vec<usize>,
}

impl HnswGraph {
    /// Opens the graph over `vectors` in `folder`.
    ///
    /// Reads only the header: see [`HnswGraph::verify`]. A graph of another file counts as damaged.
    pub fn open(folder: &Path, vectors: &Vectors) -> Result<Self> {
        let path = path(folder, vectors.number());
        let io = |source| VectorError::io(&path, source);
        let damaged = |reason: &str| VectorError::damaged(&path, reason);
        let file = File::open(&path).map_err(io)?;
        let header = GraphHeader::read(&file, &path)?;
        let covered = header.covered.get();
        if header.number.get() != vectors.number() || covered == 0 {
            return Err(damaged("it was built from another vector file"));
        }
        if covered > vectors.rows() {
            let rows = vectors.rows();
            let reason = format!("it was built from {covered} rows; there are {rows}");
            return Err(damaged(&reason));
        }
        if header.last_row.get() != vectors.check(covered - 1) {
            return Err(damaged("it was built from another vector file"));
        }
        let size = file.metadata().map_err(io)?.len();
        let body = size.checked_sub(HEADER as u64);
        if body.is_none_or(|body| header.body_length() != Some(body)) {
            return Err(damaged("its length does not match its header"));
        }
        // SAFETY: only mem writes to the folder. The file gets its name when complete, and is never written
        // to or truncated after that, only replaced or removed.
        #[expect(unsafe_code, reason = "a search reads a small part of it, in place")]
        let map = unsafe { Mmap::map(&file) }.map_err(io)?;
        // Neighbours are scattered, so read-ahead is useless.
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Random);
        let mut offset = covered as usize + 1 + header.base.get() as usize;
        let mut offsets = vec![offset];
        for rows in header.levels() {
            offset += rows.get() as usize * (1 + header.upper.get() as usize);
            offsets.push(offset);
        }
        offsets.push(offset + 2 * header.duplicates.get() as usize);
        Ok(Self {
            map,
            path,
            header,
            offsets,
        })
    }

    /// Returns the number of rows in the vector file that it covers.
    pub fn covered(&self) -> u32 {
        self.header.covered.get()
    }

    /// Returns the size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// Verifies the checksum of the body.
    pub fn verify(&self) -> Result<()> {
        if xxh3_64(&self.map[HEADER..]) == self.header.body.get() {
            return Ok(());
        }
        let reason = "its body has a wrong checksum";
        Err(VectorError::damaged(&self.path, reason))
    }

    /// Returns the row where a search begins.
    pub(super) fn entry(&self) -> u32 {
        self.header.entry.get()
    }

    /// Returns the number of levels above 0.
    pub(super) fn levels(&self) -> usize {
        self.header.levels().len()
    }

    /// Returns the neighbours of `row` at `level`, without invalid rows.
    pub(super) fn neighbours(&self, level: usize, row: u32) -> impl Iterator<Item = u32> {
        let list = match level.checked_sub(1) {
            None => self.base_list(row),
            Some(above) => self.upper_list(above, row),
        };
        let rows = list.iter().map(|row| row.get());
        let covered = self.covered();
        rows.take_while(|row| *row != NONE)
            .filter(move |row| *row < covered)
    }

    fn base_list(&self, row: u32) -> &[U32] {
        let bounds = self.numbers(row as usize, 2);
        let [start, end] = [bounds[0], bounds[1]].map(|bound| bound.get() as usize);
        if start <= end && end <= self.header.base.get() as usize {
            self.numbers(self.covered() as usize + 1 + start, end - start)
        } else {
            &[]
        }
    }

    /// Returns the list of `row` at upper level `above`, counted from 0.
    fn upper_list(&self, above: usize, row: u32) -> &[U32] {
        let (start, count) = (
            self.offsets[above],
            self.header.level_rows[above].get() as usize,
        );
        let rows = self.numbers(start, count);
        let width = self.header.upper.get() as usize;
        match rows.binary_search_by_key(&row, |row| row.get()) {
            Ok(index) => self.numbers(start + count + index * width, width),
            // The neighbour may exist only at a lower level.
            Err(_) => &[],
        }
    }

    /// Returns the rows equal to `row` of the graph, ascending.
    pub(super) fn duplicates(&self, row: u32) -> impl Iterator<Item = u32> {
        let start = self.offsets[self.levels()];
        let numbers = self.numbers(start, 2 * self.header.duplicates.get() as usize);
        let (pairs, _) = numbers.as_chunks::<2>();
        let first = pairs.partition_point(|[of, _]| of.get() < row);
        let covered = self.covered();
        pairs[first..]
            .iter()
            .take_while(move |[of, _]| of.get() == row)
            .map(|[_, duplicate]| duplicate.get())
            .filter(move |duplicate| *duplicate < covered)
    }

    /// Returns the unreachable rows, ascending.
    pub(super) fn unreachable(&self) -> impl Iterator<Item = u32> {
        let start = self.offsets[self.levels() + 1];
        let rows = self.numbers(start, self.header.unreachable.get() as usize);
        let covered = self.covered();
        rows.iter()
            .map(|row| row.get())
            .filter(move |row| *row < covered)
    }

    /// Returns `count` numbers of the body.
    fn numbers(&self, start: usize, count: usize) -> &[U32] {
        let bytes = &self.map[HEADER + start * 4..][..count * 4];
        <[U32]>::ref_from_bytes(bytes).expect("any four bytes are a number")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::super::writer::VectorWriter;
    use super::*;
    use crate::cache::vectors::tests::{MODEL, vector_file, vectors};

    const ROWS: usize = 300;

    #[test]
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    fn reports_each_kind_of_damage() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(ROWS, 24, 1);
        let file = vector_file(dir.path(), 7, &all);
        let built = HnswGraph::build(&file, &|_, _| true, 1, dir.path()).unwrap();
        let (header, file_path) = (built.header.clone(), path(dir.path(), 7));
        let whole = fs::read(&file_path).unwrap();
        let with = |change: &dyn Fn(&mut GraphHeader)| {
            let mut changed = header.clone();
            change(&mut changed);
            [changed.encode(), &whole[HEADER..]].concat()
        };
        let endless_levels = |header: &mut GraphHeader| {
            header.levels = (MAX_LEVELS as u32).into();
            header.level_rows = [u32::MAX.into(); MAX_LEVELS];
        };
        let of_format = |format: u32| {
            let mut bytes = whole.clone();
            bytes[8..12].copy_from_slice(&format.to_le_bytes());
            bytes
        };
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            bytes
        };
        let ends = "is damaged: it ends inside its header";
        let begin = "is damaged: it is not a graph file";
        let check = "is damaged: its header has a wrong checksum";
        let sense = "is damaged: its header is invalid";
        let other = "is damaged: it was built from another vector file";
        let length = "is damaged: its length does not match its header";
        let cases: Vec<(&str, Vec<u8>, &str)> = vec![
            ("whole", whole.clone(), ""),
            ("empty", Vec::new(), ends),
            ("cut inside the header", whole[..HEADER - 1].to_vec(), ends),
            ("cut behind the header", whole[..HEADER].to_vec(), length),
            ("cut by one byte", whole[..whole.len() - 1].to_vec(), length),
            ("longer", [&whole[..], &[0]].concat(), length),
            ("zeroed", vec![0; whole.len()], begin),
            (
                "zeroed behind the header",
                [&whole[..HEADER], &vec![0; whole.len() - HEADER]].concat(),
                "is damaged: its body has a wrong checksum",
            ),
            ("a flipped bit of the magic", flipped(3), begin),
            ("a flipped bit of the header", flipped(20), check),
            ("a flipped bit of the checksum", flipped(HEADER - 1), check),
            (
                "a flipped bit of the body",
                flipped(whole.len() - 1),
                "is damaged: its body has a wrong checksum",
            ),
            (
                "an older one",
                of_format(1),
                "has format 1, this mem writes 2",
            ),
            (
                "a newer one",
                of_format(3),
                "has format 3, this mem writes 2",
            ),
            (
                "another number",
                with(&|header| header.number = 8.into()),
                other,
            ),
            (
                "another file of the number",
                with(&|header| header.last_row ^= 1),
                other,
            ),
            (
                "over no rows",
                with(&|header| header.covered = 0.into()),
                other,
            ),
            (
                "over more rows",
                with(&|header| header.covered += 1),
                "is damaged: it was built from 301 rows; there are 300",
            ),
            (
                "over fewer rows",
                with(&|header| {
                    header.covered -= 1;
                    header.last_row = file.check(header.covered.get() - 1).into();
                }),
                length,
            ),
            (
                "without lists",
                with(&|header| header.upper = 0.into()),
                sense,
            ),
            (
                "of endless lists",
                with(&|header| header.base = u32::MAX.into()),
                length,
            ),
            ("of endless levels", with(&endless_levels), length),
            (
                "of endless lists at endless levels",
                with(&|header| {
                    endless_levels(header);
                    header.upper = u32::MAX.into();
                }),
                length,
            ),
        ];
        for (name, bytes, expected) in cases {
            fs::write(&file_path, bytes).unwrap();
            let opened = HnswGraph::open(dir.path(), &file);
            let message = opened
                .and_then(|graph| graph.verify())
                .err()
                .map_or_else(String::new, |error| error.to_string())
                .replace(&format!("{} ", file_path.display()), "");
            assert_eq!(message, expected, "{name}");
        }
        fs::remove_file(&file_path).unwrap();
        let opened = HnswGraph::open(dir.path(), &file);
        assert!(matches!(opened, Err(VectorError::Unusable { .. })));
    }

    #[test]
    fn a_damaged_body_yields_existing_rows() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(ROWS, 24, 1);
        let file = vector_file(dir.path(), 1, &all);
        HnswGraph::build(&file, &|_, _| true, 1, dir.path()).unwrap();
        let file_path = path(dir.path(), 1);
        let whole = fs::read(&file_path).unwrap();
        for mask in [0, 0xff, 0x55, 1] {
            let mut bytes = whole.clone();
            for (at, byte) in bytes[HEADER..].iter_mut().enumerate() {
                // Only the low half of each number, so that most are valid rows.
                if at % 4 < 2 {
                    *byte = (*byte ^ mask).wrapping_mul(at as u8 | 1);
                }
            }
            fs::write(&file_path, bytes).unwrap();
            let graph = HnswGraph::open(dir.path(), &file).unwrap();
            for query in all.iter().step_by(50) {
                let found = file.nearest(query, 10, None, Some(&graph));
                assert!(found.iter().all(|near| near.row < 300));
            }
            graph.verify().unwrap_err();
        }
    }

    #[test]
    fn refuses_a_graph_of_another_vector_file() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(ROWS, 24, 1);
        let file = vector_file(dir.path(), 1, &all);
        HnswGraph::build(&file, &|_, _| true, 1, dir.path()).unwrap();
        // Recreated under the same number, as by a restarted pass.
        let mut writer = VectorWriter::create(dir.path(), 1, MODEL, 24).unwrap();
        for vector in &vectors(ROWS, 24, 2) {
            writer.push(1, 1, vector);
        }
        let rows = writer.finish().unwrap();
        let file = Vectors::open(dir.path(), 1, rows, MODEL).unwrap();
        assert!(HnswGraph::open(dir.path(), &file).is_err());
        let file = Vectors::open(dir.path(), 1, 10, MODEL).unwrap();
        assert!(HnswGraph::open(dir.path(), &file).is_err());
    }
}
