//! The only code that touches note files.
//!
//! `walk` finds the notes, [`Vault`] reads them, `guard` says which path mem may write, `swap`
//! puts new bytes in place of bytes that must still stand there, `lock` keeps two writers of one
//! machine apart, `editors` tells which notes are open, `copy` makes another vault of this one. The
//! caches read through here, `change` writes through here. The promise: nothing outside the vault's
//! folder is read or written for any link or name, and a note that another program changed is never
//! overwritten.

mod beneath;
pub mod copy;
pub mod editors;
pub mod fs;
pub mod guard;
pub mod ignored;
pub mod lock;
pub mod own;
pub mod swap;
#[cfg(test)]
pub(crate) mod tests;
pub mod walk;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::note::path::VaultPath;
use crate::note::words::hash::ContentHash;
use fs::io_at;

use fs::{FileKind, Fs, Meta, RealFs};

/// The folder that makes a folder a vault.
pub const OWN_FOLDER: &str = ".mem";

// What lies in it.
pub const CONFIG: &str = "config.toml";
/// The rules of a vault, beside its settings.
pub const RULES: &str = "rules.toml";
pub const JOURNAL: &str = "journal";
pub const STATE: &str = "state";
pub const TRASH: &str = "trash";
/// Only with `cache.inside`.
pub const CACHE: &str = "cache";

/// A folder of notes with a `.mem` in it.
#[derive(Clone, Debug)]
pub struct Vault {
    root: PathBuf,
    fs: Arc<dyn Fs>,
}

/// What tells cheaply that a note changed.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
)]
#[repr(C)]
pub struct Stat {
    pub size: u64,
    /// Time of the last content change, in nanoseconds since 1970.
    pub mtime_ns: i64,
}

impl From<Meta> for Stat {
    fn from(meta: Meta) -> Self {
        Self {
            size: meta.size,
            mtime_ns: meta.mtime_ns,
        }
    }
}

/// A note as it lies on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteText {
    /// Its whole text, byte order mark and all.
    pub text: String,
    /// What the file was when the reading began.
    pub stat: Stat,
    pub hash: ContentHash,
}

/// Why a folder is no vault.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Neither the folder nor one above it holds a `.mem`.
    #[error("no vault at `{}` or above", .start.display())]
    NoVault { start: PathBuf },
    /// Its `.mem` is a link or a file: it could lead anywhere.
    #[error("`{}` is not a folder", .path.display())]
    OwnFolderNotAFolder { path: PathBuf },
    /// The folder itself cannot be looked at.
    #[error("cannot open `{}`", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

io_at!(OpenError);

/// Why a note cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("`{path}` does not exist")]
    Missing { path: VaultPath },
    /// A link on its way leads out of the vault.
    #[error("`{path}` points outside the vault")]
    Outside { path: VaultPath },
    /// The bytes are no UTF-8 text.
    #[error("`{path}` is not UTF-8 text (byte {at})")]
    NotText {
        path: VaultPath,
        /// Number of good bytes before the first bad one.
        at: usize,
        hash: ContentHash,
        stat: Stat,
    },
    #[error("cannot read `{path}`")]
    Io { path: VaultPath, source: io::Error },
}

/// Says why a file cannot be read, in words after its name.
fn cannot_read(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "cannot read it (permission denied)".to_owned(),
        _ => format!("cannot read it ({error})"),
    }
}

impl ReadError {
    /// Returns the note.
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::Missing { path }
            | Self::Outside { path }
            | Self::NotText { path, .. }
            | Self::Io { path, .. } => path,
        }
    }

    /// Returns why, in words after its name.
    pub fn reason(&self) -> String {
        match self {
            Self::Missing { .. } => "it no longer exists".to_owned(),
            Self::Outside { .. } => "it points outside the vault".to_owned(),
            Self::NotText { at, .. } => format!("it is not UTF-8 text (byte {at})"),
            Self::Io { source, .. } => cannot_read(source),
        }
    }

    fn of(path: &VaultPath, source: io::Error) -> Self {
        let path = path.clone();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            io::ErrorKind::CrossesDevices => Self::Outside { path },
            _ => Self::Io { path, source },
        }
    }
}

impl Vault {
    /// Returns the vault that `start` lies in: the nearest folder upwards with a `.mem`.
    pub fn find(start: &Path) -> Result<Self, OpenError> {
        let start = start.canonicalize().map_err(OpenError::at(start))?;
        let home = start
            .ancestors()
            .find(|folder| folder.join(OWN_FOLDER).symlink_metadata().is_ok());
        match home {
            Some(root) => Self::open(root),
            None => Err(OpenError::NoVault { start }),
        }
    }

    /// Returns the vault whose root is `root`.
    pub fn open(root: &Path) -> Result<Self, OpenError> {
        let root = root.canonicalize().map_err(OpenError::at(root))?;
        let disk = Arc::new(RealFs::beneath(root.clone()));
        Self::at(root, disk)
    }

    /// As [`Vault::open`], on a given disk; `root` must be canonical.
    pub(crate) fn at(root: PathBuf, fs: Arc<dyn Fs>) -> Result<Self, OpenError> {
        let path = root.join(OWN_FOLDER);
        match fs.stat(&path) {
            Ok(meta) if meta.kind == FileKind::Folder => Ok(Self { root, fs }),
            Ok(_) => Err(OpenError::OwnFolderNotAFolder { path }),
            Err(err) if err.kind() == io::ErrorKind::NotFound => {
                Err(OpenError::NoVault { start: root })
            }
            Err(error) => Err(OpenError::at(path)(error)),
        }
    }

    /// Returns the canonical path of its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the disk it lies on.
    pub fn fs(&self) -> &dyn Fs {
        &*self.fs
    }

    /// Returns the name its machine-local folders have.
    pub fn key(&self) -> String {
        key(&self.root)
    }

    /// Reads a note, following links that stay inside the vault.
    pub fn read(&self, path: &VaultPath) -> Result<NoteText, ReadError> {
        let (bytes, meta) = self
            .fs
            .read_beneath(&self.root, path.as_ref())
            .map_err(|err| ReadError::of(path, err))?;
        let hash = ContentHash::of(&bytes);
        let stat = Stat::from(meta);
        match String::from_utf8(bytes) {
            Ok(text) => Ok(NoteText { text, stat, hash }),
            Err(err) => {
                let at = err.utf8_error().valid_up_to();
                Err(ReadError::NotText {
                    path: path.clone(),
                    at,
                    hash,
                    stat,
                })
            }
        }
    }

    /// Returns false if a file that need be no text certainly has none of these names, however a link writes
    /// them.
    pub fn may_name(&self, path: &VaultPath, names: &[&str]) -> bool {
        let Ok((bytes, _)) = self.fs.read_beneath(&self.root, path.as_ref()) else {
            return true;
        };
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        names.iter().any(|name| {
            // An address writes the other signs as numbers.
            let plain = name.split(|c: char| !c.is_ascii_alphanumeric());
            let longest = plain.max_by_key(|word| word.len()).unwrap_or_default();
            text.contains(&longest.to_lowercase())
        })
    }

    /// Returns size and time of a note without reading it.
    ///
    /// One system call; a link is an error, for the walk follows none.
    pub fn stat(&self, path: &VaultPath) -> Result<Stat, ReadError> {
        let meta = self
            .fs
            .stat(&self.absolute(path))
            .map_err(|err| ReadError::of(path, err))?;
        if meta.kind != FileKind::File {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
            return Err(ReadError::Io {
                path: path.clone(),
                source,
            });
        }
        Ok(meta.into())
    }

    /// Returns true if something stands at `path`, be it a link that leads nowhere.
    pub fn exists(&self, path: &VaultPath) -> bool {
        self.fs.stat(&self.absolute(path)).is_ok()
    }

    /// Returns the path of the note that `file` is, or leads to as a link; none outside of the vault.
    pub fn path_of(&self, file: &Path) -> Option<VaultPath> {
        let real = self.fs.canonical(file).ok()?;
        let path = real.strip_prefix(&self.root).ok()?;
        VaultPath::new(path.to_str()?).ok()
    }

    /// Returns the path of what lies in the folder of mem's own.
    pub fn own_path(&self, name: &str) -> PathBuf {
        self.root.join(OWN_FOLDER).join(name)
    }

    /// Returns the absolute path of a note.
    pub fn absolute(&self, path: &VaultPath) -> PathBuf {
        self.root.join(path)
    }
}

/// Returns the name that the machine-local folders of the vault at `root` have: readable, and unique by
/// canonical path.
fn key(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let readable: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .take(32)
        .collect();
    let hash = xxhash_rust::xxh3::xxh3_64(root.as_os_str().as_encoded_bytes());
    format!("{}-{hash:016x}", readable.trim_matches('-'))
        .trim_start_matches('-')
        .to_owned()
}

/// Where this machine keeps what belongs to one vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Homes {
    /// Lock, events not yet folded, undo history.
    pub state: PathBuf,
    /// What can be rebuilt.
    pub cache: PathBuf,
}

impl Homes {
    /// Returns the folders of `vault` under the user's state and cache homes.
    #[must_use]
    pub fn of(vault: &Vault, state_home: &Path, cache_home: &Path) -> Self {
        Self::at(&vault.root, state_home, cache_home)
    }

    /// As [`Homes::of`] the vault that is or will be at `root`, a canonical path.
    #[must_use]
    pub fn at(root: &Path, state_home: &Path, cache_home: &Path) -> Self {
        let key = key(root);
        Self {
            state: state_home.join("mem").join(&key),
            cache: cache_home.join("mem").join(key),
        }
    }

    /// The file of the writers' [`lock`].
    pub fn lock(&self) -> PathBuf {
        self.state.join("lock")
    }

    /// The lock of the one sleep at a time.
    pub fn sleep_lock(&self) -> PathBuf {
        self.state.join("sleep")
    }

    /// The lock of the one watch at a time.
    pub fn watch_lock(&self) -> PathBuf {
        self.state.join("watch")
    }

    /// The lock under which the record of the jobs is changed.
    pub fn record_lock(&self) -> PathBuf {
        self.state.join("record")
    }

    /// The questions that were skipped in a review.
    pub fn skipped(&self) -> PathBuf {
        self.state.join("review")
    }

    /// Held while judges are asked.
    pub fn judge_lock(&self) -> PathBuf {
        self.state.join("judge")
    }

    /// What is asked today, and how much is open.
    pub fn asked(&self) -> PathBuf {
        self.state.join("asked")
    }

    /// Says of which vault this one is a copy, if `mem sleep --to` made it.
    pub fn copy_of(&self) -> PathBuf {
        self.state.join("copy-of")
    }

    /// The folder of finished runs.
    pub fn history(&self) -> PathBuf {
        self.state.join("history")
    }

    /// The folder of runs in progress, or cut short.
    pub fn unfinished(&self) -> PathBuf {
        self.state.join("unfinished")
    }

    /// The folder of the reports of recent sleeps.
    pub fn sleeps(&self) -> PathBuf {
        self.state.join("sleeps")
    }
}
