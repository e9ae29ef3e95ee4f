//! Indexes notes that a watch saw change.

use super::Session;
use crate::cache::freshness::{self, Freshness};
use crate::cache::meta::{CacheMeta, FORMAT};
use crate::cache::sync::{self, IndexSyncReport};
use crate::cache::{self, Cache, RebuildReason};
use crate::error::Result;
use crate::note::VaultPath;

/// The result of an index update.
#[derive(Debug)]
pub struct IndexUpdate {
    /// The changes.
    pub report: IndexSyncReport,
    /// The kind of pass that found them.
    pub how: PassKind,
    /// The metadata of the index afterwards.
    pub meta: CacheMeta,
}

/// The kind of pass that updated the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassKind {
    /// A check of some paths.
    Partial,
    /// A check of the whole vault.
    Whole,
    /// A rebuild: the changes are unknown.
    Afresh,
}

impl Session {
    /// Indexes changes of `paths`, which may include other files, or of the whole vault.
    ///
    /// Embeds them if the model is local, unless a slow one would need long, and closes the caches.
    /// Returns `None` without doing anything if a newer version of mem created the index.
    pub fn index_watched(&self, paths: Option<&[VaultPath]>) -> Result<Option<IndexUpdate>> {
        let Some((cache, mut report, how)) = self.index_seen(paths)? else {
            return Ok(None);
        };
        let cache = self.embed_few(cache)?;
        let meta = cache.read()?.meta()?;
        report.notes = meta.notes as usize;
        report.problems.clone_from(&meta.problems);
        Ok(Some(IndexUpdate { report, how, meta }))
    }

    fn index_seen(
        &self,
        paths: Option<&[VaultPath]>,
    ) -> Result<Option<(Cache, IndexSyncReport, PassKind)>> {
        let lock = cache::lock(&self.homes.cache, &self.env.holder())?;
        let cache = match self.open_locked_cache() {
            Ok(cache) => cache,
            // Otherwise both versions would rebuild it alternately.
            Err(RebuildReason::Format(found)) if found > FORMAT => return Ok(None),
            Err(why) => {
                drop(lock);
                let (cache, report) = self.rebuild(&why)?;
                return Ok(Some((cache, report, PassKind::Afresh)));
            }
        };
        let source = self.quiet_source();
        let reading = cache.read()?;
        let found = match paths {
            Some(paths) => freshness::check(&self.vault, &reading, paths, usize::MAX)?,
            None => Freshness::Many,
        };
        let (report, how) = match found {
            Freshness::Fresh => (IndexSyncReport::default(), PassKind::Partial),
            Freshness::Few(plan) => {
                let report = sync::apply_plan(source, &cache, &reading, *plan)?;
                (report, PassKind::Partial)
            }
            Freshness::Many => {
                let report = self.sync_all(source, &cache)?;
                cache.record_pass(self.env.now.timestamp());
                (report, PassKind::Whole)
            }
        };
        drop(reading);
        drop(lock);
        self.record_external_changes(&cache, &report.changed_notes);
        Ok(Some((cache, report, how)))
    }
}
