//! The vector file: its form, and the reading of it in place.
//!
//! ```text
//! header  magic 8 bytes | format u32 | number u32 | dims u32 | bytes of the model's id u32
//!         | check u64, xxh3 of all of the header but itself | the model's id, zeros up to 64
//! row     dims × i8, zeros up to 32 | scale f32 | slot u32 | text u64
//!         | check u64, xxh3 of the row before it, with the number and the row as seed
//! ```
//!
//! All little-endian. The numbers of a row times its scale are a unit vector. `text` is a hash of the
//! passage's text as it was embedded, by which a pass finds what it need not embed again.
//!
//! A file of any other format is written afresh. Rows are only appended: a reader maps as many as
//! its catalog confirms, and nobody writes to those again or cuts them off.

use std::fs::{self, File};
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::slice::ChunksExact;

use memmap2::{Mmap, MmapOptions};
use rayon::iter::IndexedParallelIterator as _;
use rayon::slice::ParallelSlice as _;
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use super::graph::Graph;
use super::query::{Query, padded, scale};
use super::scan::Measured;
use super::{Accept, Near, VectorError, scan, walk};

/// Version of the vector file; any other is written afresh.
pub const FORMAT: u32 = 1;

const MAGIC: &[u8; 8] = b"mem vect";
/// What stands before the model's id.
const FIXED: usize = 32;
/// What stands behind the numbers of a row.
const REST: usize = 24;
/// No model's id is longer, and no vector wider: its products fit into 32 bits.
pub(super) const LONGEST: usize = 1 << 16;

/// What a vector file says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) number: u32,
    pub(super) dims: usize,
    pub(super) model: String,
}

impl Header {
    /// Returns how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        (FIXED + self.model.len()).next_multiple_of(64)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes());
        bytes.extend_from_slice(MAGIC);
        for field in [
            FORMAT,
            self.number,
            self.dims as u32,
            self.model.len() as u32,
        ] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(self.model.as_bytes());
        bytes.resize(self.bytes(), 0);
        let check = header_check(&bytes);
        bytes[24..FIXED].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Reads the header of `file`, which lies at `path`, and says what does not hold.
    pub(super) fn read(file: &File, path: &Path) -> Result<Self, VectorError> {
        let damaged = |reason: &str| VectorError::damaged(path, reason);
        let mut start = Vec::with_capacity(256);
        let take = |bytes: usize, start: &mut Vec<u8>| {
            let wanted = start.len() + bytes;
            let read = file.take(bytes as u64).read_to_end(start);
            read.map_err(|source| VectorError::io(path, source))?;
            if start.len() < wanted {
                return Err(damaged("it ends inside its header"));
            }
            Ok(())
        };
        take(FIXED, &mut start)?;
        if !start.starts_with(MAGIC) {
            return Err(damaged("it does not begin as a vector file does"));
        }
        let found = u32_at(&start, 8);
        if found != FORMAT {
            return Err(VectorError::Outdated {
                path: path.to_owned(),
                found,
                expected: FORMAT,
            });
        }
        let (dims, length) = (u32_at(&start, 16) as usize, u32_at(&start, 20) as usize);
        if length > LONGEST {
            return Err(damaged("its header makes no sense"));
        }
        take((FIXED + length).next_multiple_of(64) - FIXED, &mut start)?;
        if header_check(&start).to_le_bytes() != start[24..FIXED] {
            return Err(damaged("its header has another checksum"));
        }
        let model = String::from_utf8(start[FIXED..FIXED + length].to_vec());
        let model = model.map_err(|_| damaged("its header makes no sense"))?;
        if dims == 0 || dims > LONGEST {
            return Err(damaged("its header makes no sense"));
        }
        Ok(Self {
            number: u32_at(&start, 12),
            dims,
            model,
        })
    }

    /// Says what is wrong with a file of this header that should be number `number` of `model`.
    pub(super) fn confirm(&self, path: &Path, number: u32, model: &str) -> Result<(), VectorError> {
        if self.model != model {
            return Err(VectorError::OtherModel {
                path: path.to_owned(),
                found: self.model.clone(),
            });
        }
        if self.number != number {
            let reason = format!("it says that it is number {}", self.number);
            return Err(VectorError::damaged(path, reason));
        }
        Ok(())
    }

    /// Returns how many bytes a row takes.
    pub(super) fn stride(&self) -> usize {
        padded(self.dims) + REST
    }
}

fn header_check(header: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&header[..24]);
    hash.update(&header[FIXED..]);
    hash.digest()
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let field = bytes[at..]
        .first_chunk()
        .expect("the header has this field");
    u32::from_le_bytes(*field)
}

/// Returns the place of vector file `number` in `folder`.
pub(super) fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("vectors.{number}"))
}

/// Writes what follows the numbers and the scale of `row`, of which `bytes` holds just these.
pub(super) fn finish_row(bytes: &mut Vec<u8>, number: u32, row: u32, slot: u32, text: u64) {
    bytes.extend_from_slice(&slot.to_le_bytes());
    bytes.extend_from_slice(&text.to_le_bytes());
    let check = row_check(bytes, number, row);
    bytes.extend_from_slice(&check.to_le_bytes());
}

/// The same bytes at another place, or left of an older file, are not the row that belongs there.
fn row_check(row: &[u8], number: u32, place: u32) -> u64 {
    xxh3_64_with_seed(row, u64::from(number) << 32 | u64::from(place))
}

/// The confirmed rows of a vector file, mapped.
#[derive(Debug)]
pub struct Vectors {
    map: Mmap,
    path: PathBuf,
    header: Header,
    rows: u32,
}

impl Vectors {
    /// Opens the first `rows` rows of vector file `number` in `folder`, made by `model`.
    ///
    /// Reads the header only: see [`Vectors::verify`].
    pub fn open(folder: &Path, number: u32, rows: u32, model: &str) -> Result<Self, VectorError> {
        let path = path(folder, number);
        let io = |source| VectorError::io(&path, source);
        let file = File::open(&path).map_err(io)?;
        let header = Header::read(&file, &path)?;
        header.confirm(&path, number, model)?;
        let size = file.metadata().map_err(io)?.len();
        let wanted = header.bytes() as u64 + u64::from(rows) * header.stride() as u64;
        // Pages past the end of the file would end the process with SIGBUS when touched.
        if size < wanted {
            let held = size.saturating_sub(header.bytes() as u64) / header.stride() as u64;
            let reason = format!("it holds {held} of {rows} rows");
            return Err(VectorError::damaged(&path, reason));
        }
        let wanted = usize::try_from(wanted)
            .map_err(|_| VectorError::damaged(&path, "it is too large for this machine"))?;
        // SAFETY: the file lies in a folder that only mem writes to; the rows that are mapped are
        // never written to again, and no file of vectors is ever cut short: it is removed whole, which
        // leaves the mapping as it is.
        #[expect(unsafe_code, reason = "a search reads all rows, in place")]
        let map = unsafe { MmapOptions::new().len(wanted).map(&file) }.map_err(io)?;
        Ok(Self {
            map,
            path,
            header,
            rows,
        })
    }

    /// Returns how many rows there are.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Returns how many bytes the committed part of the file takes.
    #[must_use]
    pub fn bytes_on_disk(&self) -> u64 {
        (self.header.bytes() + self.rows as usize * self.header.stride()) as u64
    }

    /// Returns how many numbers a vector has.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.header.dims
    }

    /// Returns which of the vector files of its folder it is.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.header.number
    }

    /// Returns the slot of the note of `row`.
    #[must_use]
    pub fn slot(&self, row: u32) -> u32 {
        let (_, rest) = self.parts(row);
        rest[4..]
            .first_chunk()
            .map_or(0, |x| u32::from_le_bytes(*x))
    }

    /// Returns the hash of the text of `row`.
    #[must_use]
    pub fn text(&self, row: u32) -> u64 {
        let (_, rest) = self.parts(row);
        rest[8..]
            .first_chunk()
            .map_or(0, |x| u64::from_le_bytes(*x))
    }

    /// Returns the vector of `row`, of length 1, or 0 if nothing is known of its text.
    #[must_use]
    pub fn vector(&self, row: u32) -> Vec<f32> {
        let (numbers, rest) = self.parts(row);
        let scale = scale(rest);
        let numbers = &numbers[..self.dims()];
        let wide = numbers.iter().map(|x| f32::from(*x as i8) * scale);
        wide.collect()
    }

    /// Adds the vector of `row` to `sum`, which is as wide.
    pub(super) fn add_to(&self, row: u32, sum: &mut [f32]) {
        let (numbers, rest) = self.parts(row);
        let scale = scale(rest);
        for (sum, x) in sum.iter_mut().zip(numbers) {
            *sum += f32::from(*x as i8) * scale;
        }
    }

    /// Returns the cosine of `row` with `query`, which is as wide as the rows; -1 for any other.
    #[must_use]
    pub fn cosine(&self, row: u32, query: &Query) -> f32 {
        if query.width() == padded(self.dims()) {
            query.exact(self.row(row))
        } else {
            -1.0
        }
    }

    /// Returns the `k` accepted rows nearest to `query`, best first, ties by row.
    ///
    /// Looks at every row, or with a `graph` over the first ones, which may miss a few, at those it
    /// leads to and the rest. Asks `accept` for the best rows only, about as many as it takes to find
    /// `k`, some of them twice. A query of another width than the rows is near to none.
    #[must_use]
    pub fn nearest(
        &self,
        query: &[f32],
        k: usize,
        accept: Option<Accept>,
        graph: Option<&Graph>,
    ) -> Vec<Near> {
        if query.len() != self.dims() {
            return Vec::new();
        }
        let query = Query::new(query);
        let found = graph.and_then(|graph| walk::nearest(self, graph, &query, k, accept));
        found.unwrap_or_else(|| scan::nearest(self, 0..self.rows, &query, k, accept))
    }

    /// Compares all rows with `query`, for [`Vectors::nearest_measured`]: what can be done on another
    /// thread before it is known which rows count.
    #[must_use]
    pub fn measured(&self, query: &[f32], k: usize) -> Measured {
        let rows = if query.len() == self.dims() && k > 0 {
            self.rows
        } else {
            0
        };
        Measured::of(self, 0..rows, Query::new(query), k)
    }

    /// As [`Vectors::nearest`] without a graph, with the work already done.
    #[must_use]
    pub fn nearest_measured(
        &self,
        measured: Measured,
        k: usize,
        accept: Option<Accept>,
    ) -> Vec<Near> {
        measured.nearest(self, k, accept)
    }

    /// Compares every row with its checksum, on all cores.
    pub fn verify(&self) -> Result<(), VectorError> {
        let stride = self.header.stride();
        let rows = self.bytes(0..self.rows).par_chunks_exact(stride);
        let wrong = rows.enumerate().position_first(|(place, bytes)| {
            let (row, check) = bytes.split_at(stride - 8);
            row_check(row, self.number(), place as u32).to_le_bytes() != check
        });
        match wrong {
            None => Ok(()),
            Some(row) => {
                let reason = format!("row {row} has another checksum");
                Err(VectorError::damaged(&self.path, reason))
            }
        }
    }

    /// Returns the bytes of each of some rows.
    pub(super) fn each(&self, rows: Range<u32>) -> ChunksExact<'_, u8> {
        self.bytes(rows).chunks_exact(self.header.stride())
    }

    /// Returns the bytes of some rows, which lie one after the other.
    fn bytes(&self, rows: Range<u32>) -> &[u8] {
        let stride = self.header.stride();
        let at = |row: u32| self.header.bytes() + row as usize * stride;
        &self.map[at(rows.start)..at(rows.end)]
    }

    /// Returns the bytes of one row.
    pub(super) fn row(&self, row: u32) -> &[u8] {
        self.bytes(row..row + 1)
    }

    /// Returns the checksum of `row`.
    pub(super) fn check(&self, row: u32) -> u64 {
        let check = self.row(row).last_chunk();
        check.map_or(0, |check| u64::from_le_bytes(*check))
    }

    /// Returns the numbers of `row` and what follows them.
    pub(super) fn parts(&self, row: u32) -> (&[u8], &[u8]) {
        self.row(row).split_at(padded(self.dims()))
    }
}

/// Removes the vector files and graphs in `folder` but those of number `keep`, with what a build that
/// was killed left. The caller holds the lock.
pub fn remove_others(folder: &Path, keep: u32) {
    let kept = [path(folder, keep), super::graph::path(folder, keep)];
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .is_some_and(|name| name.starts_with("vectors.") || name.starts_with("graph."));
        if is_ours && !kept.contains(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{self, MODEL, vectors};
    use super::*;

    type Harm = Box<dyn FnOnce(&mut Vec<u8>)>;

    const ROWS: u32 = 5;
    const WIDE: usize = 64 + REST;

    /// Opens and verifies a file of five rows after `harm` was done to its bytes, and says why not.
    fn harmed(harm: impl FnOnce(&mut Vec<u8>)) -> Result<(), String> {
        let dir = tempfile::tempdir().unwrap();
        made::file(dir.path(), 1, &vectors(ROWS as usize, 40, 1));
        let file = dir.path().join("vectors.1");
        let mut bytes = fs::read(&file).unwrap();
        harm(&mut bytes);
        fs::write(&file, bytes).unwrap();
        let whole = Vectors::open(dir.path(), 1, ROWS, MODEL).and_then(|vectors| vectors.verify());
        whole.map_err(|error| {
            let home = dir.path().display().to_string();
            error.to_string().replace(&home, "").replace('\\', "/")
        })
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    fn every_harm_has_its_reason() {
        let set = |at: usize, field: &'static [u8]| {
            move |bytes: &mut Vec<u8>| {
                bytes[at..at + field.len()].copy_from_slice(field);
            }
        };
        // A header that another version might write is whole in itself.
        let checked = |at: usize, field: u32| {
            move |bytes: &mut Vec<u8>| {
                bytes[at..at + 4].copy_from_slice(&field.to_le_bytes());
                let check = header_check(&bytes[..64]);
                bytes[24..FIXED].copy_from_slice(&check.to_le_bytes());
            }
        };
        let begin = "/vectors.1 is damaged: it does not begin as a vector file does";
        let ends = "/vectors.1 is damaged: it ends inside its header";
        let sense = "/vectors.1 is damaged: its header makes no sense";
        let check = "/vectors.1 is damaged: its header has another checksum";
        let cases: Vec<(&str, Harm, Option<&str>)> = vec![
            ("whole", Box::new(|_| {}), None),
            (
                "rows of a crash behind it",
                Box::new(|b| b.extend([7; 1_000])),
                None,
            ),
            ("empty", Box::new(Vec::clear), Some(ends)),
            (
                "cut inside the magic",
                Box::new(|b| b.truncate(5)),
                Some(ends),
            ),
            (
                "cut inside the fields",
                Box::new(|b| b.truncate(31)),
                Some(ends),
            ),
            (
                "cut inside the model",
                Box::new(|b| b.truncate(33)),
                Some(ends),
            ),
            (
                "cut inside the padding",
                Box::new(|b| b.truncate(63)),
                Some(ends),
            ),
            (
                "cut behind the header",
                Box::new(|b| b.truncate(64)),
                Some("/vectors.1 is damaged: it holds 0 of 5 rows"),
            ),
            (
                "cut between two rows",
                Box::new(|b| b.truncate(64 + 3 * WIDE)),
                Some("/vectors.1 is damaged: it holds 3 of 5 rows"),
            ),
            (
                "cut by one byte",
                Box::new(|b| b.truncate(64 + 5 * WIDE - 1)),
                Some("/vectors.1 is damaged: it holds 4 of 5 rows"),
            ),
            ("zeroed", Box::new(|b| b.fill(0)), Some(begin)),
            (
                "zeroed behind the header",
                Box::new(|b| b[64..].fill(0)),
                Some("/vectors.1 is damaged: row 0 has another checksum"),
            ),
            (
                "a page that was not written",
                Box::new(|b| b[64 + 2 * WIDE..64 + 3 * WIDE].fill(0)),
                Some("/vectors.1 is damaged: row 2 has another checksum"),
            ),
            (
                "a flipped bit in the last row",
                Box::new(|b| *b.last_mut().unwrap() ^= 1),
                Some("/vectors.1 is damaged: row 4 has another checksum"),
            ),
            (
                "two rows that changed places",
                Box::new(|b| {
                    let (left, right) = b[64..].split_at_mut(WIDE);
                    left.swap_with_slice(&mut right[..WIDE]);
                }),
                Some("/vectors.1 is damaged: row 0 has another checksum"),
            ),
            ("another magic", Box::new(set(0, b"MEM VECT")), Some(begin)),
            (
                "an older one",
                Box::new(checked(8, 0)),
                Some("/vectors.1 has format 0, this mem writes 1"),
            ),
            (
                "a newer one",
                Box::new(checked(8, 2)),
                Some("/vectors.1 has format 2, this mem writes 1"),
            ),
            (
                "another number",
                Box::new(checked(12, 4)),
                Some("/vectors.1 is damaged: it says that it is number 4"),
            ),
            ("no width", Box::new(checked(16, 0)), Some(sense)),
            ("far too wide", Box::new(checked(16, u32::MAX)), Some(sense)),
            (
                "wider than it was",
                Box::new(checked(16, 100)),
                Some("/vectors.1 is damaged: it holds 2 of 5 rows"),
            ),
            ("a bit of the width", Box::new(set(16, &[41])), Some(check)),
            ("a bit of the model", Box::new(set(33, b"X")), Some(check)),
            (
                "a model without end",
                Box::new(checked(20, u32::MAX)),
                Some(sense),
            ),
            (
                "a model of no letters",
                Box::new(|b| {
                    b[32] = 0xff;
                    let check = header_check(&b[..64]);
                    b[24..FIXED].copy_from_slice(&check.to_le_bytes());
                }),
                Some(sense),
            ),
            (
                "another model",
                Box::new(|b| {
                    b[32] = b'T';
                    let check = header_check(&b[..64]);
                    b[24..FIXED].copy_from_slice(&check.to_le_bytes());
                }),
                Some("/vectors.1 holds vectors of Test"),
            ),
        ];
        for (name, harm, expected) in cases {
            assert_eq!(harmed(harm).err().as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        made::file(dir.path(), 1, &vectors(2, 40, 1));
        let file = dir.path().join("vectors.1");
        let whole = fs::read(&file).unwrap();
        let is_noticed = |bytes: &[u8]| {
            fs::write(&file, bytes).unwrap();
            Vectors::open(dir.path(), 1, 2, MODEL)
                .and_then(|vectors| vectors.verify())
                .is_err()
        };
        for cut in 0..whole.len() {
            assert!(is_noticed(&whole[..cut]), "cut at {cut}");
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(is_noticed(&bytes), "flipped at {at}");
        }
        assert!(!is_noticed(&whole));
    }

    #[test]
    fn a_missing_file_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let opened = Vectors::open(dir.path(), 1, 0, MODEL);
        assert!(matches!(opened, Err(VectorError::Missing { .. })));
    }

    #[test]
    fn a_damaged_row_that_nobody_verified_harms_only_itself() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(50, 40, 1);
        made::file(dir.path(), 1, &all);
        let file = dir.path().join("vectors.1");
        let mut bytes = fs::read(&file).unwrap();
        for (row, bad) in [(3, f32::NAN), (4, f32::INFINITY), (5, f32::MAX)] {
            let at = 64 + row * WIDE + 64;
            bytes[at..at + 4].copy_from_slice(&bad.to_le_bytes());
        }
        bytes[64 + 6 * WIDE..][..64].fill(0x80);
        fs::write(&file, bytes).unwrap();
        let vectors = Vectors::open(dir.path(), 1, 50, MODEL).unwrap();
        let found = vectors.nearest(&all[20], 50, None, None);
        assert_eq!(found.len(), 50);
        assert!(found.iter().all(|near| (-1.0..=1.0).contains(&near.cosine)));
        assert!(found.iter().take(5).any(|near| near.row == 20));
    }

    #[test]
    fn only_files_of_other_numbers_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            "vectors.1",
            "vectors.12",
            "graph.1",
            "graph.2",
            "boot",
            "graph.x8Yz",
        ] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        remove_others(dir.path(), 1);
        let mut left: Vec<_> = fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["boot", "graph.1", "vectors.1"]);
    }
}
