//! Prefix index of names, paths and tags, for shell completion. Answers from the catalog without reading
//! other notes.
//!
//! ```text
//! n <title or alias, folded> 00 <slot u32 BE>    text as written
//! p <path, folded> 00 <slot u32 BE>              text as written
//! t <tag, folded> 00 <tag>                       number of notes u32 LE; text as written
//! ```

use std::collections::BTreeMap;

use super::row::{Details, Slot};
use crate::note::{VaultPath, folded};

/// Kinds of indexed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixKind {
    /// Titles and aliases.
    Name,
    Path,
    Tag,
}

/// Maximum bytes of a name in a key, a fraction of LMDB's limit. Longer tags are not completed.
const MAX_KEY_TEXT_BYTES: usize = 120;

impl PrefixKind {
    fn letter(self) -> u8 {
        match self {
            Self::Name => b'n',
            Self::Path => b'p',
            Self::Tag => b't',
        }
    }

    /// Returns the key prefix for texts that begin with `folded`.
    pub(super) fn prefix(self, folded: &str) -> Vec<u8> {
        let mut cuts = (0..=MAX_KEY_TEXT_BYTES.min(folded.len())).rev();
        let cut = cuts.find(|cut| folded.is_char_boundary(*cut));
        [&[self.letter()], &folded.as_bytes()[..cut.unwrap_or(0)]].concat()
    }

    /// Returns the text in an unsealed value.
    pub(super) fn written(self, value: &[u8]) -> Option<&str> {
        let text = match self {
            Self::Tag => value.get(size_of::<u32>()..)?,
            Self::Name | Self::Path => value,
        };
        std::str::from_utf8(text).ok()
    }

    fn key(self, written: &str, end: &[u8]) -> Vec<u8> {
        [&*self.prefix(&folded(written)), &[0], end].concat()
    }
}

/// Returns the name and path keys of a note, with the text of each.
pub(super) fn note_keys<'a>(
    slot: Slot,
    path: &'a VaultPath,
    details: &'a Details,
) -> BTreeMap<Vec<u8>, &'a str> {
    let note_names = [&details.title].into_iter().chain(&details.aliases);
    let names = note_names.map(|name| (PrefixKind::Name, name.as_str()));
    let mut keys = BTreeMap::new();
    for (kind, written) in names.chain([(PrefixKind::Path, path.as_str())]) {
        // Of names that differ only in case, the first wins.
        let key = kind.key(written, &slot.to_be_bytes());
        keys.entry(key).or_insert(written);
    }
    keys
}

/// Returns the keys of a note's tags, with the text of each.
pub(super) fn tag_keys(details: &Details) -> BTreeMap<Vec<u8>, &str> {
    let tags = details.tags.iter().map(String::as_str);
    let short = tags.filter(|tag| tag.len() <= MAX_KEY_TEXT_BYTES);
    short
        .map(|tag| (PrefixKind::Tag.key(tag, tag.as_bytes()), tag))
        .collect()
}

/// Returns the value of a tag that `notes` notes have.
pub(super) fn tag_value(notes: u32, tag: &str) -> Vec<u8> {
    [&notes.to_le_bytes(), tag.as_bytes()].concat()
}

/// Returns the number of notes in an unsealed tag value.
pub(super) fn tag_count(value: &[u8]) -> Option<u32> {
    value.first_chunk().copied().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::cache::catalog::{Catalog, CatalogRecord};
    use crate::cache::meta::{CacheMeta, FORMAT};

    fn empty() -> (tempfile::TempDir, Catalog) {
        let folder = tempfile::tempdir().unwrap();
        let meta = CacheMeta {
            format: FORMAT,
            ..CacheMeta::default()
        };
        let catalog = Catalog::create(folder.path(), &meta).unwrap();
        (folder, catalog)
    }

    fn note(slot: Slot, path: &str, names: &[&str], tags: &[&str]) -> CatalogRecord {
        let row = zerocopy::FromZeros::new_zeroed();
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        CatalogRecord {
            slot,
            path: VaultPath::new(path).unwrap(),
            row,
            details: Details {
                title: names[0].to_owned(),
                aliases: owned(&names[1..]),
                tags: owned(tags),
                ..Details::default()
            },
            segments: Vec::new(),
        }
    }

    /// Removes and adds notes in one commit.
    fn change(catalog: &Catalog, gone: &[Slot], new: &[CatalogRecord]) {
        let mut writer = catalog.write().unwrap();
        for slot in gone {
            writer.remove(*slot).unwrap();
        }
        writer.insert(new).unwrap();
        let notes = catalog.read().unwrap().meta().unwrap().notes;
        writer
            .set_meta(&CacheMeta {
                format: FORMAT,
                notes: notes + new.len() as u32 - gone.len() as u32,
                ..CacheMeta::default()
            })
            .unwrap();
        writer.commit().unwrap();
        catalog.read().unwrap().verify().unwrap();
    }

    #[test]
    fn finds_texts_by_prefix_as_written() {
        let (_folder, catalog) = empty();
        let long = "ü".repeat(MAX_KEY_TEXT_BYTES);
        let notes = [
            note(
                0,
                "Tea.md",
                &["Tea", "tea", "Teatime"],
                &["Tea", "tea", "x/y"],
            ),
            note(1, "b/Ärger.md", &["Ärger", "te"], &["tea", &long]),
            note(2, "c.md", &[&long, "Te\0a"], &[]),
        ];
        change(&catalog, &[], &notes);
        let found = |kind, start: &str, most| {
            let reading = catalog.read().unwrap();
            reading.beginning(kind, start, most).unwrap()
        };
        let cases: [(PrefixKind, &str, &[&str]); 10] = [
            (PrefixKind::Name, "te", &["te", "Te\0a", "Tea", "Teatime"]),
            (PrefixKind::Name, "TEA", &["Tea", "Teatime"]),
            (PrefixKind::Name, "a\u{308}r", &["Ärger"]),
            (
                PrefixKind::Name,
                &"ü".repeat(MAX_KEY_TEXT_BYTES - 1),
                &[&long],
            ),
            (PrefixKind::Name, &"ü".repeat(MAX_KEY_TEXT_BYTES + 1), &[]),
            (PrefixKind::Path, "te", &["Tea.md"]),
            (PrefixKind::Path, "B/", &["b/Ärger.md"]),
            (PrefixKind::Tag, "t", &["Tea", "tea"]),
            (PrefixKind::Tag, "x/", &["x/y"]),
            (PrefixKind::Tag, "", &["Tea", "tea", "x/y"]),
        ];
        for (kind, start, expected) in cases {
            assert_eq!(found(kind, start, 9), expected, "{kind:?} {start}");
        }
        assert_eq!(found(PrefixKind::Name, "te", 2).len(), 2);
        change(&catalog, &[0], &[note(3, "n.md", &["New"], &["new"])]);
        assert_eq!(found(PrefixKind::Name, "tea", 9), [""; 0]);
        assert_eq!(found(PrefixKind::Tag, "", 9), ["new", "tea"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn removed_notes_leave_no_entries(
            notes in prop::collection::vec(
                (prop::collection::vec("[abAB]{1,2}", 1..4), prop::collection::vec("[abAB]{1,2}", 0..4)),
                1..9,
            ),
            goes in prop::collection::vec(any::<bool>(), 9),
        ) {
            let (_folder, catalog) = empty();
            let notes = notes.iter().enumerate().map(|(slot, (names, tags))| {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
                note(slot as Slot, &format!("{slot}.md"), &names, &tags)
            });
            let notes: Vec<CatalogRecord> = notes.collect();
            change(&catalog, &[], &notes);
            let gone: Vec<Slot> = (0..notes.len() as Slot).filter(|slot| goes[*slot as usize]).collect();
            change(&catalog, &gone, &[]);
            let left = notes.iter().filter(|note| !gone.contains(&note.slot));
            let tags: BTreeSet<&String> = left.flat_map(|note| &note.details.tags).collect();
            let found = catalog.read().unwrap().beginning(PrefixKind::Tag, "", 99).unwrap();
            prop_assert_eq!(found.iter().collect::<BTreeSet<_>>(), tags);
        }
    }
}
