//! Provenance of relations: `edges.jsonl`, one relation stated by mem per line.
//!
//! ```json
//! {"n":7,"from":"a.md","relation":"related_to","to":"b.md","weight":0.78,"reason":"cosine .78","by":"link",
//!  "at":"2026-11-21T05:59:00Z","run":"20261121-055900-k3f9","bodies":["9f…","07…"]}
//! ```
//!
//! The note itself contains the relation; this file records its weight, reason, author and date.
//! Without the file each relation has the default weight of its kind. A note is identified by its
//! path or, after a rename, by the hash of its body. The later of two lines about one relation
//! wins.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::decisions::REVIEW;
use super::events::TextHash;
use super::lines::{self, DeviceRecord};
use crate::note::{Relation, VaultPath};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelationOrigin {
    pub from: String,
    pub relation: Relation,
    /// The target note.
    pub to: String,
    /// Weight, 0–1.
    pub weight: f32,
    /// The reason, in one line for a person.
    pub reason: String,
    /// The job or command that stated it.
    pub by: String,
    pub at: Timestamp,
    /// The id of the run, for undo.
    pub run: String,
    /// Hashes of the two bodies.
    pub bodies: [TextHash; 2],
}

impl RelationOrigin {
    /// Whether a person or job may replace the relation by a more specific one.
    ///
    /// True of `related_to` unless it comes from a person's answer.
    pub fn is_provisional(&self) -> bool {
        self.relation == Relation::RelatedTo && self.by != REVIEW
    }
}

/// One end of a relation in the current vault.
#[derive(Clone, Copy, Debug)]
pub struct RelationEnd<'a> {
    pub path: &'a VaultPath,
    /// Hash of its body.
    pub body: u64,
}

/// The provenance of all relations.
#[derive(Clone, Debug, Default)]
pub struct Provenance {
    origins: Vec<RelationOrigin>,
    /// Indices of the origins of each pair of ends, oldest first.
    pairs: HashMap<u64, Vec<u32>>,
    /// Indices of the origins of relations that each path states, oldest first.
    stated: HashMap<String, Vec<u32>>,
}

impl Provenance {
    /// Indexes origins in order of precedence.
    fn of(origins: Vec<RelationOrigin>) -> Self {
        let mut pairs: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut stated: HashMap<String, Vec<u32>> = HashMap::new();
        for (number, origin) in origins.iter().enumerate() {
            let of_note = stated.entry(origin.from.clone()).or_default();
            of_note.push(number as u32);
            let [first, second] = origin.bodies;
            for pair in pair_keys((&origin.from, first.0), (&origin.to, second.0)) {
                pairs.entry(pair).or_default().push(number as u32);
            }
        }
        Self {
            origins,
            pairs,
            stated,
        }
    }

    /// Returns all relations that mem stated in the note at `path`, oldest first.
    pub fn stated_by(&self, path: &VaultPath) -> impl Iterator<Item = &RelationOrigin> {
        let numbers = self.stated.get(path.as_str()).into_iter().flatten();
        numbers.map(|at| &self.origins[*at as usize])
    }

    /// Whether no provenance is recorded.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// Returns the origin of the relation from `from` to `to`, if mem stated it.
    ///
    /// A note is identified by its path. Its body identifies it only if `is_note` is false for the
    /// recorded path.
    pub fn origin(
        &self,
        from: RelationEnd<'_>,
        relation: Relation,
        to: RelationEnd<'_>,
        is_note: &dyn Fn(&str) -> bool,
    ) -> Option<&RelationOrigin> {
        let latest = self.latest(from, to, is_note, |origin| origin.relation == relation)?;
        Some(&self.origins[latest as usize])
    }

    /// Returns the last relation that mem stated between the two, even if it was removed since.
    ///
    /// Notes are identified as in [`Self::origin`].
    pub fn between(
        &self,
        a: RelationEnd<'_>,
        b: RelationEnd<'_>,
        is_note: &dyn Fn(&str) -> bool,
    ) -> Option<&RelationOrigin> {
        let there = self.latest(a, b, is_note, |_| true);
        let back = self.latest(b, a, is_note, |_| true);
        Some(&self.origins[there.max(back)? as usize])
    }

    fn latest(
        &self,
        from: RelationEnd<'_>,
        to: RelationEnd<'_>,
        is_note: &dyn Fn(&str) -> bool,
        is_match: impl Fn(&RelationOrigin) -> bool,
    ) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        // Copies of one text have equal body hashes.
        let is_at = |recorded: &str, end: RelationEnd<'_>| {
            recorded == end.path.as_str() || !is_note(recorded)
        };
        let is_match = |origin: &RelationOrigin| {
            is_match(origin) && is_at(&origin.from, from) && is_at(&origin.to, to)
        };
        pair_keys((from.path.as_str(), from.body), (to.path.as_str(), to.body)).find_map(|pair| {
            let mut numbers = self.pairs.get(&pair)?.iter().rev().copied();
            numbers.find(|at| is_match(&self.origins[*at as usize]))
        })
    }
}

/// Returns the lookup keys of a pair of ends: both paths, then one path and one body, then both
/// bodies.
///
/// An empty body identifies no note.
fn pair_keys(from: (&str, u64), to: (&str, u64)) -> impl Iterator<Item = u64> {
    let names = |(path, body): (&str, u64)| {
        let body = (body != 0).then(|| xxh3_64_with_seed(&body.to_le_bytes(), 2));
        (xxh3_64_with_seed(path.as_bytes(), 1), body)
    };
    let ((from_path, from_body), (to_path, to_body)) = (names(from), names(to));
    let pair = |from: u64, to: u64| xxh3_64_with_seed(&to.to_le_bytes(), from);
    [
        Some(pair(from_path, to_path)),
        from_body.map(|from| pair(from, to_path)),
        to_body.map(|to| pair(from_path, to)),
        from_body.zip(to_body).map(|(from, to)| pair(from, to)),
    ]
    .into_iter()
    .flatten()
}

/// Reads the relations stated by all devices under `journal`.
pub fn load(journal: &Path) -> io::Result<Provenance> {
    Ok(Provenance::of(lines::load(journal)?))
}

impl DeviceRecord for RelationOrigin {
    const FILE: &'static str = "edges.jsonl";
    type Key = (String, Relation, String);

    fn key(&self) -> Self::Key {
        (self.from.clone(), self.relation, self.to.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A path and a body hash.
    type PathAndBody = (&'static str, u64);

    fn origin(from: PathAndBody, to: PathAndBody, by: &str, at: i64) -> RelationOrigin {
        RelationOrigin {
            from: from.0.to_owned(),
            relation: Relation::RelatedTo,
            to: to.0.to_owned(),
            weight: 0.75,
            reason: "because".to_owned(),
            by: by.to_owned(),
            at: Timestamp::from_second(at).unwrap(),
            run: "r".to_owned(),
            bodies: [TextHash(from.1), TextHash(to.1)],
        }
    }

    /// Returns who stated the relation between the two notes.
    fn by(provenance: &Provenance, from: PathAndBody, to: PathAndBody) -> Option<String> {
        author_among(provenance, from, to, &[])
    }

    /// Like [`by`], in a vault that also has notes at the paths `others`.
    fn author_among(
        provenance: &Provenance,
        from: PathAndBody,
        to: PathAndBody,
        others: &[&str],
    ) -> Option<String> {
        let is_note = |path: &str| others.contains(&path);
        let paths = [from.0, to.0].map(|path| VaultPath::new(path).unwrap());
        let [from, to] = [(0, from.1), (1, to.1)].map(|(at, body)| RelationEnd {
            path: &paths[at],
            body,
        });
        let origin = provenance.origin(from, Relation::RelatedTo, to, &is_note);
        assert!(
            provenance
                .origin(from, Relation::Supports, to, &is_note)
                .is_none()
        );
        let between = provenance.between(to, from, &is_note);
        assert!(origin.is_none_or(|origin| between == Some(origin)));
        origin.map(|origin| origin.by.clone())
    }

    #[test]
    fn a_note_is_identified_by_its_path_or_its_body() {
        let stated = |notes: &[(PathAndBody, PathAndBody, &str)]| {
            let origins = notes.iter().map(|(from, to, by)| origin(*from, *to, by, 1));
            Provenance::of(origins.collect())
        };
        let one = stated(&[(("a.md", 1), ("b.md", 2), "link")]);
        for (from, to, expected) in [
            (("a.md", 1), ("b.md", 2), true),
            (("a.md", 9), ("b.md", 9), true),
            (("new.md", 1), ("b.md", 9), true),
            (("a.md", 9), ("new.md", 2), true),
            (("new.md", 1), ("newer.md", 2), true),
            (("new.md", 9), ("b.md", 2), false),
            (("b.md", 2), ("a.md", 1), false),
        ] {
            assert_eq!(by(&one, from, to).is_some(), expected, "{from:?} {to:?}");
        }
        // Another note with the same text is a different note.
        for (from, to, others) in [
            (("copy.md", 1), ("b.md", 2), &["a.md"][..]),
            (("a.md", 1), ("copy.md", 2), &["b.md"]),
            (("copy.md", 1), ("copy 2.md", 2), &["a.md"]),
        ] {
            assert_eq!(
                author_among(&one, from, to, others),
                None,
                "{from:?} {to:?}"
            );
        }
        // Two empty notes, or two with one text, are different notes.
        let empty = stated(&[(("a.md", 0), ("b.md", 0), "link")]);
        assert_eq!(by(&empty, ("c.md", 0), ("d.md", 0)), None);
        let copies = stated(&[
            (("a.md", 1), ("b.md", 2), "link"),
            (("c.md", 1), ("b.md", 2), "conflicts"),
        ]);
        let who = by(&copies, ("a.md", 1), ("b.md", 2));
        assert_eq!(who.as_deref(), Some("link"));
        assert_eq!(by(&Provenance::default(), ("a.md", 1), ("b.md", 2)), None);
    }

    #[test]
    fn the_later_line_of_any_device_wins_and_a_torn_one_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        assert!(load(&journal).unwrap().is_empty());
        let (a, b) = (("a.md", 1), ("b.md", u64::MAX));
        for (device, by, at) in [
            ("one", "link", 10),
            ("two", "review", 20),
            ("three", "x", 5),
        ] {
            let device = journal.join(device);
            fs::create_dir_all(&device).unwrap();
            lines::append(&device, &[origin(a, b, by, at)]).unwrap();
        }
        let file = journal.join("one").join(RelationOrigin::FILE);
        let mut torn = fs::read(&file).unwrap();
        torn.extend(b"\xff\x00{}\n{\"from\":\"a\xc3");
        fs::write(&file, torn).unwrap();
        lines::append(
            &journal.join("one"),
            &[origin(b, ("c.md", 0), "remember", 1)],
        )
        .unwrap();
        let provenance = load(&journal).unwrap();
        assert_eq!(by(&provenance, a, b).as_deref(), Some("x"));
        let who = by(&provenance, ("renamed.md", u64::MAX), ("c.md", 7));
        assert_eq!(who.as_deref(), Some("remember"));
    }

    #[test]
    fn related_to_from_jobs_is_provisional() {
        for (by, relation, expected) in [
            ("link", Relation::RelatedTo, true),
            ("remember", Relation::RelatedTo, true),
            ("link", Relation::Supports, false),
            ("review", Relation::RelatedTo, false),
        ] {
            let origin = RelationOrigin {
                relation,
                ..origin(("a.md", 1), ("b.md", 2), by, 1)
            };
            assert_eq!(origin.is_provisional(), expected, "{by} {relation}");
        }
    }
}
