//! Queries to the text index.

use super::schema::Column;
use crate::note::Pattern;

/// A condition of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// A word, phrase or prefix, in one column or in any.
    Text {
        pattern: Pattern,
        /// The column; `None` for all.
        column: Option<Column>,
    },
    /// At least one of these; the best score counts.
    Any(Vec<Clause>),
    /// All of these.
    All(Vec<Clause>),
}

impl Clause {
    /// Returns the clause that searches `pattern` in all columns.
    pub fn of(pattern: Pattern) -> Self {
        Self::Text {
            pattern,
            column: None,
        }
    }

    /// Returns its text if it is a single word for all columns.
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Text {
                pattern: Pattern::Word(text),
                column: None,
            } => Some(text),
            _ => None,
        }
    }
}
