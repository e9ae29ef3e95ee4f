//! Reasons why a vault cannot be watched by events, with remedies.

use crate::run::prelude::*;
use notify::ErrorKind;

/// Returns why watching `folder` failed.
pub(super) fn problem(folder: &Path, error: &notify::Error) -> String {
    let is_mfile =
        |error: &io::Error| error.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error());
    match &error.kind {
        ErrorKind::MaxFilesWatch => "too many folders for this system's limit; raise it with `sysctl fs.inotify.max_user_watches=524288`".to_owned(),
        ErrorKind::Io(error) if is_mfile(error) => "too many programs watch folders; raise the limit with `sysctl fs.inotify.max_user_instances=512`".to_owned(),
        _ => format!("`{}` cannot be watched: {error}", folder.display()),
    }
}

/// Returns the type of `folder`'s file system, if its files may change remotely without an event.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn remote_file_system(folder: &Path) -> Option<&'static str> {
    let found = rustix::fs::statfs(folder).ok()?;
    remote_name(u64::from(found.f_type as u32))
}

/// Unknown on this platform.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn remote_file_system(_: &Path) -> Option<&'static str> {
    None
}

/// Returns the name of a remote file system by its `statfs(2)` magic number.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn remote_name(number: u64) -> Option<&'static str> {
    let kinds = [
        (0x6969, "NFS"),
        (0x517b, "SMB"),
        (0xff53_4d42, "SMB"),
        (0xfe53_4d42, "SMB"),
        (0x0102_1997, "9P"),
        (0x6573_5546, "FUSE"),
        (0x00c3_6400, "Ceph"),
        (0x5346_414f, "AFS"),
        (0x786f_4256, "a shared folder of VirtualBox"),
    ];
    kinds
        .iter()
        .find(|(known, _)| *known == number)
        .map(|(_, name)| *name)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn remote_file_systems_are_recognised() {
        for (number, expected) in [
            (0xff53_4d42, Some("SMB")),
            (0x6573_5546, Some("FUSE")),
            (0xef53, None),
            (0x9123_683e, None),
            (0x794c_7630, None),
        ] {
            assert_eq!(remote_name(number), expected, "{number:x}");
        }
        assert_eq!(remote_file_system(Path::new("/proc")), None);
        assert_eq!(remote_file_system(Path::new("/no/such/folder")), None);
    }

    #[test]
    fn an_error_suggests_a_remedy() {
        let folder = Path::new("/v/a");
        let limit = notify::Error::new(ErrorKind::MaxFilesWatch);
        assert!(problem(folder, &limit).contains("max_user_watches="));
        let limit = notify::Error::io(std::io::Error::from_raw_os_error(24));
        assert!(problem(folder, &limit).contains("max_user_instances="));
        let other = notify::Error::generic("no");
        assert_eq!(problem(folder, &other), "`/v/a` cannot be watched: no");
    }
}
