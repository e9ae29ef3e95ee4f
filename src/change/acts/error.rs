//! Errors of the compilation of acts.

use crate::cache::CacheError;
use crate::note::{Relation, VaultPath};
use crate::view::NoteTextError;
use crate::view::remap::RemapError;

/// The result of compiling acts, by default with the reason why they cannot be compiled.
pub(super) type Result<T, E = ActError> = std::result::Result<T, E>;

/// The reason why an act cannot be compiled into changes.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A note cannot be read, or changed since it was indexed.
    #[error(transparent)]
    Text(#[from] NoteTextError),
    /// A link cannot be redirected.
    #[error(transparent)]
    Remap(RemapError),
    #[error("`{0}` no longer exists")]
    Missing(VaultPath),
    #[error("the text omits the link `{link}` of `{note}`; keep it unchanged")]
    OmittedLink { note: VaultPath, link: String },
    #[error("`{0}` has `keep: true`, which prevents merging, replacing and removing it")]
    Protected(VaultPath),
    /// A note that links to a merged note could not be redirected to the keeper.
    #[error("`{gone}`: cannot update the link from `{linking}`, whose front matter cannot be read")]
    Unreadable { gone: VaultPath, linking: VaultPath },
    /// The front matter of a note to be removed cannot be read, so its properties would be lost.
    #[error("cannot read the front matter of `{0}`; see `mem doctor`")]
    UnreadableMatter(VaultPath),
    /// Text appended after an unclosed construct would become part of it.
    #[error("`{note}` line {line}: `{what}` is not closed; close it, then merge")]
    Unclosed {
        note: VaultPath,
        what: String,
        line: usize,
    },
    #[error(
        "`{line}` of `{note}` would be parsed differently in `{keeper}`; rewrite it, then merge"
    )]
    ContextDependent {
        note: VaultPath,
        keeper: VaultPath,
        line: String,
    },
    /// The value of a property depends on the properties around it.
    #[error(
        "`{note}`: property `{key}` has an anchor, alias or tag and cannot be copied; write its value out, then merge"
    )]
    NotCopyable { note: VaultPath, key: String },
    /// The check of a merge found missing content.
    #[error("the merge into `{keeper}` would lose {what}; edit it in one of the notes, then merge")]
    ContentLost { keeper: VaultPath, what: String },
    /// A heading that a link names cannot be told from others of the merged text.
    #[error(
        "the merge into `{keeper}` would lead `{link}` in `{note}` to another heading or block; change that link or rename the heading, then merge"
    )]
    UncertainPart {
        note: VaultPath,
        link: String,
        keeper: VaultPath,
    },
    #[error("`{note}` no longer mentions `{name}`")]
    MissingMention { note: VaultPath, name: String },
    /// A property with the name of a relation has another value, which belongs to its author.
    #[error("`{note}`: property `{relation}` is not a list of links")]
    NotARelation { note: VaultPath, relation: Relation },
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
