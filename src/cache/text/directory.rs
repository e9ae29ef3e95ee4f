//! A tantivy directory without fsync.
//!
//! The stock directory syncs every segment file, every file list and the folder: about ten calls of several
//! milliseconds for one changed note. The index is a cache that the notes can rebuild, so mem does not
//! require it to survive a power cut. While the machine runs, files are complete before `meta.json` names
//! them, and `meta.json` is replaced atomically.
//!
//! File lists, `meta.json` among them, end in mem's own checksum.
//!
//! After a power cut a file may be truncated, empty or zeroed. Each file ends in a footer, which is checked
//! before use. A small file is also compared with the checksum in its footer. Only
//! [`super::index::TextIndex::verify`] finds a hole or a flipped bit in a larger one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
};

use crate::cache::{failpoint, sealed};

/// Last four bytes of every file that tantivy writes.
const FOOTER_END: [u8; 4] = 1337_u32.to_le_bytes();
/// Seal key of the file lists, whose checksums mem adds.
const LIST_SEAL_KEY: &[u8] = b"list";
/// Maximum length of a footer in tantivy, in bytes.
const MAX_FOOTER_BYTES: usize = 50_000;

/// Maximum size of a file whose checksum is verified before use: at most about 30 µs. Covers all files of a
/// small vault, and recent changes of a large one.
const MAX_VERIFIED_BYTES: usize = 256 << 10;

/// The parsed part of a footer.
#[derive(Deserialize)]
struct Footer {
    crc: u32,
}

/// A folder read through memory maps and written without fsync.
#[derive(Clone, Debug)]
pub(super) struct UnsyncedDirectory {
    mapped: MmapDirectory,
    root: PathBuf,
}

impl UnsyncedDirectory {
    /// Opens the folder `root`, which must exist.
    pub(super) fn open(root: &Path) -> tantivy::Result<Self> {
        Ok(Self {
            mapped: MmapDirectory::open(root)?,
            root: root.to_owned(),
        })
    }
}

impl Directory for UnsyncedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let handle = self.mapped.get_file_handle(path)?;
        let damage = |reason| {
            let reason = io::Error::new(io::ErrorKind::InvalidData, reason);
            OpenReadError::wrap_io_error(reason, path.to_owned())
        };
        let Some(body) = body(&*handle) else {
            return Err(damage("the file has no footer"));
        };
        if handle.len() <= MAX_VERIFIED_BYTES && !matches_checksum(&*handle, body) {
            return Err(damage("the file has a wrong checksum"));
        }
        Ok(handle)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        failpoint::pass(&self.root);
        self.mapped.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = self.root.join(path);
        let create = || OpenOptions::new().write(true).create_new(true).open(&file);
        // The file name of a deletion list contains the number of its change. A writer killed before its
        // commit has used that number; its file is not referenced.
        let created = create().or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists if is_tombstone_list(path) => {
                fs::remove_file(&file).and_then(|()| create())
            }
            _ => Err(error),
        });
        match created {
            Ok(file) => {
                failpoint::pass(&self.root);
                Ok(BufWriter::new(Box::new(UnsyncedFile {
                    file,
                    root: self.root.clone(),
                })))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(OpenWriteError::FileAlreadyExists(path.to_owned()))
            }
            Err(error) => Err(OpenWriteError::wrap_io_error(error, path.to_owned())),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let sealed = self.mapped.atomic_read(path)?;
        let list = sealed::open(LIST_SEAL_KEY, &sealed).map(<[u8]>::to_vec);
        list.ok_or_else(|| {
            let reason = io::Error::new(io::ErrorKind::InvalidData, "a list has a wrong checksum");
            OpenReadError::wrap_io_error(reason, path.to_owned())
        })
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let target = self.root.join(path);
        // Only one writer holds tantivy's lock, so the name cannot collide.
        let mut temporary = target.clone().into_os_string();
        temporary.push(".new");
        fs::write(&temporary, sealed::seal(LIST_SEAL_KEY, data.to_vec()))?;
        failpoint::pass(&self.root);
        fs::rename(&temporary, &target)?;
        failpoint::pass(&self.root);
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.mapped.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.mapped.watch(callback)
    }
}

/// Returns the length of a file without its footer; `None` without a footer.
fn body(file: &dyn FileHandle) -> Option<usize> {
    // tantivy subtracts the footer length without checking that the file is long enough.
    let marks = file.len().checked_sub(8)?;
    let end = file.read_bytes(marks..file.len()).ok()?;
    let (length, magic) = end.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let is_footer = *magic == FOOTER_END && length <= MAX_FOOTER_BYTES;
    marks.checked_sub(length).filter(|_| is_footer)
}

/// Returns whether the first `body` bytes of a file match the checksum in its footer.
fn matches_checksum(file: &dyn FileHandle, body: usize) -> bool {
    let Ok(bytes) = file.read_bytes(0..file.len() - 8) else {
        return false;
    };
    let footer: Result<Footer, _> = serde_json::from_slice(&bytes[body..]);
    footer.is_ok_and(|footer| footer.crc == crc32fast::hash(&bytes[..body]))
}

fn is_tombstone_list(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "del")
}

struct UnsyncedFile {
    file: File,
    root: PathBuf,
}

impl Write for UnsyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        failpoint::pass(&self.root);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for UnsyncedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        Ok(())
    }
}
