//! What a compiled plan writes, file by file.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::run_id::RunId;
use crate::finding::question::QuestionKey;
use crate::note::path::VaultPath;

/// How a file comes by its new state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "kebab-case")]
pub enum FileOp {
    Create,
    /// New text in an existing file.
    Edit,
    Trash {
        /// Why, for a person who looks into the trash.
        reason: String,
        /// The note that took it in, if it went by a merge.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keeper: Option<VaultPath>,
    },
    /// Back from the trash of a run.
    Restore {
        from: RunId,
    },
    /// From another name, in the one step that is also the departure there.
    Arrive {
        from: VaultPath,
    },
    /// To another name, by the step that is the arrival there.
    Depart {
        to: VaultPath,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWrite {
    /// The note, with every link resolved.
    pub path: VaultPath,
    pub op: FileOp,
    /// The text that must stand there; nothing for a note that must not exist.
    pub before: Option<Arc<str>>,
    /// The text that will; nothing for a note that goes to the trash.
    pub after: Option<Arc<str>>,
    /// Permission bits of the file before; of a new file, if it should have certain ones.
    pub mode: Option<u32>,
    /// Where the file with the note's attributes lies before the run; none if the run creates it.
    pub attributes_from: Option<PathBuf>,
    /// Folders to be removed with the note if that leaves them empty, deepest last.
    pub folders: Vec<String>,
}

/// A group that can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledGroup {
    pub title: String,
    pub reason: String,
    /// What it takes back, if it is part of an undo: number of the group in the undone run.
    pub undoes: Option<usize>,
    /// The question whether to do it.
    pub question: Option<QuestionKey>,
    /// Its files, in the order of writing: what is taken away goes last.
    pub writes: Vec<FileWrite>,
}
