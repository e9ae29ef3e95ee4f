//! Reading and adding to mem's own files inside a vault.
//!
//! The vault may come from a stranger, or be synced with one: a link in the place of such a file must
//! not lead mem out of the vault, and a pipe must not keep it waiting.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// No file of mem's own grows beyond this.
const LARGEST: u64 = 64 << 20;

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
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::symlink;

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
}
