//! Removes what a run leaves beside the notes, and makes names durable: the end of every run, finished
//! or interrupted.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::file_op::FileOp;
use super::history::{History, Run, RunFile};
use super::{ChangeError, at, trash};
use crate::note::path::VaultPath;
use crate::note::words::hash::ContentHash;
use crate::vault::Vault;
use crate::vault::fs::{Fs, is_half_moved};

/// From this many files on, one sync of the whole file system costs less than one for each.
const SYNC_ALL: usize = 16;

/// Removes the staged file of a note if it holds one of the run's own texts; keeps it in the trash
/// otherwise, for then it is what another program saved.
///
/// After a crash it may also hold the beginning of one, which the `images` tell.
pub(super) fn remove_temp(vault: &Vault, run: &Run, file: &RunFile, images: Option<&History<'_>>) {
    let fs = vault.fs();
    let temp = vault.absolute(&file.path).with_file_name(&file.temp);
    let Ok((bytes, _)) = fs.read(&temp) else {
        return;
    };
    let found = ContentHash::of(&bytes);
    // A new note that a crash left under both names, even if it was edited since.
    let is_second_name = is_half_moved(fs, &temp, &vault.absolute(&file.path));
    let is_own = [file.before, file.after]
        .into_iter()
        .flatten()
        .any(|image| {
            let is_torn = |history: &History<'_>| {
                // A file system may have kept the length and lost the bytes.
                let written = bytes
                    .iter()
                    .rposition(|byte| *byte != 0)
                    .map_or(0, |last| last + 1);
                history
                    .image(&run.id, image)
                    .is_ok_and(|text| text.as_bytes().starts_with(&bytes[..written]))
            };
            image.hash == found || images.is_some_and(is_torn)
        });
    if is_own || is_second_name {
        // What cannot be removed holds nothing new, and the walk passes it over.
        let _ = fs.remove_file(&temp);
    } else {
        // What cannot be moved stays beside its note: it is lost neither way.
        let _ = trash::keep(vault, &run.id, &file.path, &temp);
    }
}

/// Removes staged files, and folders that were made or emptied for nothing; returns the folders
/// whose names changed.
pub(super) fn remove_staged(
    vault: &Vault,
    run: &Run,
    applied: impl Fn(usize) -> bool,
    images: Option<&History<'_>>,
) -> BTreeSet<PathBuf> {
    let mut to_sync = BTreeSet::new();
    for file in run.groups.iter().flat_map(|group| &group.files) {
        remove_temp(vault, run, file, images);
        if matches!(file.op, FileOp::Edit | FileOp::Create) {
            to_sync.extend(vault.absolute(&file.path).parent().map(Path::to_owned));
        }
    }
    // After every staged file: a later group may have staged one in a folder that an earlier made.
    for (number, group) in run.groups.iter().enumerate() {
        for file in &group.files {
            let folders = if applied(number) {
                &file.folders
            } else {
                &file.made
            };
            to_sync.extend(remove_empty(vault, folders));
        }
    }
    to_sync
}

/// Removes what is bare in the trash of the run and of those it brought notes back from.
pub(super) fn remove_trash(vault: &Vault, run: &Run) -> Result<(), ChangeError> {
    let mut trashes = BTreeSet::from([&run.id]);
    for file in run.groups.iter().flat_map(|group| &group.files) {
        if let FileOp::Restore { from } = &file.op {
            trashes.insert(from);
        }
    }
    let to_sync = trashes.into_iter().flat_map(|run| trash::tidy(vault, run));
    sync_folders(vault, &to_sync.collect())
}

/// Makes the names in those of the folders durable that are still there.
pub(super) fn sync_folders(vault: &Vault, folders: &BTreeSet<PathBuf>) -> Result<(), ChangeError> {
    let there = folders.iter().map(PathBuf::as_path);
    let there: Vec<&Path> = there
        .filter(|folder| vault.fs().stat(folder).is_ok())
        .collect();
    sync_many(vault.fs(), vault.root(), &there).map_err(at(vault.root()))
}

/// Removes folders, deepest last in the list, that are empty; returns where they were.
fn remove_empty<'a>(
    vault: &'a Vault,
    folders: &'a [String],
) -> impl Iterator<Item = PathBuf> + use<'a> {
    folders.iter().rev().filter_map(|folder| {
        let absolute = vault.root().join(folder);
        // Only tried when empty: a failing call would still count as a change.
        let is_empty = vault
            .fs()
            .list(&absolute)
            .is_ok_and(|names| names.is_empty());
        (is_empty && vault.fs().remove_folder(&absolute).is_ok())
            .then(|| absolute.parent().map(Path::to_owned))?
    })
}

/// Returns the folders above a note that do not exist, deepest last.
pub(super) fn missing_folders(vault: &Vault, path: &VaultPath) -> Vec<String> {
    let folder = path.folder();
    let ends = folder
        .match_indices('/')
        .map(|(at, _)| at)
        .chain([folder.len()]);
    ends.map(|end| &folder[..end])
        .filter(|folder| !folder.is_empty())
        .filter(|folder| vault.fs().stat(&vault.root().join(folder)).is_err())
        .map(str::to_owned)
        .collect()
}

/// Syncs files or folders: each for itself, or from a number on the file system as a whole.
pub(super) fn sync_many(fs: &dyn Fs, root: &Path, paths: &[&Path]) -> io::Result<()> {
    let mut each: Vec<&Path> = paths.to_vec();
    if paths.len() >= SYNC_ALL {
        // A vault may reach over several file systems.
        let mut devices: BTreeMap<u64, &Path> = BTreeMap::from([(fs.stat(root)?.device, root)]);
        for path in paths {
            devices.entry(fs.stat(path)?.device).or_insert(path);
        }
        let mut all = Ok(());
        for path in devices.values() {
            all = all.and_then(|()| fs.sync_filesystem(path));
        }
        match all {
            Err(err) if err.kind() == io::ErrorKind::Unsupported => {}
            done => {
                done?;
                each.clear();
            }
        }
    }
    each.into_iter().try_for_each(|path| fs.sync(path))
}
