//! Options of the job.

use crate::config::section;
use crate::jobs::find::NoteScope;

section! {
    /// How spaces spread.
    pub struct SpacesOptions: "spaces" {
        /// which notes get a space: those written by mem or an agent, or yours too, as questions
        notes: NoteScope, "managed or all";
        /// minimum share of a note's links to notes of one space
        min_share: f32 = 0.5, 0.0..=1.0;
        /// maximum number of hops that a space spreads in one run; 0 for no limit
        passes: usize = 0, 0..=50;
    }
}
