//! Checks before each answer whether the caches match the vault, without a full walk.
//!
//! Before the answer it checks the modification time of every known folder and the notes changed last.
//! (Additions, removals, renames and atomic saves change the folder.) After the answer it checks every hit,
//! for in-place saves. An in-place save of an old note that is not a hit stays undetected until the next
//! pass.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;

use super::catalog::CatalogReader;
use super::error::Result;
use super::meta::CacheMeta;
use super::row::Slot;
use super::sync::plan::{
    IndexedNote, SyncPlan, folder_unless_racy, indexed_notes, rule_files, time_of,
};
use crate::note::VaultPath;
use crate::vault::Vault;
use crate::vault::walk::list_folder;

/// Maximum number of changed notes that a read indexes immediately.
pub const MAX_NOTES_INDEXED_BY_READ: usize = 50;

/// Result of the freshness check.
#[derive(Debug)]
pub enum Freshness {
    /// No change detected.
    Fresh,
    /// A few notes changed, which can be indexed immediately.
    Few(Box<SyncPlan>),
    /// Too much changed; the whole vault must be walked.
    Many,
}

/// Checks folders, the notes changed last, and `paths`, which may have changed too. At most `limit` changed
/// notes are few.
///
/// Many missing notes are never few: only a full walk can tell whether the disk is missing.
pub fn check(
    vault: &Vault,
    reading: &CatalogReader,
    paths: &[VaultPath],
    limit: usize,
) -> Result<Freshness> {
    let meta = reading.meta()?;
    if rule_files(vault) != meta.rules {
        return Ok(Freshness::Many);
    }
    let dirty = dirty_folders(vault, reading, &meta, paths)?;
    let mut plan = SyncPlan::default();
    if !dirty.is_empty() && !relist_dirty(vault, reading, &meta, &dirty, &mut plan)? {
        return Ok(Freshness::Many);
    }
    let mut checked = HashSet::new();
    for (_, slot) in &meta.recent {
        checked.insert(*slot);
        if let Some(path) = path_if_changed(vault, reading, *slot)?
            && !dirty.contains(path.folder())
        {
            plan.add(vault, reading, &path)?;
        }
    }
    for path in paths.iter().filter(|path| !dirty.contains(path.folder())) {
        if reading
            .at(path)?
            .is_some_and(|slot| !checked.contains(&slot))
        {
            plan.add(vault, reading, path)?;
        }
    }
    let changes = plan.read.len() + plan.remove.len();
    Ok(if changes == 0 && plan.folders.is_none() {
        Freshness::Fresh
    } else if changes <= limit && plan.remove.len() <= MAX_NOTES_INDEXED_BY_READ {
        Freshness::Few(Box::new(plan))
    } else {
        Freshness::Many
    })
}

/// Returns the folders whose time changed, and those of unknown `paths`. Only a listing of its folder shows
/// whether such a path is a note.
fn dirty_folders<'m>(
    vault: &Vault,
    reading: &CatalogReader,
    meta: &'m CacheMeta,
    paths: &[VaultPath],
) -> Result<HashSet<&'m str>> {
    let time_now = |folder: &String| time_of(fs::metadata(vault.root().join(folder)));
    let is_changed = |(folder, time): &&(String, i64)| time_now(folder) != Some(*time);
    let changed = meta.folders.iter().filter(is_changed);
    let mut dirty: HashSet<&str> = changed.map(|(folder, _)| folder.as_str()).collect();
    for path in paths {
        let index = meta
            .folders
            .binary_search_by(|(folder, _)| folder.as_str().cmp(path.folder()));
        if let Ok(index) = index
            && reading.at(path)?.is_none()
        {
            dirty.insert(&meta.folders[index].0);
        }
    }
    Ok(dirty)
}

/// Returns the path of a note whose file changed since it was read.
fn path_if_changed(
    vault: &Vault,
    reading: &CatalogReader,
    slot: Slot,
) -> Result<Option<VaultPath>> {
    let Some((row, path)) = reading.row(slot)? else {
        return Ok(None);
    };
    let path = VaultPath::new(path).ok();
    Ok(path.filter(|path| !vault.stat(path).is_ok_and(|stat| row.is_current(stat))))
}

/// Returns the notes among `slots` whose files changed since they were read.
pub fn changed_since<'r>(
    vault: &Vault,
    reading: &'r CatalogReader,
    slots: impl IntoIterator<Item = Slot> + 'r,
) -> Result<Vec<VaultPath>> {
    let mut changed = Vec::new();
    for slot in slots {
        changed.extend(path_if_changed(vault, reading, slot)?);
    }
    Ok(changed)
}

/// Lists the dirty folders again and adds their changes; returns false if there are too many.
fn relist_dirty(
    vault: &Vault,
    reading: &CatalogReader,
    meta: &CacheMeta,
    dirty: &HashSet<&str>,
    plan: &mut SyncPlan,
) -> Result<bool> {
    let mut times: BTreeMap<String, i64> = meta.folders.iter().cloned().collect();
    let mut by_folder: HashMap<&str, Vec<IndexedNote<'_>>> = HashMap::new();
    for note in indexed_notes(reading)? {
        let folder = note.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if dirty.contains(folder) {
            by_folder.entry(folder).or_default().push(note);
        }
    }
    for folder in dirty {
        let Ok(Some(listed)) = list_folder(vault, folder) else {
            // The folder is missing or unreadable; only a walk can tell which.
            return Ok(false);
        };
        let is_known = |below: &String| times.contains_key(below);
        if !listed.folders.iter().all(is_known) || !listed.problems.is_empty() {
            return Ok(false);
        }
        let mut indexed = by_folder.remove(*folder).unwrap_or_default();
        indexed.sort_unstable_by_key(|note| note.path);
        plan.add_differences(&indexed, &listed.notes, |_| false);
        let (folder, time) = folder_unless_racy((listed.path, listed.mtime_ns));
        times.insert(folder, time);
    }
    plan.folders = Some(times.into_iter().collect());
    Ok(true)
}
