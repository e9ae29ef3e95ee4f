//! `mem settle`

use crate::commands::prelude::*;
use crate::run::sleep::settle::settle;

/// Write usage statistics into managed notes
///
/// Writes a summary of the journal below `mem` in the front matter, in case the journal is lost:
/// uses, stability, usefulness and the last questions that the note helped with. Notes that a
/// person wrote or edited are not changed. `mem sleep` does this last.
#[derive(Debug, clap::Args)]
pub struct SettleRequest {
    /// Preview the changes without making them
    #[arg(long)]
    pub dry_run: bool,
}

impl Request for SettleRequest {
    type Reply<'s> = ChangeReport;

    fn answer(&self, session: &Session) -> Result<ChangeReport> {
        let cache = session.fresh_cache()?;
        let run = settle(session, cache, self.dry_run, Duration::ZERO)?;
        let mut changes = ChangeReport::new(self.dry_run, run.run_id(), run.groups);
        changes.if_empty = "nothing to settle";
        Ok(changes)
    }
}
