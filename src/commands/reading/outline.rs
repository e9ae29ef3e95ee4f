//! `mem outline`

use serde::Serialize;

use crate::commands::args::note_lookup::find_note_to_show;
use crate::error::{Error, Exit};
use crate::note;
use crate::note::markdown::seen::seen;
use crate::output::{Form, Style};
use crate::session::Environment;

/// Show the headings of a note
///
/// Each with its line, indented by its level. Exits with 1 if there are none.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The note
    note: String,
}

#[derive(Debug, Serialize)]
struct Record {
    path: String,
    title: String,
    headings: Vec<HeadingRecord>,
}

#[derive(Debug, Serialize)]
struct HeadingRecord {
    level: u8,
    text: String,
    line: usize,
}

/// Shows them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    let entry = find_note_to_show(env, &view, &args.note)?;
    let text = session.vault.read(&entry.path)?.text;
    let note = note::read(&text, entry.path.stem());
    let (mut line, mut counted) = (1, 0);
    let headings: Vec<HeadingRecord> = note
        .headings
        .into_iter()
        .map(|heading| {
            line += text[counted..heading.at].matches('\n').count();
            counted = heading.at;
            HeadingRecord {
                level: heading.level,
                text: heading.text,
                line,
            }
        })
        .collect();
    let found = !headings.is_empty();
    env.page(&session.settings)?;
    let output = &env.output;
    if output.form != Form::Human {
        output.record(&Record {
            path: entry.path.to_string(),
            title: note.title,
            headings,
        })?;
        return Ok(Exit::found(found));
    }
    let width = headings
        .last()
        .map_or(0, |last| last.line.to_string().len());
    for HeadingRecord { level, text, line } in &headings {
        let line = output.paint(Style::Faint, &format!("{line:>width$}"));
        let indent = usize::from(level.saturating_sub(1)) * 2;
        let text = output.paint(Style::Title, &as_seen(text));
        output.line(&format!("{line}  {:indent$}{text}", ""))?;
    }
    if !found {
        output.say("the note has no headings");
    }
    Ok(Exit::found(found))
}

/// Returns a heading without the marks of Markdown, unless it has nothing else.
fn as_seen(heading: &str) -> String {
    let text = seen(heading).text();
    if text.is_empty() {
        heading.to_owned()
    } else {
        text
    }
}
