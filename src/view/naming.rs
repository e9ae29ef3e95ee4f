//! How a vault names its files, so that new ones look like those that are there.

use super::View;
use crate::cache::Result;
use crate::cache::beginnings::Kind;
use crate::note::names::naming::Naming;
use crate::note::path::without_ending;

/// How many file names are looked at.
const SAMPLE: usize = 200;

impl View<'_> {
    /// Returns how files are named in `folder`, empty for the whole vault; where nothing there says it, as
    /// in the vault, or as its notes are linked: Obsidian finds them by the names of their files.
    pub fn naming(&self, folder: &str) -> Result<Naming> {
        let below = match folder.trim_end_matches('/') {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        for start in [&*below, ""] {
            let paths = self.reading.beginning(Kind::Path, start, SAMPLE)?;
            let names = paths
                .iter()
                .map(|path| path.rsplit('/').next().unwrap_or(path));
            if let Some(naming) = Naming::of(names.map(without_ending)) {
                return Ok(naming);
            }
        }
        let is_obsidian = self.vault.root().join(".obsidian").is_dir();
        Ok(if is_obsidian {
            Naming::Title
        } else {
            Naming::Slug
        })
    }
}
