//! The set of watched folders: one non-recursive watch for each folder that the walk lists.
//!
//! So `.git`, `.mem` and excluded folders cost nothing and cause no events. After every pass the
//! set is
//! compared with the listed folders. If some were not watched yet, they are added, and another pass
//! covers
//! the time before.
//!
//! A watch belongs to an inode and survives a move, still reporting the old path. Watching the new
//! path returns
//! the same watch. So after an event on a folder, the watches at and below it are removed first,
//! and obsolete
//! watches are removed before new ones are added: in the other order, removing the old path would
//! end the
//! watch of the new one.

use crate::run::prelude::*;
use std::ops::Bound;

use notify::{Config, ErrorKind, EventHandler, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::event::OBSIDIAN;
use super::unwatchable::problem;

/// The watched folders of a vault.
#[derive(Debug)]
pub struct WatchFolders {
    root: PathBuf,
    pub watched: BTreeSet<String>,
    watcher: RecommendedWatcher,
}

impl WatchFolders {
    /// Returns an empty set for the vault at `root`.
    pub fn new(root: &Path, handler: impl EventHandler) -> Result<Self, String> {
        let watcher = RecommendedWatcher::new(handler, Config::default())
            .map_err(|error| problem(root, &error))?;
        Ok(Self {
            root: root.to_owned(),
            watched: BTreeSet::new(),
            watcher,
        })
    }

    /// Stops watching a folder and everything below it; `""` is the whole vault.
    pub fn unwatch_below(&mut self, folder: &str) {
        let is_in = |path: &str| {
            let rest = path.strip_prefix(folder);
            folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let from = (Bound::Included(folder), Bound::Unbounded);
        let following = self.watched.range::<str, _>(from);
        let candidates = following.take_while(|path| path.starts_with(folder));
        let removed: Vec<String> = candidates.filter(|path| is_in(path)).cloned().collect();
        for folder in removed {
            self.unwatch(&folder);
        }
    }

    /// Watches exactly the folders `known`. Returns true if one was not watched before, so changes
    /// in it may have been
    /// missed.
    pub fn watch_only<'f>(&mut self, known: impl Iterator<Item = &'f str>) -> Result<bool, String> {
        let mut known: BTreeSet<&str> = known.collect();
        if self.root.join(OBSIDIAN).is_dir() {
            known.insert(OBSIDIAN);
        }
        let mut unknown = self.watched.clone();
        unknown.retain(|folder| !known.contains(folder.as_str()));
        for folder in unknown {
            self.unwatch(&folder);
        }
        let mut is_new = false;
        for folder in known {
            if self.watched.contains(folder) {
                continue;
            }
            is_new = true;
            let path = self.path(folder);
            match self.watcher.watch(&path, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(folder.to_owned());
                }
                // The folder was removed or became unreadable; the next pass handles this.
                Err(error) if is_gone(&error, &path) => {}
                Err(error) => return Err(problem(&path, &error)),
            }
        }
        Ok(is_new)
    }

    fn unwatch(&mut self, folder: &str) {
        // The watch of a removed folder no longer exists, so an error is expected.
        let _ = self.watcher.unwatch(&self.path(folder));
        self.watched.remove(folder);
    }

    fn path(&self, folder: &str) -> PathBuf {
        // With a trailing slash the path would differ from those in events.
        if folder.is_empty() {
            self.root.clone()
        } else {
            self.root.join(folder)
        }
    }
}

/// Whether a folder that cannot be watched is also unlistable.
fn is_gone(error: &notify::Error, path: &Path) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::MaxFilesWatch => false,
        _ => std::fs::read_dir(path).is_err(),
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    use super::*;
    use crate::run::watch::event::dirty_paths;
    use crate::run::watch::pending::DirtyPath;

    fn watched_vault(root: &Path) -> (WatchFolders, Receiver<notify::Event>) {
        let (sender, receiver) = channel();
        let handler = move |event: notify::Result<notify::Event>| {
            let _ = sender.send(event.unwrap());
        };
        let folders = WatchFolders::new(&root.join("v"), handler).unwrap();
        (folders, receiver)
    }

    /// Waits for an event about `path`.
    fn has_event(root: &Path, events: &Receiver<notify::Event>, path: &str) -> bool {
        while let Ok(event) = events.recv_timeout(Duration::from_secs(5)) {
            let found = dirty_paths(&root.join("v"), &event);
            let is_it = |found: &DirtyPath| match found {
                DirtyPath::Note(note) => note.as_str() == path,
                DirtyPath::Folder(folder) => folder == path,
                DirtyPath::Everything => false,
            };
            if found.iter().any(is_it) {
                return true;
            }
        }
        false
    }

    #[test]
    fn a_moved_folder_is_watched_under_its_new_name() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("v/a/b")).unwrap();
        let (mut folders, events) = watched_vault(&root);
        assert!(folders.watch_only(["", "a", "a/b"].into_iter()).unwrap());
        assert!(!folders.watch_only(["", "a", "a/b"].into_iter()).unwrap());
        fs::write(root.join("v/a/b/1.md"), "").unwrap();
        assert!(has_event(&root, &events, "a/b/1.md"));
        fs::rename(root.join("v/a"), root.join("v/z")).unwrap();
        assert!(has_event(&root, &events, "z"));
        // Simulates a pass that sees the new name before the event is read.
        assert!(folders.watch_only(["", "z", "z/b"].into_iter()).unwrap());
        folders.unwatch_below("a");
        folders.unwatch_below("z");
        assert_eq!(folders.watched.len(), 1);
        assert!(folders.watch_only(["", "z", "z/b"].into_iter()).unwrap());
        fs::write(root.join("v/z/b/2.md"), "").unwrap();
        assert!(has_event(&root, &events, "z/b/2.md"));
        fs::write(root.join("v/z/3.md"), "").unwrap();
        assert!(has_event(&root, &events, "z/3.md"));
    }

    #[test]
    fn unwatch_below_removes_only_the_subtree() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let all = ["", "a", "a b", "a/b", "a/b/c", "a-b", "ab"];
        for folder in all {
            fs::create_dir_all(root.join("v").join(folder)).unwrap();
        }
        let (mut folders, _events) = watched_vault(&root);
        // A folder that has disappeared is not an error.
        let known = all.into_iter().chain(["gone"]);
        assert!(folders.watch_only(known).unwrap());
        assert_eq!(folders.watched.len(), 7);
        folders.unwatch_below("a");
        let left: Vec<&str> = folders.watched.iter().map(String::as_str).collect();
        assert_eq!(left, ["", "a b", "a-b", "ab"]);
        folders.unwatch_below("");
        assert!(folders.watched.is_empty());
    }
}
