//! Contents of a folder: every path with its bytes and mode.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use walkdir::WalkDir;

/// A folder at one moment; equality ignores times.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    entries: BTreeMap<String, (u32, Vec<u8>)>,
}

impl Tree {
    /// Reads everything under `folder` except `without`.
    pub(crate) fn of(folder: &Path, without: &[&str]) -> Self {
        let mut entries = BTreeMap::new();
        let walk = WalkDir::new(folder).min_depth(1).into_iter();
        for entry in walk.filter_entry(|entry| {
            entry.depth() != 1 || !without.iter().any(|name| entry.file_name() == *name)
        }) {
            let entry = entry.unwrap();
            let path = entry
                .path()
                .strip_prefix(folder)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            let bytes = match entry.file_type() {
                kind if kind.is_file() => fs::read(entry.path()).unwrap(),
                kind if kind.is_symlink() => fs::read_link(entry.path())
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes(),
                _ => Vec::new(),
            };
            entries.insert(path, (entry.metadata().unwrap().mode(), bytes));
        }
        Self { entries }
    }

    /// Returns every path.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Returns the differences of `after`: `+` added, `-` removed, `~` changed bytes or mode.
    pub(crate) fn changes(&self, after: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        for (path, was) in &self.entries {
            match after.entries.get(path) {
                None => changes.push(format!("- {path}")),
                Some(is) if is != was => changes.push(format!("~ {path}")),
                Some(_) => {}
            }
        }
        let new = after
            .entries
            .keys()
            .filter(|path| !self.entries.contains_key(*path));
        changes.extend(new.map(|path| format!("+ {path}")));
        changes.sort_by(|a, b| a[2..].cmp(&b[2..]));
        changes
    }

    /// Fails with the differences if `after` is not equal.
    #[track_caller]
    pub(crate) fn assert_same(&self, after: &Self) {
        assert_eq!(self.changes(after), Vec::<String>::new());
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.entries.iter().map(|(path, (mode, bytes))| {
            format!("{mode:o} {:016x} {path}", xxhash_rust::xxh3::xxh3_64(bytes))
        });
        f.debug_list().entries(lines).finish()
    }
}
