//! `mem remember --template`: a person's note from a template.

use crate::commands::args::change_report::create;
use crate::commands::prelude::*;
use crate::note::edit::apply;
use crate::run::template;

/// The requested note.
#[derive(Debug)]
pub(crate) struct TemplateRequest {
    pub path: VaultPath,
    pub title: String,
    /// The text at the cursor of the template.
    pub text: String,
    pub properties: Vec<(String, Value)>,
}

/// Creates a note from the template `name`.
pub(crate) fn make(session: &Session, name: &str, request: TemplateRequest) -> Result<NotePath> {
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
    let line = filled.line();
    let written = filled.with(match request.text.trim() {
        "" => "",
        _ => &request.text,
    });
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
    Ok(NotePath {
        path,
        created: Some(created),
        line,
    })
}
