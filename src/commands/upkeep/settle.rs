//! `mem settle`

use std::time::Duration;

use crate::commands::args::by_hand::Done;
use crate::error::{Error, Exit};
use crate::output::Form;
use crate::run::sleep::settle::settle;
use crate::session::Environment;

/// Write what was learned from use into the notes of mem and agents
///
/// How often a note was used, how stable and useful it is, and the last questions that it helped with are
/// kept in the journal. A summary below `mem` in the front matter keeps them if the journal is lost. It is
/// written where it says something new, and never into a note that a person wrote or edited. `mem sleep`
/// does this last.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Preview the changes without making them
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// Settles.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let cache = session.fresh_cache()?;
    let run = settle(&session, cache, args.dry_run, Duration::ZERO)?;
    let (id, is_empty) = (run.run_id(), run.groups.is_empty());
    let done = Done::new(args.dry_run, id, run.groups);
    if is_empty && env.output.form == Form::Human {
        env.output.say("nothing to settle");
    }
    done.tell(&env.output)
}
