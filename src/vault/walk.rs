//! Finds the notes of a vault.
//!
//! The caches start every pass here, and call [`list_folder`] when a folder's time has changed.
//! Both use the same code for a folder, so their results cannot differ. Every regular file `*.md`
//! is a note unless it is ignored. Hidden path components (`.mem`, `.git`, `.obsidian`, `.trash`,
//! staged files) are ignored, as are matches of `.gitignore`, `.ignore`, `.memignore` and
//! Obsidian's excluded files. Whitelist patterns do not include hidden names.
//!
//! Pattern matching uses the `ignore` crate, but not its walker. That walker opens any file called
//! `.gitignore`, even a pipe that blocks forever or a link out of the vault. It cannot list a
//! single folder. Looking up names relative to the open folder is also faster than its full paths.
//!
//! Links are only reported, never followed. One that leads outside must not be read, and one that
//! stays inside would report a note twice, like a duplicate to be merged.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rayon::prelude::*;
use regex::Regex;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};

use super::fs::if_found;
use super::{Stat, Vault, own_files, unreadable_reason};
use crate::note::VaultPath;

/// Files with ignore patterns, in descending precedence.
pub const IGNORE_FILES: [&str; 3] = [".memignore", ".ignore", ".gitignore"];

/// Maximum size in bytes of an ignore file.
const MAX_IGNORE_BYTES: u64 = 1 << 20;

/// Number of names in one folder from which their look-ups run in parallel.
const MIN_PARALLEL_LOOKUPS: usize = 2048;

/// A note found by the walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedNote {
    pub path: VaultPath,
    pub stat: Stat,
}

/// The reason why a possible note or folder was skipped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum WalkProblem {
    #[error("its name is not UTF-8")]
    NotUtf8,
    #[error("its name contains control characters")]
    ControlCharacters,
    #[error("it has no name before `.md`")]
    NoName,
    /// It is a symbolic link, which the walk does not follow.
    #[error("it is a symbolic link")]
    Link,
    /// It is a device, pipe or socket.
    #[error("it is not a regular file")]
    Special,
    #[error("{0}")]
    Unreadable(String),
    /// A line of an ignore file, or an excluded-files entry, is invalid.
    #[error("{0}")]
    BadPattern(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// All notes, sorted by path.
    pub notes: Vec<WalkedNote>,
    /// All listed folders (`""` is the root) with their time in nanoseconds before the listing;
    /// sorted.
    pub folders: Vec<(String, i64)>,
    /// Skipped names and the reasons, sorted; names that are not UTF-8 are shown lossily.
    pub problems: Vec<(String, WalkProblem)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// Its path, `""` for the root.
    pub path: String,
    /// Its time in nanoseconds before the listing.
    pub mtime_ns: i64,
    /// Its notes, sorted by path.
    pub notes: Vec<WalkedNote>,
    /// Paths of subfolders that the walk enters, sorted.
    pub folders: Vec<String>,
    /// Skipped names and the reasons, sorted.
    pub problems: Vec<(String, WalkProblem)>,
}

/// The root cannot be listed, so nothing is known about any note.
#[derive(Debug, thiserror::Error)]
#[error("cannot list `{}`", .path.display())]
pub struct WalkError {
    pub path: PathBuf,
    pub source: io::Error,
}

/// Returns all notes and folders of the vault.
pub fn walk(vault: &Vault) -> Result<Walk, WalkError> {
    let (excluded, problems) = ExcludedFiles::read(vault);
    let root = open_folder(vault, "").map_err(|source| error(vault, "", source))?;
    let found = Mutex::new(Walk {
        problems,
        ..Walk::default()
    });
    let walker = Walker {
        vault,
        excluded: &excluded,
        found: &found,
    };
    let first = Visit {
        path: String::new(),
        above: None,
    };
    let (folder, rules) =
        list(&root, &first, &excluded).map_err(|source| error(vault, "", source))?;
    rayon::scope(|scope| walker.record_folder(scope, folder, rules.as_ref()));
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    // A stable sort, which detects the sorted runs of the folders.
    found.notes.par_sort_by(|a, b| a.path.cmp(&b.path));
    found.folders.sort_unstable();
    found.problems.sort_unstable();
    Ok(found)
}

/// Returns the contents of one folder, or `None` if it is ignored or does not exist.
pub fn list_folder(vault: &Vault, folder: &str) -> Result<Option<Folder>, WalkError> {
    let (excluded, _) = ExcludedFiles::read(vault);
    let mut visit = Visit {
        path: String::new(),
        above: None,
    };
    for part in folder.split('/').filter(|part| !part.is_empty()) {
        let opened = match open_folder(vault, &visit.path) {
            Ok(opened) => opened,
            Err(err) if is_gone(&err) => return Ok(None),
            Err(source) => return Err(error(vault, &visit.path, source)),
        };
        let above = IgnoreRules::of(opened.as_fd(), &visit, [true; 3], &mut Vec::new());
        let path = join(&visit.path, part);
        if part.starts_with('.')
            || part.chars().any(char::is_control)
            || is_ignored(above.as_deref(), &excluded, &path, true)
        {
            return Ok(None);
        }
        visit = Visit { path, above };
    }
    let listed = open_folder(vault, &visit.path).and_then(|fd| list(&fd, &visit, &excluded));
    match listed {
        Ok((folder, _)) => Ok(Some(folder)),
        Err(err) if is_gone(&err) => Ok(None),
        Err(source) => Err(error(vault, &visit.path, source)),
    }
}

fn error(vault: &Vault, folder: &str, source: io::Error) -> WalkError {
    WalkError {
        path: vault.root().join(folder),
        source,
    }
}

/// Whether a folder was removed, or replaced by a link or file, since it was listed.
fn is_gone(err: &io::Error) -> bool {
    use rustix::io::Errno;
    // Opening a link as a folder without following it is `ENOTDIR` on Linux, `ELOOP` elsewhere.
    let errno = Errno::from_io_error(err);
    errno.is_some_and(|errno| [Errno::NOENT, Errno::NOTDIR, Errno::LOOP].contains(&errno))
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

fn open_folder(vault: &Vault, folder: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(
        CWD,
        vault.root().join(folder),
        flags,
        Mode::empty(),
    )?)
}

/// The state shared by all threads of one walk.
#[derive(Clone, Copy)]
struct Walker<'a> {
    vault: &'a Vault,
    excluded: &'a ExcludedFiles,
    found: &'a Mutex<Walk>,
}

impl<'a> Walker<'a> {
    /// Records the contents of a folder and spawns tasks for its subfolders.
    fn record_folder(
        self,
        scope: &rayon::Scope<'a>,
        folder: Folder,
        rules: Option<&Arc<IgnoreRules>>,
    ) {
        for path in folder.folders {
            let visit = Visit {
                path,
                above: rules.cloned(),
            };
            scope.spawn(move |scope| self.enter(scope, &visit));
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.notes.extend(folder.notes);
        found.problems.extend(folder.problems);
        found.folders.push((folder.path, folder.mtime_ns));
    }

    fn enter(self, scope: &rayon::Scope<'a>, visit: &Visit) {
        let listed = open_folder(self.vault, &visit.path)
            .and_then(|opened| list(&opened, visit, self.excluded));
        match listed {
            Ok((folder, rules)) => self.record_folder(scope, folder, rules.as_ref()),
            Err(err) if err.kind() == io::ErrorKind::NotFound => {}
            Err(err) => {
                let problem = WalkProblem::Unreadable(unreadable_reason(&err));
                let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
                found.problems.push((visit.path.clone(), problem));
            }
        }
    }
}

/// A folder to list, and the ignore rules of its parents.
struct Visit {
    path: String,
    above: Option<Arc<IgnoreRules>>,
}

/// The ignore files of one folder and of its parents.
struct IgnoreRules {
    above: Option<Arc<Self>>,
    /// In the order of [`IGNORE_FILES`].
    files: [Option<Gitignore>; 3],
}

impl IgnoreRules {
    /// Reads those ignore files of a folder that are `present`.
    fn of(
        folder: BorrowedFd<'_>,
        visit: &Visit,
        present: [bool; 3],
        problems: &mut Vec<(String, WalkProblem)>,
    ) -> Option<Arc<Self>> {
        let mut files = [None, None, None];
        for ((file, name), present) in files.iter_mut().zip(IGNORE_FILES).zip(present) {
            if !present {
                continue;
            }
            let path = join(&visit.path, name);
            match if_found(read_small(folder, name)) {
                Ok(Some(text)) => *file = compile(&visit.path, &path, &text, problems),
                Ok(None) => {}
                Err(err) => problems.push((path, WalkProblem::Unreadable(unreadable_reason(&err)))),
            }
        }
        if files.iter().all(Option::is_none) {
            return visit.above.clone();
        }
        Some(Arc::new(Self {
            above: visit.above.clone(),
            files,
        }))
    }

    /// Whether the rules ignore a path.
    ///
    /// For each kind of file the deepest folder decides; the first kind with a match wins.
    fn is_ignored(&self, path: &str, is_folder: bool) -> bool {
        for kind in 0..IGNORE_FILES.len() {
            let mut level = Some(self);
            while let Some(rules) = level {
                if let Some(file) = &rules.files[kind] {
                    match file.matched(path, is_folder) {
                        Match::Ignore(_) => return true,
                        Match::Whitelist(_) => return false,
                        Match::None => {}
                    }
                }
                level = rules.above.as_deref();
            }
        }
        false
    }
}

fn is_ignored(
    rules: Option<&IgnoreRules>,
    excluded: &ExcludedFiles,
    path: &str,
    is_folder: bool,
) -> bool {
    rules.is_some_and(|rules| rules.is_ignored(path, is_folder))
        || excluded.matches(path, is_folder)
}

fn compile(
    folder: &str,
    path: &str,
    text: &str,
    problems: &mut Vec<(String, WalkProblem)>,
) -> Option<Gitignore> {
    let mut bad = |err: &ignore::Error| {
        problems.push((path.to_owned(), WalkProblem::BadPattern(err.to_string())));
    };
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        if let Err(err) = builder.add_line(None, line) {
            bad(&err);
        }
    }
    let built = builder.build().inspect_err(bad).ok()?;
    (!built.is_empty()).then_some(built)
}

/// Reads a small regular file of an open folder; never a link or pipe.
fn read_small(folder: BorrowedFd<'_>, name: &str) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(folder, name, flags, Mode::empty());
    let file = own_files::require_regular(opened.map(File::from).map_err(io::Error::from))?;
    let bytes = own_files::read_bounded(file, MAX_IGNORE_BYTES, name)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The part of Obsidian's settings that is read.
#[derive(serde::Deserialize)]
struct ObsidianSettings {
    #[serde(default, rename = "userIgnoreFilters")]
    filters: Option<Vec<String>>,
}

/// Obsidian's "excluded files".
#[derive(Default)]
struct ExcludedFiles {
    prefixes: Vec<String>,
    patterns: Vec<Regex>,
}

impl ExcludedFiles {
    /// Reads `userIgnoreFilters` of `.obsidian/app.json`: path prefixes, or `/regex/`.
    fn read(vault: &Vault) -> (Self, Vec<(String, WalkProblem)>) {
        const PATH: &str = ".obsidian/app.json";
        let mut excluded = Self::default();
        let mut problems = Vec::new();
        let filters = filters(vault).unwrap_or_else(|problem| {
            problems.push((PATH.to_owned(), problem));
            Vec::new()
        });
        for filter in filters.into_iter().filter(|filter| !filter.is_empty()) {
            let inner = filter
                .strip_prefix('/')
                .and_then(|rest| rest.strip_suffix('/'));
            match inner.filter(|inner| !inner.is_empty()).map(Regex::new) {
                None => excluded.prefixes.push(filter),
                Some(Ok(pattern)) => excluded.patterns.push(pattern),
                // Obsidian's dialect supports look-around, this one does not.
                Some(Err(err)) => {
                    problems.push((PATH.to_owned(), WalkProblem::BadPattern(err.to_string())));
                }
            }
        }
        (excluded, problems)
    }

    fn matches(&self, path: &str, is_folder: bool) -> bool {
        let prefixed = self.prefixes.iter().any(|prefix| {
            path.starts_with(prefix.as_str())
                || is_folder
                    && prefix
                        .strip_suffix('/')
                        .is_some_and(|folder| folder == path)
        });
        // Patterns match whole paths, so a non-matching folder may still contain matches.
        prefixed || !is_folder && self.patterns.iter().any(|pattern| pattern.is_match(path))
    }
}

fn filters(vault: &Vault) -> Result<Vec<String>, WalkProblem> {
    let Ok(folder) = open_folder(vault, ".obsidian") else {
        return Ok(Vec::new());
    };
    let text = if_found(read_small(folder.as_fd(), "app.json"))
        .map_err(|err| WalkProblem::Unreadable(unreadable_reason(&err)))?;
    let app = text
        .map(|text| serde_json::from_str::<ObsidianSettings>(&text))
        .transpose()
        .map_err(|err| WalkProblem::BadPattern(err.to_string()))?;
    Ok(app.and_then(|app| app.filters).unwrap_or_default())
}

/// The result of looking up an entry.
enum LookupResult {
    Note(WalkedNote),
    Folder(String),
    Problem(String, WalkProblem),
    Ignored,
}

/// Lists an open folder; also returns the rules for its subfolders.
fn list(
    opened: &OwnedFd,
    visit: &Visit,
    excluded: &ExcludedFiles,
) -> io::Result<(Folder, Option<Arc<IgnoreRules>>)> {
    let mtime_ns = mtime_ns(&rustix::fs::fstat(opened)?);
    let mut folder = Folder {
        path: visit.path.clone(),
        mtime_ns,
        ..Folder::default()
    };
    let mut present = [false; 3];
    let mut entries = Vec::new();
    for entry in Dir::read_from(opened)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_bytes().first() == Some(&b'.') && !has_no_name(name.to_bytes()) {
            for (file, present) in IGNORE_FILES.iter().zip(&mut present) {
                *present |= file.as_bytes() == name.to_bytes();
            }
            continue;
        }
        let kind = entry.file_type();
        let may_be_folder = matches!(
            kind,
            FileType::Directory | FileType::Unknown | FileType::Symlink
        );
        if !may_be_folder && !is_markdown(name.to_bytes()) {
            continue;
        }
        entries.push(entry);
    }
    let rules = IgnoreRules::of(opened.as_fd(), visit, present, &mut folder.problems);
    let mut to_stat = Vec::with_capacity(entries.len());
    for entry in entries {
        let name = entry.file_name();
        let Ok(text) = name.to_str() else {
            let shown = join(&visit.path, &name.to_string_lossy());
            folder.problems.push((shown, WalkProblem::NotUtf8));
            continue;
        };
        let path = join(&visit.path, text);
        let is_folder = entry.file_type() == FileType::Directory;
        if is_ignored(rules.as_deref(), excluded, &path, is_folder) {
            continue;
        }
        if has_no_name(text.as_bytes()) {
            let problem = (!is_folder).then_some((path, WalkProblem::NoName));
            folder.problems.extend(problem);
        } else if text.chars().any(char::is_control) {
            folder.problems.push((path, WalkProblem::ControlCharacters));
        } else if is_folder {
            folder.folders.push(path);
        } else {
            to_stat.push(path);
        }
    }
    let look = |path| look_up(opened.as_fd(), path, rules.as_deref(), excluded);
    let looks: Vec<LookupResult> = if to_stat.len() < MIN_PARALLEL_LOOKUPS {
        to_stat.into_iter().map(look).collect()
    } else {
        to_stat
            .into_par_iter()
            .with_min_len(MIN_PARALLEL_LOOKUPS / 4)
            .map(look)
            .collect()
    };
    folder.notes.reserve(looks.len());
    for look in looks {
        match look {
            LookupResult::Note(seen) => folder.notes.push(seen),
            LookupResult::Folder(path) => folder.folders.push(path),
            LookupResult::Problem(path, problem) => folder.problems.push((path, problem)),
            LookupResult::Ignored => {}
        }
    }
    folder.notes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    folder.folders.sort_unstable();
    folder.problems.sort_unstable();
    Ok((folder, rules))
}

/// Looks up a name in an open folder, given as its path.
fn look_up(
    folder: BorrowedFd<'_>,
    path: String,
    rules: Option<&IgnoreRules>,
    excluded: &ExcludedFiles,
) -> LookupResult {
    let name = path
        .rsplit_once('/')
        .map_or(path.as_str(), |(_, name)| name);
    let stat = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        // Removed since the folder was listed.
        Err(rustix::io::Errno::NOENT) => return LookupResult::Ignored,
        Err(err) => {
            return LookupResult::Problem(
                path,
                WalkProblem::Unreadable(unreadable_reason(&err.into())),
            );
        }
    };
    let markdown = is_markdown(name.as_bytes());
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if markdown => match VaultPath::new(&path) {
            Ok(path) => {
                let size = u64::try_from(stat.st_size).unwrap_or(0);
                LookupResult::Note(WalkedNote {
                    path,
                    stat: Stat {
                        size,
                        mtime_ns: mtime_ns(&stat),
                    },
                })
            }
            Err(err) => LookupResult::Problem(path, WalkProblem::Unreadable(err.to_string())),
        },
        FileType::RegularFile => LookupResult::Ignored,
        // The directory listing has no file types.
        FileType::Directory if is_ignored(rules, excluded, &path, true) => LookupResult::Ignored,
        FileType::Directory => LookupResult::Folder(path),
        FileType::Symlink if markdown => LookupResult::Problem(path, WalkProblem::Link),
        // Other links cannot hide notes, so only links to folders are reported.
        FileType::Symlink => match rustix::fs::statat(folder, name, AtFlags::empty()) {
            Ok(to) if FileType::from_raw_mode(to.st_mode) == FileType::Directory => {
                LookupResult::Problem(path, WalkProblem::Link)
            }
            _ => LookupResult::Ignored,
        },
        _ if markdown => LookupResult::Problem(path, WalkProblem::Special),
        _ => LookupResult::Ignored,
    }
}

/// Whether a note can have this name.
pub fn is_markdown(name: &[u8]) -> bool {
    name.last_chunk::<3>()
        .is_some_and(|ending| ending.eq_ignore_ascii_case(b".md"))
}

/// Whether this is the ending of notes alone, which makes the file hidden.
fn has_no_name(name: &[u8]) -> bool {
    name.len() == 3 && is_markdown(name)
}

#[expect(
    clippy::unnecessary_cast,
    reason = "the fields' types differ between platforms"
)]
fn mtime_ns(stat: &rustix::fs::Stat) -> i64 {
    (stat.st_mtime as i64)
        .saturating_mul(1_000_000_000)
        .saturating_add(stat.st_mtime_nsec as i64)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;

    fn vault(files: &[(&str, &str)]) -> (tempfile::TempDir, Vault) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("vault");
        fs::create_dir_all(root.join(".mem")).unwrap();
        for (path, text) in files {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        let vault = Vault::open(&root).unwrap();
        (dir, vault)
    }

    fn names(walk: &Walk) -> Vec<&str> {
        walk.notes.iter().map(|seen| seen.path.as_str()).collect()
    }

    /// Checks that the walk equals the listings of all folders together.
    fn assert_consistent(vault: &Vault) -> Walk {
        let whole = walk(vault).unwrap();
        let mut pieces = Walk {
            problems: ExcludedFiles::read(vault).1,
            ..Walk::default()
        };
        let mut open = vec![String::new()];
        while let Some(folder) = open.pop() {
            let Some(listed) = list_folder(vault, &folder).unwrap() else {
                continue;
            };
            pieces.folders.push((listed.path, listed.mtime_ns));
            pieces.notes.extend(listed.notes);
            pieces.problems.extend(listed.problems);
            open.extend(listed.folders);
        }
        pieces.notes.sort_by(|a, b| a.path.cmp(&b.path));
        pieces.folders.sort();
        pieces.problems.sort();
        assert_eq!(whole, pieces);
        whole
    }

    #[test]
    fn finds_notes_and_respects_ignore_files() {
        let (_dir, vault) = vault(&[
            ("a.md", "12345"),
            ("B.MD", ""),
            ("日記/茶.md", ""),
            ("plain.txt", ""),
            (".hidden.md", ""),
            (".~mem-r-0", ""),
            (".obsidian/x.md", ""),
            (".trash/x.md", ""),
            (".mem/trash/r/x.md", ""),
            (
                ".gitignore",
                "build/\n*.tmp.md\n!.hidden.md\n/only-root.md\n",
            ),
            ("build/x.md", ""),
            ("sub/build/x.md", ""),
            ("x.tmp.md", ""),
            ("only-root.md", ""),
            ("sub/only-root.md", ""),
            ("sub/.gitignore", "!*.tmp.md\n"),
            ("sub/y.tmp.md", ""),
            ("sub/deep/z.tmp.md", ""),
            (".ignore", "quiet/\n"),
            ("quiet/x.md", ""),
            (".memignore", "!kept/\nmine.md\n"),
            ("kept/.ignore", "*\n"),
            ("mine.md", ""),
            (
                ".obsidian/app.json",
                r#"{"userIgnoreFilters":["Templates/","dra","/^log.*\\d\\.md$/"]}"#,
            ),
            ("Templates/t.md", ""),
            ("drafts/t.md", ""),
            ("logs/7.md", ""),
            ("logs/seven.md", ""),
            ("TemplatesX/t.md", ""),
        ]);
        // An ignore file above the vault has no effect.
        fs::write(vault.root().join("../.gitignore"), "*\n").unwrap();
        let found = assert_consistent(&vault);
        let expected = [
            "B.MD",
            "TemplatesX/t.md",
            "a.md",
            "logs/seven.md",
            "sub/deep/z.tmp.md",
            "sub/only-root.md",
            "sub/y.tmp.md",
            "日記/茶.md",
        ];
        assert_eq!(names(&found), expected);
        assert_eq!(found.notes[2].stat.size, 5);
        assert_eq!(
            found.notes[2].stat,
            vault.stat(&found.notes[2].path).unwrap()
        );
        let folders: Vec<&str> = found
            .folders
            .iter()
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(
            folders,
            ["", "TemplatesX", "kept", "logs", "sub", "sub/deep", "日記"]
        );
        assert_eq!(found.problems, []);
        for left_out in [
            "build",
            ".mem",
            "quiet",
            "Templates",
            "none",
            "a.md",
            "sub/build",
        ] {
            assert_eq!(list_folder(&vault, left_out).unwrap(), None, "{left_out}");
        }
    }

    #[test]
    fn agrees_with_the_walker_of_the_ignore_crate() {
        let (_dir, vault) = vault(&[
            (".gitignore", "*.log.md\n/top\nfoo/**/bar\n!keep.log.md\n"),
            (".ignore", "!x.log.md\nzz*\n"),
            ("a.log.md", ""),
            ("x.log.md", ""),
            ("keep.log.md", ""),
            ("top/a.md", ""),
            ("d/top/a.md", ""),
            ("d/.memignore", "!zzz.md\n"),
            ("d/zzz.md", ""),
            ("zzz.md", ""),
            ("foo/a/b/bar/c.md", ""),
            ("foo/bar/c.md", ""),
            ("foo/c.md", ""),
            ("d/.gitignore", "c.md\n!/e/c.md\n"),
            ("d/c.md", ""),
            ("d/e/c.md", ""),
        ]);
        let mut theirs: Vec<String> = ignore::WalkBuilder::new(vault.root())
            .parents(false)
            .git_global(false)
            .git_exclude(false)
            .require_git(false)
            .add_custom_ignore_filename(".memignore")
            .build()
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().unwrap().is_file())
            .map(|entry| {
                let path = entry.path().strip_prefix(vault.root()).unwrap();
                path.to_str().unwrap().to_owned()
            })
            .collect();
        theirs.sort();
        assert_eq!(names(&assert_consistent(&vault)), theirs);
    }

    #[test]
    fn a_strangers_vault_neither_blocks_nor_escapes() {
        let (dir, vault) = vault(&[("in.md", ""), ("dir/in.md", "")]);
        let root = vault.root();
        fs::create_dir(dir.path().join("out")).unwrap();
        fs::write(dir.path().join("out/secret.md"), "").unwrap();
        symlink("../out", root.join("away")).unwrap();
        symlink("../out/secret.md", root.join("away.md")).unwrap();
        symlink("in.md", root.join("twice.md")).unwrap();
        symlink(".", root.join("loop")).unwrap();
        let pipe = |path: &Path| {
            let kind = (FileType::Fifo, Mode::RWXU);
            rustix::fs::mknodat(CWD, path, kind.0, kind.1, 0).unwrap();
        };
        pipe(&root.join("pipe.md"));
        pipe(&root.join(".gitignore"));
        symlink("../../out/secret.md", root.join("dir/.ignore")).unwrap();
        fs::create_dir(root.join(".obsidian")).unwrap();
        pipe(&root.join(".obsidian/app.json"));
        fs::write(root.join("bell\u{7}.md"), "").unwrap();
        fs::write(root.join("dir/.md"), "").unwrap();
        fs::write(root.join(".draft.md"), "").unwrap();
        fs::create_dir(root.join(".MD")).unwrap();
        fs::write(root.join(OsStr::from_bytes(b"bad\xff.md")), "").unwrap();
        fs::write(root.join(OsStr::from_bytes(b"bad\xff.txt")), "").unwrap();
        let found = assert_consistent(&vault);
        assert_eq!(names(&found), ["dir/in.md", "in.md"]);
        let problems: Vec<(&str, String)> = found
            .problems
            .iter()
            .map(|(path, problem)| {
                (
                    path.as_str(),
                    problem.to_string().chars().take(20).collect(),
                )
            })
            .collect();
        let expected = [
            (".gitignore", "cannot read it (not "),
            (".obsidian/app.json", "cannot read it (not "),
            ("away", "it is a symbolic lin"),
            ("away.md", "it is a symbolic lin"),
            ("bad\u{fffd}.md", "its name is not UTF-"),
            ("bell\u{7}.md", "its name contains co"),
            ("dir/.ignore", "cannot read it (not "),
            ("dir/.md", "it has no name befor"),
            ("loop", "it is a symbolic lin"),
            ("pipe.md", "it is not a regular "),
            ("twice.md", "it is a symbolic lin"),
        ];
        assert_eq!(problems, expected.map(|(path, why)| (path, why.to_owned())));
        assert_eq!(list_folder(&vault, "away").unwrap(), None);
    }

    #[test]
    fn invalid_patterns_are_reported_and_others_apply() {
        let (_dir, vault) = vault(&[
            (".gitignore", "\u{feff}a.md\n{bad\nb.md\n"),
            (
                ".obsidian/app.json",
                r#"{"userIgnoreFilters":["/(?=x)/","c"]}"#,
            ),
            ("a.md", ""),
            ("b.md", ""),
            ("c.md", ""),
            ("d.md", ""),
        ]);
        let found = assert_consistent(&vault);
        assert_eq!(names(&found), ["d.md"]);
        assert_eq!(found.problems.len(), 2, "{:?}", found.problems);
    }

    #[test]
    fn large_folders_are_listed_completely() {
        let names: Vec<String> = (0..MIN_PARALLEL_LOOKUPS * 2)
            .map(|n| format!("{n:05}.md"))
            .collect();
        let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        let (_dir, vault) = vault(&files);
        assert_eq!(self::names(&assert_consistent(&vault)), names);
    }
}
