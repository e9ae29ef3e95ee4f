//! The lock that separates concurrent writers on one machine.
//!
//! [`Lock`] is an advisory `flock` on `<state>/lock`. `apply`, `undo` and recovery hold it for the
//! whole run, and the writer of the caches takes it, too; readers never do. The kernel releases it
//! when its holder exits, so the file may stay. Do not delete it by hand, because a second file
//! would be a second lock. It does not affect other machines that sync the same folder; there the
//! swap by content hash protects notes.

use super::fs::io_at;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};

/// The process that holds a lock, for messages to a waiting process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub command: String,
    /// Start time, RFC 3339 to the second.
    pub since: String,
}

impl Holder {
    /// Returns this process as a holder that has run `command` since `at`.
    pub fn new(command: String, at: Timestamp) -> Self {
        Self {
            pid: std::process::id(),
            command,
            since: at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }
}

/// The reason why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it; `None` if it has not written its name yet.
    #[error("another mem is writing to this vault{}", .holder.as_ref().map_or_else(String::new, describe))]
    Held { holder: Option<Holder> },
    /// The file cannot be opened or locked.
    #[error("cannot lock `{}`", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

io_at!(LockError);

fn describe(holder: &Holder) -> String {
    format!(
        ": `{}` (process {}, since {})",
        holder.command, holder.pid, holder.since
    )
}

/// The exclusive right to write, until dropped.
#[derive(Debug)]
#[must_use = "the lock is freed when this is dropped"]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A child process started by another thread shares the file until it calls `exec`, so
        // closing our copy alone might not release the lock.
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Takes the lock at `path`, creating the file, or returns its holder as an error.
    pub fn acquire(path: &Path, holder: &Holder) -> Result<Self, LockError> {
        let io = &LockError::at(path);
        if let Some(folder) = path.parent() {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(io)?;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            // The holder's text must not be written through a symbolic link.
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32)
            .open(path)
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = read_holder(&mut file);
                return Err(LockError::Held { holder });
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        let text = serde_json::to_string(holder).map_err(|err| io(err.into()))?;
        file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
        file.write_all(text.as_bytes()).map_err(io)?;
        Ok(Self { file })
    }

    /// Whether a process holds the lock at `path`.
    pub fn is_held(path: &Path) -> bool {
        // A shared lock, so that concurrent checks do not block each other.
        File::open(path)
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Returns the holder of the lock at `path`, if there is one and it has written its name.
    pub fn holder(path: &Path) -> Option<Holder> {
        Self::is_held(path)
            .then(|| File::open(path).ok())
            .flatten()
            .and_then(|mut file| read_holder(&mut file))
    }

    /// Like [`Lock::acquire`], retrying every 50 ms for about `patience`.
    pub fn wait(path: &Path, holder: &Holder, patience: Duration) -> Result<Self, LockError> {
        const RETRY_INTERVAL: Duration = Duration::from_millis(50);
        let mut left = patience;
        loop {
            match Self::acquire(path, holder) {
                Err(LockError::Held { .. }) if !left.is_zero() => {
                    std::thread::sleep(RETRY_INTERVAL.min(left));
                    left = left.saturating_sub(RETRY_INTERVAL);
                }
                done => return done,
            }
        }
    }
}

/// Returns the holder recorded in a lock file; `None` if it has not written its name yet.
fn read_holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.take(64 << 10).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// Whether a process with this number exists on this machine.
pub fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(command: &str) -> Holder {
        Holder {
            pid: 7,
            command: command.to_owned(),
            since: "2026-11-21T05:59:00Z".to_owned(),
        }
    }

    #[test]
    fn the_holder_message_contains_the_start_time() {
        let at = Timestamp::from_nanosecond(1_775_044_800_123_456_789).unwrap();
        let holder = Holder::new("mem watch".to_owned(), at);
        assert_eq!(holder.since, "2026-04-01T12:00:00Z");
    }

    #[test]
    fn is_released_even_if_a_child_process_has_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let lock = Lock::acquire(&path, &holder("mem sleep")).unwrap();
        let inherited = lock.file.try_clone().unwrap();
        drop(lock);
        let _lock = Lock::acquire(&path, &holder("mem undo")).unwrap();
        drop(inherited);
    }

    #[test]
    fn excludes_others_and_reports_the_holder() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/lock");
        let first = Lock::acquire(&path, &holder("mem sleep")).unwrap();
        let Err(LockError::Held { holder: Some(seen) }) = Lock::acquire(&path, &holder("mem undo"))
        else {
            panic!("a held lock was taken, or its holder is unknown");
        };
        assert_eq!(seen, holder("mem sleep"));
        assert!(Lock::is_held(&path));
        drop(first);
        assert!(!Lock::is_held(&path));
        let _second = Lock::acquire(&path, &holder("u")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(
            serde_json::from_str::<Holder>(&text).unwrap(),
            holder("u"),
            "nothing left over"
        );
    }

    #[test]
    fn waits_for_a_limited_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let first = Lock::acquire(&path, &holder("a")).unwrap();
        let short = Duration::from_millis(60);
        assert!(matches!(
            Lock::wait(&path, &holder("b"), short),
            Err(LockError::Held { .. })
        ));
        let soon = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(80));
            drop(first);
        });
        assert!(Lock::wait(&path, &holder("b"), Duration::from_secs(20)).is_ok());
        soon.join().unwrap();
    }
}
