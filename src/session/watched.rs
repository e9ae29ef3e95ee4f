//! What a watch does about the notes that it saw change.

use super::Session;
use crate::cache::freshness::{self, Freshness};
use crate::cache::meta::{FORMAT, Meta};
use crate::cache::sync::{self, SyncReport};
use crate::cache::{self, Cache, RebuildReason};
use crate::error::Error;
use crate::note::path::VaultPath;

/// What became of the index.
#[derive(Debug)]
pub struct TakenIn {
    /// What changed.
    pub report: SyncReport,
    /// How that was found.
    pub how: Pass,
    /// What the index is now.
    pub meta: Meta,
}

/// How the index was brought to where the notes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// By a look at some paths.
    Partial,
    /// By a look at the whole vault.
    Whole,
    /// It was built afresh: what changed is not known.
    Afresh,
}

impl Session {
    /// Looks at `paths`, some of which may be no notes, or at the whole vault, takes in what changed,
    /// and gives it vectors where the model answers at once. The caches are closed again. Where a newer
    /// mem made them, nothing is done: `None`.
    pub fn take_in_seen(&self, paths: Option<&[VaultPath]>) -> Result<Option<TakenIn>, Error> {
        let Some((cache, mut report, how)) = self.look_and_take_in(paths)? else {
            return Ok(None);
        };
        let cache = self.embed_at_once(cache)?;
        let meta = cache.read()?.meta()?;
        report.notes = meta.notes as usize;
        report.problems.clone_from(&meta.problems);
        Ok(Some(TakenIn { report, how, meta }))
    }

    fn look_and_take_in(
        &self,
        paths: Option<&[VaultPath]>,
    ) -> Result<Option<(Cache, SyncReport, Pass)>, Error> {
        let lock = cache::lock(&self.homes.cache, &self.env.holder())?;
        let cache = match Cache::open_locked(&self.homes.cache, self.index.language) {
            Ok(cache) => cache,
            // Each would build its own over that of the other, again and again.
            Err(RebuildReason::Format(found)) if found > FORMAT => return Ok(None),
            Err(why) => {
                drop(lock);
                let (cache, report) = self.rebuild(&why)?;
                return Ok(Some((cache, report, Pass::Afresh)));
            }
        };
        let source = self.quiet_source();
        let reading = cache.read()?;
        let found = match paths {
            Some(paths) => freshness::check(&self.vault, &reading, paths, usize::MAX)?,
            None => Freshness::Many,
        };
        let (report, how) = match found {
            Freshness::Fresh => (SyncReport::default(), Pass::Partial),
            Freshness::Few(plan) => {
                let report = sync::apply(source, &cache, &reading, *plan)?;
                (report, Pass::Partial)
            }
            Freshness::Many => {
                let report = sync::whole(source, &cache)?;
                cache.record_pass(self.env.now.timestamp());
                (report, Pass::Whole)
            }
        };
        drop(reading);
        drop(lock);
        self.note_outside(&cache, &report.changed_notes);
        Ok(Some((cache, report, how)))
    }
}
