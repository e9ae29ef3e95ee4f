//! `mem undo`

use serde::Serialize;

use super::render::say_recovered;
use super::which_note::which_note;
use crate::change::history::History;
use crate::change::run_id::RunId;
use crate::change::undo::{Target, UndoReport, Verdict, undo};
use crate::error::{Error, Exit};
use crate::invocation::{Invocation, Workplace};
use crate::journal::decisions::{self, Decision};
use crate::note::path::VaultPath;
use crate::output::{Form, Style, count};
use crate::view::question::{Answer, Kind};

/// Take back a run
///
/// Without a run: the newest that was not taken back yet, so that doing it twice takes back two. A
/// note that was edited since keeps those edits if they can be told apart, else it is left as it is
/// and named, and the exit code is 1. An undo is a run too: `mem undo` with its name is a redo.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run, as `mem history` names it
    run: Option<String>,
    /// Only what it did together with this note
    #[arg(long, value_name = "NOTE")]
    note: Option<String>,
}

#[derive(Debug, Serialize)]
struct Record {
    undoes: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    groups: Vec<GroupRecord>,
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
pub fn run(invocation: &Invocation, args: &Args) -> Result<Exit, Error> {
    let place = invocation.workplace()?;
    let target =
        match &args.run {
            Some(run) => Target::Run(run.parse::<RunId>().map_err(|error| {
                Error::new(error.to_string()).hint("`mem history` lists the runs")
            })?),
            None => Target::Last,
        };
    let note = args
        .note
        .as_ref()
        .map(|name| noted(invocation, &place, name))
        .transpose()?;
    let report = undo(
        &place.vault,
        &place.homes,
        &target,
        note.as_ref(),
        &invocation.run_info(),
    )?;
    let output = &invocation.output;
    for recovered in &report.recovered {
        say_recovered(output, recovered);
    }
    if report.run.is_some() {
        let cache = invocation.cache(&place)?;
        invocation.take_in(&place, cache, &touched(&place, report.run.as_ref())?)?;
    }
    remember_answers(invocation, &place, &report)?;
    let groups: Vec<GroupRecord> = report
        .groups
        .iter()
        .map(|group| {
            let (outcome, why) = match &group.verdict {
                Verdict::Undone => ("undone", None),
                Verdict::Already => ("nothing left", None),
                Verdict::Kept { path, why } => ("kept", Some(format!("{path}: {why}"))),
            };
            GroupRecord {
                title: group.title.clone(),
                outcome,
                why,
            }
        })
        .collect();
    let undone = groups
        .iter()
        .filter(|group| group.outcome == "undone")
        .count();
    let kept = groups
        .iter()
        .filter(|group| group.outcome == "kept")
        .count();
    if output.form == Form::Human {
        output.line(&format!(
            "took back {} of run {}",
            count(undone, "change"),
            output.paint(Style::Title, report.of.as_str())
        ))?;
        for group in groups.iter().filter(|group| group.outcome == "kept") {
            let why = group.why.as_deref().unwrap_or_default();
            output.line(&format!(
                "  kept: {} ({})",
                output.clean(&group.title),
                output.clean(why)
            ))?;
        }
    } else {
        output.record(&Record {
            undoes: report.of.to_string(),
            run: report.run.as_ref().map(ToString::to_string),
            groups,
        })?;
    }
    if let Some(run) = &report.run {
        output.hint(&format!("`mem undo {run}` does it again"));
    }
    Ok(Exit::found(kept == 0))
}

/// Remembers that whoever takes a change back does not want it: no job does it again. Doing it again
/// by hand is a yes.
fn remember_answers(
    invocation: &Invocation,
    place: &Workplace,
    report: &UndoReport,
) -> Result<(), Error> {
    let undone = report
        .groups
        .iter()
        .filter(|group| group.verdict == Verdict::Undone);
    let decided: Vec<Decision> = undone
        .filter_map(|group| {
            Some(Decision {
                key: group.question?,
                kind: Kind::Merge,
                answer: if report.is_redo {
                    Answer::Yes
                } else {
                    Answer::No
                },
                at: invocation.now.timestamp(),
                by: "undo".to_owned(),
                about: group.notes.iter().map(ToString::to_string).collect(),
            })
        })
        .collect();
    if decided.is_empty() {
        return Ok(());
    }
    let journal = place.own_folder(&format!("journal/{}", invocation.device()?.name()))?;
    decisions::append(&journal, &decided).map_err(|error| Error::io("write to", &journal, &error))
}

/// The note that `name` means: one that is there, or the path of one that a run took away.
fn noted(invocation: &Invocation, place: &Workplace, name: &str) -> Result<VaultPath, Error> {
    let cache = invocation.fresh_cache(place)?;
    let view = invocation.view(place, &cache)?;
    match VaultPath::new(name) {
        // A name with an ending is a path, also of a note that is not there now.
        Ok(path) if view.at(&path)?.is_none() && path.stem().len() < path.as_str().len() => {
            Ok(path)
        }
        _ => Ok(which_note(invocation, &view, name)?.path),
    }
}

/// The notes that a run changed.
fn touched(place: &Workplace, run: Option<&RunId>) -> Result<Vec<VaultPath>, Error> {
    let Some(run) = run else {
        return Ok(Vec::new());
    };
    let entry = History::new(place.vault.fs(), &place.homes).load(run)?;
    let files = entry.run.groups.iter().flat_map(|group| &group.files);
    let mut paths: Vec<VaultPath> = files.map(|file| file.path.clone()).collect();
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}
