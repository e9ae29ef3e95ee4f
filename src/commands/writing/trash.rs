//! `mem trash`

use serde::Serialize;

use crate::change::history::History;
use crate::change::purge::empty_trash;
use crate::change::trash::{Trashed, list, read};
use crate::commands::args::prompt::confirmed;
use crate::commands::args::prompt::select_trashed;
use crate::commands::args::property_value::moment_ago;
use crate::commands::args::row_args::RowArgs;
use crate::error::{Error, Exit};
use crate::note::path::VaultPath;
use crate::output::{Form, Output, Style, count, size};
use crate::session::{Environment, Session};
use crate::vault::{NoteText, ReadError};

/// List or empty the trash
///
/// Notes removed by a job or `mem rm` stay in `.mem/trash` until `mem trash empty`; `mem restore
/// NOTE` restores one.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    rows: RowArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the notes in the trash with date, job, size and reason
    List(RowArgs),
    /// Delete notes from the trash, or all of it
    ///
    /// Asks for confirmation; without a terminal, pass `--yes`. The history of the machine that
    /// removed a note keeps its text: there `mem undo RUN` can still restore it until `mem history
    /// purge`.
    ///
    /// Example: `mem trash empty --older-than 30d` deletes old entries.
    Empty(Empty),
}

#[derive(Debug, clap::Args)]
struct Empty {
    /// Files of the trash, or the runs that removed them
    #[arg(value_name = "FILE|RUN")]
    names: Vec<String>,
    /// Only notes removed longer ago than this: `30d`, `2w`, `6m`, `1y`
    #[arg(long, value_name = "AGE")]
    older_than: Option<String>,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Preview what would be deleted
    #[arg(short = 'n', long)]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct Emptied {
    dry_run: bool,
    deleted: Vec<TrashedRecord>,
}

/// All keys of a [`TrashedRecord`].
const KEYS: &[&str] = &["path", "run", "at", "job", "reason", "bytes"];

#[derive(Debug, Serialize)]
struct TrashedRecord {
    path: String,
    run: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    bytes: u64,
}

/// Lists or empties it.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let rows = match &args.action {
        Some(Action::List(rows)) => rows,
        _ => &args.rows,
    };
    let env = &rows.environment(env, KEYS)?;
    let session = env.open()?;
    let all = list(&session.vault)?;
    match &args.action {
        None | Some(Action::List(_)) => {
            env.page(&session.settings)?;
            show(&session, &all)
        }
        Some(Action::Empty(args)) => empty(&session, all, args),
    }
}

fn show(session: &Session, all: &[Trashed]) -> Result<Exit, Error> {
    let output = &session.env.output;
    let notes: Vec<TrashedRecord> = all.iter().map(|one| record(session, one)).collect();
    if output.form == Form::Human {
        for note in &notes {
            line(&session.env, output, note)?;
        }
        if notes.is_empty() {
            output.say("the trash is empty");
        } else {
            output.hint("restore one with `mem restore NOTE`");
        }
    } else {
        output.records("notes", &notes)?;
    }
    Ok(Exit::found(!all.is_empty()))
}

fn empty(session: &Session, all: Vec<Trashed>, args: &Empty) -> Result<Exit, Error> {
    let output = &session.env.output;
    let mut chosen = Vec::new();
    for name in &args.names {
        let found = select_trashed(&session.env, &all, name)?;
        if found.is_empty() {
            return Err(Error::new(format!("no note `{name}` in the trash"))
                .hint("`mem trash` lists what is there"));
        }
        for one in found {
            if !chosen.contains(&one) {
                chosen.push(one);
            }
        }
    }
    if args.names.is_empty() {
        chosen = all;
    }
    if let Some(age) = &args.older_than {
        let until = moment_ago(&session.env, age)?;
        // A note whose date is lost is of the time of its run.
        chosen.retain(|one| {
            one.record
                .as_ref()
                .and_then(|record| record.at.parse().ok())
                .or_else(|| one.run.at())
                .is_some_and(|at: jiff::Timestamp| at < until)
        });
    }
    let deleted: Vec<TrashedRecord> = chosen.iter().map(|one| record(session, one)).collect();
    let notes = count(chosen.len(), "note");
    // What another machine took away only that one can take back.
    let runs = History::new(session.vault.fs(), &session.homes).known()?;
    let kept: Vec<&Trashed> = chosen
        .iter()
        .filter(|one| runs.contains(&one.run))
        .collect();
    if !args.dry_run && !chosen.is_empty() {
        let what = format!("delete {notes} from the trash");
        let then = match kept.len() {
            0 => "they cannot be restored then, except on the machine that removed them".to_owned(),
            all if all == chosen.len() => "only `mem undo RUN` can restore them then".to_owned(),
            some => format!(
                "only `mem undo RUN` can restore them then, {some} here and the others on the machine \
                 that removed them"
            ),
        };
        if !confirmed(&session.env, args.yes, &what, Some(&then))? {
            output.say("nothing was deleted");
            return Ok(Exit::Done);
        }
        let mut gone: Vec<VaultPath> = chosen.iter().map(|one| one.path.clone()).collect();
        // Another note of that name has learned on its own.
        gone.retain(|path| !session.vault.absolute(path).exists());
        // Before the notes, by whose names it is found again after a crash.
        session.forget_uses(&gone)?;
        empty_trash(
            &session.vault,
            &session.homes,
            &chosen,
            &session.env.run_info(),
        )?;
    }
    match output.form {
        Form::Human if chosen.is_empty() => output.say("nothing to delete"),
        Form::Human => {
            for note in &deleted {
                line(&session.env, output, note)?;
            }
            let would = if args.dry_run {
                "would delete"
            } else {
                "deleted"
            };
            output.say(&format!("{would} {notes} from the trash"));
            if !args.dry_run {
                if !kept.is_empty() {
                    output.hint(
                        "`mem undo RUN` can still restore them until `mem history purge RUN`",
                    );
                }
                if kept.len() < chosen.len() {
                    let elsewhere = count(chosen.len() - kept.len(), "note");
                    output.hint(&format!(
                        "{elsewhere} can be restored only on the machine that removed them"
                    ));
                }
            }
        }
        _ => output.record(&Emptied {
            dry_run: args.dry_run,
            deleted,
        })?,
    }
    Ok(Exit::Done)
}

fn record(session: &Session, trashed: &Trashed) -> TrashedRecord {
    let Trashed { run, path, record } = trashed;
    TrashedRecord {
        path: path.to_string(),
        run: run.to_string(),
        at: record.as_ref().map(|record| record.at.clone()),
        job: record.as_ref().map(|record| record.job.clone()),
        reason: record.as_ref().map(|record| record.reason.clone()),
        bytes: match read(&session.vault, trashed) {
            Ok(NoteText { stat, .. }) | Err(ReadError::NotText { stat, .. }) => stat.size,
            Err(_) => 0,
        },
    }
}

fn line(env: &Environment, output: &Output, note: &TrashedRecord) -> Result<(), Error> {
    let at = note
        .at
        .as_ref()
        .and_then(|at| at.parse::<jiff::Timestamp>().ok());
    let at = at.map_or_else(|| "unknown date".to_owned(), |at| env.local_time(at));
    output.line(&format!(
        "{}  {at}  {}  {}  {}",
        output.paint(Style::Title, &note.run),
        output.clean(note.job.as_deref().unwrap_or("?")),
        size(note.bytes),
        output.paint(Style::Place, &note.path),
    ))?;
    if let Some(reason) = &note.reason {
        output.line(&format!("  {}", output.clean(reason)))?;
    }
    Ok(())
}
