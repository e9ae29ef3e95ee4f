//! Opens and maps the LMDB file of the catalog.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use heed::{Env, EnvFlags, EnvOpenOptions, WithoutTls};
use rustix::fs::FallocateFlags;
use rustix::io::Errno;

use super::error::{CacheError, Result, cannot_write};
use crate::vault::if_found;

/// Address space of the map in bytes; the file grows only as needed.
const MAP_SIZE: usize = 1 << 36;

/// Opens the database in `file`, or returns what is wrong with it.
pub(super) fn open(file: &Path) -> Result<Env<WithoutTls>> {
    let io = &CacheError::at(file);
    let found = if_found(fs::metadata(file)).map_err(io)?;
    let size = found.ok_or(CacheError::Missing)?.len();
    if size == 0 {
        return Err(CacheError::Damaged("the catalog is empty".to_owned()));
    }
    let env = create(file)?;
    // Access to pages beyond the end of the file would end the process with SIGBUS.
    let pages = env.info().last_page_number as u64 + 1;
    if pages * page_size(file)? > size {
        let reason = "the catalog is truncated".to_owned();
        return Err(CacheError::Damaged(reason));
    }
    Ok(env)
}

/// Extends the file to its last page after a commit.
///
/// LMDB does not write pages that a transaction allocates and frees, as when all notes are removed. Without this,
/// [`open`] would call such a file truncated.
pub(super) fn extend(env: &Env<WithoutTls>, file: &Path) -> Result<()> {
    let size = (env.info().last_page_number as u64 + 1) * page_size(file)?;
    let extend = || {
        let file = fs::OpenOptions::new().write(true).open(file)?;
        if file.metadata()?.len() < size {
            file.set_len(size)?;
        }
        Ok(())
    };
    extend().map_err(CacheError::at(file))
}

/// Size of the lock file in bytes, slightly more than LMDB needs for its readers.
const LOCK_SIZE: u64 = 64 << 10;

/// Opens the file, creating it if missing; read-only if the folder is not writable.
pub(super) fn create(file: &Path) -> Result<Env<WithoutTls>> {
    let flags = EnvFlags::NO_SUB_DIR | EnvFlags::NO_READ_AHEAD;
    let read_only = flags | EnvFlags::READ_ONLY | EnvFlags::NO_LOCK;
    let reservation = reserve_lock(file).map_err(heed::Error::Io);
    let env = match reservation.and_then(|()| map(file, flags)) {
        Err(heed::Error::Io(error)) if cannot_write(&error) => {
            map(file, read_only).map_err(|second| match second {
                heed::Error::Io(second) if second.kind() != io::ErrorKind::NotFound => {
                    heed::Error::Io(second)
                }
                heed::Error::Io(_) => heed::Error::Io(error),
                second => second,
            })
        }
        env => env,
    };
    env.map_err(|error| match error {
        heed::Error::Io(source) => CacheError::at(file)(source),
        other => CacheError::Damaged(other.to_string()),
    })
}

/// Allocates all blocks of the lock file. LMDB maps it sparse, and a page without disk space would end the
/// process with SIGBUS.
fn reserve_lock(file: &Path) -> io::Result<()> {
    let mut lock = file.to_owned().into_os_string();
    lock.push("-lock");
    // A complete file is not opened: closing it would release LMDB's locks in this process.
    let found = fs::metadata(&lock).ok();
    if found.is_some_and(|found| found.len() > 0 && found.blocks() * 512 >= found.len()) {
        return Ok(());
    }
    let options = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&lock)?;
    let length = options.metadata()?.len();
    let size = if length == 0 { LOCK_SIZE } else { length };
    allocate(&options, FallocateFlags::empty(), 0, size)
}

/// Allocates blocks of a file, if the file system supports that.
fn allocate(file: &fs::File, flags: FallocateFlags, from: u64, size: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, flags, from, size) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
        done => Ok(done?),
    }
}

/// Reserves `bytes` more in `file`, so that a commit cannot fail for lack of space.
#[cfg(target_os = "linux")]
pub(super) fn reserve(file: &Path, bytes: u64) -> Result<()> {
    let reserve = || {
        let file = fs::OpenOptions::new().write(true).open(file)?;
        let size = file.metadata()?.len();
        // From the start: pages freed before they were written are holes in the file.
        allocate(&file, FallocateFlags::KEEP_SIZE, 0, size + bytes)
    };
    reserve().map_err(CacheError::at(file))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn reserve(_: &Path, _: u64) -> Result<()> {
    Ok(())
}

fn map(file: &Path, flags: EnvFlags) -> Result<Env<WithoutTls>, heed::Error> {
    let mut options = EnvOpenOptions::new().read_txn_without_tls();
    options.map_size(MAP_SIZE).max_readers(512);
    // SAFETY: only mem writes to the folder, always through LMDB and its lock file. A replaced cache is
    // removed as a folder; a mapped file is never rewritten. Without a lock file the folder is read-only, and
    // so is the map.
    #[expect(unsafe_code, reason = "a mapped file is the point of LMDB")]
    unsafe {
        options.flags(flags);
        options.open(file)
    }
}

/// Returns the page size from the first meta page of the file.
fn page_size(file: &Path) -> Result<u64> {
    // Meta page: 16 bytes of page header, magic u32, version u32, address 8, map size 8, then the free-page
    // table, whose first field LMDB uses for the page size.
    const OFFSET: usize = 16 + 4 + 4 + 8 + 8;
    let io = &CacheError::at(file);
    let mut head = [0; OFFSET + 4];
    let mut opened = fs::File::open(file).map_err(io)?;
    opened.read_exact(&mut head).map_err(io)?;
    let size = u32::from_ne_bytes(*head.last_chunk().expect("it has four bytes"));
    if size.is_power_of_two() && (512..=65536).contains(&size) {
        Ok(size.into())
    } else {
        Err(CacheError::Damaged(format!(
            "the catalog claims pages of {size} bytes"
        )))
    }
}
