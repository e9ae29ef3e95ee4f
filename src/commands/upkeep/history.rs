//! `mem history`

use std::collections::HashSet;

use jiff::tz::TimeZone;
use serde::Serialize;

use super::history_purge;
use crate::change::file_op::FileOp;
use crate::change::history::{FinishedRun, GroupOutcome, History};
use crate::change::timeline::Timeline;
use crate::commands::args::note_lookup::noted;
use crate::commands::args::row_args::RowArgs;
use crate::commands::args::run_name;
use crate::commands::args::run_name::find_run;
use crate::error::{Error, Exit};
use crate::jobs::JOBS;
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
    "processed",
    "duration_seconds",
    "undoes",
    "undone_by",
    "changes",
    "standing",
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
    /// Notes or pairs that its job looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    processed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    /// The last undo by which none of its changes stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    undone_by: Option<String>,
    /// How many changes it made, and how many of them are not undone.
    changes: usize,
    standing: usize,
    groups: Vec<GroupRecord>,
}

#[derive(Debug, Serialize)]
struct GroupRecord {
    title: String,
    reason: String,
    applied: bool,
    /// Whether it was applied and is not undone.
    stands: bool,
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
    let timeline = Timeline::new(&history, &entries);
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
            ..record(entry, &timeline)
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
            let mark = match (&record.undone_by, record.standing) {
                (Some(_), _) => String::from(" (undone)"),
                (None, standing) if standing < record.changes => {
                    format!(" (undone but for {})", count(standing, "change"))
                }
                (None, _) => String::new(),
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
    let mut line = format!(
        "{}{GAP}{at}{GAP}{}{GAP}{}",
        output.paint(Style::Title, &record.run),
        record.job,
        count(record.changes, "change"),
    );
    if let Some(by) = &record.undone_by {
        line.push_str(&output.paint(Style::Faint, &format!("  undone by {by}")));
    } else if record.standing < record.changes {
        let undone = format!("  {} undone", record.changes - record.standing);
        line.push_str(&output.paint(Style::Faint, &undone));
    }
    if let Some(run) = &record.undoes {
        line.push_str(&output.paint(Style::Faint, &format!("  undoes {run}")));
    }
    output.line(&line)?;
    output.line(&format!("  {}", output.clean(&record.command)))?;
    if let (Some(processed), Some(seconds)) = (record.processed, record.duration_seconds) {
        let (noun, verb) = JOBS
            .iter()
            .find(|job| job.name == record.job)
            .map_or(("note", "checked"), |job| job.looks);
        let processed = count(processed as usize, noun);
        output.line(&format!("  {processed} {verb} in {seconds:.1} s"))?;
    }
    for group in &record.groups {
        output.line(&format!(
            "  {}{} ({})",
            match (group.applied, group.stands) {
                (false, _) => "not done: ",
                (true, false) if record.undone_by.is_none() => "undone: ",
                _ => "",
            },
            output.clean(&group.title),
            output.clean(group.why.as_ref().unwrap_or(&group.reason))
        ))?;
        for file in &group.files {
            output.line(&format!("    {}", output.place(file)))?;
        }
    }
    Ok(())
}

/// Returns the record of a run, with what of it stands.
fn record(entry: &FinishedRun, timeline: &Timeline<'_>) -> RunRecord {
    let run = &entry.run;
    let stands: HashSet<usize> = entry
        .applied()
        .map(|(number, _)| number)
        .filter(|number| timeline.is_in_effect(&(run.id.clone(), *number)))
        .collect();
    let groups = run.groups.iter().zip(&entry.end.groups).enumerate();
    let groups = groups.map(|(number, (group, end))| GroupRecord {
        title: group.title.clone(),
        reason: group.reason.clone(),
        applied: *end == GroupOutcome::Applied,
        stands: stands.contains(&number),
        why: match end {
            GroupOutcome::Applied => None,
            GroupOutcome::Dropped { path, reason } => Some(format!("{path}: {reason}")),
        },
        files: group.notes().map(ToString::to_string).collect(),
    });
    let undone_by = entry
        .applied()
        .filter_map(|(number, _)| timeline.taken_back_by(&(run.id.clone(), number)))
        .max()
        .filter(|_| stands.is_empty());
    RunRecord {
        run: run.id.to_string(),
        at: run
            .at
            .to_zoned(TimeZone::UTC)
            .strftime("%Y-%m-%dT%H:%M:%SZ")
            .to_string(),
        job: run.job.clone(),
        command: run.command.clone(),
        processed: entry.end.processed,
        duration_seconds: entry.end.duration_ms.map(|millis| millis as f64 / 1000.0),
        undoes: run.undoes.as_ref().map(|undoes| undoes.run.to_string()),
        undone_by: undone_by.map(ToString::to_string),
        changes: entry.applied().count(),
        standing: stands.len(),
        short: String::new(),
        what: String::new(),
        notes: run_name::notes(entry).len(),
        groups: groups.collect(),
    }
}
