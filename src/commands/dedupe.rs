//! `mem dedupe`

use super::maintenance::{self, JobArgs};
use crate::error::{Error, Exit};
use crate::session::Environment;

/// Merge notes that say the same
///
/// One of them is kept and learns all that the others knew; every link to them leads to it; they go
/// to the trash. What is certain and touches only notes that mem or an agent wrote is done; the rest
/// waits for `mem review`. `--dry-run` shows every change first, `mem undo` takes it back.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    job: JobArgs,
}

/// Runs the job.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    maintenance::run(env, "dedupe", &args.job, "no duplicates")
}
