//! Number of links and tags per note, and whether its links resolve. Computed on first use for a whole vault,
//! stored for later processes, and updated by index passes.
//!
//! The file is a sealed list. A file of another state of the catalog, or a damaged one, is ignored.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::meta::CacheMeta;
use super::row::Slot;
use super::sealed;
use crate::vault::own_files;

/// Version of the format, part of the key of the seal.
const FORMAT: u64 = 4;

/// Number of links and tags of a note, and the state of its links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteCounts {
    /// Links to and from other notes, without `summaries`.
    pub links: u32,
    /// Links from notes that mem derived from this one.
    pub summaries: u32,
    pub tags: u32,
    pub status: LinkStatus,
}

/// Whether the links of a note resolve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkStatus {
    /// At least one link leads to another note.
    pub has_resolved: bool,
    /// At least one link leads to a note that does not exist.
    pub has_broken: bool,
}

/// Counts of all notes, by slot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllCounts(Vec<NoteCounts>);

impl AllCounts {
    /// Collects the counts of the given slots.
    pub fn of(counts: impl IntoIterator<Item = (Slot, NoteCounts)>) -> Self {
        let mut all = Self::default();
        for (slot, counts) in counts {
            *all.of_slot(slot) = counts;
        }
        all
    }

    pub fn get(&self, slot: Slot) -> NoteCounts {
        self.0.get(slot as usize).copied().unwrap_or_default()
    }

    /// Adds to the counts of a note; `None` if a count would become negative.
    pub fn add(&mut self, slot: Slot, links: i32, summaries: i32, tags: i32) -> Option<()> {
        let known = self.of_slot(slot);
        known.links = known.links.checked_add_signed(links)?;
        known.summaries = known.summaries.checked_add_signed(summaries)?;
        known.tags = known.tags.checked_add_signed(tags)?;
        Some(())
    }

    /// Sets whether the links of a note resolve.
    pub fn set_status(&mut self, slot: Slot, status: LinkStatus) {
        self.of_slot(slot).status = status;
    }

    fn of_slot(&mut self, slot: Slot) -> &mut NoteCounts {
        let slot = slot as usize;
        if slot >= self.0.len() {
            self.0.resize(slot + 1, NoteCounts::default());
        }
        &mut self.0[slot]
    }

    /// Loads the stored counts, if they belong to this state of the catalog.
    pub fn load(path: &Path, meta: &CacheMeta) -> Option<Self> {
        let bytes = own_files::read_bytes(path).ok()?;
        postcard::from_bytes(sealed::open(&key(meta), &bytes)?).ok()
    }

    /// Stores the counts. If that fails, later processes compute them again.
    pub fn keep(&self, path: &Path, meta: &CacheMeta) {
        if let Ok(counts) = postcard::to_stdvec(self) {
            let _ = own_files::write_atomically(path, &sealed::seal(&key(meta), counts));
        }
    }
}

/// Returns the key of the seal, which identifies the format and the state of the catalog.
fn key(meta: &CacheMeta) -> [u8; 8] {
    (meta.instance ^ meta.generation.rotate_left(32) ^ FORMAT.rotate_left(56)).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn ignores_counts_of_another_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counts");
        let meta = CacheMeta {
            instance: 3,
            generation: 7,
            ..CacheMeta::default()
        };
        let of = |links| NoteCounts {
            links,
            summaries: 5,
            tags: 1,
            status: LinkStatus {
                has_resolved: links == 2,
                has_broken: links != 2,
            },
        };
        let counts = AllCounts::of([(0, of(2)), (3, of(u32::MAX))]);
        assert_eq!(AllCounts::load(&path, &meta), None);
        counts.keep(&path, &meta);
        let read = AllCounts::load(&path, &meta).unwrap();
        assert_eq!(read, counts);
        assert_eq!(
            [read.get(3), read.get(1), read.get(9)],
            [of(u32::MAX), NoteCounts::default(), NoteCounts::default()]
        );
        let later = CacheMeta {
            generation: 8,
            ..meta.clone()
        };
        assert_eq!(AllCounts::load(&path, &later), None);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            fs::write(&path, flipped).unwrap();
            assert_eq!(AllCounts::load(&path, &meta), None, "{at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(AllCounts::load(&path, &meta), None, "{at}");
        }
    }
}
