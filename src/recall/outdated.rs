//! Marks statements that may not be valid any more.

use std::fmt;

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
    /// It is a summary or digest of a note, named here, that ended or was removed.
    SourceEnded(String),
    /// It ended by its own words.
    Ended,
    /// It is struck out.
    Struck,
}

impl fmt::Display for OutdatedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NewerStatement { newer, question } => {
                write!(f, "may be out of date: newer in {newer}")?;
                question
                    .as_ref()
                    .map_or(Ok(()), |id| write!(f, " (question {id})"))
            }
            Self::SourceEnded(source) => {
                write!(
                    f,
                    "may be out of date: quotes {source}, which ended or was removed"
                )
            }
            Self::Ended => f.write_str("no longer valid by its own dates"),
            Self::Struck => f.write_str("struck out"),
        }
    }
}
