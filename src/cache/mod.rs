//! Disposable caches of one vault: catalog, text index and vectors.
//!
//! ```text
//! <cache home>/mem/<vault>/
//!   CACHEDIR.TAG     excludes the folder from backups
//!   lock             held by the writer
//!   current          name of the folder in use
//!   learned          folded usage journal with random access
//!   encoder/         vectors of the better model that do not cover the vault yet: see [`embedding::upgrade`]
//!   <name>/          catalog.mdb, text/, vectors.<n>, graph.<n>, boot, passed, found/
//! ```
//!
//! A rebuild fills a new folder and then swaps `current`, so that a reader sees either the old or the new
//! index. Between rebuilds a sync changes the folder in use: text index first, catalog last. A generation
//! number in both detects an interrupted sync.
//!
//! The text index is not synced to disk. `boot` stores the boot id under which its files were last verified.
//! After a power cut the id differs, and all checksums are verified once.

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
pub mod prefix_index;
pub mod row;
mod sealed;
pub mod sync;
#[cfg(test)]
mod tests;
pub mod text;
mod top_k;
pub mod vectors;

pub use self::catalog::CatalogReader;
pub use self::freshness::MAX_NOTES_INDEXED_BY_READ;
pub use self::key::target_stem;
pub use self::prefix_index::PrefixKind;
pub use self::row::{Details, Flags, Row, Slot};
pub use self::text::clause::Clause;
pub use self::text::index::TextIndex;
pub use self::text::reader::TextReader;
pub use self::vectors::file::Vectors;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use self::catalog::Catalog;
pub use self::error::{CacheError, RebuildReason, Result};
use self::home::current;
pub use self::home::{discard, is_locked, lock};
use self::meta::{CacheMeta, VectorFile};
use self::vectors::hnsw::graph::HnswGraph;
use crate::note::LanguageSetting;
use crate::vault::Lock;

/// File with the time of the last full pass.
const LAST_PASS_FILE: &str = "passed";

/// The open caches of one vault.
pub struct Cache {
    folder: PathBuf,
    pub catalog: Catalog,
    pub text: TextIndex,
    /// The language setting of the notes.
    pub(crate) language: LanguageSetting,
    /// The model of the vectors when the cache was opened.
    pub vector_model: Option<String>,
}

impl Cache {
    /// Opens the caches under `home`, or returns why they must be built.
    pub fn open(home: &Path, language: LanguageSetting) -> Result<Self, RebuildReason> {
        // A writer may be between its two commits; only a lasting mismatch is an error.
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

    /// As [`Cache::open`], for a caller with the lock: no other process is between two commits.
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
            // The index of an empty vault has no commit.
            "" => Ok(0),
            generation => generation.parse::<u64>(),
        };
        match committed {
            Ok(generation) if generation == meta.generation => Ok(Self {
                folder,
                catalog,
                text,
                language,
                vector_model: meta.vectors.map(|file| file.model),
            }),
            // The catalog may have been committed since it was read.
            Ok(_) if catalog.read()?.meta()?.generation != meta.generation => {
                Err(RebuildReason::Interrupted)
            }
            Ok(generation) if generation > meta.generation => Err(RebuildReason::Interrupted),
            _ => Err(RebuildReason::Damaged(
                "catalog and text index do not match".to_owned(),
            )),
        }
    }

    /// Returns the folder of the caches in use under `home`.
    pub fn folder_in(home: &Path) -> Option<PathBuf> {
        Some(home.join(current(home)?))
    }

    /// Opens only the catalog in use under `home`; `None` if missing or unusable.
    pub fn catalog(home: &Path) -> Option<Catalog> {
        Catalog::open(&Self::folder_in(home)?).ok()
    }

    /// Makes the next opening of the caches under `home` verify all checksums of text index, vectors and
    /// graph.
    pub fn doubt(home: &Path) {
        if let Some(name) = current(home) {
            power_cut::doubt(&home.join(name));
        }
    }

    /// Verifies everything that was committed. If it is intact, the error was one of writing, such as a full
    /// disk.
    pub fn is_whole(&self) -> bool {
        let check = || -> Result<bool> {
            self.text.verify()?;
            let reading = self.catalog.read()?;
            reading.verify()?;
            let (text, meta) = (self.text.payload()?, reading.meta()?);
            Ok(text.is_empty() || text == meta.generation.to_string())
        };
        check().unwrap_or(false)
    }

    pub fn read(&self) -> Result<CatalogReader> {
        self.catalog.read()
    }

    /// Opens the vectors that the catalog records as `file`.
    pub fn vectors(&self, file: &VectorFile) -> Result<Vectors> {
        Ok(file.open(&self.folder)?)
    }

    /// Opens the graph over `vectors`; `None` if missing or unusable.
    pub fn graph(&self, vectors: &Vectors) -> Option<HnswGraph> {
        HnswGraph::open(&self.folder, vectors).ok()
    }

    /// Opens the vectors of a model; `None` if the index has none.
    pub fn vectors_of(&self, meta: &CacheMeta, model: &str) -> Result<Option<Vectors>> {
        let stored = meta.vectors.as_ref();
        let file = stored.filter(|file| file.rows > 0 && file.model == model);
        file.map(|file| self.vectors(file)).transpose()
    }

    /// Returns whether this is still the cache in use under `home`.
    pub fn is_in_use(&self, home: &Path) -> bool {
        current(home).is_some_and(|name| home.join(name) == self.folder)
            && self.folder.join("catalog.mdb").exists()
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Stores the time of a full pass. If that fails, the next pass comes earlier.
    pub fn record_pass(&self, at: Timestamp) {
        let sealed = sealed::seal(LAST_PASS_FILE.as_bytes(), at.to_string().into_bytes());
        let _ = fs::write(self.folder.join(LAST_PASS_FILE), sealed);
    }

    /// Returns the time of the last full pass.
    pub fn last_pass(&self) -> Option<Timestamp> {
        let sealed = fs::read(self.folder.join(LAST_PASS_FILE)).ok()?;
        let text = sealed::open(LAST_PASS_FILE.as_bytes(), &sealed)?;
        std::str::from_utf8(text).ok()?.parse().ok()
    }
}
