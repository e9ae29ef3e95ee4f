//! Wording that says a thing of which there is one at a time: where somebody lives, who owns something,
//! what is used for a purpose.

use std::sync::LazyLock;

use crate::jobs::prelude::*;
use crate::note::words::lists::{self, Lists};

/// The words, by list; [`lexicon`](super::lexicon) reads the others.
pub(super) const LISTS: &str = include_str!("lexicon.txt");
pub(super) static WORDS: LazyLock<Lists> = LazyLock::new(|| Lists::of(LISTS));

/// What a value of an attribute may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// A name: `Lisbon`, but not `a flat`.
    Name,
    /// Any words.
    Any,
}

/// Which form of a verb says what is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tense {
    /// The present: `lives in`, not `lived in`.
    Present,
    /// The past, too: `based in`.
    Lasting,
    /// It begins by it: `moved to`.
    Beginning,
}

/// A verb that says an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Which attribute.
    pub(super) attribute: &'static str,
    /// Hash of the small word between the verb and the value; none if the value follows at once.
    pub(super) lead: Option<u64>,
    pub(super) kind: Kind,
    pub(super) tense: Tense,
}

/// Attributes whose values are places, of which one may lie in another.
pub(super) const PLACES: [&str; 2] = ["home", "birth"];

/// What a noun, or a word beside it, says of how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Count {
    /// Something has one of it.
    Single,
    /// It makes one of several: `favourite`.
    Sole,
    /// There are several.
    Several,
    /// It takes place, each time anew.
    Event,
    /// One of several in time: `next`.
    OneOf,
    /// It is done with one tool at a time.
    Tooled,
}

/// What verbs and nouns say of attributes, by the hash of their stems.
#[derive(Debug)]
pub(super) struct Frames {
    verbs: HashMap<u64, Vec<Frame>>,
    counts: HashSet<(u64, Count)>,
    nouns: HashMap<u64, &'static str>,
}

impl Frames {
    pub(super) fn new() -> Self {
        let mut verbs: HashMap<u64, Vec<Frame>> = HashMap::new();
        for row in lists::rows(LISTS, "frames") {
            let [attribute, of, leads, kind, tense] = lists::columns(row);
            let (kind, tense) = (lists::variant(kind), lists::variant(tense));
            for verb in of.split(' ') {
                let frames = verbs.entry(hash(verb)).or_default();
                frames.extend(leads.split(' ').map(|lead| Frame {
                    attribute,
                    lead: (lead != "-").then(|| hash(lead)),
                    kind,
                    tense,
                }));
            }
        }
        let nouns = lists::rows(LISTS, "nouns").flat_map(|row| {
            let [attribute, nouns] = lists::columns(row);
            nouns.split(' ').map(move |noun| (hash(noun), attribute))
        });
        let counts = [
            ("single", Count::Single),
            ("sole", Count::Sole),
            ("several", Count::Several),
            ("event", Count::Event),
            ("one_of", Count::OneOf),
            ("tooled", Count::Tooled),
        ];
        let counts = counts.into_iter().flat_map(|(section, count)| {
            lists::words(LISTS, section).map(move |word| (hash(word), count))
        });
        Self {
            verbs,
            counts: counts.collect(),
            nouns: nouns.collect(),
        }
    }

    /// Returns the frames of a verb.
    pub(super) fn of(&self, stem: u64) -> &[Frame] {
        self.verbs.get(&stem).map_or(&[], Vec::as_slice)
    }

    /// Returns the attribute that a noun says: `employer`.
    pub(super) fn said_by(&self, stem: u64) -> Option<&'static str> {
        self.nouns.get(&stem).copied()
    }

    /// Returns true if a word says so of how many there are.
    pub(super) fn counts(&self, stem: u64, count: Count) -> bool {
        self.counts.contains(&(stem, count))
    }
}

/// Words that lead to a value, by their hashes.
pub(super) struct Leads {
    pub(super) since: u64,
    pub(super) at: u64,
    pub(super) r#as: u64,
    pub(super) r#in: u64,
    pub(super) nach: u64,
    /// What one does something with.
    pub(super) with: [u64; 4],
    /// What one has of several.
    pub(super) prefer: [u64; 2],
    /// One of any.
    pub(super) any: [u64; 4],
    /// To a quantity.
    pub(super) reach: u64,
}

pub(super) static LEADS: LazyLock<Leads> = LazyLock::new(|| Leads {
    since: hash("since"),
    at: hash("at"),
    r#as: hash("as"),
    r#in: hash("in"),
    nach: hash("nach"),
    with: ["with", "using", "via", "through"].map(hash),
    prefer: ["prefer", "follow"].map(hash),
    any: ["a", "an", "ein", "eine"].map(hash),
    reach: hash("reach"),
});

/// Returns the hash by which a word is known.
fn hash(word: &str) -> u64 {
    xxh3_64(stem(word).as_bytes())
}
