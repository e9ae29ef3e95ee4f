//! How a plan, what waits for an answer and what became of it are shown.

use std::collections::HashSet;

use serde::Serialize;

use crate::change::Outcome;
use crate::change::RunInfo;
use crate::change::apply::{RunReport, apply};
use crate::change::compile::{Act, Compiled, FileWrite, Ready, preview};
use crate::change::recover::{Recovered, Settled};
use crate::error::Error;
use crate::invocation::{Invocation, Workplace};
use crate::note::path::VaultPath;
use crate::output::{Output, Style, count, diff};
use crate::run::job::{Planned, touched};
use crate::view::plan::{Change, Group, Plan, Proposal};
use crate::view::question::{Answer, Kind, QuestionKey};

/// A group of changes in a JSON record.
#[derive(Debug, Serialize)]
pub(super) struct GroupRecord {
    pub(super) title: String,
    pub(super) reason: String,
    /// `planned`, `applied`, `unchanged` or `dropped`.
    pub(super) outcome: &'static str,
    /// Why it was dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    pub(super) files: Vec<String>,
    /// How the files change, as a unified diff; only in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diff: Option<String>,
}

impl GroupRecord {
    fn new(
        group: &Group,
        outcome: &'static str,
        why: Option<String>,
        diff: Option<String>,
    ) -> Self {
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
    pub(super) answers: [Answer; 2],
    pub(super) diff: String,
}

/// Returns the record of an open question.
pub(super) fn question(place: &Workplace, proposal: &Proposal) -> QuestionRecord {
    QuestionRecord {
        id: proposal.key,
        kind: proposal.kind,
        question: proposal.group.title.clone(),
        reason: proposal.group.reason.clone(),
        certain: proposal.certain,
        notes: proposal.notes.iter().map(ToString::to_string).collect(),
        answers: [Answer::Yes, Answer::No],
        diff: diff_of(place, &proposal.group),
    }
}

/// Returns how one group changes its files, as a unified diff.
pub(super) fn diff_of(place: &Workplace, group: &Group) -> String {
    let plan = Plan {
        job: String::new(),
        groups: vec![group.clone()],
    };
    preview(&place.vault, &plan)
        .iter()
        .map(compiled_diff)
        .collect()
}

fn compiled_diff(compiled: &Compiled) -> String {
    match compiled {
        Compiled::Ready(ready) => diff_of_ready(ready),
        Compiled::Unchanged | Compiled::Dropped { .. } => String::new(),
    }
}

/// Returns how a compiled group changes its files, as a unified diff; a move as git writes one.
pub(super) fn diff_of_ready(ready: &Ready) -> String {
    let departs = |write: &&FileWrite| matches!(write.act, Act::Depart { .. });
    let departures = ready.writes.iter().filter(departs);
    let departed: HashSet<&VaultPath> = departures.map(|write| &write.path).collect();
    let diff = |write: &FileWrite| match &write.act {
        Act::Depart { .. } => String::new(),
        Act::Edit if departed.contains(&write.path) => String::new(),
        Act::Arrive { from } => {
            let is_edit = |edit: &&FileWrite| edit.path == *from && edit.act == Act::Edit;
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
pub(super) fn take_in(invocation: &Invocation, place: &Workplace, paths: &[VaultPath]) {
    let taken = invocation
        .cache(place)
        .and_then(|cache| invocation.take_in(place, cache, paths));
    if let Err(error) = taken {
        invocation.output.warn(&format!(
            "the notes are written; the index follows later: {}",
            error.message()
        ));
    }
}

/// Returns the records of a plan that is only shown.
pub(super) fn planned(place: &Workplace, plan: &Plan) -> Vec<GroupRecord> {
    preview(&place.vault, plan)
        .iter()
        .zip(&plan.groups)
        .map(|(compiled, group)| {
            let (outcome, why) = match compiled {
                Compiled::Ready(_) => ("planned", None),
                Compiled::Unchanged => ("unchanged", None),
                Compiled::Dropped { path, why } => ("dropped", Some(format!("{path}: {why}"))),
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
                Outcome::Applied => ("applied", None),
                Outcome::Unchanged => ("unchanged", None),
                Outcome::Dropped { path, why, .. } => ("dropped", Some(format!("{path}: {why}"))),
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
            "planned" => format!("would {title}"),
            "applied" => format!("did {title}"),
            other => format!("{other}: {title}"),
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

/// Shows what waits for an answer, a line each.
pub(super) fn show_waiting(output: &Output, waiting: &[Proposal]) -> Result<(), Error> {
    for proposal in waiting {
        let id = &proposal.key.to_string()[..8];
        output.line(&format!(
            "{} {}? ({})",
            output.paint(Style::Faint, id),
            output.clean(&proposal.group.title),
            output.clean(&proposal.group.reason)
        ))?;
    }
    Ok(())
}

/// Carries out a plan and takes what it changed into the caches.
pub(super) fn carry_out(
    invocation: &Invocation,
    place: &Workplace,
    cache: crate::cache::Cache,
    plan: &Plan,
) -> Result<RunReport, Error> {
    if plan.groups.is_empty() {
        return Ok(RunReport::default());
    }
    let info: RunInfo = invocation.run_info();
    let report = apply(&place.vault, &place.homes, plan, &info)?;
    for recovered in &report.recovered {
        say_recovered(&invocation.output, recovered);
    }
    for outcome in &report.outcomes {
        if let Outcome::Dropped { stuck, .. } = outcome {
            for path in stuck {
                invocation.output.warn(&format!(
                    "`{path}` was saved by somebody while it was changed; it holds both changes"
                ));
            }
        }
    }
    drop(cache);
    take_in(invocation, place, &touched(plan));
    Ok(report)
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
        .filter(|group| **group == Settled::Finished)
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

/// Says what could not be looked at, and how to undo what was done.
pub(super) fn say_ends(output: &Output, planned: &Planned, report: Option<&RunReport>) {
    for skipped in &planned.skipped {
        output.warn(&format!("left out {skipped}"));
    }
    if let Some(run) = report.and_then(|report| report.run.as_ref()) {
        output.hint(&format!("`mem undo {run}` takes it back"));
    }
    let waiting = planned.decided.waiting.len();
    if waiting > 0 {
        output.hint(&format!(
            "`mem review` answers {}",
            count(waiting, "open question")
        ));
    }
}
