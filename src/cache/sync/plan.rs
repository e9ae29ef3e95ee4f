//! Plan of a pass: differences between vault and index.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::catalog::CatalogReader;
use super::super::error::{CacheError, Result};
use super::super::row::{Flags, Slot};
use super::super::vectors::file::Vectors;
use crate::note::VaultPath;
use crate::vault::walk::{WalkProblem, WalkedNote, walk};
use crate::vault::{ReadError, Stat, Vault};

/// Minimum number of missing notes before a pass suspects an unmounted disk.
const MIN_MISSING_FOR_ALARM: usize = 20;

/// Minimum age of a file time in nanoseconds. A more recent one may hide a later write: file systems use the
/// kernel's clock tick of up to 10 ms.
const MIN_AGE_NS: i64 = 20_000_000;

/// The notes to read and to drop.
#[derive(Debug, Default)]
pub struct SyncPlan {
    pub(in crate::cache) read: Vec<(WalkedNote, Option<Slot>)>,
    pub(in crate::cache) remove: Vec<Slot>,
    /// The folders, if they were listed again.
    pub(in crate::cache) folders: Option<Vec<(String, i64)>>,
    /// Results of a full walk only: rule files, and unreadable files.
    pub(super) rules: Option<Vec<(String, i64)>>,
    pub(super) problems: Option<Vec<(String, String)>>,
    /// The vectors of the index being replaced.
    pub(super) replaced_vectors: Option<Vectors>,
}

impl SyncPlan {
    /// Returns the plan of a full walk; `own_removals` returns the notes that mem itself removed.
    pub(super) fn whole(
        vault: &Vault,
        reading: &CatalogReader,
        own_removals: impl FnOnce() -> HashSet<String>,
    ) -> Result<Self, CacheError> {
        let rules = rule_files(vault);
        let walk = walk(vault)?;
        let mut indexed = indexed_notes(reading)?;
        // Slots are mostly sorted by path already.
        indexed.sort_by(|a, b| a.path.cmp(b.path));
        let walk_problems = walk.problems.iter();
        let problems = walk_problems.map(|(path, problem)| (path.clone(), problem.to_string()));
        let mut plan = Self {
            rules: Some(rules),
            problems: Some(problems.collect()),
            ..Self::default()
        };
        // The notes of an unlistable folder are unknown, not missing.
        let is_unreadable = |problem: &WalkProblem| matches!(problem, WalkProblem::Unreadable(_));
        let failures = walk
            .problems
            .iter()
            .filter(|(_, problem)| is_unreadable(problem));
        let unreadable: HashSet<&str> = failures.map(|(path, _)| path.as_str()).collect();
        plan.add_differences(&indexed, &walk.notes, |path| {
            let ancestors = path.match_indices('/').map(|(end, _)| &path[..end]);
            let mut above = ancestors.chain([path, ""]);
            !unreadable.is_empty() && above.any(|folder| unreadable.contains(folder))
        });
        plan.folders = Some(walk.folders.into_iter().map(folder_unless_racy).collect());
        let (gone, known, found) = (plan.remove.len(), indexed.len(), plan.read.len());
        let is_alarming =
            |gone, known| gone > MIN_MISSING_FOR_ALARM && gone * 2 > known && gone > found;
        if is_alarming(gone, known) {
            let (own, missing) = (own_removals(), HashSet::<_>::from_iter(&plan.remove));
            let is_own =
                |note: &&IndexedNote<'_>| missing.contains(&note.slot) && own.contains(note.path);
            let own = indexed.iter().filter(is_own).count();
            let (gone, known) = (gone - own, known - own);
            if is_alarming(gone, known) {
                return Err(CacheError::SuddenlyEmpty { gone, known });
            }
        }
        Ok(plan)
    }

    /// Adds the differences between two lists sorted by path. A missing note whose path `may_exist` is not
    /// dropped.
    pub(in crate::cache) fn add_differences(
        &mut self,
        indexed: &[IndexedNote<'_>],
        walked: &[WalkedNote],
        may_exist: impl Fn(&str) -> bool,
    ) {
        let mut walked = walked.iter().peekable();
        for old in indexed {
            while let Some(new) = walked.next_if(|new| new.path.as_str() < old.path) {
                self.read.push((new.clone(), None));
            }
            match walked.next_if(|new| new.path.as_str() == old.path) {
                Some(new) if !old.is_racy && old.stat == new.stat => {}
                Some(new) => self.read.push((new.clone(), Some(old.slot))),
                None if may_exist(old.path) => {}
                None => self.remove.push(old.slot),
            }
        }
        self.read.extend(walked.map(|new| (new.clone(), None)));
    }

    /// Adds the work for `path` by checking the file.
    pub(in crate::cache) fn add(
        &mut self,
        vault: &Vault,
        reading: &CatalogReader,
        path: &VaultPath,
    ) -> Result<()> {
        let slot = reading.at(path)?;
        match vault.stat(path) {
            Ok(stat) => {
                let path = path.clone();
                self.read.push((WalkedNote { path, stat }, slot));
            }
            Err(ReadError::Missing { .. }) => self.remove.extend(slot),
            // An inaccessible file may still exist.
            Err(_) => {}
        }
        Ok(())
    }

    /// Returns whether no note must be dropped and no content changed: only file times differ, or folders
    /// by files that are not notes.
    pub fn changes_nothing(&self, vault: &Vault, reading: &CatalogReader) -> Result<bool> {
        for (note, slot) in &self.read {
            let row = slot.map(|slot| reading.fields(slot)).transpose()?.flatten();
            let file = vault.read(&note.path).ok();
            if row.is_none_or(|row| file.is_none_or(|file| file.hash != row.content)) {
                return Ok(false);
            }
        }
        Ok(self.remove.is_empty())
    }
}

/// An indexed note, with the fields that the diff needs.
#[derive(Debug)]
pub(in crate::cache) struct IndexedNote<'r> {
    pub(in crate::cache) slot: Slot,
    pub(in crate::cache) path: &'r str,
    stat: Stat,
    is_racy: bool,
}

/// Returns every note of the catalog, in slot order.
pub(in crate::cache) fn indexed_notes(reading: &CatalogReader) -> Result<Vec<IndexedNote<'_>>> {
    let mut notes = Vec::with_capacity(reading.meta()?.notes as usize);
    reading.scan(|slot, row, path| {
        notes.push(IndexedNote {
            slot,
            path,
            stat: row.stat,
            is_racy: row.flags.has(Flags::RACY),
        });
    })?;
    Ok(notes)
}

/// Returns whether a file with this time can be written again without a different time, so that the next
/// check must read it.
pub(super) fn is_racy(mtime_ns: i64) -> bool {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| age.as_nanos() as i64);
    mtime_ns.saturating_add(MIN_AGE_NS) > now
}

/// Returns the rule files in the root with their times.
pub(in crate::cache) fn rule_files(vault: &Vault) -> Vec<(String, i64)> {
    [".memignore", ".gitignore", ".ignore", ".obsidian/app.json"]
        .iter()
        .filter_map(|name| {
            let time = time_of(fs::symlink_metadata(vault.root().join(name)))?;
            Some(((*name).to_owned(), time))
        })
        .collect()
}

/// Returns the modification time in nanoseconds since 1970.
pub(in crate::cache) fn time_of(found: io::Result<fs::Metadata>) -> Option<i64> {
    let age = found.ok()?.modified().ok()?.duration_since(UNIX_EPOCH);
    Some(age.ok()?.as_nanos() as i64)
}

/// Returns a folder's time, or an impossible one if it changed just now, so that the next check lists it
/// again.
pub(in crate::cache) fn folder_unless_racy((folder, time): (String, i64)) -> (String, i64) {
    (folder, if is_racy(time) { i64::MIN } else { time })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn stat(size: u64) -> Stat {
        Stat { size, mtime_ns: 0 }
    }

    proptest! {
        /// Few names and values, so that every kind of difference is frequent.
        #[test]
        fn differences_turn_the_old_list_into_the_new(
            old in prop::collection::btree_map("[a-d]{1,2}", 0..3u64, 0..12),
            new in prop::collection::btree_map("[a-d]{1,2}", 0..3u64, 0..12),
        ) {
            let paths: Vec<&String> = old.keys().collect();
            let indexed: Vec<IndexedNote<'_>> = old
                .iter()
                .zip(0..)
                .map(|((path, size), slot)| IndexedNote { slot, path, stat: stat(*size), is_racy: false })
                .collect();
            let walked: Vec<WalkedNote> = new
                .iter()
                .map(|(path, size)| WalkedNote { path: VaultPath::new(path).unwrap(), stat: stat(*size) })
                .collect();
            let mut plan = SyncPlan::default();
            plan.add_differences(&indexed, &walked, |_| false);
            let mut followed: BTreeMap<String, u64> = old.clone();
            for (note, slot) in plan.read {
                let before = followed.insert(note.path.to_string(), note.stat.size);
                prop_assert_eq!(before.is_some(), slot.is_some());
                prop_assert_ne!(before, Some(note.stat.size));
                if let Some(slot) = slot {
                    prop_assert_eq!(paths[slot as usize].as_str(), note.path.as_str());
                }
            }
            for slot in plan.remove {
                prop_assert!(followed.remove(paths[slot as usize]).is_some());
            }
            prop_assert_eq!(followed, new);
        }
    }
}
