//! The index pass: synchronises the caches with the vault.
//!
//! Reads files with a new path, size or time, compares content hashes, and commits real changes: text index
//! first, catalog last. An unreadable note keeps its last good row and is reported. A vault that suddenly
//! seems empty stops the pass, unless mem removed the notes.

mod pass;
pub mod plan;

use std::collections::HashSet;
use std::path::Path;

use self::pass::IndexPass;
pub use self::pass::{ChangedNotes, IndexSyncReport, ProgressCallback, SyncSource};
use self::plan::SyncPlan;
use super::build::Build;
use super::catalog::CatalogReader;
use super::embedding::reusable_vectors;
use super::{Cache, Result};
use crate::note::LanguageSetting;

/// Number of notes read together.
const NOTES_PER_READ: usize = 512;

/// Rebuilds the caches from the whole vault. The caller holds the lock.
pub fn rebuild(
    source: SyncSource<'_>,
    home: &Path,
    instance: u64,
    language: LanguageSetting,
) -> Result<(Cache, IndexSyncReport)> {
    let embedder = source.embedder;
    let replaced_vectors = embedder.and_then(|embedder| reusable_vectors(home, embedder));
    let (build, cache) = Build::begin(home, instance, language)?;
    let reading = cache.read()?;
    let plan = SyncPlan {
        replaced_vectors,
        ..SyncPlan::whole(source.vault, &reading, HashSet::new)?
    };
    let report = apply_plan(source, &cache, &reading, plan)?;
    drop(reading);
    build.publish()?;
    Ok((cache, report))
}

/// Synchronises with the whole vault. The caller holds the lock.
///
/// `own_removals` is called if most notes are missing: those that mem removed do not count.
pub fn sync_all(
    source: SyncSource<'_>,
    cache: &Cache,
    own_removals: impl FnOnce() -> HashSet<String>,
) -> Result<IndexSyncReport> {
    let reading = cache.read()?;
    let plan = SyncPlan::whole(source.vault, &reading, own_removals)?;
    apply_plan(source, cache, &reading, plan)
}

/// Executes `plan`, which was computed from `reading`. The caller holds the lock.
pub fn apply_plan(
    source: SyncSource<'_>,
    cache: &Cache,
    reading: &CatalogReader,
    mut plan: SyncPlan,
) -> Result<IndexSyncReport> {
    let mut pass = IndexPass::begin(source, cache, reading, &mut plan)?;
    let total = plan.read.len();
    for (number, chunk) in plan.read.chunks(NOTES_PER_READ).enumerate() {
        (source.progress)(number * NOTES_PER_READ, total);
        pass.read(chunk)?;
    }
    (source.progress)(total, total);
    pass.commit(plan.remove)
}
