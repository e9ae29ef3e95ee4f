//! The cache folder of one vault: its lock, and which cache is in use.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::error::{CacheError, Result};
use crate::vault::{Holder, Lock, if_found, own_files};

/// Maximum time to wait for another writer.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// The file that names the folder in use.
pub(super) const CURRENT: &str = "current";

const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # This is the cache of `mem`; it can be deleted at any time.\n";

/// Returns the name of the folder in use; `None` if the pointer is damaged.
pub(super) fn current(home: &Path) -> Option<String> {
    let name = fs::read_to_string(home.join(CURRENT)).ok()?;
    is_cache_name(&name).then_some(name)
}

pub(super) fn is_cache_name(name: &str) -> bool {
    name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Disables a damaged cache, unless another one is in use already. The caller holds the lock.
pub fn discard(home: &Path, damaged: &Path) {
    if current(home).is_some_and(|name| home.join(name) == damaged) {
        let _ = fs::remove_file(home.join(CURRENT));
    }
}

/// Locks `home` for writing; creates the folder if missing.
pub fn lock(home: &Path, holder: &Holder) -> Result<Lock> {
    let io = &CacheError::at(home);
    fs::create_dir_all(home).map_err(io)?;
    let tag = home.join("CACHEDIR.TAG");
    if !tag.exists() {
        fs::write(&tag, TAG).map_err(io)?;
    }
    let lock = Lock::wait(&home.join("lock"), holder, LOCK_TIMEOUT)?;
    // Leftovers that cannot be removed now are harmless.
    let _ = remove_abandoned(home);
    Ok(lock)
}

/// Whether another process writes the caches.
pub fn is_locked(home: &Path) -> bool {
    Lock::is_held(&home.join("lock"))
}

/// Removes leftovers of killed writers: build folders and drafts. The caller holds the lock.
fn remove_abandoned(home: &Path) -> io::Result<()> {
    // An unreadable pointer may name a good folder.
    let in_use =
        if_found(fs::read(home.join(CURRENT)))?.and_then(|name| String::from_utf8(name).ok());
    for entry in fs::read_dir(home)?.flatten() {
        let file_name = entry.file_name();
        let name = file_name.to_str().filter(|name| is_cache_name(name));
        if name.is_some() && name != in_use.as_deref() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    own_files::remove_abandoned_drafts(home);
    if let Some(name) = in_use {
        own_files::remove_abandoned_drafts(&home.join(name));
    }
    Ok(())
}
