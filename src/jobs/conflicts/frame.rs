//! Wording that says a thing of which there is one at a time: where somebody lives, who owns something,
//! what is used for a purpose.
//!
//! A state lasts until another takes its place, so that two values of it cannot both be so: `lives in`,
//! `hosted on`. What happens (`went to`), what one may have several of (`likes`, `has`, `knows`) and what
//! something is like (`is fast`) is no such thing, and not listed.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use crate::note::english::stem;

/// What a value of an attribute may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name: `Lisbon`, but not `a flat`.
    Name,
    /// Any words.
    Any,
}

/// A verb that says an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Which attribute.
    pub(super) attribute: &'static str,
    /// Hash of the small word between the verb and the value; none if the value follows at once.
    pub(super) lead: Option<u64>,
    pub(super) kind: Kind,
    /// True if it begins by it: `moved to`.
    pub(super) begins: bool,
    /// True if the verb says what is so by its past form: `based in`, `moved to`; not `lived in`.
    pub(super) is_past: bool,
}

/// Attribute, verbs, what leads to the value.
#[rustfmt::skip]
const FRAMES: &[(&str, &str, &str, Kind, bool, bool)] = &[
    ("home", "live reside", "in at", Kind::Name, false, false),
    ("home", "base headquarter locate situate", "in at", Kind::Name, false, true),
    ("home", "move relocate", "to", Kind::Name, true, true),
    ("work", "work intern", "at for", Kind::Name, false, false),
    ("work", "employ", "by at", Kind::Name, false, true),
    ("work", "join", "-", Kind::Name, true, true),
    ("work", "start hire job role position offer", "at by with", Kind::Name, true, true),
    ("post", "work serve act", "as", Kind::Any, false, false),
    ("post", "promote", "to", Kind::Any, true, true),
    ("post", "become became", "-", Kind::Any, true, true),
    ("school", "study", "at", Kind::Name, false, false),
    ("school", "enroll enrol", "at", Kind::Name, false, true),
    ("name", "name call", "-", Kind::Name, false, true),
    ("partner", "marry engage", "to", Kind::Name, false, true),
    ("host", "host deploy", "on in at to", Kind::Name, false, true),
    ("host", "run", "on", Kind::Name, false, false),
    ("written", "write written implement code", "in", Kind::Name, false, true),
    ("kept", "store save keep kept park", "in on at", Kind::Any, false, true),
    ("owner", "own lead led manage maintain head run chair supervise", "by", Kind::Name, false, true),
    ("chief", "report", "to", Kind::Name, false, false),
    ("license", "license release publish", "under", Kind::Name, false, true),
    ("birth", "born", "in", Kind::Name, false, true),
    ("car", "drive", "-", Kind::Name, false, false),
];

/// Nouns that say the attribute of a verb.
const NOUNS: &[(&str, &str)] = &[
    ("post", "title role job position occupation profession"),
    ("home", "home city hometown residence"),
    ("work", "employer company"),
    ("chief", "manager boss supervisor"),
    ("owner", "owner maintainer"),
    ("name", "name"),
];

/// Nouns that something has one of, so that `X's N is …` says which.
const SINGLE: &str = "status state stage phase name title role job position occupation profession colour \
    color size type kind owner boss manager lead address location home city hometown country birthday \
    deadline plan tier currency major degree diet nickname username branch version host region engine \
    font license licence capital timezone employer advisor supervisor";

/// What makes one of several.
const SOLE: &str = "favourite favorite main primary default current preferred native top";

/// What verbs and nouns say of attributes, by the hash of their stems.
#[derive(Debug)]
pub(super) struct Frames {
    verbs: HashMap<u64, Vec<Frame>>,
    single: HashSet<u64>,
    sole: HashSet<u64>,
    nouns: HashMap<u64, &'static str>,
}

impl Frames {
    pub(super) fn new() -> Self {
        let mut verbs: HashMap<u64, Vec<Frame>> = HashMap::new();
        for &(attribute, of, leads, kind, begins, is_past) in FRAMES {
            for verb in of.split(' ') {
                let frames = verbs.entry(hash(verb)).or_default();
                frames.extend(leads.split(' ').map(|lead| Frame {
                    attribute,
                    lead: (lead != "-").then(|| hash(lead)),
                    kind,
                    begins,
                    is_past,
                }));
            }
        }
        let nouns = NOUNS.iter().flat_map(|(attribute, nouns)| {
            let nouns = nouns.split(' ');
            nouns.map(|noun| (hash(noun), *attribute))
        });
        let set = |words: &str| words.split_whitespace().map(hash).collect();
        Self {
            verbs,
            single: set(SINGLE),
            sole: set(SOLE),
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

    /// Returns true for a noun that something has one of.
    pub(super) fn is_single(&self, stem: u64) -> bool {
        self.single.contains(&stem)
    }

    /// Returns true for what makes one of several: `favourite`.
    pub(super) fn is_sole(&self, stem: u64) -> bool {
        self.sole.contains(&stem)
    }
}

/// Returns the hash by which a word is known.
pub(super) fn hash(word: &str) -> u64 {
    xxh3_64(stem(word).as_bytes())
}
