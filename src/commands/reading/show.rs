//! `mem show`

use serde::Serialize;
use serde_json::{Map, Value};

use crate::commands::args::note_lookup::find_note_to_show;
use crate::commands::args::touch::Touch;
use crate::commands::render::note_record::NoteRecord;
use crate::error::{Error, Exit};
use crate::journal::events::Kind;
use crate::note;
use crate::note::markdown::links;
use crate::note::markdown::seen::Leads;
use crate::output::Form;
use crate::output::terminal::Terminal;
use crate::session::Environment;
use crate::view::{Entry, View};

/// Print a note
///
/// Name a note by path, id, title, alias, file name or the beginning of one of these. In a pipe the output is the
/// file, byte for byte; on a terminal with colours its Markdown is rendered. Reading a note on a terminal counts as
/// a use, so that it fades later; in a pipe or with `--json` it counts as recalled, which alone makes no note last.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The note
    note: String,
    /// Show only outgoing and incoming links
    #[arg(long)]
    links: bool,
    /// Show the Markdown as it is written, also on a terminal
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    touch: Touch,
}

#[derive(Debug, Serialize)]
struct Record {
    #[serde(flatten)]
    note: NoteRecord,
    properties: Map<String, Value>,
    body: String,
    links: Vec<LinkRecord>,
    backlinks: Vec<String>,
}

#[derive(Debug, Serialize)]
struct LinkRecord {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
}

/// Prints it.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = args.touch.open(env)?;
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    let entry = find_note_to_show(env, &view, &args.note)?;
    env.page(&session.settings)?;
    let output = &env.output;
    if !args.links {
        // What goes into a pipe a program reads.
        let is_read_by_a_person = output.form == Form::Human && output.stdout_is_terminal;
        let kind = if is_read_by_a_person {
            Kind::Shown
        } else {
            Kind::Recalled
        };
        session.note_use(kind, [&entry.path]);
    }
    if output.form == Form::Human && !args.links {
        let file = session
            .vault
            .read(&entry.path)
            .map_err(|error| Error::from(error).hint("run `mem index` to scan the vault again"))?;
        // On a terminal a note must not be able to do more than to be read.
        if output.stdout_is_terminal && output.is_coloured() && !args.raw {
            let body = note::front_matter::split::split(&file.text).body.start;
            let [columns, _] = Terminal::size();
            let resolve = |leads: &Leads| resolved(&view, &entry, leads);
            output.write_note(&file.text, body, columns, &resolve)?;
        } else if output.stdout_is_terminal {
            for line in file.text.lines() {
                output.line(&output.clean(line))?;
            }
        } else {
            output.raw(file.text.as_bytes())?;
        }
        return Ok(Exit::Done);
    }
    let links = links(&view, &entry)?;
    let backlinks: Vec<String> = view
        .linking_to(&entry)?
        .iter()
        .map(|source| source.path.to_string())
        .collect();
    if output.form == Form::Human {
        for link in &links {
            let relation = link.relation.as_deref().unwrap_or("links to");
            output.line(&format!(
                "{}\t{}",
                output.clean(relation),
                output.place(&link.path)
            ))?;
        }
        for backlink in &backlinks {
            output.line(&format!("linked from\t{}", output.place(backlink)))?;
        }
        return Ok(Exit::found(!links.is_empty() || !backlinks.is_empty()));
    }
    let text = session.vault.read(&entry.path)?.text;
    let body = note::read(&text, entry.path.stem()).body;
    let details = view.details(entry.slot)?;
    output.record(&Record {
        properties: details.properties(),
        note: NoteRecord::new(&entry, details),
        body: text[body].to_owned(),
        links,
        backlinks,
    })?;
    Ok(Exit::Done)
}

fn links(view: &View<'_>, entry: &Entry) -> Result<Vec<LinkRecord>, Error> {
    let linked = view.linked_from(entry)?.into_iter();
    Ok(linked
        .map(|(link, target)| LinkRecord {
            path: target.path.to_string(),
            relation: link.property,
        })
        .collect())
}

/// Returns the path of the note that a link in `entry` leads to.
fn resolved(view: &View<'_>, entry: &Entry, leads: &Leads) -> Option<String> {
    let (target, is_markdown) = match leads {
        Leads::Note(target) => (target.clone(), false),
        Leads::Address(address) => (links::decoded(address), true),
    };
    let target = target
        .split_once('#')
        .map_or(target.as_str(), |(note, _)| note);
    let found = view.resolve(&entry.path, target, is_markdown).ok()??;
    Some(found.path.to_string())
}
