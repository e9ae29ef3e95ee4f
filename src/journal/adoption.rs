//! When mem first saw each note: `adopted.jsonl`, one note per line.
//!
//! ```json
//! {"n":5,"note":"a.md","when":1763704740}
//! ```
//!
//! Age limits count from that moment, so the first run over an old vault demotes nothing for its
//! age. The file is in the vault and follows renames, so neither a new path nor a new machine makes
//! a note new. If it is lost, all notes are new.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::lines::{self, DeviceRecord};
use super::moves;

/// One line of `adopted.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adoption {
    pub note: String,
    /// Seconds since 1970.
    #[serde(rename = "when")]
    pub at: i64,
}

/// Returns when any device first saw each note, by the note's current path.
pub fn load(journal: &Path) -> io::Result<HashMap<String, i64>> {
    let moves = moves::load(journal)?;
    let mut known: HashMap<String, i64> = HashMap::new();
    for (_, Adoption { note, at }) in lines::load_by_device(journal)? {
        // A note that absorbed another one keeps its own date.
        let found = moves.find(&note, at);
        if let Some(found) = found.filter(|found| found.note == found.lineage) {
            let since = known.entry(found.note).or_insert(at);
            *since = at.min(*since);
        }
    }
    Ok(known)
}

impl DeviceRecord for Adoption {
    const FILE: &'static str = "adopted.jsonl";
    type Key = (String, i64);

    fn key(&self) -> Self::Key {
        (self.note.clone(), self.at)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::journal::moves::{Move, MoveKind};

    #[test]
    fn adoption_is_the_earliest_of_all_devices_and_names() {
        let journal = tempfile::tempdir().unwrap();
        let device = |name: &str| {
            let device = journal.path().join(name);
            fs::create_dir_all(&device).unwrap();
            device
        };
        let adopted = |note: &str, at| Adoption {
            note: note.to_owned(),
            at,
        };
        let moved = |was: &str, kind, to: &str, at| Move {
            was: was.to_owned(),
            kind,
            to: Some(to.to_owned()),
            at,
        };
        lines::append(
            &device("a"),
            &[adopted("old.md", 10), adopted("gone.md", 10)],
        )
        .unwrap();
        lines::append(
            &device("b"),
            &[adopted("new.md", 30), adopted("keeper.md", 20)],
        )
        .unwrap();
        let log = [
            moved("old.md", MoveKind::Moved, "new.md", 25),
            moved("gone.md", MoveKind::Merged, "keeper.md", 26),
        ];
        lines::append(&device("a"), &log).unwrap();
        let expected = [("new.md", 10), ("keeper.md", 20)].map(|(note, at)| (note.to_owned(), at));
        assert_eq!(load(journal.path()).unwrap(), HashMap::from(expected));
    }
}
