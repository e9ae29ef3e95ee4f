//! Handles SIGSEGV and SIGBUS caused by a damaged file.
//!
//! Catalog and text index are read through memory maps. A damaged offset that points outside the map ends the
//! process with a signal, which cannot become an error. A signal handler can only disable the index, so that
//! the next command rebuilds it, and report that.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::unlink;
use signal_hook::consts::{SIGBUS, SIGSEGV};
use signal_hook::low_level::exit;
use signal_hook_registry::register_unchecked;

use super::home::CURRENT;

/// The folders that this process watches. A server opens the same vault again and again.
static WATCHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Ends the process with exit code 2 on a fault while the index under `home` is read, and disables that
/// index. `say` must be async-signal-safe.
pub fn watch(home: &Path, say: impl Fn() + Clone + Send + Sync + 'static) -> io::Result<()> {
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    if !watched.insert(home.to_owned()) {
        return Ok(());
    }
    let current = CString::new(home.join(CURRENT).as_os_str().as_bytes())?;
    let end = move || {
        // If it cannot be removed, the next command reports the same.
        let _ = unlink(&current);
        say();
        exit(2)
    };
    for signal in [SIGBUS, SIGSEGV] {
        let end = end.clone();
        // SAFETY: the action makes three system calls and never returns to the faulting code.
        #[expect(unsafe_code, reason = "a handler may do only what is safe in one")]
        unsafe {
            register_unchecked(signal, move |_| end())?;
        }
    }
    Ok(())
}
