//! Cached usage of notes: the folded journal in a file with random access, so that a cold process reads only
//! a few entries.
//!
//! ```text
//! header  magic 8 bytes | format u32 | entries u32 | stamp u64 | from i64 | to i64 | check u64
//! entry   key u64 | at u32 | length u32 | check of the usage u32 | check u32, by key
//! usage   postcard of `Usage`, consecutive
//! ```
//!
//! All little-endian. Two entries lead to a usage: the keys are hashes of the path and of the body. The stamp
//! identifies the journal; `from` and `to` bound the clock times for which the fold is valid. A file with
//! another stamp, another time, or a wrong checksum on the way to an entry is ignored.

use std::cell::OnceCell;
use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use zerocopy::little_endian::{I64, U32, U64};
use zerocopy::{FromBytes as _, FromZeros as _, IntoBytes as _};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::signals::usage::Usage;
use crate::vault::own_files;

const MAGIC: [u8; 8] = *b"mem used";
const FORMAT: u32 = 5;

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    format: U32,
    entries: U32,
    stamp: U64,
    from: I64,
    to: I64,
    check: U64,
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Entry {
    key: U64,
    at: U32,
    length: U32,
    usage: U32,
    check: U32,
}

const HEADER: usize = size_of::<Header>();
const ENTRY: usize = size_of::<Entry>();

impl Header {
    fn sum(&self) -> u64 {
        xxh3_64(&self.as_bytes()[..HEADER - size_of::<U64>()])
    }
}

impl Entry {
    /// Returns the checksum of the entry without its checksum field.
    fn sum(&self, stamp: u64) -> u32 {
        xxh3_64_with_seed(&self.as_bytes()[..ENTRY - size_of::<U32>()], stamp) as u32
    }
}

/// An open file, or its bytes in memory.
#[derive(Debug)]
pub struct LearnedFile {
    file: Option<File>,
    /// The whole file, once it has been read.
    bytes: OnceCell<Vec<u8>>,
    entries: usize,
    stamp: u64,
}

fn path_key(path: &str) -> u64 {
    xxh3_64(path.as_bytes())
}

/// Returns the key of a body hash; `None` for 0, the hash of no body.
fn body_key(body: u64) -> Option<u64> {
    (body != 0).then(|| xxh3_64_with_seed(&body.to_le_bytes(), 1))
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
) -> Vec<u8> {
    let mut usages: Vec<_> = usages
        .into_iter()
        .map(|(path, body, usage)| (path_key(path), body, usage))
        .collect();
    usages.sort_by_key(|(path, ..)| *path);
    let (mut entries, mut blob) = (Vec::new(), Vec::new());
    for (path, body, usage) in usages {
        let bytes = postcard::to_stdvec(usage).expect("numbers and texts can be encoded");
        for key in [Some(path), body_key(body)].into_iter().flatten() {
            let mut entry = Entry {
                key: key.into(),
                at: (blob.len() as u32).into(),
                length: (bytes.len() as u32).into(),
                usage: (xxh3_64(&bytes) as u32).into(),
                check: U32::ZERO,
            };
            entry.check = entry.sum(stamp).into();
            entries.push(entry);
        }
        blob.extend(bytes);
    }
    // Stable: of two notes with the same body the first counts.
    entries.sort_by_key(|entry| entry.key.get());
    let mut header = Header {
        magic: MAGIC,
        format: FORMAT.into(),
        entries: (entries.len() as u32).into(),
        stamp: stamp.into(),
        from: (*holds.start()).into(),
        to: (*holds.end()).into(),
        check: U64::ZERO,
    };
    header.check = header.sum().into();
    [header.as_bytes(), entries.as_bytes(), &blob].concat()
}

impl LearnedFile {
    /// Opens the file at `path` if it belongs to the journal with this stamp and is valid at time `now`.
    pub fn open(path: &Path, stamp: u64, now: i64) -> Option<Self> {
        let file = own_files::open(path).ok()?;
        let mut header = Header::new_zeroed();
        file.read_exact_at(header.as_mut_bytes(), 0).ok()?;
        let is_it = header.magic == MAGIC
            && header.format.get() == FORMAT
            && header.stamp.get() == stamp
            && (header.from.get()..=header.to.get()).contains(&now)
            && header.check.get() == header.sum();
        is_it.then(|| Self {
            file: Some(file),
            bytes: OnceCell::new(),
            entries: header.entries.get() as usize,
            stamp,
        })
    }

    /// Returns the file with `bytes`, the result of [`encode`], without writing it.
    pub fn in_memory(bytes: Vec<u8>, stamp: u64) -> Self {
        let header = Header::ref_from_prefix(&bytes);
        Self {
            file: None,
            entries: header.map_or(0, |(header, _)| header.entries.get() as usize),
            bytes: bytes.into(),
            stamp,
        }
    }

    /// Reads the whole file at once, for callers that need most notes.
    pub fn read_all(&self) -> io::Result<()> {
        if let (None, Some(file)) = (self.bytes.get(), &self.file) {
            let mut bytes = vec![0; file.metadata()?.len() as usize];
            file.read_exact_at(&mut bytes, 0)?;
            let _ = self.bytes.set(bytes);
        }
        Ok(())
    }

    /// Returns the usage of the note at `path`, or of the note that had this body. A wrong checksum is an
    /// error.
    pub fn get(&self, path: &str, body: u64) -> io::Result<Option<Usage>> {
        let entry = match (self.search(path_key(path))?, body_key(body)) {
            (None, Some(body)) => self.search(body)?,
            (entry, _) => entry,
        };
        entry.map(|entry| self.usage(entry)).transpose()
    }

    /// Returns the first entry with this key.
    fn search(&self, key: u64) -> io::Result<Option<Entry>> {
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.entry(middle)?.key.get() < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low == self.entries {
            return Ok(None);
        }
        Ok(Some(self.entry(low)?).filter(|found| found.key.get() == key))
    }

    fn usage(&self, entry: Entry) -> io::Result<Usage> {
        let at = HEADER + self.entries * ENTRY + entry.at.get() as usize;
        let length = entry.length.get() as usize;
        let mut bytes = vec![0; length.min(1 << 20)];
        self.read(at, &mut bytes)?;
        if entry.usage.get() != xxh3_64(&bytes) as u32 {
            return Err(damaged());
        }
        postcard::from_bytes(&bytes).map_err(|_| damaged())
    }

    fn entry(&self, number: usize) -> io::Result<Entry> {
        let mut entry = Entry::new_zeroed();
        self.read(HEADER + number * ENTRY, entry.as_mut_bytes())?;
        // A damaged entry would misdirect the search, which would then find nothing without an error.
        if entry.check.get() != entry.sum(self.stamp) {
            return Err(damaged());
        }
        Ok(entry)
    }

    fn read(&self, at: usize, into: &mut [u8]) -> io::Result<()> {
        if let (None, Some(file)) = (self.bytes.get(), &self.file) {
            return file.read_exact_at(into, at as u64);
        }
        let found = self
            .bytes
            .get()
            .and_then(|bytes| bytes.get(at..at + into.len()));
        into.copy_from_slice(found.ok_or_else(damaged)?);
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
