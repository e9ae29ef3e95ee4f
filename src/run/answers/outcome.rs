//! Previews what a yes would write.

use super::edited_text::MentionSpan;
use crate::change::compile::preview;
use crate::change::{CompileOutcome, CompiledGroup};
use crate::finding::EditablePart;
use crate::run::prelude::*;

/// The result of applying a yes to the current notes.
pub enum AnswerPreview {
    Ready(CompiledGroup),
    /// Why the change is refused.
    Cannot(String),
    /// Why the question is outdated: its notes have changed.
    Gone(String),
}

impl AnswerPreview {
    /// Compiles a yes to `asked` without writing.
    pub fn of(vault: &Vault, view: &View<'_>, asked: &Finding) -> Result<Self> {
        let group = match acts::group(view, asked, Answer::Yes) {
            Ok(group) => group,
            Err(ActError::Cache(error)) => return Err(error.into()),
            Err(
                error
                @ (ActError::Missing(_) | ActError::Text(_) | ActError::MissingMention { .. }),
            ) => {
                return Ok(Self::Gone(error.to_string()));
            }
            Err(error) => return Ok(Self::Cannot(error.to_string())),
        };
        Ok(match compiled(vault, group) {
            Some(CompileOutcome::Ready(ready)) => Self::Ready(ready),
            Some(CompileOutcome::Dropped { path, reason }) => {
                Self::Cannot(format!("{path}: {reason}"))
            }
            Some(CompileOutcome::Unchanged) | None => Self::Gone("already done".to_owned()),
        })
    }
}

fn compiled(vault: &Vault, group: Group) -> Option<CompileOutcome> {
    preview(vault, &Plan::new("", vec![group]))
        .into_iter()
        .next()
}

/// Returns the text that a yes would write, for editing: the body of a merged note, or the line
/// that gets a link.
pub fn proposed_text(session: &Session, asked: &Finding) -> Result<String> {
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    let cannot = |error: ActError| Error::new(format!("cannot be done: {error}"));
    if asked.kind().spec().edit == EditablePart::Line {
        let mention = MentionSpan::of(&view, asked).map_err(cannot)?;
        return Ok(mention.line_after() + "\n");
    }
    let group = acts::group(&view, asked, Answer::Yes).map_err(cannot)?;
    merged(session, group, &asked.notes[0])
}

/// Returns the body of the merged note.
fn merged(session: &Session, group: Group, keeper: &VaultPath) -> Result<String> {
    let after = match compiled(&session.vault, group) {
        Some(CompileOutcome::Ready(ready)) => {
            let mut writes = ready.writes.into_iter();
            let write = writes.find(|write| write.path == *keeper);
            write.and_then(|write| write.after)
        }
        _ => None,
    };
    let text = if let Some(text) = after {
        text.to_string()
    } else {
        // The merge does not change the body.
        session.vault.read(keeper)?.text
    };
    let body = note::read(&text, keeper.stem()).body;
    Ok(text[body].to_owned())
}
