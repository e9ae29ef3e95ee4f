//! Verifies files that were not synced to disk: once per boot of the machine, and in `mem doctor`.

use std::fs;
use std::path::Path;

use super::meta::CacheMeta;
use super::text::error::TextIndexError;
use super::text::index::TextIndex;
use super::vectors::hnsw::graph::HnswGraph;
use super::vectors::writer::remove_others;

/// File with the id of the boot under which the files were last verified.
const BOOT_FILE: &str = "boot";

/// Makes the next opening verify all checksums.
pub(super) fn doubt(folder: &Path) {
    // If it cannot be removed, the caches cannot be repaired either.
    let _ = fs::remove_file(folder.join(BOOT_FILE));
}

/// Verifies the checksums of text index and vectors once per boot. Damaged vectors are dropped; the next
/// command that needs them computes them again.
pub(super) fn verify(
    folder: &Path,
    meta: &CacheMeta,
    text: &TextIndex,
) -> Result<(), TextIndexError> {
    // Without a boot id from the system nothing can be checked.
    let Ok(boot) = fs::read("/proc/sys/kernel/random/boot_id") else {
        return Ok(());
    };
    let file = folder.join(BOOT_FILE);
    if fs::read(&file).is_ok_and(|verified| verified == boot) {
        return Ok(());
    }
    text.verify()?;
    remove_damaged_vectors(folder, meta);
    // If this fails, the next command verifies again.
    let _ = fs::write(&file, boot);
    Ok(())
}

fn remove_damaged_vectors(folder: &Path, meta: &CacheMeta) {
    let Some(file) = meta.vectors.as_ref().filter(|file| file.rows > 0) else {
        return;
    };
    let Ok(vectors) = file.open(folder) else {
        return;
    };
    if vectors.verify().is_err() {
        // The next file has the next number.
        remove_others(folder, file.number.wrapping_add(1));
    } else if HnswGraph::open(folder, &vectors).is_ok_and(|graph| graph.verify().is_err()) {
        let _ = fs::remove_file(folder.join(format!("graph.{}", file.number)));
    }
}
