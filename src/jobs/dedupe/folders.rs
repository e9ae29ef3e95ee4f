//! Folders that say what a note is about: `linux/` and `osx/` with a page of each command.
//!
//! Where two folders hold several notes of the same names with other texts, a note is what it is by its
//! folder, even where the texts are the same.

use std::collections::HashMap;

use crate::view::Entry;

/// From so many names on that two folders give to different notes, they are parallel.
const SEVERAL: usize = 3;

/// The names of files in each folder, with the hashes of their texts.
#[derive(Debug)]
pub(super) struct Folders<'e>(HashMap<&'e str, HashMap<&'e str, u64>>);

impl<'e> Folders<'e> {
    pub(super) fn of(entries: &'e [Entry]) -> Self {
        let mut folders: HashMap<&str, HashMap<&str, u64>> = HashMap::new();
        for entry in entries {
            let (folder, name) = divided(entry);
            folders
                .entry(folder)
                .or_default()
                .insert(name, entry.row.body);
        }
        Self(folders)
    }

    /// Returns true if the two have one name in folders that are parallel.
    pub(super) fn are_parallel(&self, a: &Entry, b: &Entry) -> bool {
        let ((ours, name), (theirs, other)) = (divided(a), divided(b));
        if name != other || ours == theirs {
            return false;
        }
        let (Some(ours), Some(theirs)) = (self.0.get(ours), self.0.get(theirs)) else {
            return false;
        };
        let differs =
            |(name, body): &(&&str, &u64)| theirs.get(**name).is_some_and(|other| other != *body);
        ours.iter().filter(differs).take(SEVERAL).count() == SEVERAL
    }
}

fn divided(entry: &Entry) -> (&str, &str) {
    entry
        .path
        .as_str()
        .rsplit_once('/')
        .unwrap_or(("", entry.path.as_str()))
}
