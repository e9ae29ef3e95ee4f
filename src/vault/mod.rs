//! The only code that accesses note files.
//!
//! `walk` finds the notes, and [`Vault`] reads them. `write_guard` decides which paths mem may write.
//! `swap` replaces a note's bytes if they are still unchanged. `lock` separates writers on one
//! machine. `editors` detects open notes. The caches read and `change`
//! writes through this module. Guarantees: no link or name makes mem access files outside the
//! vault's folder, and a note that another program changed is never overwritten.

pub mod editors;
pub mod fs;
pub mod ignored;
pub mod lock;
mod openat;
pub mod own_files;
pub mod swap;
#[cfg(test)]
pub(crate) mod tests;
pub mod walk;
pub mod write_guard;

pub use self::fs::if_found;
pub(crate) use self::fs::is_same_name;
pub use self::lock::{Holder, Lock, LockError};
pub use self::write_guard::{WriteRefusal, is_note_name};

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::note::{ContentHash, VaultPath};
use fs::io_at;

use fs::{FileKind, FileMeta, Fs, RealFs};

/// The folder that marks its parent as a vault.
pub const OWN_FOLDER: &str = ".mem";

// Its contents.
/// A random name of the vault, written once.
pub const ID: &str = "id";
pub const CONFIG: &str = "config.toml";
/// The rules of a vault, next to its settings.
pub const RULES: &str = "rules.toml";
pub const JOURNAL: &str = "journal";
pub const STATE: &str = "state";
pub const TRASH: &str = "trash";
/// Only with `cache.inside`.
pub const CACHE: &str = "cache";

/// A folder of notes that contains a `.mem` folder.
#[derive(Clone, Debug)]
pub struct Vault {
    root: PathBuf,
    fs: Arc<dyn Fs>,
}

/// Metadata that reveals most changes of a note without reading it.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
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

impl From<FileMeta> for Stat {
    fn from(meta: FileMeta) -> Self {
        Self {
            size: meta.size,
            mtime_ns: meta.mtime_ns,
        }
    }
}

/// The text of a note on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteText {
    /// The whole text, including a byte order mark.
    pub text: String,
    /// Metadata from before the read.
    pub stat: Stat,
    pub hash: ContentHash,
}

/// The reason why a folder is not a vault.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Neither the folder nor one above it contains a `.mem`.
    #[error("no vault at `{}` or above", .start.display())]
    NoVault { start: PathBuf },
    /// Its `.mem` is a file or a link, which could lead anywhere.
    #[error("`{}` is not a folder", .path.display())]
    OwnFolderNotAFolder { path: PathBuf },
    /// The folder itself cannot be accessed.
    #[error("cannot open `{}`", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

io_at!(OpenError);

/// The reason why a note cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("`{path}` does not exist")]
    Missing { path: VaultPath },
    /// A symbolic link in the path leads out of the vault.
    #[error("`{path}` points outside the vault")]
    Outside { path: VaultPath },
    /// The bytes are not UTF-8 text.
    #[error("`{path}` is not UTF-8 text (byte {at})")]
    NotText {
        path: VaultPath,
        /// Number of valid bytes before the first invalid one.
        at: usize,
        stat: Stat,
    },
    #[error("cannot read `{path}`")]
    Io { path: VaultPath, source: io::Error },
}

/// Returns why a file cannot be read, as text after its name.
fn unreadable_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "cannot read it (permission denied)".to_owned(),
        _ => format!("cannot read it ({error})"),
    }
}

impl ReadError {
    /// Returns the path of the note.
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::Missing { path }
            | Self::Outside { path }
            | Self::NotText { path, .. }
            | Self::Io { path, .. } => path,
        }
    }

    /// Returns the reason, as text after the note's name.
    pub fn reason(&self) -> String {
        match self {
            Self::Missing { .. } => "it no longer exists".to_owned(),
            Self::Outside { .. } => "it points outside the vault".to_owned(),
            Self::NotText { at, .. } => format!("it is not UTF-8 text (byte {at})"),
            Self::Io { source, .. } => unreadable_reason(source),
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
    /// Returns the vault that contains `start`: the nearest folder upwards with a `.mem`.
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

    /// Returns the vault with the root folder `root`.
    pub fn open(root: &Path) -> Result<Self, OpenError> {
        let root = root.canonicalize().map_err(OpenError::at(root))?;
        let disk = Arc::new(RealFs::beneath(root.clone()));
        Self::at(root, disk)
    }

    /// Like [`Vault::open`], on a given disk; `root` must be canonical.
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

    /// Returns the disk that it is on.
    pub fn fs(&self) -> &dyn Fs {
        &*self.fs
    }

    /// Returns the name of its machine-local folders.
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
                    stat,
                })
            }
        }
    }

    /// Whether a file, even if not UTF-8, may contain a link to one of these names.
    ///
    /// False only if that is impossible in any spelling of a link.
    pub fn may_link_to(&self, path: &VaultPath, names: &[&str]) -> bool {
        let Ok((bytes, _)) = self.fs.read_beneath(&self.root, path.as_ref()) else {
            return true;
        };
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        names.iter().any(|name| {
            // Addresses percent-encode the other characters.
            let plain = name.split(|c: char| !c.is_ascii_alphanumeric());
            let longest = plain.max_by_key(|word| word.len()).unwrap_or_default();
            text.contains(&longest.to_lowercase())
        })
    }

    /// Returns size and time of a note without reading it.
    ///
    /// One system call; a symbolic link is an error, because the walk follows none.
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

    /// Whether anything exists at `path`, including a dangling link.
    pub fn exists(&self, path: &VaultPath) -> bool {
        self.fs.stat(&self.absolute(path)).is_ok()
    }

    /// Returns the vault path of `file` with links resolved; `None` outside the vault.
    pub fn path_of(&self, file: &Path) -> Option<VaultPath> {
        let real = self.fs.canonical(file).ok()?;
        let path = real.strip_prefix(&self.root).ok()?;
        VaultPath::new(path.to_str()?).ok()
    }

    /// Returns the path of a file in the `.mem` folder.
    pub fn own_path(&self, name: &str) -> PathBuf {
        self.root.join(OWN_FOLDER).join(name)
    }

    /// Returns the absolute path of a note.
    pub fn absolute(&self, path: &VaultPath) -> PathBuf {
        self.root.join(path)
    }
}

/// Returns `path` without links and `..`, as far as its folders exist.
///
/// A write below the root of a vault follows neither, and the user's folders may be there.
fn resolved(path: &Path) -> PathBuf {
    match (
        path.canonicalize(),
        path.parent(),
        path.components().next_back(),
    ) {
        (Ok(real), ..) => real,
        (Err(_), Some(above), Some(Component::ParentDir)) => {
            let mut folder = resolved(above);
            folder.pop();
            folder
        }
        (Err(_), Some(above), Some(name)) => resolved(above).join(name),
        (Err(_), ..) => path.to_owned(),
    }
}

/// Returns the name of machine-local folders for the vault at `root`: readable, and unique by path
/// and [`ID`], so that a new vault does not inherit the history of a deleted one.
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
    let path = root.as_os_str().as_encoded_bytes();
    // Vaults of earlier versions have no id.
    let id_file = RealFs::default().read_beneath(root, &Path::new(OWN_FOLDER).join(ID));
    let id = id_file.map(|(id, _)| id).unwrap_or_default();
    let hash = xxhash_rust::xxh3::xxh3_64(&[path, id.trim_ascii()].concat());
    format!("{}-{hash:016x}", readable.trim_matches('-'))
        .trim_start_matches('-')
        .to_owned()
}

/// The machine-local folders of one vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Homes {
    /// Lock, events not yet in the journal, undo history.
    pub state: PathBuf,
    /// Caches, which can be rebuilt.
    pub cache: PathBuf,
}

impl Homes {
    /// Returns the folders of `vault` under the user's state and cache homes.
    pub fn of(vault: &Vault, state_home: &Path, cache_home: &Path) -> Self {
        Self::at(&vault.root, state_home, cache_home)
    }

    /// Like [`Homes::of`], for an existing or future vault at `root`, a canonical path.
    pub fn at(root: &Path, state_home: &Path, cache_home: &Path) -> Self {
        let key = key(root);
        Self {
            state: resolved(&state_home.join("mem").join(&key)),
            cache: resolved(&cache_home.join("mem").join(key)),
        }
    }

    /// The file of the writers' [`lock`].
    pub fn lock(&self) -> PathBuf {
        self.state.join("lock")
    }

    /// The lock that allows one sleep at a time.
    pub fn sleep_lock(&self) -> PathBuf {
        self.state.join("sleep")
    }

    /// The lock that allows one watch at a time.
    pub fn watch_lock(&self) -> PathBuf {
        self.state.join("watch")
    }

    /// The file of the lock held during a sync.
    pub fn sync_lock(&self) -> PathBuf {
        self.state.join("sync")
    }

    /// Exists while a sync runs, and after one was killed.
    pub fn syncing(&self) -> PathBuf {
        self.state.join("syncing")
    }

    /// The lock for changes of the jobs' record.
    pub fn record_lock(&self) -> PathBuf {
        self.state.join("record")
    }

    /// The file of questions skipped in a review.
    pub fn skipped(&self) -> PathBuf {
        self.state.join("review")
    }

    /// The lock held during judge calls.
    pub fn judge_lock(&self) -> PathBuf {
        self.state.join("judge")
    }

    /// The file of today's questions and the number of open ones.
    pub fn asked(&self) -> PathBuf {
        self.state.join("asked")
    }

    /// The folder of what the sessions of agents were given.
    pub fn hooks(&self) -> PathBuf {
        self.state.join("hooks")
    }

    /// The folder of finished runs.
    pub fn history(&self) -> PathBuf {
        self.state.join("history")
    }

    /// The folder of runs in progress or interrupted.
    pub fn unfinished(&self) -> PathBuf {
        self.state.join("unfinished")
    }

    /// The folder of reports of recent sleeps.
    pub fn sleeps(&self) -> PathBuf {
        self.state.join("sleeps")
    }
}
