//! What became of notes: `moves.jsonl`, one a line.
//!
//! ```json
//! {"n":3,"was":"a.md","kind":"moved","to":"b.md","at":1763704740}
//! ```
//!
//! What was learned of a note is kept under the name that it had then; here is under which name it is
//! found now. A merge is undone by a later `returned` of the note that went, so that nothing has to be
//! taken out of what its keeper learned.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::events::{Event, Kind};
use super::lines::{self, Record};

/// What became of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It has another name.
    Moved,
    /// Another note took it in.
    Merged,
    /// It went to the trash.
    Trashed,
    /// It came back from there, or out of the note that took it in.
    Returned,
    /// What was learned of it is to be forgotten.
    Purged,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Move {
    pub was: String,
    pub kind: Fate,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// In seconds since 1970.
    #[serde(rename = "when")]
    pub at: i64,
}

impl Move {
    /// Returns what the event says of a note's name, if it says something.
    pub fn of(event: &Event) -> Option<Self> {
        let kind = match event.kind {
            Kind::Moved => Fate::Moved,
            Kind::Merged => Fate::Merged,
            Kind::Trashed => Fate::Trashed,
            Kind::Returned => Fate::Returned,
            _ => return None,
        };
        Some(Self {
            was: event.notes.first()?.clone(),
            kind,
            to: event.to.clone(),
            at: event.at,
        })
    }
}

/// What became of all notes, in the order in which it happened.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    moves: Vec<Move>,
    /// Of each name, where in `moves` it is left.
    left: HashMap<String, Vec<usize>>,
}

/// Where the tally of a name is found now.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// The note of today.
    pub note: String,
    /// The note that it was when the note of today took it in; the same where none did.
    pub lineage: String,
}

impl Moves {
    /// Returns what `moves` come to, the oldest first; one that is said twice happened once.
    #[must_use]
    pub fn of(mut moves: Vec<Move>) -> Self {
        let mut known = BTreeSet::new();
        // Of what two devices saw, one after the other, the first place holds.
        moves.retain(|one| known.insert(one.clone()));
        let mut left: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, one) in moves.iter().enumerate() {
            left.entry(one.was.clone()).or_default().push(at);
        }
        Self { moves, left }
    }

    /// Returns where what was learned of `name` from `since` on is found now; `None` if it was taken
    /// away.
    pub fn find(&self, name: &str, since: i64) -> Option<Found> {
        let (mut note, mut lineage) = (name, None);
        let mut from = 0;
        while let Some((at, one)) = self.next(note, since, from) {
            from = at + 1;
            match (one.kind, &one.to) {
                (Fate::Moved, Some(to)) => note = to,
                (Fate::Merged, Some(to)) => {
                    lineage = lineage.or(Some(note));
                    note = to;
                }
                (Fate::Returned, _) => {}
                _ => return None,
            }
        }
        Some(Found {
            note: note.to_owned(),
            lineage: lineage.unwrap_or(note).to_owned(),
        })
    }

    /// Returns each name that a note left, with the name under which that note is found now.
    pub fn renamed(&self) -> impl Iterator<Item = (&str, String)> {
        self.left.iter().filter_map(|(was, left)| {
            let since = self.moves[*left.last()?].at;
            let found = self.find(was, since)?;
            (found.note != *was).then_some((was.as_str(), found.note))
        })
    }

    /// What next became of `name`, and stands.
    pub(super) fn next(&self, name: &str, since: i64, from: usize) -> Option<(usize, &Move)> {
        let left = self.left.get(name)?;
        let mut later = left
            .iter()
            .map(|at| (*at, &self.moves[*at]))
            .filter(|(at, one)| *at >= from && one.at >= since && one.kind != Fate::Returned);
        later.find(|(at, one)| !may_return(one.kind) || !self.is_back(left, *at))
    }

    /// Returns true if what happened at `at`, one of the places in `left`, was taken back: another note of
    /// that name may have gone and come back since.
    fn is_back(&self, left: &[usize], at: usize) -> bool {
        let mut open = 0_usize;
        for other in left.iter().filter(|other| **other > at) {
            match self.moves[*other].kind {
                Fate::Returned if open == 0 => return true,
                Fate::Returned => open -= 1,
                kind if may_return(kind) => open += 1,
                _ => {}
            }
        }
        false
    }
}

fn may_return(kind: Fate) -> bool {
    matches!(kind, Fate::Merged | Fate::Trashed)
}

/// Reads what all devices saw, in the order in which it happened.
pub fn load(journal: &Path) -> io::Result<Moves> {
    load_and(journal, &[])
}

/// As [`load`], with the events that are not taken in yet.
pub fn load_and(journal: &Path, waiting: &[Event]) -> io::Result<Moves> {
    let mut moves: Vec<Move> = lines::load(journal)?;
    moves.extend(waiting.iter().filter_map(Move::of));
    Ok(Moves::of(moves))
}

impl Record for Move {
    const FILE: &'static str = "moves.jsonl";
    type Key = Self;

    fn key(&self) -> Self::Key {
        // Of equal lines one is enough.
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(lines: &[(&str, Fate, &str, i64)]) -> Moves {
        let moves = lines.iter().map(|(was, kind, to, at)| Move {
            was: (*was).to_owned(),
            kind: *kind,
            to: (!to.is_empty()).then(|| (*to).to_owned()),
            at: *at,
        });
        Moves::of(moves.collect())
    }

    #[test]
    fn a_tally_is_found_under_the_name_of_today() {
        use Fate::{Merged, Moved, Purged, Returned, Trashed};
        for (name, lines, since, expected) in [
            ("nothing happened", &[][..], 0, Some(("a", "a"))),
            ("renamed", &[("a", Moved, "b", 5)], 1, Some(("b", "b"))),
            (
                "another of that name",
                &[("a", Moved, "b", 5)],
                6,
                Some(("a", "a")),
            ),
            (
                "there and back",
                &[("a", Moved, "b", 5), ("b", Moved, "a", 6)],
                1,
                Some(("a", "a")),
            ),
            (
                "said by two devices",
                &[("a", Moved, "b", 5), ("a", Moved, "b", 5)],
                1,
                Some(("b", "b")),
            ),
            (
                "two swapped their names",
                &[
                    ("a", Moved, "c", 5),
                    ("b", Moved, "a", 5),
                    ("c", Moved, "b", 5),
                ],
                1,
                Some(("b", "b")),
            ),
            (
                "merged, and the keeper renamed",
                &[("a", Merged, "k", 5), ("k", Moved, "l", 6)],
                1,
                Some(("l", "a")),
            ),
            (
                "renamed, merged, merged again",
                &[
                    ("a", Moved, "b", 4),
                    ("b", Merged, "k", 5),
                    ("k", Merged, "l", 6),
                ],
                1,
                Some(("l", "b")),
            ),
            (
                "the merge was undone",
                &[("a", Merged, "k", 5), ("a", Returned, "", 6)],
                1,
                Some(("a", "a")),
            ),
            (
                "and made again",
                &[
                    ("a", Merged, "k", 5),
                    ("a", Returned, "", 6),
                    ("a", Merged, "k", 7),
                ],
                1,
                Some(("k", "a")),
            ),
            (
                "merged, and another of that name was restored",
                &[
                    ("a", Merged, "k", 5),
                    ("a", Trashed, "", 7),
                    ("a", Returned, "", 8),
                ],
                1,
                Some(("k", "a")),
            ),
            ("in the trash", &[("a", Trashed, "", 5)], 1, None),
            (
                "restored",
                &[("a", Trashed, "", 5), ("a", Returned, "", 5)],
                1,
                Some(("a", "a")),
            ),
            (
                "purged for good",
                &[("a", Purged, "", 5), ("a", Returned, "", 6)],
                1,
                None,
            ),
        ] {
            let found = moves(lines).find("a", since);
            let found = found.map(|found| (found.note, found.lineage));
            let expected = expected.map(|(note, lineage)| (note.to_owned(), lineage.to_owned()));
            assert_eq!(found, expected, "{name}");
        }
    }
}
