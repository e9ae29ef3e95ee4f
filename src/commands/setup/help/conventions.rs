//! Conventions of all commands: exit codes, environment, files, as terms with meanings.

use crate::note::words::lists;

pub const EXIT_STATUS: &str = "exit status";
pub const ENVIRONMENT: &str = "environment";
pub const FILES: &str = "files";
/// The lists that commands print, with the keys that are always present.
pub const RECORDS: &str = "records";
/// The documents about one thing, with the keys that are always present.
pub const DOCUMENTS: &str = "things";
/// Words that people type for a command, with the right command.
pub const OTHER_NAMES: &str = "elsewhere";

/// Returns the terms of a section.
pub fn terms(section: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    lists::rows(include_str!("conventions.txt"), section).map(lists::split_comment)
}
