//! Copies a vault into an empty folder.
//!
//! Copies the notes and the files next to them, including attachments, so links stay valid. Also
//! copies ignore files, and the contents of `.mem` except trash and caches. Skips hidden and
//! ignored files, such as `.git`, build output and files excluded from mem. Keeps modes, times and
//! extended attributes, because a note's date may depend on them. Follows no links.

use std::ffi::OsString;
use std::fs::{self, File, FileTimes, OpenOptions, Permissions};
use std::io::{self, Seek as _};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use rustix::fs::{AtFlags, Dir, FileType, OFlags};

use super::fs::io_at;
use super::fs::{Fs as _, RealFs, copy_file_attributes};
use super::openat::FolderEntry;
use super::swap::TEMP_PREFIX;
use super::walk::{IGNORE_FILES, IgnoreRules, Visit};
use super::{CACHE, OWN_FOLDER, TRASH, unreadable_reason};

/// Number of attempts to read a file that another program writes meanwhile.
const MAX_READ_ATTEMPTS: usize = 3;

/// Mode bits that give the owner full access to a folder.
const OWNER_MODE: u32 = 0o700;

/// The reason why a copy failed.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// A file or folder cannot be read or written.
    #[error("cannot copy `{}`", .path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The caller stopped the copy.
    #[error("interrupted")]
    Stopped,
}

io_at!(CopyError);

/// Copies the vault with the root folder `root` into the empty folder `to`, and returns once the copy is on disk.
/// Returns the paths that could not be copied, and why; sorted.
///
/// `goes_on` receives the number of finished files and of all files, and returns whether to
/// continue.
pub fn copy(
    root: &Path,
    to: &Path,
    goes_on: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Result<Vec<(String, String)>, CopyError> {
    let mut found = Listing::default();
    found.list_tree(root, Path::new(""), None)?;
    for (folder, _) in found.folders.iter().skip(1) {
        let path = to.join(folder);
        fs::create_dir(&path).map_err(CopyError::at(&path))?;
    }
    let done = AtomicUsize::new(0);
    let left_out = Mutex::new(found.left_out);
    let leave_out = |path: &Path, why: String| {
        let mut left_out = left_out.lock().unwrap_or_else(PoisonError::into_inner);
        left_out.push((path.to_string_lossy().into_owned(), why));
    };
    let all = found.files.len();
    found.files.par_iter().try_for_each(|file| {
        if !goes_on(done.fetch_add(1, Ordering::Relaxed), all) {
            return Err(CopyError::Stopped);
        }
        if let Some(why) = copy_file(root, to, file)? {
            leave_out(&file.path, why);
        }
        Ok(())
    })?;
    for path in &found.links {
        match fs::read_link(root.join(path)) {
            Ok(target) if stays_inside(path, &target) => {
                let path = to.join(path);
                symlink(target, &path).map_err(CopyError::at(&path))?;
            }
            Ok(_) => leave_out(path, "it is a link to outside the vault".to_owned()),
            Err(_) => {}
        }
    }
    // Innermost folders first, because a new entry changes the time of its folder.
    for (folder, meta) in found.folders.iter().rev() {
        let path = to.join(folder);
        finish_folder(&path, meta).map_err(CopyError::at(&path))?;
    }
    match RealFs::default().sync_filesystem(to) {
        // Each file was synced individually.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        synced => synced.map_err(CopyError::at(to))?,
    }
    let mut left_out = left_out
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    left_out.sort();
    Ok(left_out)
}

/// The files and folders to copy, by path in the vault.
#[derive(Default)]
struct Listing {
    /// Every folder comes after its parent; the first one is the vault itself.
    folders: Vec<(PathBuf, fs::Metadata)>,
    files: Vec<FoundFile>,
    links: Vec<PathBuf>,
    left_out: Vec<(String, String)>,
}

/// A name in a folder, and its file type.
type Entry = (OsString, FileType);

struct FoundFile {
    path: PathBuf,
    /// Whether its folder is writable; if so, a read-only file is read-only on purpose.
    is_in_writable: bool,
}

impl Listing {
    /// Lists a folder and those below it.
    ///
    /// Skips unreadable folders, as the walk does; inside `.mem` they are an error.
    fn list_tree(
        &mut self,
        root: &Path,
        path: &Path,
        above: Option<Arc<IgnoreRules>>,
    ) -> Result<(), CopyError> {
        let opened = match open_folder(root, path) {
            Ok(opened) => opened,
            Err(error) if path.as_os_str().is_empty() || path.starts_with(OWN_FOLDER) => {
                return Err(CopyError::at(&root.join(path))(error));
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    self.leave_out(path, unreadable_reason(&error));
                }
                return Ok(());
            }
        };
        let (entries, rules) = self
            .list(&opened, path, above)
            .map_err(CopyError::at(&root.join(path)))?;
        drop(opened);
        for folder in self.add_entries(path, entries, rules.as_deref()) {
            self.list_tree(root, &folder, rules.clone())?;
        }
        Ok(())
    }

    fn leave_out(&mut self, path: &Path, why: String) {
        self.left_out
            .push((path.to_string_lossy().into_owned(), why));
    }

    /// Reads the entries of a folder and its ignore files.
    fn list(
        &mut self,
        opened: &File,
        path: &Path,
        above: Option<Arc<IgnoreRules>>,
    ) -> io::Result<(Vec<Entry>, Option<Arc<IgnoreRules>>)> {
        let meta = opened.metadata()?;
        let mut present = [false; 3];
        let mut entries = Vec::new();
        for entry in Dir::read_from(opened)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes().to_owned();
            if name == b"." || name == b".." {
                continue;
            }
            for (file, present) in IGNORE_FILES.iter().zip(&mut present) {
                *present |= file.as_bytes() == name;
            }
            let kind = match entry.file_type() {
                // The directory listing has no file types.
                FileType::Unknown => {
                    let flags = AtFlags::SYMLINK_NOFOLLOW;
                    let found = rustix::fs::statat(opened, entry.file_name(), flags);
                    found.map_or(FileType::Unknown, |found| {
                        FileType::from_raw_mode(found.st_mode)
                    })
                }
                kind => kind,
            };
            entries.push((OsString::from_vec(name), kind));
        }
        entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        self.folders.push((path.to_owned(), meta));
        if path.starts_with(OWN_FOLDER) {
            return Ok((entries, None));
        }
        let visit = Visit {
            path: path.to_string_lossy().into_owned(),
            above,
        };
        // The walk reports problems in them.
        let rules = IgnoreRules::of(opened.as_fd(), &visit, present, &mut Vec::new());
        Ok((entries, rules))
    }

    /// Adds the entries to copy from the folder listed last; returns its subfolders.
    fn add_entries(
        &mut self,
        folder: &Path,
        entries: Vec<Entry>,
        rules: Option<&IgnoreRules>,
    ) -> Vec<PathBuf> {
        let meta = self.folders.last().map(|(_, meta)| meta.permissions());
        let is_in_writable = meta.is_none_or(|mode| mode.mode() & 0o200 != 0);
        let mut folders = Vec::new();
        for (name, kind) in entries {
            let (name, path) = (Path::new(&name), folder.join(&name));
            let is_folder = kind == FileType::Directory;
            let is_ignored = |rules: &IgnoreRules| {
                !is_hidden(name) && rules.is_ignored(&path.to_string_lossy(), is_folder)
            };
            if !is_part_of_vault(&path, name) || rules.is_some_and(is_ignored) {
                continue;
            }
            match kind {
                FileType::Directory => folders.push(path),
                FileType::RegularFile => self.files.push(FoundFile {
                    path,
                    is_in_writable,
                }),
                FileType::Symlink => self.links.push(path),
                _ => self.leave_out(&path, "it is not a regular file".to_owned()),
            }
        }
        folders
    }
}

fn is_hidden(name: &Path) -> bool {
    name.as_os_str().as_encoded_bytes().starts_with(b".")
}

/// Whether a path is part of a vault regardless of its ignore files.
fn is_part_of_vault(path: &Path, name: &Path) -> bool {
    let is_temporary = |name: &Path| {
        let name = name.as_os_str().as_encoded_bytes();
        name.starts_with(TEMP_PREFIX.as_bytes())
    };
    if let Ok(own) = path.strip_prefix(OWN_FOLDER) {
        let is_left = [TRASH, CACHE, ".git"]
            .iter()
            .any(|left| own == Path::new(left));
        return !is_left && !is_temporary(name);
    }
    if path.parent() == Some(Path::new(".obsidian")) {
        // It lists the excluded notes; other files belong to Obsidian and may contain keys of
        // plugins.
        return name == Path::new("app.json");
    }
    !is_hidden(name)
        || path == Path::new(".obsidian")
        || IGNORE_FILES.iter().any(|file| name == Path::new(file))
}

/// Whether the target of a link at `path` is inside the vault, judged by its text alone.
fn stays_inside(path: &Path, target: &Path) -> bool {
    let mut depth = path.components().count().saturating_sub(1);
    for part in target.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    true
}

fn open_folder(root: &Path, path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    if path.as_os_str().is_empty() {
        return File::open(root);
    }
    FolderEntry::of(Some(root), &root.join(path))?.open(flags, 0)
}

/// Copies one file; returns the reason if it cannot be read.
fn copy_file(root: &Path, to: &Path, found: &FoundFile) -> Result<Option<String>, CopyError> {
    let source = root.join(&found.path);
    let flags = OFlags::RDONLY | OFlags::NONBLOCK;
    let opened = FolderEntry::of(Some(root), &source).and_then(|place| place.open(flags, 0));
    let mut from = match opened {
        Ok(from) => from,
        // Removed since the folder was listed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Ok(Some(unreadable_reason(&error))),
    };
    let path = to.join(&found.path);
    let copied = (|| {
        if !from.metadata()?.is_file() {
            return Ok(Some("it is not a regular file".to_owned()));
        }
        let mut copy = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        for _ in 0..MAX_READ_ATTEMPTS {
            let before = from.metadata()?;
            io::copy(&mut from, &mut copy)?;
            let after = from.metadata()?;
            if (before.len(), before.modified()?) == (after.len(), after.modified()?) {
                finish_file(&from, &copy, &after, found.is_in_writable)?;
                return Ok(None);
            }
            from.rewind()?;
            copy.rewind()?;
            copy.set_len(0)?;
        }
        fs::remove_file(&path)?;
        Ok(Some("it kept changing while it was read".to_owned()))
    })();
    copied.map_err(CopyError::at(&path))
}

fn finish_file(
    from: &File,
    copy: &File,
    meta: &fs::Metadata,
    is_in_writable: bool,
) -> io::Result<()> {
    copy_file_attributes(from, copy)?;
    if !is_in_writable {
        let mode = meta.permissions().mode() & 0o7777;
        copy.set_permissions(Permissions::from_mode(mode | 0o200))?;
    }
    let times = FileTimes::new().set_modified(meta.modified()?);
    copy.set_times(times)?;
    if cfg!(target_os = "linux") {
        Ok(())
    } else {
        copy.sync_all()
    }
}

/// Gives a folder the mode and time of its source; the owner can always write to it.
fn finish_folder(path: &Path, meta: &fs::Metadata) -> io::Result<()> {
    let folder = File::open(path)?;
    let mode = meta.permissions().mode() & 0o7777;
    folder.set_permissions(Permissions::from_mode(mode | OWNER_MODE))?;
    folder.set_times(FileTimes::new().set_modified(meta.modified()?))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;
    use crate::vault::Vault;

    #[test]
    fn notes_attachments_and_settings_are_copied() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap().join("notes");
        for path in [
            "tea.md",
            "sub/cup.png",
            "sub/.memignore",
            "sub/private/diary.md",
            ".git/config",
            ".hidden.md",
            ".obsidian/app.json",
            ".obsidian/plugins/x/data.json",
            ".mem/config.toml",
            ".mem/.gitignore",
            ".mem/journal/d/usage.jsonl",
            ".mem/journal/d/.~mem-draft-1-1",
            ".mem/trash/run/old.md",
            ".mem/cache/current",
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text\n").unwrap();
        }
        fs::write(root.join("sub/.memignore"), "private/\n").unwrap();
        for (target, link) in [
            ("tea.md", "inside"),
            ("../tea.md", "sub/up"),
            ("../../secret", "sub/out"),
            ("/etc/hosts", "absolute"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let tea = File::options()
            .write(true)
            .open(root.join("tea.md"))
            .unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::new(1_000_000, 5_000);
        tea.set_modified(time).unwrap();
        tea.set_permissions(Permissions::from_mode(0o640)).unwrap();

        let vault = Vault::open(&root).unwrap();
        let to = home.path().join("to");
        fs::create_dir(&to).unwrap();
        let omitted = copy(vault.root(), &to, &|_, _| true).unwrap();
        let mut names: Vec<String> = walkdir::WalkDir::new(&to)
            .into_iter()
            .map(|entry| entry.unwrap())
            .filter(|entry| !entry.file_type().is_dir())
            .map(|entry| {
                let path = entry.path().strip_prefix(&to).unwrap();
                path.display().to_string()
            })
            .collect();
        names.sort();
        assert_eq!(
            names,
            [
                ".mem/.gitignore",
                ".mem/config.toml",
                ".mem/journal/d/usage.jsonl",
                ".obsidian/app.json",
                "inside",
                "sub/.memignore",
                "sub/cup.png",
                "sub/up",
                "tea.md",
            ]
        );
        let why = "it is a link to outside the vault".to_owned();
        let left_out = ["absolute", "sub/out"].map(|path| (path.to_owned(), why.clone()));
        assert_eq!(omitted, left_out);
        let meta = to.join("tea.md").metadata().unwrap();
        assert_eq!(
            (meta.mode() & 0o777, meta.modified().unwrap()),
            (0o640, time)
        );
        assert_eq!(
            fs::read_link(to.join("sub/up")).unwrap(),
            Path::new("../tea.md")
        );

        let again = copy(vault.root(), &to, &|_, _| true);
        assert!(matches!(again, Err(CopyError::Io { .. })), "{again:?}");
        let other = home.path().join("other");
        fs::create_dir(&other).unwrap();
        let stopped = copy(vault.root(), &other, &|done, _| done < 2);
        assert!(matches!(stopped, Err(CopyError::Stopped)), "{stopped:?}");
    }

    #[test]
    fn copies_of_read_only_folders_are_writable() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap().join("notes");
        fs::create_dir_all(root.join(".mem")).unwrap();
        fs::create_dir(root.join("archive")).unwrap();
        let set = |path: &str, mode| {
            fs::set_permissions(root.join(path), Permissions::from_mode(mode)).unwrap();
        };
        for path in ["mine.md", "archive/old.md"] {
            fs::write(root.join(path), "text\n").unwrap();
            set(path, 0o444);
        }
        set("archive", 0o555);
        let to = home.path().join("to");
        fs::create_dir(&to).unwrap();
        copy(&root, &to, &|_, _| true).unwrap();
        for (path, mode) in [
            ("mine.md", 0o444),
            ("archive", 0o755),
            ("archive/old.md", 0o644),
        ] {
            let meta = to.join(path).metadata().unwrap();
            assert_eq!(meta.mode() & 0o777, mode, "{path}");
        }
        set("archive", 0o755);
    }
}
