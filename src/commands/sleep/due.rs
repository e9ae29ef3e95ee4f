//! Which jobs are due.

use jiff::Zoned;

use crate::cache::Cache;
use crate::error::Error;
use crate::run::schedule::{self, Due};
use crate::run::state::{self, JobState, State};
use crate::session::Session;

/// What a sleep runs, in this order.
pub(in crate::commands) const JOBS: [&str; 4] = ["index", "dedupe", "conflicts", "link"];

/// Returns when each job is due, in the order in which they are run.
pub(in crate::commands) fn due(
    session: &Session,
    state: &State,
    cache: Option<&Cache>,
    now: &Zoned,
) -> Result<Vec<(&'static str, Due)>, Error> {
    let elsewhere = state::elsewhere(&session.state_folder(), &session.env.device()?);
    let due = JOBS.map(|job| {
        let known = state.jobs.get(job).cloned().unwrap_or_default();
        // The index is this machine's own: when the vault was walked last is kept beside it.
        let (known, elsewhere) = if job == "index" {
            let last_success = cache.and_then(Cache::last_pass);
            let index = JobState {
                last_success,
                ..known
            };
            (index, None)
        } else {
            (known, elsewhere.get(job).copied())
        };
        let every = session.settings.every(job);
        (job, schedule::due(&known, elsewhere, every, now))
    });
    Ok(due.to_vec())
}
