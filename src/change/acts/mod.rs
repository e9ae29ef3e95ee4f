//! Works out the changes that acts take, from the notes as they are now.
//!
//! One file an act that takes more than a line. What several acts do to one note becomes one change
//! of it, and all of them one group: done as a whole or not at all.

mod draft;
mod mention;
mod merge;
mod moves;
mod relate;

use crate::cache::CacheError;
use crate::finding::Finding;
use crate::finding::act::Act;
use crate::finding::plan::Group;
use crate::finding::question::Answer;
use crate::note::path::VaultPath;
use crate::note::relation::Relation;
use crate::view::remap::RemapError;
use crate::view::{TextError, View};

use draft::{Basis, Draft};

/// Why the changes that an act takes cannot be worked out.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A note cannot be read, or changed since it was indexed.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A link cannot be made to lead elsewhere.
    #[error(transparent)]
    Remap(RemapError),
    #[error("`{0}` no longer exists")]
    Gone(VaultPath),
    /// A note that links to one of several could not be made to link to the one that is kept.
    #[error("`{gone}`: cannot update the link from `{linking}`, whose front matter cannot be read")]
    Unreadable { gone: VaultPath, linking: VaultPath },
    #[error("`{note}` no longer mentions `{name}`")]
    Unnamed { note: VaultPath, name: String },
    /// A property with the name of a relation holds something else, which is its author's.
    #[error("`{note}`: property `{relation}` is not a list of links")]
    Taken { note: VaultPath, relation: Relation },
}

impl From<RemapError> for ActError {
    fn from(error: RemapError) -> Self {
        match error {
            RemapError::Cache(error) => Self::Cache(error),
            RemapError::Text(error) => Self::Text(error),
            error => Self::Remap(error),
        }
    }
}

/// Returns the group that does what `finding` proposes, as it was answered. A note that changed since it
/// was indexed is an error: what was found may not hold any more.
pub fn group(view: &View<'_>, finding: &Finding, answer: Answer) -> Result<Group, ActError> {
    proposed(view, finding, &finding.answered(answer))
}

/// Returns the group that does `acts` in the place of those that `finding` proposes.
pub fn proposed(view: &View<'_>, finding: &Finding, acts: &[Act]) -> Result<Group, ActError> {
    let draft = Draft::of(view, Basis::AsIndexed, acts)?;
    Ok(Group {
        question: Some(finding.key),
        ..draft.group(acts, &finding.reason)
    })
}

/// Returns the group that does what a person asks for by name, to the notes as they are at this moment.
pub fn by_hand(view: &View<'_>, reason: &str, acts: &[Act]) -> Result<Group, ActError> {
    Ok(Draft::of(view, Basis::AsItIs, acts)?.group(acts, reason))
}
