//! `mem history`

use jiff::tz::TimeZone;
use serde::Serialize;

use super::history_purge;
use super::lookup::find_run;
use crate::change::history::{FinishedRun, GroupOutcome, History, undone};
use crate::error::{Error, Exit};
use crate::finding::act;
use crate::output::{Form, Style, count};
use crate::session::Environment;

/// List the runs that changed notes, or show one
///
/// Every run that changed a note can be undone with `mem undo RUN`. If runs touched the same text,
/// undo the newest first.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    act: Option<Act>,
    /// The run to show: its id, or an unambiguous prefix
    run: Option<String>,
    /// Only runs of this job
    #[arg(long, value_name = "JOB")]
    job: Option<String>,
    /// List at most N
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    Purge(history_purge::Args),
}

#[derive(Debug, Serialize)]
struct RunRecord {
    run: String,
    at: String,
    job: String,
    command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undone_by: Option<String>,
    groups: Vec<GroupRecord>,
}

#[derive(Debug, Serialize)]
struct GroupRecord {
    title: String,
    reason: String,
    applied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    files: Vec<String>,
}

impl RunRecord {
    /// Says what the run did: the first of its changes and how many more; of what is told anyway, or
    /// was undone, only how many.
    fn summary(&self, is_told_whole: bool) -> String {
        let mut applied = self.groups.iter().filter(|group| group.applied);
        let many = applied.clone().count();
        match applied.next() {
            Some(first) if !is_told_whole && self.undoes.is_none() => {
                let first = act::done(&first.title);
                match many - 1 {
                    0 => first,
                    more => format!("{first} and {}", count(more, "more change")),
                }
            }
            _ => count(many, "change"),
        }
    }
}

/// Lists them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    if let Some(Act::Purge(args)) = &args.act {
        return history_purge::run(env, args);
    }
    let session = env.open()?;
    let history = History::new(session.vault.fs(), &session.homes);
    let output = &env.output;
    let (entries, problems) = history.list()?;
    for (run, why) in problems {
        output.warn(&format!("cannot read the record of run {run}: {why}"));
    }
    let undone = undone(&entries);
    let chosen: Vec<&FinishedRun> = match &args.run {
        Some(run) => {
            let run = find_run(entries.iter().map(|entry| &entry.run.id), run)?;
            let entry = entries.iter().find(|entry| entry.run.id == *run);
            entry.into_iter().collect()
        }
        None => entries
            .iter()
            .filter(|entry| args.job.as_ref().is_none_or(|job| entry.run.job == *job))
            .take(args.limit)
            .collect(),
    };
    let records: Vec<RunRecord> = chosen
        .iter()
        .map(|entry| record(entry, undone.get(&entry.run.id).map(ToString::to_string)))
        .collect();
    if output.form != Form::Human {
        output.records("runs", &records)?;
        return Ok(Exit::found(!chosen.is_empty()));
    }
    for (entry, record) in chosen.iter().zip(&records) {
        let mut line = format!(
            "{}  {}  {}  {}",
            output.paint(Style::Title, &record.run),
            env.local_time(entry.run.at),
            record.job,
            output.clean(&record.summary(args.run.is_some()))
        );
        if let Some(by) = &record.undone_by {
            line.push_str(&output.paint(Style::Faint, &format!("  undone by {by}")));
        }
        if let Some(run) = &record.undoes {
            line.push_str(&output.paint(Style::Faint, &format!("  undoes {run}")));
        }
        output.line(&line)?;
        for group in record.groups.iter().filter(|_| args.run.is_some()) {
            output.line(&format!(
                "  {}{} ({})",
                if group.applied { "" } else { "not done: " },
                output.clean(&group.title),
                output.clean(group.why.as_ref().unwrap_or(&group.reason))
            ))?;
            for file in &group.files {
                output.line(&format!("    {}", output.paint(Style::Place, file)))?;
            }
        }
    }
    if chosen.is_empty() {
        output.say("no changes yet");
    }
    Ok(Exit::found(!chosen.is_empty()))
}

fn record(entry: &FinishedRun, undone_by: Option<String>) -> RunRecord {
    let run = &entry.run;
    let groups = run
        .groups
        .iter()
        .zip(&entry.end.groups)
        .map(|(group, end)| GroupRecord {
            title: group.title.clone(),
            reason: group.reason.clone(),
            applied: *end == GroupOutcome::Applied,
            why: match end {
                GroupOutcome::Applied => None,
                GroupOutcome::Dropped { path, reason } => Some(format!("{path}: {reason}")),
            },
            files: group.notes().map(ToString::to_string).collect(),
        });
    RunRecord {
        run: run.id.to_string(),
        at: run
            .at
            .to_zoned(TimeZone::UTC)
            .strftime("%Y-%m-%dT%H:%M:%SZ")
            .to_string(),
        job: run.job.clone(),
        command: run.command.clone(),
        undoes: run.undoes.as_ref().map(|undoes| undoes.run.to_string()),
        undone_by,
        groups: groups.collect(),
    }
}
