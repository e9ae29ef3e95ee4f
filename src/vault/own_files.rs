//! Reads and writes mem's own files: state, reports, settings, journal.
//!
//! A vault may come from a stranger or be synced with one. A link in place of such a file must not
//! lead mem out of the vault, and a pipe must not block it.

use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::OWN_FOLDER;
use super::fs::{Fs as _, RealFs};
use super::openat::FolderEntry;
use super::swap::TEMP_PREFIX;

/// Maximum size in bytes of a file of mem; a larger one is refused, not truncated.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Time in which a draft is created and locked; an older unlocked one was left by a crash.
const DRAFT_GRACE_PERIOD: Duration = Duration::from_secs(2);

/// Returns the text of a regular file; a link, pipe or device is an error.
pub fn read(path: &Path) -> io::Result<String> {
    String::from_utf8(read_bytes(path)?).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Like [`read`], for the bytes of any regular file.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(MAX_FILE_BYTES, path)
}

/// Like [`read_bytes`], with a size limit of `most` bytes.
pub fn read_up_to(most: u64, path: &Path) -> io::Result<Vec<u8>> {
    let name = path.file_name().unwrap_or_default();
    read_bounded(open(path)?, most, &name.to_string_lossy())
}

/// Returns the bytes of the open file `name`, at most `most` bytes.
pub(super) fn read_bounded(file: File, most: u64, name: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let words = format!("`{name}` is larger than {} MiB", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
    }
    Ok(bytes)
}

/// Opens a regular file for reading; other file types as in [`read`].
pub fn open(path: &Path) -> io::Result<File> {
    open_regular(path, OFlags::RDONLY)
}

/// Opens a regular file for appending, creating it if missing.
pub fn append(path: &Path) -> io::Result<File> {
    open_regular(path, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)
}

/// Like [`append`], but write-only, and a new file is accessible to the user only.
pub fn open_log(path: &Path) -> io::Result<File> {
    open_with_flags(
        path,
        OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE,
        0o600,
    )
}

/// Replaces a file, or creates it with its folder; a crash leaves the old or the new bytes.
///
/// Keeps permissions; a new file is accessible to the user only. Syncs before the rename, not
/// after. In a vault the folder must exist: see [`Vault::own_folder`](super::Vault).
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Not the mode of a link's target.
    let found = fs::symlink_metadata(path).ok();
    let mode = found
        .filter(fs::Metadata::is_file)
        .map(|found| found.permissions());
    write_through_draft(path, bytes, mode, |disk, draft| disk.rename(draft, path))
}

/// Like [`write_atomically`], but an existing file is [`io::ErrorKind::AlreadyExists`].
pub fn create_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_through_draft(path, bytes, None, |disk, draft| {
        disk.rename_new(draft, path)
    })
}

/// Returns the vault that contains a file of mem, if any.
///
/// The user's home for mem may have the same name as a vault's folder (`XDG_CONFIG_HOME=~/.mem`).
/// It then contains `mem`, which no vault's folder does.
fn vault_of(path: &Path) -> Option<&Path> {
    let own = path.ancestors().find(|above| above.ends_with(OWN_FOLDER))?;
    let is_home = path
        .strip_prefix(own)
        .is_ok_and(|below| below.starts_with("mem"));
    own.parent().filter(|_| !is_home)
}

/// Writes a draft next to `path` and calls `place` to move it there.
fn write_through_draft(
    path: &Path,
    bytes: &[u8],
    mode: Option<Permissions>,
    place: impl Fn(&RealFs, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let disk = if let Some(vault) = vault_of(path) {
        RealFs::beneath(vault.to_owned())
    } else {
        fs::create_dir_all(folder)?;
        RealFs::default()
    };
    remove_abandoned(&disk, folder);
    let (draft, mut file) = new_draft(folder)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| mode.map_or(Ok(()), |mode| file.set_permissions(mode)))
        .and_then(|()| file.sync_data())
        .and_then(|()| place(&disk, &draft));
    if written.is_err() {
        let _ = disk.remove_file(&draft);
    }
    written
}

/// Creates a file with a new name, locked while it is open.
fn new_draft(folder: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{TEMP_PREFIX}draft-{}-{number}", std::process::id());
        let path = folder.join(name);
        match FolderEntry::of(vault_of(&path), &path)?.open(flags, 0o600) {
            // Left by an earlier process with the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => {
                let _ = file.try_lock();
                return Ok((path, file));
            }
        }
    }
}

/// Whether a file is a draft left by a crash, which no process has open.
pub fn is_abandoned_draft(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let is_draft = name.as_encoded_bytes().strip_prefix(TEMP_PREFIX.as_bytes());
    let is_old = |file: &File| {
        let modified = file.metadata().and_then(|found| found.modified());
        modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > DRAFT_GRACE_PERIOD))
    };
    is_draft.is_some_and(|rest| rest.starts_with(b"draft-"))
        && open(path).is_ok_and(|file| is_old(&file) && file.try_lock().is_ok())
}

/// Removes drafts left by a crash in a folder outside of vaults.
pub fn remove_abandoned_drafts(folder: &Path) {
    remove_abandoned(&RealFs::default(), folder);
}

fn remove_abandoned(disk: &RealFs, folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_abandoned_draft(&entry.path()) {
            let _ = disk.remove_file(&entry.path());
        }
    }
}

fn open_regular(path: &Path, flags: OFlags) -> io::Result<File> {
    open_with_flags(path, flags, 0o666)
}

fn open_with_flags(path: &Path, flags: OFlags, mode: u32) -> io::Result<File> {
    require_regular(FolderEntry::of(vault_of(path), path)?.open(flags | OFlags::NONBLOCK, mode))
}

/// Returns the opened file, unless it is a link, pipe or device.
pub(super) fn require_regular(opened: io::Result<File>) -> io::Result<File> {
    let other = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(code) if code == Errno::LOOP.raw_os_error() => other(),
        _ => error,
    })?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(other())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::time::SystemTime;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn only_regular_files_are_read_and_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("secret"), "secret").unwrap();
        symlink(at("secret"), at("link")).unwrap();
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        for name in ["link", "pipe"] {
            assert!(read(&at(name)).is_err(), "{name}");
            assert!(append(&at(name)).is_err(), "{name}");
        }
        append(&at("new")).unwrap().write_all(b"a").unwrap();
        append(&at("new")).unwrap().write_all(b"b").unwrap();
        assert_eq!(read(&at("new")).unwrap(), "ab");
        assert_eq!(
            read(&at("none")).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    fn a_home_may_have_the_name_of_a_vaults_folder() {
        for (path, vault) in [
            ("/v/.mem/state/a.json", Some("/v")),
            ("/v/.mem/journal/mem/decisions.jsonl", Some("/v")),
            ("/home/.mem/mem/config.toml", None),
            ("/home/.mem/mem/vault-1/history/x/run.json", None),
            (
                "/home/.mem/mem/notes/.mem/config.toml",
                Some("/home/.mem/mem/notes"),
            ),
            ("/home/.config/mem/config.toml", None),
        ] {
            assert_eq!(vault_of(Path::new(path)), vault.map(Path::new), "{path}");
        }
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/state.json");
        write_atomically(&path, b"one").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (read(&path).unwrap(), mode(&path)),
            ("one".to_owned(), 0o600)
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(
            (read(&path).unwrap(), mode(&path)),
            ("two".to_owned(), 0o640)
        );
        let again = create_atomically(&path, b"three").unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        create_atomically(&path.with_file_name("other"), b"three").unwrap();
        assert_eq!(read(&path).unwrap(), "two");
    }

    #[test]
    fn drafts_that_a_crash_left_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let names = || {
            let entries = fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort_unstable();
            names
        };
        let old = SystemTime::now() - 2 * DRAFT_GRACE_PERIOD;
        let draft = |name: &str, modified| {
            let path = folder.path().join(format!("{TEMP_PREFIX}draft-{name}"));
            let file = File::create(path).unwrap();
            file.set_modified(modified).unwrap();
            file
        };
        draft("1-left", old);
        draft("2-new", SystemTime::now());
        let at_work = draft("3-at-work", old);
        at_work.lock().unwrap();
        let other = File::create(folder.path().join(".mine")).unwrap();
        other.set_modified(old).unwrap();
        write_atomically(&folder.path().join("state"), b"").unwrap();
        assert_eq!(
            names(),
            [
                ".mine",
                ".~mem-draft-2-new",
                ".~mem-draft-3-at-work",
                "state"
            ]
        );
    }

    #[test]
    fn a_folder_swapped_for_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let out = root.join("out");
        fs::create_dir_all(root.join("vault/.mem")).unwrap();
        fs::create_dir(&out).unwrap();
        symlink(&out, root.join("vault/.mem/state")).unwrap();
        let path = root.join("vault/.mem/state/a.json");
        assert!(write_atomically(&path, b"a").is_err());
        assert!(create_atomically(&path, b"a").is_err());
        assert!(append(&path).is_err());
        assert!(write_atomically(&root.join("vault/.mem/state/new/a"), b"a").is_err());
        assert_eq!(fs::read_dir(out).unwrap().count(), 0);
    }
}
