//! `mem confirm`

use super::reinforce::feedback;
use crate::error::{Error, Exit};
use crate::journal::events::Kind;
use crate::session::Environment;

/// Say that notes are still true
///
/// Counts as a reward of 1, and sets the date that `mem why` shows as the last time somebody looked. The notes
/// themselves stay as they are; of those marked `keep` only the date is kept.
///
/// Exits with 1 if a note was not found; the others are confirmed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The notes
    #[arg(required = true, value_name = "NOTE")]
    notes: Vec<String>,
}

/// Confirms them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    feedback(env, &args.notes, Kind::Confirmed, 1.0, None)
}
