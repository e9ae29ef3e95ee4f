//! Applies a plan, updates the caches, and records the origins of new relations.

use crate::change::history::RecordedOutcome;
use crate::change::history::Run;
use crate::change::recover::RecoveryReport;
use crate::change::{FileOp, RunInfo, apply, trash};
use crate::finding::RelationEdge;
use crate::journal::{EventKind, RelationOrigin, TextHash};
use crate::run::prelude::*;
use crate::session::usage::NoteMove;

/// Applies `plan` and reindexes the changed notes.
pub fn apply(session: &Session, cache: Cache, plan: &Plan) -> Result<RunReport> {
    apply_as(session, cache, plan, &session.env.run_info())
}

/// Applies the plan of a job that started at `began` and examined `processed` notes or pairs.
pub fn apply_of_job(
    session: &Session,
    cache: Cache,
    plan: &Plan,
    processed: usize,
    began: Instant,
) -> Result<RunReport> {
    let info = RunInfo {
        began,
        processed: Some(processed as u64),
        ..session.env.run_info()
    };
    apply_as(session, cache, plan, &info)
}

fn apply_as(session: &Session, cache: Cache, plan: &Plan, info: &RunInfo) -> Result<RunReport> {
    if plan.groups.is_empty() {
        return Ok(RunReport::default());
    }
    let report = write(session, plan, info)?;
    let touched = touched_paths(plan);
    note_own_writes(session, &report, &touched);
    record_plan_origins(session, &cache, plan, &report);
    drop(cache);
    let cache = reindex(session, &touched);
    if let Some(cache) = cache {
        session.note_moves(&cache, &moves(plan, &report));
        session.fold_many_uses(&cache);
    }
    Ok(report)
}

/// Applies `plan` without reindexing; the next command updates the caches.
pub fn apply_unindexed(session: &Session, plan: &Plan) -> Result<RunReport> {
    write(session, plan, &session.env.run_info())
}

fn write(session: &Session, plan: &Plan, info: &RunInfo) -> Result<RunReport> {
    let report = apply::apply(&session.vault, &session.homes, plan, info)?;
    record_recovered(session, &report.recovered);
    warn_of_concurrent_edits(&session.env.output, &report);
    Ok(report)
}

/// Returns the paths that `plan` touches, sorted and without duplicates; a moved note has both
/// paths.
fn touched_paths(plan: &Plan) -> Vec<VaultPath> {
    let changes = plan.groups.iter().flat_map(|group| &group.changes);
    let paths: BTreeSet<_> = changes.flat_map(Change::paths).cloned().collect();
    paths.into_iter().collect()
}

/// Returns the moves, merges and removals of the applied groups of `plan`.
fn moves(plan: &Plan, report: &RunReport) -> Vec<NoteMove> {
    let groups = plan.groups.iter().zip(&report.outcomes);
    let applied = groups.filter(|(_, outcome)| **outcome == Outcome::Applied);
    let changes = applied.flat_map(|(group, _)| &group.changes);
    changes
        .filter_map(|change| match change {
            Change::Move { path, to, .. } => {
                Some((EventKind::Moved, path.clone(), Some(to.clone())))
            }
            Change::Trash { path, keeper, .. } => Some(trash_move(path, keeper.clone())),
            Change::Create { .. } | Change::Edit { .. } => None,
        })
        .collect()
}

/// Returns the record of a trashed note: a merge if there is a keeper.
fn trash_move(path: &VaultPath, keeper: Option<VaultPath>) -> NoteMove {
    match keeper {
        Some(keeper) => (EventKind::Merged, path.clone(), Some(keeper)),
        None => (EventKind::Trashed, path.clone(), None),
    }
}

/// Returns the moves, merges and removals in the files of a run.
pub fn moves_of_run(run: &Run, applied: impl Fn(usize) -> bool) -> Vec<NoteMove> {
    let groups = run.groups.iter().enumerate();
    let applied = groups.filter(|(number, _)| applied(*number));
    let files = applied.flat_map(|(_, group)| &group.files);
    files
        .filter_map(|file| match &file.op {
            FileOp::Arrive { from } => {
                Some((EventKind::Moved, from.clone(), Some(file.path.clone())))
            }
            FileOp::Restore { .. } => Some((EventKind::Returned, file.path.clone(), None)),
            FileOp::Trash { reason, keeper } => {
                let keeper = trash::keeper_of(keeper.as_ref(), reason, &run.job);
                Some(trash_move(&file.path, keeper))
            }
            FileOp::Create | FileOp::Edit | FileOp::Depart { .. } => None,
        })
        .collect()
}

fn warn_of_concurrent_edits(output: &Output, report: &RunReport) {
    for outcome in &report.outcomes {
        let Outcome::Dropped { stuck, .. } = outcome else {
            continue;
        };
        for path in stuck {
            output.warn(&format!(
                "`{path}` was edited concurrently; both changes were kept"
            ));
        }
    }
}

fn note_own_writes(session: &Session, report: &RunReport, touched: &[VaultPath]) {
    let mut written = session.written.borrow_mut();
    written.runs.extend(report.run.clone());
    for path in touched {
        if let Ok(stat) = session.vault.stat(path) {
            written.notes.insert(path.clone(), stat);
        }
    }
}

/// Reindexes changed notes.
///
/// The notes are already written, so a failed update is only a warning.
pub fn reindex(session: &Session, paths: &[VaultPath]) -> Option<Cache> {
    let cache = session.cache();
    match cache.and_then(|cache| session.reindex(cache, paths)) {
        Ok(cache) => {
            session.note_written(&cache, paths);
            Some(cache)
        }
        Err(error) => {
            let (output, why) = (&session.env.output, error.message());
            output.warn(&format!("notes written; index update deferred: {why}"));
            None
        }
    }
}

/// Records the origins of the relations that a run created.
///
/// A failure is only a warning: the notes contain the relations, only weights and reasons are lost.
fn record_plan_origins(session: &Session, cache: &Cache, plan: &Plan, report: &RunReport) {
    match origins(session, cache, plan, report) {
        Ok(origins) => record_origins(session, &origins),
        Err(error) => warn_not_recorded(&session.env, &error),
    }
}

/// Appends the origins of relations to the journal.
pub fn record_origins(session: &Session, origins: &[RelationOrigin]) {
    if origins.is_empty() {
        return;
    }
    let result = session.write_journal(|journal| journal::append(journal, origins));
    if let Err(error) = result {
        warn_not_recorded(&session.env, &error);
    }
}

fn warn_not_recorded(env: &Environment, error: &Error) {
    let why = error.message();
    let words = format!("could not record why the notes are related: {why}");
    env.output.warn(&words);
}

/// Returns the origins of the relations in the applied groups of `plan`.
fn origins(
    session: &Session,
    cache: &Cache,
    plan: &Plan,
    report: &RunReport,
) -> Result<Vec<RelationOrigin>> {
    let groups = plan.groups.iter().zip(&report.outcomes);
    let applied = groups.filter(|(_, outcome)| **outcome == Outcome::Applied);
    let stated: Vec<(&Group, &RelationEdge)> = applied
        .flat_map(|(group, _)| group.edges.iter().map(move |edge| (group, edge)))
        .collect();
    let Some(run) = report.run.as_ref().filter(|_| !stated.is_empty()) else {
        return Ok(Vec::new());
    };
    let view = session.view(cache)?;
    let body = |path: &VaultPath| -> Result<TextHash, CacheError> {
        Ok(TextHash(view.at(path)?.map_or(0, |entry| entry.row.body)))
    };
    let origins = stated.into_iter().map(|(group, edge)| {
        Ok(RelationOrigin {
            from: edge.from.to_string(),
            relation: edge.relation,
            to: edge.to.to_string(),
            weight: (edge.weight * 1000.0).round() / 1000.0,
            reason: group.reason.clone(),
            by: plan.job.clone(),
            at: session.env.now.timestamp(),
            run: run.to_string(),
            bodies: [body(&edge.from)?, body(&edge.to)?],
        })
    });
    origins.collect()
}

/// Reports recovered runs and records the notes they moved.
pub fn record_recovered(session: &Session, recovered: &[RecoveryReport]) {
    let history = History::new(session.vault.fs(), &session.homes);
    for one in recovered {
        report_recovered(&session.env.output, one);
        let is_done = |number: usize| one.groups.get(number) == Some(&RecordedOutcome::Applied);
        // A run that cannot be read has just been reported.
        if let Ok(done) = history.load(&one.run) {
            session.note_moved(&moves_of_run(&done.run, is_done));
        }
    }
}

fn report_recovered(output: &Output, recovered: &RecoveryReport) {
    let RecoveryReport { run, groups, .. } = recovered;
    if let Some(problem) = &recovered.problem {
        output.warn(&format!(
            "interrupted run {run} cannot be recovered: {problem}"
        ));
        return;
    }
    let finished = groups.iter().filter(|it| **it == RecordedOutcome::Applied);
    let (finished, changes) = (finished.count(), count(groups.len(), "change"));
    output.say(&format!(
        "recovered interrupted run {run}: {finished} of {changes} completed, the rest rolled back"
    ));
    for path in &recovered.left_alone {
        output.warn(&format!(
            "`{path}` was edited since the interruption and left unchanged"
        ));
    }
}
