//! The file system interface: every operation on a note, the trash or a run record goes through
//! [`Fs`].
//!
//! There are two implementations: [`RealFs`], and a recording and failing one that lets tests
//! simulate a power failure after any operation. The doc of each method is its contract: atomicity,
//! durability, and which links it follows. Nothing in this module depends on notes.
//!
//! Paths are absolute. Unless stated otherwise, no method follows a symlink in the last component.
//! Callers check which paths may be written (`write_guard`). [`RealFs::beneath`] protects against folders
//! that are swapped for links after that check.

use std::ffi::OsString;
use std::fmt::Debug;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, Gid, Mode, OFlags, Uid, XattrFlags};

use super::openat::FolderEntry;

/// Adds a function `at` to an error type with a variant `Io { path, source }`, which converts I/O
/// errors.
macro_rules! io_at {
    ($error:ident) => {
        impl $error {
            /// Returns a function that adds the path to an I/O error.
            pub(crate) fn at(
                path: impl Into<std::path::PathBuf>,
            ) -> impl Fn(std::io::Error) -> Self + Clone {
                let path = path.into();
                move |source| Self::Io {
                    path: path.clone(),
                    source,
                }
            }
        }
    };
}
pub(crate) use io_at;

/// Converts a "not found" error to `None`.
pub fn if_found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Maximum size in bytes of a note or record.
///
/// A stranger's vault may contain a sparse file of any size; without a limit it would fill the
/// memory.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// The file type of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Folder,
    Symlink,
    /// A device, pipe or socket.
    Other,
}

/// The metadata of one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileMeta {
    pub kind: FileKind,
    pub size: u64,
    /// Time of the last content change, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Permission bits, without the file type.
    pub mode: u32,
    /// Number of names the file has.
    pub links: u64,
    /// The device number of its file system.
    pub device: u64,
    /// Its inode number on that device.
    pub inode: u64,
}

impl FileMeta {
    fn of(found: &fs::Metadata) -> Self {
        let kind = if found.is_file() {
            FileKind::File
        } else if found.is_dir() {
            FileKind::Folder
        } else if found.is_symlink() {
            FileKind::Symlink
        } else {
            FileKind::Other
        };
        Self {
            kind,
            size: found.len(),
            mtime_ns: found
                .mtime()
                .saturating_mul(1_000_000_000)
                .saturating_add(found.mtime_nsec()),
            mode: found.mode() & 0o7777,
            links: found.nlink(),
            device: found.dev(),
            inode: found.ino(),
        }
    }
}

/// The operations needed for notes, trash and run records.
pub trait Fs: Send + Sync + Debug {
    /// Returns the metadata of `path` itself, without following it.
    fn stat(&self, path: &Path) -> io::Result<FileMeta>;

    /// Whether `path` itself is a folder.
    fn is_folder(&self, path: &Path) -> bool {
        let found = self.stat(path);
        found.is_ok_and(|meta| meta.kind == FileKind::Folder)
    }

    /// Returns the absolute path with all symlinks resolved; `path` must exist.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// Returns the bytes of a regular file and its metadata from before the read.
    ///
    /// A symlink, folder, pipe or device, and a file above [`MAX_FILE_BYTES`], is an error; a pipe
    /// never blocks.
    fn read(&self, path: &Path) -> io::Result<(Vec<u8>, FileMeta)>;

    /// Like [`Fs::read`] for `relative` under `root`, following symlinks that stay under `root`.
    ///
    /// `root` must be canonical. A path that leads outside is [`io::ErrorKind::CrossesDevices`].
    fn read_beneath(&self, root: &Path, relative: &Path) -> io::Result<(Vec<u8>, FileMeta)>;

    /// Returns `length` bytes of a regular file starting at `offset`; a shorter file is an error.
    fn read_span(&self, path: &Path, offset: u64, length: usize) -> io::Result<Vec<u8>>;

    /// Returns the names in a folder, unsorted, without `.` and `..`.
    fn list(&self, path: &Path) -> io::Result<Vec<OsString>>;

    /// Whether this process may write to the file.
    fn is_writable(&self, path: &Path) -> bool;

    /// Writes a new file.
    ///
    /// Neither atomic nor durable: after a crash it may contain any prefix.
    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Copies mode, owner and extended attributes of `from` to the file `to`.
    ///
    /// Fails if mode or `user.*` attributes cannot be set. Owner, access lists and labels are
    /// copied as far as this process may.
    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Sets the permission bits of a file.
    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()>;

    /// Waits until the content of the file, or the names in the folder, are on disk.
    fn sync(&self, path: &Path) -> io::Result<()>;

    /// Waits until everything written to the file system of `path` is on disk.
    ///
    /// [`io::ErrorKind::Unsupported`] if the platform cannot do this.
    fn sync_filesystem(&self, path: &Path) -> io::Result<()>;

    /// Exchanges two files of one folder atomically; durable after a sync of the folder.
    ///
    /// [`io::ErrorKind::Unsupported`], without any effect, if the file system cannot do this.
    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()>;

    /// Moves a file to a free name; fails with [`io::ErrorKind::AlreadyExists`] otherwise.
    ///
    /// Atomic. Without such a rename it uses link and unlink; after a crash in between, repeating
    /// it completes the move. Gap: on a file system with neither (FAT), a file created between
    /// check and rename is overwritten.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Moves a file or folder, atomically replacing a file or empty folder at `to`.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    fn remove_file(&self, path: &Path) -> io::Result<()>;

    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// Creates one folder with `mode` minus the umask; an existing one is an error.
    fn create_folder(&self, path: &Path, mode: u32) -> io::Result<()>;
}

/// The real disk.
#[derive(Clone, Debug, Default)]
pub struct RealFs {
    root: Option<PathBuf>,
}

impl RealFs {
    /// Returns a disk that follows no links below `root` when it writes or removes.
    ///
    /// `root` must be canonical.
    pub fn beneath(root: PathBuf) -> Self {
        Self { root: Some(root) }
    }

    fn entry<'p>(&self, path: &'p Path) -> io::Result<FolderEntry<'p>> {
        FolderEntry::of(self.root.as_deref(), path)
    }

    /// Opens a file or folder for calls that need a handle.
    fn open(&self, path: &Path) -> io::Result<File> {
        match &self.root {
            Some(root) if path != root && path.starts_with(root) => {
                self.entry(path)?.open(OFlags::RDONLY | OFlags::NONBLOCK, 0)
            }
            _ => File::open(path),
        }
    }

    fn rename_flagged(&self, from: &Path, to: &Path, flag: RenameFlag) -> io::Result<()> {
        rename_flagged(&self.entry(from)?, &self.entry(to)?, flag)
    }
}

impl Fs for RealFs {
    fn stat(&self, path: &Path) -> io::Result<FileMeta> {
        fs::symlink_metadata(path).map(|found| FileMeta::of(&found))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn read(&self, path: &Path) -> io::Result<(Vec<u8>, FileMeta)> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        read_regular(self.entry(path)?.open(flags, 0)?)
    }

    fn read_beneath(&self, root: &Path, relative: &Path) -> io::Result<(Vec<u8>, FileMeta)> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::ResolveFlags;
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let under = rustix::fs::open(
                root,
                OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
                Mode::empty(),
            )?;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
            match rustix::fs::openat2(&under, relative, flags, Mode::empty(), resolve) {
                Ok(file) => return read_regular(File::from(file)),
                // An absolute symlink that leads back inside, or a kernel without `openat2`.
                Err(
                    rustix::io::Errno::XDEV
                    | rustix::io::Errno::NOSYS
                    | rustix::io::Errno::PERM
                    | rustix::io::Errno::INVAL,
                ) => {}
                Err(err) => return Err(err.into()),
            }
        }
        let target = fs::canonicalize(root.join(relative))?;
        if !target.starts_with(root) {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        self.read(&target)
    }

    fn read_span(&self, path: &Path, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let file = File::open(path)?;
        // Checked before the allocation, because the length may come from a damaged record.
        if offset.saturating_add(length as u64) > file.metadata()?.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, offset)?;
        Ok(bytes)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(path)?
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect()
    }

    fn is_writable(&self, path: &Path) -> bool {
        rustix::fs::access(path, Access::WRITE_OK).is_ok()
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        self.entry(path)?.open(flags, 0o666)?.write_all(bytes)
    }

    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        let from = self.entry(from)?.open(flags, 0)?;
        let to = self.entry(to)?.open(flags, 0)?;
        copy_file_attributes(&from, &to)
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        let file = self.open(path)?;
        file.set_permissions(fs::Permissions::from_mode(mode))
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        self.open(path)?.sync_all()
    }

    fn sync_filesystem(&self, path: &Path) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        return Ok(rustix::fs::syncfs(self.open(path)?)?);
        #[cfg(not(target_os = "linux"))]
        {
            let _ = path;
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        self.rename_flagged(a, b, RenameFlag::Exchange)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match self.rename_flagged(from, to, RenameFlag::NoReplace) {
            Err(err) if err.kind() == io::ErrorKind::Unsupported => {}
            done => return done,
        }
        let (old, new) = (self.entry(from)?, self.entry(to)?);
        let linked = rustix::fs::linkat(
            &old.folder,
            old.name,
            &new.folder,
            new.name,
            AtFlags::empty(),
        );
        match linked.map_err(io::Error::from) {
            Ok(()) => self.remove_file(from),
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
                if is_half_moved(self, from, to) {
                    self.remove_file(from)
                } else {
                    Err(err)
                }
            }
            Err(_) if fs::symlink_metadata(to).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => self.rename(from, to),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (self.entry(from)?, self.entry(to)?);
        let (old, new) = (&from.folder, &to.folder);
        Ok(rustix::fs::renameat(old, from.name, new, to.name)?)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let place = self.entry(path)?;
        let flags = AtFlags::empty();
        Ok(rustix::fs::unlinkat(&place.folder, place.name, flags)?)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let place = self.entry(path)?;
        let flags = AtFlags::REMOVEDIR;
        Ok(rustix::fs::unlinkat(&place.folder, place.name, flags)?)
    }

    fn create_folder(&self, path: &Path, mode: u32) -> io::Result<()> {
        let place = self.entry(path)?;
        let mode = Mode::from_raw_mode(mode as rustix::fs::RawMode);
        Ok(rustix::fs::mkdirat(&place.folder, place.name, mode)?)
    }
}

/// Reads an open file, which must be regular and of limited size.
fn read_regular(file: File) -> io::Result<(Vec<u8>, FileMeta)> {
    // Read before the bytes: a concurrent write leaves an older time here, so it is detected later.
    let meta = FileMeta::of(&file.metadata()?);
    if meta.kind != FileKind::File {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    if meta.size > MAX_FILE_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::with_capacity(meta.size as usize + 1);
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok((bytes, meta))
}

/// Whether two names in one folder are one name to its file system, like `Tea.md` and `tea.md` on
/// one that ignores case.
pub(crate) fn is_same_name(fs: &dyn Fs, one: &Path, other: &Path) -> bool {
    let (Some(folder), Some(one_name), Some(other_name)) =
        (one.parent(), one.file_name(), other.file_name())
    else {
        return false;
    };
    // A hard-linked file can have both names; then both are listed.
    one != other
        && other.parent() == Some(folder)
        && link_count_if_same_file(fs, one, other).is_some()
        && fs.list(folder).is_ok_and(|names| {
            let is_listed = |wanted| names.iter().any(|name| name == wanted);
            !(is_listed(one_name) && is_listed(other_name))
        })
}

/// Whether a move by link and unlink was interrupted in between, so one file has both names.
pub(crate) fn is_half_moved(fs: &dyn Fs, from: &Path, to: &Path) -> bool {
    link_count_if_same_file(fs, from, to).is_some_and(|links| links > 1)
        && !is_same_name(fs, from, to)
}

/// Returns the number of hard links if both paths are the same file.
fn link_count_if_same_file(fs: &dyn Fs, one: &Path, other: &Path) -> Option<u64> {
    let (one, other) = (fs.stat(one).ok()?, fs.stat(other).ok()?);
    ((one.device, one.inode) == (other.device, other.inode)).then_some(one.links)
}

#[derive(Clone, Copy)]
enum RenameFlag {
    Exchange,
    NoReplace,
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_flagged(
    from: &FolderEntry<'_>,
    to: &FolderEntry<'_>,
    flag: RenameFlag,
) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;
    let flags = match flag {
        RenameFlag::Exchange => RenameFlags::EXCHANGE,
        RenameFlag::NoReplace => RenameFlags::NOREPLACE,
    };
    renameat_with(&from.folder, from.name, &to.folder, to.name, flags).map_err(|err| {
        if [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&err) {
            io::ErrorKind::Unsupported.into()
        } else {
            err.into()
        }
    })
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_flagged(_: &FolderEntry<'_>, _: &FolderEntry<'_>, _: RenameFlag) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Like [`Fs::copy_attributes`], for open files.
fn copy_file_attributes(from: &File, to: &File) -> io::Result<()> {
    let (found, own) = (from.metadata()?, to.metadata()?);
    // Owner first, because changing it clears mode bits.
    if (found.uid(), found.gid()) != (own.uid(), own.gid()) {
        let (uid, gid) = (Uid::from_raw(found.uid()), Gid::from_raw(found.gid()));
        // A process may give a file to its own groups without the right to change the owner.
        if rustix::fs::fchown(to, Some(uid), Some(gid)).is_err() {
            let _ = rustix::fs::fchown(to, None, Some(gid));
        }
    }
    to.set_permissions(fs::Permissions::from_mode(found.mode() & 0o7777))?;
    copy_extended_attributes(from, to)
}

/// Copies all extended attributes; failing to set one of `user.*` is an error.
fn copy_extended_attributes(from: &File, to: &File) -> io::Result<()> {
    use rustix::fs::{fgetxattr, flistxattr, fsetxattr};
    let mut names = vec![0; 64 << 10];
    // A file system without extended attributes has none to lose.
    let Ok(length) = flistxattr(from, names.as_mut_slice()) else {
        return Ok(());
    };
    let mut value = Vec::new();
    for name in names[..length]
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
    {
        // The kernel's limit for one value.
        value.resize(64 << 10, 0);
        let Ok(size) = fgetxattr(from, name, value.as_mut_slice()) else {
            continue;
        };
        let set = fsetxattr(to, name, &value[..size], XattrFlags::empty());
        if let Err(err) = set
            && name.starts_with(b"user.")
        {
            return Err(err.into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::tests::FaultFs;

    /// Checks the contract of `Fs`, for both the real and the test implementation.
    fn check_contract(disk: &dyn Fs) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        let text = |name: &str| disk.read(&at(name)).map(|(bytes, _)| bytes);

        disk.write_new(&at("a"), b"one").unwrap();
        let again = disk.write_new(&at("a"), b"two").unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(text("a").unwrap(), b"one", "a second write changes nothing");

        disk.write_new(&at("b"), b"two").unwrap();
        disk.exchange(&at("a"), &at("b")).unwrap();
        assert_eq!(
            (text("a").unwrap(), text("b").unwrap()),
            (b"two".to_vec(), b"one".to_vec())
        );
        let gone = disk.exchange(&at("a"), &at("absent")).unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
        assert_eq!(text("a").unwrap(), b"two");

        let taken = disk.rename_new(&at("a"), &at("b")).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(
            (text("a").unwrap(), text("b").unwrap()),
            (b"two".to_vec(), b"one".to_vec())
        );
        disk.rename_new(&at("a"), &at("c")).unwrap();
        assert_eq!(text("a").unwrap_err().kind(), io::ErrorKind::NotFound);
        disk.rename(&at("c"), &at("b")).unwrap();
        assert_eq!(text("b").unwrap(), b"two");

        assert_eq!(disk.read_span(&at("b"), 1, 2).unwrap(), b"wo");
        assert!(disk.read_span(&at("b"), 2, 2).is_err());

        disk.create_folder(&at("d"), 0o777).unwrap();
        assert!(disk.create_folder(&at("d"), 0o777).is_err());
        disk.write_new(&at("d/e"), b"").unwrap();
        assert!(disk.remove_folder(&at("d")).is_err(), "not empty");
        disk.remove_file(&at("d/e")).unwrap();
        disk.sync(&at("d")).unwrap();
        disk.sync(&at("b")).unwrap();
        disk.remove_folder(&at("d")).unwrap();
        assert_eq!(disk.list(&root).unwrap(), ["b"]);

        std::os::unix::fs::symlink(at("b"), at("link")).unwrap();
        assert!(disk.read(&at("link")).is_err(), "reading never follows");
        assert_eq!(disk.stat(&at("link")).unwrap().kind, FileKind::Symlink);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        assert!(disk.read(&at("pipe")).is_err(), "a pipe does not block");
        File::create(at("huge"))
            .unwrap()
            .set_len(MAX_FILE_BYTES + 1)
            .unwrap();
        assert_eq!(
            text("huge").unwrap_err().kind(),
            io::ErrorKind::FileTooLarge
        );
    }

    #[test]
    fn real_fs_keeps_the_contract() {
        check_contract(&RealFs::default());
    }

    #[test]
    fn fault_fs_keeps_the_contract_without_faults() {
        check_contract(&FaultFs::default());
    }

    #[test]
    fn read_beneath_never_leaves_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("vault");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(root.join("../secret"), "s").unwrap();
        fs::write(root.join("in.md"), "i").unwrap();
        let link = |to: &Path, at: &Path| std::os::unix::fs::symlink(to, at);
        link(Path::new("../secret"), &root.join("out.md")).unwrap();
        link(&root.join("../secret"), &root.join("out-absolute.md")).unwrap();
        link(Path::new(".."), &root.join("up")).unwrap();
        link(Path::new("../in.md"), &root.join("sub/rel.md")).unwrap();
        link(&root.join("in.md"), &root.join("sub/abs.md")).unwrap();
        let read = |path: &str| {
            RealFs::default()
                .read_beneath(&root, Path::new(path))
                .map(|(bytes, _)| bytes)
        };
        for path in ["in.md", "sub/rel.md", "sub/abs.md"] {
            assert_eq!(read(path).unwrap(), b"i", "{path}");
        }
        for path in ["out.md", "out-absolute.md", "up/secret"] {
            assert_eq!(
                read(path).unwrap_err().kind(),
                io::ErrorKind::CrossesDevices,
                "{path}"
            );
        }
    }

    #[test]
    fn attributes_are_copied() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::write(&from, "a").unwrap();
        fs::write(&to, "b").unwrap();
        RealFs::default().set_mode(&from, 0o640).unwrap();
        let has = rustix::fs::lsetxattr(&from, "user.tag", b"red", XattrFlags::empty()).is_ok();
        RealFs::default().copy_attributes(&from, &to).unwrap();
        assert_eq!(RealFs::default().stat(&to).unwrap().mode, 0o640);
        if has {
            let mut value = [0; 8];
            let length = rustix::fs::lgetxattr(&to, "user.tag", value.as_mut_slice()).unwrap();
            assert_eq!(&value[..length], b"red");
        }
    }
}
