//! `mem remember --template`: a person's note from a template.

use std::io::IsTerminal as _;

use super::edit;
use crate::commands::args::change_report::{NotePath, create};
use crate::commands::prelude::*;
use crate::note::edit::apply;
use crate::run::template;

/// The requested note.
#[derive(Debug)]
pub(crate) struct TemplateRequest {
    pub path: VaultPath,
    pub title: String,
    /// The text at the cursor of the template; empty to open an editor.
    pub text: String,
    pub properties: Vec<(String, Value)>,
}

/// Creates a note from the template `name`; opens an editor if `request` has no text.
pub(crate) fn run(session: &Session, name: &str, request: TemplateRequest) -> Result<Exit> {
    let output = &session.env.output;
    let template = template::named(session, name)?;
    let path = request.path;
    if session.vault.exists(&path) {
        let word = shell_word(path.as_str());
        let error = Error::new(format!("`{path}` already exists"));
        return Err(error.hint(format!(
            "`mem append {word} TEXT` adds to it, `mem edit {word}` opens it"
        )));
    }
    let filled = template::fill_for_note(
        session,
        &template,
        &request.title,
        session.env.now.datetime(),
    );
    let is_empty = request.text.trim().is_empty();
    let line = filled.line();
    let written = filled.with(if is_empty { "" } else { &request.text });
    // Edits of properties may add lines before the cursor.
    let lines_below = line.map(|line| written.matches('\n').count() - (line - 1));
    let mut edits = Vec::new();
    if note::read(&written, path.stem()).title != request.title {
        edits.push(Edit::set("title", request.title));
    }
    for (key, value) in request.properties {
        let key = || key.as_str().into();
        match value {
            Value::Array(values) => edits.extend(
                values
                    .into_iter()
                    .map(|value| Edit::Append { key: key(), value }),
            ),
            value => edits.push(Edit::Set { key: key(), value }),
        }
    }
    let written = apply(&written, &edits).map_err(|error| {
        Error::new(format!(
            "cannot set properties in the template `{name}`: {error}"
        ))
        .hint("fix its front matter, or omit the flags")
    })?;
    let line = lines_below.map(|below| written.matches('\n').count() + 1 - below);
    let created = create(session, "remember", &path, written)?;
    session.note_ingest();
    let is_watched = std::io::stdin().is_terminal() && output.stderr_is_terminal;
    if is_empty && is_watched && editor::can_open(output) {
        return edit::open(session, &[path], line, created.run());
    }
    let created = Some(created);
    session.print(&NotePath { path, created })
}
