//! What the catalog knows of the vault as a whole.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::row::Slot;
use super::vectors::VectorError;
use super::vectors::file::Vectors;

/// Version of everything in the cache folder; any other is built afresh.
pub const FORMAT: u32 = 20;

/// How many of the notes changed last are looked at before each read.
pub const RECENT: usize = 256;

/// What is known of the vault as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// See [`FORMAT`].
    pub format: u32,
    /// Tells this cache from any other, so that a half-replaced one is detected.
    pub instance: u64,
    /// Counts commits; the text index carries the same number.
    pub generation: u64,
    pub next_slot: Slot,
    pub notes: u32,
    /// Number of notes that are forgotten or have an end: those that a search may hide.
    pub hideable: u32,
    /// The names of all properties, and how many notes have each.
    pub properties: BTreeMap<String, u32>,
    /// The setting `index.language` that it was built with.
    pub language: String,
    /// Every folder with notes or folders in it, and its modification time before it was listed.
    pub folders: Vec<(String, i64)>,
    /// Files that say what is a note, and their modification times.
    pub rules: Vec<(String, i64)>,
    /// The notes changed last, newest first.
    pub recent: Vec<(i64, Slot)>,
    /// Files that look like notes but could not be read, and why.
    pub problems: Vec<(String, String)>,
    /// The vectors of passages; none were ever made where there is none.
    pub vectors: Option<VectorFile>,
    /// Notes whose passages have no vectors yet.
    pub pending: u32,
}

/// What the catalog knows of the vector file: only so much of it exists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorFile {
    /// Which of the files it is.
    pub number: u32,
    /// Its rows; what lies behind them was never committed.
    pub rows: u32,
    /// Of these, the rows of passages that notes have now.
    pub living: u32,
    /// The numbers of a vector.
    pub dims: u32,
    /// What the numbers mean.
    pub model: String,
}

impl VectorFile {
    /// Opens the committed rows of the file, which lies in `folder`.
    pub fn open(&self, folder: &Path) -> Result<Vectors, VectorError> {
        Vectors::open(folder, self.number, self.rows, &self.model)
    }
}
