//! Reading and writing mem's own files: state, reports, settings, journal.
//!
//! The vault may come from a stranger, or be synced with one: a link in the place of such a file must
//! not lead mem out of the vault, and a pipe must not keep it waiting.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::io::Errno;
use tempfile::NamedTempFile;

/// No file of mem's own grows beyond this.
const LARGEST: u64 = 64 << 20;

/// How the names of drafts begin; the walk and sync tools pass over them, as over staged notes.
const DRAFT_PREFIX: &str = ".~mem-draft-";

/// A draft of this age was left by a crash.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// Returns the text of a regular file; a link, pipe or device in its place is an error.
pub fn read(path: &Path) -> io::Result<String> {
    String::from_utf8(read_bytes(path)?).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Returns the bytes of a regular file, text or not; otherwise as [`read`].
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file for reading; otherwise as [`read`].
pub fn open(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true), path)
}

/// Opens a regular file for adding at its end, making it if it is not there.
pub fn append(path: &Path) -> io::Result<File> {
    regular(
        OpenOptions::new().create(true).append(true).read(true),
        path,
    )
}

/// Replaces a file, or makes it with its folder: after a crash the old or the new bytes stand there.
///
/// Permissions stay; a new file is the user's alone. Synced before the rename, not after it.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = draft(path, bytes)?;
    if let Ok(found) = fs::metadata(path) {
        draft.as_file().set_permissions(found.permissions())?;
    }
    draft.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// As [`write_atomically`], but a file that stands there is [`io::ErrorKind::AlreadyExists`].
pub fn create_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let persisted = draft(path, bytes)?.persist_noclobber(path);
    persisted.map(|_| ()).map_err(|error| error.error)
}

fn draft(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    remove_abandoned(folder);
    let mut draft = tempfile::Builder::new()
        .prefix(DRAFT_PREFIX)
        .tempfile_in(folder)?;
    draft.write_all(bytes)?;
    draft.as_file().sync_data()?;
    Ok(draft)
}

/// Removes drafts that a crash left; a young one may be another process's.
fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_draft = entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(DRAFT_PREFIX.as_bytes());
        let is_abandoned = || {
            let modified = entry.metadata().ok()?.modified().ok()?;
            Some(modified.elapsed().ok()? > ABANDONED)
        };
        if is_draft && is_abandoned() == Some(true) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let other = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    let opened = options.custom_flags(flags.bits() as i32).open(path);
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
        let old = SystemTime::now() - 2 * ABANDONED;
        for (name, is_old) in [("a", false), ("b", true)] {
            let file = File::create(folder.path().join(format!("{DRAFT_PREFIX}{name}"))).unwrap();
            if is_old {
                file.set_modified(old).unwrap();
            }
        }
        let other = File::create(folder.path().join(".mine")).unwrap();
        other.set_modified(old).unwrap();
        write_atomically(&folder.path().join("state"), b"").unwrap();
        assert_eq!(names(), [".mine", ".~mem-draft-a", "state"]);
    }
}
