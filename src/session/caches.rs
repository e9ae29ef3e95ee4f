//! Opens the caches, updates them to the current notes, and rebuilds damaged ones.

use std::error::Error as _;
use std::io;
use std::path::PathBuf;

use super::Session;
use crate::cache::freshness::{self, Freshness};
use crate::cache::sync::{self, IndexSyncReport, SyncSource};
use crate::cache::{
    self, Cache, CacheError, CatalogReader, MAX_NOTES_INDEXED_BY_READ, RebuildReason, meta,
};
use crate::change::History;
use crate::error::Result;
use crate::note::VaultPath;
use crate::output::count;
use crate::output::progress::Progress;
use crate::session::settings::SAVED_QUERIES;
use crate::signals::options::SignalFormulaOptions;
use crate::vault::{Lock, is_note_name};
use crate::view::View;
use crate::view::counts;

/// Maximum number of rebuilds of caches that are damaged or get deleted during use.
const MAX_REBUILDS: usize = 5;

/// Whether a cache that could not be written is still readable.
fn is_only_unwritable(error: &CacheError, cache: &Cache) -> bool {
    error.is_unwritable() || (matches!(error, CacheError::Text(_)) && cache.is_whole())
}

impl Session {
    /// Opens the caches without an update, building them if none are usable.
    pub fn cache(&self) -> Result<Cache> {
        match self.open_cache() {
            Ok(cache) => Ok(cache),
            Err(why) => Ok(self.rebuild(&why)?.0),
        }
    }

    /// Opens the caches as they are.
    pub fn open_cache(&self) -> Result<Cache, RebuildReason> {
        let cache = Cache::open(&self.homes.cache, self.index.language)?;
        self.embedder.follow(cache.vector_model.as_deref());
        Ok(cache)
    }

    /// As [`Self::open_cache`], while the lock is held.
    pub(super) fn open_locked_cache(&self) -> Result<Cache, RebuildReason> {
        let cache = Cache::open_locked(&self.homes.cache, self.index.language)?;
        self.embedder.follow(cache.vector_model.as_deref());
        Ok(cache)
    }

    /// Returns the updated caches and a view of them.
    pub fn fresh_view(&self) -> Result<(Cache, View<'_>)> {
        let cache = self.fresh_cache()?;
        let view = self.view(&cache)?;
        Ok((cache, view))
    }

    /// Opens the caches and updates them, as far as a quick check detects changes.
    pub fn fresh_cache(&self) -> Result<Cache> {
        let cache = self.cache()?;
        if self.env.no_sync {
            return Ok(cache);
        }
        let look = |cache: &Cache| {
            let reading = cache.read()?;
            freshness::check(&self.vault, &reading, &[], MAX_NOTES_INDEXED_BY_READ)
        };
        let (freshness, cache) = self.ask(cache, look)?;
        match freshness {
            Freshness::Fresh => Ok(cache),
            Freshness::Few(_) | Freshness::Many => self.index_external_changes(cache, &[]),
        }
    }

    /// Indexes external changes, including those of `paths`.
    pub(super) fn index_external_changes(
        &self,
        cache: Cache,
        paths: &[VaultPath],
    ) -> Result<Cache> {
        let (cache, report) = self.index_changes(cache, paths)?;
        self.record_external_changes(&cache, &report.changed_notes);
        self.fold_many_uses(&cache);
        Ok(cache)
    }

    /// Indexes changes, including those of `paths`, after a check detected some.
    fn index_changes(&self, cache: Cache, paths: &[VaultPath]) -> Result<(Cache, IndexSyncReport)> {
        let Some(lock) = self.lock_unless_read_only()? else {
            return Ok((cache, IndexSyncReport::default()));
        };
        // The previous holder of the lock may have updated or replaced this cache.
        let cache = self.current_cache(cache)?;
        let indexed = self.index_changes_locked(&cache, paths);
        self.after_pass(lock, cache, indexed, true)
    }

    /// Returns the caches after a pass under `lock`: rebuilt if the pass found damage, unchanged
    /// with a warning if they are not writable and `may_be_stale`.
    fn after_pass(
        &self,
        lock: Lock,
        cache: Cache,
        indexed: Result<IndexSyncReport, CacheError>,
        may_be_stale: bool,
    ) -> Result<(Cache, IndexSyncReport)> {
        match indexed {
            Ok(report) => Ok((cache, report)),
            Err(error) if may_be_stale && is_only_unwritable(&error, &cache) => {
                self.warn_stale(&error);
                Ok((cache, IndexSyncReport::default()))
            }
            Err(error) if error.is_damage() => {
                drop(lock);
                self.rebuild_damaged(cache, &error)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Indexes changes; the caller holds the lock.
    fn index_changes_locked(
        &self,
        cache: &Cache,
        paths: &[VaultPath],
    ) -> Result<IndexSyncReport, CacheError> {
        let reading = cache.read()?;
        match freshness::check(&self.vault, &reading, paths, MAX_NOTES_INDEXED_BY_READ)? {
            Freshness::Fresh => Ok(IndexSyncReport::default()),
            Freshness::Few(plan) => {
                let report = sync::apply_plan(self.quiet_source(), cache, &reading, *plan)?;
                self.update_counts(cache, reading, &report)?;
                Ok(report)
            }
            Freshness::Many => {
                let report = self.full_pass_with_progress(cache)?;
                let changed = report.changes();
                if changed > MAX_NOTES_INDEXED_BY_READ {
                    self.env
                        .output
                        .say(&format!("indexed {}", count(changed, "changed note")));
                }
                Ok(report)
            }
        }
    }

    /// Indexes the whole vault; the caller holds the lock.
    fn full_pass(
        &self,
        source: SyncSource<'_>,
        cache: &Cache,
    ) -> Result<IndexSyncReport, CacheError> {
        let before = cache.read()?;
        let report = self.sync_all(source, cache)?;
        cache.record_pass(self.env.now.timestamp());
        self.update_counts(cache, before, &report)?;
        Ok(report)
    }

    /// Indexes the whole vault without further records; the caller holds the lock.
    pub(super) fn sync_all(
        &self,
        source: SyncSource<'_>,
        cache: &Cache,
    ) -> Result<IndexSyncReport, CacheError> {
        let history = History::new(self.vault.fs(), &self.homes);
        sync::sync_all(source, cache, || history.removed_notes())
    }

    fn full_pass_with_progress(&self, cache: &Cache) -> Result<IndexSyncReport, CacheError> {
        let progress = Progress::new(&self.env.output, "indexing");
        self.full_pass(self.source(&|done, all| progress.at(done, all)), cache)
    }

    /// Updates the link counts with the changes since `before`.
    fn update_counts(
        &self,
        cache: &Cache,
        before: CatalogReader,
        report: &IndexSyncReport,
    ) -> Result<(), CacheError> {
        let view = |reading| View::new(&self.vault, reading, self.env.now.clone());
        let (before, after) = (view(before), view(cache.read()?));
        counts::update_counts(&self.counts_file(), &before, &after, &report.changed_notes)
    }

    /// The file with the link counts of all notes; it may be deleted.
    fn counts_file(&self) -> PathBuf {
        self.homes.cache.join("counts")
    }

    /// Indexes these notes after the run changed them.
    pub fn reindex(&self, cache: Cache, paths: &[VaultPath]) -> Result<Cache> {
        Ok(self.index_changes(cache, paths)?.0)
    }

    /// Like [`Self::reindex`], and returns the changes of the index.
    pub fn reindex_with_report(
        &self,
        cache: Cache,
        paths: &[VaultPath],
    ) -> Result<(Cache, IndexSyncReport)> {
        let (cache, mut report) = self.index_changes(cache, paths)?;
        self.record_external_changes(&cache, &report.changed_notes);
        let meta = cache.read()?.meta()?;
        report.notes = meta.notes as usize;
        report.problems = meta.problems;
        Ok((cache, report))
    }

    /// Runs a query on the caches. If it finds damage, rebuilds them, prints a message and repeats
    /// the query.
    pub fn ask<T>(
        &self,
        cache: Cache,
        question: impl Fn(&Cache) -> Result<T, CacheError>,
    ) -> Result<(T, Cache)> {
        let mut cache = cache;
        for _ in 0..MAX_REBUILDS {
            let error = match question(&cache) {
                Err(error) if error.is_damage() => error,
                answer => return Ok((answer?, cache)),
            };
            if let CacheError::Vectors(_) = &error {
                cache = self.repair_vectors(cache)?;
                continue;
            }
            cache = self.rebuild_damaged(cache, &error)?.0;
        }
        Ok((question(&cache)?, cache))
    }

    /// Rebuilds damaged or missing caches and prints a message.
    fn rebuild_damaged(
        &self,
        cache: Cache,
        error: &CacheError,
    ) -> Result<(Cache, IndexSyncReport)> {
        let damaged = cache.folder().to_owned();
        drop(cache);
        let why = if damaged.exists() {
            let _lock = cache::lock(&self.homes.cache, &self.env.holder())?;
            cache::discard(&self.homes.cache, &damaged);
            RebuildReason::Damaged(error.to_string())
        } else {
            RebuildReason::Missing
        };
        self.rebuild(&why)
    }

    /// Runs a full index pass.
    pub fn index(&self) -> Result<(Cache, IndexSyncReport)> {
        let lock = cache::lock(&self.homes.cache, &self.env.holder())?;
        self.index_under(lock, false)
    }

    /// Runs a full index pass; if the cache is not writable, returns it unchanged with a warning.
    pub fn index_if_writable(&self) -> Result<Cache> {
        match self.lock_unless_read_only()? {
            Some(lock) => Ok(self.index_under(lock, true)?.0),
            None => self.cache(),
        }
    }

    fn index_under(&self, lock: Lock, may_be_stale: bool) -> Result<(Cache, IndexSyncReport)> {
        match self.open_locked_cache() {
            Ok(cache) => {
                let indexed = self.full_pass_with_progress(&cache);
                let (cache, report) = self.after_pass(lock, cache, indexed, may_be_stale)?;
                self.record_external_changes(&cache, &report.changed_notes);
                Ok((cache, report))
            }
            Err(why) => {
                drop(lock);
                self.rebuild(&why)
            }
        }
    }

    /// Returns the caches after a full pass, with the notes it could not read.
    ///
    /// Commands that change links need every link, even one written a moment ago. `--no-sync` skips
    /// the pass.
    pub fn whole_cache(&self) -> Result<(Cache, IndexSyncReport)> {
        if self.env.no_sync {
            return Ok((self.cache()?, IndexSyncReport::default()));
        }
        self.index()
    }

    /// Warns of skipped notes that may link to a note with one of these `stems`.
    pub fn warn_of_unread(&self, mut report: IndexSyncReport, stems: &[&str]) {
        let may_link = |path: &str| {
            VaultPath::new(path).map_or(true, |path| self.vault.may_link_to(&path, stems))
        };
        report
            .problems
            .retain(|(path, _)| is_note_name(path) && may_link(path));
        self.warn_of_skipped(&report);
    }

    /// Warns of notes that a pass skipped.
    pub fn warn_of_skipped(&self, report: &IndexSyncReport) {
        for (path, why) in &report.problems {
            self.env.output.warn(&format!("skipped `{path}`: {why}"));
        }
    }

    /// Rebuilds the caches and prints the reason.
    pub fn rebuild(&self, why: &RebuildReason) -> Result<(Cache, IndexSyncReport)> {
        let lock = cache::lock(&self.homes.cache, &self.env.holder())?;
        // Another process may have built it while this one waited for the lock.
        if *why != RebuildReason::Wanted
            && let Ok(cache) = self.open_locked_cache()
        {
            let report = self.full_pass(self.quiet_source(), &cache)?;
            return Ok((cache, report));
        }
        let because = match why {
            RebuildReason::Missing | RebuildReason::Wanted => String::new(),
            RebuildReason::Format(found) if *found > meta::FORMAT => {
                "the index was written by a newer mem; ".to_owned()
            }
            RebuildReason::Format(_) => "the index was written by an older mem; ".to_owned(),
            RebuildReason::Language(language) => {
                format!("the index was built for another `index.language` ({language}); ")
            }
            RebuildReason::Damaged(why) => format!("the index could not be used ({why}); "),
            RebuildReason::Interrupted => "the last index run was interrupted; ".to_owned(),
        };
        drop(lock);
        let (cache, report) = self.build()?;
        if *why != RebuildReason::Wanted {
            let notes = count(report.notes, "note");
            self.env.output.say(&if because.is_empty() {
                format!("indexed {notes}")
            } else {
                format!("{because}reindexed {notes}")
            });
        }
        Ok((cache, report))
    }

    /// Builds the caches, repeatedly if they are deleted meanwhile.
    fn build(&self) -> Result<(Cache, IndexSyncReport), CacheError> {
        let progress = Progress::new(&self.env.output, "indexing");
        let mut rebuilds_left = MAX_REBUILDS;
        let at = |done, all| progress.at(done, all);
        loop {
            // The lock file may be deleted together with the caches.
            let _lock = cache::lock(&self.homes.cache, &self.env.holder())?;
            match self.rebuild_files(&at) {
                Err(error) if error.is_damage() && rebuilds_left > 0 => rebuilds_left -= 1,
                built => {
                    let (cache, report) = built?;
                    cache.record_pass(self.env.now.timestamp());
                    return Ok((cache, report));
                }
            }
        }
    }

    /// Returns a view of the indexed vault.
    pub fn view(&self, cache: &Cache) -> Result<View<'_>, CacheError> {
        let mut view = View::new(&self.vault, cache.read()?, self.env.now.clone());
        view.uses = Some(self.usage_files());
        view.signals.kept = Some(self.counts_file());
        view.saved = self.settings.texts_by_name(SAVED_QUERIES);
        Ok(view.with_signals(SignalFormulaOptions::of(&self.settings)))
    }

    /// Takes the lock for writing the caches; `None` if they are not writable.
    pub(super) fn lock_unless_read_only(&self) -> Result<Option<Lock>> {
        match cache::lock(&self.homes.cache, &self.env.holder()) {
            Ok(lock) => Ok(Some(lock)),
            Err(error) if error.is_unwritable() => {
                self.warn_stale(&error);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Warns that a stale index is used, and why.
    fn warn_stale(&self, error: &CacheError) {
        let cause = error
            .source()
            .and_then(|why| why.downcast_ref::<io::Error>());
        let why = match cause {
            Some(why) if why.kind() != io::ErrorKind::PermissionDenied => format!(" ({why})"),
            _ => String::new(),
        };
        self.env.output.warn(&format!(
            "answering from a stale index: cannot write to `{}`{why}",
            self.homes.cache.display()
        ));
    }

    /// Returns the current cache while the lock is held.
    ///
    /// LMDB opens a file only once per process, so `cache` is kept if it is still current.
    pub(super) fn current_cache(&self, cache: Cache) -> Result<Cache> {
        if cache.is_in_use(&self.homes.cache) {
            // Another process may have changed the model.
            self.embedder_of(&cache.read()?.meta()?);
            return Ok(cache);
        }
        drop(cache);
        match self.open_locked_cache() {
            Ok(cache) => Ok(cache),
            Err(_) => Ok(self.rebuild_files(&|_, _| ())?.0),
        }
    }

    /// Builds the caches with the model of those in use, whose vectors are reused; the caller holds
    /// the lock.
    fn rebuild_files(
        &self,
        progress: sync::ProgressCallback<'_>,
    ) -> Result<(Cache, IndexSyncReport), CacheError> {
        let replaced = Cache::catalog(&self.homes.cache);
        let meta = replaced.and_then(|catalog| catalog.read().ok()?.meta().ok());
        self.embedder_of(&meta.unwrap_or_default());
        let (seed, language) = (self.env.seed, self.index.language);
        let source = self.source(progress);
        let built = sync::rebuild(source, &self.homes.cache, seed, language)?;
        self.embedder_of(&built.0.read()?.meta()?);
        Ok(built)
    }
}
