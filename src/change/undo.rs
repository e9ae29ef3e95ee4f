//! Takes a run back, group by group, newest first.
//!
//! A file that still equals what the run left is given its old text; one that was edited since has
//! the change taken out of it if that is possible without doubt (`since`, `splice`); else its whole
//! group is kept and listed, with the later run to undo first if one is in the way. A note that the run moved is carried back with what was written into it
//! since; one that a later run moved is looked for where that put it. An undo is a run: it is
//! recorded, can be undone in turn by naming it, and all it wrote has images. Without a name the run that was
//! done or redone last is meant, of those that are no undo and are not undone, so that calling undo twice takes back two runs:
//!
//! ```text
//! A  B  undo→B  undo→A  undo(undo→A)   the last one, named, brings A's changes back;
//!                                      a further undo without a name takes A back again
//! ```

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::compile::{GroupDraft, Overlay};
use super::execute::{Header, execute};
use super::file_op::{CompiledGroup, FileOp, FileWrite};
use super::history::{FinishedRun, History, Run, RunFile, RunGroup, Undoes, undone};
use super::recover::{Recovered, lock_and_recover};
use super::run_id::RunId;
use super::since::{Key, Since};
use super::{ChangeError, DropReason, Outcome, RunInfo, SETTLE, trash};
use crate::finding::question::QuestionKey;
use crate::note::hash::ContentHash;
use crate::note::path::VaultPath;
use crate::vault::fs::is_same_name;
use crate::vault::{Homes, Vault};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The run that was done or redone last and changed notes on purpose: no undo, no snapshot, and not undone yet.
    Last,
    Run(RunId),
}

/// Why a group is kept as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeepReason {
    /// Its change cannot be told from what was edited since.
    #[error("edited since")]
    Edited,
    /// It is not there any more.
    #[error("no longer exists")]
    Missing,
    /// Another note stands where it was.
    #[error("another note is there now")]
    Occupied,
    /// A later run, which stands, built on it.
    #[error("changed since by run {0}; undo that first")]
    ChangedBy(RunId),
    /// Its copy in the trash was changed.
    #[error("its copy in the trash changed")]
    TrashChanged,
    /// The text that it held was purged.
    #[error("its text was purged")]
    Purged,
    /// mem may not write it, or it changed at the last moment.
    #[error(transparent)]
    Other(#[from] DropReason),
}

/// What undoing a group comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoVerdict {
    /// It can be taken back, or was.
    Undone,
    /// Nothing of it is left to take back.
    NothingLeft,
    Kept {
        /// The note that stands in the way.
        path: VaultPath,
        reason: KeepReason,
    },
}

/// What an undo would do, or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoReport {
    /// The run that is taken back.
    pub of: RunId,
    /// The undo itself; none if nothing was written.
    pub run: Option<RunId>,
    /// Whether that run was an undo itself, so that this does its changes again.
    pub is_redo: bool,
    /// Per group, in the order of undoing.
    pub groups: Vec<UndoneGroup>,
    /// What earlier, interrupted runs came to.
    pub recovered: Vec<Recovered>,
}

/// A group of the run that is taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneGroup {
    pub title: String,
    /// The question whether to do it.
    pub question: Option<QuestionKey>,
    /// The notes that it touched.
    pub notes: Vec<VaultPath>,
    /// What taking it back comes to.
    pub verdict: UndoVerdict,
}

/// An undo worked out: what to write, and where in the report its groups are.
struct UndoPlan {
    report: UndoReport,
    ready: Vec<CompiledGroup>,
    numbers: Vec<usize>,
}

/// Returns what [`undo`] would do, and what it would write, without writing.
pub fn plan_undo(
    vault: &Vault,
    homes: &Homes,
    target: &Target,
    note: Option<&VaultPath>,
) -> Result<(UndoReport, Vec<CompiledGroup>), ChangeError> {
    let plan = plan(vault, &History::new(vault.fs(), homes), target, note)?;
    Ok((plan.report, plan.ready))
}

/// Takes a run back, or those of its groups that touch `note`.
pub fn undo(
    vault: &Vault,
    homes: &Homes,
    target: &Target,
    note: Option<&VaultPath>,
    info: &RunInfo,
) -> Result<UndoReport, ChangeError> {
    let (_lock, history, recovered) = lock_and_recover(vault, homes, info)?;
    let UndoPlan {
        mut report,
        ready,
        numbers,
    } = plan(vault, &history, target, note)?;
    report.recovered = recovered;
    if ready.is_empty() {
        return Ok(report);
    }
    let undoes = Some(Undoes {
        run: report.of.clone(),
        note: note.cloned(),
    });
    let (run, outcomes) = execute(
        vault,
        &history,
        Header {
            info,
            job: "undo",
            undoes,
        },
        &ready,
    )?;
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

/// Returns the runs, the one that was done last first: a run that was redone was done then.
fn as_done_last(newest_first: &[FinishedRun]) -> Vec<&FinishedRun> {
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
    let mut runs: Vec<&FinishedRun> = newest_first.iter().collect();
    runs.sort_by_key(|entry| Reverse(redone.get(&entry.run.id).copied()));
    runs
}

fn plan(
    vault: &Vault,
    history: &History<'_>,
    target: &Target,
    note: Option<&VaultPath>,
) -> Result<UndoPlan, ChangeError> {
    let (entries, _) = history.list()?;
    if let Target::Run(id) = target {
        return invert(vault, history, &entries, &history.load(id)?, note);
    }
    let undone = undone(&entries);
    let mut purged = None;
    for entry in as_done_last(&entries) {
        let takes_part = entry.applied().any(|(_, group)| {
            note.is_none_or(|note| group.files.iter().any(|file| file.path == *note))
        });
        let is_silent = entry.run.undoes.is_some() || entry.run.job == SETTLE;
        if is_silent || undone.contains_key(&entry.run.id) || !takes_part {
            continue;
        }
        let plan = invert(vault, history, &entries, entry, note)?;
        // Taken back by hand, or note by note.
        let left = |group: &&UndoneGroup| group.verdict != UndoVerdict::NothingLeft;
        let mut left = plan.report.groups.iter().filter(left).peekable();
        if left.peek().is_none() {
            continue;
        }
        // What can never be taken back must not stand before what can.
        let lost = |group: &UndoneGroup| matches!(&group.verdict, UndoVerdict::Kept { reason, .. } if *reason == KeepReason::Purged);
        if left.all(lost) {
            purged.get_or_insert(plan);
        } else {
            return Ok(plan);
        }
    }
    purged.ok_or(ChangeError::NothingToUndo)
}

fn invert(
    vault: &Vault,
    history: &History<'_>,
    newest_first: &[FinishedRun],
    entry: &FinishedRun,
    note: Option<&VaultPath>,
) -> Result<UndoPlan, ChangeError> {
    let mut overlay = Overlay::new(vault);
    let mut since = Since::new(history, newest_first);
    let (mut groups, mut ready, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (number, group) in entry.applied().rev() {
        if note.is_some_and(|note| group.files.iter().all(|file| file.path != *note)) {
            continue;
        }
        let key = (entry.run.id.clone(), number);
        let inverted = if since.is_taken_back(Some(&key)) {
            Ok(Vec::new())
        } else {
            let inversion = Inversion {
                vault,
                history,
                entry,
                since: &since,
                key: key.clone(),
            };
            inversion.group(group, &mut overlay)?
        };
        let verdict = match inverted {
            Err((path, reason)) => UndoVerdict::Kept { path, reason },
            Ok(writes) if writes.is_empty() => UndoVerdict::NothingLeft,
            Ok(writes) => {
                since.push(key, &writes);
                numbers.push(groups.len());
                ready.push(CompiledGroup {
                    title: group.title.clone(),
                    reason: format!("undoes `{}` of {}", entry.run.job, entry.run.id),
                    undoes: Some(number),
                    question: group.question,
                    writes,
                });
                UndoVerdict::Undone
            }
        };
        groups.push(UndoneGroup {
            title: group.title.clone(),
            question: group.question,
            notes: group.notes().cloned().collect(),
            verdict,
        });
    }
    if groups.is_empty() {
        return Err(ChangeError::NoSuchRun(entry.run.id.clone()));
    }
    let of = entry.run.id.clone();
    let report = UndoReport {
        of,
        run: None,
        is_redo: entry.run.undoes.is_some(),
        groups,
        recovered: Vec::new(),
    };
    Ok(UndoPlan {
        report,
        ready,
        numbers,
    })
}

/// What one group is taken back with.
struct Inversion<'a> {
    vault: &'a Vault,
    history: &'a History<'a>,
    entry: &'a FinishedRun,
    since: &'a Since<'a>,
    key: Key,
}

impl Inversion<'_> {
    /// Returns what takes the group back, or the note that stands in the way; the outer error is about
    /// mem's own record.
    fn group(
        &self,
        group: &RunGroup,
        overlay: &mut Overlay<'_>,
    ) -> Result<Result<Vec<FileWrite>, (VaultPath, KeepReason)>, ChangeError> {
        let mut draft = GroupDraft::new(overlay);
        let departed = group.departed();
        for file in group.files.iter().rev() {
            let inverse = Inverse {
                of: self,
                file,
                // What was taken away cannot have been moved.
                path: match file.after {
                    Some(_) => self.since.path_now(&self.key, &file.path),
                    None => file.path.clone(),
                },
            };
            let added = match &file.op {
                FileOp::Arrive { from } => {
                    let is_edit = |file: &&RunFile| file.path == *from && file.op == FileOp::Edit;
                    let edit = group.files.iter().find(is_edit);
                    inverse.carry_back(&mut draft, from, edit)
                }
                // Taken back with the arrival.
                FileOp::Depart { .. } => Ok(Ok(())),
                FileOp::Edit if departed.contains(&file.path) => Ok(Ok(())),
                _ => inverse.add_to(&mut draft),
            };
            match added {
                Ok(Ok(())) => {}
                Ok(Err((path, reason))) => {
                    let reason = self.named(file, &path, reason);
                    return Ok(Err((path, reason)));
                }
                Err(ChangeError::Purged(_)) => {
                    return Ok(Err((file.path.clone(), KeepReason::Purged)));
                }
                Err(err) => return Err(err),
            }
        }
        Ok(Ok(draft.accept()))
    }

    /// Names the later run that is in the way, if there is one, so that a person knows what to undo first.
    fn named(&self, file: &RunFile, path: &VaultPath, reason: KeepReason) -> KeepReason {
        let twice = KeepReason::Other(DropReason::Twice);
        let may_be_later = [
            KeepReason::Edited,
            KeepReason::Missing,
            KeepReason::Occupied,
            twice,
        ];
        if !may_be_later.contains(&reason) {
            return reason;
        }
        let from = match &file.op {
            FileOp::Arrive { from } => Some(from),
            _ => None,
        };
        let names = [Some(&file.path), from].into_iter().flatten();
        let later = names.filter_map(|name| self.since.changed_by(&self.key, name));
        let in_the_way = later.max();
        let in_the_way = in_the_way.or_else(|| self.since.undone_before(&self.key, path));
        in_the_way.map_or(reason, KeepReason::ChangedBy)
    }
}

/// One file of the group.
struct Inverse<'a> {
    of: &'a Inversion<'a>,
    file: &'a RunFile,
    /// Its name now, as far as mem moved it since.
    path: VaultPath,
}

impl<'a> Inverse<'a> {
    /// Adds what carries a moved note back to its old name, `edit` being the change of its text.
    ///
    /// The outer error is about mem's own record.
    fn carry_back(
        &self,
        draft: &mut GroupDraft<'_, '_>,
        from: &VaultPath,
        edit: Option<&'a RunFile>,
    ) -> Result<Result<(), (VaultPath, KeepReason)>, ChangeError> {
        let to = &self.file.path;
        let edit = edit.map(|file| Self {
            file,
            path: from.clone(),
            ..*self
        });
        // What came to one of the names since, or left it, is another note than the two would show.
        for name in [to, from] {
            if let Some(run) = self.of.since.taken_by(&self.of.key, name) {
                return Ok(Err((name.clone(), KeepReason::ChangedBy(run.clone()))));
            }
        }
        let [current, old] = match (draft.current(to), draft.current(from)) {
            (Ok((_, current)), Ok((_, old))) => [current, old],
            (Err(reason), _) => return Ok(Err((to.clone(), reason.into()))),
            (_, Err(reason)) => return Ok(Err((from.clone(), reason.into()))),
        };
        let current = match (current, old) {
            (Some(_), Some(_)) if !self.is_respelling(from) => {
                return Ok(Err((from.clone(), KeepReason::Occupied)));
            }
            (Some(current), _) => current,
            (None, old) => {
                let now = old.map(|text| ContentHash::of(text.as_bytes()));
                let known = [self.file.after, edit.as_ref().and_then(|e| e.file.before)];
                let is_back = known.into_iter().flatten().any(|i| Some(i.hash) == now);
                if !is_back {
                    return Ok(Err((to.clone(), KeepReason::Missing)));
                }
                let Some(edit) = edit.filter(|_| self.file.after.map(|i| i.hash) == now) else {
                    return Ok(Ok(()));
                };
                let written = draft.rewrite(from, edit.text_before()?);
                return Ok(written.map_err(|reason| (from.clone(), reason.into())));
            }
        };
        let text = match edit {
            None => Some(current),
            Some(_) => self.of.since.without(&self.of.key, to, &current)?,
        };
        let Some(text) = text else {
            return Ok(Err((to.clone(), KeepReason::Edited)));
        };
        let moved = draft.move_to(to, from, text, self.file.made.clone());
        Ok(moved.map_err(|reason| (from.clone(), reason.into())))
    }

    /// Tells whether the old name is another spelling of the new one to the file system.
    fn is_respelling(&self, from: &VaultPath) -> bool {
        let vault = self.of.vault;
        let [from, to] = [from, &self.file.path].map(|path| vault.absolute(path));
        is_same_name(vault.fs(), &from, &to)
    }

    /// Adds what gives the file its old text; the outer error is about mem's own record.
    fn add_to(
        &self,
        draft: &mut GroupDraft<'_, '_>,
    ) -> Result<Result<(), (VaultPath, KeepReason)>, ChangeError> {
        let path = &self.path;
        let current = match draft.current(path) {
            Ok((_, current)) => current,
            Err(reason) => return Ok(Err((path.clone(), reason.into()))),
        };
        let now = current
            .as_deref()
            .map(|text| ContentHash::of(text.as_bytes()));
        let [before, after] = [self.file.before, self.file.after].map(|i| i.map(|i| i.hash));
        let since = self.of.since;
        let is_free = since.changed_by(&self.of.key, &self.file.path).is_none();
        // With others taken back it may read the same without its change being taken back.
        let is_by_hand = || before.is_none() || after.is_none() || !since.left(path, now);
        if now == before && is_free && is_by_hand() {
            return Ok(Ok(()));
        }
        let added = match (before, after) {
            (Some(_), Some(_)) => match current {
                None => Err(KeepReason::Missing),
                Some(current) => match self.of.since.without(&self.of.key, path, &current)? {
                    None => Err(KeepReason::Edited),
                    Some(text) => draft.rewrite(path, text).map_err(KeepReason::from),
                },
            },
            // Others would have nothing left that they could be taken back from.
            _ if !is_free => Err(KeepReason::Edited),
            (None, _) if now != after => Err(KeepReason::Edited),
            (None, _) => {
                let (run, folders) = (&self.of.entry.run, self.file.made.clone());
                let reason = format!("undid `{}` of {}", run.job, run.id);
                let op = FileOp::Trash {
                    reason,
                    keeper: None,
                };
                draft.trash(path, op, folders).map_err(KeepReason::from)
            }
            (Some(_), None) if current.is_some() => Err(KeepReason::Occupied),
            (Some(before), None) => match self.op_of_return(before) {
                Err(kept) => Err(kept),
                Ok((op, mode)) => {
                    let text = self.text_before()?;
                    draft.create(path, op, text, mode).map_err(KeepReason::from)
                }
            },
        };
        Ok(added.map_err(|kept| (path.clone(), kept)))
    }

    fn text_before(&self) -> Result<Arc<str>, ChangeError> {
        let run = &self.of.entry.run.id;
        let missing = || ChangeError::Record {
            run: run.clone(),
            reason: "a text is missing".into(),
        };
        let image = self.file.before.ok_or_else(missing)?;
        Ok(self.of.history.image(run, image)?.into())
    }

    /// Returns how a note that was taken away comes back: out of the trash, or, if that was
    /// emptied, from its image.
    fn op_of_return(&self, before: ContentHash) -> Result<(FileOp, Option<u32>), KeepReason> {
        let (vault, run) = (self.of.vault, &self.of.entry.run.id);
        let kept = trash::location(vault, run, &self.file.path);
        match vault.fs().read(&kept) {
            Ok((bytes, _)) if ContentHash::of(&bytes) == before => {
                Ok((FileOp::Restore { from: run.clone() }, None))
            }
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => {
                Ok((FileOp::Create, self.file.mode))
            }
            _ => Err(KeepReason::TrashChanged),
        }
    }
}

#[cfg(test)]
mod tests;
