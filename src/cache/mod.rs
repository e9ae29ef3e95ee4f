//! What can be deleted at any time: the catalog and the text index of one vault.
//!
//! ```text
//! <cache home>/mem/<vault>/
//!   CACHEDIR.TAG     backup tools leave it out
//!   lock             held by the writer
//!   current          the name of the folder in use
//!   learned          what the journal says of the use of notes, to be looked up in
//!   <name>/          catalog.mdb, text/, vectors.<n>, graph.<n>, boot, passed, found/
//! ```
//!
//! A rebuild fills a new folder and then swaps `current`, so that a reader sees the old index or the
//! new one, never a half. Between rebuilds a sync changes the folder in use: text index first, the
//! catalog last, with a generation in both by which an interrupted one is detected.
//!
//! The text index does not wait for the disk. `boot` names the boot of the machine in which its files
//! were last known to be whole: after a power cut it is another one, and the checksums are read once.

pub mod beginnings;
mod build;
pub mod catalog;
pub mod counts;
pub mod embedding;
pub mod error;
mod failpoint;
pub mod faults;
pub mod freshness;
pub mod home;
pub mod in_vault;
pub mod index_entry;
pub mod key;
pub mod learned;
pub mod lmdb;
pub mod meta;
pub mod options;
pub mod panics;
mod power_cut;
pub mod row;
mod sealed;
pub mod sync;
#[cfg(test)]
mod tests;
pub mod text;
mod top_k;
pub mod vectors;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use self::catalog::{Catalog, CatalogReader};
pub use self::error::{CacheError, RebuildReason, Result};
use self::home::current;
pub use self::home::{discard, lock};
use self::meta::{Meta, VectorFile};
use self::text::index::TextIndex;
use self::vectors::file::Vectors;
use self::vectors::hnsw::graph::Graph;
use crate::note::words::language::LanguageSetting;
use crate::vault::lock::Lock;

/// Holds when the whole vault was looked at last.
const LAST_PASS: &str = "passed";

/// The caches of one vault, open.
pub struct Cache {
    folder: PathBuf,
    pub catalog: Catalog,
    pub text: TextIndex,
    /// The language of its notes.
    pub(crate) language: LanguageSetting,
}

impl Cache {
    /// Opens the caches under `home`, or says why they have to be built.
    pub fn open(home: &Path, language: LanguageSetting) -> Result<Self, RebuildReason> {
        // A writer may be between its two commits: what it leaves after a moment is its own.
        for _ in 0..100 {
            match Self::open_locked(home, language) {
                Err(RebuildReason::Interrupted) if Lock::is_held(&home.join("lock")) => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                // The folder was replaced while it was being opened.
                Err(RebuildReason::Missing)
                    if current(home).is_some_and(|name| home.join(name).is_dir()) =>
                {
                    std::thread::sleep(Duration::from_millis(2));
                }
                done => return done,
            }
        }
        Self::open_locked(home, language)
    }

    /// As [`Cache::open`], for a caller that holds the lock: no other process is between two commits.
    pub fn open_locked(home: &Path, language: LanguageSetting) -> Result<Self, RebuildReason> {
        let name = current(home).ok_or(RebuildReason::Missing)?;
        let folder = home.join(name);
        let catalog = Catalog::open(&folder)?;
        let meta = catalog.read()?.meta()?;
        if meta.language != language.to_string() {
            return Err(RebuildReason::Language(meta.language));
        }
        let text = TextIndex::open(&folder.join("text"), language.fallback())?;
        power_cut::verify(&folder, &meta, &text)?;
        let committed = match text.payload()?.as_str() {
            // Nothing was ever added to the index of an empty vault.
            "" => Ok(0),
            generation => generation.parse::<u64>(),
        };
        match committed {
            Ok(generation) if generation == meta.generation => Ok(Self {
                folder,
                catalog,
                text,
                language,
            }),
            // The catalog may have been committed since it was read.
            Ok(_) if catalog.read()?.meta()?.generation != meta.generation => {
                Err(RebuildReason::Interrupted)
            }
            Ok(generation) if generation > meta.generation => Err(RebuildReason::Interrupted),
            _ => Err(RebuildReason::Damaged(
                "its two halves do not match".to_owned(),
            )),
        }
    }

    /// Opens the catalog in use under `home` alone, as it is; `None` if there is none that can be used.
    pub fn catalog(home: &Path) -> Option<Catalog> {
        Catalog::open(&home.join(current(home)?)).ok()
    }

    /// Lets the next opening of the caches under `home` compare text index, vectors and graph with their
    /// checksums, whole.
    pub fn doubt(home: &Path) {
        if let Some(name) = current(home) {
            power_cut::doubt(&home.join(name));
        }
    }

    /// Returns true if all that was committed is there and belongs together, read whole: what failed then was
    /// a write, as on a full disk, whatever it says.
    pub fn is_whole(&self) -> bool {
        let check = || -> Result<bool, CacheError> {
            self.text.verify()?;
            let reading = self.catalog.read()?;
            reading.verify()?;
            let (text, meta) = (self.text.payload()?, reading.meta()?);
            Ok(text.is_empty() || text == meta.generation.to_string())
        };
        check().unwrap_or(false)
    }

    pub fn read(&self) -> Result<CatalogReader, CacheError> {
        self.catalog.read()
    }

    /// Opens the vectors that the catalog speaks of as `file`.
    pub fn vectors(&self, file: &VectorFile) -> Result<Vectors, CacheError> {
        Ok(file.open(&self.folder)?)
    }

    /// Opens the graph over `vectors`; `None` if there is none that can be used.
    pub fn graph(&self, vectors: &Vectors) -> Option<Graph> {
        Graph::open(&self.folder, vectors).ok()
    }

    /// Opens the vectors of a model; `None` if the index has none of it.
    pub fn vectors_of(&self, meta: &Meta, model: &str) -> Result<Option<Vectors>, CacheError> {
        let file = meta.vectors.as_ref();
        let file = file.filter(|file| file.rows > 0 && file.model == model);
        file.map(|file| self.vectors(file)).transpose()
    }

    /// Returns true if this is still the cache that others open under `home`.
    pub fn is_in_use(&self, home: &Path) -> bool {
        current(home).is_some_and(|name| home.join(name) == self.folder)
            && self.folder.join("catalog.mdb").exists()
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps when the whole vault was looked at; where that cannot be kept, it is looked at sooner.
    pub fn record_pass(&self, at: Timestamp) {
        let sealed = sealed::seal(LAST_PASS.as_bytes(), at.to_string().into_bytes());
        let _ = fs::write(self.folder.join(LAST_PASS), sealed);
    }

    /// Returns when the whole vault was looked at last.
    pub fn last_pass(&self) -> Option<Timestamp> {
        let sealed = fs::read(self.folder.join(LAST_PASS)).ok()?;
        let text = sealed::open(LAST_PASS.as_bytes(), &sealed)?;
        std::str::from_utf8(text).ok()?.parse().ok()
    }
}
