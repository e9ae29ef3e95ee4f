//! Opens files relative to a handle of their folder, so a folder swapped for a link cannot redirect
//! a write.
//!
//! [`RealFs`](super::fs::RealFs) and `own_files` open every file through this module. Below the root of a
//! vault no symbolic link is followed and the path cannot leave the root. In the user's home
//! folders links are followed.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Component, Path};

use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Mode, OFlags};

/// Flags of a folder handle that serves only as the base of relative paths.
#[cfg(any(target_os = "linux", target_os = "android"))]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// A file name in an open folder.
pub(super) struct FolderEntry<'p> {
    pub(super) folder: OwnedFd,
    pub(super) name: &'p OsStr,
}

impl<'p> FolderEntry<'p> {
    /// Opens the folder of `path`; below `root`, if given, without following links.
    pub(super) fn of(root: Option<&Path>, path: &'p Path) -> io::Result<Self> {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let below = root.and_then(|root| Some((root, above.strip_prefix(root).ok()?)));
        let folder = match below {
            Some((root, below)) => open_beneath(root, below)?,
            None if above.as_os_str().is_empty() => open_folder(Path::new("."))?,
            None => open_folder(above)?,
        };
        Ok(Self { folder, name })
    }

    /// Opens the file itself; a symbolic link of that name is an error.
    pub(super) fn open(&self, flags: OFlags, mode: u32) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode as rustix::fs::RawMode);
        Ok(rustix::fs::openat(&self.folder, self.name, flags, mode)?.into())
    }
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::openat(CWD, path, FOLDER, Mode::empty())?)
}

/// Opens the folder `below`, relative to `root`.
fn open_beneath(root: &Path, below: &Path) -> io::Result<OwnedFd> {
    let mut folder = open_folder(root)?;
    if below.as_os_str().is_empty() {
        return Ok(folder);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        use rustix::io::Errno;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(&folder, below, FOLDER, Mode::empty(), resolve) {
            Err(Errno::LOOP | Errno::XDEV) => return Err(io::ErrorKind::NotADirectory.into()),
            // The kernel or sandbox has no `openat2`.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return Ok(opened?),
        }
    }
    for part in below.components() {
        let Component::Normal(name) = part else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let flags = FOLDER | OFlags::NOFOLLOW;
        folder = rustix::fs::openat(&folder, name, flags, Mode::empty())?;
    }
    Ok(folder)
}
