//! Converts panics of libraries into errors.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Nesting depth of [`catch`] on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Returns whether a panic of this thread becomes an error, so that the hook stays silent.
pub fn is_panic_caught() -> bool {
    DEPTH.get() > 0
}

/// Runs `run`; a panic becomes an error with its message.
pub(super) fn catch<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    DEPTH.set(DEPTH.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(run));
    DEPTH.set(DEPTH.get() - 1);
    result.map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}
