//! `mem confirm`

use super::reinforce::{Feedback, feedback};
use crate::commands::prelude::*;
use crate::journal::events::Kind;

/// Say that notes are still true
///
/// Counts as a reward of 1, and sets the date that `mem why` shows as the last time somebody looked. The notes
/// themselves stay as they are; of those marked `keep` only the date is kept.
///
/// Exits with 1 if a note was not found; the others are confirmed.
#[derive(Debug, clap::Args)]
pub struct ConfirmRequest {
    /// The notes
    #[arg(required = true, value_name = "NOTE")]
    pub notes: Vec<String>,
}

impl Request for ConfirmRequest {
    type Reply<'s> = Feedback;

    fn answer(&self, session: &Session) -> Result<Feedback> {
        feedback(session, &self.notes, Kind::Confirmed, 1.0, None)
    }
}
