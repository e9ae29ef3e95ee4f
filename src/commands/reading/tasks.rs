//! `mem tasks`

use serde::Serialize;

use crate::cache::row::Flags;
use crate::change::acts;
use crate::commands::args::by_hand;
use crate::commands::args::note_lookup::find_note;
use crate::commands::args::query_args::{Only, query_text, selected};
use crate::error::{Error, Exit};
use crate::finding::act::Act;
use crate::finding::plan::Group;
use crate::note;
use crate::note::edit::Edit;
use crate::note::markdown::tasks::{Task, tasks};
use crate::output::Form;
use crate::session::Environment;

/// List tasks, or tick one
///
/// Takes the query language of `mem search`; without a query, looks at all notes. A task is an item of a list that
/// begins with `[ ]`. Those with a due date, as `📅 2026-01-31` or `[due:: 2026-01-31]`, come first. Exits with 1 if
/// there are none.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Query for the notes to look at
    #[arg(value_parser = query_text())]
    query: Vec<String>,
    #[command(flatten)]
    only: Only,
    /// List done tasks instead of open ones
    #[arg(long, conflicts_with = "all")]
    done: bool,
    /// List done tasks, too
    #[arg(long)]
    all: bool,
    /// Tick the task in this line, or untick it; `mem undo` reverts it
    #[arg(
        long,
        value_name = "NOTE:LINE",
        conflicts_with_all = ["query", "tags", "types", "folders", "done", "all"]
    )]
    toggle: Option<String>,
    /// Fail unless the task reads TEXT
    #[arg(long, value_name = "TEXT", requires = "toggle")]
    text: Option<String>,
    /// Preview the changes without making them
    #[arg(short = 'n', long, requires = "toggle")]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct Record {
    path: String,
    line: usize,
    done: bool,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<String>,
}

/// Lists them, or ticks one.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    match &args.toggle {
        Some(place) => toggle(env, args, place),
        None => list(env, args),
    }
}

fn list(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let selection = selected(&session, &args.only.with(&args.query))?;
    let (open, done) = (!args.done, args.done || args.all);
    let mut found: Vec<(String, Task)> = Vec::new();
    for entry in &selection.entries {
        // The catalog knows which notes have any.
        let flags = entry.row.flags;
        let has_any = open && flags.has(Flags::OPEN_TASK) || done && flags.has(Flags::DONE_TASK);
        if !has_any {
            continue;
        }
        let Ok(file) = session.vault.read(&entry.path) else {
            continue;
        };
        let body = note::front_matter::split::split(&file.text).body.start;
        let wanted = tasks(&file.text, body)
            .into_iter()
            .filter(|task| if task.done { done } else { open });
        found.extend(wanted.map(|task| (entry.path.to_string(), task)));
    }
    found.sort_by_key(|(_, task)| (task.due.is_none(), task.due));
    let records = found.into_iter().map(|(path, task)| Record {
        path,
        line: task.line,
        done: task.done,
        text: task.text,
        due: task.due.map(|due| due.to_string()),
    });
    let records: Vec<Record> = records.collect();
    env.page(&session.settings)?;
    let output = &env.output;
    if output.form == Form::Human {
        for record in &records {
            let place = output.place_at(&record.path, record.line);
            let sign = if record.done { "[x] " } else { "" };
            let text = output.clean(&record.text);
            output.line(&format!("{place}  {sign}{text}"))?;
        }
    } else {
        output.records("tasks", &records)?;
    }
    if records.is_empty() {
        output.say(match (args.done, args.all) {
            (true, _) => "no task is done",
            (_, true) => "no tasks",
            _ => "no open tasks",
        });
    }
    Ok(Exit::found(!records.is_empty()))
}

fn toggle(env: &Environment, args: &Args, place: &str) -> Result<Exit, Error> {
    let parts = place.rsplit_once(':');
    let parts = parts.and_then(|(name, line)| Some((name, line.parse::<usize>().ok()?)));
    let Some((name, line)) = parts else {
        return Err(
            Error::new(format!("`{place}` does not name a line of a note"))
                .hint("`mem tasks` shows them as NOTE:LINE"),
        );
    };
    let session = env.open()?;
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    let note = find_note(env, &view, name)?.path;
    let file = session.vault.read(&note)?;
    let body = note::front_matter::split::split(&file.text).body.start;
    let mut tasks = tasks(&file.text, body).into_iter();
    let Some(task) = tasks.find(|task| task.line == line) else {
        return Err(
            Error::new(format!("there is no task in line {line} of `{note}`"))
                .hint("the note may have changed; `mem tasks` shows where they are now"),
        );
    };
    if let Some(text) = args.text.as_deref().map(str::trim)
        && text != task.text
    {
        return Err(Error::new(format!(
            "the task in line {line} of `{note}` reads `{}`",
            task.text
        ))
        .hint("the note changed; `mem tasks` shows where they are now"));
    }
    let edits = vec![Edit::Replace {
        was: file.text[task.mark.clone()].to_owned(),
        span: task.mark,
        text: if task.done { " " } else { "x" }.to_owned(),
    }];
    let did = if task.done { "untick" } else { "tick" };
    let title = format!("{did} line {line} of {note}");
    let group = acts::by_hand(&view, did, &[Act::Edit { note, edits }])?;
    drop(view);
    let groups = vec![Group { title, ..group }];
    let done = by_hand::make(&session, cache, "tasks", groups, args.dry_run)?;
    done.tell(&env.output)
}
