//! Phrases that state a single-valued attribute: residence, owner, the tool for a purpose.

use std::sync::LazyLock;

use crate::jobs::prelude::*;
use crate::note::words::lists::{self, Lists};

/// The word lists of the job; [`lexicon`](super::lexicon) reads the remaining sections.
pub(super) const LEXICON_TEXT: &str = include_str!("lexicon.txt");
pub(super) static LEXICON_LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::of(LEXICON_TEXT));

/// Accepted values of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ValueKind {
    /// A name: `Lisbon`, but not `a flat`.
    Name,
    /// Any words.
    Any,
}

/// Verb tenses in which a verb states the current value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tense {
    /// Present only: `lives in`, not `lived in`.
    Present,
    /// Present and past: `based in`.
    Lasting,
    /// The verb starts a new state: `moved to`.
    Beginning,
}

/// A verb pattern that states an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VerbFrame {
    /// Name of the attribute.
    pub(super) attribute: &'static str,
    /// Hash of the preposition between verb and value; `None` if the value follows directly.
    pub(super) lead: Option<u64>,
    pub(super) kind: ValueKind,
    pub(super) tense: Tense,
}

/// Attributes whose values are places; one place may contain the other.
pub(super) const PLACE_ATTRIBUTES: [&str; 2] = ["home", "birth"];

/// Multiplicity that a noun, or a modifier of it, implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Multiplicity {
    /// A holder has exactly one.
    Single,
    /// A modifier that selects a single one: `favourite`.
    Sole,
    /// A holder may have several.
    Several,
    /// An event, which recurs.
    Event,
    /// A modifier that selects one of a sequence: `next`.
    OneOf,
    /// An activity that uses one tool at a time.
    Tooled,
}

/// Attribute verbs and nouns, keyed by the hash of the stem.
#[derive(Debug)]
pub(super) struct Frames {
    verbs: HashMap<u64, Vec<VerbFrame>>,
    counts: HashSet<(u64, Multiplicity)>,
    nouns: HashMap<u64, &'static str>,
}

impl Frames {
    pub(super) fn new() -> Self {
        let mut verbs: HashMap<u64, Vec<VerbFrame>> = HashMap::new();
        for row in lists::rows(LEXICON_TEXT, "frames") {
            let [attribute, of, leads, kind, tense] = lists::columns(row);
            let (kind, tense) = (lists::variant(kind), lists::variant(tense));
            for verb in of.split(' ') {
                let frames = verbs.entry(hash(verb)).or_default();
                frames.extend(leads.split(' ').map(|lead| VerbFrame {
                    attribute,
                    lead: (lead != "-").then(|| hash(lead)),
                    kind,
                    tense,
                }));
            }
        }
        let nouns = lists::rows(LEXICON_TEXT, "nouns").flat_map(|row| {
            let [attribute, nouns] = lists::columns(row);
            nouns.split(' ').map(move |noun| (hash(noun), attribute))
        });
        let sections = [
            ("single", Multiplicity::Single),
            ("sole", Multiplicity::Sole),
            ("several", Multiplicity::Several),
            ("event", Multiplicity::Event),
            ("one_of", Multiplicity::OneOf),
            ("tooled", Multiplicity::Tooled),
        ];
        let counts = sections.into_iter().flat_map(|(section, count)| {
            lists::words(LEXICON_TEXT, section).map(move |word| (hash(word), count))
        });
        Self {
            verbs,
            counts: counts.collect(),
            nouns: nouns.collect(),
        }
    }

    /// Returns the patterns of a verb.
    pub(super) fn of_verb(&self, stem: u64) -> &[VerbFrame] {
        self.verbs.get(&stem).map_or(&[], Vec::as_slice)
    }

    /// Returns the attribute that a noun states: `employer`.
    pub(super) fn attribute_of_noun(&self, stem: u64) -> Option<&'static str> {
        self.nouns.get(&stem).copied()
    }

    /// Returns true if a word implies this multiplicity.
    pub(super) fn has_multiplicity(&self, stem: u64, count: Multiplicity) -> bool {
        self.counts.contains(&(stem, count))
    }
}

/// Hashes of the words that introduce a value.
pub(super) struct Cues {
    pub(super) since: u64,
    pub(super) at: u64,
    pub(super) r#as: u64,
    pub(super) r#in: u64,
    pub(super) nach: u64,
    /// Participles of a move.
    pub(super) moved: HashSet<u64>,
    /// Prepositions before a tool.
    pub(super) with: [u64; 4],
    /// Verbs of preference.
    pub(super) prefer: [u64; 2],
    /// Indefinite articles.
    pub(super) any: [u64; 4],
    /// The verb before a quantity.
    pub(super) reach: u64,
    /// Predicates of a version.
    pub(super) requires: HashSet<u64>,
}

pub(super) static CUES: LazyLock<Cues> = LazyLock::new(|| Cues {
    since: hash("since"),
    at: hash("at"),
    r#as: hash("as"),
    r#in: hash("in"),
    nach: hash("nach"),
    moved: lists::words(LEXICON_TEXT, "moved").map(hash).collect(),
    with: ["with", "using", "via", "through"].map(hash),
    prefer: ["prefer", "follow"].map(hash),
    any: ["a", "an", "ein", "eine"].map(hash),
    reach: hash("reach"),
    requires: lists::words(LEXICON_TEXT, "requires").map(hash).collect(),
});

/// Returns the hash of the stem of a word.
fn hash(word: &str) -> u64 {
    xxh3_64(stem(word).as_bytes())
}
