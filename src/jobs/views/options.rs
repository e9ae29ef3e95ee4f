//! The options of the job.

use crate::config::section;
use crate::jobs::find::Notes;

section! {
    /// Whose lists are kept up to date.
    pub struct Options: "views" {
        /// in which notes lists between marks are kept up to date: those that mem or an agent wrote, or all that have
        /// such marks
        notes: Notes = Notes::All, "managed or all";
    }
}
