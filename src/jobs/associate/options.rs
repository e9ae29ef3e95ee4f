//! Options of the job.

use crate::jobs::prelude::*;

section! {
    /// Which notes are compared, and what associates two that are not similar.
    pub struct AssociateOptions: "associate" {
        /// which notes are associated: those written by mem or an agent, or yours too, as questions
        notes: NoteScope, "managed or all";
        /// number of notes drawn at random and compared with each other
        sample: usize = 20, 0..=200;
        /// minimum relevance of a note that is drawn
        relevance: f64 = 0.3, 0.0..=1.0;
        /// whether dissimilar notes need a common tag or title word
        subject: SubjectRule, "shared or any";
        /// maximum number of notes related to a note per run; 0 for no limit
        per_note: usize = 3, "a number";
    }
}

/// What two notes that are not similar must have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubjectRule {
    /// A tag or a title word; the pair is still only a question.
    #[default]
    Shared,
    /// Nothing, as in AutoMem.
    Any,
}
