//! Recovers runs interrupted by a crash, without user interaction.
//!
//! Every writer calls [`recover`] under the lock before it begins; readers only call
//! [`History::is_unfinished`]. The record of a run, with every text before and after, was on disk
//! before the run changed anything. The current content of each file therefore shows how far the
//! run got, in whatever order the disk stored its last steps. For each group:
//!
//! * all files new: it is complete; all old: it did not begin;
//! * some of each: it is completed from the images, because only the crash prevented that;
//! * a file that contains neither was edited by a person since and is not touched. It counts as new
//!   if it contains the change. If that cannot be decided, it counts as new if a later file of the
//!   group is new. Otherwise the new files are reverted, and with them all later groups that build
//!   on one.
//!
//! A moved note counts as new if it exists under its new path, even if edited since. A file under
//! its old path is then another note. If the run recorded its outcome, everything was on disk
//! before, so only the record is archived. A text that an editor saved during a swap, and that the
//! crash left in the staged file, is returned to its note first.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use super::cleanup::{missing_folders, remove_staged, remove_temp, remove_trash, sync_folders};
use super::file_op::FileOp;
use super::history::{History, Image, RecordedOutcome, Run, RunFile, RunOutcome};
use super::run_id::RunId;
use super::splice::revert_change;
use super::{ChangeError, DropReason, Result, RunInfo, at, trash};
use crate::note::{ContentHash, VaultPath};
use crate::vault::fs::{FileKind, is_half_moved};
use crate::vault::swap::{
    SwapError, hash, move_if_unchanged, move_into_place, rename_if_unchanged, stage, swap_in,
};
use crate::vault::{Homes, Lock, OWN_FOLDER, Vault, is_same_name};

/// The result of recovering an interrupted run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryReport {
    pub run: RunId,
    /// The title of its first group.
    pub title: String,
    /// Whether it is the undo of another run.
    pub is_undo: bool,
    /// One per group of its record; empty if the record is unusable. The files of a dropped group are
    /// as before the run.
    pub groups: Vec<RecordedOutcome>,
    /// Notes edited since, which were not touched.
    pub left_alone: Vec<VaultPath>,
    /// Why its record is unusable; the record stays in place.
    pub problem: Option<String>,
}

impl RecoveryReport {
    /// Whether nothing of the run is applied.
    pub fn is_rolled_back(&self) -> bool {
        self.problem.is_none() && !self.groups.contains(&RecordedOutcome::Applied)
    }
}

/// Takes the lock and recovers interrupted runs; the first step of every writer.
pub(super) fn lock_and_recover<'a>(
    vault: &'a Vault,
    homes: &'a Homes,
    info: &RunInfo,
) -> Result<(Lock, History<'a>, Vec<RecoveryReport>)> {
    let lock = Lock::wait(&homes.lock(), &info.holder(), info.patience)?;
    let history = History::new(vault.fs(), homes);
    let recovered = recover(vault, &history)?;
    Ok((lock, history, recovered))
}

/// Recovers all interrupted runs, oldest first; the caller holds the lock.
pub(super) fn recover(vault: &Vault, history: &History<'_>) -> Result<Vec<RecoveryReport>> {
    let mut resolved = Vec::new();
    for id in history.interrupted()? {
        let unusable = |problem: String| RecoveryReport {
            run: id.clone(),
            title: String::new(),
            is_undo: false,
            groups: Vec::new(),
            left_alone: Vec::new(),
            problem: Some(problem),
        };
        let recovered = history.load_interrupted(&id).and_then(|loaded| {
            let Some((run, end)) = loaded else {
                // It had not changed anything yet.
                return history.discard(&id).map(|()| None);
            };
            let recovery = Recovery::new(vault, history, &run);
            recovery.resolve(end.as_ref()).map(Some)
        });
        match recovered {
            Err(err @ ChangeError::Record { .. }) => resolved.push(unusable(err.to_string())),
            recovered => resolved.extend(recovered?),
        }
    }
    Ok(resolved)
}

/// The hash of a note's content; `None` if the note does not exist.
type Content = Option<ContentHash>;

/// The file cannot be read or is not a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct UnreadableFile;

struct Recovery<'a> {
    vault: &'a Vault,
    history: &'a History<'a>,
    run: &'a Run,
    /// For each note its content before the run and after each change.
    chains: HashMap<&'a VaultPath, Vec<Content>>,
    /// The changes of each note, in order.
    changes: HashMap<&'a VaultPath, Vec<&'a RunFile>>,
    to_sync: BTreeSet<PathBuf>,
    left_alone: BTreeSet<VaultPath>,
}

/// The state of a file with respect to one of its changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    /// Before the change; `true` if directly before it.
    Old(bool),
    /// After the change; `true` if directly after it.
    New(bool),
    /// Edited since; `true` if it contains the change.
    Edited(bool),
    /// Changed by another program.
    Other,
}

/// A file of a group and the index of this change among those of its note.
type IndexedFile<'a> = (&'a RunFile, usize);

impl<'a> Recovery<'a> {
    fn new(vault: &'a Vault, history: &'a History<'a>, run: &'a Run) -> Self {
        let mut chains: HashMap<&VaultPath, Vec<Content>> = HashMap::new();
        let mut changes: HashMap<&VaultPath, Vec<&RunFile>> = HashMap::new();
        for file in run.groups.iter().flat_map(|group| &group.files) {
            let chain = chains
                .entry(&file.path)
                .or_insert_with(|| vec![file.before.map(|image| image.hash)]);
            chain.push(file.after.map(|image| image.hash));
            changes.entry(&file.path).or_default().push(file);
        }
        Self {
            vault,
            history,
            run,
            chains,
            changes,
            to_sync: BTreeSet::new(),
            left_alone: BTreeSet::new(),
        }
    }

    fn resolve(mut self, end: Option<&RunOutcome>) -> Result<RecoveryReport> {
        let groups = match end {
            // Everything was on disk: notes that differ now were changed since.
            Some(end) => end.groups.clone(),
            None => self.resolve_groups()?,
        };
        self.conclude(end.is_some(), &groups)?;
        let first = self.run.groups.first();
        Ok(RecoveryReport {
            run: self.run.id.clone(),
            title: first.map(|group| group.title.clone()).unwrap_or_default(),
            is_undo: self.run.undoes.is_some(),
            groups,
            left_alone: self.left_alone.into_iter().collect(),
            problem: None,
        })
    }

    fn resolve_groups(&mut self) -> Result<Vec<RecordedOutcome>> {
        self.return_displaced();
        let groups = self.steps();
        let mut resolved: Vec<RecordedOutcome> = Vec::with_capacity(groups.len());
        let mut rolled_back: HashSet<&VaultPath> = HashSet::new();
        for steps in &groups {
            // A departure happens together with its arrival; as the last file it would hide the
            // files between.
            let states: Vec<FileState> = steps
                .iter()
                .filter(|(file, _)| !matches!(file.op, FileOp::Depart { .. }))
                .map(|step| self.state_of(*step))
                .collect();
            let builds_on = steps
                .iter()
                .any(|(file, _)| rolled_back.contains(&file.path));
            let finish = states.is_empty() || should_finish(&states) && !builds_on;
            resolved.push(if finish {
                RecordedOutcome::Applied
            } else {
                rolled_back.extend(steps.iter().map(|(file, _)| &file.path));
                RecordedOutcome::Dropped {
                    path: steps[0].0.path.clone(),
                    reason: DropReason::Interrupted.to_string(),
                }
            });
        }
        for (steps, resolved) in groups.iter().zip(&resolved).rev() {
            if *resolved == RecordedOutcome::Applied {
                continue;
            }
            for step in steps.iter().rev() {
                let done = match (&step.0.op, self.state_of(*step)) {
                    (_, FileState::Other | FileState::Edited(true)) => Err(SwapError::Changed),
                    (_, FileState::New(true)) => self.undo(step.0),
                    (FileOp::Arrive { from }, FileState::Old(true)) => {
                        self.restore_old_name(step.0, from)
                    }
                    _ => Ok(()),
                };
                self.record_result(step.0, done)?;
            }
        }
        for (steps, resolved) in groups.iter().zip(&resolved) {
            if *resolved != RecordedOutcome::Applied {
                continue;
            }
            for step in steps {
                let done = match self.state_of(*step) {
                    FileState::Other | FileState::Edited(false) => Err(SwapError::Changed),
                    FileState::Old(true) => self.redo(step.0),
                    _ => Ok(()),
                };
                self.record_result(step.0, done)?;
            }
        }
        Ok(resolved)
    }

    fn steps(&self) -> Vec<Vec<IndexedFile<'a>>> {
        let mut next: HashMap<&VaultPath, usize> = HashMap::new();
        let mut step = |file: &'a RunFile| {
            let next = next.entry(&file.path).or_insert(0);
            *next += 1;
            (file, *next - 1)
        };
        let groups = self.run.groups.iter();
        groups
            .map(|group| group.files.iter().map(&mut step).collect())
            .collect()
    }

    fn record_result(&mut self, file: &RunFile, done: Result<(), SwapError>) -> Result<()> {
        match done {
            Ok(()) => {}
            Err(SwapError::Io(err)) => return Err(at(self.vault.absolute(&file.path))(err)),
            // Another program wrote it or is writing it.
            Err(_) => {
                self.left_alone.insert(file.path.clone());
            }
        }
        Ok(())
    }

    /// Returns texts that an editor saved during a swap or move to their notes.
    ///
    /// Also removes the second name of a move to or from the trash that was interrupted between
    /// link and unlink.
    fn return_displaced(&mut self) {
        let fs = self.vault.fs();
        for file in self.run.groups.iter().flat_map(|group| &group.files) {
            let note = self.vault.absolute(&file.path);
            let [before, after] = [file.before, file.after].map(|image| image.map(|i| i.hash));
            let is_ours = |content: ContentHash| [before, after].contains(&Some(content));
            match &file.op {
                FileOp::Edit => {
                    let temp = note.with_file_name(&file.temp);
                    let displaced = hash(fs, &temp).is_ok_and(|(found, _)| !is_ours(found));
                    if let Some(after) = after
                        && displaced
                        && swap_in(fs, &note, &temp, after).is_ok()
                    {
                        self.to_sync.extend(note.parent().map(Path::to_owned));
                    }
                }
                FileOp::Trash { .. } => {
                    let away = trash::location(self.vault, &self.run.id, &file.path);
                    if is_half_moved(fs, &note, &away) {
                        let _ = fs.remove_file(&away);
                        self.sync_later(&away, &note);
                    } else if hash(fs, &away).is_ok_and(|(found, _)| !is_ours(found)) {
                        let _ = fs.rename_new(&away, &note);
                        self.sync_later(&away, &note);
                    }
                }
                FileOp::Restore { from } => {
                    let away = trash::location(self.vault, from, &file.path);
                    if is_half_moved(fs, &away, &note) {
                        let _ = fs.remove_file(&away);
                        self.sync_later(&away, &note);
                    }
                }
                // A moved note keeps texts saved into it, under its new path.
                FileOp::Create | FileOp::Arrive { .. } | FileOp::Depart { .. } => {}
            }
        }
    }

    fn sync_later(&mut self, one: &Path, other: &Path) {
        let parents = [one, other].into_iter().filter_map(Path::parent);
        self.to_sync.extend(parents.map(Path::to_owned));
    }

    /// Returns the state of a note with respect to one of its changes.
    fn state_of(&self, (file, step): IndexedFile<'_>) -> FileState {
        let Ok(content) = self.content(&file.path) else {
            return FileState::Other;
        };
        let chain = &self.chains[&file.path];
        // A repeated text may be either one; the later one is safe to assume.
        let known = |content: Content| chain.iter().rposition(|known| *known == content);
        let at = known(content).or_else(|| match &file.op {
            // Moved, and edited since.
            FileOp::Arrive { from } if self.content(from) == Ok(None) => Some(step + 1),
            // Removed, and another note has its path.
            FileOp::Trash { .. } if self.is_in_trash(file) => known(None),
            _ if self.has_moved_away(&file.path) => known(None),
            _ => None,
        });
        match at {
            None => self
                .contains_change(file, step)
                .map_or(FileState::Other, FileState::Edited),
            Some(at) if at <= step => FileState::Old(at == step),
            Some(at) => FileState::New(at == step + 1),
        }
    }

    /// Returns the content of the file with exactly this name, or an error if that is unclear.
    fn content(&self, path: &VaultPath) -> Result<Content, UnreadableFile> {
        let absolute = self.vault.absolute(path);
        match hash(self.vault.fs(), &absolute) {
            Ok(_) if self.is_other_spelling(path, &absolute) => Ok(None),
            Ok((found, _)) => Ok(Some(found)),
            Err(SwapError::Missing) => Ok(None),
            Err(_) => Err(UnreadableFile),
        }
    }

    /// Whether the file at `path` is the moved note under its other path, which differs only in
    /// case.
    fn is_other_spelling(&self, path: &VaultPath, absolute: &Path) -> bool {
        let fs = self.vault.fs();
        let changes = self.changes.get(path).into_iter().flatten();
        let mut other_names = changes.filter_map(|file| match &file.op {
            FileOp::Arrive { from: other } | FileOp::Depart { to: other } => Some(other),
            _ => None,
        });
        let is_one_name =
            |other: &VaultPath| is_same_name(fs, absolute, &self.vault.absolute(other));
        let is_listed = || {
            let (folder, name) = (absolute.parent()?, absolute.file_name()?);
            let names = fs.list(folder).ok()?;
            Some(names.iter().any(|listed| listed == name))
        };
        other_names.any(is_one_name) && is_listed() == Some(false)
    }

    fn is_in_trash(&self, file: &RunFile) -> bool {
        let away = trash::location(self.vault, &self.run.id, &file.path);
        let found = hash(self.vault.fs(), &away).map(|(found, _)| found);
        found.is_ok_and(|found| Some(found) == file.before.map(|image| image.hash))
    }

    /// Whether an edited note contains the change, if that can be decided.
    ///
    /// It does if the change can be reverted but not applied, and does not in the opposite case. A
    /// note that contains a later change contains all earlier ones.
    fn contains_change(&self, file: &RunFile, step: usize) -> Option<bool> {
        let changes = &self.changes[&file.path];
        let later = changes[step..].iter().rev();
        let earlier = changes[..=step].iter();
        let has = later
            .filter_map(|file| self.has_change(file))
            .find(|has| *has);
        has.or_else(|| {
            earlier
                .filter_map(|file| self.has_change(file))
                .find(|has| !has)
        })
    }

    fn has_change(&self, file: &RunFile) -> Option<bool> {
        let absolute = self.vault.absolute(&file.path);
        let (now, _) = self.vault.fs().read(&absolute).ok()?;
        let ended = |text: String| {
            if text.ends_with('\n') {
                text
            } else {
                text + "\n"
            }
        };
        let now = ended(String::from_utf8(now).ok()?);
        let before = ended(self.image(Some(file.before?)).ok()?);
        let after = ended(self.image(Some(file.after?)).ok()?);
        let has = revert_change(&before, &after, &now).is_some();
        let lacks = revert_change(&after, &before, &now).is_some();
        (has != lacks).then_some(has)
    }

    /// Whether a note to be moved exists under its new path.
    fn has_moved_away(&self, path: &VaultPath) -> bool {
        let is_known = |to: &VaultPath| match self.content(to) {
            Ok(found @ Some(_)) => self
                .chains
                .get(to)
                .is_some_and(|chain| chain.contains(&found)),
            _ => false,
        };
        let changes = self.changes.get(path).into_iter().flatten();
        let mut departures = changes.filter_map(|file| match &file.op {
            FileOp::Depart { to } => Some(to),
            _ => None,
        });
        departures.any(is_known)
    }

    fn image(&self, image: Option<Image>) -> Result<String, SwapError> {
        let image = image.ok_or_else(|| io::Error::other("the record holds no text"))?;
        self.history
            .image(&self.run.id, image)
            .map_err(|err| io::Error::other(err).into())
    }

    /// Makes the staged file of a note contain a text of the run.
    fn restage(&self, file: &RunFile, image: Option<Image>) -> Result<PathBuf, SwapError> {
        let fs = self.vault.fs();
        let note = self.vault.absolute(&file.path);
        let temp = note.with_file_name(&file.temp);
        let wanted = image.map(|image| image.hash);
        if hash(fs, &temp).is_ok_and(|(found, _)| Some(found) == wanted) {
            return Ok(temp);
        }
        let text = self.image(image)?;
        remove_temp(self.vault, self.run, file, Some(self.history));
        let like = fs.stat(&note).is_ok_and(|meta| meta.kind == FileKind::File);
        stage(fs, &temp, text.as_bytes(), like.then_some(&note))?;
        if let Some(mode) = file.mode.filter(|_| !like) {
            fs.set_mode(&temp, mode)?;
        }
        fs.sync(&temp)?;
        Ok(temp)
    }

    /// Applies the change to a file that is directly before it.
    fn redo(&mut self, file: &RunFile) -> Result<(), SwapError> {
        let fs = self.vault.fs();
        let note = self.vault.absolute(&file.path);
        match (&file.op, file.before) {
            (FileOp::Edit, Some(before)) => {
                let temp = self.restage(file, file.after)?;
                self.sync_later(&temp, &note);
                swap_in(fs, &note, &temp, before.hash).map(|_| ())
            }
            (FileOp::Trash { .. }, Some(before)) => {
                trash::create_note_folder(self.vault, &self.run.id, &file.path)?;
                let to = trash::location(self.vault, &self.run.id, &file.path);
                self.sync_later(&to, &note);
                move_if_unchanged(fs, &note, &to, before.hash).map(|_| ())
            }
            (FileOp::Arrive { from }, _) => {
                let old = self.vault.absolute(from);
                match self.content(from) {
                    Ok(Some(now)) => {
                        self.make_folders(&file.path)?;
                        self.sync_later(&old, &note);
                        rename_if_unchanged(fs, &old, &note, &note.with_file_name(&file.temp), now)
                    }
                    // On its way through the staged file, or lost.
                    Ok(None) => self.create_missing(file, file.after),
                    Err(UnreadableFile) => Err(SwapError::Changed),
                }
            }
            // It arrived but still exists here: under both names, or as a copy.
            (FileOp::Depart { to }, _) => {
                let new = self.vault.absolute(to);
                self.sync_later(&note, &new);
                if is_half_moved(fs, &note, &new) {
                    Ok(fs.remove_file(&note)?)
                } else {
                    Err(SwapError::Exists)
                }
            }
            _ => self.create_missing(file, file.after),
        }
    }

    /// Reverts the change of a file that is directly after it.
    fn undo(&mut self, file: &RunFile) -> Result<(), SwapError> {
        let fs = self.vault.fs();
        let note = self.vault.absolute(&file.path);
        let temp = note.with_file_name(&file.temp);
        match (&file.op, file.after) {
            (FileOp::Edit, Some(after)) => {
                let temp = self.restage(file, file.before)?;
                self.sync_later(&temp, &note);
                swap_in(fs, &note, &temp, after.hash).map(|_| ())
            }
            (FileOp::Trash { .. }, _) => self.create_missing(file, file.before),
            (FileOp::Restore { from }, Some(after)) => {
                trash::create_note_folder(self.vault, from, &file.path)?;
                let to = trash::location(self.vault, from, &file.path);
                self.sync_later(&to, &note);
                move_if_unchanged(fs, &note, &to, after.hash).map(|_| ())
            }
            (FileOp::Arrive { from }, _) => {
                let old = self.vault.absolute(from);
                self.sync_later(&old, &note);
                self.make_folders(from)?;
                // The note may contain any text by now.
                let (now, _) = hash(fs, &note)?;
                rename_if_unchanged(fs, &note, &old, &temp, now)
            }
            (_, Some(after)) => {
                remove_temp(self.vault, self.run, file, Some(self.history));
                self.sync_later(&temp, &note);
                move_if_unchanged(fs, &note, &temp, after.hash).map(|_| ())
            }
            (_, None) => Ok(()),
        }
    }

    /// Creates the missing folders above a note: the run created them, or removed them as empty.
    fn make_folders(&mut self, path: &VaultPath) -> io::Result<()> {
        for folder in missing_folders(self.vault, path) {
            let absolute = self.vault.root().join(folder);
            self.vault.fs().create_folder(&absolute, 0o777)?;
            self.to_sync.extend(absolute.parent().map(Path::to_owned));
        }
        Ok(())
    }

    /// Restores the old path of a note that exists under neither path.
    fn restore_old_name(&mut self, file: &RunFile, from: &VaultPath) -> Result<(), SwapError> {
        if self.content(from) != Ok(None) {
            return Ok(());
        }
        self.make_folders(from)?;
        self.make_folders(&file.path)?;
        let temp = self.restage(file, file.after)?;
        let old = self.vault.absolute(from);
        self.sync_later(&temp, &old);
        move_into_place(self.vault.fs(), &temp, &old)
    }

    /// Creates a missing note: from the trash if it is there, otherwise from its image.
    fn create_missing(&mut self, file: &RunFile, image: Option<Image>) -> Result<(), SwapError> {
        let fs = self.vault.fs();
        let note = self.vault.absolute(&file.path);
        self.make_folders(&file.path)?;
        let away = match &file.op {
            FileOp::Restore { from } => Some(trash::location(self.vault, from, &file.path)),
            FileOp::Trash { .. } => Some(trash::location(self.vault, &self.run.id, &file.path)),
            FileOp::Create | FileOp::Edit | FileOp::Arrive { .. } | FileOp::Depart { .. } => None,
        };
        if let (Some(away), Some(image)) = (away, image)
            && hash(fs, &away).is_ok_and(|(found, _)| found == image.hash)
        {
            self.sync_later(&away, &note);
            return move_if_unchanged(fs, &away, &note, image.hash).map(|_| ());
        }
        let temp = self.restage(file, image)?;
        self.sync_later(&temp, &note);
        move_into_place(fs, &temp, &note)
    }

    /// Removes temporary files, syncs, and archives the record.
    fn conclude(&mut self, is_recorded: bool, groups: &[RecordedOutcome]) -> Result<()> {
        // A text that could not be written to its note may exist only in the images.
        let keep = groups.contains(&RecordedOutcome::Applied) || !self.left_alone.is_empty();
        if !is_recorded && keep {
            let written = trash::write_reasons(self.vault, self.run);
            self.to_sync
                .extend(written.map_err(at(self.vault.root().join(OWN_FOLDER)))?);
        }
        let applied = |group: usize| groups[group] == RecordedOutcome::Applied;
        let cleaned = remove_staged(self.vault, self.run, applied, Some(self.history));
        self.to_sync.extend(cleaned);
        sync_folders(self.vault, &self.to_sync)?;
        if !is_recorded && keep {
            self.history
                .record_outcome(&self.run.id, groups.to_vec(), None)?;
        }
        remove_trash(self.vault, self.run)?;
        if is_recorded || keep {
            self.history.archive(&self.run.id)
        } else {
            self.history.discard(&self.run.id)
        }
    }
}

/// Whether to complete a group rather than roll it back, given the states of its files.
fn should_finish(states: &[FileState]) -> bool {
    let last_new = states
        .iter()
        .rposition(|state| matches!(state, FileState::New(_) | FileState::Edited(true)));
    let Some(last_new) = last_new else {
        return false;
    };
    let unknown = states
        .iter()
        .skip(last_new)
        .any(|state| *state == FileState::Other);
    let edited = states.contains(&FileState::Other);
    let old = states
        .iter()
        .any(|state| matches!(state, FileState::Old(_)));
    let far = states.contains(&FileState::Old(false));
    let lacking = states.contains(&FileState::Edited(false));
    let stops = unknown || far || lacking || edited && old;
    !stops
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::change::Outcome;
    use crate::change::apply::apply;
    use crate::change::tests::{TestVault, plan};

    #[test]
    fn should_finish_depends_on_file_states() {
        use FileState::{Edited, New, Old, Other};
        for (states, finish) in [
            (&[New(true), New(false)][..], true),
            (&[Old(true), Old(false)], false),
            (&[New(true), Old(true)], true),
            (&[Old(true), New(true)], true),
            (&[New(true), Old(false)], false),
            (&[Other, New(true)], true),
            (&[New(true), Other], false),
            (&[Other, New(true), Old(true)], false),
            (&[Other, Other], false),
            (&[Other, Old(true)], false),
            (&[Edited(true), Old(true)], true),
            (&[Edited(false), Old(true)], false),
            (&[Edited(false), New(true)], false),
            (&[New(true), Edited(true)], true),
            (&[Edited(true), Other], false),
        ] {
            assert_eq!(should_finish(states), finish, "{states:?}");
        }
    }

    #[test]
    fn an_unusable_record_stays_and_does_not_block_runs() {
        let fixture = TestVault::new(&[("a.md", "one")]);
        let folder = fixture
            .homes()
            .state
            .join("unfinished/20200101-000000-0000");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("run.json"), r#"{"version":9}"#).unwrap();
        let changes = plan(vec![vec![fixture.edit("a.md", "one", "1")]]);
        let (vault, homes) = (fixture.vault(), fixture.homes());
        let report = apply(&vault, &homes, &changes, &fixture.info()).unwrap();
        assert_eq!(report.outcomes, [Outcome::Applied]);
        assert!(
            report.recovered[0]
                .problem
                .as_ref()
                .unwrap()
                .contains("format 9")
        );
        assert!(folder.exists());
        // One that had not begun to write is just removed.
        fs::remove_file(folder.join("run.json")).unwrap();
        fs::write(folder.join("images"), "half").unwrap();
        assert_eq!(
            recover(&vault, &History::new(vault.fs(), &homes)).unwrap(),
            []
        );
        assert!(!folder.exists());
    }
}
