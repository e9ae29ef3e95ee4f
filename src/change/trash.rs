//! Removed notes, with their old paths and reasons.
//!
//! ```text
//! .mem/trash/<run>/<path of the note>    the unchanged note
//! .mem/trash/<run>/trash.jsonl           {"path":…,"reason":…,"at":…,"job":…} per line
//! ```
//!
//! The list is built from the files, so a note whose line was lost is still listed. A line without
//! a file belongs to a note that was restored or never removed. No note can have the name
//! `trash.jsonl`.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file_op::FileOp;
use super::history::Run;
use super::run_id::RunId;
use super::{Result, at};
use crate::note::VaultPath;
use crate::vault::fs::{FileKind, FileMeta, Fs};
use crate::vault::{NoteText, OWN_FOLDER, ReadError, TRASH, Vault, if_found, is_note_name};

pub const REASONS_FILE: &str = "trash.jsonl";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrashedNote {
    /// The run that removed it.
    pub run: RunId,
    /// Its former path.
    pub path: VaultPath,
    /// The reason, time and job of the removal, if known.
    pub record: Option<TrashRecord>,
}

/// One line of `trash.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrashRecord {
    pub path: VaultPath,
    pub reason: String,
    /// Time of the removal, RFC 3339.
    pub at: String,
    pub job: String,
    /// The note that absorbed it, if a merge removed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeper: Option<VaultPath>,
}

impl TrashRecord {
    /// Returns the note that absorbed it.
    pub fn absorbing_note(&self) -> Option<VaultPath> {
        keeper_of(self.keeper.as_ref(), &self.reason, &self.job)
    }
}

/// Returns the note that absorbed one that `job` removed.
///
/// Old records have it only in the reason. A reason given by a person does not count.
pub fn keeper_of(keeper: Option<&VaultPath>, reason: &str, job: &str) -> Option<VaultPath> {
    let in_reason = || {
        let path = reason.strip_prefix("merged into ")?;
        VaultPath::new(path).ok().filter(|_| job != "rm")
    };
    keeper.cloned().or_else(in_reason)
}

/// Returns the path of a note in the trash of a run.
pub(super) fn location(vault: &Vault, run: &RunId, path: &VaultPath) -> PathBuf {
    folder(vault, run).join(path)
}

fn folder(vault: &Vault, run: &RunId) -> PathBuf {
    vault.own_path(TRASH).join(run.as_str())
}

/// Creates the folder for a note in the trash of a run.
pub(super) fn create_note_folder(vault: &Vault, run: &RunId, path: &VaultPath) -> io::Result<()> {
    vault
        .own_folder(&format!("{TRASH}/{run}/{}", path.folder()))
        .map(|_| ())
}

/// Writes the reasons for a run's removals, if there are any; returns the changed folders.
///
/// Syncs the bytes, but not the names. Completes a file that a crash left.
pub(super) fn write_reasons(vault: &Vault, run: &Run) -> io::Result<Vec<PathBuf>> {
    let mut text = String::new();
    for file in run.groups.iter().flat_map(|group| &group.files) {
        if let FileOp::Trash { reason, keeper } = &file.op {
            let reason = TrashRecord {
                path: file.path.clone(),
                reason: reason.clone(),
                at: run.at.to_string(),
                job: run.job.clone(),
                keeper: keeper.clone(),
            };
            text.push_str(&serde_json::to_string(&reason)?);
            text.push('\n');
        }
    }
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let (fs, own) = (vault.fs(), vault.root().join(OWN_FOLDER));
    let path = vault
        .own_folder(&format!("{TRASH}/{}", run.id))?
        .join(REASONS_FILE);
    match fs.read(&path) {
        Ok((bytes, _)) if bytes == text.as_bytes() => {}
        Ok(_) => {
            fs.remove_file(&path)?;
            fs.write_new(&path, text.as_bytes())?;
        }
        Err(_) => fs.write_new(&path, text.as_bytes())?,
    }
    fs.sync(&path)?;
    let above = path
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(&own));
    Ok(above.map(Path::to_owned).collect())
}

/// Moves a file with unknown text next to a note into the trash of a run, under the note's name.
///
/// An editor may have saved it during a swap, so it must not be lost.
pub fn keep_in_trash(vault: &Vault, run: &RunId, path: &VaultPath, file: &Path) -> io::Result<()> {
    create_note_folder(vault, run, path)?;
    let mut target = location(vault, run, path);
    for number in 2.. {
        match vault.fs().rename_new(file, &target) {
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
                target.set_file_name(format!("{} {number}.md", path.stem()));
            }
            done => return done,
        }
    }
    Ok(())
}

/// Removes folders without notes from a run's trash, as far as possible; returns the changed
/// folders.
///
/// Call only after the absence of the notes is durable, because their reasons are removed, too.
pub(super) fn remove_empty_folders(vault: &Vault, run: &RunId) -> BTreeSet<PathBuf> {
    fn is_bare(fs: &dyn Fs, folder: &Path, top: bool, to_sync: &mut BTreeSet<PathBuf>) -> bool {
        let Ok(names) = fs.list(folder) else {
            return false;
        };
        let mut bare = true;
        for name in names {
            let path = folder.join(&name);
            let is_gone = fs.is_folder(&path)
                && is_bare(fs, &path, false, to_sync)
                && fs.remove_folder(&path).is_ok();
            if is_gone {
                to_sync.insert(folder.to_owned());
            }
            bare &= is_gone || top && name == REASONS_FILE;
        }
        bare
    }
    let (fs, folder) = (vault.fs(), folder(vault, run));
    let mut to_sync = BTreeSet::new();
    if fs.is_folder(&folder) && is_bare(fs, &folder, true, &mut to_sync) {
        let _ = fs.remove_file(&folder.join(REASONS_FILE));
        let _ = fs.remove_folder(&folder);
        to_sync.extend(folder.parent().map(Path::to_owned));
    }
    to_sync
}

/// Reads a note in the trash.
pub fn read(vault: &Vault, trashed: &TrashedNote) -> Result<NoteText, ReadError> {
    let TrashedNote { run, path, .. } = trashed;
    match VaultPath::new(&format!("{OWN_FOLDER}/{TRASH}/{run}/{path}")) {
        Ok(kept) => vault.read(&kept),
        Err(_) => Err(ReadError::Missing { path: path.clone() }),
    }
}

/// Removes a note from the trash; a missing note is not an error.
///
/// Returns the changed folders; the removal is durable once they are synced.
pub(super) fn remove(vault: &Vault, trashed: &TrashedNote) -> Result<BTreeSet<PathBuf>> {
    let kept = location(vault, &trashed.run, &trashed.path);
    // A symbolic link on the way would lead out of the vault.
    let is_own = |folder: &Path| {
        vault
            .fs()
            .canonical(folder)
            .is_ok_and(|real| real == folder)
    };
    if !kept.parent().is_some_and(is_own) {
        return Ok(BTreeSet::new());
    }
    if_found(vault.fs().remove_file(&kept)).map_err(at(&kept))?;
    let mut to_sync = remove_empty_folders(vault, &trashed.run);
    to_sync.extend(kept.parent().map(Path::to_owned));
    Ok(to_sync)
}

/// Returns the notes in the trash, by run and path.
pub fn list(vault: &Vault) -> Result<Vec<TrashedNote>> {
    let trash = vault.own_path(TRASH);
    let fs = vault.fs();
    // A symbolic link could lead anywhere.
    let is_listed = |meta: Option<FileMeta>| meta.is_some_and(|meta| meta.kind == FileKind::Folder);
    if !if_found(fs.stat(&trash)).map_or(true, is_listed) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for name in fs.list(&trash).map_err(at(&trash))? {
        let Some(run) = name.to_str().and_then(|name| name.parse::<RunId>().ok()) else {
            continue;
        };
        let folder = trash.join(&name);
        if !fs.is_folder(&folder) {
            continue;
        }
        let mut reasons = reasons(fs, &folder);
        for entry in walkdir::WalkDir::new(&folder)
            .min_depth(1)
            .into_iter()
            .flatten()
        {
            let path = entry
                .path()
                .strip_prefix(&folder)
                .ok()
                .and_then(Path::to_str)
                .filter(|path| entry.file_type().is_file() && is_note_name(path));
            let Some(path) = path.and_then(|path| VaultPath::new(path).ok()) else {
                continue;
            };
            let record = reasons.remove(&path);
            found.push(TrashedNote {
                run: run.clone(),
                path,
                record,
            });
        }
    }
    found.sort_unstable_by(|a, b| (&a.run, &a.path).cmp(&(&b.run, &b.path)));
    Ok(found)
}

fn reasons(fs: &dyn Fs, folder: &Path) -> HashMap<VaultPath, TrashRecord> {
    let bytes = fs
        .read(&folder.join(REASONS_FILE))
        .map(|(bytes, _)| bytes)
        .unwrap_or_default();
    String::from_utf8_lossy(&bytes)
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .map(|reason: TrashRecord| (reason.path.clone(), reason))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_reason_given_by_a_person_does_not_name_a_keeper() {
        let record = |line: &str| serde_json::from_str::<TrashRecord>(line).unwrap();
        for (job, field, expected) in [
            ("rm", "", None),
            ("dedupe", "", Some("b.md")),
            ("dedupe", r#","keeper":"c.md""#, Some("c.md")),
        ] {
            let line = format!(
                r#"{{"path":"a.md","reason":"merged into b.md","at":"","job":"{job}"{field}}}"#
            );
            let taker = record(&line).absorbing_note();
            assert_eq!(taker.as_ref().map(VaultPath::as_str), expected, "{line}");
        }
    }

    #[test]
    fn lists_trashed_files_with_reasons() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".mem")).unwrap();
        let vault = Vault::open(dir.path()).unwrap();
        assert_eq!(list(&vault).unwrap(), []);
        let run: RunId = "20261121-055900-k3f9".parse().unwrap();
        let path = |text: &str| VaultPath::new(text).unwrap();
        let reason = |text: &str| TrashRecord {
            path: path(text),
            reason: "a duplicate".to_owned(),
            at: "2026-11-21T05:59:00Z".to_owned(),
            job: "dedupe".to_owned(),
            keeper: None,
        };
        for name in ["x/a.md", "b.md"] {
            create_note_folder(&vault, &run, &path(name)).unwrap();
            fs::write(location(&vault, &run, &path(name)), "").unwrap();
        }
        let lines = [reason("x/a.md"), reason("came-back.md")]
            .map(|line| serde_json::to_string(&line).unwrap() + "\n");
        fs::write(folder(&vault, &run).join(REASONS_FILE), lines.concat()).unwrap();
        std::os::unix::fs::symlink("/", folder(&vault, &run).join("root")).unwrap();
        fs::create_dir(dir.path().join(".mem/trash/not a run")).unwrap();
        let expected = [
            TrashedNote {
                run: run.clone(),
                path: path("b.md"),
                record: None,
            },
            TrashedNote {
                run: run.clone(),
                path: path("x/a.md"),
                record: Some(reason("x/a.md")),
            },
        ];
        assert_eq!(list(&vault).unwrap(), expected);
        remove_empty_folders(&vault, &run);
        assert_eq!(list(&vault).unwrap(), expected, "tidying touches no note");
    }
}
