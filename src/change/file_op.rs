//! File operations of a compiled plan.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::run_id::RunId;
use crate::finding::QuestionKey;
use crate::note::VaultPath;

/// The operation that gives a file its new state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "kebab-case")]
pub enum FileOp {
    Create,
    /// Replaces the text of an existing file.
    Edit,
    Trash {
        /// The reason, for a person who inspects the trash.
        reason: String,
        /// The note that absorbed it, if a merge removed it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keeper: Option<VaultPath>,
    },
    /// Moves it back from the trash of a run.
    Restore {
        from: RunId,
    },
    /// Receives a note from another path, in the same step as its `Depart` there.
    Arrive {
        from: VaultPath,
    },
    /// Moves a note to another path, in the same step as its `Arrive` there.
    Depart {
        to: VaultPath,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWrite {
    /// The note's path with all links resolved.
    pub path: VaultPath,
    pub op: FileOp,
    /// The text that must be present; `None` if the note must not exist.
    pub before: Option<Arc<str>>,
    /// The new text; `None` if the note is removed.
    pub after: Option<Arc<str>>,
    /// Permission bits before the run, or those required for a new file.
    pub mode: Option<u32>,
    /// File with the note's attributes before the run; `None` if the run creates the note.
    pub attributes_from: Option<PathBuf>,
    /// Folders to remove with the note if that empties them, deepest last.
    pub folders: Vec<String>,
}

/// A group that is ready to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledGroup {
    pub title: String,
    pub reason: String,
    /// The run and number of the group that it reverts, if it is part of an undo.
    pub undoes: Option<(RunId, usize)>,
    /// The question whether to apply the group.
    pub question: Option<QuestionKey>,
    /// Its files in order of writing; removals come last.
    pub writes: Vec<FileWrite>,
}
