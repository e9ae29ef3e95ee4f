//! The end of a process that a damaged file brings about.
//!
//! Catalog and text index are read from maps of their files. A number in them that leads out of the map
//! ends the process with SIGSEGV or SIGBUS, and no error can be made of that. What can be done in a handler
//! is to take the index out of use, so that the next command builds it, and to say so.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::unlink;
use signal_hook::consts::{SIGBUS, SIGSEGV};
use signal_hook::low_level::exit;
use signal_hook_registry::register_unchecked;

/// Ends the process with exit code 2 if reading the index under `home` faults, and takes that index out
/// of use. What `say` does has to be safe in a handler.
pub fn watch(home: &Path, say: impl Fn() + Clone + Send + Sync + 'static) -> io::Result<()> {
    let current = CString::new(home.join("current").as_os_str().as_bytes())?;
    let end = move || {
        // Where it cannot be removed, the next command says the same.
        let _ = unlink(&current);
        say();
        exit(2)
    };
    for signal in [SIGBUS, SIGSEGV] {
        let end = end.clone();
        // SAFETY: the action makes three system calls and does not return to what faulted.
        #[expect(unsafe_code, reason = "a handler may do only what is safe in one")]
        unsafe {
            register_unchecked(signal, move |_| end())?;
        }
    }
    Ok(())
}
