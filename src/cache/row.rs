//! What the catalog keeps of one note: a fixed-width row and its details.
//!
//! ```text
//! row      size u64 | mtime_ns i64 | content u128 | title u64 | body u64 | substance u64 | created i64
//!          | expires i64 | bands 8 × u32 | words u32 | length u32 | flags u32 | ratings f32 each
//!          | first u32 | count u32 | path (the rest)                   all little-endian
//! details  postcard of `Details`
//! ```
//!
//! Rows are scanned in place over a whole vault; details are decoded for the few notes that are
//! shown or filtered by a property.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::note::hash::ContentHash;
use crate::note::minhash::BANDS;
use crate::signals::fields::RATINGS;
use crate::signals::tier::Tier;
use crate::vault::Stat;

/// Number of a note in one cache: its key in the catalog and in the text index.
pub type Slot = u32;

/// The fixed-width part of what is known of a note.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Size and modification time of the file when it was read.
    pub stat: Stat,
    /// Hash of the file's bytes.
    pub content: ContentHash,
    /// Hash of the title its author gave it (property or heading); 0 if none.
    pub title: u64,
    /// Hash of the body with case and space evened out; 0 for an empty one.
    pub body: u64,
    /// Hash of what jobs go by: all but relations and learned state, which jobs write.
    pub substance: u64,
    /// When it was created, in seconds since 1970.
    pub created: i64,
    /// Until when it holds, in seconds since 1970; [`i64::MAX`] if it has no end.
    pub expires: i64,
    /// Sketch of the body's wording.
    pub bands: [u32; BANDS],
    /// Words in the body.
    pub words: u32,
    /// Bytes of the body.
    pub length: u32,
    /// See [`Flags`].
    pub flags: Flags,
    /// What the author gave it; a rating knows its own.
    pub ratings: [f32; RATINGS],
    /// Its passages in the vector file.
    pub rows: Rows,
}

/// Which rows of the vector file are the passages of a note; any other row that names the note is
/// one it had before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl Rows {
    /// Its passages have no vectors yet.
    pub const PENDING: Self = Self {
        first: u32::MAX,
        count: 0,
    };

    /// Returns true if `row` is one of them.
    #[must_use]
    pub fn has(self, row: u32) -> bool {
        row.checked_sub(self.first)
            .is_some_and(|offset| offset < self.count)
    }

    /// Returns their numbers.
    #[must_use]
    pub fn range(self) -> Range<u32> {
        self.first..self.first.saturating_add(self.count)
    }
}

/// Yes-or-no facts of a note and its tier, in one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u32);

impl Flags {
    /// Written by mem or an agent, and nobody else edited it since.
    pub const MANAGED: Self = Self(1);
    /// `keep: true`: no job takes it away.
    pub const KEEP: Self = Self(1 << 1);
    /// Its front matter could not be read.
    pub const UNREADABLE: Self = Self(1 << 2);
    /// Read so soon after it was written that a later write may have left the same time.
    pub const UNSETTLED: Self = Self(1 << 3);
    /// Nothing but the time of its file says when it was created.
    pub const UNDATED: Self = Self(1 << 4);

    /// Returns these flags and `other`'s if `yes`.
    #[must_use]
    pub fn with(self, other: Self, yes: bool) -> Self {
        if yes { Self(self.0 | other.0) } else { self }
    }

    /// Returns these flags without `other`'s.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns these flags with the tier set.
    #[must_use]
    pub fn with_tier(self, tier: Tier) -> Self {
        Self(self.0 & 0xffff | (tier as u32) << 16)
    }

    /// Returns true if all of `other` are set.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the tier.
    #[must_use]
    pub fn tier(self) -> Tier {
        match (self.0 >> 16) & 3 {
            0 => Tier::Forgotten,
            1 => Tier::Archival,
            2 => Tier::Working,
            _ => Tier::Core,
        }
    }
}

/// Bytes before the end of validity, the flags, the rows and the path.
const EXPIRES: usize = 8 + 8 + 16 + 8 + 8 + 8 + 8;
const FLAGS: usize = EXPIRES + 8 + 4 * BANDS + 2 * 4;
const ROWS: usize = FLAGS + 4 + 4 * RATINGS;
const WIDTH: usize = ROWS + 2 * 4;

impl Row {
    /// Takes in that the file has another time and the same content.
    pub fn touch(&mut self, stat: Stat, is_settled: bool) {
        self.stat = stat;
        self.flags = self
            .flags
            .without(Flags::UNSETTLED)
            .with(Flags::UNSETTLED, !is_settled);
        if self.flags.has(Flags::UNDATED) {
            self.created = stat.mtime_ns.div_euclid(1_000_000_000);
        }
    }

    /// Appends the row and its path to `bytes`.
    pub fn encode(&self, path: &str, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.stat.size.to_le_bytes());
        bytes.extend_from_slice(&self.stat.mtime_ns.to_le_bytes());
        bytes.extend_from_slice(&self.content.0.to_le_bytes());
        bytes.extend_from_slice(&self.title.to_le_bytes());
        bytes.extend_from_slice(&self.body.to_le_bytes());
        bytes.extend_from_slice(&self.substance.to_le_bytes());
        bytes.extend_from_slice(&self.created.to_le_bytes());
        bytes.extend_from_slice(&self.expires.to_le_bytes());
        for band in self.bands {
            bytes.extend_from_slice(&band.to_le_bytes());
        }
        for number in [self.words, self.length, self.flags.0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for rating in self.ratings {
            bytes.extend_from_slice(&rating.to_le_bytes());
        }
        bytes.extend_from_slice(&self.rows.first.to_le_bytes());
        bytes.extend_from_slice(&self.rows.count.to_le_bytes());
        bytes.extend_from_slice(path.as_bytes());
    }

    /// Reads a row and its path; `None` if the bytes are no row.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<(Self, &str)> {
        let path = Self::path(bytes)?;
        let mut at = 0;
        let mut bands = [0; BANDS];
        let row = Self {
            stat: Stat {
                size: u64::from_le_bytes(take(bytes, &mut at)?),
                mtime_ns: i64::from_le_bytes(take(bytes, &mut at)?),
            },
            content: ContentHash(u128::from_le_bytes(take(bytes, &mut at)?)),
            title: u64::from_le_bytes(take(bytes, &mut at)?),
            body: u64::from_le_bytes(take(bytes, &mut at)?),
            substance: u64::from_le_bytes(take(bytes, &mut at)?),
            created: i64::from_le_bytes(take(bytes, &mut at)?),
            expires: i64::from_le_bytes(take(bytes, &mut at)?),
            bands: {
                for band in &mut bands {
                    *band = u32::from_le_bytes(take(bytes, &mut at)?);
                }
                bands
            },
            words: u32::from_le_bytes(take(bytes, &mut at)?),
            length: u32::from_le_bytes(take(bytes, &mut at)?),
            flags: Flags(u32::from_le_bytes(take(bytes, &mut at)?)),
            ratings: {
                let mut ratings = [0.0; RATINGS];
                for rating in &mut ratings {
                    *rating = f32::from_le_bytes(take(bytes, &mut at)?);
                }
                ratings
            },
            rows: Self::rows(bytes)?,
        };
        Some((row, path))
    }

    /// Returns the path of an encoded row alone.
    #[must_use]
    pub fn path(bytes: &[u8]) -> Option<&str> {
        std::str::from_utf8(bytes.get(WIDTH..)?).ok()
    }

    /// Returns flags and end of an encoded row alone.
    #[must_use]
    pub fn standing(bytes: &[u8]) -> Option<(Flags, i64)> {
        let mut at = EXPIRES;
        let expires = i64::from_le_bytes(take(bytes, &mut at)?);
        at = FLAGS;
        Some((Flags(u32::from_le_bytes(take(bytes, &mut at)?)), expires))
    }

    /// Returns the passages of an encoded row alone.
    #[must_use]
    pub fn rows(bytes: &[u8]) -> Option<Rows> {
        let mut at = ROWS;
        Some(Rows {
            first: u32::from_le_bytes(take(bytes, &mut at)?),
            count: u32::from_le_bytes(take(bytes, &mut at)?),
        })
    }

    /// Returns true if a search may hide the note.
    #[must_use]
    pub fn is_hideable(&self) -> bool {
        self.expires < i64::MAX || self.flags.tier() == Tier::Forgotten
    }

    /// Returns size and time of an encoded row alone, and whether they tell that the file is as it
    /// was read.
    #[must_use]
    pub fn stat(bytes: &[u8]) -> Option<(Stat, bool)> {
        let mut at = 0;
        let stat = Stat {
            size: u64::from_le_bytes(take(bytes, &mut at)?),
            mtime_ns: i64::from_le_bytes(take(bytes, &mut at)?),
        };
        let (flags, _) = Self::standing(bytes)?;
        Some((stat, !flags.has(Flags::UNSETTLED)))
    }

    /// Returns true if a file of this size and time is surely the one that was read.
    #[must_use]
    pub fn is_of(&self, stat: Stat) -> bool {
        self.stat == stat && !self.flags.has(Flags::UNSETTLED)
    }
}

fn take<const N: usize>(bytes: &[u8], at: &mut usize) -> Option<[u8; N]> {
    let taken = bytes.get(*at..*at + N)?.try_into().ok()?;
    *at += N;
    Some(taken)
}

/// The part of what is known of a note that has no fixed width.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Details {
    /// The title that is shown.
    pub title: String,
    /// Whether the author gave the title, or the file name stands in.
    pub titled: bool,
    /// The `id` property.
    pub id: Option<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// Where it points, in the order of the text.
    pub links: Vec<LinkTo>,
    /// The whole front matter as JSON; empty if there is none.
    pub(super) properties: String,
    /// Why the front matter could not be read.
    pub problem: Option<String>,
}

/// A link as the catalog keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkTo {
    /// The target as written, decoded, without heading.
    pub target: String,
    /// The property it is the value of: a relation.
    pub property: Option<String>,
    /// True for `[text](path.md)`, which resolves from the folder of its note first.
    pub markdown: bool,
}

impl Details {
    /// Returns the title and the other names of encoded details alone.
    pub(super) fn names(bytes: &[u8]) -> Result<Vec<String>, postcard::Error> {
        // The fields stand one after the other; these are the first.
        let ((title, _, _, aliases), _) =
            postcard::take_from_bytes::<(String, bool, Option<&str>, Vec<String>)>(bytes)?;
        let mut names = vec![title];
        names.extend(aliases);
        Ok(names)
    }

    /// Returns the front matter.
    #[must_use]
    pub fn properties(&self) -> Map<String, Value> {
        serde_json::from_str(&self.properties).unwrap_or_default()
    }

    /// Sets the front matter.
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
    fn names_are_the_first_of_the_details() {
        for id in [None, Some("7".to_owned())] {
            let details = Details {
                title: "Tea".to_owned(),
                id,
                aliases: vec!["Chai".to_owned()],
                tags: vec!["a".to_owned()],
                ..Details::default()
            };
            let bytes = postcard::to_stdvec(&details).unwrap();
            assert_eq!(Details::names(&bytes).unwrap(), ["Tea", "Chai"]);
        }
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
            substance: 3,
            created: -3,
            expires: i64::MAX,
            bands: [1, 2, 3, 4, 5, 6, 7, 8],
            words: 9,
            length: 10,
            flags: Flags::default()
                .with(Flags::KEEP, true)
                .with_tier(Tier::Core),
            ratings: [0.5, 0.25],
            rows: Rows {
                first: 11,
                count: 3,
            },
        };
        let mut bytes = Vec::new();
        row.encode("a/ä.md", &mut bytes);
        assert_eq!(Row::decode(&bytes), Some((row.clone(), "a/ä.md")));
        assert_eq!(Row::stat(&bytes), Some((row.stat, true)));
        assert_eq!(Row::standing(&bytes), Some((row.flags, row.expires)));
        assert_eq!(Row::rows(&bytes), Some(row.rows));
        for cut in 0..WIDTH {
            assert_eq!(Row::decode(&bytes[..cut]), None);
        }
        assert!(row.flags.has(Flags::KEEP) && !row.flags.has(Flags::MANAGED));
        for (number, expected) in [(10, false), (11, true), (13, true), (14, false), (0, false)] {
            assert_eq!(row.rows.has(number), expected, "{number}");
        }
        assert!(!Rows::PENDING.has(u32::MAX));
        for tier in [Tier::Core, Tier::Working, Tier::Archival, Tier::Forgotten] {
            assert_eq!(row.flags.with_tier(tier).tier(), tier);
            assert_eq!(Tier::named(tier.name()), Some(tier));
        }
    }
}
