//! Notes in use: open in an editor or saved recently. Unattended jobs skip them for now.
//!
//! The findings stay in the job's queue for the next run.

use crate::run::prelude::*;
use crate::vault::Stat;
use crate::vault::editors::{Editor, Editors};

/// Detects notes in use.
#[derive(Clone, Debug)]
pub struct InUseProbe<'w> {
    pub vault: &'w Vault,
    pub editors: Editors,
    pub now: Timestamp,
    /// A note saved less than this long ago counts as in use; zero disables this.
    pub idle: Duration,
    /// Notes written by this process, which do not count as in use.
    pub written: HashMap<VaultPath, Stat>,
}

/// Why a note counts as in use.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum InUseReason {
    OpenIn(Editor),
    /// Seconds since it was saved, fewer than [`InUseProbe::idle`].
    #[serde(rename = "saved_seconds_ago")]
    SavedAgo(u64),
}

/// A note that is skipped for now.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct InUse {
    pub path: VaultPath,
    #[serde(flatten)]
    pub reason: InUseReason,
}

impl fmt::Display for InUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match self.reason {
            InUseReason::OpenIn(editor) => write!(f, "{path} is open in {}", editor.name()),
            InUseReason::SavedAgo(seconds @ 0..120) => {
                write!(f, "{path} was saved {seconds} s ago")
            }
            InUseReason::SavedAgo(seconds) => {
                write!(f, "{path} was saved {} min ago", seconds / 60)
            }
        }
    }
}

impl<'w> InUseProbe<'w> {
    /// Returns a probe for the notes of `session`; see [`InUseProbe::idle`].
    pub fn new(session: &'w Session, idle: Duration) -> Self {
        let now = session.env.now.timestamp();
        Self {
            vault: &session.vault,
            editors: Editors::new(now, session.env.folders.swaps.clone()),
            now,
            idle,
            written: session.written.borrow().notes.clone(),
        }
    }

    /// Returns why the note is in use, if it is.
    pub fn reason(&self, path: &VaultPath) -> Option<InUseReason> {
        let editor = self.editors.open_in(self.vault, path);
        editor.map(InUseReason::OpenIn).or_else(|| self.saved(path))
    }

    fn saved(&self, path: &VaultPath) -> Option<InUseReason> {
        if self.idle.is_zero() {
            return None;
        }
        let stat = self.vault.stat(path).ok()?;
        if self.written.get(path) == Some(&stat) {
            return None;
        }
        // Times in the future are possible: a save right now, or a clock that is ahead.
        let now = self.now.as_nanosecond();
        let distance = now.abs_diff(stat.mtime_ns.into());
        let seconds = distance / 1_000_000_000;
        (distance < self.idle.as_nanos()).then_some(InUseReason::SavedAgo(seconds as u64))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn recently_saved_notes_are_in_use() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".mem")).unwrap();
        let vault = Vault::open(folder.path()).unwrap();
        let path = VaultPath::new("a.md").unwrap();
        fs::write(vault.absolute(&path), "Tea.\n").unwrap();
        let (minute, second) = (Duration::from_secs(60), Duration::from_secs(1));
        let reason = |mtime: SystemTime, idle: Duration, is_own: bool| {
            let file = fs::File::options().write(true).open(vault.absolute(&path));
            file.unwrap().set_modified(mtime).unwrap();
            let stat = vault.stat(&path).unwrap();
            let probe = InUseProbe {
                vault: &vault,
                editors: Editors::new(Timestamp::UNIX_EPOCH, Vec::new()),
                now: Timestamp::from_second(1_800_000_000).unwrap(),
                idle,
                written: is_own.then_some((path.clone(), stat)).into_iter().collect(),
            };
            probe.reason(&path)
        };
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        for (name, mtime, idle, is_own, expected) in [
            (
                "just now",
                now,
                minute,
                false,
                Some(InUseReason::SavedAgo(0)),
            ),
            (
                "within",
                now - minute + second,
                minute,
                false,
                Some(InUseReason::SavedAgo(59)),
            ),
            ("exactly then", now - minute, minute, false, None),
            (
                "in a moment",
                now + second,
                minute,
                false,
                Some(InUseReason::SavedAgo(1)),
            ),
            ("by a wrong clock", now + 2 * minute, minute, false, None),
            ("by mem", now, minute, true, None),
            ("not asked for", now, Duration::ZERO, false, None),
        ] {
            assert_eq!(reason(mtime, idle, is_own), expected, "{name}");
        }
    }

    #[test]
    fn the_reason_is_displayed() {
        let path = VaultPath::new("a.md").unwrap();
        for (reason, expected) in [
            (InUseReason::OpenIn(Editor::Vim), "a.md is open in vim"),
            (InUseReason::SavedAgo(119), "a.md was saved 119 s ago"),
            (InUseReason::SavedAgo(3599), "a.md was saved 59 min ago"),
        ] {
            let in_use = InUse {
                path: path.clone(),
                reason,
            };
            assert_eq!(in_use.to_string(), expected);
        }
    }
}
