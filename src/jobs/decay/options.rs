//! Options of the job.

use crate::config::section;
use crate::jobs::find::NoteScope;

section! {
    /// Which notes fade.
    pub struct Options: "decay", everyday [notes] {
        /// which notes are archived: those written by mem or an agent, or yours too, as one question a month
        notes: NoteScope, "managed or all";
    }
}
