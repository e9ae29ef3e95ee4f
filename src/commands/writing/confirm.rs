//! `mem confirm`

use super::reinforce::{Feedback, feedback};
use crate::commands::prelude::*;

/// Confirm that notes are still true
///
/// Counts as a reward of 1 and sets the review date that `mem why` shows. `mem recall` no longer
/// calls the notes out of date because of notes that are older than this. Does not change the
/// notes; for notes marked `keep` only the date is recorded. Exits with 1 if a note was not found;
/// the others are confirmed.
#[derive(Debug, clap::Args)]
pub struct ConfirmRequest {
    /// The notes
    #[arg(required = true, value_name = "NOTE")]
    pub notes: Vec<String>,
}

impl Request for ConfirmRequest {
    type Reply<'s> = Feedback;

    fn answer(&self, session: &Session) -> Result<Feedback> {
        feedback(session, &self.notes, EventKind::Confirmed, 1.0, None)
    }
}
