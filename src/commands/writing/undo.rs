//! `mem undo`

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use crate::change::history::{FinishedRun, History, RunGroup};
use crate::change::run_id::RunId;
use crate::change::undo::{Target, UndoReport, UndoVerdict, UndoneGroup, plan_undo, undo};
use crate::commands::args::note_lookup::noted;
use crate::commands::args::run_name;
use crate::commands::args::run_name::find_run;
use crate::error::{Error, Exit};
use crate::finding::question::Answer;
use crate::journal::decisions::{self, Decision, REVIEW, UNDO};
use crate::note::path::VaultPath;
use crate::output::{Form, count, diff, time_ago};
use crate::run::plan::apply::{moves_of_run, take_in, take_recovered};
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
    let what = run_name::what(&entry, &history);
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

/// Takes back what a run did, or what of it concerns `note`.
pub(crate) fn take_back(
    session: &Session,
    target: &Target,
    note: Option<&VaultPath>,
) -> Result<UndoReport, Error> {
    let info = session.env.run_info();
    let report = undo(&session.vault, &session.homes, target, note, &info)?;
    take_recovered(session, &report.recovered);
    // What was decided comes before what can be made again.
    remember_answers(session, &report)?;
    if let Some(run) = &report.run {
        let done = History::new(session.vault.fs(), &session.homes).load(run)?;
        let applied: HashSet<usize> = done.applied().map(|(number, _)| number).collect();
        if let Some(cache) = take_in(session, &touched(&done)) {
            let moves = moves_of_run(&done.run, |number| applied.contains(&number));
            session.note_moves(&cache, &moves);
        }
    }
    Ok(report)
}

/// Remembers that whoever takes back what was done unasked does not want it: no job does it again. What
/// was an answer is asked again. Doing it again by hand is a yes.
fn remember_answers(session: &Session, report: &UndoReport) -> Result<(), Error> {
    let answer = if report.is_redo {
        Some(Answer::Yes)
    } else if was_answered(session, &report.of)? {
        None
    } else {
        Some(Answer::No)
    };
    let undone = report
        .groups
        .iter()
        .filter(|group| group.verdict == UndoVerdict::Undone);
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
    let journal = session.journal_folder()?;
    decisions::append(&journal, &decided).map_err(|error| Error::io("write to", &journal, &error))
}

/// Returns true if what `run` did are answers.
fn was_answered(session: &Session, run: &RunId) -> Result<bool, Error> {
    let entry = History::new(session.vault.fs(), &session.homes).load(run)?;
    Ok(entry.run.job == REVIEW)
}

/// The notes that a run changed.
fn touched(entry: &FinishedRun) -> Vec<VaultPath> {
    let notes = entry.run.groups.iter().flat_map(RunGroup::notes);
    let mut paths: Vec<VaultPath> = notes.cloned().collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}
