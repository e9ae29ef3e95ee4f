//! The options of the job.

use crate::config::section;
use crate::jobs::find::Notes;

section! {
    /// Which notes fade.
    pub struct Options: "decay" {
        /// which notes go into the archive: those that mem or an agent wrote, or yours too, as one question a month
        notes: Notes, "managed or all";
    }
}
