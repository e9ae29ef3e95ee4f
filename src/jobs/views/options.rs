//! Options of the job.

use crate::config::section;
use crate::jobs::find::NoteScope;

section! {
    /// Which lists are updated.
    pub struct Options: "views", everyday [notes] {
        /// in which notes lists between marks are updated: those written by mem or an agent, or all
        notes: NoteScope = NoteScope::All, "managed or all";
    }
}
