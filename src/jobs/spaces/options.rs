//! The options of the job.

use crate::config::section;
use crate::jobs::find::Notes;

section! {
    /// How far spaces reach.
    pub struct Options: "spaces" {
        /// which notes get a space: those that mem or an agent wrote, or yours too, as questions
        notes: Notes, "managed or all";
        /// share of a note's links that have to be with notes of a space for it to get that space
        least: f32 = 0.5, 0.0..=1.0;
        /// how many links a space may travel in one run; 0 for any number
        passes: usize = 0, 0..=50;
    }
}
