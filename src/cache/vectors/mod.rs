//! The vectors of all passages, in one file that any process can search without loading it.
//!
//! ```text
//! <cache folder>/vectors.<number>    one row per passage, appended to and never changed
//! <cache folder>/graph.<number>      an HNSW graph over the first rows of it
//! ```
//!
//! A sync writes them and says in the catalog, committed last, how many rows there are; rows past
//! that are what a crash left and the next append overwrites. Whether a row's passage still exists is
//! for the caller to know: there are no tombstones here, a removed row costs nothing until the file is
//! written afresh, under another number.
//!
//! Search and the jobs read them. A file that is truncated, zeroed, or written by another version or
//! for another model is an error that says which; without a usable graph a search scans all rows,
//! which gives the same answers.

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

/// Why a file of vectors cannot be used or written.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    #[error("{path} is missing")]
    Missing { path: PathBuf },
    /// Another version of mem wrote it.
    #[error("{path} has format {found}, this mem writes {expected}")]
    Outdated {
        path: PathBuf,
        found: u32,
        expected: u32,
    },
    /// Its vectors were made by another model.
    #[error("{path} holds vectors of {found}")]
    OtherModel { path: PathBuf, found: String },
    #[error("{path} is damaged: {reason}")]
    Damaged { path: PathBuf, reason: String },
    /// A vector has not as many numbers as the others of the file.
    #[error("{path} holds vectors of {expected} dimensions; cannot add one of {found}")]
    Width {
        path: PathBuf,
        /// The width of the file's vectors.
        expected: usize,
        /// The width of the other one.
        found: usize,
    },
    #[error("no graph at {path}: {reason}")]
    Graph { path: PathBuf, reason: String },
    #[error("{path}")]
    Io { path: PathBuf, source: io::Error },
}

io_at!(VectorError);

impl VectorError {
    fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Io { path, source },
        }
    }

    /// Returns why the header of the file at `path` cannot be read.
    fn header(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => Self::damaged(path, "it ends inside its header"),
            _ => Self::io(path, source),
        }
    }

    /// Says that the file at `path` is of another version, if it is.
    fn outdated(path: &Path, found: u32, expected: u32) -> Result<(), Self> {
        let path = path.to_owned();
        if found == expected {
            return Ok(());
        }
        Err(Self::Outdated {
            path,
            found,
            expected,
        })
    }

    /// Returns true if the file is at fault, or gone, so that making it anew helps.
    pub fn is_damage(&self) -> bool {
        !matches!(self, Self::Io { .. } | Self::Width { .. })
    }

    fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }
}

/// A filter: whether a row, given with the slot of its note, may be an answer.
pub type Accept<'a> = &'a dyn Fn(u32, u32) -> bool;

/// A row that a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearRow {
    pub row: u32,
    pub slot: u32,
    /// From -1 to 1.
    pub cosine: f32,
}
