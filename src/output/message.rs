//! Messages for stderr.

use serde::Serialize;

use crate::change::run_id::short as short_id;

/// A message for stderr.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Message {
    Status(String),
    Hint(String),
    Warning(String),
}

impl Message {
    pub fn status(words: &str) -> Self {
        Self::Status(words.to_owned())
    }

    /// Returns the hint how to undo the run with this id.
    pub fn undo(run: &str) -> Self {
        Self::Hint(format!("undo with `mem undo {}`", short_id(run)))
    }
}
