//! What a yes would write.

use super::written::Mention;
use crate::change::acts::{self, ActError};
use crate::change::compile::{Compiled, preview};
use crate::change::file_op::CompiledGroup;
use crate::finding::kind::Edit;
use crate::run::prelude::*;

/// What doing it comes to, as the notes are now.
pub enum Outcome {
    Ready(CompiledGroup),
    /// Why it cannot be done.
    Cannot(String),
    /// Why it cannot even be asked: its notes are not what they were.
    Gone(String),
}

impl Outcome {
    /// Compiles a yes to `asked` without writing.
    pub fn of(vault: &Vault, view: &View<'_>, asked: &Finding) -> Result<Self> {
        let group = match acts::group(view, asked, Answer::Yes) {
            Ok(group) => group,
            Err(ActError::Cache(error)) => return Err(error.into()),
            Err(error @ (ActError::Gone(_) | ActError::Text(_) | ActError::Unnamed { .. })) => {
                return Ok(Self::Gone(error.to_string()));
            }
            Err(error) => return Ok(Self::Cannot(error.to_string())),
        };
        Ok(match compiled(vault, group) {
            Some(Compiled::Ready(ready)) => Self::Ready(ready),
            Some(Compiled::Dropped { path, reason }) => Self::Cannot(format!("{path}: {reason}")),
            Some(Compiled::Unchanged) | None => Self::Gone("it is done already".to_owned()),
        })
    }
}

fn compiled(vault: &Vault, group: Group) -> Option<Compiled> {
    preview(vault, &Plan::new("", vec![group]))
        .into_iter()
        .next()
}

/// Returns what a yes writes and a person may write otherwise: the body of the note that a merge keeps, or the line
/// that gets a link.
pub fn proposed_text(session: &Session, asked: &Finding) -> Result<String> {
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    let cannot = |error: ActError| Error::new(format!("cannot be done: {error}"));
    if asked.kind().spec().edit == Edit::Line {
        let mention = Mention::of(&view, asked).map_err(cannot)?;
        return Ok(mention.line_after() + "\n");
    }
    let group = acts::group(&view, asked, Answer::Yes).map_err(cannot)?;
    merged(session, group, &asked.notes[0])
}

/// Returns the body of the keeper of a merge.
fn merged(session: &Session, group: Group, keeper: &VaultPath) -> Result<String> {
    let after = match compiled(&session.vault, group) {
        Some(Compiled::Ready(ready)) => {
            let mut writes = ready.writes.into_iter();
            let write = writes.find(|write| write.path == *keeper);
            write.and_then(|write| write.after)
        }
        _ => None,
    };
    let text = if let Some(text) = after {
        text.to_string()
    } else {
        // It gains nothing.
        session.vault.read(keeper)?.text
    };
    let body = note::read(&text, keeper.stem()).body;
    Ok(text[body].to_owned())
}
