//! Turns the name of a note in the text of another note into a link.

use super::draft::Draft;
use super::error::{ActError, Result};
use crate::note::names::{Names, WordRun};
use crate::note::{Edit, RunningText, VaultPath};

/// Adds the change that links the first `name` on a line with the hash `line` in `note` to `to`.
pub(super) fn compile(
    draft: &mut Draft<'_, '_>,
    [note, to]: [&VaultPath; 2],
    name: &str,
    line: u64,
) -> Result<()> {
    let (entry, target) = (draft.entry(note)?, draft.entry(to)?);
    let text = draft.view.text(&entry)?;
    let running = RunningText::of(&text, note.stem());
    let names = Names::of(WordRun::of(name));
    let spans = || {
        let spans = running.mentions(&names).map(|(_, span)| span);
        spans.filter(|span| running.line(span) == line)
    };
    // Prefers the exact spelling.
    let exact = spans().find(|span| text[span.clone()] == *name);
    let span = exact
        .or_else(|| spans().next())
        .ok_or_else(|| ActError::MissingMention {
            note: note.clone(),
            name: name.to_owned(),
        })?;
    let written = &text[span.clone()];
    let replacement = draft.view.link_to(&entry, &target, written)?;
    let edit = Edit::replace(&text, span, replacement);
    draft.edit(note, entry.row.content, vec![edit]);
    Ok(())
}
