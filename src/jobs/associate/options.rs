//! The options of the job.

use crate::jobs::prelude::*;

section! {
    /// Which notes are compared, and what is enough to associate two that are not alike.
    pub struct Options: "associate" {
        /// which notes are associated: those that mem or an agent wrote, or yours too, as questions
        notes: Notes, "managed or all";
        /// how many notes are drawn and compared with each other
        sample: usize = 20, 0..=200;
        /// notes of a lower relevance are not drawn
        relevance: f64 = 0.3, 0.0..=1.0;
        /// whether notes that are not alike need a tag or a word of their titles in common
        subject: Subject, "shared or any";
        /// how many other notes one run relates a note to at most; 0 for no limit
        per_note: usize = 3, "a number";
    }
}

/// What two notes that are not alike must have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// A tag, or a word of their titles; even so they are asked about.
    #[default]
    Shared,
    /// Nothing, as in AutoMem.
    Any,
}
