//! What can be deleted at any time: the catalog and the text index of one vault.
//!
//! ```text
//! <cache home>/mem/<vault>/
//!   CACHEDIR.TAG     backup tools leave it out
//!   lock             held by whoever writes
//!   current          the name of the folder in use
//!   <name>/          catalog.mdb, text/, vectors.<n>, graph.<n>, boot, passed, found/
//! ```
//!
//! A rebuild fills a new folder and then swaps `current`, so that a reader sees the old index or the
//! new one, never a half. Between rebuilds a sync changes the folder in use: text index first, the
//! catalog last, with a generation in both by which an interrupted one is noticed.
//!
//! The text index does not wait for the disk. `boot` names the boot of the machine in which its files
//! were last known to be whole: after a power cut it is another one, and the checksums are read once.

pub mod catalog;
#[cfg(test)]
mod crash_tests;
pub mod diff;
pub mod digest;
pub mod embedding;
mod failpoint;
pub mod freshness;
pub mod inside;
pub mod options;
pub mod panics;
pub mod row;
pub mod sync;
pub mod text;
mod top_k;
pub mod vectors;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use self::catalog::{Catalog, CatalogError, FORMAT, Meta, Reading, VectorFile};
use self::text::error::TextError;
use self::text::index::TextIndex;
use self::vectors::VectorError;
use self::vectors::file::Vectors;
use self::vectors::hnsw::graph::Graph;
use self::vectors::writer::remove_others;
use crate::note::analyzer::Language;
use crate::vault::lock::{Holder, Lock, LockError};
use crate::vault::walk::WalkError;

/// Why the caches cannot be used or made.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The catalog.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The text index.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The vector file.
    #[error(transparent)]
    Vectors(#[from] VectorError),
    /// The vault cannot be listed.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// Somebody else is writing and did not finish in time.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file system refused.
    #[error("{path}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// Most notes are gone at once, which is more likely a disk that is not mounted.
    #[error("{gone} of {known} notes are gone from the vault; the index is left as it is")]
    SuddenlyEmpty {
        /// How many notes are missing.
        gone: usize,
        /// How many were known.
        known: usize,
    },
}

/// Why a cache has to be built, for one line to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rebuild {
    /// There was none.
    Missing,
    /// It was asked for.
    Wanted,
    /// Another version of mem wrote it.
    Format(u32),
    /// It was made for another language.
    Language(String),
    /// It makes no sense.
    Damaged(String),
    /// A writer died between its two commits.
    Interrupted,
}

/// How long to wait for another writer.
const PATIENCE: Duration = Duration::from_secs(30);

/// When the whole vault was looked at last.
const PASSED: &str = "passed";

const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # This is the cache of `mem`; it can be deleted at any time.\n";

/// The caches of one vault, open.
pub struct Cache {
    folder: PathBuf,
    /// What is known of each note.
    pub catalog: Catalog,
    /// The words of each note.
    pub text: TextIndex,
}

impl Cache {
    /// As [`Cache::open`], for a caller that holds the lock: nobody else is between two commits.
    pub fn open_locked(home: &Path, language: Language) -> Result<Self, Rebuild> {
        Self::try_open(home, language)
    }

    /// Opens the caches under `home`, or says why they have to be built.
    pub fn open(home: &Path, language: Language) -> Result<Self, Rebuild> {
        // A writer may be between its two commits: what it leaves after a moment is its own.
        for _ in 0..100 {
            match Self::try_open(home, language) {
                Err(Rebuild::Interrupted) if is_being_written(home) => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                // The folder was replaced while it was being opened.
                Err(Rebuild::Missing)
                    if current(home).is_some_and(|name| home.join(name).is_dir()) =>
                {
                    std::thread::sleep(Duration::from_millis(2));
                }
                done => return done,
            }
        }
        Self::try_open(home, language)
    }

    fn try_open(home: &Path, language: Language) -> Result<Self, Rebuild> {
        let name = current(home).ok_or(Rebuild::Missing)?;
        let folder = home.join(name);
        let catalog = Catalog::open(&folder)?;
        let meta = catalog.read()?.meta()?;
        if meta.language != language.name() {
            return Err(Rebuild::Language(meta.language));
        }
        let text = TextIndex::open(&folder.join("text"), language)?;
        survived_power_cut(&folder, &meta, &text)?;
        let payload = text.payload()?;
        // Nothing was ever added to the index of an empty vault.
        let committed = if payload.is_empty() {
            Ok(0)
        } else {
            payload.parse::<u64>()
        };
        match committed {
            Ok(generation) if generation == meta.generation => Ok(Self {
                folder,
                catalog,
                text,
            }),
            // The catalog may have been committed since it was read.
            Ok(_) if catalog.read()?.meta()?.generation != meta.generation => {
                Err(Rebuild::Interrupted)
            }
            Ok(generation) if generation > meta.generation => Err(Rebuild::Interrupted),
            _ => Err(Rebuild::Damaged("its two halves do not match".to_owned())),
        }
    }

    /// Returns a picture of the catalog at this moment.
    pub fn read(&self) -> Result<Reading, CacheError> {
        Ok(self.catalog.read()?)
    }

    /// Opens the vectors that the catalog speaks of as `file`.
    pub fn vectors(&self, file: &VectorFile) -> Result<Vectors, CacheError> {
        let VectorFile {
            number,
            rows,
            model,
            ..
        } = file;
        Ok(Vectors::open(&self.folder, *number, *rows, model)?)
    }

    /// Opens the graph over `vectors`; `None` if there is none that can be used.
    #[must_use]
    pub fn graph(&self, vectors: &Vectors) -> Option<Graph> {
        Graph::open(&self.folder, vectors).ok()
    }

    /// Opens the vectors of a model; `None` if the index has none of it.
    pub fn vectors_of(&self, meta: &Meta, model: &str) -> Result<Option<Vectors>, CacheError> {
        let Some(file) = &meta.vectors else {
            return Ok(None);
        };
        if file.rows == 0 || file.model != model {
            return Ok(None);
        }
        self.vectors(file).map(Some)
    }

    /// Returns true if this is still the cache that others open under `home`.
    #[must_use]
    pub fn is_in_use(&self, home: &Path) -> bool {
        current(home).is_some_and(|name| home.join(name) == self.folder)
            && self.folder.join("catalog.mdb").exists()
    }

    /// Returns the folder in use.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps when the whole vault was looked at; where that cannot be kept, it is looked at sooner.
    pub fn passed(&self, at: Timestamp) {
        let _ = fs::write(self.folder.join(PASSED), at.to_string());
    }

    /// Returns when the whole vault was looked at last.
    #[must_use]
    pub fn last_pass(&self) -> Option<Timestamp> {
        let text = fs::read_to_string(self.folder.join(PASSED)).ok()?;
        text.parse().ok()
    }
}

/// Reads the checksums of the text index and the vectors if the machine was started since they were
/// last looked at. Vectors that did not survive are taken away; whoever needs them makes them anew.
fn survived_power_cut(folder: &Path, meta: &Meta, text: &TextIndex) -> Result<(), TextError> {
    // Where the system does not say, nothing can be told.
    let Ok(boot) = fs::read("/proc/sys/kernel/random/boot_id") else {
        return Ok(());
    };
    let file = folder.join("boot");
    if fs::read(&file).is_ok_and(|known| known == boot) {
        return Ok(());
    }
    text.verify()?;
    if let Some(file) = meta.vectors.as_ref().filter(|file| file.rows > 0) {
        let VectorFile {
            number,
            rows,
            model,
            ..
        } = file;
        let vectors = Vectors::open(folder, *number, *rows, model);
        if vectors
            .as_ref()
            .is_ok_and(|vectors| vectors.verify().is_err())
        {
            // The next file has the next number.
            remove_others(folder, number.wrapping_add(1));
        } else if let Ok(vectors) = &vectors
            && Graph::open(folder, vectors).is_ok_and(|graph| graph.verify().is_err())
        {
            let _ = fs::remove_file(folder.join(format!("graph.{number}")));
        }
    }
    // Without it the next command looks again.
    let _ = fs::write(&file, boot);
    Ok(())
}

/// Returns true if somebody holds the lock.
fn is_being_written(home: &Path) -> bool {
    let nobody = Holder {
        pid: 0,
        command: String::new(),
        since: String::new(),
    };
    home.join("lock").exists()
        && matches!(
            Lock::acquire(&home.join("lock"), &nobody),
            Err(LockError::Held { .. })
        )
}

impl CacheError {
    /// Returns true if the caches are at fault, damaged or gone, so that building them afresh helps.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        match self {
            Self::Catalog(CatalogError::Damaged(_) | CatalogError::Missing)
            | Self::Text(TextError::Damaged { .. } | TextError::Missing { .. }) => true,
            Self::Vectors(error) => error.is_damage(),
            Self::Catalog(CatalogError::Io { source, .. })
            | Self::Text(TextError::Io { source, .. })
            | Self::Io { source, .. } => gone(source),
            _ => false,
        }
    }
}

/// Takes a damaged cache out of use, unless another one is in use already. The caller holds the lock.
pub fn discard(home: &Path, damaged: &Path) {
    if current(home).is_some_and(|name| home.join(name) == damaged) {
        let _ = fs::remove_file(home.join("current"));
    }
}

/// Takes the right to write under `home`, which is made if missing.
pub fn lock(home: &Path, holder: &Holder) -> Result<Lock, CacheError> {
    let io = |source| CacheError::Io {
        path: home.to_owned(),
        source,
    };
    fs::create_dir_all(home).map_err(io)?;
    let tag = home.join("CACHEDIR.TAG");
    if !tag.exists() {
        fs::write(&tag, TAG).map_err(io)?;
    }
    Ok(Lock::wait(&home.join("lock"), holder, PATIENCE)?)
}

/// A cache being built beside the one in use; dropped unpublished, it leaves nothing.
#[derive(Debug)]
pub struct Build {
    home: PathBuf,
    name: String,
    published: bool,
}

impl Build {
    /// Begins an empty cache; `instance` tells it from all others. The caller holds the lock.
    pub fn begin(
        home: &Path,
        instance: u64,
        language: Language,
    ) -> Result<(Self, Cache), CacheError> {
        // The number comes from the seed of the run, which may be that of the run before.
        let mut instance = instance;
        while home.join(format!("{instance:016x}")).exists() {
            instance = instance.wrapping_add(1);
        }
        let name = format!("{instance:016x}");
        let folder = home.join(&name);
        let io = |source| CacheError::Io {
            path: folder.clone(),
            source,
        };
        // What earlier builds left when they were killed; the lock says nobody is at work there.
        let in_use = current(home);
        for entry in fs::read_dir(home).map_err(io)?.flatten() {
            let found = entry.file_name();
            let is_build = found.to_str().is_some_and(|found| {
                found.len() == 16 && found.bytes().all(|byte| byte.is_ascii_hexdigit())
            });
            if is_build && found.to_str() != in_use.as_deref() {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        fs::create_dir_all(folder.join("text")).map_err(io)?;
        let build = Self {
            home: home.to_owned(),
            name,
            published: false,
        };
        let meta = Meta {
            format: FORMAT,
            instance,
            language: language.name().to_owned(),
            ..Meta::default()
        };
        let catalog = Catalog::create(&folder, &meta)?;
        let text = TextIndex::create(&folder.join("text"), language)?;
        Ok((
            build,
            Cache {
                folder,
                catalog,
                text,
            },
        ))
    }

    /// Puts the new cache in the place of the old one, which is removed.
    pub fn publish(mut self) -> Result<(), CacheError> {
        let io = |source| CacheError::Io {
            path: self.home.clone(),
            source,
        };
        let old = current(&self.home);
        let mut file = tempfile::NamedTempFile::new_in(&self.home).map_err(io)?;
        file.write_all(self.name.as_bytes()).map_err(io)?;
        failpoint::pass(&self.home);
        file.persist(self.home.join("current"))
            .map_err(|error| io(error.error))?;
        self.published = true;
        failpoint::pass(&self.home);
        if let Some(old) = old.filter(|old| *old != self.name) {
            let _ = fs::remove_dir_all(self.home.join(old));
        }
        Ok(())
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        if !self.published {
            let _ = fs::remove_dir_all(self.home.join(&self.name));
        }
    }
}

/// The name of the folder in use; a damaged pointer is none.
fn current(home: &Path) -> Option<String> {
    let name = fs::read_to_string(home.join("current")).ok()?;
    let valid = name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    valid.then_some(name)
}

impl From<CatalogError> for Rebuild {
    fn from(error: CatalogError) -> Self {
        match error {
            CatalogError::Missing => Self::Missing,
            CatalogError::Format { found } => Self::Format(found),
            other => Self::Damaged(other.to_string()),
        }
    }
}

impl From<TextError> for Rebuild {
    fn from(error: TextError) -> Self {
        match error {
            TextError::Missing { .. } => Self::Damaged("the text index is missing".to_owned()),
            TextError::Outdated { .. } => Self::Format(0),
            other => Self::Damaged(other.to_string()),
        }
    }
}
