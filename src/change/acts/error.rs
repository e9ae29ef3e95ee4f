//! Why acts cannot be compiled.

use crate::cache::CacheError;
use crate::note::front_matter::relation::Relation;
use crate::note::path::VaultPath;
use crate::view::TextError;
use crate::view::remap::RemapError;

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
    #[error("the text leaves out the link `{link}` of `{note}`; keep it as it is written")]
    LinkLeftOut { note: VaultPath, link: String },
    #[error("`{0}` has `keep: true`, so that nothing merges, replaces or removes it")]
    Kept(VaultPath),
    /// A note that links to one of several could not be made to link to the one that is kept.
    #[error("`{gone}`: cannot update the link from `{linking}`, whose front matter cannot be read")]
    Unreadable { gone: VaultPath, linking: VaultPath },
    /// The front matter of a note that would go cannot be read, so that nothing of it can be kept.
    #[error("`{0}`: its front matter cannot be read; `mem doctor` tells why")]
    UnreadableMatter(VaultPath),
    /// Text that is put behind something without an end would become a part of it.
    #[error("`{note}` line {line}: `{what}` has no end; end it, then merge")]
    Unclosed {
        note: VaultPath,
        what: String,
        line: usize,
    },
    #[error("`{line}` of `{note}` would read otherwise in `{keeper}`; merge them by hand")]
    Torn {
        note: VaultPath,
        keeper: VaultPath,
        line: String,
    },
    /// What a property says hangs on the properties around it.
    #[error(
        "`{note}`: property `{key}` has an anchor, alias or tag and cannot be copied; write its value out, then merge"
    )]
    Tied { note: VaultPath, key: String },
    /// The check of a merge found something missing.
    #[error("`{keeper}` would lose {what} of the notes that become one; merge them by hand")]
    Loses { keeper: VaultPath, what: String },
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
