//! Marks statements that may not be valid any more.

use crate::note::path::VaultPath;

/// Reason why a statement may not be valid any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutdatedReason {
    /// A newer statement about the same subject has another value.
    NewerStatement {
        newer: VaultPath,
        /// The id of the open question whether it replaces this one.
        question: Option<String>,
    },
    /// It ended by its own words.
    Ended,
    /// It is struck out.
    Struck,
}
