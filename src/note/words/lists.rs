//! Tables in text files, embedded by `include_str!`: word lists, lines of help.
//!
//! A line `[name]` begins a section, and each line below it is a row. Lines that begin with `#` are comments.
//! Files are parsed on demand.

use std::collections::{HashMap, HashSet};

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
/// If the section does not exist.
pub fn rows(text: &'static str, section: &str) -> impl Iterator<Item = &'static str> {
    let mut sections = sections(text);
    let found = sections.find(|(name, _)| *name == section);
    found.unwrap_or_else(|| panic!("no section `{section}`")).1
}

/// Returns the words of a section.
pub fn words(text: &'static str, section: &str) -> impl Iterator<Item = &'static str> {
    rows(text, section).flat_map(str::split_whitespace)
}

/// The words of a file by section, for membership tests. A row of phrases is comma-separated.
#[derive(Debug)]
pub struct Lists(HashMap<&'static str, HashSet<&'static str>>);

impl Lists {
    pub fn of(text: &'static str) -> Self {
        let each = |row: &'static str| -> Vec<&'static str> {
            if row.contains(',') {
                row.split(',').map(str::trim).collect()
            } else {
                row.split_whitespace().collect()
            }
        };
        let lists = sections(text).map(|(name, rows)| (name, rows.flat_map(each).collect()));
        Self(lists.collect())
    }

    /// Returns the words of a section.
    ///
    /// # Panics
    ///
    /// If the section does not exist.
    pub fn words(&self, section: &str) -> &HashSet<&'static str> {
        let words = self.0.get(section);
        words.unwrap_or_else(|| panic!("no section `{section}`"))
    }

    /// Returns whether `word` is in a section, which must exist.
    pub fn has(&self, section: &str, word: &str) -> bool {
        self.words(section).contains(word)
    }
}

/// Returns the pairs of a section of words: `men=man`.
pub fn pairs(
    text: &'static str,
    section: &str,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    words(text, section).filter_map(|pair| pair.split_once('='))
}

/// Returns the columns of a row, separated by `|`.
///
/// # Panics
///
/// If their number is not `N`.
pub fn columns<const N: usize>(row: &str) -> [&str; N] {
    let columns: Vec<&str> = row.split('|').map(str::trim).collect();
    let count = columns.len();
    columns
        .try_into()
        .unwrap_or_else(|_| panic!("`{row}` has {count} columns, not {N}"))
}

/// Defines `ALL` and `name` for the variants of an enum.
macro_rules! named {
    (
        $(#[$meta:meta])*
        $vis:vis enum $of:ident { $($(#[$about:meta])* $variant:ident = $name:literal,)+ }
    ) => {
        $(#[$meta])*
        $vis enum $of { $($(#[$about])* $variant,)+ }

        $crate::note::words::lists::named! { $of { $($variant = $name,)+ } }
    };
    ($of:ty { $($variant:ident = $name:literal,)+ }) => {
        impl $of {
            /// All variants.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name, as shown and typed.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}
pub(crate) use named;

/// Splits a line from its comment: `mem undo  # Undo the last run`.
pub fn split_comment(row: &str) -> (&str, &str) {
    row.split_once("  # ").unwrap_or((row, ""))
}

/// Returns the variant of an enum that serde calls `name`.
///
/// # Panics
///
/// If there is none.
pub fn variant<T: Deserialize<'static>>(name: &'static str) -> T {
    let name: StrDeserializer<'static, Error> = name.into_deserializer();
    T::deserialize(name).unwrap_or_else(|error| panic!("{error}"))
}

/// Fails unless `text` has exactly these sections in this order, and every line is used.
#[cfg(test)]
pub(crate) fn assert_read_whole(text: &'static str, names: &[&str]) {
    let (mut found, mut read) = (Vec::new(), 0);
    for (name, rows) in sections(text) {
        let rows = rows.count();
        assert!(rows > 0, "nothing is in `{name}`");
        found.push(name);
        read += rows;
    }
    assert_eq!(found, names);
    let is_row = |line: &&str| !line.is_empty() && !line.starts_with(['#', '[']);
    assert_eq!(read, text.lines().filter(is_row).count());
}
