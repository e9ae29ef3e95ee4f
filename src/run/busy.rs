//! Notes that somebody is at work on: they are left for the next time.
//!
//! Every job asks before it changes a note unattended. What is left is not lost: the queue of the job
//! keeps what it found, and it is done, or asked, the next time.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::note::path::VaultPath;
use crate::session::Session;
use crate::vault::editors::{Editor, Editors};
use crate::vault::{Stat, Vault};

/// Tells which notes somebody is at work on.
#[derive(Clone, Debug)]
pub struct Watchful<'w> {
    /// Where the notes lie.
    pub vault: &'w Vault,
    /// What tells that a note is open.
    pub editors: Editors,
    /// The moment.
    pub now: Timestamp,
    /// A note that was saved so shortly ago is still being written; zero if none is.
    pub idle: Duration,
    /// What mem itself wrote meanwhile, and as what.
    pub written: HashMap<VaultPath, Stat>,
}

/// How somebody is at work on a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// It is open in an editor.
    OpenIn(Editor),
    /// It was saved so many seconds ago, which is too few.
    #[serde(rename = "saved_seconds_ago")]
    SavedAgo(u64),
}

/// A note that is left for the next time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Busy {
    /// The note.
    pub path: VaultPath,
    /// Why.
    #[serde(flatten)]
    pub work: Work,
}

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match self.work {
            Work::OpenIn(editor) => write!(f, "{path} is open in {}", editor.name()),
            Work::SavedAgo(seconds @ 0..120) => write!(f, "{path} was saved {seconds} s ago"),
            Work::SavedAgo(seconds) => write!(f, "{path} was saved {} min ago", seconds / 60),
        }
    }
}

impl<'w> Watchful<'w> {
    /// Tells it of the notes of `session`; `idle` is how long ago a note has to be saved.
    #[must_use]
    pub fn of(session: &'w Session, idle: Duration) -> Self {
        let now = session.env.now.timestamp();
        Self {
            vault: &session.vault,
            editors: Editors::new(now, session.env.folders.swaps.clone()),
            now,
            idle,
            written: session.written.borrow().notes.clone(),
        }
    }

    /// Returns how somebody is at work on the note, if anybody is.
    #[must_use]
    pub fn work_on(&self, path: &VaultPath) -> Option<Work> {
        let editor = self.editors.open_in(self.vault, path);
        editor.map(Work::OpenIn).or_else(|| self.saved(path))
    }

    fn saved(&self, path: &VaultPath) -> Option<Work> {
        if self.idle.is_zero() {
            return None;
        }
        let stat = self.vault.stat(path).ok()?;
        if self.written.get(path) == Some(&stat) {
            return None;
        }
        // A clock that is a little ahead, or somebody who saves right now.
        let now = self.now.as_nanosecond();
        let distance = now.abs_diff(stat.mtime_ns.into());
        let seconds = distance / 1_000_000_000;
        (distance < self.idle.as_nanos()).then_some(Work::SavedAgo(seconds as u64))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn what_was_saved_shortly_ago_is_left() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".mem")).unwrap();
        let vault = Vault::open(folder.path()).unwrap();
        let path = VaultPath::new("a.md").unwrap();
        fs::write(vault.absolute(&path), "Tea.\n").unwrap();
        let (minute, second) = (Duration::from_secs(60), Duration::from_secs(1));
        let work = |mtime: SystemTime, idle: Duration, is_own: bool| {
            let file = fs::File::options().write(true).open(vault.absolute(&path));
            file.unwrap().set_modified(mtime).unwrap();
            let stat = vault.stat(&path).unwrap();
            let watchful = Watchful {
                vault: &vault,
                editors: Editors::new(Timestamp::UNIX_EPOCH, Vec::new()),
                now: Timestamp::from_second(1_800_000_000).unwrap(),
                idle,
                written: is_own.then_some((path.clone(), stat)).into_iter().collect(),
            };
            watchful.work_on(&path)
        };
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        for (name, mtime, idle, is_own, expected) in [
            ("just now", now, minute, false, Some(Work::SavedAgo(0))),
            (
                "within",
                now - minute + second,
                minute,
                false,
                Some(Work::SavedAgo(59)),
            ),
            ("exactly then", now - minute, minute, false, None),
            (
                "in a moment",
                now + second,
                minute,
                false,
                Some(Work::SavedAgo(1)),
            ),
            ("by a wrong clock", now + 2 * minute, minute, false, None),
            ("by mem", now, minute, true, None),
            ("not asked for", now, Duration::ZERO, false, None),
        ] {
            assert_eq!(work(mtime, idle, is_own), expected, "{name}");
        }
    }

    #[test]
    fn it_is_told_in_words() {
        let path = VaultPath::new("a.md").unwrap();
        for (work, expected) in [
            (Work::OpenIn(Editor::Vim), "a.md is open in vim"),
            (Work::SavedAgo(119), "a.md was saved 119 s ago"),
            (Work::SavedAgo(3599), "a.md was saved 59 min ago"),
        ] {
            let busy = Busy {
                path: path.clone(),
                work,
            };
            assert_eq!(busy.to_string(), expected);
        }
    }
}
