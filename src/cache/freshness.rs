//! Are the caches where the vault is? Asked before each answer, without walking the vault.
//!
//! Before: every known folder's modification time (added, removed, renamed and atomically saved
//! notes change it) and the notes changed last. After: every hit (in-place saves). What this cannot
//! see, an in-place save of an old note that is no hit, the next pass takes in.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::UNIX_EPOCH;

use super::catalog::Reading;
use super::row::Slot;
use super::sync::{self, Known, Source, SyncReport, Todo};
use super::{Cache, CacheError};
use crate::note::path::VaultPath;
use crate::vault::Vault;
use crate::vault::walk::list_folder;

/// How many changed notes a read takes in on the spot.
pub const ON_THE_SPOT: usize = 50;

/// What a look at the vault found.
#[derive(Debug)]
pub enum Freshness {
    /// Nothing changed, as far as can be seen.
    Fresh,
    /// A few notes changed.
    Few(Changes),
    /// So much changed that the whole vault has to be walked.
    Many,
}

/// A few changes that can be taken in at once.
#[derive(Debug)]
pub struct Changes(Todo);

impl Changes {
    /// Returns true if the notes say what is known of them: only times differ, or folders do by
    /// what is no note.
    pub fn say_nothing_new(&self, vault: &Vault, reading: &Reading) -> Result<bool, CacheError> {
        self.0.says_nothing_new(vault, reading)
    }
}

/// Looks at folders, at the notes changed last, and at `paths`, which may have changed too.
pub fn look(
    vault: &Vault,
    reading: &Reading,
    paths: &[VaultPath],
) -> Result<Freshness, CacheError> {
    look_for(vault, reading, paths, ON_THE_SPOT)
}

/// As [`look`], where up to `most` changed notes are few.
///
/// Many that are gone are never few: only a walk of the whole can tell whether the disk is.
pub fn look_for(
    vault: &Vault,
    reading: &Reading,
    paths: &[VaultPath],
    most: usize,
) -> Result<Freshness, CacheError> {
    let meta = reading.meta()?;
    if sync::rules(vault) != meta.rules {
        return Ok(Freshness::Many);
    }
    let mut dirty: HashSet<&str> = meta
        .folders
        .iter()
        .filter(|(folder, time)| folder_time(vault, folder) != Some(*time))
        .map(|(folder, _)| folder.as_str())
        .collect();
    // Whether a path that nobody knows is a note, only the listing of its folder tells.
    for path in paths {
        if reading.at(path)?.is_none()
            && let Ok(at) = meta
                .folders
                .binary_search_by(|(folder, _)| folder.as_str().cmp(path.folder()))
        {
            dirty.insert(&meta.folders[at].0);
        }
    }
    let mut todo = Todo::default();
    if !dirty.is_empty() && !folders(vault, reading, &meta.folders, &dirty, &mut todo)? {
        return Ok(Freshness::Many);
    }
    for (_, slot) in &meta.recent {
        if let Some((row, path)) = reading.row(*slot)?
            && let Ok(path) = VaultPath::new(path)
            && !dirty.contains(path.folder())
            && !vault.stat(&path).is_ok_and(|stat| row.is_current(stat))
        {
            todo.look_at(vault, reading, &path)?;
        }
    }
    let recent = meta
        .recent
        .iter()
        .map(|(_, slot)| *slot)
        .collect::<HashSet<_>>();
    for path in paths {
        let slot = reading.at(path)?;
        let looked_at =
            dirty.contains(path.folder()) || slot.is_none_or(|slot| recent.contains(&slot));
        if !looked_at {
            todo.look_at(vault, reading, path)?;
        }
    }
    Ok(if todo.is_empty() {
        Freshness::Fresh
    } else if todo.len() <= most && todo.removals() <= ON_THE_SPOT {
        Freshness::Few(Changes(todo))
    } else {
        Freshness::Many
    })
}

/// Returns the notes among `slots` whose files are no longer as they were read.
pub fn changed_since<'r>(
    vault: &Vault,
    reading: &'r Reading,
    slots: impl IntoIterator<Item = Slot> + 'r,
) -> Result<Vec<VaultPath>, CacheError> {
    let mut changed = Vec::new();
    for slot in slots {
        if let Some((row, path)) = reading.row(slot)?
            && let Ok(path) = VaultPath::new(path)
            && !vault.stat(&path).is_ok_and(|stat| row.is_current(stat))
        {
            changed.push(path);
        }
    }
    Ok(changed)
}

/// Takes in a few changes. The caller holds the lock.
pub fn take_in(
    source: Source<'_>,
    cache: &mut Cache,
    reading: &Reading,
    changes: Changes,
) -> Result<SyncReport, CacheError> {
    sync::take_in(source, cache, reading, changes.0)
}

/// Lists the dirty folders anew and adds what changed there; false if it is too much.
fn folders(
    vault: &Vault,
    reading: &Reading,
    known_folders: &[(String, i64)],
    dirty: &HashSet<&str>,
    todo: &mut Todo,
) -> Result<bool, CacheError> {
    let mut times: HashMap<String, i64> = known_folders.iter().cloned().collect();
    let mut by_folder: HashMap<&str, Vec<Known<'_>>> = HashMap::new();
    for known in sync::known(reading)? {
        let folder = known.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if dirty.contains(folder) {
            by_folder.entry(folder).or_default().push(known);
        }
    }
    for folder in dirty {
        let Ok(Some(listed)) = list_folder(vault, folder) else {
            // Gone or unreadable with all below it: the walk tells which.
            return Ok(false);
        };
        let unknown_folder = listed
            .folders
            .iter()
            .any(|below| !times.contains_key(below));
        if unknown_folder || !listed.problems.is_empty() {
            return Ok(false);
        }
        let mut known = by_folder.remove(*folder).unwrap_or_default();
        known.sort_unstable_by(|a, b| a.path.cmp(b.path));
        let differences = super::diff::diff(
            known.iter(),
            listed.notes.iter(),
            |known| known.path,
            |seen| seen.path.as_str(),
            |known, seen| !known.is_racy && known.stat == seen.stat,
        );
        for difference in differences {
            use super::diff::Difference::{Added, Changed, Removed, Same};
            match difference {
                Added(seen) => todo.add(seen.clone(), None),
                Changed(known, seen) => todo.add(seen.clone(), Some(known.slot)),
                Removed(known) => todo.gone(known.slot),
                Same(_) => {}
            }
        }
        let (folder, time) = sync::folder_unless_racy((listed.path, listed.mtime_ns));
        times.insert(folder, time);
    }
    let mut times: Vec<(String, i64)> = times.into_iter().collect();
    times.sort();
    todo.folders = Some(times);
    Ok(true)
}

fn folder_time(vault: &Vault, folder: &str) -> Option<i64> {
    let metadata = fs::metadata(vault.root().join(folder)).ok()?;
    Some(
        metadata
            .modified()
            .ok()?
            .duration_since(UNIX_EPOCH)
            .ok()?
            .as_nanos() as i64,
    )
}
