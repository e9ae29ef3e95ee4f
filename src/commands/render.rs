//! How a plan, what waits for an answer and what became of it are shown.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::cache::CacheError;
use crate::change::Outcome;
use crate::change::RunInfo;
use crate::change::acts::{self, ActError};
use crate::change::apply::{RunReport, apply};
use crate::change::compile::{Compiled, preview};
use crate::change::file_op::{CompiledGroup, FileOp, FileWrite};
use crate::change::recover::{Recovered, Resolution};
use crate::error::Error;
use crate::finding::Finding;
use crate::finding::plan::{Change, Edge, Group, Plan};
use crate::finding::question::{Answer, Kind, QuestionKey};
use crate::journal::provenance::{self, BodyHash, Origin};
use crate::note::path::VaultPath;
use crate::output::{Output, Style, count, diff};
use crate::run::job::touched;
use crate::session::{Environment, Session};
use crate::view::View;

/// What became of a group of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum End {
    /// It would be done.
    Planned,
    /// It was done.
    Applied,
    /// There was nothing to do.
    Unchanged,
    /// It was not done.
    Dropped,
}

impl End {
    /// Returns its name in records.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Applied => "applied",
            Self::Unchanged => "unchanged",
            Self::Dropped => "dropped",
        }
    }
}

/// A group of changes in a JSON record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GroupRecord {
    pub(super) title: String,
    pub(super) reason: String,
    /// What became of it.
    pub(super) outcome: End,
    /// Why it was dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    pub(super) files: Vec<String>,
    /// How the files change, as a unified diff; only in a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) diff: Option<String>,
}

impl GroupRecord {
    fn new(group: &Group, outcome: End, why: Option<String>, diff: Option<String>) -> Self {
        let paths = group.changes.iter().flat_map(Change::paths);
        Self {
            title: group.title.clone(),
            reason: group.reason.clone(),
            outcome,
            why,
            files: paths.map(ToString::to_string).collect(),
            diff,
        }
    }
}

/// An open question in a JSON record.
#[derive(Debug, Serialize)]
pub(super) struct QuestionRecord {
    pub(super) id: QuestionKey,
    pub(super) kind: Kind,
    pub(super) question: String,
    pub(super) reason: String,
    /// True if rules alone would do it, were it allowed unattended.
    pub(super) certain: bool,
    pub(super) notes: Vec<String>,
    /// How strong or how likely, 0–1.
    pub(super) weight: f32,
    pub(super) answers: &'static [Answer],
    pub(super) diff: String,
}

/// Returns the records of open questions; one whose changes cannot be worked out has no diff.
pub(super) fn questions(
    session: &Session,
    view: &View<'_>,
    findings: &[Finding],
) -> Result<Vec<QuestionRecord>, CacheError> {
    let findings = findings.iter();
    findings
        .map(|finding| question(session, view, finding))
        .collect()
}

/// Returns the record of an open question.
pub(super) fn question(
    session: &Session,
    view: &View<'_>,
    finding: &Finding,
) -> Result<QuestionRecord, CacheError> {
    let diff = match acts::group(view, finding, Answer::Yes) {
        Ok(group) => diff_of(session, &group),
        Err(ActError::Cache(error)) => return Err(error),
        Err(_) => String::new(),
    };
    Ok(QuestionRecord {
        id: finding.key,
        kind: finding.kind(),
        question: finding.title(),
        reason: finding.reason.clone(),
        certain: finding.certain,
        notes: finding.notes.iter().map(ToString::to_string).collect(),
        weight: (finding.weight * 1000.0).round() / 1000.0,
        answers: finding.kind().answers(),
        diff,
    })
}

/// Returns how one group changes its files, as a unified diff.
pub(super) fn diff_of(session: &Session, group: &Group) -> String {
    let plan = Plan {
        job: String::new(),
        groups: vec![group.clone()],
    };
    preview(&session.vault, &plan)
        .iter()
        .map(compiled_diff)
        .collect()
}

/// Returns what the note at `path` says after `group`; `None` if the group does not change it.
pub(super) fn text_after(session: &Session, group: &Group, path: &VaultPath) -> Option<String> {
    let plan = Plan {
        job: String::new(),
        groups: vec![group.clone()],
    };
    let compiled = preview(&session.vault, &plan).into_iter().next()?;
    let Compiled::Ready(ready) = compiled else {
        return None;
    };
    let write = ready.writes.iter().find(|write| write.path == *path)?;
    write.after.as_deref().map(str::to_owned)
}

fn compiled_diff(compiled: &Compiled) -> String {
    match compiled {
        Compiled::Ready(ready) => diff_of_group(ready),
        Compiled::Unchanged | Compiled::Dropped { .. } => String::new(),
    }
}

/// Returns how a compiled group changes its files, as a unified diff; a move as git writes one.
pub(super) fn diff_of_group(ready: &CompiledGroup) -> String {
    let departs = |write: &&FileWrite| matches!(write.op, FileOp::Depart { .. });
    let departures = ready.writes.iter().filter(departs);
    let departed: HashSet<&VaultPath> = departures.map(|write| &write.path).collect();
    let diff = |write: &FileWrite| match &write.op {
        FileOp::Depart { .. } => String::new(),
        FileOp::Edit if departed.contains(&write.path) => String::new(),
        FileOp::Arrive { from } => {
            let is_edit = |edit: &&FileWrite| edit.path == *from && edit.op == FileOp::Edit;
            let edit = ready.writes.iter().find(is_edit);
            let after = write.after.as_deref();
            let before = edit.map_or(after, |edit| edit.before.as_deref());
            diff::renamed(from.as_str(), write.path.as_str(), before, after)
        }
        _ => diff::unified(
            write.path.as_str(),
            write.before.as_deref(),
            write.after.as_deref(),
        ),
    };
    ready.writes.iter().map(diff).collect()
}

/// Takes changed notes into the caches as they are now.
///
/// The notes are written already: that the caches did not follow is worth a word, no failure.
pub(super) fn take_in(session: &Session, paths: &[VaultPath]) {
    let taken = session
        .cache()
        .and_then(|cache| session.take_in(cache, paths));
    if let Err(error) = taken {
        session.env.output.warn(&format!(
            "the notes are written; the index follows later: {}",
            error.message()
        ));
    }
}

/// Returns the records of a plan that is only shown.
pub(super) fn planned(session: &Session, plan: &Plan) -> Vec<GroupRecord> {
    preview(&session.vault, plan)
        .iter()
        .zip(&plan.groups)
        .map(|(compiled, group)| {
            let (outcome, why) = match compiled {
                Compiled::Ready(_) => (End::Planned, None),
                Compiled::Unchanged => (End::Unchanged, None),
                Compiled::Dropped { path, why } => (End::Dropped, Some(format!("{path}: {why}"))),
            };
            let diff = Some(compiled_diff(compiled));
            GroupRecord::new(group, outcome, why, diff)
        })
        .collect()
}

/// Returns the records of a plan that was carried out.
pub(super) fn carried_out(plan: &Plan, report: &RunReport) -> Vec<GroupRecord> {
    plan.groups
        .iter()
        .zip(&report.outcomes)
        .map(|(group, outcome)| {
            let (outcome, why) = match outcome {
                Outcome::Applied => (End::Applied, None),
                Outcome::Unchanged => (End::Unchanged, None),
                Outcome::Dropped { path, why, .. } => {
                    (End::Dropped, Some(format!("{path}: {why}")))
                }
            };
            GroupRecord::new(group, outcome, why, None)
        })
        .collect()
}

/// Shows groups to a person, with their diffs where they have some.
pub(super) fn show_groups(output: &Output, groups: &[GroupRecord]) -> Result<(), Error> {
    for group in groups {
        let title = output.paint(Style::Title, &group.title);
        output.line(&match group.outcome {
            End::Planned => format!("would {title}"),
            End::Applied => format!("did {title}"),
            other => format!("{}: {title}", other.name()),
        })?;
        output.line(&format!("  because: {}", output.clean(&group.reason)))?;
        if let Some(why) = &group.why {
            output.line(&format!("  dropped: {}", output.clean(why)))?;
        }
        if let Some(diff) = &group.diff {
            diff::print(output, diff)?;
        }
    }
    Ok(())
}

/// Shows the first `limit` of what waits for an answer, a line each.
pub(super) fn show_waiting(
    output: &Output,
    waiting: &[Finding],
    limit: usize,
) -> Result<(), Error> {
    for finding in waiting.iter().take(limit) {
        let id = &finding.key.to_string()[..8];
        output.line(&format!(
            "{} {}? ({})",
            output.paint(Style::Faint, id),
            output.clean(&finding.title()),
            output.clean(&finding.reason)
        ))?;
    }
    if waiting.len() > limit {
        output.line(&format!("... and {} more", waiting.len() - limit))?;
    }
    Ok(())
}

/// Carries out a plan and takes what it changed into the caches.
pub(super) fn carry_out(
    session: &Session,
    cache: crate::cache::Cache,
    plan: &Plan,
) -> Result<RunReport, Error> {
    if plan.groups.is_empty() {
        return Ok(RunReport::default());
    }
    let info: RunInfo = session.env.run_info();
    let report = apply(&session.vault, &session.homes, plan, &info)?;
    for recovered in &report.recovered {
        say_recovered(&session.env.output, recovered);
    }
    for outcome in &report.outcomes {
        if let Outcome::Dropped { stuck, .. } = outcome {
            for path in stuck {
                session.env.output.warn(&format!(
                    "`{path}` was saved by somebody while it was changed; it holds both changes"
                ));
            }
        }
    }
    let touched = touched(plan);
    let mut written = session.written.borrow_mut();
    written.runs.extend(report.run.clone());
    for path in &touched {
        if let Ok(stat) = session.vault.stat(path) {
            written.notes.insert(path.clone(), stat);
        }
    }
    drop(written);
    keep_origins(session, &cache, plan, &report);
    drop(cache);
    take_in(session, &touched);
    Ok(report)
}

/// Keeps where the relations come from that a run stated.
///
/// The notes state them already: what is lost without it is only how strong they are and why.
fn keep_origins(session: &Session, cache: &crate::cache::Cache, plan: &Plan, report: &RunReport) {
    match origins(session, cache, plan, report) {
        Ok(origins) => keep(session, &origins),
        Err(error) => not_kept(&session.env, &error),
    }
}

/// Keeps where relations come from.
pub(super) fn keep(session: &Session, origins: &[Origin]) {
    if origins.is_empty() {
        return;
    }
    let device = session.env.device();
    let kept = device.and_then(|device| {
        let journal = session.own_folder(&format!("journal/{}", device.name()))?;
        provenance::append(&journal, origins)
            .map_err(|error| Error::io("write to", &journal, &error))
    });
    if let Err(error) = kept {
        not_kept(&session.env, &error);
    }
}

fn not_kept(env: &Environment, error: &Error) {
    env.output.warn(&format!(
        "why the notes are related was not kept: {}",
        error.message()
    ));
}

/// Returns where the relations come from that the groups of `plan` stated which were applied.
fn origins(
    session: &Session,
    cache: &crate::cache::Cache,
    plan: &Plan,
    report: &RunReport,
) -> Result<Vec<Origin>, Error> {
    let groups = plan.groups.iter().zip(&report.outcomes);
    let applied = groups.filter(|(_, outcome)| **outcome == Outcome::Applied);
    let stated: Vec<(&Group, &Edge)> = applied
        .flat_map(|(group, _)| group.edges.iter().map(move |edge| (group, edge)))
        .collect();
    let Some(run) = report.run.as_ref().filter(|_| !stated.is_empty()) else {
        return Ok(Vec::new());
    };
    let view = session.view(cache)?;
    let body = |path: &VaultPath| -> Result<BodyHash, CacheError> {
        Ok(BodyHash(view.at(path)?.map_or(0, |entry| entry.row.body)))
    };
    let origins = stated.into_iter().map(|(group, edge)| {
        Ok(Origin {
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

/// Says what an interrupted run came to.
pub(super) fn say_recovered(output: &Output, recovered: &Recovered) {
    let Recovered {
        run,
        groups,
        left_alone,
        problem,
    } = recovered;
    if let Some(problem) = problem {
        output.warn(&format!(
            "run {run} was interrupted and cannot be settled: {problem}"
        ));
        return;
    }
    let finished = groups
        .iter()
        .filter(|group| **group == Resolution::RolledForward)
        .count();
    output.say(&format!(
        "run {run} was interrupted: {finished} of {} done, the rest taken back",
        count(groups.len(), "change")
    ));
    for path in left_alone {
        output.warn(&format!(
            "`{path}` was edited since the interruption and left as it is"
        ));
    }
}
