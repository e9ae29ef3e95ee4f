//! Wording that says a thing of which there is one at a time: where somebody lives, who owns something,
//! what is used for a purpose.
//!
//! A state lasts until another takes its place, so that two values of it cannot both be so: `lives in`,
//! `hosted on`. What happens (`went to`), what one may have several of (`likes`, `has`, `knows`) and what
//! something is like (`is fast`) is no such thing, and not listed.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

use crate::note::words::english::stem;

/// What a value of an attribute may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name: `Lisbon`, but not `a flat`.
    Name,
    /// Any words.
    Any,
}

/// Which form of a verb says what is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Attribute, verbs, what leads to the value.
#[rustfmt::skip]
const FRAMES: &[(&str, &str, &str, Kind, Tense)] = &[
    ("home", "live reside", "in at", Kind::Name, Tense::Present),
    ("home", "wohne wohnt wohnen lebe lebt leben sitzt", "in", Kind::Name, Tense::Present),
    ("home", "base headquarter locate situate", "in at", Kind::Name, Tense::Lasting),
    ("home", "move relocate", "to", Kind::Name, Tense::Beginning),
    ("work", "work intern", "at for", Kind::Name, Tense::Present),
    ("work", "arbeite arbeitet", "bei für", Kind::Name, Tense::Present),
    ("work", "employ", "by at", Kind::Name, Tense::Lasting),
    ("work", "join", "-", Kind::Name, Tense::Beginning),
    ("work", "start hire job role position offer", "at by with", Kind::Name, Tense::Beginning),
    ("post", "work serve act", "as", Kind::Any, Tense::Present),
    ("post", "promote", "to", Kind::Any, Tense::Beginning),
    ("post", "become became", "-", Kind::Any, Tense::Beginning),
    ("school", "study", "at", Kind::Name, Tense::Present),
    ("school", "enroll enrol", "at", Kind::Name, Tense::Lasting),
    ("name", "name call", "-", Kind::Name, Tense::Lasting),
    ("name", "heißt", "-", Kind::Name, Tense::Present),
    ("partner", "marry engage", "to", Kind::Name, Tense::Lasting),
    ("host", "host deploy", "on in at to", Kind::Name, Tense::Lasting),
    ("host", "run", "on", Kind::Name, Tense::Present),
    ("written", "write written implement code", "in", Kind::Name, Tense::Lasting),
    ("kept", "store save keep kept park", "in on at", Kind::Any, Tense::Lasting),
    ("owner", "own lead led manage maintain head run chair supervise", "by", Kind::Name, Tense::Lasting),
    ("chief", "report", "to", Kind::Name, Tense::Present),
    ("license", "license release publish", "under", Kind::Name, Tense::Lasting),
    ("birth", "born", "in", Kind::Name, Tense::Lasting),
    ("car", "drive", "-", Kind::Name, Tense::Present),
];

/// Attributes whose values are places, of which one may lie in another.
pub(super) const PLACES: [&str; 2] = ["home", "birth"];

/// Nouns that say the attribute of a verb.
const NOUNS: &[(&str, &str)] = &[
    (
        "post",
        "title role job position occupation profession beruf",
    ),
    ("home", "home city hometown residence wohnort"),
    ("work", "employer company arbeitgeber"),
    ("chief", "manager boss supervisor chef chefin"),
    ("owner", "owner maintainer"),
    ("name", "name"),
];

/// Nouns that something has one of, so that `X's N is …` says which.
const SINGLE: &str = "status state stage phase name title role job position occupation profession colour \
    color size type kind owner boss manager lead address location home city hometown country birthday \
    deadline plan tier currency major degree diet nickname username branch version host region engine \
    font license licence capital timezone employer advisor supervisor ceo cto cfo coo president chairman \
    principal maintainer mayor landlord landlady dentist therapist accountant lawyer password passcode pin ssid \
    domain provider bank insurer chef chefin geburtstag adresse passwort kennwort frist standort beruf \
    wohnort arbeitgeber";

/// What there are several of, one each time or each group: `The guest is Ann`.
const SEVERAL: &str = "guest reviewer speaker attendee participant member winner friend author example \
    candidate visitor opponent";

/// What takes place somewhere, each time anew.
const EVENTS: &str = "meeting conference event party workshop session call trip holiday vacation lunch \
    dinner game match concert wedding appointment interview exam class lesson talk summit retreat \
    treffen konferenz";

/// What says that a thing is one of several in time.
const ONE_OF: &str = "another other next previous today tomorrow yesterday this that";

/// What is done with one tool at a time: `deploys with Jenkins`.
const TOOLED: &str = "deploy build bundle lint format test monitor";

/// What makes one of several.
const SOLE: &str = "favourite favorite main primary default current preferred native top";

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
        for &(attribute, of, leads, kind, tense) in FRAMES {
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
        let nouns = NOUNS.iter().flat_map(|(attribute, nouns)| {
            let nouns = nouns.split(' ');
            nouns.map(|noun| (hash(noun), *attribute))
        });
        let counts = [
            (SINGLE, Count::Single),
            (SOLE, Count::Sole),
            (SEVERAL, Count::Several),
            (EVENTS, Count::Event),
            (ONE_OF, Count::OneOf),
            (TOOLED, Count::Tooled),
        ];
        let counts = counts.into_iter().flat_map(|(words, count)| {
            let words = words.split_whitespace();
            words.map(move |word| (hash(word), count))
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
