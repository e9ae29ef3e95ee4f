//! Detects the file naming convention of a vault, so that new files follow it.

use super::View;
use crate::cache::{PrefixKind, Result};
use crate::note::names::naming::FileNameStyle;
use crate::note::without_ending;

/// Number of file names to sample.
const MAX_NAMES_SAMPLED: usize = 200;

impl View<'_> {
    /// Returns the naming convention of `folder` (empty for the root). Falls back to the convention
    /// of the vault, then to titles in an Obsidian vault, whose links use file names, and slugs
    /// elsewhere.
    pub fn naming(&self, folder: &str) -> Result<FileNameStyle> {
        let below = match folder.trim_end_matches('/') {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        for start in [&*below, ""] {
            let paths = self
                .reading
                .beginning(PrefixKind::Path, start, MAX_NAMES_SAMPLED)?;
            let names = paths
                .iter()
                .map(|path| path.rsplit('/').next().unwrap_or(path));
            if let Some(naming) = FileNameStyle::of(names.map(without_ending)) {
                return Ok(naming);
            }
        }
        let is_obsidian = self.vault.root().join(".obsidian").is_dir();
        Ok(if is_obsidian {
            FileNameStyle::Title
        } else {
            FileNameStyle::Slug
        })
    }
}
