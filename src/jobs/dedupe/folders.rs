//! Parallel folders: `linux/` and `osx/` with a page for each command.
//!
//! If two folders contain several notes with equal names but other texts, the folder is part of a note's
//! identity. Equal texts in such folders are not merged.

use std::collections::HashMap;

use crate::view::Entry;

/// Minimum number of shared file names with different texts.
const MIN_PARALLEL_NAMES: usize = 3;

/// Body hash by file name, for each folder.
#[derive(Debug)]
pub(super) struct FolderIndex<'e>(HashMap<&'e str, HashMap<&'e str, u64>>);

impl<'e> FolderIndex<'e> {
    pub(super) fn of(entries: &'e [Entry]) -> Self {
        let mut folders: HashMap<&str, HashMap<&str, u64>> = HashMap::new();
        for entry in entries {
            let (folder, name) = folder_and_name(entry);
            folders
                .entry(folder)
                .or_default()
                .insert(name, entry.row.body);
        }
        Self(folders)
    }

    /// Returns true if the notes have the same file name in parallel folders.
    pub(super) fn are_parallel(&self, a: &Entry, b: &Entry) -> bool {
        let ((ours, name), (theirs, other)) = (folder_and_name(a), folder_and_name(b));
        if name != other || ours == theirs {
            return false;
        }
        let (Some(ours), Some(theirs)) = (self.0.get(ours), self.0.get(theirs)) else {
            return false;
        };
        let differs =
            |(name, body): &(&&str, &u64)| theirs.get(**name).is_some_and(|other| other != *body);
        ours.iter().filter(differs).take(MIN_PARALLEL_NAMES).count() == MIN_PARALLEL_NAMES
    }
}

fn folder_and_name(entry: &Entry) -> (&str, &str) {
    (entry.path.folder(), entry.path.stem())
}
