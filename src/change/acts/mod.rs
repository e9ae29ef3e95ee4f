//! Compiles acts into changes of the current notes.
//!
//! Each act that needs more than a few lines has its own file. All changes of one note are
//! combined, and all acts form one group, which is applied as a whole or not at all.

mod draft;
mod error;
mod mention;
mod merge;
mod moves;
mod relate;
#[cfg(test)]
mod tests;

use crate::cache::Flags;
use crate::finding::question::Answer;
use crate::finding::{Act, Change, Finding, Group};
use crate::note;
use crate::note::front_matter::property;
use crate::note::markdown::marks;
use crate::note::markdown::marks::MarkedBlock;
use crate::note::{Edit, Relation};
use crate::view::View;

pub use error::ActError;
use error::Result;

use draft::{Draft, TextVersion};

/// Returns the group that applies `finding` as answered.
///
/// A note that changed since it was indexed is an error, because the finding may no longer hold.
pub fn group(view: &View<'_>, finding: &Finding, answer: Answer) -> Result<Group> {
    group_of_acts(view, finding, &finding.answered(answer))
}

/// Returns the group that applies `acts` instead of those that `finding` proposes.
pub fn group_of_acts(view: &View<'_>, finding: &Finding, acts: &[Act]) -> Result<Group> {
    refuse_kept_notes(view, acts)?;
    let draft = compile(view, TextVersion::Indexed, acts)?;
    Ok(Group {
        question: Some(finding.key),
        ..draft.group(acts, &finding.reason)
    })
}

/// Returns the group for a person's explicit request, on the current content of the notes.
pub fn manual_group(view: &View<'_>, reason: &str, acts: &[Act]) -> Result<Group> {
    Ok(compile(view, TextVersion::Current, acts)?.group(acts, reason))
}

/// Returns the group for acts that need no confirmation, on the indexed content of the notes.
pub fn automatic_group(view: &View<'_>, reason: &str, acts: &[Act]) -> Result<Group> {
    refuse_kept_notes(view, acts)?;
    Ok(compile(view, TextVersion::Indexed, acts)?.group(acts, reason))
}

/// Refuses acts that remove or replace a note with `keep: true`.
fn refuse_kept_notes(view: &View<'_>, acts: &[Act]) -> Result<()> {
    for act in acts {
        let lost = match act {
            Act::Merge { others, .. } => others.as_slice(),
            Act::Relate { edge, .. } if edge.relation == Relation::EvolvedFrom => {
                std::slice::from_ref(&edge.to)
            }
            Act::Trash { note, .. } => std::slice::from_ref(note),
            _ => &[],
        };
        for note in lost {
            let entry = view.at(note)?;
            if entry.is_some_and(|entry| entry.row.flags.has(Flags::KEEP)) {
                return Err(ActError::Protected(note.clone()));
            }
        }
    }
    Ok(())
}

/// Compiles all acts in order.
fn compile<'a, 'v>(view: &'a View<'v>, basis: TextVersion, acts: &[Act]) -> Result<Draft<'a, 'v>> {
    let mut draft = Draft::new(view, basis);
    // All moves together, because the target of a link depends on all of them.
    moves::compile(&mut draft, acts)?;
    for act in acts {
        add(&mut draft, act)?;
    }
    Ok(draft)
}

fn add(draft: &mut Draft<'_, '_>, act: &Act) -> Result<()> {
    match act {
        Act::Merge {
            keeper,
            others,
            body,
        } => {
            merge::compile(draft, keeper, others, body.as_deref())?;
            draft
                .rewritten
                .extend(body.is_some().then(|| keeper.clone()));
        }
        Act::Relate { edge, supersedes } => relate::compile(draft, edge, *supersedes)?,
        Act::LinkMention {
            note,
            to,
            name,
            line,
        } => mention::compile(draft, [note, to], name, *line)?,
        Act::Edit { note, edits } => {
            let (text, base) = draft.read(note)?;
            let properties = note::read(&text, note.stem()).properties;
            let is_there = |edit: &&Edit| {
                matches!(edit, Edit::Append { .. }) && property::is_applied(edit, &properties)
            };
            let edits: Vec<Edit> = edits
                .iter()
                .filter(|edit| !is_there(edit))
                .cloned()
                .collect();
            let is_rewritten = edits
                .iter()
                .any(|edit| matches!(edit, Edit::Replace { .. }));
            draft.rewritten.extend(is_rewritten.then(|| note.clone()));
            draft.edit(note, base, edits);
        }
        Act::Resolve {
            note,
            version,
            edits,
        } => {
            let (_, base) = draft.read(note)?;
            draft.edit(note, base, edits[*version as usize].clone());
            draft.rewritten.push(note.clone());
        }
        Act::Refresh {
            note,
            command,
            lines,
        } => {
            let (text, base) = draft.read(note)?;
            let is_match = |block: &MarkedBlock| {
                text[block.command.clone()] == **command && block.is_untouched(&text)
            };
            let blocks = marks::marked_blocks(&text).into_iter().filter(is_match);
            let edits = blocks.filter_map(|block| block.replaced(&text, lines));
            draft.edit(note, base, edits.collect());
            draft.rewritten.push(note.clone());
        }
        Act::Create { path, text } => draft.push(Change::Create {
            path: path.clone(),
            text: text.clone(),
        }),
        Act::Move { .. } => {}
        Act::Trash { note, reason } => {
            let (_, base) = draft.read(note)?;
            draft.push(Change::Trash {
                path: note.clone(),
                base,
                reason: reason.clone(),
                keeper: None,
            });
        }
    }
    Ok(())
}
