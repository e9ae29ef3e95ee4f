//! `mem history purge`

use serde::Serialize;

use crate::cache::RebuildReason;
use crate::change::history::{FinishedRun, History};
use crate::change::purge::{Copies, copies, purge_note, purge_runs};
use crate::change::run_id::RunId;
use crate::commands::args::note_lookup::find_note;
use crate::commands::args::prompt::confirmed;
use crate::commands::args::property_value::moment_ago;
use crate::error::{Error, Exit};
use crate::note::path::VaultPath;
use crate::output::{Form, Style, count};
use crate::run::history::find_run;
use crate::run::report::stored;
use crate::session::{Environment, Session};

/// Permanently delete undo history
///
/// Select runs by id or by age; they can no longer be undone. `--note` removes a secret instead:
/// every text the note had in any run, under earlier names too, those of notes merged into it and
/// of the note it was merged into since, the copies in the trash, the reports of sleeps, and the
/// index, which is rebuilt. The note itself is not changed, so remove the secret first: `mem edit
/// NOTE`, then `mem history purge --note NOTE`.
///
/// Note names, and the few words a job gave as its reason, remain in the records of runs. Other
/// notes, git, backups and other machines are not touched (purge on each machine that writes to the
/// vault), and disks are not overwritten.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs, each by its short id, its id or the beginning of its id
    #[arg(value_name = "RUN", conflicts_with = "note")]
    runs: Vec<String>,
    /// Delete every copy of this note (its name, or the path of a removed note)
    #[arg(long, value_name = "NOTE", conflicts_with = "older_than")]
    note: Option<String>,
    /// Only runs older than this: `90d`, `6m`, `1y`
    #[arg(long, value_name = "AGE")]
    older_than: Option<String>,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Preview what would be deleted
    #[arg(short = 'n', long)]
    dry_run: bool,
}

#[derive(Debug, Default, Serialize)]
struct Record {
    dry_run: bool,
    /// The runs whose records are gone.
    runs: Vec<String>,
    /// The note whose copies are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// How many texts of it each run kept.
    texts: Vec<RunTexts>,
    /// Its copies in the trash, as `run/path`.
    trashed: Vec<String>,
}

#[derive(Debug, Serialize)]
struct RunTexts {
    run: String,
    texts: usize,
}

const FOR_GOOD: Option<&str> = Some("this cannot be undone");

/// Deletes it.
pub(crate) fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    match &args.note {
        Some(name) => of_note(&session, args, name),
        None if args.runs.is_empty() && args.older_than.is_none() => {
            Err(Error::new("specify what to delete")
                .hint("name runs, or an age (`--older-than 1y`), or a note (`--note NOTE`)"))
        }
        None => of_runs(&session, args),
    }
}

fn of_runs(session: &Session, args: &Args) -> Result<Exit, Error> {
    let output = &session.env.output;
    let history = History::new(session.vault.fs(), &session.homes);
    let (entries, problems) = history.list()?;
    let mut known: Vec<RunId> = entries.iter().map(|entry| entry.run.id.clone()).collect();
    // A record that cannot be read is one more reason to delete it.
    known.extend(problems.into_iter().map(|(run, _)| run));
    let mut runs: Vec<RunId> = if args.runs.is_empty() {
        known.clone()
    } else {
        Vec::new()
    };
    for run in &args.runs {
        runs.push(find_run(&known, run)?.clone());
    }
    if let Some(age) = &args.older_than {
        let until = moment_ago(&session.env, age)?;
        let at = |run: &RunId| {
            let entry = entries
                .iter()
                .find(|entry: &&FinishedRun| entry.run.id == *run);
            entry.map(|entry| entry.run.at).or_else(|| run.at())
        };
        runs.retain(|run| at(run).is_some_and(|at| at < until));
    }
    runs.sort_unstable();
    runs.dedup();
    let what = format!("delete the records of {}", count(runs.len(), "run"));
    if !args.dry_run && !runs.is_empty() {
        if !confirmed(&session.env, args.yes, &what, FOR_GOOD)? {
            output.say("nothing was deleted");
            return Ok(Exit::Done);
        }
        purge_runs(
            &session.vault,
            &session.homes,
            &runs,
            &session.env.run_info(),
        )?;
    }
    if output.form == Form::Human {
        for run in &runs {
            output.line(&output.paint(Style::Title, run.as_str()))?;
        }
        output.say(&match (runs.is_empty(), args.dry_run) {
            (true, _) => "nothing to delete".to_owned(),
            (_, true) => format!("would {what}"),
            (_, false) => format!(
                "{}; they can no longer be undone",
                what.replacen("delete", "deleted", 1)
            ),
        });
    } else {
        output.record(&Record {
            dry_run: args.dry_run,
            runs: runs.iter().map(ToString::to_string).collect(),
            ..Record::default()
        })?;
    }
    Ok(Exit::Done)
}

fn of_note(session: &Session, args: &Args, name: &str) -> Result<Exit, Error> {
    let output = &session.env.output;
    let path = which_path(session, name)?;
    let mut found: Copies = copies(&session.vault, &session.homes, &path)?;
    let summary = |found: &Copies| {
        if found.is_empty() {
            return "the reports of sleeps".to_owned();
        }
        let texts = count(found.count(), "text");
        let runs = count(found.texts.len(), "run");
        let whole = format!("{texts} of `{path}` from {runs}");
        match found.trashed.len() {
            0 => whole,
            1 => format!("{whole} and 1 copy from the trash"),
            many => format!("{whole} and {many} copies from the trash"),
        }
    };
    if found.is_empty() {
        output.say(&format!("no run and no trash holds a text of `{path}`"));
    }
    if !args.dry_run {
        let what = format!("delete {}", summary(&found));
        if !confirmed(&session.env, args.yes, &what, FOR_GOOD)? {
            output.say("nothing was deleted");
            return Ok(Exit::Done);
        }
        // Before the copies, by which the note is found again after a crash.
        session.forget_uses(std::slice::from_ref(&path))?;
        found = purge_note(
            &session.vault,
            &session.homes,
            &path,
            &session.env.run_info(),
        )?;
        stored::delete_all(session).map_err(|error| {
            Error::io(
                "delete the reports of sleeps in",
                &session.homes.state,
                &error,
            )
        })?;
        // Its words may stand in the index until that is merged: also if nothing else kept it.
        session.rebuild(&RebuildReason::Wanted)?;
    }
    if output.form == Form::Human {
        output.line(&format!(
            "{} {}",
            if args.dry_run {
                "would delete"
            } else {
                "deleted"
            },
            summary(&found)
        ))?;
        if !args.dry_run {
            output.say("rebuilt the index");
            if found.is_elsewhere {
                output.warn(&format!(
                    "another machine removed some of it and has texts of its own; run `mem history purge \
                     --note` for `{path}` there too"
                ));
            }
            if session.vault.absolute(&path).exists() {
                output.hint(&format!("`{path}` itself was not changed"));
            }
        }
    } else {
        output.record(&Record {
            dry_run: args.dry_run,
            runs: Vec::new(),
            note: Some(path.to_string()),
            texts: found
                .texts
                .iter()
                .map(|(run, images)| RunTexts {
                    run: run.to_string(),
                    texts: images.len(),
                })
                .collect(),
            trashed: found
                .trashed
                .iter()
                .map(|one| format!("{}/{}", one.run, one.path))
                .collect(),
        })?;
    }
    Ok(Exit::Done)
}

/// The path of the note that `name` means: of one that is there, or that history or trash know.
fn which_path(session: &Session, name: &str) -> Result<VaultPath, Error> {
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    let stands = view.at_file(&session.env.start.join(name))?;
    if stands.is_none() && view.named_whole(name)?.is_empty() {
        for text in [name.to_owned(), format!("{name}.md")] {
            if let Ok(path) = VaultPath::new(&text)
                && !copies(&session.vault, &session.homes, &path)?.is_empty()
            {
                return Ok(path);
            }
        }
    }
    Ok(find_note(&session.env, &view, name)?.path)
}
