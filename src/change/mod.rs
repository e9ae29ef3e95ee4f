//! Turns plans into bytes on disk, and back.
//!
//! `compile` works out what every file of a plan will hold; `apply` writes it, group by whole
//! group; `history` keeps the record and the images that make a run undoable; `recover` settles a
//! run that a crash cut short; `undo` takes a run back; `trash` lists what was taken away;
//! `link_check` refuses a group that would damage a link; `edited` records what an editor wrote.
//! Jobs and commands hand in a [`crate::finding::plan::Plan`]; nothing else writes notes.
//!
//! The promises: a note that changed since it was read is not overwritten; a group is applied as a
//! whole or not at all, also when the power fails at any moment; no byte that a person wrote is
//! lost; every run can be undone, the undo included.
//!
//! ```text
//! lock ─ settle earlier crash ─ read + compile ─ record + images (synced)
//!      ─ stage hidden files (synced) ─ swap, group by group ─ look again at what came out
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
mod splice;
pub mod stop;
#[cfg(test)]
mod tests;
pub mod timeline;
pub mod trash;
pub mod undo;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::note::path::VaultPath;
use crate::vault::guard::Refused;
use crate::vault::lock::{Holder, LockError};
use crate::vault::swap::SwapError;

use run_id::RunId;
use stop::Stop;

/// The job of runs that write snapshots into notes; `mem undo` without an id skips them.
pub const SETTLE: &str = "settle";

/// What a run must be told, for it reads neither clock nor chance.
#[derive(Clone, Debug)]
pub struct RunInfo {
    pub at: Timestamp,
    /// When its work began, for how long it took.
    pub began: Instant,
    /// Notes or pairs that a job looked at.
    pub processed: Option<u64>,
    /// Chance for its id.
    pub seed: u64,
    /// The command line, for the record and for a process that waits.
    pub command: String,
    /// How long to wait for another writer.
    pub patience: Duration,
    /// Who may want it to end early.
    pub stop: Stop,
}

impl RunInfo {
    fn holder(&self) -> Holder {
        Holder::new(self.command.clone(), self.at)
    }
}

/// Why a group was not applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DropReason {
    /// The note is not what the planner read.
    #[error("changed since it was read")]
    Changed,
    /// An earlier change of the same run took the note away.
    #[error("removed by an earlier change of this run")]
    TakenAway,
    /// The group names one note twice.
    #[error("changed twice in one group")]
    Twice,
    /// An earlier group of the run, on which this one builds, was dropped.
    #[error("an earlier change of this run on the same note was dropped")]
    EarlierDropped,
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Moving it would mean copying it: the vault reaches over several file systems.
    #[error("its destination is on another file system")]
    OtherFileSystem,
    #[error("not UTF-8 text")]
    NotText,
    #[error("{0}")]
    Edit(String),
    /// A link of the note would not survive.
    #[error(transparent)]
    Links(#[from] link_check::LinkDamage),
    /// The run was stopped before the group.
    #[error("the run was interrupted first")]
    Stopped,
    /// The run was cut short before the group.
    #[error("the run was interrupted")]
    Interrupted,
    #[error("{0}")]
    Io(String),
}

impl From<io::Error> for DropReason {
    fn from(err: io::Error) -> Self {
        match err.kind() {
            io::ErrorKind::NotFound => Self::Refused(Refused::Missing),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::Io(format!(
                    "{}; mem has to be allowed to write in its folder",
                    err.kind()
                ))
            }
            _ => Self::Io(err.to_string()),
        }
    }
}

impl From<SwapError> for DropReason {
    fn from(err: SwapError) -> Self {
        match err {
            SwapError::Changed | SwapError::Contended => Self::Changed,
            SwapError::Missing => Self::Refused(Refused::Missing),
            SwapError::Exists => Self::Refused(Refused::Exists),
            SwapError::OtherFileSystem => Self::OtherFileSystem,
            SwapError::Io(err) => err.into(),
        }
    }
}

/// What became of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every file holds the new text.
    Applied,
    /// Every file held it already; nothing was written.
    Unchanged,
    /// No file was changed, except for those listed.
    Dropped {
        /// The note that stood in the way.
        path: VaultPath,
        reason: DropReason,
        /// Notes of the group that were changed and then, before they could be changed back, saved
        /// by another program: they hold both changes.
        stuck: Vec<VaultPath>,
    },
}

/// Why a run did not take place, or was cut short.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file of mem's own cannot be read or written. What was begun is settled by the next writer.
    #[error("cannot write `{}`", .path.display())]
    Io { path: PathBuf, source: io::Error },
    /// A record is damaged, or written by a newer mem.
    #[error("the record of run {run} cannot be used: {reason}")]
    Record { run: RunId, reason: String },
    #[error("no run `{0}`")]
    NoSuchRun(RunId),
    /// What the run kept of a note was purged.
    #[error("the texts of run {0} were purged")]
    Purged(RunId),
    /// There is no run left to undo.
    #[error("nothing to undo")]
    NothingToUndo,
}

/// Gives an IO error the path it was about.
fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> ChangeError {
    let path = path.into();
    move |source| ChangeError::Io { path, source }
}
