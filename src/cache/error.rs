//! Errors of the caches, and reasons to rebuild them.

use std::io;
use std::path::PathBuf;

use super::meta::FORMAT;
use super::text::error::TextIndexError;
use super::vectors::VectorError;
use crate::vault::LockError;
use crate::vault::fs::io_at;
use crate::vault::walk::WalkError;

/// Result of a cache operation.
pub type Result<T, E = CacheError> = std::result::Result<T, E>;

/// Why the caches cannot be used or created.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    #[error("no index yet")]
    Missing,
    #[error("the index has format {found}, this mem writes {FORMAT}")]
    Format { found: u32 },
    /// The catalog is inconsistent.
    #[error("the index is damaged: {0}")]
    Damaged(String),
    #[error(transparent)]
    Text(#[from] TextIndexError),
    #[error(transparent)]
    Vectors(#[from] VectorError),
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// Another process is writing and did not finish in time.
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("{path}")]
    Io { path: PathBuf, source: io::Error },
    /// Most notes are missing at once, which suggests an unmounted disk.
    #[error("{gone} of {known} notes are missing from the vault; the index was left unchanged")]
    SuddenlyEmpty { gone: usize, known: usize },
}

io_at!(CacheError);

impl From<heed::Error> for CacheError {
    fn from(error: heed::Error) -> Self {
        match error {
            heed::Error::Io(source) => Self::at("the catalog")(source),
            other => Self::Damaged(other.to_string()),
        }
    }
}

/// Why a cache must be built, as one line for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RebuildReason {
    Missing,
    Wanted,
    Format(u32),
    /// It was built for another language.
    Language(String),
    Damaged(String),
    /// A writer died between its two commits.
    Interrupted,
}

impl CacheError {
    /// Returns whether the cache folder is not writable, for lack of permission or space.
    pub fn is_unwritable(&self) -> bool {
        match self {
            Self::Text(TextIndexError::Io { source, .. })
            | Self::Vectors(VectorError::Io { source, .. })
            | Self::Lock(LockError::Io { source, .. })
            | Self::Io { source, .. } => cannot_write(source),
            _ => false,
        }
    }

    /// Returns whether the caches are damaged or missing, so that a rebuild helps.
    pub fn is_damage(&self) -> bool {
        let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        match self {
            Self::Damaged(_)
            | Self::Missing
            | Self::Text(TextIndexError::Damaged { .. } | TextIndexError::Missing { .. }) => true,
            Self::Vectors(error) => error.is_damage(),
            Self::Text(TextIndexError::Io { source, .. }) | Self::Io { source, .. } => gone(source),
            _ => false,
        }
    }
}

impl From<CacheError> for RebuildReason {
    fn from(error: CacheError) -> Self {
        match error {
            CacheError::Missing => Self::Missing,
            CacheError::Format { found } => Self::Format(found),
            other => Self::Damaged(other.to_string()),
        }
    }
}

impl From<TextIndexError> for RebuildReason {
    fn from(error: TextIndexError) -> Self {
        match error {
            TextIndexError::Missing { .. } => Self::Damaged("the text index is missing".to_owned()),
            TextIndexError::Outdated { .. } => Self::Format(0),
            other => Self::Damaged(other.to_string()),
        }
    }
}

/// Returns whether the system reports that nothing can be written.
pub(super) fn cannot_write(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge
    )
}
