//! Writes compiled groups; the only path by which notes change, for both `apply` and `undo`.
//!
//! The caller holds the lock and has recovered earlier crashes. The guarantees depend on the order
//! of steps. Each step has a comment on the state that a crash leaves for `recover`.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use super::cleanup::{missing_folders, remove_staged, remove_trash, sync_folders, sync_many};
use super::file_op::{CompiledGroup, FileOp, FileWrite};
use super::history::{History, RecordedOutcome, Run, RunFile, Undoes};
use super::run_id::RunId;
use super::stop::Stop;
use super::{DropReason, Outcome, Result, RunInfo, trash};
use crate::note::{ContentHash, VaultPath};
use crate::vault::Vault;
use crate::vault::fs::{FileKind, Fs};
use crate::vault::swap::{
    DisplacedText, hash, move_if_unchanged, move_into_place, rename_if_unchanged, stage, swap_in,
};

/// Writes the groups for a job, or for an undo of `undoes`.
///
/// Returns the run, unless it had no effect, and each group's outcome.
pub(super) fn execute(
    vault: &Vault,
    history: &History<'_>,
    info: &RunInfo,
    (job, undoes): (&str, Option<Undoes>),
    ready: &[CompiledGroup],
) -> Result<(Option<RunId>, Vec<Outcome>)> {
    let id = history.next_id(info)?;
    // Crash before: at most a folder without `run.json`. After: nothing has changed yet.
    let missing = |path: &VaultPath| missing_folders(vault, path);
    let run = history.begin(id, info, job, undoes, ready, missing)?;
    let mut work = Execution::new(vault, &run, ready);
    // Crash: notes unchanged, some staged files, possibly torn.
    work.stage();
    // Crash: staged files are complete; some files of a group are swapped.
    work.swap(&info.stop);
    work.keep_late_saves();
    let outcomes = work.outcomes();
    // Crash: as before; the contents of staged files are also in the images.
    let applied = |group: usize| work.groups[group].failed.is_none();
    let cleaned = remove_staged(vault, &run, applied, None);
    work.to_sync.extend(cleaned);
    sync_folders(vault, &work.to_sync)?;
    let came_to_something = outcomes
        .iter()
        .any(|outcome| !matches!(outcome, Outcome::Dropped { stuck, .. } if stuck.is_empty()));
    if !came_to_something {
        remove_trash(vault, &run)?;
        history.discard(&run.id)?;
        return Ok((None, outcomes));
    }
    // Crash after: the notes on disk match the outcome, and recovery leaves them alone.
    let groups = outcomes.iter().map(group_outcome).collect();
    history.record_outcome(&run.id, groups, Some(info))?;
    remove_trash(vault, &run)?;
    history.archive(&run.id)?;
    Ok((Some(run.id), outcomes))
}

fn group_outcome(outcome: &Outcome) -> RecordedOutcome {
    match outcome {
        Outcome::Applied | Outcome::Unchanged => RecordedOutcome::Applied,
        Outcome::Dropped { path, reason, .. } => RecordedOutcome::Dropped {
            path: path.clone(),
            reason: reason.to_string(),
        },
    }
}

/// The progress of a file.
#[derive(Clone, Copy, Debug)]
enum FileProgress {
    /// The note is unchanged.
    Waiting,
    /// The new text is in place; the old one is in the staged file.
    Swapped(DisplacedText),
    /// The note was created, removed, moved or restored.
    Moved,
    /// The note could not be restored.
    Stuck,
}

#[derive(Debug)]
struct GroupState {
    failed: Option<(VaultPath, DropReason)>,
    steps: Vec<FileProgress>,
}

struct Execution<'a> {
    vault: &'a Vault,
    fs: &'a dyn Fs,
    run: &'a Run,
    ready: &'a [CompiledGroup],
    groups: Vec<GroupState>,
    /// Folders whose entries changed.
    to_sync: BTreeSet<PathBuf>,
}

impl<'a> Execution<'a> {
    fn new(vault: &'a Vault, run: &'a Run, ready: &'a [CompiledGroup]) -> Self {
        let group = |group: &CompiledGroup| GroupState {
            failed: None,
            steps: vec![FileProgress::Waiting; group.writes.len()],
        };
        let groups = ready.iter().map(group).collect();
        Self {
            vault,
            fs: vault.fs(),
            run,
            ready,
            groups,
            to_sync: BTreeSet::new(),
        }
    }

    fn file(&self, group: usize, file: usize) -> (&'a FileWrite, &'a RunFile) {
        (
            &self.ready[group].writes[file],
            &self.run.groups[group].files[file],
        )
    }

    fn fail(&mut self, group: usize, path: &VaultPath, reason: impl Into<DropReason>) {
        self.groups[group]
            .failed
            .get_or_insert_with(|| (path.clone(), reason.into()));
    }

    /// Writes all new texts next to their notes and syncs them.
    fn stage(&mut self) {
        self.stage_reasons();
        let mut staged = Vec::new();
        for group in 0..self.ready.len() {
            for file in 0..self.ready[group].writes.len() {
                if self.groups[group].failed.is_some() {
                    break;
                }
                let (write, recorded) = self.file(group, file);
                match self.stage_one(write, recorded) {
                    Ok(temp) => staged.extend(temp.map(|temp| (group, temp))),
                    Err(err) => self.fail(group, &write.path, err),
                }
            }
        }
        let temps: Vec<&Path> = staged.iter().map(|(_, temp)| temp.as_path()).collect();
        if let Err(err) = sync_many(self.fs, self.vault.root(), &temps) {
            // After one sync for all files the failing one is unknown.
            for group in 0..self.ready.len() {
                let path = self.ready[group].writes[0].path.clone();
                self.fail(group, &path, DropReason::Io(err.to_string()));
            }
        }
    }

    fn stage_one(&mut self, write: &FileWrite, recorded: &RunFile) -> io::Result<Option<PathBuf>> {
        let note = self.vault.absolute(&write.path);
        let temp = note.with_file_name(&recorded.temp);
        match (&write.op, &write.after) {
            (FileOp::Edit, Some(after)) => {
                // A note that an earlier group creates has no attributes yet.
                stage(
                    self.fs,
                    &temp,
                    after.as_bytes(),
                    write.attributes_from.as_deref(),
                )?;
                Ok(Some(temp))
            }
            (FileOp::Create, Some(after)) => {
                self.make_folders(recorded)?;
                stage(self.fs, &temp, after.as_bytes(), None)?;
                if let Some(mode) = write.mode {
                    self.fs.set_mode(&temp, mode)?;
                }
                Ok(Some(temp))
            }
            (FileOp::Restore { .. } | FileOp::Arrive { .. }, _) => {
                self.make_folders(recorded).map(|()| None)
            }
            (FileOp::Trash { .. }, _) => {
                trash::create_note_folder(self.vault, &self.run.id, &write.path).map(|()| None)
            }
            (FileOp::Edit | FileOp::Create, None) | (FileOp::Depart { .. }, _) => Ok(None),
        }
    }

    fn make_folders(&mut self, recorded: &RunFile) -> io::Result<()> {
        for folder in &recorded.made {
            let absolute = self.vault.root().join(folder);
            match self.fs.create_folder(&absolute, 0o777) {
                // Created for another note of this run, or by another program.
                Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
                    if self.fs.stat(&absolute)?.kind != FileKind::Folder {
                        return Err(io::ErrorKind::NotADirectory.into());
                    }
                }
                done => done?,
            }
            self.to_sync.extend(absolute.parent().map(Path::to_owned));
        }
        Ok(())
    }

    /// Records the reasons for removals before the notes move to the trash.
    fn stage_reasons(&mut self) {
        match trash::write_reasons(self.vault, self.run) {
            Ok(folders) => self.to_sync.extend(folders),
            Err(err) => {
                for group in 0..self.ready.len() {
                    let writes = &self.ready[group].writes;
                    if let Some(write) = writes.iter().find(|write| write.after.is_none()) {
                        self.fail(group, &write.path, DropReason::Io(err.to_string()));
                    }
                }
            }
        }
    }

    /// Swaps in the groups in order, each as a whole; none after a request to stop.
    fn swap(&mut self, request: &Stop) {
        // Notes of dropped groups, on which later groups cannot build.
        let mut dropped: HashSet<&VaultPath> = HashSet::new();
        let ready = self.ready;
        for (group, state) in ready.iter().enumerate() {
            if request.is_due() {
                self.fail(group, &state.writes[0].path, DropReason::Stopped);
            }
            for (file, write) in state.writes.iter().enumerate() {
                if self.groups[group].failed.is_some() {
                    break;
                }
                if dropped.contains(&write.path) {
                    self.fail(group, &write.path, DropReason::EarlierDropped);
                    break;
                }
                match self.swap_one(group, file) {
                    Ok(step) => self.groups[group].steps[file] = step,
                    Err(reason) => self.fail(group, &write.path, reason),
                }
            }
            if self.groups[group].failed.is_some() {
                self.roll_back(group);
                dropped.extend(state.writes.iter().map(|write| &write.path));
            }
        }
    }

    fn swap_one(&mut self, group: usize, file: usize) -> Result<FileProgress, DropReason> {
        let (write, recorded) = self.file(group, file);
        let note = self.vault.absolute(&write.path);
        let temp = note.with_file_name(&recorded.temp);
        self.to_sync.extend(note.parent().map(Path::to_owned));
        match &write.op {
            FileOp::Edit => {
                // It may have been protected, hard-linked or moved behind a link since it was
                // compiled.
                self.vault.writable(&write.path)?;
                Ok(FileProgress::Swapped(swap_in(
                    self.fs,
                    &note,
                    &temp,
                    hash_of(write.before.as_deref()),
                )?))
            }
            FileOp::Create => {
                move_into_place(self.fs, &temp, &note)?;
                Ok(FileProgress::Moved)
            }
            FileOp::Trash { .. } => {
                self.vault.writable(&write.path)?;
                let to = trash::location(self.vault, &self.run.id, &write.path);
                self.to_sync.extend(to.parent().map(Path::to_owned));
                move_if_unchanged(self.fs, &note, &to, hash_of(write.before.as_deref()))?;
                Ok(FileProgress::Moved)
            }
            FileOp::Restore { from } => {
                let from = trash::location(self.vault, from, &write.path);
                self.to_sync.extend(from.parent().map(Path::to_owned));
                move_if_unchanged(self.fs, &from, &note, hash_of(write.after.as_deref()))?;
                Ok(FileProgress::Moved)
            }
            FileOp::Arrive { from } => {
                self.vault.writable(from)?;
                let from = self.vault.absolute(from);
                self.to_sync.extend(from.parent().map(Path::to_owned));
                let expected = hash_of(write.after.as_deref());
                rename_if_unchanged(self.fs, &from, &note, &temp, expected)?;
                Ok(FileProgress::Moved)
            }
            // A file that an editor saved under the old path since is a separate note.
            FileOp::Depart { .. } => Ok(FileProgress::Moved),
        }
    }

    /// Reverts the changes of a group, last first.
    fn roll_back(&mut self, group: usize) {
        for file in (0..self.ready[group].writes.len()).rev() {
            let (write, recorded) = self.file(group, file);
            let step = &mut self.groups[group].steps[file];
            let swapped = match *step {
                FileProgress::Waiting | FileProgress::Stuck => continue,
                FileProgress::Swapped(displaced) => Some(displaced),
                FileProgress::Moved => None,
            };
            let note = self.vault.absolute(&write.path);
            let temp = note.with_file_name(&recorded.temp);
            let (before, after) = (
                hash_of(write.before.as_deref()),
                hash_of(write.after.as_deref()),
            );
            let back = match (&write.op, &write.before) {
                (FileOp::Edit, Some(text)) => (|| {
                    if swapped == Some(DisplacedText::Gone) {
                        stage(self.fs, &temp, text.as_bytes(), Some(&note))?;
                        self.fs.sync(&temp)?;
                    }
                    swap_in(self.fs, &note, &temp, after).map(|_| ())
                })(),
                (FileOp::Create, _) => move_if_unchanged(self.fs, &note, &temp, after).map(|_| ()),
                (FileOp::Trash { .. }, _) => {
                    let from = trash::location(self.vault, &self.run.id, &write.path);
                    move_if_unchanged(self.fs, &from, &note, before).map(|_| ())
                }
                (FileOp::Restore { from }, _) => {
                    let to = trash::location(self.vault, from, &write.path);
                    move_if_unchanged(self.fs, &note, &to, after).map(|_| ())
                }
                (FileOp::Arrive { from }, _) => {
                    // The note may contain any text by now.
                    let from = self.vault.absolute(from);
                    hash(self.fs, &note)
                        .and_then(|(now, _)| rename_if_unchanged(self.fs, &note, &from, &temp, now))
                }
                (FileOp::Depart { .. }, _) | (FileOp::Edit, None) => Ok(()),
            };
            *step = if back.is_ok() {
                FileProgress::Waiting
            } else {
                FileProgress::Stuck
            };
        }
    }

    /// Checks displaced files again: a writer that had a file open may have written to it since.
    ///
    /// Such a group is rolled back, because the writer's text must win.
    fn keep_late_saves(&mut self) {
        for group in 0..self.ready.len() {
            for file in 0..self.ready[group].writes.len() {
                let (write, recorded) = self.file(group, file);
                let FileProgress::Swapped(DisplacedText::Staged(seen)) =
                    self.groups[group].steps[file]
                else {
                    continue;
                };
                let temp = self
                    .vault
                    .absolute(&write.path)
                    .with_file_name(&recorded.temp);
                if self.fs.stat(&temp).is_ok_and(|now| now != seen)
                    && !hash(self.fs, &temp)
                        .is_ok_and(|(now, _)| now == hash_of(write.before.as_deref()))
                {
                    self.fail(group, &write.path, DropReason::Changed);
                    self.roll_back_with_later(group);
                }
            }
        }
    }

    /// Rolls back a group after the later groups that build on it.
    fn roll_back_with_later(&mut self, group: usize) {
        let mut paths: HashSet<&VaultPath> = self.ready[group]
            .writes
            .iter()
            .map(|write| &write.path)
            .collect();
        let mut affected = vec![group];
        for (later, ready) in self.ready.iter().enumerate().skip(group + 1) {
            let shared = ready
                .writes
                .iter()
                .find(|write| paths.contains(&write.path));
            if let Some(write) = shared
                && self.groups[later].failed.is_none()
            {
                self.groups[later].failed = Some((write.path.clone(), DropReason::EarlierDropped));
                paths.extend(ready.writes.iter().map(|write| &write.path));
                affected.push(later);
            }
        }
        for group in affected.into_iter().rev() {
            self.roll_back(group);
        }
    }

    fn outcomes(&self) -> Vec<Outcome> {
        let outcome = |(group, state): (usize, &GroupState)| match &state.failed {
            None => Outcome::Applied,
            Some((path, reason)) => {
                let writes = self.ready[group].writes.iter().zip(&state.steps);
                let stuck = writes
                    .filter(|(_, step)| matches!(step, FileProgress::Stuck))
                    .map(|(write, _)| write.path.clone())
                    .collect();
                Outcome::Dropped {
                    path: path.clone(),
                    reason: reason.clone(),
                    stuck,
                }
            }
        };
        self.groups.iter().enumerate().map(outcome).collect()
    }
}

fn hash_of(text: Option<&str>) -> ContentHash {
    ContentHash::of(text.unwrap_or_default().as_bytes())
}
