//! Tables in text files, which `include_str!` puts into the program: word lists, lines of help.
//!
//! A line `[name]` begins a section, and each line below it is a row. Lines that begin with `#` are comments. Such a
//! file is read by whoever needs it, when it does.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

/// Returns the names and rows of the sections of `text`.
pub fn sections(
    text: &'static str,
) -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    let parts = text.split("\n[").skip(1);
    parts.filter_map(|part| {
        let (name, rows) = part.split_once("]\n")?;
        let is_row = |row: &&str| !row.is_empty() && !row.starts_with('#');
        Some((name, rows.lines().filter(is_row)))
    })
}

/// Returns the rows of a section.
///
/// # Panics
///
/// If there is no such section.
pub fn rows(text: &'static str, section: &str) -> impl Iterator<Item = &'static str> {
    let mut sections = sections(text);
    let found = sections.find(|(name, _)| *name == section);
    found.unwrap_or_else(|| panic!("no section `{section}`")).1
}

/// Returns the words of a section.
pub fn words(text: &'static str, section: &str) -> impl Iterator<Item = &'static str> {
    rows(text, section).flat_map(str::split_whitespace)
}

/// Returns the pairs of a section of words: `men=man`.
pub fn pairs(
    text: &'static str,
    section: &str,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    words(text, section).filter_map(|pair| pair.split_once('='))
}

/// Returns the columns of a row, which `|` separates.
///
/// # Panics
///
/// If there are not `N` of them.
#[must_use]
pub fn columns<const N: usize>(row: &str) -> [&str; N] {
    let columns: Vec<&str> = row.split('|').map(str::trim).collect();
    let count = columns.len();
    columns
        .try_into()
        .unwrap_or_else(|_| panic!("`{row}` has {count} columns, not {N}"))
}

/// Returns a line and the comment behind it: `mem undo  # Undo the last run`.
#[must_use]
pub fn commented(row: &str) -> (&str, &str) {
    row.split_once("  # ").unwrap_or((row, ""))
}

/// Returns the variant of an enum that serde calls `name`.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn variant<T: Deserialize<'static>>(name: &'static str) -> T {
    let name: StrDeserializer<'static, Error> = name.into_deserializer();
    T::deserialize(name).unwrap_or_else(|error| panic!("{error}"))
}
