//! Options of the job.

use serde::{Deserialize, Serialize};

use crate::config::{Trust, section};

section! {
    #[derive(Copy)]
    pub struct DedupeOptions: "dedupe" {
        /// minimum overlap for automatic merging: share of the longer text that the shorter one repeats in order
        certain: f64 = 0.6, 0.5..=1.0, Trust::Nothing;
        /// minimum similarity of two notes to ask whether they are duplicates
        ask: f64 = 0.6, 0.0..=1.0;
        /// handling of notes with the same title and different texts: nothing, one question, or a merge as in MemState
        titles: Titles, "off, ask or merge";
    }
    fixed {
        /// Number of nearest notes that each short note is compared with.
        neighbours: usize = 5;
    }
}

/// Handling of notes with equal titles and different texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Titles {
    #[default]
    Off,
    /// One question per title.
    Ask,
    /// Merges them, as MemState does.
    Merge,
}
