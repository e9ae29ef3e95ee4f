//! Where properties and their values stand among the lines of the front matter.
//!
//! [`layout_yaml`](super::layout_yaml) and [`layout_toml`](super::layout_toml) find them;
//! [`rewrite`](super::rewrite) says which bytes change, and [`edit`](crate::note::edit) checks the result against
//! a second parser: where a strange layout is misread, the edit is refused, not written.

use std::ops::Range;

use super::split::Language;

/// The maps that lead to a property, from the top down.
pub(crate) struct Location {
    /// One level for each key that could be followed.
    pub(crate) levels: Vec<Level>,
    /// What stands at the end of it.
    pub(crate) end: Outcome,
    /// What it is all written in.
    pub(crate) language: Language,
}

impl Location {
    /// Goes down `keys` from `map`; `look` returns how a map is written, and the map below a key.
    pub(crate) fn walk<M>(
        keys: &[String],
        language: Language,
        mut map: M,
        look: impl Fn(&M, &str) -> Option<(MapLayout, Option<M>)>,
    ) -> Option<Self> {
        let mut levels: Vec<Level> = Vec::new();
        for (depth, key) in keys.iter().enumerate() {
            let (place, below) = look(&map, key)?;
            let entry = place.entries.iter().position(|entry| entry.is(key));
            levels.push(Level { map: place, entry });
            let end = match (entry, below) {
                (None, _) => Outcome::Missing,
                (Some(_), _) if depth + 1 == keys.len() => Outcome::Found,
                (Some(_), None) => Outcome::NoMap,
                (Some(_), Some(below)) => {
                    map = below;
                    continue;
                }
            };
            return Some(Self {
                levels,
                end,
                language,
            });
        }
        None
    }

    /// Returns itself if the property is there.
    pub(crate) fn found(&self) -> Option<&Self> {
        (self.end == Outcome::Found).then_some(self)
    }
}

/// What stands where a [`Location`] ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The property.
    Found,
    /// The last level is a map without the key.
    Missing,
    /// The last level's entry has no map as its value.
    NoMap,
}

/// One map on the way.
pub(crate) struct Level {
    pub(crate) map: MapLayout,
    /// Which of its entries leads on.
    pub(crate) entry: Option<usize>,
}

impl Level {
    /// Returns the entry that leads on.
    pub(crate) fn entry(&self) -> Option<&Entry> {
        self.map.entries.get(self.entry?)
    }
}

/// Where a map stands.
pub(crate) struct MapLayout {
    /// The bytes between its braces; `None` for a map with a key on each line.
    pub(crate) inner: Option<Range<usize>>,
    /// Where its first line starts, behind the indentation.
    pub(crate) first: Option<usize>,
    /// Behind its last entry.
    pub(crate) end: Option<usize>,
    /// Its entries in their order.
    pub(crate) entries: Vec<Entry>,
}

/// Where one entry of a map stands.
pub(crate) struct Entry {
    /// Its first byte: of the key, of its anchor, or the `?` before it.
    pub(crate) start: usize,
    /// Behind the key.
    pub(crate) key_end: usize,
    /// Behind the colon, where there is one.
    pub(crate) colon: Option<usize>,
    /// The value with its anchor and tag, without the blanks around; empty when it has none.
    pub(crate) value: Range<usize>,
    /// Whether a `?` stands before the key.
    pub(crate) explicit: bool,
    /// The key, when it is a single one.
    pub(crate) name: Option<String>,
    /// What the value is made of.
    pub(crate) content: Option<Content>,
}

/// What a value is made of, where an edit asks.
pub(crate) enum Content {
    /// A list whose items can be told apart.
    List(ListLayout),
    /// A map with a key on each line.
    BlockMap,
}

impl Entry {
    /// Returns an entry whose value does not stand behind its key.
    pub(crate) fn elsewhere(name: &str, start: usize) -> Self {
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
    pub(crate) fn is(&self, key: &str) -> bool {
        self.name.as_deref() == Some(key)
    }

    /// Returns where the entry ends.
    pub(crate) fn end(&self) -> usize {
        self.value.end.max(self.colon.unwrap_or(self.key_end))
    }

    /// Returns the list that the value is.
    pub(crate) fn list(&self) -> Option<&ListLayout> {
        match self.content.as_ref()? {
            Content::List(list) => Some(list),
            Content::BlockMap => None,
        }
    }

    pub(crate) fn is_block_map(&self) -> bool {
        matches!(self.content, Some(Content::BlockMap))
    }
}

/// Where a list stands.
pub(crate) struct ListLayout {
    /// The bytes between its brackets; `None` for a list with a dash before each item.
    pub(crate) inner: Option<Range<usize>>,
    /// Its items in their order, with their dashes but without their commas.
    pub(crate) items: Vec<Range<usize>>,
}
