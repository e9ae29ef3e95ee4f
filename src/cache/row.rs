//! Catalog data of one note: a fixed-width row and its details.
//!
//! ```text
//! row      the fields of [`Row`] in native byte order, then the path
//! details  postcard of [`Details`]
//! ```
//!
//! Rows of a whole vault are scanned in place. Details are decoded only for notes that are shown or filtered
//! by property.

use std::ops::Range;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::{FromBytes as _, IntoBytes as _};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::note::words::letters::folded;
use crate::note::words::minhash::BANDS;
use crate::note::{ContentHash, Language};
use crate::signals::Tier;
use crate::signals::fields::RATINGS;
use crate::vault::Stat;

/// Number of a note in one cache: its key in the catalog and in the text index.
pub type Slot = u32;

/// The fixed-width catalog data of a note, in its stored layout. A change requires a higher
/// [`FORMAT`](super::meta::FORMAT).
#[derive(Clone, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Row {
    pub content: ContentHash,
    /// Size and modification time of the file when it was read.
    pub stat: Stat,
    /// Hash of the authored title (property or heading); 0 if none.
    pub title: u64,
    /// Hash of the body with normalised case and whitespace; 0 for an empty one.
    pub body: u64,
    /// Hash of the authored content: all but relations and learned state, which jobs write.
    pub authored: u64,
    /// Creation time in seconds since 1970.
    pub created: i64,
    /// Stated time of the last text change, in seconds since 1970; [`i64::MIN`] if not stated.
    pub updated: i64,
    /// End of validity in seconds since 1970; [`i64::MAX`] if unlimited.
    pub expires: i64,
    /// The LSH bands of the body's `MinHash`.
    pub bands: [u32; BANDS],
    /// Words in the body.
    pub words: u32,
    pub length: u32,
    pub flags: Flags,
    /// Authored ratings, indexed by rating.
    pub ratings: [f32; RATINGS],
    /// Its passages in the vector file.
    pub rows: PassageRows,
    /// Hash of its `type`, see [`type_hash`]. With two ratings, the stored layout has no padding.
    pub kind: u32,
}

/// The hash of several types: they are in the details.
const SEVERAL_TYPES: u32 = u32::MAX;

/// Returns the hash of the types of a note, equal for those that differ in case: 0 without any, [`SEVERAL_TYPES`] for
/// more than one.
pub fn type_hash<T: AsRef<str>>(types: &[T]) -> u32 {
    match types {
        [] => 0,
        [kind] => (xxh3_64(folded(kind.as_ref()).as_bytes()) as u32).clamp(1, SEVERAL_TYPES - 1),
        _ => SEVERAL_TYPES,
    }
}

/// Rows of a note's passages in the vector file. Other rows with its slot are obsolete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct PassageRows {
    pub first: u32,
    pub count: u32,
}

impl PassageRows {
    /// The passages have no vectors yet.
    pub const PENDING: Self = Self {
        first: u32::MAX,
        count: 0,
    };

    /// Returns whether `row` is one of them.
    pub fn has(self, row: u32) -> bool {
        row.checked_sub(self.first)
            .is_some_and(|offset| offset < self.count)
    }

    pub fn range(self) -> Range<u32> {
        self.first..self.first.saturating_add(self.count)
    }
}

/// Flags of a note, its tier (bits 16 and 17) and its language (bits 24 to 31), in one number.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
#[repr(transparent)]
#[must_use]
pub struct Flags(u32);

impl Flags {
    /// Written by mem or an agent, and not edited by a person since.
    pub const MANAGED: Self = Self(1);
    /// `keep: true`: no job removes it.
    pub const KEEP: Self = Self(1 << 1);
    /// Its front matter could not be parsed.
    pub const UNREADABLE: Self = Self(1 << 2);
    /// Read so soon after a write that a later write may leave the same time (git's term).
    pub const RACY: Self = Self(1 << 3);
    /// Only the file time gives its creation date.
    pub const UNDATED: Self = Self(1 << 4);
    /// An assistant's reply, or a text that only repeats other notes.
    pub const REPLY: Self = Self(1 << 5);
    /// It contains a usage snapshot.
    pub const LEARNED: Self = Self(1 << 6);
    /// Derived by mem from other notes.
    pub const DERIVED: Self = Self(1 << 7);
    /// It has an open task.
    pub const OPEN_TASK: Self = Self(1 << 8);
    /// It has a completed task.
    pub const DONE_TASK: Self = Self(1 << 9);
    /// Its body is empty, or only has headings, labels and queries.
    pub const BLANK: Self = Self(1 << 10);
    /// It has a first day of validity.
    pub const STARTS: Self = Self(1 << 11);
    /// It contains a conflict of a merge, between markers.
    pub const UNMERGED: Self = Self(1 << 12);

    /// Returns these flags, with `other`'s if `yes`.
    pub fn with(self, other: Self, yes: bool) -> Self {
        if yes { Self(self.0 | other.0) } else { self }
    }

    /// Returns these flags without `other`'s.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns these flags with the tier set.
    pub fn with_tier(self, tier: Tier) -> Self {
        Self(self.0 & !(3 << 16) | (tier as u32) << 16)
    }

    /// Returns whether all of `other` are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns these flags with the language set.
    pub fn with_language(self, language: Language) -> Self {
        Self(self.0 & 0x00ff_ffff | u32::from(language.code()) << 24)
    }

    /// Returns the language of the note.
    pub fn language(self) -> Language {
        Language::of_code((self.0 >> 24) as u8)
    }

    pub fn tier(self) -> Tier {
        match (self.0 >> 16) & 3 {
            0 => Tier::Forgotten,
            1 => Tier::Archival,
            2 => Tier::Working,
            _ => Tier::Core,
        }
    }
}

impl Row {
    /// Records a new file time with unchanged content.
    pub fn touch(&mut self, stat: Stat, is_racy: bool) {
        self.stat = stat;
        self.flags = self.flags.without(Flags::RACY).with(Flags::RACY, is_racy);
        if self.flags.has(Flags::UNDATED) {
            self.created = self.saved();
        }
    }

    /// Returns the file's modification time in seconds since 1970.
    pub fn saved(&self) -> i64 {
        self.stat.mtime_ns.div_euclid(1_000_000_000)
    }

    /// Returns the stated creation time; `None` if only the file has one.
    pub fn stated(&self) -> Option<Timestamp> {
        let created = Timestamp::from_second(self.created).ok();
        created.filter(|_| !self.flags.has(Flags::UNDATED))
    }

    /// Returns the stated time of the last text change, else the file's modification time.
    pub fn updated_or_saved(&self) -> i64 {
        if self.updated == i64::MIN {
            self.saved()
        } else {
            self.updated
        }
    }

    /// Returns the bytes of the row and its path.
    pub fn encode(&self, path: &str) -> Vec<u8> {
        [self.as_bytes(), path.as_bytes()].concat()
    }

    /// Decodes a row and its path; `None` if the bytes are invalid.
    pub fn decode(bytes: &[u8]) -> Option<(Self, &str)> {
        let (row, path) = Self::read_from_prefix(bytes).ok()?;
        Some((row, std::str::from_utf8(path).ok()?))
    }

    /// Decodes a row without its path.
    #[inline]
    pub fn without_path(bytes: &[u8]) -> Option<Self> {
        Some(Self::read_from_prefix(bytes).ok()?.0)
    }

    /// Returns whether the note can have this type; its details decide.
    pub fn may_have_type(&self, wanted: &str) -> bool {
        [SEVERAL_TYPES, type_hash(&[wanted])].contains(&self.kind)
    }

    /// Returns whether a search can hide the note.
    pub fn is_hideable(&self) -> bool {
        let is_limited = self.expires < i64::MAX || self.flags.has(Flags::STARTS);
        is_limited || self.flags.tier() == Tier::Forgotten
    }

    /// Returns whether a file with this size and time is certainly unchanged.
    pub fn is_current(&self, stat: Stat) -> bool {
        self.stat == stat && !self.flags.has(Flags::RACY)
    }
}

/// The variable-width catalog data of a note.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Details {
    pub title: String,
    /// Whether the title is authored, and not the file name.
    pub titled: bool,
    pub id: Option<String>,
    pub aliases: Vec<String>,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// Its links, in the order of the text.
    pub links: Vec<LinkTo>,
    /// The whole front matter as JSON; empty if there is none.
    pub(super) properties: String,
    /// Why the front matter could not be parsed.
    pub problem: Option<String>,
    /// Targets of wikilinks in the text of properties, which renames and merges update.
    pub text_links: Vec<String>,
}

/// A link in the catalog.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LinkTo {
    /// The target as written, decoded, without heading.
    pub target: String,
    /// The property whose value it is: a relation.
    pub property: Option<String>,
    /// True for `[text](path.md)`, which resolves from the folder of its note first.
    pub markdown: bool,
    /// The displayed text, if the link gives one.
    pub label: Option<String>,
}

impl LinkTo {
    /// Returns the visible text: its label, else the file name.
    pub fn shown(&self) -> &str {
        let name = || {
            let name = self.target.rsplit(['/', '\\']).next().unwrap_or_default();
            name.strip_suffix(".md").unwrap_or(name)
        };
        self.label.as_deref().unwrap_or_else(name)
    }
}

/// The first fields of encoded [`Details`], borrowed for scans of a whole vault.
#[derive(Debug)]
pub struct DetailsHead<'a> {
    pub title: &'a str,
    pub aliases: Vec<&'a str>,
    rest: &'a [u8],
}

/// A borrowed [`LinkTo`].
#[derive(Debug, Deserialize)]
pub struct LinkRef<'a> {
    pub target: &'a str,
    property: Option<&'a str>,
    pub markdown: bool,
    label: Option<&'a str>,
}

impl<'a> DetailsHead<'a> {
    pub(super) fn of(details: &'a [u8]) -> Result<Self, postcard::Error> {
        type NameFields<'a> = (&'a str, bool, Option<&'a str>, Vec<&'a str>);
        let ((title, _, _, aliases), rest) = postcard::take_from_bytes::<NameFields<'a>>(details)?;
        Ok(Self {
            title,
            aliases,
            rest,
        })
    }

    /// Decodes the number of tags, and the links.
    pub fn tags_and_links(&self) -> Result<(usize, Vec<LinkRef<'a>>), postcard::Error> {
        let fields = postcard::take_from_bytes::<(Vec<&str>, Vec<LinkRef<'a>>)>(self.rest)?;
        let ((tags, links), _) = fields;
        Ok((tags.len(), links))
    }
}

impl From<LinkRef<'_>> for LinkTo {
    fn from(link: LinkRef<'_>) -> Self {
        Self {
            target: link.target.to_owned(),
            property: link.property.map(str::to_owned),
            markdown: link.markdown,
            label: link.label.map(str::to_owned),
        }
    }
}

impl Details {
    pub fn properties(&self) -> Map<String, Value> {
        serde_json::from_str(&self.properties).unwrap_or_default()
    }

    #[must_use]
    pub fn with_properties(mut self, properties: &Map<String, Value>) -> Self {
        self.properties = if properties.is_empty() {
            String::new()
        } else {
            serde_json::to_string(properties).unwrap_or_default()
        };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_has_the_first_fields_of_the_details() {
        let link = LinkTo {
            target: "drinks/Green.md".to_owned(),
            property: None,
            markdown: true,
            label: None,
        };
        for id in [None, Some("7".to_owned())] {
            let details = Details {
                title: "Tea".to_owned(),
                id,
                aliases: vec!["Chai".to_owned()],
                tags: vec!["a".to_owned()],
                links: vec![link.clone()],
                ..Details::default()
            };
            let bytes = postcard::to_stdvec(&details).unwrap();
            let head = DetailsHead::of(&bytes).unwrap();
            assert_eq!((head.title, &head.aliases[..]), ("Tea", &["Chai"][..]));
            let (tags, links) = head.tags_and_links().unwrap();
            let links: Vec<LinkTo> = links.into_iter().map(LinkTo::from).collect();
            assert_eq!((tags, &links[..]), (1, std::slice::from_ref(&link)));
        }
        assert_eq!(link.shown(), "Green");
        let label = Some("tea".to_owned());
        assert_eq!(LinkTo { label, ..link }.shown(), "tea");
    }

    #[test]
    fn rows_survive_encoding() {
        let row = Row {
            stat: Stat {
                size: 7,
                mtime_ns: -5,
            },
            content: ContentHash::of(b"x"),
            title: 1,
            body: 2,
            authored: 3,
            created: -3,
            updated: i64::MIN,
            expires: i64::MAX,
            bands: [1, 2, 3, 4, 5, 6, 7, 8],
            words: 9,
            length: 10,
            flags: Flags::default()
                .with(Flags::KEEP, true)
                .with_tier(Tier::Core),
            ratings: std::array::from_fn(|slot| slot as f32),
            rows: PassageRows {
                first: 11,
                count: 3,
            },
            kind: 0,
        };
        let bytes = row.encode("a/ä.md");
        assert_eq!(Row::decode(&bytes), Some((row.clone(), "a/ä.md")));
        // At an odd address, as in a page of the catalog.
        let shifted = [&[0], &bytes[..]].concat();
        assert_eq!(Row::without_path(&shifted[1..]), Some(row.clone()));
        assert!(row.is_current(row.stat));
        for cut in 0..size_of::<Row>() {
            assert_eq!(Row::decode(&bytes[..cut]), None);
        }
        assert!(row.flags.has(Flags::KEEP) && !row.flags.has(Flags::MANAGED));
        for (number, expected) in [(10, false), (11, true), (13, true), (14, false), (0, false)] {
            assert_eq!(row.rows.has(number), expected, "{number}");
        }
        assert!(!PassageRows::PENDING.has(u32::MAX));
        for tier in [Tier::Core, Tier::Working, Tier::Archival, Tier::Forgotten] {
            assert_eq!(row.flags.with_tier(tier).tier(), tier);
            assert_eq!(Tier::named(tier.name()), Some(tier));
        }
    }
}
