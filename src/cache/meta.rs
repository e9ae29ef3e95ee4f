//! Catalog metadata of the whole vault.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::row::Slot;
use super::vectors::VectorError;
use super::vectors::file::Vectors;

/// Version of the cache folder; any other version is rebuilt.
pub const FORMAT: u32 = 29;

/// Number of most recently changed notes to check before each read.
pub const RECENT_NOTES_CHECKED: usize = 256;

/// Metadata of the whole vault.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheMeta {
    /// See [`FORMAT`].
    pub format: u32,
    /// Identifies this cache, so that a half-replaced one is detected.
    pub instance: u64,
    /// Number of commits; the text index carries the same number.
    pub generation: u64,
    pub next_slot: Slot,
    pub notes: u32,
    /// Number of notes that a search can hide: forgotten, or with an end date.
    pub hideable: u32,
    /// Number of notes with a conflict of a merge.
    pub unmerged: u32,
    /// Names of all properties, with the number of notes that have each.
    pub properties: BTreeMap<String, u32>,
    /// The setting `index.language` at build time.
    pub language: String,
    /// Every folder with notes or subfolders, and its modification time before the listing.
    pub folders: Vec<(String, i64)>,
    /// Files with rules for which files are notes, and their modification times.
    pub rules: Vec<(String, i64)>,
    /// The most recently changed notes, newest first.
    pub recent: Vec<(i64, Slot)>,
    /// Files that could not be read as notes, with the reason.
    pub problems: Vec<(String, String)>,
    /// The vector file of the passages; `None` if there never was one.
    pub vectors: Option<VectorFile>,
    /// Number of notes whose passages have no vectors yet.
    pub pending: u32,
}

/// The committed part of the vector file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorFile {
    /// Number of the file.
    pub number: u32,
    /// Number of committed rows; later rows are not part of the file.
    pub rows: u32,
    /// Number of these rows that belong to current passages.
    pub living: u32,
    /// Components of a vector.
    pub dims: u32,
    /// Id of the model.
    pub model: String,
}

impl VectorFile {
    /// Opens the committed rows of the file in `folder`.
    pub fn open(&self, folder: &Path) -> Result<Vectors, VectorError> {
        Vectors::open(folder, self.number, self.rows, &self.model)
    }
}
