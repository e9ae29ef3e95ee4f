//! Removes a run's temporary files and makes file names durable, at the end of every run, also an
//! interrupted one.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::file_op::FileOp;
use super::history::{History, Run, RunFile};
use super::{Result, at, trash};
use crate::note::{ContentHash, VaultPath};
use crate::vault::Vault;
use crate::vault::fs::{Fs, is_half_moved};

/// Number of files from which one sync of the file system is cheaper than one per file.
const MIN_FILES_FOR_FULL_SYNC: usize = 16;

/// Removes the staged file of a note if it contains one of the run's own texts. Otherwise another
/// program saved it, and it moves to the trash.
///
/// After a crash it may contain only the start of a text; `images` are needed to recognise that.
pub(super) fn remove_temp(vault: &Vault, run: &Run, file: &RunFile, images: Option<&History<'_>>) {
    let fs = vault.fs();
    let temp = vault.absolute(&file.path).with_file_name(&file.temp);
    let Ok((bytes, _)) = fs.read(&temp) else {
        return;
    };
    let found = ContentHash::of(&bytes);
    // A new note that a crash left under both names, even if edited since.
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
        // A file that cannot be removed contains nothing new, and the walk skips it.
        let _ = fs.remove_file(&temp);
    } else {
        // A file that cannot be moved stays next to its note, so it is not lost either way.
        let _ = trash::keep_in_trash(vault, &run.id, &file.path, &temp);
    }
}

/// Removes staged files, and folders that the run created or emptied needlessly; returns the
/// changed folders.
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
    // After all staged files: a later group may have staged one in a folder that an earlier group
    // created.
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

/// Removes empty trash folders of the run and of the runs it restored notes from.
pub(super) fn remove_trash(vault: &Vault, run: &Run) -> Result<()> {
    let mut trashes = BTreeSet::from([&run.id]);
    for file in run.groups.iter().flat_map(|group| &group.files) {
        if let FileOp::Restore { from } = &file.op {
            trashes.insert(from);
        }
    }
    let to_sync = trashes
        .into_iter()
        .flat_map(|run| trash::remove_empty_folders(vault, run));
    sync_folders(vault, &to_sync.collect())
}

/// Makes the names in the remaining folders durable.
pub(super) fn sync_folders(vault: &Vault, folders: &BTreeSet<PathBuf>) -> Result<()> {
    let there: Vec<&Path> = folders
        .iter()
        .map(PathBuf::as_path)
        .filter(|folder| vault.fs().stat(folder).is_ok())
        .collect();
    sync_many(vault.fs(), vault.root(), &there).map_err(at(vault.root()))
}

/// Removes the empty ones of `folders`, the last first; returns their parents.
fn remove_empty<'a>(
    vault: &'a Vault,
    folders: &'a [String],
) -> impl Iterator<Item = PathBuf> + use<'a> {
    folders.iter().rev().filter_map(|folder| {
        let absolute = vault.root().join(folder);
        // Only tried when empty, because a failed call would still count as a change.
        let is_empty = vault
            .fs()
            .list(&absolute)
            .is_ok_and(|names| names.is_empty());
        (is_empty && vault.fs().remove_folder(&absolute).is_ok())
            .then(|| absolute.parent().map(Path::to_owned))?
    })
}

/// Returns the missing folders above a note, deepest last.
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

/// Syncs files or folders: one by one, or the whole file systems if there are many.
pub(super) fn sync_many(fs: &dyn Fs, root: &Path, paths: &[&Path]) -> io::Result<()> {
    let mut each: Vec<&Path> = paths.to_vec();
    if paths.len() >= MIN_FILES_FOR_FULL_SYNC {
        // A vault may span several file systems.
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
