//! Renames, merges and removals of notes: `moves.jsonl`, one per line.
//!
//! ```json
//! {"n":3,"was":"a.md","kind":"moved","to":"b.md","when":1763704740}
//! ```
//!
//! Usage is stored under the path that the note had then; this file maps it to the current path. A
//! later `returned` of the absorbed note undoes a merge, so the usage of the keeper needs no
//! correction.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::events::{EventKind, UsageEvent};
use super::lines::{self, DeviceRecord};

/// A change of a note's path or existence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MoveKind {
    /// It was renamed.
    Moved,
    /// Another note absorbed it.
    Merged,
    /// It moved to the trash.
    Trashed,
    /// It was restored from the trash, or its merge was undone.
    Returned,
    /// Its usage must be forgotten.
    Purged,
}

/// One line of `moves.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Move {
    pub was: String,
    pub kind: MoveKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Seconds since 1970.
    #[serde(rename = "when")]
    pub at: i64,
}

impl Move {
    /// Returns the move that an event describes, if any.
    pub fn of(event: &UsageEvent) -> Option<Self> {
        let kind = match event.kind {
            EventKind::Moved => MoveKind::Moved,
            EventKind::Merged => MoveKind::Merged,
            EventKind::Trashed => MoveKind::Trashed,
            EventKind::Returned => MoveKind::Returned,
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

/// All moves of notes in chronological order.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    moves: Vec<Move>,
    /// For each path the indices in `moves` at which it is left.
    departures: HashMap<String, Vec<usize>>,
}

/// The current location of a tally.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TallyLocation {
    /// The current note.
    pub note: String,
    /// The note before the current note absorbed it; the same as `note` without a merge.
    pub lineage: String,
}

impl Moves {
    /// Indexes `moves`, oldest first; a repeated move counts once.
    pub fn of(mut moves: Vec<Move>) -> Self {
        let mut known = BTreeSet::new();
        // If two devices recorded it, the first position counts.
        moves.retain(|one| known.insert(one.clone()));
        let mut departures: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, one) in moves.iter().enumerate() {
            departures.entry(one.was.clone()).or_default().push(at);
        }
        Self { moves, departures }
    }

    /// Returns the current location of the usage of `name` since `since`; `None` if the note was
    /// removed.
    pub fn find(&self, name: &str, since: i64) -> Option<TallyLocation> {
        let (mut note, mut lineage) = (name, None);
        let mut from = 0;
        while let Some((at, one)) = self.next(note, since, from) {
            from = at + 1;
            match (one.kind, &one.to) {
                (MoveKind::Moved, Some(to)) => note = to,
                (MoveKind::Merged, Some(to)) => {
                    lineage = lineage.or(Some(note));
                    note = to;
                }
                (MoveKind::Returned, _) => {}
                _ => return None,
            }
        }
        Some(TallyLocation {
            note: note.to_owned(),
            lineage: lineage.unwrap_or(note).to_owned(),
        })
    }

    /// Returns each former path with the current path of its note.
    pub fn renamed(&self) -> impl Iterator<Item = (&str, String)> {
        self.departures.iter().filter_map(|(was, departures)| {
            let since = self.moves[*departures.last()?].at;
            let found = self.find(was, since)?;
            (found.note != *was).then_some((was.as_str(), found.note))
        })
    }

    /// Returns the next move of `name` that was not undone.
    pub(super) fn next(&self, name: &str, since: i64, from: usize) -> Option<(usize, &Move)> {
        let departures = self.departures.get(name)?;
        let mut later = departures
            .iter()
            .map(|at| (*at, &self.moves[*at]))
            .filter(|(at, one)| *at >= from && one.at >= since && one.kind != MoveKind::Returned);
        later.find(|(at, one)| !is_undoable(one.kind) || !self.is_undone(departures, *at))
    }

    /// Whether the move at index `at`, one of `departures`, was undone.
    ///
    /// Another note with the same path may have been removed and restored since.
    fn is_undone(&self, departures: &[usize], at: usize) -> bool {
        let mut open = 0_usize;
        for other in departures.iter().filter(|other| **other > at) {
            match self.moves[*other].kind {
                MoveKind::Returned if open == 0 => return true,
                MoveKind::Returned => open -= 1,
                kind if is_undoable(kind) => open += 1,
                _ => {}
            }
        }
        false
    }
}

fn is_undoable(kind: MoveKind) -> bool {
    matches!(kind, MoveKind::Merged | MoveKind::Trashed)
}

/// Reads the moves of all devices in chronological order.
pub fn load(journal: &Path) -> io::Result<Moves> {
    load_with_pending(journal, &[])
}

/// Like [`load`], with the pending events.
pub fn load_with_pending(journal: &Path, waiting: &[UsageEvent]) -> io::Result<Moves> {
    let mut moves: Vec<Move> = lines::load(journal)?;
    moves.extend(waiting.iter().filter_map(Move::of));
    Ok(Moves::of(moves))
}

impl DeviceRecord for Move {
    const FILE: &'static str = "moves.jsonl";
    type Key = Self;

    fn key(&self) -> Self::Key {
        // Equal lines are redundant.
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(lines: &[(&str, MoveKind, &str, i64)]) -> Moves {
        let moves = lines.iter().map(|(was, kind, to, at)| Move {
            was: (*was).to_owned(),
            kind: *kind,
            to: (!to.is_empty()).then(|| (*to).to_owned()),
            at: *at,
        });
        Moves::of(moves.collect())
    }

    #[test]
    fn a_tally_is_found_under_its_current_path() {
        use MoveKind::{Merged, Moved, Purged, Returned, Trashed};
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
            let lookup = moves(lines).find("a", since);
            let found = lookup.map(|found| (found.note, found.lineage));
            let expected = expected.map(|(note, lineage)| (note.to_owned(), lineage.to_owned()));
            assert_eq!(found, expected, "{name}");
        }
    }
}
