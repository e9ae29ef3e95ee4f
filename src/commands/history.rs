//! `mem history`

use jiff::tz::TimeZone;
use serde::Serialize;

use super::history_purge;
use super::note_lookup::noted;
use super::row_args::RowArgs;
use super::run_name::{self, find_run};
use crate::change::file_op::FileOp;
use crate::change::history::{FinishedRun, GroupOutcome, History, left_of, undone};
use crate::error::{Error, Exit};
use crate::note::path::VaultPath;
use crate::output::columns::{Cut, GAP, cut, fill, width};
use crate::output::terminal::Terminal;
use crate::output::{Form, Output, Style, count, time_ago};
use crate::session::Environment;

/// List the runs that changed notes, or show one
///
/// Every run that changed a note can be undone with `mem undo RUN`. If runs touched the same text, undo the newest
/// first. A run is named by its short id, its id or the beginning of its id.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// The run to show
    run: Option<String>,
    /// Only runs of this job
    #[arg(long, value_name = "JOB")]
    job: Option<String>,
    /// Only runs that changed this note, under whatever name it had
    #[arg(long, value_name = "NOTE")]
    note: Option<String>,
    /// List at most N
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    rows: RowArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Purge(history_purge::Args),
}

/// All keys of a [`RunRecord`].
const KEYS: &[&str] = &[
    "run",
    "short",
    "at",
    "job",
    "what",
    "notes",
    "command",
    "undoes",
    "undone_by",
    "left",
    "groups",
];

#[derive(Debug, Serialize)]
struct RunRecord {
    run: String,
    /// The end of its id that means no other run.
    short: String,
    at: String,
    job: String,
    /// What it did, as a person is told.
    what: String,
    /// How many notes it changed.
    notes: usize,
    command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undone_by: Option<String>,
    /// How many of its changes that undo left, if not all could be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<usize>,
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

/// Lists them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    if let Some(Action::Purge(args)) = &args.action {
        return history_purge::run(env, args);
    }
    let env = &args.rows.environment(env, &[KEYS])?;
    let session = env.open()?;
    let history = History::new(session.vault.fs(), &session.homes);
    let output = &env.output;
    env.page(&session.settings)?;
    let (entries, problems) = history.list()?;
    for (run, why) in problems {
        output.warn(&format!("cannot read the record of run {run}: {why}"));
    }
    let undone = undone(&entries);
    let chosen: Vec<&FinishedRun> = if let Some(run) = &args.run {
        let run = find_run(entries.iter().map(|entry| &entry.run.id), run)?;
        let entry = entries.iter().find(|entry| entry.run.id == *run);
        entry.into_iter().collect()
    } else {
        let note = args.note.as_ref();
        let mut note = note.map(|name| noted(&session, name)).transpose()?;
        let touches = |entry: &&FinishedRun| note.as_mut().is_none_or(|note| follow(note, entry));
        let is_of_job =
            |entry: &&FinishedRun| args.job.as_ref().is_none_or(|job| entry.run.job == *job);
        let chosen = entries.iter().filter(touches).filter(is_of_job);
        chosen.take(args.limit).collect()
    };
    let records: Vec<RunRecord> = chosen
        .iter()
        .map(|entry| RunRecord {
            short: entry.run.id.short().to_owned(),
            what: run_name::what(entry, &history),
            undone_by: undone.get(&entry.run.id).map(ToString::to_string),
            left: undone.get(&entry.run.id).and_then(|_| {
                let left = left_of(entry, &entries);
                (left > 0).then_some(left)
            }),
            ..record(entry)
        })
        .collect();
    if output.form != Form::Human {
        output.records("runs", &records)?;
        return Ok(Exit::found(!chosen.is_empty()));
    }
    if args.run.is_some() {
        records.iter().try_for_each(|record| whole(env, record))?;
    } else {
        let lines = chosen.iter().zip(&records).map(|(entry, record)| {
            let mark = match (&record.undone_by, record.left) {
                (None, _) => String::new(),
                (Some(_), None) => " (undone)".to_owned(),
                (Some(_), Some(left)) => format!(" (undone but for {})", count(left, "change")),
            };
            [
                record.short.clone(),
                time_ago(entry.run.at, &env.now),
                format!("{}{mark}", record.what),
            ]
        });
        lined_up(output, &lines.collect::<Vec<_>>())?;
    }
    if chosen.is_empty() {
        match &args.job {
            Some(job) => {
                output.say(&format!("no runs of the job `{job}`"));
                output.hint("`mem history` lists all");
            }
            None => output.say("no changes yet"),
        }
    }
    Ok(Exit::found(!chosen.is_empty()))
}

/// Returns whether a run changed the note that was called `note` behind it, which becomes what it was called
/// before.
fn follow(note: &mut VaultPath, entry: &FinishedRun) -> bool {
    let mut changed = false;
    for (_, group) in entry.applied() {
        let mut was = None;
        for file in group.files.iter().filter(|file| file.path == *note) {
            changed = true;
            if let FileOp::Arrive { from } = &file.op {
                was = Some(from.clone());
            }
        }
        *note = was.unwrap_or_else(|| note.clone());
    }
    changed
}

/// Tells of runs, a line each; on a terminal a line is a row.
fn lined_up(output: &Output, lines: &[[String; 3]]) -> Result<(), Error> {
    let widest = |column: usize| lines.iter().map(|line| width(&line[column])).max();
    let [ids, times] = [0, 1].map(|column| widest(column).unwrap_or(0));
    let [screen, _] = Terminal::size();
    let room = screen.saturating_sub(ids + times + 2 * GAP.len());
    for [id, when, what] in lines {
        let what = output.clean(what);
        output.line(&format!(
            "{}{}{GAP}{when}{}{GAP}{}",
            output.paint(Style::Title, id),
            fill(id, ids),
            fill(when, times),
            if output.stdout_is_terminal {
                cut(&what, room, Cut::End)
            } else {
                what
            }
        ))?;
    }
    Ok(())
}

/// Tells all of a run.
fn whole(env: &Environment, record: &RunRecord) -> Result<(), Error> {
    let output = &env.output;
    let at = record
        .at
        .parse()
        .map_or_else(|_| record.at.clone(), |at| env.local_time(at));
    let applied = record.groups.iter().filter(|group| group.applied).count();
    let mut line = format!(
        "{}{GAP}{at}{GAP}{}{GAP}{}",
        output.paint(Style::Title, &record.run),
        record.job,
        count(applied, "change"),
    );
    if let Some(by) = &record.undone_by {
        line.push_str(&output.paint(Style::Faint, &format!("  undone by {by}")));
    }
    if let Some(run) = &record.undoes {
        line.push_str(&output.paint(Style::Faint, &format!("  undoes {run}")));
    }
    output.line(&line)?;
    output.line(&format!("  {}", output.clean(&record.command)))?;
    for group in &record.groups {
        output.line(&format!(
            "  {}{} ({})",
            if group.applied { "" } else { "not done: " },
            output.clean(&group.title),
            output.clean(group.why.as_ref().unwrap_or(&group.reason))
        ))?;
        for file in &group.files {
            output.line(&format!("    {}", output.place(file)))?;
        }
    }
    Ok(())
}

/// Returns what the run's own record says.
fn record(entry: &FinishedRun) -> RunRecord {
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
        undone_by: None,
        left: None,
        short: String::new(),
        what: String::new(),
        notes: run_name::notes(entry).len(),
        groups: groups.collect(),
    }
}
