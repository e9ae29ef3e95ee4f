//! `mem conflicts`

use super::maintenance::{self, JobArgs};
use crate::error::{Error, Exit};
use crate::session::Environment;

/// Find notes that contradict or replace each other
///
/// Two notes about the same thing are compared by what they say of it: who gave way to what, numbers,
/// dates, versions, negations, values that exclude each other. If one is the later, it states
/// `evolved_from` about the other; if none is, one states `contradicts`. What the wording leaves no
/// doubt about is done in notes that mem or an agent wrote; the rest waits for `mem review`. With
/// `conflicts.resolve = true` in the settings the earlier one also gets a `valid_until`, so that it is
/// no longer found. `mem conflicts NOTE` looks at one note.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    job: JobArgs,
}

/// Runs the job.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    maintenance::run(env, "conflicts", &args.job, "no conflicts")
}
