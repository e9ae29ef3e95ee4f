//! Undoes a run: notes, answers and index.

use crate::change::history::RunGroup;
use crate::change::undo::{UndoReport, undo};
use crate::change::{UndoTarget, UndoVerdict};
use crate::journal::decisions::{REVIEW, UNDO};
use crate::run::plan::apply::{moves_of_run, record_recovered, reindex};
use crate::run::prelude::*;

/// Undoes a run of the history in `source`, or its changes to `note`.
pub fn undo_run(
    session: &Session,
    source: &Homes,
    target: &UndoTarget,
    note: Option<&VaultPath>,
) -> Result<UndoReport> {
    let info = session.env.run_info();
    let homes = [&session.homes, source];
    let report = undo(&session.vault, homes, target, note, &info)?;
    record_recovered(session, &report.recovered);
    if let (true, Some(last)) = (report.of.is_empty(), report.recovered.last()) {
        let title = &last.title;
        let done = if last.is_rolled_back() {
            "rolled back the interrupted run"
        } else {
            "completed the interrupted undo"
        };
        let words = format!("{done} ({title}); no other run was undone");
        let hint = |run: &RunId| format!("undo the run before it with `mem undo {}`", run.short());
        let error = Error::new(words);
        return Err(report.before.iter().map(hint).fold(error, Error::hint));
    }
    // Record decisions before updating caches, which can be rebuilt.
    remember_answers(session, source, &report)?;
    if let Some(run) = &report.run {
        let done = History::new(session.vault.fs(), &session.homes).load(run)?;
        let applied: HashSet<usize> = done.applied().map(|(number, _)| number).collect();
        if let Some(cache) = reindex(session, &touched(&done)) {
            let moves = moves_of_run(&done.run, |number| applied.contains(&number));
            session.note_moves(&cache, &moves);
        }
    }
    Ok(report)
}

/// Records answers for undone changes. Unattended changes count as rejected, so no job repeats
/// them. Answered
/// questions are reopened. A redo counts as a yes.
fn remember_answers(session: &Session, source: &Homes, report: &UndoReport) -> Result<()> {
    let answer = if report.is_redo {
        Some(Answer::Yes)
    } else if was_answered(session, source, &report.of[0])? {
        None
    } else {
        Some(Answer::No)
    };
    let groups = report.groups.iter();
    let undone = groups.filter(|group| group.verdict == UndoVerdict::Undone);
    let decided: Vec<Decision> = undone
        .filter_map(|group| {
            Some(Decision {
                key: group.question?,
                kind: group.question?.kind(),
                answer,
                at: session.env.now.timestamp(),
                by: UNDO.to_owned(),
                about: group.notes.iter().map(ToString::to_string).collect(),
                features: BTreeMap::new(),
            })
        })
        .collect();
    if decided.is_empty() {
        return Ok(());
    }
    session.write_journal(|journal| journal::append(journal, &decided))
}

/// Whether the changes of `run` were answers of a review.
fn was_answered(session: &Session, source: &Homes, run: &RunId) -> Result<bool> {
    let entry = History::new(session.vault.fs(), source).load(run)?;
    Ok(entry.run.job == REVIEW)
}

/// Returns the notes that a run changed.
fn touched(entry: &FinishedRun) -> Vec<VaultPath> {
    let notes = entry.run.groups.iter().flat_map(RunGroup::notes);
    notes
        .cloned()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}
