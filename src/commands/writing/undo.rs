//! `mem undo`

use serde::Serialize;

use crate::change::history::History;
use crate::change::undo::{Target, UndoReport, UndoVerdict, UndoneGroup, plan_undo};
use crate::commands::args::note_lookup::noted;
use crate::error::{Error, Exit};
use crate::output::{Form, count, diff, time_ago};
use crate::run::history::{describe_run, find_run};
use crate::run::undo::take_back;
use crate::session::{Environment, Session};

/// Undo a run
///
/// Without a run, undoes the newest one not yet undone, so that running it twice undoes two. If a
/// note was edited since, those edits are kept where they can be separated; otherwise the note is
/// left unchanged and reported, with a run to undo first if there is one, and the exit code
/// is 1, as it is if nothing was undone. An undo is a run, too: undoing it is a redo. Runs can be undone
/// in any order: without all of them every note is as it was.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run: its short id, its id or the beginning of its id
    run: Option<String>,
    /// Undo only the changes to this note and those made with them
    #[arg(long, value_name = "NOTE")]
    note: Option<String>,
    /// Preview the changes without making them
    #[arg(short = 'n', long)]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct Record {
    dry_run: bool,
    undoes: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    groups: Vec<GroupRecord>,
    /// How the files would change, as a unified diff; only in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

#[derive(Debug, Serialize)]
struct GroupRecord {
    title: String,
    /// `undone`, `nothing left` or `kept`.
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Takes it back.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let target = match &args.run {
        Some(run) => {
            let known = History::new(session.vault.fs(), &session.homes).known()?;
            Target::Run(find_run(&known, run)?.clone())
        }
        None => Target::Last,
    };
    let note = args
        .note
        .as_ref()
        .map(|name| noted(&session, name))
        .transpose()?;
    let output = &env.output;
    let (report, diff) = if args.dry_run {
        let (report, ready) = plan_undo(&session.vault, &session.homes, &target, note.as_ref())?;
        (
            report,
            Some(ready.iter().map(diff::of_ready).collect::<String>()),
        )
    } else {
        (take_back(&session, &target, note.as_ref())?, None)
    };
    let groups: Vec<GroupRecord> = report.groups.iter().map(record).collect();
    let number = |outcome: &str| {
        let groups = groups.iter().filter(|group| group.outcome == outcome);
        groups.count()
    };
    let (undone, kept) = (number("undone"), number("kept"));
    if output.form == Form::Human {
        let Told {
            is_again,
            what,
            changes,
        } = told(&session, &report)?;
        let verb = match (args.dry_run, is_again) {
            (true, false) => "would undo",
            (true, true) => "would redo",
            (false, false) => "undid",
            (false, true) => "redid",
        };
        let part = match undone {
            0 => "nothing of ".to_owned(),
            some if some < changes => format!("{some} of {} of ", count(changes, "change")),
            _ => String::new(),
        };
        output.line(&format!("{verb} {part}{}", output.clean(&what)))?;
        for group in groups.iter().filter(|group| group.outcome != "undone") {
            // Of a run of which the rest was undone, what was undone before is no news.
            if group.outcome != "kept" && undone > 0 {
                continue;
            }
            let why = group.why.as_deref().unwrap_or_default();
            output.line(&format!(
                "  {}: {} ({})",
                group.outcome,
                output.clean(&group.title),
                output.clean(why)
            ))?;
        }
        if let Some(diff) = &diff {
            crate::output::diff::print(output, diff)?;
        }
    } else {
        output.record(&Record {
            dry_run: args.dry_run,
            undoes: report.of.to_string(),
            run: report.run.as_ref().map(ToString::to_string),
            groups,
            diff,
        })?;
    }
    if let Some(run) = &report.run {
        let again = if report.is_redo { "undo" } else { "redo" };
        output.hint(&format!("{again} with `mem undo {}`", run.short()));
    }
    Ok(Exit::found(kept == 0 && undone > 0))
}

fn record(group: &UndoneGroup) -> GroupRecord {
    let (outcome, why) = match &group.verdict {
        UndoVerdict::Undone => ("undone", None),
        UndoVerdict::NothingLeft => {
            let why = match &group.undone_by {
                Some(run) => format!("undone already by run {run}"),
                None => "the notes are as they were before".to_owned(),
            };
            ("nothing left", Some(why))
        }
        UndoVerdict::Kept { path, reason } => ("kept", Some(format!("{path}: {reason}"))),
    };
    GroupRecord {
        title: group.title.clone(),
        outcome,
        why,
    }
}

/// What is taken back, for a person.
struct Told {
    /// Whether that does something again.
    is_again: bool,
    /// In the words of `mem history`.
    what: String,
    /// How many changes the run made.
    changes: usize,
}

fn told(session: &Session, report: &UndoReport) -> Result<Told, Error> {
    let history = History::new(session.vault.fs(), &session.homes);
    let entry = history.load(&report.of)?;
    let when = time_ago(entry.run.at, &session.env.now);
    let what = describe_run(&entry, &history);
    let (is_again, what) = match (what.strip_prefix("undo "), what.strip_prefix("redo ")) {
        (Some(undone), _) => (true, undone),
        (None, Some(redone)) => (false, redone),
        (None, None) => (false, what.as_str()),
    };
    Ok(Told {
        is_again,
        what: format!("{what} ({when})"),
        changes: entry.applied().count(),
    })
}
