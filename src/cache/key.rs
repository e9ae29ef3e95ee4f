//! Hashes by which the catalog finds notes.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::row::{Details, Row, Slot};
use crate::note::path::strip_ending;
use crate::note::{VaultPath, folded};

/// An index key of notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexKey(u64);

impl IndexKey {
    pub fn path(path: &VaultPath) -> Self {
        Self(xxh3_64_with_seed(path.as_str().as_bytes(), 1))
    }

    /// Key of a title, alias or id, ignoring case.
    pub fn name(name: &str) -> Self {
        Self::folded_hash(name, 2)
    }

    /// Key of a file name without extension, ignoring case.
    pub fn stem(stem: &str) -> Self {
        Self::folded_hash(stem, 3)
    }

    /// Key of a link to a note with this stem.
    pub fn link(target: &str) -> Self {
        Self::folded_hash(target_stem(target), 4)
    }

    /// Key of a tag or an ancestor of it, ignoring case: `a/b` has the keys of `a/b` and `a`.
    pub fn tag(tag: &str) -> Self {
        Self::folded_hash(tag, 6)
    }

    /// Key of the normalised body hash.
    pub fn body(hash: u64) -> Self {
        Self(xxh3_64_with_seed(&hash.to_le_bytes(), 5))
    }

    /// Scans hash all names of a vault, most of them short and ASCII: these are folded on the stack.
    fn folded_hash(name: &str, seed: u64) -> Self {
        let name = name.trim();
        let mut room = [0; 64];
        match room.get_mut(..name.len()) {
            Some(short) if name.is_ascii() => {
                short.copy_from_slice(name.as_bytes());
                short.make_ascii_lowercase();
                Self(xxh3_64_with_seed(short, seed))
            }
            _ => Self(xxh3_64_with_seed(folded(name).as_bytes(), seed)),
        }
    }

    pub(super) fn bytes(self, slot: Slot) -> [u8; 13] {
        let mut bytes = [b'k'; 13];
        bytes[1..9].copy_from_slice(&self.0.to_be_bytes());
        bytes[9..].copy_from_slice(&slot.to_be_bytes());
        bytes
    }
}

/// Returns the last component of a link target, without `.md`.
pub fn target_stem(target: &str) -> &str {
    let name = target.rsplit(['/', '\\']).next().unwrap_or(target);
    strip_ending(name).unwrap_or(name)
}

pub(super) fn keys(path: &VaultPath, row: &Row, details: &Details) -> Vec<IndexKey> {
    let mut keys = vec![IndexKey::path(path), IndexKey::stem(path.stem())];
    if details.titled {
        keys.push(IndexKey::name(&details.title));
    }
    keys.extend(details.id.as_deref().map(IndexKey::name));
    keys.extend(details.aliases.iter().map(|alias| IndexKey::name(alias)));
    let links = details.links.iter().map(|link| &link.target);
    keys.extend(
        links
            .chain(&details.text_links)
            .map(|target| IndexKey::link(target)),
    );
    for tag in &details.tags {
        let above = tag.match_indices('/').map(|(end, _)| &tag[..end]);
        keys.extend(above.chain([tag.as_str()]).map(IndexKey::tag));
    }
    if row.body != 0 {
        keys.push(IndexKey::body(row.body));
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_folded_names() {
        let long = "A long name ".repeat(9);
        for name in ["", " Tea ", "a/B c.MD", "Ärger", "I\u{307}", &long] {
            let expected = xxh3_64_with_seed(folded(name).as_bytes(), 3);
            assert_eq!(IndexKey::stem(name), IndexKey(expected), "{name}");
        }
    }
}
