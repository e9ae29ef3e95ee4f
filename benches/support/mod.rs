//! What the benches share: flags, histories, reproducible chance, reading notes roughly, and `mem` as a process.
//!
//! Nothing here uses the crate's own reading of notes: a bench that shared it would share its
//! mistakes.
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

/// Any failure of a bench; the text says what and where.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Result of a bench's step.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Adds the path to an error of the file system.
pub(crate) trait AtPath<T> {
    /// Returns the value, or the error with `path` before it.
    fn at(self, path: &std::path::Path) -> Outcome<T>;
}

impl<T> AtPath<T> for std::io::Result<T> {
    fn at(self, path: &std::path::Path) -> Outcome<T> {
        self.map_err(|error| format!("{}: {error}", path.display()).into())
    }
}
