//! Whether files that were not synced survived: asked once per boot of the machine, and by `mem doctor`.

use std::fs;
use std::path::Path;

use super::meta::Meta;
use super::text::error::TextError;
use super::text::index::TextIndex;
use super::vectors::hnsw::graph::Graph;
use super::vectors::writer::remove_others;

/// Holds when the machine was started since which the files are known to be whole.
const BOOT: &str = "boot";

/// Lets the next opening read all checksums.
pub(super) fn doubt(folder: &Path) {
    // Where it cannot be removed, the caches cannot be mended either.
    let _ = fs::remove_file(folder.join(BOOT));
}

/// Reads the checksums of the text index and the vectors if the machine was started since they were
/// last looked at. Vectors that did not survive are taken away; the next command that needs them makes them anew.
pub(super) fn verify(folder: &Path, meta: &Meta, text: &TextIndex) -> Result<(), TextError> {
    // Where the system does not say, nothing can be told.
    let Ok(boot) = fs::read("/proc/sys/kernel/random/boot_id") else {
        return Ok(());
    };
    let file = folder.join(BOOT);
    if fs::read(&file).is_ok_and(|verified| verified == boot) {
        return Ok(());
    }
    text.verify()?;
    remove_damaged_vectors(folder, meta);
    // Without it the next command looks again.
    let _ = fs::write(&file, boot);
    Ok(())
}

fn remove_damaged_vectors(folder: &Path, meta: &Meta) {
    let Some(file) = meta.vectors.as_ref().filter(|file| file.rows > 0) else {
        return;
    };
    let Ok(vectors) = file.open(folder) else {
        return;
    };
    if vectors.verify().is_err() {
        // The next file has the next number.
        remove_others(folder, file.number.wrapping_add(1));
    } else if Graph::open(folder, &vectors).is_ok_and(|graph| graph.verify().is_err()) {
        let _ = fs::remove_file(folder.join(format!("graph.{}", file.number)));
    }
}
