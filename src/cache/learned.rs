//! What was learned of notes, as the journal's fold came out last: a file that a cold process looks a few
//! notes up in without reading the rest.
//!
//! ```text
//! header  magic 8 bytes | format u32 | notes u32 | stamp u64 | check u64
//! entry   hash of the path u64 | hash of the body u64 | at u32 | length u32 | check u64, by path
//! body    hash of the body u64 | number of the entry u32 | zeros u32, by body
//! usage   postcard of `Usage`, one behind the other
//! ```
//!
//! All little-endian. The stamp names the journal it was made from. A file with another stamp, or with a
//! wrong checksum, is not used. The table of entries has no checksum of its own: a flipped bit there can
//! hide what is known of a note until the journal changes.

use std::cell::OnceCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, IntoBytes};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::signals::usage::Usage;
use crate::vault::own;

const MAGIC: [u8; 8] = *b"mem used";
const FORMAT: u32 = 1;

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    format: U32,
    notes: U32,
    stamp: U64,
    check: U64,
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Entry {
    path: U64,
    body: U64,
    at: U32,
    length: U32,
    check: U64,
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Body {
    hash: U64,
    entry: U32,
    zeros: U32,
}

const HEADER: usize = size_of::<Header>();
const ENTRY: usize = size_of::<Entry>();
const BODY: usize = size_of::<Body>();

impl Header {
    fn sum(&self) -> u64 {
        xxh3_64(&self.as_bytes()[..HEADER - size_of::<U64>()])
    }
}

impl Entry {
    fn sum(&self, stamp: u64) -> u64 {
        xxh3_64_with_seed(&self.as_bytes()[..ENTRY - size_of::<U64>()], stamp)
    }
}

/// A file that is open.
#[derive(Debug)]
pub struct LearnedFile {
    file: File,
    /// All of it, once all of it is asked for.
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

/// Returns the bytes of a file for the journal of this stamp; `usages` are paths, hashes of bodies and what
/// was learned.
pub fn encode<'u>(
    stamp: u64,
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
        let mut entry = Entry {
            path: path.into(),
            body: body.into(),
            at: (blob.len() as u32).into(),
            length: (bytes.len() as u32).into(),
            check: xxh3_64(&bytes).into(),
        };
        // Of the entry and, through its seed, of what it points to.
        entry.check = entry.sum(stamp ^ entry.check.get()).into();
        entries.push(entry);
        blob.extend(bytes);
    }
    let mut bodies: Vec<Body> = (0u32..)
        .zip(&entries)
        .filter(|(_, entry)| entry.body.get() != 0)
        .map(|(number, entry)| Body {
            hash: entry.body,
            entry: number.into(),
            zeros: U32::ZERO,
        })
        .collect();
    bodies.resize(
        entries.len(),
        Body {
            hash: u64::MAX.into(),
            entry: u32::MAX.into(),
            zeros: U32::ZERO,
        },
    );
    bodies.sort_by_key(|body| (body.hash.get(), body.entry.get()));
    let mut header = Header {
        magic: MAGIC,
        format: FORMAT.into(),
        notes: (entries.len() as u32).into(),
        stamp: stamp.into(),
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
    /// Opens the file at `path` if it is that of the journal of this stamp.
    #[must_use]
    pub fn open(path: &Path, stamp: u64) -> Option<Self> {
        let file = own::open(path).ok()?;
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0).ok()?;
        let header = Header::read_from_bytes(&header).ok()?;
        let is_it = header.magic == MAGIC
            && header.format.get() == FORMAT
            && header.stamp.get() == stamp
            && header.check.get() == header.sum();
        is_it.then(|| Self {
            file,
            bytes: OnceCell::new(),
            notes: header.notes.get() as usize,
            stamp,
        })
    }

    /// Reads all of it at once, for those who look at most notes.
    pub fn read_all(&self) -> io::Result<()> {
        if self.bytes.get().is_none() {
            let length = self.file.metadata()?.len() as usize;
            let mut bytes = vec![0; length];
            self.file.read_exact_at(&mut bytes, 0)?;
            let _ = self.bytes.set(bytes);
        }
        Ok(())
    }

    /// Returns what was learned of the note at `path`, or of the one that had this body; an error where a
    /// checksum does not hold.
    pub fn get(&self, path: &str, body: u64) -> io::Result<Option<Usage>> {
        if let Some(entry) = self.by_path(hash(path))? {
            return self.usage(entry).map(Some);
        }
        if body == 0 {
            return Ok(None);
        }
        let (mut low, mut high) = (0, self.notes);
        while low < high {
            let middle = usize::midpoint(low, high);
            let found: Body = self.at(HEADER + self.notes * ENTRY + middle * BODY)?;
            if found.hash.get() < body {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low == self.notes {
            return Ok(None);
        }
        let found: Body = self.at(HEADER + self.notes * ENTRY + low * BODY)?;
        if found.hash.get() != body || found.entry.get() as usize >= self.notes {
            return Ok(None);
        }
        let entry = self.entry(found.entry.get() as usize)?;
        self.usage(entry).map(Some)
    }

    fn by_path(&self, path: u64) -> io::Result<Option<Entry>> {
        let (mut low, mut high) = (0, self.notes);
        while low < high {
            let middle = usize::midpoint(low, high);
            let entry = self.entry(middle)?;
            match entry.path.get().cmp(&path) {
                std::cmp::Ordering::Equal => return Ok(Some(entry)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    fn entry(&self, number: usize) -> io::Result<Entry> {
        self.at(HEADER + number * ENTRY)
    }

    fn usage(&self, entry: Entry) -> io::Result<Usage> {
        let at = HEADER + self.notes * (ENTRY + BODY) + entry.at.get() as usize;
        let length = entry.length.get() as usize;
        let mut bytes = vec![0; length.min(1 << 20)];
        self.read(at, &mut bytes)?;
        if entry.check.get() != entry.sum(self.stamp ^ xxh3_64(&bytes)) {
            return Err(damaged());
        }
        postcard::from_bytes(&bytes).map_err(|_| damaged())
    }

    fn at<T: FromBytes + IntoBytes>(&self, at: usize) -> io::Result<T> {
        let mut value = T::new_zeroed();
        self.read(at, value.as_mut_bytes())?;
        Ok(value)
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
