//! What holds for every command: exit codes, environment, files. Each is a term and what it means.

use crate::note::words::lists;

pub const EXIT_STATUS: &str = "exit status";
pub const ENVIRONMENT: &str = "environment";
pub const FILES: &str = "files";
/// Words that people type for a command, and what they mean.
/// The lists that commands print, with the keys that each thing in them has.
pub const RECORDS: &str = "records";
/// The documents about one thing, with keys that are always in them.
pub const THINGS: &str = "things";
/// Words that people type for a command, and what they mean.
pub const ELSEWHERE: &str = "elsewhere";

/// Returns the terms of a section.
pub fn terms(section: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    lists::rows(include_str!("conventions.txt"), section).map(lists::commented)
}
