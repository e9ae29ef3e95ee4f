//! Errors of the text index, including tantivy's errors and panics.

use std::io;
use std::path::{Path, PathBuf};

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenReadError, OpenWriteError};

use crate::cache::panics::catch;

/// The result of a use of the text index.
pub type Result<T, E = TextIndexError> = std::result::Result<T, E>;

/// Why the text index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TextIndexError {
    /// No index exists at this path.
    #[error("no text index in {}", .path.display())]
    Missing { path: PathBuf },
    /// The files are not a complete index.
    #[error("the text index in {} is damaged: {reason}", .path.display())]
    Damaged { path: PathBuf, reason: String },
    /// It was built by another analyzer or for another language.
    #[error("the text index in {} has an incompatible layout", .path.display())]
    Outdated { path: PathBuf },
    #[error("the text index in {} is being written by another process", .path.display())]
    Busy { path: PathBuf },
    #[error("{}", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// Runs `read` and converts errors and panics of tantivy.
///
/// tantivy trusts its files and panics on bytes that it did not write.
pub(super) fn guard<T>(path: &Path, read: impl FnOnce() -> tantivy::Result<T>) -> Result<T> {
    match catch(read) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(classify(path, &error)),
        Err(reason) => Err(TextIndexError::Damaged {
            path: path.to_owned(),
            reason,
        }),
    }
}

fn classify(path: &Path, error: &TantivyError) -> TextIndexError {
    let path = path.to_owned();
    let source = match error {
        TantivyError::LockFailure(LockError::LockBusy, _) => return TextIndexError::Busy { path },
        TantivyError::IoError(source)
        | TantivyError::OpenReadError(OpenReadError::IoError {
            io_error: source, ..
        })
        | TantivyError::OpenWriteError(OpenWriteError::IoError {
            io_error: source, ..
        })
        | TantivyError::LockFailure(LockError::IoError(source), _) => source,
        _ => {
            return TextIndexError::Damaged {
                path,
                reason: error.to_string(),
            };
        }
    };
    match source.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::Other => {
            TextIndexError::Damaged {
                path,
                reason: error.to_string(),
            }
        }
        kind => TextIndexError::Io {
            path,
            source: io::Error::new(kind, source.to_string()),
        },
    }
}
