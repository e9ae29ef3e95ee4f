//! Applies plans to the notes on disk and reverts them.
//!
//! `compile` computes the new content of every file of a plan. `apply` writes it, each group as a
//! whole. `history` keeps the records and images that make runs undoable. `recover` completes or
//! rolls back runs interrupted by a crash. `undo` reverts a run. `trash` lists removed notes.
//! `link_check` refuses groups that would damage links. `edited` records edits made in an editor.
//! Jobs and commands pass in a [`crate::finding::plan::Plan`]; no other code writes notes.
//!
//! Guarantees: A note that changed since it was read is not overwritten. A group is applied as a
//! whole or not at all, even if the power fails at any moment. No byte that a person wrote is lost.
//! Every run can be undone, including undos.
//!
//! ```text
//! lock ─ recover earlier crash ─ read + compile ─ record + images (synced)
//!      ─ stage hidden files (synced) ─ swap, group by group ─ check displaced files again
//!      ─ remove hidden files ─ sync folders ─ outcome (synced) ─ record to `history/`
//! ```

pub mod acts;
pub mod apply;
mod cleanup;
pub mod compile;
pub mod edited;
mod execute;
pub mod file_op;
pub mod history;
pub mod link_check;
pub mod purge;
pub mod recover;
pub mod restore;
pub mod run_id;
pub mod splice;
pub mod stop;
#[cfg(test)]
mod tests;
pub mod timeline;
pub mod trash;
pub mod undo;

pub use self::apply::RunReport;
pub use self::compile::CompileOutcome;
pub use self::file_op::{CompiledGroup, FileOp};
pub use self::history::{FinishedRun, History};
pub use self::run_id::RunId;
pub use self::trash::TrashedNote;
pub use self::undo::{UndoTarget, UndoVerdict};

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::note::VaultPath;
use crate::vault::swap::SwapError;
use crate::vault::{Holder, LockError, WriteRefusal};

use stop::Stop;

/// The job of runs that write snapshots into notes; `mem undo` without an id skips them.
pub const SETTLE_JOB: &str = "settle";

/// Inputs of a run, which reads neither the clock nor random numbers itself.
#[derive(Clone, Debug)]
pub struct RunInfo {
    pub at: Timestamp,
    /// Start of the work, to measure its duration.
    pub began: Instant,
    /// Number of notes or pairs that the job examined.
    pub processed: Option<u64>,
    /// Random seed for the run's id.
    pub seed: u64,
    /// The command line, for the record and for processes waiting for the lock.
    pub command: String,
    /// Maximum time to wait for another writer.
    pub patience: Duration,
    /// Signals a request to end early.
    pub stop: Stop,
}

impl RunInfo {
    fn holder(&self) -> Holder {
        Holder::new(self.command.clone(), self.at)
    }
}

/// The reason why a group was not applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DropReason {
    /// The note differs from what the planner read.
    #[error("changed since it was read")]
    Changed,
    /// An earlier change of the same run removed the note.
    #[error("removed by an earlier change of this run")]
    TakenAway,
    /// The group changes one note twice.
    #[error("changed twice in one group")]
    Twice,
    /// An earlier group of the run that this group depends on was dropped.
    #[error("an earlier change of this run on the same note was dropped")]
    EarlierDropped,
    #[error(transparent)]
    Refused(#[from] WriteRefusal),
    /// The move would be a copy, because the vault spans several file systems.
    #[error("its destination is on another file system")]
    OtherFileSystem,
    #[error("not UTF-8 text")]
    NotText,
    #[error("{0}")]
    Edit(String),
    /// A link of the note would be damaged.
    #[error(transparent)]
    Links(#[from] link_check::LinkDamage),
    /// The run was stopped before this group.
    #[error("the run was interrupted first")]
    Stopped,
    /// The run was interrupted before this group.
    #[error("the run was interrupted")]
    Interrupted,
    #[error("{0}")]
    Io(String),
}

impl From<io::Error> for DropReason {
    fn from(err: io::Error) -> Self {
        match err.kind() {
            io::ErrorKind::NotFound => Self::Refused(WriteRefusal::Missing),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::Io(format!("{}; allow mem to write to its folder", err.kind()))
            }
            _ => Self::Io(err.to_string()),
        }
    }
}

impl From<SwapError> for DropReason {
    fn from(err: SwapError) -> Self {
        match err {
            SwapError::Changed => Self::Changed,
            SwapError::Missing => Self::Refused(WriteRefusal::Missing),
            SwapError::Exists => Self::Refused(WriteRefusal::Exists),
            SwapError::OtherFileSystem => Self::OtherFileSystem,
            SwapError::Io(err) => err.into(),
        }
    }
}

/// The result of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All files contain the new text.
    Applied,
    /// All files already contained the new text; nothing was written.
    Unchanged,
    /// No file was changed, except those in `stuck`.
    Dropped {
        /// The note that prevented the change.
        path: VaultPath,
        reason: DropReason,
        /// Notes that were changed, and then saved by another program before they could be
        /// restored; they contain both changes.
        stuck: Vec<VaultPath>,
    },
}

/// The result of a run, by default with the reason why it did not happen.
pub type Result<T, E = ChangeError> = std::result::Result<T, E>;

/// The reason why a run did not happen or was interrupted.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file of mem itself cannot be read or written; the next writer recovers the run.
    #[error("cannot write `{}`", .path.display())]
    Io { path: PathBuf, source: io::Error },
    /// A record is damaged or was written by a newer version.
    #[error("the record of run {run} cannot be used: {reason}")]
    Record { run: RunId, reason: String },
    #[error("no run `{0}`")]
    NoSuchRun(RunId),
    /// The texts that the run kept of a note were purged.
    #[error("the texts of run {0} were purged")]
    Purged(RunId),
    /// No run is left to undo.
    #[error("nothing to undo")]
    NothingToUndo,
    /// The preview of an undo that first recovers this run.
    #[error("run {0} did not finish; `mem undo` completes it or rolls it back first")]
    Unfinished(RunId),
    /// The record of a run newer than `next` was purged.
    #[error("run {run} was purged and cannot be undone")]
    LastPurged { run: RunId, next: RunId },
}

/// Adds the path to an I/O error.
fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> ChangeError {
    let path = path.into();
    move |source| ChangeError::Io { path, source }
}
