//! Shared code of the benches: flags, histories, random numbers, a simple note reader, and `mem` as
//! a process.
//!
//! Nothing here uses the crate's own parser: sharing it would hide its bugs.
#![allow(
    dead_code,
    reason = "each bench is its own crate and uses its part of this folder"
)]
#![allow(clippy::print_stderr, reason = "a bench talks on its streams")]

pub(crate) mod flags;
pub(crate) mod history;
pub(crate) mod process;
pub(crate) mod random;
pub(crate) mod rough;
pub(crate) mod vault;

/// Any error of a bench; the text contains what failed and where.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Result of a bench step.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Adds the path to an I/O error.
pub(crate) trait AtPath<T> {
    /// Returns the value, or the error prefixed with `path`.
    fn at(self, path: &std::path::Path) -> Outcome<T>;
}

impl<T> AtPath<T> for std::io::Result<T> {
    fn at(self, path: &std::path::Path) -> Outcome<T> {
        self.map_err(|error| format!("{}: {error}", path.display()).into())
    }
}
