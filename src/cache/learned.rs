//! Cached usage of notes: the folded journal in a file with random access, so that a cold process reads only
//! a few entries.
//!
//! ```text
//! header  magic 8 bytes | format u32 | notes u32 | stamp u64 | from i64 | to i64 | check u64
//! entry   hash of the path u64 | hash of the body u64 | at u32 | length u32 | check of the usage u32 | check u32, by path
//! body    hash of the body u64 | number of the entry u32 | check u32, by body
//! usage   postcard of `Usage`, consecutive
//! ```
//!
//! All little-endian. The stamp identifies the journal; `from` and `to` bound the clock times for which the
//! fold is valid. A file with another stamp, another time, or a wrong checksum on the way to an entry is
//! ignored.

use std::cell::OnceCell;
use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use zerocopy::little_endian::{I64, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::signals::usage::Usage;
use crate::vault::own_files;

const MAGIC: [u8; 8] = *b"mem used";
const FORMAT: u32 = 4;

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    format: U32,
    notes: U32,
    stamp: U64,
    from: I64,
    to: I64,
    check: U64,
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Entry {
    path: U64,
    body: U64,
    at: U32,
    length: U32,
    usage: U32,
    check: U32,
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Body {
    hash: U64,
    entry: U32,
    check: U32,
}

const HEADER: usize = size_of::<Header>();
const ENTRY: usize = size_of::<Entry>();
const BODY: usize = size_of::<Body>();

impl Header {
    fn sum(&self) -> u64 {
        xxh3_64(&self.as_bytes()[..HEADER - size_of::<U64>()])
    }
}

/// A record of one of the two tables.
trait Record: FromBytes + IntoBytes + Immutable {
    fn check(&mut self) -> &mut U32;

    /// Returns the checksum of the record without its checksum field.
    fn sum(&self, stamp: u64) -> u32 {
        let bytes = self.as_bytes();
        xxh3_64_with_seed(&bytes[..bytes.len() - size_of::<U32>()], stamp) as u32
    }
}

impl Record for Entry {
    fn check(&mut self) -> &mut U32 {
        &mut self.check
    }
}

impl Record for Body {
    fn check(&mut self) -> &mut U32 {
        &mut self.check
    }
}

fn checked<T: Record>(mut line: T, stamp: u64) -> T {
    *line.check() = line.sum(stamp).into();
    line
}

/// An open file.
#[derive(Debug)]
pub struct LearnedFile {
    file: File,
    /// The whole file, once it has been read.
    bytes: OnceCell<Vec<u8>>,
    notes: usize,
    stamp: u64,
}

fn hash(path: &str) -> u64 {
    xxh3_64(path.as_bytes())
}

fn damaged() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// Encodes a file for the journal with this stamp, valid for the clock times in `holds`. `usages` are paths,
/// body hashes and usages.
pub fn encode<'u>(
    stamp: u64,
    holds: &RangeInclusive<i64>,
    usages: impl IntoIterator<Item = (&'u str, u64, &'u Usage)>,
) -> io::Result<Vec<u8>> {
    let mut usages: Vec<_> = usages
        .into_iter()
        .map(|(path, body, usage)| (hash(path), body, usage))
        .collect();
    usages.sort_by_key(|(path, ..)| *path);
    let (mut entries, mut blob) = (Vec::new(), Vec::new());
    for (path, body, usage) in usages {
        let bytes = postcard::to_stdvec(usage).map_err(io::Error::other)?;
        let entry = Entry {
            path: path.into(),
            body: body.into(),
            at: (blob.len() as u32).into(),
            length: (bytes.len() as u32).into(),
            usage: (xxh3_64(&bytes) as u32).into(),
            check: U32::ZERO,
        };
        entries.push(checked(entry, stamp));
        blob.extend(bytes);
    }
    let numbered = (0u32..).zip(&entries);
    let mut bodies: Vec<(u64, u32)> = numbered
        .map(|(number, entry)| match entry.body.get() {
            0 => (u64::MAX, u32::MAX),
            hash => (hash, number),
        })
        .collect();
    bodies.sort_unstable();
    let body = |(hash, entry): (u64, u32)| Body {
        hash: hash.into(),
        entry: entry.into(),
        check: U32::ZERO,
    };
    let bodies = bodies.into_iter().map(|it| checked(body(it), stamp));
    let bodies: Vec<Body> = bodies.collect();
    let mut header = Header {
        magic: MAGIC,
        format: FORMAT.into(),
        notes: (entries.len() as u32).into(),
        stamp: stamp.into(),
        from: (*holds.start()).into(),
        to: (*holds.end()).into(),
        check: U64::ZERO,
    };
    header.check = header.sum().into();
    Ok([
        header.as_bytes(),
        entries.as_bytes(),
        bodies.as_bytes(),
        &blob,
    ]
    .concat())
}

impl LearnedFile {
    /// Opens the file at `path` if it belongs to the journal with this stamp and is valid at time `now`.
    pub fn open(path: &Path, stamp: u64, now: i64) -> Option<Self> {
        let file = own_files::open(path).ok()?;
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0).ok()?;
        let header = Header::read_from_bytes(&header).ok()?;
        let is_it = header.magic == MAGIC
            && header.format.get() == FORMAT
            && header.stamp.get() == stamp
            && (header.from.get()..=header.to.get()).contains(&now)
            && header.check.get() == header.sum();
        is_it.then(|| Self {
            file,
            bytes: OnceCell::new(),
            notes: header.notes.get() as usize,
            stamp,
        })
    }

    /// Reads the whole file at once, for callers that need most notes.
    pub fn read_all(&self) -> io::Result<()> {
        if self.bytes.get().is_none() {
            let length = self.file.metadata()?.len() as usize;
            let mut bytes = vec![0; length];
            self.file.read_exact_at(&mut bytes, 0)?;
            let _ = self.bytes.set(bytes);
        }
        Ok(())
    }

    /// Returns the usage of the note at `path`, or of the note that had this body. A wrong checksum is an
    /// error.
    pub fn get(&self, path: &str, body: u64) -> io::Result<Option<Usage>> {
        let by_path = |entry: &Entry| entry.path.get();
        if let Some(entry) = self.search(HEADER, hash(path), by_path)? {
            return self.usage(entry).map(Some);
        }
        let bodies = HEADER + self.notes * ENTRY;
        match self.search(bodies, body, |body: &Body| body.hash.get())? {
            Some(found) if body != 0 && (found.entry.get() as usize) < self.notes => {
                let entry = self.at(HEADER + found.entry.get() as usize * ENTRY)?;
                self.usage(entry).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the first of the sorted records from `start` with this key.
    fn search<T: Record>(
        &self,
        start: usize,
        wanted: u64,
        key: impl Fn(&T) -> u64,
    ) -> io::Result<Option<T>> {
        let (mut low, mut high) = (0, self.notes);
        let line = |number: usize| self.at(start + number * size_of::<T>());
        while low < high {
            let middle = usize::midpoint(low, high);
            if key(&line(middle)?) < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low == self.notes {
            return Ok(None);
        }
        Ok(Some(line(low)?).filter(|found| key(found) == wanted))
    }

    fn usage(&self, entry: Entry) -> io::Result<Usage> {
        let at = HEADER + self.notes * (ENTRY + BODY) + entry.at.get() as usize;
        let length = entry.length.get() as usize;
        let mut bytes = vec![0; length.min(1 << 20)];
        self.read(at, &mut bytes)?;
        if entry.usage.get() != xxh3_64(&bytes) as u32 {
            return Err(damaged());
        }
        postcard::from_bytes(&bytes).map_err(|_| damaged())
    }

    fn at<T: Record>(&self, at: usize) -> io::Result<T> {
        let mut line = T::new_zeroed();
        self.read(at, line.as_mut_bytes())?;
        // A damaged record would misdirect the search, which would then find nothing without an error.
        if line.check().get() != line.sum(self.stamp) {
            return Err(damaged());
        }
        Ok(line)
    }

    fn read(&self, at: usize, into: &mut [u8]) -> io::Result<()> {
        let Some(bytes) = self.bytes.get() else {
            return self.file.read_exact_at(into, at as u64);
        };
        let found = bytes.get(at..at + into.len()).ok_or_else(damaged)?;
        into.copy_from_slice(found);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn detects_every_flipped_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned");
        let usages: Vec<(String, Usage)> = (1..40)
            .map(|accesses| {
                let usage = Usage {
                    accesses,
                    ..Usage::default()
                };
                (format!("{accesses}.md"), usage)
            })
            .collect();
        let bytes = encode(
            7,
            &(3..=5),
            usages
                .iter()
                .map(|(path, usage)| (&**path, usage.accesses, usage)),
        );
        let bytes = bytes.unwrap();
        let lookups = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let file = LearnedFile::open(&path, 7, 5);
            // By path, then by body for a missing path.
            let names = usages.iter().map(|(path, usage)| (&**path, usage.accesses));
            let names = names.flat_map(|(path, body)| [(path, 0), ("gone.md", body)]);
            let found = names.chain([("none.md", 0)]).map(|(path, body)| {
                let found = file.as_ref().ok_or_else(damaged)?.get(path, body)?;
                Ok(found.map_or(0, |usage| usage.accesses))
            });
            found.collect::<Vec<io::Result<u64>>>()
        };
        let known: Vec<u64> = lookups(&bytes).into_iter().map(Result::unwrap).collect();
        assert_eq!(known[..4], [1, 1, 2, 2]);
        for (stamp, now) in [(8, 4), (7, 2), (7, 6)] {
            assert!(LearnedFile::open(&path, stamp, now).is_none());
        }
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 4;
            for (found, expected) in lookups(&flipped).into_iter().zip(&known) {
                assert!(
                    found.is_err() || found.is_ok_and(|found| found == *expected),
                    "{at}"
                );
            }
        }
    }
}
