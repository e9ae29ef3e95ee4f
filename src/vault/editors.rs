//! Detects notes that are open in an editor, by the lock and swap files that editors leave.
//!
//! | editor | file | contains |
//! |---|---|---|
//! | vim, neovim | `.Tea.md.swp` (`.swo`, `.swn`) next to the note or, with `%` for `/`, in a separate folder | process, host |
//! | Emacs | `.#Tea.md`, a link to `user@host.process:boot`, while there are unsaved changes | process, host |
//! | Emacs | `#Tea.md#`, its autosave | |
//! | `LibreOffice` | `.~lock.Tea.md#` | |
//! | Kate | `.Tea.md.kate-swp`, while there are unsaved changes | |
//!
//! A crash leaves the same files, which must not block maintenance of a note forever. A file with a
//! process of this machine counts while that process runs, if the file is newer than the boot.
//! Others, also those of other machines that sync the folder, count for one day. Obsidian and VS
//! Code leave no files.
//!
//! Jobs check this before they change a note unattended ([`crate::run`]). The check looks up a few
//! file names that mostly do not exist, and reads no note.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rustix::system::uname;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lock::is_alive;
use super::{Vault, own_files};
use crate::note::VaultPath;
use crate::note::words::lists::named;

/// Seconds for which a lock without a local process counts.
const STALE_AFTER_SECONDS: i64 = 24 * 60 * 60;

/// Size in bytes of a vim swap file's header up to and including the host name.
const SWAP_HEADER_BYTES: usize = 108;

/// Maximum number of bytes read from an Emacs lock file.
const MAX_LOCK_BYTES: u64 = 1024;

/// An editor that has a note open.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Editor {
    Vim,
    Emacs,
    LibreOffice,
    /// Kate or another KDE editor.
    Kate,
}

named! { Editor {
    Vim = "vim",
    Emacs = "Emacs",
    LibreOffice = "LibreOffice",
    Kate = "Kate",
} }

/// The process that has a file open.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LockOwner {
    process: i32,
    host: String,
}

/// Detects notes open in an editor on this machine or on one that syncs the folder.
#[derive(Clone, Debug)]
pub struct Editors {
    /// Seconds since 1970.
    now: i64,
    /// Boot time of this machine, if known.
    started: Option<i64>,
    host: String,
    /// Folders for vim swap files outside the note's folder.
    swaps: Vec<PathBuf>,
}

impl Editors {
    /// Returns a detector for this machine; `swaps` are additional folders of vim swap files.
    pub fn new(now: Timestamp, mut swaps: Vec<PathBuf>) -> Self {
        swaps.retain(|folder| folder.is_dir());
        let now = now.as_second();
        #[cfg(target_os = "linux")]
        let started = Some(now.saturating_sub(rustix::system::sysinfo().uptime as i64));
        #[cfg(not(target_os = "linux"))]
        let started = None;
        Self {
            now,
            started,
            host: uname().nodename().to_string_lossy().into_owned(),
            swaps,
        }
    }

    /// Returns the editor that has the note open, if any.
    pub fn open_in(&self, vault: &Vault, path: &VaultPath) -> Option<Editor> {
        let note = vault.absolute(path);
        let name = note.file_name()?.to_str()?;
        let beside = |name: String| note.with_file_name(name);
        let elsewhere = note.to_str()?.replace('/', "%");
        let endings = ["swp", "swo", "swn"];
        let mut swaps = endings
            .map(|ending| beside(format!(".{name}.{ending}")))
            .into_iter()
            .chain(self.swaps.iter().flat_map(|folder| {
                endings.map(|ending| folder.join(format!("{elsewhere}.{ending}")))
            }));
        if swaps.any(|swap| {
            self.is_live(&swap, |_| {
                read_swap_header(&swap).and_then(|head| parse_vim_header(&head))
            })
        }) {
            return Some(Editor::Vim);
        }
        let lock = beside(format!(".#{name}"));
        if self.is_live(&lock, |is_link| {
            parse_emacs_lock(&read_emacs_lock(&lock, is_link)?)
        }) || self.is_live(&beside(format!("#{name}#")), |_| None)
        {
            return Some(Editor::Emacs);
        }
        if self.is_live(&beside(format!(".~lock.{name}#")), |_| None) {
            return Some(Editor::LibreOffice);
        }
        if self.is_live(&beside(format!(".{name}.kate-swp")), |_| None) {
            return Some(Editor::Kate);
        }
        None
    }

    /// Whether a lock exists at `lock_file` and its editor still runs, judged by owner and age.
    fn is_live(&self, lock_file: &Path, who: impl FnOnce(bool) -> Option<LockOwner>) -> bool {
        let Ok(found) = fs::symlink_metadata(lock_file) else {
            return false;
        };
        match who(found.is_symlink()) {
            Some(who) if self.is_this_machine(&who.host) => {
                self.started.is_none_or(|started| found.mtime() >= started)
                    && is_alive(who.process.cast_unsigned())
            }
            _ => self.now - found.mtime() < STALE_AFTER_SECONDS,
        }
    }

    /// Whether `host` names this machine: in full, truncated, or without its domain.
    fn is_this_machine(&self, host: &str) -> bool {
        let first = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let cut = 39;
        host == self.host
            || host.len() == cut && self.host.starts_with(host)
            || first(host) == first(&self.host)
    }
}

fn read_swap_header(swap: &Path) -> Option<[u8; SWAP_HEADER_BYTES]> {
    let mut head = [0; SWAP_HEADER_BYTES];
    own_files::open(swap).ok()?.read_exact(&mut head).ok()?;
    Some(head)
}

/// Parses the header of a swap file.
///
/// `b0VIM 9.0` padded to 12 bytes; page size, time and inode with 4 bytes each; the process in 4
/// bytes, little-endian; user name and host name in 40 bytes each, ended by NUL.
fn parse_vim_header(head: &[u8; SWAP_HEADER_BYTES]) -> Option<LockOwner> {
    // The second letter is the encryption of the text; this header is never encrypted.
    let is_swap = head[0] == b'b' && &head[2..6] == b"VIM ";
    let process = i32::from_le_bytes([head[24], head[25], head[26], head[27]]);
    let host = head[68..].split(|byte| *byte == 0).next()?;
    (is_swap && process > 0).then(|| LockOwner {
        process,
        host: String::from_utf8_lossy(host).into_owned(),
    })
}

/// Returns the text of an Emacs lock, which is a file where links are not supported.
fn read_emacs_lock(lock: &Path, is_link: bool) -> Option<String> {
    if is_link {
        let target = fs::read_link(lock).ok()?;
        return target.to_str().map(str::to_owned);
    }
    let mut text = String::new();
    let file = own_files::open(lock).ok()?;
    file.take(MAX_LOCK_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Parses `user@host.process` or `user@host.process:boot`; host names may contain dots.
fn parse_emacs_lock(lock: &str) -> Option<LockOwner> {
    let (_, rest) = lock.trim_end().rsplit_once('@')?;
    let (host, process) = rest.rsplit_once('.')?;
    let process = process.split(':').next()?.parse().ok()?;
    (process > 0).then(|| LockOwner {
        process,
        host: host.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::{Duration, SystemTime};

    use super::*;

    /// Bytes as vim 9.0 wrote them on a machine called `vm`, up to and including the file name.
    /// Those of neovim differ only in the version.
    fn swap(version: &[u8; 12], process: u32, host: &str) -> Vec<u8> {
        let mut bytes = version.to_vec();
        bytes.extend([0, 0x10, 0, 0]);
        bytes.extend([0x21, 0xe1, 0x01, 0x6b, 0xf5, 0xc1, 0x98, 0]);
        bytes.extend(process.to_le_bytes());
        bytes.extend(b"root");
        bytes.resize(68, 0);
        bytes.extend(host.as_bytes());
        bytes.resize(108, 0);
        bytes.extend(b"/tmp/swp/Tea.md");
        bytes.resize(4096, 0);
        bytes
    }

    const VIM: &[u8; 12] = b"b0VIM 9.0\0\0\0";
    const ENCRYPTED: &[u8; 12] = b"bdVIM 9.0\0\0\0";
    const NEOVIM: &[u8; 12] = b"b0VIM 8.1\0\0\0";

    fn who(process: i32, host: &str) -> LockOwner {
        let host = host.to_owned();
        LockOwner { process, host }
    }

    #[test]
    fn swap_files_name_process_and_host() {
        for (bytes, expected) in [
            (swap(VIM, 5540, "vm"), Some(who(5540, "vm"))),
            (swap(ENCRYPTED, 70_000, "vm"), Some(who(70_000, "vm"))),
            (
                swap(NEOVIM, 1, "a.example.org"),
                Some(who(1, "a.example.org")),
            ),
            (swap(VIM, 0, "vm"), None),
            (swap(VIM, u32::MAX, "vm"), None),
            (swap(b"# Tea\n\nGreen", 1, "vm"), None),
        ] {
            assert_eq!(parse_vim_header(bytes.first_chunk().unwrap()), expected);
        }
    }

    #[test]
    fn locks_of_emacs_name_process_and_host() {
        for (text, expected) in [
            ("anna@vm.1234:1700000000", Some(who(1234, "vm"))),
            ("anna@vm.1234", Some(who(1234, "vm"))),
            (
                "anna@work@a.example.org.77:1",
                Some(who(77, "a.example.org")),
            ),
            ("anna@vm.1234:1700000000\n", Some(who(1234, "vm"))),
            ("anna@vm", None),
            ("anna@vm.x", None),
            ("anna@vm.-1", None),
            ("../elsewhere.md", None),
            ("", None),
        ] {
            assert_eq!(parse_emacs_lock(text), expected, "{text}");
        }
    }

    /// A vault with one note, and a detector for a machine called `vm` that was booted an hour ago.
    struct TestVault {
        folder: tempfile::TempDir,
        vault: Vault,
        editors: Editors,
    }

    impl TestVault {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir_all(folder.path().join("vault/.mem")).unwrap();
            fs::create_dir_all(folder.path().join("vault/tea")).unwrap();
            fs::create_dir_all(folder.path().join("swap")).unwrap();
            let vault = Vault::open(&folder.path().join("vault")).unwrap();
            fs::write(vault.root().join("tea/Green.md"), "Tea.\n").unwrap();
            let now = Timestamp::now().as_second();
            let editors = Editors {
                now,
                started: Some(now - 3600),
                host: "vm".to_owned(),
                swaps: vec![folder.path().join("swap")],
            };
            Self {
                folder,
                vault,
                editors,
            }
        }

        fn beside(&self, name: &str) -> PathBuf {
            self.vault.root().join("tea").join(name)
        }

        fn open_in(&self) -> Option<Editor> {
            let path = VaultPath::new("tea/Green.md").unwrap();
            self.editors.open_in(&self.vault, &path)
        }

        /// Returns the detected editor while `swap_file` has these bytes and this age.
        fn with(&self, swap_file: &Path, bytes: &[u8], seconds: u64) -> Option<Editor> {
            fs::write(swap_file, bytes).unwrap();
            let file = fs::File::options().write(true).open(swap_file).unwrap();
            let then = SystemTime::now() - Duration::from_secs(seconds);
            file.set_modified(then).unwrap();
            let found = self.open_in();
            fs::remove_file(swap_file).unwrap();
            found
        }
    }

    /// Returns the number of a process that has exited.
    fn dead() -> u32 {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    }

    #[test]
    fn a_swap_file_counts_while_its_process_lives() {
        let fixture = TestVault::new();
        let (alive, dead) = (std::process::id(), dead());
        let (fresh, before_the_start, old) = (10, 4000, 2 * 24 * 3600);
        for (name, bytes, age, expected) in [
            ("alive", swap(VIM, alive, "vm"), fresh, true),
            ("another's process", swap(VIM, 1, "vm"), fresh, true),
            ("dead", swap(VIM, dead, "vm"), fresh, false),
            (
                "a number from before the start",
                swap(VIM, alive, "vm"),
                before_the_start,
                false,
            ),
            (
                "another machine",
                swap(NEOVIM, dead, "laptop"),
                before_the_start,
                true,
            ),
            (
                "another machine, long ago",
                swap(NEOVIM, alive, "laptop"),
                old,
                false,
            ),
            ("no swap file", b"x".to_vec(), fresh, true),
            ("no swap file, long ago", b"x".to_vec(), old, false),
        ] {
            let expected = expected.then_some(Editor::Vim);
            for ending in ["swp", "swo", "swn"] {
                let swap_file = fixture.beside(&format!(".Green.md.{ending}"));
                assert_eq!(fixture.with(&swap_file, &bytes, age), expected, "{name}");
            }
        }
        let elsewhere = fixture
            .beside("Green.md")
            .to_str()
            .unwrap()
            .replace('/', "%");
        let swap_file = fixture.folder.path().join("swap").join(elsewhere + ".swp");
        let bytes = swap(NEOVIM, alive, "vm");
        assert_eq!(fixture.with(&swap_file, &bytes, fresh), Some(Editor::Vim));
        assert_eq!(fixture.open_in(), None);
        let other = fixture.beside(".Black.md.swp");
        assert_eq!(fixture.with(&other, &bytes, fresh), None);
    }

    #[test]
    fn a_link_of_emacs_counts_while_its_process_lives() {
        let fixture = TestVault::new();
        let lock = fixture.beside(".#Green.md");
        let (alive, dead) = (std::process::id(), dead());
        for (target, expected) in [
            (format!("anna@vm.{alive}:1"), true),
            (format!("anna@vm.example.org.{alive}:1"), true),
            (format!("anna@vm.{dead}:1"), false),
            (format!("anna@laptop.{dead}:1"), true),
            ("nobody".to_owned(), true),
        ] {
            symlink(&target, &lock).unwrap();
            let expected = expected.then_some(Editor::Emacs);
            assert_eq!(fixture.open_in(), expected, "{target}");
            fs::remove_file(&lock).unwrap();
        }
        let text = format!("anna@vm.{dead}:1");
        assert_eq!(fixture.with(&lock, text.as_bytes(), 10), None);
    }

    #[test]
    fn locks_without_a_process_count_for_a_day() {
        let fixture = TestVault::new();
        for (name, editor) in [
            ("#Green.md#", Editor::Emacs),
            (".~lock.Green.md#", Editor::LibreOffice),
            (".Green.md.kate-swp", Editor::Kate),
        ] {
            let swap_file = fixture.beside(name);
            assert_eq!(
                fixture.with(&swap_file, b",anna,vm,x;", 3600 * 23),
                Some(editor)
            );
            assert_eq!(fixture.with(&swap_file, b",anna,vm,x;", 3600 * 25), None);
        }
    }

    #[test]
    fn a_pipe_does_not_block() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let fixture = TestVault::new();
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(
            CWD,
            fixture.beside(".Green.md.swp"),
            FileType::Fifo,
            mode,
            0,
        )
        .unwrap();
        assert_eq!(fixture.open_in(), Some(Editor::Vim));
    }
}
