//! Number of links and tags per note, and whether its links resolve. Computed on first use for a whole vault,
//! stored for later processes, and updated by index passes.
//!
//! ```text
//! header  magic 8 bytes | stamp u64 | check u64
//! counts  links u32 | summaries u32 | tags u30, somewhere u1, nowhere u1, by slot; zeros for free slots
//! ```
//!
//! All little-endian. The stamp identifies the state of the catalog; the checksum covers the counts. A file
//! with a different stamp or checksum is ignored.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::meta::Meta;
use super::row::Slot;
use crate::vault::own_files;

const MAGIC: &[u8; 8] = b"mem cnt3";
const HEADER: usize = 24;

/// Flag bits in the number of tags.
const LINKS_SOMEWHERE: u32 = 1 << 30;
const LINKS_NOWHERE: u32 = 1 << 31;

/// Maximum number of tags; the remaining bits of the number.
const MAX_TAGS: u32 = LINKS_SOMEWHERE - 1;

/// Number of links and tags of a note, and the state of its links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Links to and from other notes, without `summaries`.
    pub links: u32,
    /// Links from notes that mem derived from this one.
    pub summaries: u32,
    pub tags: u32,
    pub leads: LinkStatus,
}

/// Whether the links of a note resolve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStatus {
    /// At least one link leads to another note.
    pub somewhere: bool,
    /// At least one link leads to a note that does not exist.
    pub nowhere: bool,
}

impl Counts {
    fn pack(self) -> [u32; 3] {
        let bit = |yes: bool, bit| if yes { bit } else { 0 };
        let leads =
            bit(self.leads.somewhere, LINKS_SOMEWHERE) | bit(self.leads.nowhere, LINKS_NOWHERE);
        [self.links, self.summaries, self.tags.min(MAX_TAGS) | leads]
    }

    fn unpack([links, summaries, tags]: [u32; 3]) -> Self {
        Self {
            links,
            summaries,
            tags: tags & MAX_TAGS,
            leads: LinkStatus {
                somewhere: tags & LINKS_SOMEWHERE != 0,
                nowhere: tags & LINKS_NOWHERE != 0,
            },
        }
    }
}

/// Counts of all notes, by slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllCounts(Vec<Counts>);

impl AllCounts {
    /// Collects the counts of the given slots.
    pub fn of(counts: impl IntoIterator<Item = (Slot, Counts)>) -> Self {
        let mut all = Self::default();
        for (slot, counts) in counts {
            *all.of_slot(slot) = counts;
        }
        all
    }

    pub fn get(&self, slot: Slot) -> Counts {
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
    pub fn lead(&mut self, slot: Slot, leads: LinkStatus) {
        self.of_slot(slot).leads = leads;
    }

    fn of_slot(&mut self, slot: Slot) -> &mut Counts {
        let slot = slot as usize;
        if slot >= self.0.len() {
            self.0.resize(slot + 1, Counts::default());
        }
        &mut self.0[slot]
    }

    /// Loads the stored counts, if they belong to this state of the catalog.
    pub fn load(path: &Path, meta: &Meta) -> Option<Self> {
        let bytes = own_files::read_bytes(path).ok()?;
        let counts = bytes.get(HEADER..)?;
        if bytes[..HEADER] != header(meta, counts) {
            return None;
        }
        let number = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
        let numbers = counts.as_chunks::<4>().0.as_chunks::<3>().0;
        let counts = numbers
            .iter()
            .map(|numbers| Counts::unpack(numbers.each_ref().map(number)));
        Some(Self(counts.collect()))
    }

    /// Stores the counts. If that fails, later processes compute them again.
    pub fn keep(&self, path: &Path, meta: &Meta) {
        let counts: Vec<u8> = self
            .0
            .iter()
            .flat_map(|counts| counts.pack())
            .flat_map(u32::to_le_bytes)
            .collect();
        let _ = own_files::write_atomically(path, &[&header(meta, &counts), &*counts].concat());
    }
}

fn header(meta: &Meta, counts: &[u8]) -> [u8; HEADER] {
    let stamp = meta.instance ^ meta.generation.rotate_left(32);
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..16].copy_from_slice(&stamp.to_le_bytes());
    header[16..].copy_from_slice(&xxh3_64_with_seed(counts, stamp).to_le_bytes());
    header
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn ignores_counts_of_another_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counts");
        let meta = Meta {
            instance: 3,
            generation: 7,
            ..Meta::default()
        };
        let of = |links| Counts {
            links,
            summaries: 5,
            tags: 1,
            leads: LinkStatus {
                somewhere: links == 2,
                nowhere: links != 2,
            },
        };
        let counts = AllCounts::of([(0, of(2)), (3, of(u32::MAX))]);
        assert_eq!(AllCounts::load(&path, &meta), None);
        counts.keep(&path, &meta);
        let read = AllCounts::load(&path, &meta).unwrap();
        assert_eq!(read, counts);
        assert_eq!(
            [read.get(3), read.get(1), read.get(9)],
            [of(u32::MAX), Counts::default(), Counts::default()]
        );
        let later = Meta {
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
