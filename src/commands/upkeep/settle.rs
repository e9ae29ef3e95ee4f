//! `mem settle`

use crate::commands::prelude::*;
use crate::run::sleep::settle::settle;

/// Write usage statistics into the notes of mem and agents
///
/// Uses, stability, usefulness and the last questions a note helped with are kept in the journal.
/// This writes a summary below `mem` in the front matter, in case the journal is lost, but never
/// into a note that a person wrote or edited. `mem sleep` does this last.
#[derive(Debug, clap::Args)]
pub struct SettleRequest {
    /// Preview the changes without making them
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

impl Request for SettleRequest {
    type Reply<'s> = ChangeReport;

    fn answer(&self, session: &Session) -> Result<ChangeReport> {
        let cache = session.fresh_cache()?;
        let run = settle(session, cache, self.dry_run, Duration::ZERO)?;
        let changes = ChangeReport::new(self.dry_run, run.run_id(), run.groups);
        Ok(changes.or_if_empty("nothing to settle"))
    }
}
