//! Reverts a run, group by group, newest first.
//!
//! Each note gets the text and path that it would have without the group (`timeline`): its old
//! text, with later edits located in it (`splice`). If an edit cannot be located unambiguously, the
//! whole group is kept and reported, with the blocking run to undo first, if there is one. In
//! whatever order runs are undone, after undoing all of them every note is in its initial state. An
//! undo is a recorded run with images, so it can be undone by its id. Without an id, undo reverts
//! the last run done or redone that is neither an undo nor undone. Two calls therefore revert two
//! runs. A run that restores a removed note is an undo of the removal, so undoing it removes the
//! note again:
//!
//! ```text
//! A  B  undo→B  undo→A  undo(undo→A)   undoing the last undo by id restores A's changes;
//!                                      a further undo without an id reverts A again
//! ```

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::compile::{GroupDraft, Overlay};
use super::execute::execute;
use super::file_op::{CompiledGroup, FileOp, FileWrite};
use super::history::{FinishedRun, History, Run, RunGroup, Undoes, undone_runs};
use super::recover::{RecoveryReport, lock_and_recover};
use super::run_id::RunId;
use super::timeline::{
    ChangeIndex, ChangeTimeline, GroupKey, NoteIndex, NoteState, Obstacle, ReplayConflict,
    StoredText,
};
use super::{ChangeError, DropReason, Outcome, Result, RunInfo, SETTLE_JOB, trash};
use crate::finding::QuestionKey;
use crate::note::{ContentHash, VaultPath};
use crate::vault::{Homes, Vault, is_same_name};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoTarget {
    /// The last run done or redone that is neither an undo, nor a snapshot, nor undone; all runs
    /// of a sleep at once.
    Last,
    Run(RunId),
}

/// The reason why a group is kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeepReason {
    /// Its change cannot be separated from later edits.
    #[error("edited since")]
    Edited,
    /// It no longer exists.
    #[error("no longer exists")]
    Missing,
    /// Another note exists at its path.
    #[error("another note now has its path")]
    Occupied,
    /// A later run in effect builds on it.
    #[error("changed since by run {0}; undo that first")]
    ChangedBy(RunId),
    /// A redo of a change to the text of this run, which the second run undid.
    #[error("builds on run {0}, which is undone; redo that first with `mem undo {1}`")]
    BuildsOn(RunId, RunId),
    /// Its copy in the trash was changed.
    #[error("its copy in the trash changed")]
    TrashChanged,
    /// Its text was purged.
    #[error("its text was purged")]
    Purged,
    /// mem may not write it, or it changed at the last moment.
    #[error(transparent)]
    Other(#[from] DropReason),
}

/// The result of undoing a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoVerdict {
    /// It can be reverted, or was.
    Undone,
    /// Nothing of it is left to revert.
    NothingLeft,
    Kept {
        /// The note that prevents it.
        path: VaultPath,
        reason: KeepReason,
    },
}

/// The planned or actual effect of an undo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoReport {
    /// The undone runs, newest first: several for a sleep, none if an interrupted run was rolled
    /// back, or an interrupted undo completed, instead.
    pub of: Vec<RunId>,
    /// The run to undo next in that case.
    pub before: Option<RunId>,
    /// The undo itself; `None` if nothing was written.
    pub run: Option<RunId>,
    /// Whether the undone run is itself an undo, so this restores its changes.
    pub is_redo: bool,
    /// The groups in the order of undoing.
    pub groups: Vec<UndoneGroup>,
    /// Results of recovering earlier, interrupted runs.
    pub recovered: Vec<RecoveryReport>,
}

/// A group of the undone run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneGroup {
    pub title: String,
    /// The question whether to apply it.
    pub question: Option<QuestionKey>,
    /// The notes that it touched.
    pub notes: Vec<VaultPath>,
    /// The result of undoing it.
    pub verdict: UndoVerdict,
    /// The earlier undo that reverted it.
    pub undone_by: Option<RunId>,
}

/// A planned undo: what to write, and the positions of its groups in the report.
struct UndoPlan {
    report: UndoReport,
    ready: Vec<CompiledGroup>,
    numbers: Vec<usize>,
}

/// Returns the report and the writes of [`undo`], without writing.
pub fn plan_undo(
    vault: &Vault,
    source: &Homes,
    target: &UndoTarget,
    note: Option<&VaultPath>,
) -> Result<(UndoReport, Vec<CompiledGroup>)> {
    let history = History::new(vault.fs(), source);
    if *target == UndoTarget::Last
        && let Some(run) = history.interrupted()?.pop()
    {
        return Err(ChangeError::Unfinished(run));
    }
    let plan = plan(vault, &history, target, note)?;
    Ok((plan.report, plan.ready))
}

/// Undoes a run of the history in `source`, or only its groups that touch `note`; the undo becomes a
/// run of the history in `homes`.
pub fn undo(
    vault: &Vault,
    [homes, source]: [&Homes; 2],
    target: &UndoTarget,
    note: Option<&VaultPath>,
    info: &RunInfo,
) -> Result<UndoReport> {
    let (_lock, history, recovered) = lock_and_recover(vault, homes, info)?;
    // The recovery was what the user wants undone, or an undo that is complete now.
    let last = recovered.last();
    let is_done = last.is_some_and(|last| last.is_undo || last.is_rolled_back());
    if *target == UndoTarget::Last && is_done {
        let before = plan(vault, &history, target, note).ok();
        return Ok(UndoReport {
            before: before.map(|plan| plan.report.of[0].clone()),
            recovered,
            ..UndoReport::default()
        });
    }
    let UndoPlan {
        mut report,
        ready,
        numbers,
    } = plan(vault, &History::new(vault.fs(), source), target, note)?;
    report.recovered = recovered;
    if ready.is_empty() {
        return Ok(report);
    }
    let undoes = Some(Undoes {
        run: report.of[0].clone(),
        note: note.cloned(),
    });
    let (run, outcomes) = execute(vault, &history, info, ("undo", undoes), &ready)?;
    report.run = run;
    for (number, outcome) in numbers.into_iter().zip(outcomes) {
        if let Outcome::Dropped { path, reason, .. } = outcome {
            report.groups[number].verdict = UndoVerdict::Kept {
                path,
                reason: reason.into(),
            };
        }
    }
    Ok(report)
}

/// Returns the runs with the run that did them last, last done first; a redone run counts as done
/// at the redo.
fn by_last_done(newest_first: &[FinishedRun]) -> Vec<(Option<&RunId>, &FinishedRun)> {
    let by_id: HashMap<&RunId, &Run> = newest_first
        .iter()
        .map(|entry| (&entry.run.id, &entry.run))
        .collect();
    let mut redone: HashMap<&RunId, &RunId> = HashMap::new();
    for entry in newest_first {
        let (mut run, mut is_redo) = (&entry.run, true);
        while let Some(undoes) = &run.undoes
            && undoes.run < run.id
            && let Some(undone) = by_id.get(&undoes.run)
        {
            (run, is_redo) = (undone, !is_redo);
        }
        if is_redo {
            redone.entry(&run.id).or_insert(&entry.run.id);
        }
    }
    let done = newest_first.iter();
    let mut runs: Vec<_> = done
        .map(|entry| (redone.get(&entry.run.id).copied(), entry))
        .collect();
    runs.sort_by_key(|(done, _)| Reverse(*done));
    runs
}

fn plan(
    vault: &Vault,
    history: &History<'_>,
    target: &UndoTarget,
    note: Option<&VaultPath>,
) -> Result<UndoPlan> {
    let (entries, _) = history.list()?;
    if let UndoTarget::Run(id) = target {
        return invert(vault, history, &entries, &[&history.load(id)?], note);
    }
    let undone = undone_runs(&entries);
    let purged = history.last_purged();
    let mut lost: Option<UndoPlan> = None;
    for (done, entry) in by_last_done(&entries) {
        let takes_part = entry.applied().any(|(_, group)| {
            note.is_none_or(|note| group.files.iter().any(|file| file.path == *note))
        });
        let is_skipped = entry.run.undoes.is_some() || entry.run.job == SETTLE_JOB;
        if is_skipped || undone.contains_key(&entry.run.id) || !takes_part {
            continue;
        }
        let is_in_sleep = |other: &&FinishedRun| {
            let (run, id) = (&other.run, &other.run.id);
            run.is_same_sleep(&entry.run) && run.undoes.is_none() && !undone.contains_key(id)
        };
        let act: Vec<&FinishedRun> = entries.iter().filter(is_in_sleep).collect();
        let plan = invert(vault, history, &entries, &act, note)?;
        // Already reverted by hand or note by note.
        let is_left = |group: &&UndoneGroup| group.verdict != UndoVerdict::NothingLeft;
        let mut left = plan.report.groups.iter().filter(is_left).peekable();
        if left.peek().is_none() {
            continue;
        }
        // A later snapshot of learned values is undone first.
        let snapshot = plan
            .report
            .groups
            .iter()
            .find_map(|group| match &group.verdict {
                UndoVerdict::Kept {
                    reason: KeepReason::ChangedBy(run),
                    ..
                } => entries.iter().find(|entry| entry.run.id == *run),
                _ => None,
            });
        if let Some(snapshot) = snapshot.filter(|entry| entry.run.job == SETTLE_JOB) {
            return invert(vault, history, &entries, &[snapshot], note);
        }
        // Older runs are undone by id only.
        let purged = purged.clone().filter(|purged| done < Some(purged));
        let lost_run = lost.as_ref().map(|lost| lost.report.of[0].clone());
        if let Some(run) = purged.or(lost_run) {
            let next = entry.run.id.clone();
            return Err(ChangeError::LastPurged { run, next });
        }
        let is_lost = |group: &UndoneGroup| matches!(&group.verdict, UndoVerdict::Kept { reason, .. } if *reason == KeepReason::Purged);
        if !left.all(is_lost) {
            return Ok(plan);
        }
        lost = Some(plan);
    }
    lost.ok_or(ChangeError::NothingToUndo)
}

fn invert(
    vault: &Vault,
    history: &History<'_>,
    newest_first: &[FinishedRun],
    runs: &[&FinishedRun],
    note: Option<&VaultPath>,
) -> Result<UndoPlan> {
    let mut inversion = Inversion {
        vault,
        history,
        entry: runs[0],
        timeline: ChangeTimeline::new(history, newest_first),
        overlay: Overlay::new(vault),
        kept: HashMap::new(),
    };
    let touches = |group: &RunGroup| {
        note.is_none_or(|note| group.files.iter().any(|file| file.path == *note))
    };
    let groups = runs.iter().flat_map(|entry| {
        let groups = entry.applied().rev();
        groups.map(move |(number, group)| (*entry, number, group))
    });
    let selected: Vec<_> = groups.filter(|(.., group)| touches(group)).collect();
    let mut verdicts: Vec<UndoVerdict> = vec![UndoVerdict::NothingLeft; selected.len()];
    let (mut ready, mut numbers) = (Vec::new(), Vec::new());
    let mut open: Vec<usize> = (0..selected.len()).collect();
    // A group may be blocked by another group of the run, so passes repeat until one undoes
    // nothing. The results of that last pass hold when all other groups are undone.
    loop {
        let (before, mut still_open) = (ready.len(), Vec::new());
        for at in open {
            let (entry, number, group) = selected[at];
            let key = (entry.run.id.clone(), number);
            inversion.entry = entry;
            verdicts[at] = match inversion.group(&key, group) {
                Err(InvertError::Failed(error)) => return Err(error),
                Err(InvertError::Kept(path, reason)) => {
                    still_open.push(at);
                    UndoVerdict::Kept { path, reason }
                }
                Ok(writes) if writes.is_empty() => UndoVerdict::NothingLeft,
                Ok(writes) => {
                    numbers.push(at);
                    ready.push(CompiledGroup {
                        title: group.title.clone(),
                        reason: format!("undoes `{}` of {}", entry.run.job, entry.run.id),
                        undoes: Some(key),
                        question: group.question,
                        writes,
                    });
                    UndoVerdict::Undone
                }
            };
        }
        open = still_open;
        if open.is_empty() || ready.len() == before {
            break;
        }
    }
    let groups: Vec<UndoneGroup> = selected
        .into_iter()
        .zip(verdicts)
        .map(|((entry, number, group), verdict)| UndoneGroup {
            title: group.title.clone(),
            question: group.question,
            notes: group.notes().cloned().collect(),
            verdict,
            undone_by: inversion
                .timeline
                .taken_back_by(&(entry.run.id.clone(), number))
                .cloned(),
        })
        .collect();
    if groups.is_empty() {
        return Err(ChangeError::NoSuchRun(runs[0].run.id.clone()));
    }
    let report = UndoReport {
        of: runs.iter().map(|entry| entry.run.id.clone()).collect(),
        is_redo: runs[0].run.undoes.is_some(),
        groups,
        ..UndoReport::default()
    };
    Ok(UndoPlan {
        report,
        ready,
        numbers,
    })
}

/// The reason why a group is not undone.
enum InvertError {
    /// This note prevents it.
    Kept(VaultPath, KeepReason),
    /// A record of mem cannot be read.
    Failed(ChangeError),
}

impl From<ChangeError> for InvertError {
    fn from(error: ChangeError) -> Self {
        Self::Failed(error)
    }
}

fn blocked(path: &VaultPath, reason: impl Into<KeepReason>) -> InvertError {
    InvertError::Kept(path.clone(), reason.into())
}

/// Computes the inverse of a run, group by group.
struct Inversion<'a> {
    vault: &'a Vault,
    history: &'a History<'a>,
    entry: &'a FinishedRun,
    timeline: ChangeTimeline<'a>,
    overlay: Overlay<'a>,
    /// The changes of the run that are kept, and why.
    kept: HashMap<ChangeIndex, KeepReason>,
}

impl Inversion<'_> {
    /// Returns the writes that revert the group.
    fn group(&mut self, key: &GroupKey, group: &RunGroup) -> Result<Vec<FileWrite>, InvertError> {
        let Some(change) = self.timeline.change_of(key) else {
            return Ok(Vec::new());
        };
        if !self.timeline.is_in_effect(key) {
            return Ok(Vec::new());
        }
        self.kept.remove(&change);
        let inverted = self.change(change, group);
        if let Err(InvertError::Kept(_, reason)) = &inverted {
            self.kept.insert(change, reason.clone());
        }
        inverted
    }

    fn change(
        &mut self,
        change: ChangeIndex,
        group: &RunGroup,
    ) -> Result<Vec<FileWrite>, InvertError> {
        record_current_texts(&mut self.overlay, &mut self.timeline, change)?;
        let states = match self.timeline.toggled(change)? {
            Ok(states) => states,
            Err(conflict) => {
                // Undoing other runs first does not restore that text.
                for file in &group.files {
                    let run = &self.entry.run.id;
                    if let Some(before) = file.before
                        && self.history.is_purged(run, before)?
                    {
                        return Err(blocked(&file.path, KeepReason::Purged));
                    }
                }
                return Err(self.obstacle(change, conflict)?);
            }
        };
        let mut draft = GroupDraft::new(&mut self.overlay);
        let inverse = InverseWriter {
            vault: self.vault,
            history: self.history,
            run: &self.entry.run,
            group,
        };
        for step in self.timeline.steps(change).iter().rev() {
            let is_lost = self.timeline.is_lost(change, step.note);
            match (self.timeline.state(step.note), states.get(&step.note)) {
                (None, None) if is_lost => {
                    let path = self.timeline.last_name(step.note);
                    return Err(blocked(path, KeepReason::Missing));
                }
                (None, None) => {}
                (Some(now), Some(wanted)) => inverse.rewrite(&mut draft, now, wanted)?,
                (Some(now), None) => inverse.remove(&mut draft, &now.path)?,
                (None, Some(wanted)) => inverse.restore_note(&mut draft, wanted)?,
            }
        }
        let writes = draft.accept();
        if !writes.is_empty() {
            self.timeline.toggle(change, states);
        }
        Ok(writes)
    }

    fn obstacle(&mut self, change: ChangeIndex, conflict: ReplayConflict) -> Result<InvertError> {
        let overlay = &mut self.overlay;
        let record_current_texts = |timeline: &mut ChangeTimeline<'_>, change| {
            // Read errors are reported when that run is undone.
            let _ = record_current_texts(overlay, timeline, change);
        };
        let (path, obstacle) = self
            .timeline
            .obstacle(change, conflict, record_current_texts)?;
        let reason = match obstacle {
            Obstacle::Change(other) => {
                let timeline = &self.timeline;
                let runs = (timeline.run_to_undo(other), timeline.undone_run(other));
                match (self.kept.get(&other), runs) {
                    (Some(reason), _) => reason.clone(),
                    (_, (Some(undo), Some(of))) => KeepReason::BuildsOn(of.clone(), undo.clone()),
                    (_, (Some(run), None)) => KeepReason::ChangedBy(run.clone()),
                    (_, (None, _)) => KeepReason::Edited,
                }
            }
            Obstacle::Edited => KeepReason::Edited,
            Obstacle::Occupied => KeepReason::Occupied,
        };
        Ok(InvertError::Kept(path, reason))
    }
}

/// Records edits by hand in the notes of a change.
fn record_current_texts(
    overlay: &mut Overlay<'_>,
    timeline: &mut ChangeTimeline<'_>,
    change: ChangeIndex,
) -> Result<(), InvertError> {
    let steps = timeline.steps(change).iter();
    let notes: Vec<NoteIndex> = steps.map(|step| step.note).collect();
    for note in notes {
        let Some(state) = timeline.state(note) else {
            continue;
        };
        let path = state.path.clone();
        match GroupDraft::new(overlay).current(&path) {
            Ok((_, Some(text))) => timeline.record_manual_edit(note, &text.into()),
            Ok((_, None)) => {}
            Err(reason) => return Err(blocked(&path, reason)),
        }
    }
    Ok(())
}

/// Drafts the files that revert a group.
struct InverseWriter<'a> {
    vault: &'a Vault,
    history: &'a History<'a>,
    /// The undone run and its group.
    run: &'a Run,
    group: &'a RunGroup,
}

impl InverseWriter<'_> {
    /// Gives a note another text, another path, or both.
    fn rewrite(
        &self,
        draft: &mut GroupDraft<'_, '_>,
        now: &NoteState,
        wanted: &NoteState,
    ) -> Result<(), InvertError> {
        let (from, to) = (&now.path, &wanted.path);
        let is_same = now.text.hash() == wanted.text.hash();
        if from == to && is_same {
            return Ok(());
        }
        let there_now = current(draft, from)?;
        let elsewhere = if from == to {
            None
        } else {
            current(draft, to)?
        };
        let text = self.read(&wanted.text, to)?;
        let drafted = match (there_now, elsewhere) {
            (Some(_), _) if from == to => draft.rewrite(to, text),
            (Some(_), Some(_)) if !self.is_respelling(from, to) => {
                return Err(blocked(to, KeepReason::Occupied));
            }
            (Some(_), _) => draft.move_to(from, to, text, self.created_folders(from)),
            // Moved back by hand.
            (None, Some(hash)) if hash == wanted.text.hash() => Ok(()),
            (None, Some(hash)) if hash == now.text.hash() => draft.rewrite(to, text),
            (None, _) => return Err(blocked(from, KeepReason::Missing)),
        };
        drafted.map_err(|reason| blocked(to, reason))
    }

    /// Removes a note that the group created.
    fn remove(&self, draft: &mut GroupDraft<'_, '_>, path: &VaultPath) -> Result<(), InvertError> {
        if current(draft, path)?.is_none() {
            return Ok(());
        }
        let reason = format!("undid `{}` of {}", self.run.job, self.run.id);
        let op = FileOp::Trash {
            reason,
            keeper: None,
        };
        let drafted = draft.trash(path, op, self.created_folders(path));
        drafted.map_err(|reason| blocked(path, reason))
    }

    /// Restores a note that the group removed: from the trash, or from its image if the trash was
    /// emptied.
    fn restore_note(
        &self,
        draft: &mut GroupDraft<'_, '_>,
        wanted: &NoteState,
    ) -> Result<(), InvertError> {
        let NoteState { path, text } = wanted;
        match current(draft, path)? {
            Some(hash) if hash == text.hash() => return Ok(()),
            Some(_) => return Err(blocked(path, KeepReason::Occupied)),
            None => {}
        }
        let trashed = self
            .vault
            .fs()
            .read(&trash::location(self.vault, &self.run.id, path));
        let gone = self.group.files.iter().find(|file| file.path == *path);
        let from = self.run.id.clone();
        let (op, mode) = match trashed {
            Ok((bytes, _)) if ContentHash::of(&bytes) == text.hash() => {
                (FileOp::Restore { from }, None)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                (FileOp::Create, gone.and_then(|file| file.mode))
            }
            _ => return Err(blocked(path, KeepReason::TrashChanged)),
        };
        let drafted = draft.create(path, op, self.read(text, path)?, mode);
        drafted.map_err(|reason| blocked(path, reason))
    }

    fn read(&self, text: &StoredText, path: &VaultPath) -> Result<Arc<str>, InvertError> {
        match text.read(self.history) {
            Err(ChangeError::Purged(_)) => Err(blocked(path, KeepReason::Purged)),
            text => Ok(text?),
        }
    }

    /// Returns the folders created for the note that the group brought to this path.
    fn created_folders(&self, path: &VaultPath) -> Vec<String> {
        let mut files = self.group.files.iter();
        let came = files.find(|file| file.path == *path && file.before.is_none());
        came.map_or_else(Vec::new, |file| file.made.clone())
    }

    /// Whether both paths are spellings of one name to the file system.
    fn is_respelling(&self, from: &VaultPath, to: &VaultPath) -> bool {
        let [from, to] = [from, to].map(|path| self.vault.absolute(path));
        is_same_name(self.vault.fs(), &from, &to)
    }
}

fn current(
    draft: &mut GroupDraft<'_, '_>,
    path: &VaultPath,
) -> Result<Option<ContentHash>, InvertError> {
    let (_, text) = draft
        .current(path)
        .map_err(|reason| blocked(path, reason))?;
    Ok(text.map(|text| ContentHash::of(text.as_bytes())))
}

#[cfg(test)]
mod tests;
