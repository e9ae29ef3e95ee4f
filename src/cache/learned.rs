//! Cached usage of notes: the folded journal in one file, from which single notes are decoded.
//!
//! ```text
//! header  format u32 | entries u32 | from i64 | to i64
//! entry   key u64 | at u32, by key
//! usage   postcard of `Usage`, consecutive
//! seal    checksum of all above
//! ```
//!
//! All little-endian. Two entries lead to a usage: the keys are hashes of the path and of the body. The seal
//! includes a stamp that identifies the journal; `from` and `to` bound the clock times for which the fold is
//! valid. A file with another stamp, another time, or a wrong checksum is ignored.

use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use zerocopy::little_endian::{I64, U32, U64};
use zerocopy::{FromBytes as _, IntoBytes as _};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::sealed;
use crate::signals::usage::Usage;
use crate::vault::own_files;

const FORMAT: u32 = 6;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    format: U32,
    entries: U32,
    from: I64,
    to: I64,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Entry {
    key: U64,
    at: U32,
}

/// The bytes of the file, with a valid seal.
#[derive(Debug)]
pub struct LearnedFile(Vec<u8>);

fn path_key(path: &str) -> u64 {
    xxh3_64(path.as_bytes())
}

/// Returns the key of a body hash; `None` for 0, the hash of no body.
fn body_key(body: u64) -> Option<u64> {
    (body != 0).then(|| xxh3_64_with_seed(&body.to_le_bytes(), 1))
}

impl LearnedFile {
    /// Encodes the fold of the journal with this stamp, valid for the clock times in `holds`. `usages` are
    /// paths, body hashes and usages.
    pub fn encode<'u>(
        stamp: u64,
        holds: &RangeInclusive<i64>,
        usages: impl IntoIterator<Item = (&'u str, u64, &'u Usage)>,
    ) -> Self {
        let mut usages: Vec<_> = usages
            .into_iter()
            .map(|(path, body, usage)| (path_key(path), body, usage))
            .collect();
        usages.sort_by_key(|(path, ..)| *path);
        let (mut entries, mut blob) = (Vec::new(), Vec::new());
        for (path, body, usage) in usages {
            for key in [Some(path), body_key(body)].into_iter().flatten() {
                let (key, at) = (key.into(), (blob.len() as u32).into());
                entries.push(Entry { key, at });
            }
            blob.extend(postcard::to_stdvec(usage).expect("numbers and texts can be encoded"));
        }
        // Stable: of two notes with the same body the first counts.
        entries.sort_by_key(|entry| entry.key.get());
        let header = Header {
            format: FORMAT.into(),
            entries: (entries.len() as u32).into(),
            from: (*holds.start()).into(),
            to: (*holds.end()).into(),
        };
        let bytes = [header.as_bytes(), entries.as_bytes(), &blob].concat();
        Self(sealed::seal(&stamp.to_le_bytes(), bytes))
    }

    /// Reads the file at `path` if it belongs to the journal with this stamp and is valid at time `now`.
    pub fn open(path: &Path, stamp: u64, now: i64) -> Option<Self> {
        let file = Self(own_files::read_up_to(u64::MAX, path).ok()?);
        sealed::open(&stamp.to_le_bytes(), &file.0)?;
        let (header, _) = Header::ref_from_prefix(&file.0).ok()?;
        let is_valid =
            header.format.get() == FORMAT && (header.from.get()..=header.to.get()).contains(&now);
        is_valid.then_some(file)
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        own_files::write_atomically(path, &self.0)
    }

    /// Returns the usage of the note at `path`, or of the note that had this body.
    pub fn get(&self, path: &str, body: u64) -> Option<Usage> {
        let (header, rest) = Header::ref_from_prefix(&self.0).ok()?;
        let count = header.entries.get() as usize;
        let (entries, usages) = <[Entry]>::ref_from_prefix_with_elems(rest, count).ok()?;
        let find = |key: u64| {
            let first = entries.partition_point(|entry| entry.key.get() < key);
            entries.get(first).filter(|found| found.key.get() == key)
        };
        let entry = find(path_key(path)).or_else(|| find(body_key(body)?))?;
        postcard::from_bytes(usages.get(entry.at.get() as usize..)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn finds_notes_by_path_and_body_unless_damaged() {
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
        let all = usages
            .iter()
            .map(|(path, usage)| (&**path, usage.accesses, usage));
        LearnedFile::encode(7, &(3..=5), all).write(&path).unwrap();
        let file = LearnedFile::open(&path, 7, 5).unwrap();
        let accesses = |path: &str, body| file.get(path, body).map(|usage| usage.accesses);
        for (path, usage) in &usages {
            assert_eq!(accesses(path, 0), Some(usage.accesses));
            assert_eq!(accesses("gone.md", usage.accesses), Some(usage.accesses));
        }
        assert_eq!(accesses("none.md", 0), None);
        for (stamp, now) in [(8, 4), (7, 2), (7, 6)] {
            assert!(LearnedFile::open(&path, stamp, now).is_none());
        }
        let bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 4;
            fs::write(&path, flipped).unwrap();
            assert!(LearnedFile::open(&path, 7, 5).is_none(), "{at}");
        }
    }
}
