//! The vectors of all passages, in one file that is searched without loading it.
//!
//! ```text
//! <cache folder>/vectors.<number>    one row per passage, appended to and never changed
//! <cache folder>/graph.<number>      an HNSW graph over the first rows of it
//! ```
//!
//! A sync writes rows and records their number in the catalog, which commits last. Rows beyond it are
//! leftovers of a crash; the next append overwrites them. The caller decides whether a row's passage still
//! exists. Tombstones are unnecessary: a removed row costs nothing until the file is rewritten under another
//! number.
//!
//! Search and jobs read them. A file that is truncated, zeroed, or made by another version or model is a
//! specific error. Without a usable graph a search scans all rows, with the same answers.

mod candidate;
pub mod file;
pub mod hnsw;
mod ivf;
mod kernel;
pub mod neighbours;
pub mod note_vectors;
mod quantized;
pub mod query;
mod rescore;
pub mod scan;
pub mod search;
#[cfg(test)]
mod tests;
pub mod writer;

use crate::vault::fs::io_at;
use std::io;
use std::path::{Path, PathBuf};

/// The result of a use of a vector file or graph.
pub type Result<T, E = VectorError> = std::result::Result<T, E>;

/// Why a vector file cannot be used or written.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// It is missing, damaged, or from another version or model. A rebuild helps.
    #[error("{path} {reason}")]
    Unusable { path: PathBuf, reason: String },
    /// The width of a vector differs from that of the file.
    #[error("{path} holds vectors of {expected} dimensions; cannot add one of {found}")]
    Width {
        path: PathBuf,
        /// Width of the file's vectors.
        expected: usize,
        /// Width of the other vector.
        found: usize,
    },
    #[error("{path}")]
    Io { path: PathBuf, source: io::Error },
}

io_at!(VectorError);

impl VectorError {
    fn io(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::unusable(path, "is missing"),
            _ => Self::at(path)(source),
        }
    }

    /// Returns the error for an unreadable header of the file at `path`.
    fn header(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => Self::damaged(path, "it ends inside its header"),
            _ => Self::io(path, source),
        }
    }

    /// Returns an error if the file at `path` has another version.
    fn outdated(path: &Path, found: u32, expected: u32) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        let reason = format!("has format {found}, this mem writes {expected}");
        Err(Self::unusable(path, reason))
    }

    /// Returns whether the file is damaged or missing, so that a rebuild helps.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Unusable { .. })
    }

    fn damaged(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::unusable(path, format!("is damaged: {reason}"))
    }

    fn unusable(path: &Path, reason: impl Into<String>) -> Self {
        Self::Unusable {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }
}

/// A filter: whether a row, with the slot of its note, is accepted.
pub type Accept<'a> = &'a dyn Fn(u32, u32) -> bool;

/// A row found by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearRow {
    pub row: u32,
    pub slot: u32,
    /// From -1 to 1.
    pub cosine: f32,
}
