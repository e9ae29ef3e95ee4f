//! Where properties and their values stand among the lines of the front matter.
//!
//! [`layout_yaml`](super::layout_yaml) and [`layout_toml`](super::layout_toml) find them;
//! [`rewrite`](super::rewrite) says which bytes change, and [`edit`](super::edit) checks the result against
//! a second parser: where a strange layout is misread, the edit is refused, not written.

use std::ops::Range;

use super::split::Language;

/// The maps that lead to a property, from the top down.
pub(super) struct Location {
    /// One level for each key that could be followed.
    pub(super) levels: Vec<Level>,
    /// What stands at the end of it.
    pub(super) end: Outcome,
    /// What it is all written in.
    pub(super) language: Language,
}

impl Location {
    /// Returns itself if the property is there.
    pub(super) fn found(&self) -> Option<&Self> {
        (self.end == Outcome::Found).then_some(self)
    }
}

/// What stands where a [`Location`] ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The property.
    Found,
    /// The last level is a map without the key.
    Missing,
    /// The last level's entry has no map as its value.
    NoMap,
}

/// One map on the way.
pub(super) struct Level {
    pub(super) map: MapLayout,
    /// Which of its entries leads on.
    pub(super) entry: Option<usize>,
}

impl Level {
    /// Returns the entry that leads on.
    pub(super) fn entry(&self) -> Option<&Entry> {
        self.map.entries.get(self.entry?)
    }
}

/// Where a map stands.
pub(super) struct MapLayout {
    /// The bytes between its braces; `None` for a map with a key on each line.
    pub(super) inner: Option<Range<usize>>,
    /// Where its first line starts, behind the indentation.
    pub(super) first: Option<usize>,
    /// Behind its last entry.
    pub(super) end: Option<usize>,
    /// Its entries in their order.
    pub(super) entries: Vec<Entry>,
}

/// Where one entry of a map stands.
pub(super) struct Entry {
    /// Its first byte: of the key, of its anchor, or the `?` before it.
    pub(super) start: usize,
    /// Behind the key.
    pub(super) key_end: usize,
    /// Behind the colon, where there is one.
    pub(super) colon: Option<usize>,
    /// The value with its anchor and tag, without the blanks around; empty when it has none.
    pub(super) value: Range<usize>,
    /// Whether a `?` stands before the key.
    pub(super) explicit: bool,
    /// The key, when it is a single one.
    pub(super) name: Option<String>,
    /// What the value is made of.
    pub(super) content: Option<Content>,
}

/// What a value is made of, where an edit asks.
pub(super) enum Content {
    /// A list whose items can be told apart.
    List(ListLayout),
    /// A map with a key on each line.
    BlockMap,
}

impl Entry {
    /// Returns an entry whose value does not stand behind its key.
    pub(super) fn elsewhere(name: &str, start: usize) -> Self {
        Self {
            start,
            key_end: start,
            colon: None,
            value: start..start,
            explicit: false,
            name: Some(name.to_owned()),
            content: None,
        }
    }

    /// Returns whether this is its key.
    pub(super) fn is(&self, key: &str) -> bool {
        self.name.as_deref() == Some(key)
    }

    /// Returns where the entry ends.
    pub(super) fn end(&self) -> usize {
        self.value.end.max(self.colon.unwrap_or(self.key_end))
    }

    /// Returns the list that the value is.
    pub(super) fn list(&self) -> Option<&ListLayout> {
        match self.content.as_ref()? {
            Content::List(list) => Some(list),
            Content::BlockMap => None,
        }
    }

    pub(super) fn is_block_map(&self) -> bool {
        matches!(self.content, Some(Content::BlockMap))
    }
}

/// Where a list stands.
pub(super) struct ListLayout {
    /// The bytes between its brackets; `None` for a list with a dash before each item.
    pub(super) inner: Option<Range<usize>>,
    /// Its items in their order, with their dashes but without their commas.
    pub(super) items: Vec<Range<usize>>,
}
