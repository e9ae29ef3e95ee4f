//! `mem history`

use super::history_purge;
use crate::commands::args::note_lookup::noted;
use crate::commands::args::row_args::RowArgs;
use crate::error::{Error, Exit};
use crate::jobs::JOBS;
use crate::output::columns::{Cut, GAP, cut, fill, width};
use crate::output::terminal::Terminal;
use crate::output::{Form, Output, Style, count, time_ago};
use crate::run::history::{RunFilter, RunRecord};
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
    /// List at most N [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    rows: RowArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Purge(history_purge::Args),
}

/// Runs that are listed unless more are asked for.
const MAX_RUNS: usize = 20;

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

/// Lists them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    if let Some(Action::Purge(args)) = &args.action {
        return history_purge::run(env, args);
    }
    let env = &args.rows.environment(env, KEYS)?;
    let session = env.open()?;
    env.page(&session.settings)?;
    let note = args.note.as_ref();
    let filter = RunFilter {
        run: args.run.clone(),
        job: args.job.clone(),
        note: note.map(|name| noted(&session, name)).transpose()?,
        limit: args.limit.unwrap_or(MAX_RUNS + 1),
    };
    let (mut times, mut records): (Vec<_>, Vec<_>) = filter.records(&session)?.into_iter().unzip();
    let has_more = args.limit.is_none() && records.len() > MAX_RUNS;
    if has_more {
        times.truncate(MAX_RUNS);
        records.truncate(MAX_RUNS);
    }
    let output = &env.output;
    if output.form != Form::Human {
        output.records("runs", &records)?;
        return Ok(Exit::found(!records.is_empty()));
    }
    if args.run.is_some() {
        records.iter().try_for_each(|record| whole(env, record))?;
    } else {
        let lines = times.iter().zip(&records).map(|(at, record)| {
            let mark = match (&record.undone_by, record.standing) {
                (Some(_), _) => String::from(" (undone)"),
                (None, standing) if standing < record.changes => {
                    format!(" (undone but for {})", count(standing, "change"))
                }
                (None, _) => String::new(),
            };
            [
                record.short.clone(),
                time_ago(*at, &env.now),
                format!("{}{mark}", record.what),
            ]
        });
        lined_up(output, &lines.collect::<Vec<_>>())?;
    }
    if has_more {
        output.hint("older runs are not shown: `mem history -n 100`");
    }
    if records.is_empty() {
        match &args.job {
            Some(job) => {
                output.say(&format!("no runs of the job `{job}`"));
                output.hint("`mem history` lists all");
            }
            None => output.say("no changes yet"),
        }
    }
    Ok(Exit::found(!records.is_empty()))
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
