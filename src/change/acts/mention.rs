//! The name of a note in the running text of another, made a link.

use super::draft::Draft;
use super::error::ActError;
use crate::note::edit::Edit;
use crate::note::letters::folded;
use crate::note::mention::RunningText;
use crate::note::names::{Name, Names};
use crate::note::path::VaultPath;

/// Adds the change that makes `name` in `note`, where it stands first on a line of the hash `line`, a
/// link to `to`.
pub(super) fn compile(
    draft: &mut Draft<'_, '_>,
    [note, to]: [&VaultPath; 2],
    name: &str,
    line: u64,
) -> Result<(), ActError> {
    let (entry, target) = (draft.entry(note)?, draft.entry(to)?);
    let text = draft.view.text(&entry)?;
    let running = RunningText::of(&text, note.stem());
    let known = Name::of(name);
    let is_written = |written: &str| known.as_ref().is_some_and(|name| name.is_written(written));
    let (_, span) = running
        .mentions(&Names::of([name]))
        .find(|(_, span)| is_written(&text[span.clone()]) && running.line(span) == line)
        .ok_or_else(|| ActError::Unnamed {
            note: note.clone(),
            name: name.to_owned(),
        })?;
    let written = &text[span.clone()];
    let target = draft.view.wikilink_target(&target)?;
    let wikilink = if folded(&target) == folded(written) {
        format!("[[{written}]]")
    } else {
        format!("[[{target}|{written}]]")
    };
    let edit = Edit::Replace {
        was: written.to_owned(),
        text: wikilink,
        span,
    };
    draft.edit(note, entry.row.content, vec![edit]);
    Ok(())
}
