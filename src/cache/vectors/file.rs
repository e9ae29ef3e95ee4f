//! The vector file: its format, and reading it in place.
//!
//! ```text
//! header  magic 8 bytes | format u32 | number u32 | dims u32 | length of the model's id u32
//!         | check u64, xxh3 of the whole header but itself | the model's id, zeros up to 64
//! row     dims × i8, zeros up to 32 | scale f32 | slot u32 | text u64
//!         | sum u32 of the bytes of the components, the scale and the slot
//!         | check u32, xxh3 of the row before it, with the number and the row as seed
//! ```
//!
//! All little-endian. The components of a row times its scale are a unit vector. `text` is a hash of the
//! embedded passage text, by which a sync avoids embedding it again.
//!
//! A scan compares the sum of each row while it reads. A single flipped bit always changes the sum, and it
//! costs a fraction of the checksum. Reads of single rows compare the checksum.
//!
//! A file of any other format is rebuilt. Rows are only appended. A reader maps the rows that its catalog
//! confirms, and no process writes to those again or truncates them.

use std::fs::{self, File};
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::{Mmap, MmapOptions};
use rayon::iter::IndexedParallelIterator as _;
use rayon::slice::ParallelSlice as _;
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};
use zerocopy::little_endian::{F32, U32, U64};
use zerocopy::{FromBytes, FromZeros, IntoBytes};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::quantized::{QuantizedVector, component_sum, padded};
use super::query::VectorQuery;
use super::{Result, VectorError};

/// Version of the vector file; any other version is rebuilt.
pub const FORMAT: u32 = 2;

const MAGIC: [u8; 8] = *b"mem vect";
/// Maximum length of a model id and of a vector; sums of products then fit into 32 bits.
pub(super) const MAX_LENGTH: usize = 1 << 16;

/// The header before the model's id.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Prefix {
    magic: [u8; 8],
    format: U32,
    number: U32,
    dims: U32,
    id_length: U32,
    check: U64,
}

const PREFIX: usize = size_of::<Prefix>();

/// The fields after the components of a row.
#[derive(Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Trailer {
    scale: F32,
    slot: U32,
    text: U64,
    sum: U32,
    check: U32,
}

/// The parsed header of a vector file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VectorHeader {
    pub(super) number: u32,
    pub(super) dims: usize,
    pub(super) model: String,
}

impl VectorHeader {
    pub(super) fn length(&self) -> usize {
        header_length(self.model.len())
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut prefix = Prefix {
            magic: MAGIC,
            format: FORMAT.into(),
            number: self.number.into(),
            dims: (self.dims as u32).into(),
            id_length: (self.model.len() as u32).into(),
            check: U64::ZERO,
        };
        let mut rest = self.model.clone().into_bytes();
        rest.resize(self.length() - PREFIX, 0);
        prefix.check = header_check(prefix.as_bytes(), &rest).into();
        [prefix.as_bytes(), &rest].concat()
    }

    /// Reads and checks the header of `file`, which is at `path`.
    pub(super) fn read(mut file: &File, path: &Path) -> Result<Self> {
        let damaged = |reason: &str| VectorError::damaged(path, reason);
        let mut take = |bytes: &mut [u8]| {
            let taken = file.read_exact(bytes);
            taken.map_err(|source| VectorError::header(path, source))
        };
        let mut prefix = Prefix::new_zeroed();
        take(prefix.as_mut_bytes())?;
        if prefix.magic != MAGIC {
            return Err(damaged("it is not a vector file"));
        }
        VectorError::outdated(path, prefix.format.get(), FORMAT)?;
        let [dims, id_length] = [prefix.dims, prefix.id_length].map(|field| field.get() as usize);
        if id_length > MAX_LENGTH {
            return Err(damaged("its header is invalid"));
        }
        let mut rest = vec![0; header_length(id_length) - PREFIX];
        take(&mut rest)?;
        if header_check(prefix.as_bytes(), &rest) != prefix.check.get() {
            return Err(damaged("its header has a wrong checksum"));
        }
        rest.truncate(id_length);
        match String::from_utf8(rest) {
            Ok(model) if (1..=MAX_LENGTH).contains(&dims) => Ok(Self {
                number: prefix.number.get(),
                dims,
                model,
            }),
            _ => Err(damaged("its header is invalid")),
        }
    }

    /// Returns an error unless the header matches `number` and `model`.
    pub(super) fn confirm(&self, path: &Path, number: u32, model: &str) -> Result<()> {
        if self.model != model {
            let reason = format!("holds vectors of {}", self.model);
            return Err(VectorError::unusable(path, reason));
        }
        if self.number != number {
            let reason = format!("its header has number {}", self.number);
            return Err(VectorError::damaged(path, reason));
        }
        Ok(())
    }

    /// Length of a row in bytes.
    pub(super) fn stride(&self) -> usize {
        padded(self.dims) + size_of::<Trailer>()
    }
}

fn header_length(id_length: usize) -> usize {
    (PREFIX + id_length).next_multiple_of(64)
}

fn header_check(prefix: &[u8], rest: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&prefix[..PREFIX - size_of::<U64>()]);
    hash.update(rest);
    hash.digest()
}

/// Returns the path of vector file `number` in `folder`.
pub fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("vectors.{number}"))
}

/// Writes the bytes of row number `row` of file `number` to `bytes`.
pub(super) fn encode_row(
    bytes: &mut Vec<u8>,
    number: u32,
    row: u32,
    vector: QuantizedVector<'_>,
    slot: u32,
    text: u64,
) {
    let trailer = Trailer {
        scale: vector.scale.into(),
        slot: slot.into(),
        text: text.into(),
        sum: row_sum(component_sum(vector.components), vector.scale, slot).into(),
        check: U32::ZERO,
    };
    bytes.clear();
    bytes.extend_from_slice(vector.components.as_bytes());
    bytes.extend_from_slice(trailer.as_bytes());
    let end = bytes.len() - size_of::<U32>();
    let check = row_check(&bytes[..end], number, row);
    bytes[end..].copy_from_slice(&check.to_le_bytes());
}

fn row_sum(components: u32, scale: f32, slot: u32) -> u32 {
    components.wrapping_add(scale.to_bits()).wrapping_add(slot)
}

/// Includes file number and row: the same bytes at another position are invalid.
fn row_check(bytes: &[u8], number: u32, row: u32) -> u32 {
    xxh3_64_with_seed(bytes, u64::from(number) << 32 | u64::from(row)) as u32
}

fn split_row(row: &[u8]) -> (&[u8], &Trailer) {
    Trailer::ref_from_suffix(row).expect("a row is longer than its trailer")
}

fn quantized(row: &[u8]) -> QuantizedVector<'_> {
    let (components, trailer) = split_row(row);
    QuantizedVector {
        components: <[i8]>::ref_from_bytes(components).expect("any byte is a signed byte"),
        scale: trailer.scale.get(),
    }
}

/// The confirmed rows of a vector file, mapped.
#[derive(Debug)]
pub struct Vectors {
    map: Mmap,
    path: PathBuf,
    header: VectorHeader,
    rows: u32,
    /// Whether a damaged row was read.
    is_damaged: AtomicBool,
}

impl Vectors {
    /// Opens the first `rows` rows of vector file `number` in `folder`, made by `model`.
    ///
    /// Reads only the header: see [`Vectors::verify`].
    pub fn open(folder: &Path, number: u32, rows: u32, model: &str) -> Result<Self> {
        let path = path(folder, number);
        let io = |source| VectorError::io(&path, source);
        let file = File::open(&path).map_err(io)?;
        let header = VectorHeader::read(&file, &path)?;
        header.confirm(&path, number, model)?;
        let size = file.metadata().map_err(io)?.len();
        let wanted = header.length() as u64 + u64::from(rows) * header.stride() as u64;
        // Access to pages beyond the end of the file would end the process with SIGBUS.
        if size < wanted {
            let held = size.saturating_sub(header.length() as u64) / header.stride() as u64;
            let reason = format!("it contains {held} of {rows} rows");
            return Err(VectorError::damaged(&path, reason));
        }
        let wanted = usize::try_from(wanted)
            .map_err(|_| VectorError::damaged(&path, "it is too large for this machine"))?;
        // SAFETY: only mem writes to the folder. Mapped rows are never written to again, and no vector file
        // is ever truncated: it is removed as a whole, which keeps the mapping valid.
        #[expect(unsafe_code, reason = "a search reads all rows, in place")]
        let map = unsafe { MmapOptions::new().len(wanted).map(&file) }.map_err(io)?;
        Ok(Self {
            map,
            path,
            header,
            rows,
            is_damaged: AtomicBool::new(false),
        })
    }

    /// Opens vector file `number` in `folder`, made by `model`, up to its first damaged row.
    ///
    /// For a file whose length no catalog records.
    pub fn open_intact(folder: &Path, number: u32, model: &str) -> Result<Self> {
        let header = Self::open(folder, number, 0, model)?.header;
        let path = path(folder, number);
        let size = fs::metadata(&path).map_err(|source| VectorError::io(&path, source))?;
        let bytes = size.len().saturating_sub(header.length() as u64);
        let written = u32::try_from(bytes / header.stride() as u64).unwrap_or(u32::MAX);
        let whole = Self::open(folder, number, written, model)?;
        match whole.first_damaged() {
            None => Ok(whole),
            Some(row) => Self::open(folder, number, row, model),
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Returns the size of the committed part of the file in bytes.
    pub fn bytes_on_disk(&self) -> u64 {
        (self.header.length() + self.rows as usize * self.header.stride()) as u64
    }

    /// Maps the pages of `rows` with one system call; a scan would fault them in sixteen at a time.
    pub(super) fn populate(&self, rows: Range<u32>) {
        #[cfg(target_os = "linux")]
        {
            let stride = self.header.stride();
            let (start, length) = (
                self.header.length() + rows.start as usize * stride,
                rows.len() * stride,
            );
            // Linux before 5.14 cannot.
            let _ = self
                .map
                .advise_range(memmap2::Advice::PopulateRead, start, length);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = rows;
    }

    /// Returns the number of components of a vector.
    pub fn dims(&self) -> usize {
        self.header.dims
    }

    /// Returns the number of the file in its folder.
    pub fn number(&self) -> u32 {
        self.header.number
    }

    /// Returns the slot of the note of `row`.
    pub fn slot(&self, row: u32) -> u32 {
        self.trailer(row).slot.get()
    }

    /// Returns the hash of the text of `row`.
    pub fn text(&self, row: u32) -> u64 {
        self.trailer(row).text.get()
    }

    /// Returns the vector of `row`, of length 1, or 0 if the model knows no word of its text.
    pub fn vector(&self, row: u32) -> Vec<f32> {
        let mut vector = vec![0.0; self.dims()];
        self.add_to(row, &mut vector);
        vector
    }

    /// Adds the vector of `row` to `sum`, which has the same width.
    pub(super) fn add_to(&self, row: u32, sum: &mut [f32]) {
        let QuantizedVector { components, scale } = self.row(row);
        for (sum, component) in sum.iter_mut().zip(components) {
            *sum += f32::from(*component) * scale;
        }
    }

    /// Returns the cosine of `row` with `query`; -1 if their widths differ.
    pub fn cosine(&self, row: u32, query: &VectorQuery) -> f32 {
        if query.width() == padded(self.dims()) {
            query.exact(self.row(row))
        } else {
            -1.0
        }
    }

    /// Returns the first row with a wrong checksum. Runs on all cores.
    fn first_damaged(&self) -> Option<u32> {
        let bytes = self.bytes(0..self.rows);
        let rows = bytes.par_chunks_exact(self.header.stride()).enumerate();
        let row = rows.position_first(|(row, bytes)| !self.is_as_written(row as u32, bytes));
        row.map(|row| row as u32)
    }

    /// Verifies the checksum of every row, on all cores.
    pub fn verify(&self) -> Result<()> {
        match self.first_damaged() {
            None => Ok(()),
            Some(row) => {
                let reason = format!("row {row} has a wrong checksum");
                Err(VectorError::damaged(&self.path, reason))
            }
        }
    }

    /// Returns an error if a row read so far was damaged; its results are then invalid.
    pub fn confirm(&self) -> Result<()> {
        if self.is_damaged.load(Ordering::Relaxed) {
            self.verify()
        } else {
            Ok(())
        }
    }

    /// Returns one row after verifying its checksum: see [`Vectors::confirm`].
    pub(super) fn row(&self, row: u32) -> QuantizedVector<'_> {
        let bytes = self.bytes(row..row + 1);
        if !self.is_as_written(row, bytes) {
            self.is_damaged.store(true, Ordering::Relaxed);
        }
        quantized(bytes)
    }

    /// Returns one row unchecked, for callers that verified all rows.
    pub(super) fn raw_row(&self, row: u32) -> QuantizedVector<'_> {
        quantized(self.bytes(row..row + 1))
    }

    /// Writes the approximate cosine of `query` with each of `rows` to `cosines`, after comparing their sums:
    /// see [`Vectors::confirm`].
    pub(super) fn rough(&self, rows: Range<u32>, query: &VectorQuery, cosines: &mut [f32]) {
        let rows = self.bytes(rows).chunks_exact(self.header.stride());
        let summed = rows.map(|row| {
            let (_, trailer) = split_row(row);
            let rest = row_sum(0, trailer.scale.get(), trailer.slot.get());
            (quantized(row), trailer.sum.get().wrapping_sub(rest))
        });
        if !query
            .kernel
            .compare::<true>(query.quantized(), summed, cosines)
        {
            self.is_damaged.store(true, Ordering::Relaxed);
        }
    }

    fn is_as_written(&self, row: u32, bytes: &[u8]) -> bool {
        let (bytes, check) = bytes.split_at(bytes.len() - size_of::<U32>());
        row_check(bytes, self.number(), row).to_le_bytes() == check
    }

    /// Returns the checksum that identifies a row.
    pub(super) fn check(&self, row: u32) -> u64 {
        let trailer = self.trailer(row);
        u64::from(trailer.sum.get()) << 32 | u64::from(trailer.check.get())
    }

    fn trailer(&self, row: u32) -> &Trailer {
        split_row(self.bytes(row..row + 1)).1
    }

    /// Returns the bytes of some rows.
    fn bytes(&self, rows: Range<u32>) -> &[u8] {
        let stride = self.header.stride();
        let start = |row: u32| self.header.length() + row as usize * stride;
        &self.map[start(rows.start)..start(rows.end)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::vectors::tests::{MODEL, vector_file, vectors};

    type Damage = Box<dyn FnOnce(&mut Vec<u8>)>;

    const ROWS: u32 = 5;
    const WIDE: usize = 64 + size_of::<Trailer>();

    fn set_check(bytes: &mut [u8]) {
        let check = header_check(&bytes[..PREFIX], &bytes[PREFIX..64]);
        bytes[24..PREFIX].copy_from_slice(&check.to_le_bytes());
    }

    /// Opens and verifies a file of five rows after `harm` changed its bytes; returns the error.
    fn open_damaged(harm: impl FnOnce(&mut Vec<u8>)) -> Result<(), String> {
        let dir = tempfile::tempdir().unwrap();
        vector_file(dir.path(), 1, &vectors(ROWS as usize, 40, 1));
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
    fn reports_each_kind_of_damage() {
        let set = |at: usize, field: &'static [u8]| {
            move |bytes: &mut Vec<u8>| {
                bytes[at..at + field.len()].copy_from_slice(field);
            }
        };
        // A header of another version has a valid checksum.
        let checked = |at: usize, field: u32| {
            move |bytes: &mut Vec<u8>| {
                bytes[at..at + 4].copy_from_slice(&field.to_le_bytes());
                set_check(bytes);
            }
        };
        let begin = "/vectors.1 is damaged: it is not a vector file";
        let ends = "/vectors.1 is damaged: it ends inside its header";
        let sense = "/vectors.1 is damaged: its header is invalid";
        let check = "/vectors.1 is damaged: its header has a wrong checksum";
        let cases: Vec<(&str, Damage, Option<&str>)> = vec![
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
                Some("/vectors.1 is damaged: it contains 0 of 5 rows"),
            ),
            (
                "cut between two rows",
                Box::new(|b| b.truncate(64 + 3 * WIDE)),
                Some("/vectors.1 is damaged: it contains 3 of 5 rows"),
            ),
            (
                "cut by one byte",
                Box::new(|b| b.truncate(64 + 5 * WIDE - 1)),
                Some("/vectors.1 is damaged: it contains 4 of 5 rows"),
            ),
            ("zeroed", Box::new(|b| b.fill(0)), Some(begin)),
            (
                "zeroed behind the header",
                Box::new(|b| b[64..].fill(0)),
                Some("/vectors.1 is damaged: row 0 has a wrong checksum"),
            ),
            (
                "a page that was not written",
                Box::new(|b| b[64 + 2 * WIDE..64 + 3 * WIDE].fill(0)),
                Some("/vectors.1 is damaged: row 2 has a wrong checksum"),
            ),
            (
                "a flipped bit in the last row",
                Box::new(|b| *b.last_mut().unwrap() ^= 1),
                Some("/vectors.1 is damaged: row 4 has a wrong checksum"),
            ),
            (
                "two rows that changed places",
                Box::new(|b| {
                    let (left, right) = b[64..].split_at_mut(WIDE);
                    left.swap_with_slice(&mut right[..WIDE]);
                }),
                Some("/vectors.1 is damaged: row 0 has a wrong checksum"),
            ),
            ("another magic", Box::new(set(0, b"MEM VECT")), Some(begin)),
            (
                "an older one",
                Box::new(checked(8, 1)),
                Some("/vectors.1 has format 1, this mem writes 2"),
            ),
            (
                "a newer one",
                Box::new(checked(8, 3)),
                Some("/vectors.1 has format 3, this mem writes 2"),
            ),
            (
                "another number",
                Box::new(checked(12, 4)),
                Some("/vectors.1 is damaged: its header has number 4"),
            ),
            ("no width", Box::new(checked(16, 0)), Some(sense)),
            ("far too wide", Box::new(checked(16, u32::MAX)), Some(sense)),
            (
                "wider than it was",
                Box::new(checked(16, 100)),
                Some("/vectors.1 is damaged: it contains 2 of 5 rows"),
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
                    set_check(b);
                }),
                Some(sense),
            ),
            (
                "another model",
                Box::new(|b| {
                    b[32] = b'T';
                    set_check(b);
                }),
                Some("/vectors.1 holds vectors of Test"),
            ),
        ];
        for (name, harm, expected) in cases {
            assert_eq!(open_damaged(harm).err().as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn detects_every_cut_and_flipped_bit() {
        let dir = tempfile::tempdir().unwrap();
        vector_file(dir.path(), 1, &vectors(2, 40, 1));
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
    fn reports_a_missing_file() {
        let dir = tempfile::tempdir().unwrap();
        let opened = Vectors::open(dir.path(), 1, 0, MODEL);
        assert!(matches!(opened, Err(VectorError::Unusable { .. })));
    }

    #[test]
    fn an_unverified_damaged_row_affects_only_itself() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(50, 40, 1);
        vector_file(dir.path(), 1, &all);
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
    fn a_scan_detects_every_flipped_bit_it_reads() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(9, 40, 1);
        vector_file(dir.path(), 1, &all);
        let file = dir.path().join("vectors.1");
        let whole = fs::read(&file).unwrap();
        // Components, scale and slot.
        for bit in 0..(64 + 8) * 8 {
            let mut bytes = whole.clone();
            bytes[64 + 7 * WIDE + bit / 8] ^= 1 << (bit % 8);
            fs::write(&file, bytes).unwrap();
            let vectors = Vectors::open(dir.path(), 1, 9, MODEL).unwrap();
            let _ = vectors.nearest(&all[0], 1, None, None);
            assert!(vectors.confirm().is_err(), "bit {bit}");
        }
    }
}
