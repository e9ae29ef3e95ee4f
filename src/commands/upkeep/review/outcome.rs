//! What a yes would write, and what a person makes of it in an editor.

use crate::change::acts::{self, ActError};
use crate::change::compile::{Compiled, preview};
use crate::change::file_op::CompiledGroup;
use crate::commands::args::editor;
use crate::error::Error;
use crate::finding::Finding;
use crate::finding::plan::{Group, Plan};
use crate::finding::question::{Answer, Kind};
use crate::note;
use crate::note::path::VaultPath;
use crate::run::answers::written::Mention;
use crate::session::Session;
use crate::vault::Vault;
use crate::view::View;

/// What doing it comes to, as the notes are now.
pub(super) enum Outcome {
    Ready(CompiledGroup),
    /// Why it cannot be done.
    Cannot(String),
    /// Why it cannot even be asked: its notes are not what they were.
    Gone(String),
}

impl Outcome {
    pub(super) fn of(vault: &Vault, view: &View<'_>, asked: &Finding) -> Result<Self, Error> {
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
    let plan = Plan {
        job: String::new(),
        groups: vec![group],
    };
    preview(vault, &plan).into_iter().next()
}

/// Lets the person write what a yes writes: the text of the note that a merge keeps, or the line that
/// gets a link; `None` if nothing was saved.
pub(super) fn edited(session: &Session, asked: &Finding) -> Result<Option<String>, Error> {
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    let cannot = |error: ActError| Error::new(format!("cannot be done: {error}"));
    let proposed = if asked.kind() == Kind::Mention {
        let mention = Mention::of(&view, asked).map_err(cannot)?;
        mention.line_after() + "\n"
    } else {
        let group = acts::group(&view, asked, Answer::Yes).map_err(cannot)?;
        merged(session, group, &asked.notes[0])?
    };
    drop(view);
    drop(cache);
    let output = &session.env.output;
    let text = match editor::text("mem-review-", &proposed) {
        Ok(text) => text,
        Err(error) => {
            output.fail(&error);
            return Ok(None);
        }
    };
    // Emptied to say that it was not meant, as in a commit of git.
    if text.trim().is_empty() {
        output.say("nothing was saved; the question is still open");
        return Ok(None);
    }
    Ok(Some(match asked.kind() {
        Kind::Mention => text.trim_end_matches(['\n', '\r']).to_owned(),
        _ => text,
    }))
}

/// Returns the body of the keeper of a merge.
fn merged(session: &Session, group: Group, keeper: &VaultPath) -> Result<String, Error> {
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
