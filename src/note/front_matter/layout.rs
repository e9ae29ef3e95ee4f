//! The layout of properties and values in the front matter.
//!
//! [`layout_yaml`](super::layout_yaml) and [`layout_toml`](super::layout_toml) determine it and
//! [`rewrite`](super::rewrite) computes the changes. [`edit`](crate::note::edit) checks the result against a second
//! parser: if an unusual layout is misread, the edit is refused.

use std::ops::Range;

use super::split::FrontMatterLanguage;

/// The chain of maps that leads to a property, outermost first.
pub(crate) struct PropertyLocation {
    /// One level per key that could be followed.
    pub(crate) levels: Vec<MapLevel>,
    /// Why the chain ends.
    pub(crate) end: LocationEnd,
    /// Language of the front matter.
    pub(crate) language: FrontMatterLanguage,
}

impl PropertyLocation {
    /// Follows `keys` from `map`. `look` returns the layout of a map and the map at a key.
    pub(crate) fn walk<M>(
        keys: &[String],
        language: FrontMatterLanguage,
        mut map: M,
        look: impl Fn(&M, &str) -> Option<(MapLayout, Option<M>)>,
    ) -> Option<Self> {
        let mut levels: Vec<MapLevel> = Vec::new();
        for (depth, key) in keys.iter().enumerate() {
            let (place, below) = look(&map, key)?;
            let entry = place.entries.iter().position(|entry| entry.is(key));
            levels.push(MapLevel { map: place, entry });
            let end = match (entry, below) {
                (None, _) => LocationEnd::Missing,
                (Some(_), _) if depth + 1 == keys.len() => LocationEnd::Found,
                (Some(_), None) => LocationEnd::NotAMap,
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

    /// Returns itself if the property exists.
    pub(crate) fn found(&self) -> Option<&Self> {
        (self.end == LocationEnd::Found).then_some(self)
    }
}

/// Why a [`PropertyLocation`] ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocationEnd {
    /// The property.
    Found,
    /// The last level is a map without the key.
    Missing,
    /// The value at the last level is not a map.
    NotAMap,
}

/// One map of the chain.
pub(crate) struct MapLevel {
    pub(crate) map: MapLayout,
    /// Index of the entry that was followed.
    pub(crate) entry: Option<usize>,
}

impl MapLevel {
    /// Returns the entry that was followed.
    pub(crate) fn entry(&self) -> Option<&EntryLayout> {
        self.map.entries.get(self.entry?)
    }
}

/// The layout of a map.
pub(crate) struct MapLayout {
    /// Span between its braces; `None` for a block map.
    pub(crate) inner: Option<Range<usize>>,
    /// Start of its first line, after the indentation.
    pub(crate) first: Option<usize>,
    /// End of its last entry.
    pub(crate) end: Option<usize>,
    /// Entries in order.
    pub(crate) entries: Vec<EntryLayout>,
}

/// The layout of a map entry.
pub(crate) struct EntryLayout {
    /// Start of the key, of its anchor, or of the `?` before it.
    pub(crate) start: usize,
    /// End of the key.
    pub(crate) key_end: usize,
    /// Offset after the colon, if any.
    pub(crate) colon: Option<usize>,
    /// Span of the value with anchor and tag, without surrounding whitespace; empty if there is none.
    pub(crate) value: Range<usize>,
    /// Whether a `?` precedes the key.
    pub(crate) explicit: bool,
    /// The key, if it is a scalar.
    pub(crate) name: Option<String>,
    /// The structure of the value.
    pub(crate) content: Option<ValueLayout>,
}

/// The structure of a value, as far as edits need it.
pub(crate) enum ValueLayout {
    /// A list with separable items.
    List(ListLayout),
    /// A map with one line per key.
    BlockMap,
}

impl EntryLayout {
    /// Returns an entry whose value does not follow its key.
    pub(crate) fn detached(name: &str, start: usize) -> Self {
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

    /// Returns whether `key` is its key.
    pub(crate) fn is(&self, key: &str) -> bool {
        self.name.as_deref() == Some(key)
    }

    /// Returns the end of the entry.
    pub(crate) fn end(&self) -> usize {
        self.value.end.max(self.colon.unwrap_or(self.key_end))
    }

    /// Returns the layout of a list value.
    pub(crate) fn list(&self) -> Option<&ListLayout> {
        match self.content.as_ref()? {
            ValueLayout::List(list) => Some(list),
            ValueLayout::BlockMap => None,
        }
    }

    pub(crate) fn is_block_map(&self) -> bool {
        matches!(self.content, Some(ValueLayout::BlockMap))
    }
}

/// The layout of a list.
pub(crate) struct ListLayout {
    /// Span between its brackets; `None` for a block list.
    pub(crate) inner: Option<Range<usize>>,
    /// Spans of the items, including dashes, excluding commas.
    pub(crate) items: Vec<Range<usize>>,
}
