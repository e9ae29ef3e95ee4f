//! What a query asks of the text index.

use super::schema::Column;
use crate::note::words::analyzer::Pattern;

/// One thing a question asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// A word, phrase or prefix, in one column or in any.
    Text {
        pattern: Pattern,
        /// Where; `None` is everywhere.
        column: Option<Column>,
    },
    /// At least one of these; the best of them scores.
    Any(Vec<Clause>),
    /// All of these.
    All(Vec<Clause>),
}

impl Clause {
    /// Returns the clause that looks for `pattern` everywhere.
    #[must_use]
    pub fn of(pattern: Pattern) -> Self {
        Self::Text {
            pattern,
            column: None,
        }
    }

    /// Returns its text if it is a word to be found anywhere.
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
