//! `mem link`

use super::maintenance::{self, JobArgs};
use crate::error::{Error, Exit};
use crate::session::Environment;

/// Link notes that belong together
///
/// Notes that mean something like it and that nothing joins yet get a `related_to`, stated by the newer
/// one, at most a few for each note. It holds only a place: whoever says what the two really have to do
/// with each other takes it away. Done unasked in notes that mem or an agent wrote; the rest waits for
/// `mem review`. The name of a note in the text of another is proposed as a link, too.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    job: JobArgs,
}

/// Runs the job.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    maintenance::run(env, "link", &args.job, "nothing to link")
}
