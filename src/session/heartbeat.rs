//! How others know that a watch lives, and whether the index is where the notes are.
//!
//! ```text
//! <state home>/mem/<vault>/
//!   watch     *                                              or `=`
//!             {"pid":7,"command":"mem watch","since":"…"}
//!             /home/ann/.cache/mem/<vault>                   the caches that it keeps
//!   asks/     empty but for a moment
//! ```
//!
//! The file `watch` is locked (`flock`) while its watch lives. Its first byte is `*` from the moment an
//! event is read until everything that was read is in the index, `=` otherwise. Its time is that of
//! the last beat.
//!
//! The byte alone could be late: a note was saved, and the event is not read yet. So whoever wants to
//! rely on it puts a file into `asks`, which the watch watches as it does the notes. The system hands
//! out events in order; when the file is taken away, all that happened before it was put there
//! has been read, and the byte tells. A watch that is stopped, hung or gone does not answer, and
//! whoever asked looks for themselves: such a watch cannot make an answer stale.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use notify::EventKind;

use crate::vault::lock::{Holder, LockError};

/// How often a watch beats: seldom, for each beat is a write to the disk.
const BEAT: Duration = Duration::from_secs(10);

/// How old the last beat of a watch may be that is relied on.
const FRESH: Duration = Duration::from_secs(30);

/// How long to wait for an answer. Looking for oneself takes no longer.
const PATIENCE: Duration = Duration::from_millis(5);

/// How long to sleep before looking for the answer again.
const STEP: Duration = Duration::from_micros(50);

/// How often to try again to get the lock, which readers hold for an instant when no watch does.
const TRIES: u32 = 10;

/// Only here events come at once and in order.
const IN_ORDER: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// The sign of life of this process.
#[derive(Debug)]
pub struct Heartbeat {
    file: File,
    who: String,
    asks: PathBuf,
    is_current: bool,
    /// When it beat last by itself.
    beaten: Instant,
}

impl Heartbeat {
    /// Takes the lock in the vault's state folder, or says who has it; `cache` is where the caches are
    /// that this watch keeps. They count as behind.
    pub fn take(state: &Path, cache: &Path, holder: &Holder) -> Result<Self, LockError> {
        let path = state.join("watch");
        let io = |source| LockError::Io {
            path: path.clone(),
            source,
        };
        let asks = state.join("asks");
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&asks)
            .map_err(io)?;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32)
            .open(&path)
            .map_err(io)?;
        let mut tries = TRIES;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if tries > 0 => {
                    tries -= 1;
                    thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Held {
                        holder: live(state).map(|live| live.holder),
                    });
                }
                Err(TryLockError::Error(source)) => return Err(io(source)),
            }
        }
        let who = serde_json::to_string(holder).map_err(|error| io(error.into()))?;
        // What was asked of a watch that died.
        for entry in fs::read_dir(&asks).map_err(io)?.flatten() {
            let _ = fs::remove_file(entry.path());
        }
        let mut heartbeat = Self {
            file,
            who,
            asks,
            is_current: false,
            beaten: Instant::now(),
        };
        heartbeat.keeps(cache).map_err(io)?;
        Ok(heartbeat)
    }

    /// Says which caches this watch keeps; they count as behind.
    pub fn keeps(&mut self, cache: &Path) -> io::Result<()> {
        self.is_current = false;
        let mut text = format!("*\n{}\n", self.who).into_bytes();
        text.extend(cache.as_os_str().as_bytes());
        // Nobody relies on a half: it begins with the sign that nobody relies on.
        self.file.set_len(0)?;
        self.file.write_all_at(&text, 0)
    }

    /// Returns the folder in which others ask.
    #[must_use]
    pub fn asks(&self) -> &Path {
        &self.asks
    }

    /// Says that something happened.
    pub fn behind(&mut self) {
        if self.is_current {
            self.is_current = false;
            self.write();
        }
    }

    /// Says that all that happened is in the index.
    pub fn current(&mut self) {
        if IN_ORDER && !self.is_current {
            self.is_current = true;
            self.write();
        }
    }

    /// Says that it lives, if it is time for that.
    pub fn beat(&mut self) {
        if self.beaten.elapsed() >= BEAT {
            self.beaten = Instant::now();
            self.write();
        }
    }

    fn write(&self) {
        let byte = if self.is_current { b"=" } else { b"*" };
        // Without it nobody relies on this watch, which is all there is to do about it.
        let _ = self.file.write_all_at(byte, 0);
    }
}

/// Answers whoever asks by this event, if somebody does; returns true if it was about that.
#[must_use]
pub fn answer(asks: &Path, event: &notify::Event) -> bool {
    let mut is_about_it = false;
    for path in &event.paths {
        if path.starts_with(asks) {
            is_about_it = true;
            if matches!(event.kind, EventKind::Create(_)) {
                let _ = fs::remove_file(path);
            }
        }
    }
    is_about_it
}

/// A watch that lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// Who it is.
    pub holder: Holder,
    /// When it beat last.
    pub beat: SystemTime,
    /// Whether all it knows of is in the index.
    pub is_current: bool,
}

/// Returns the watch of the vault with this state folder, if one lives.
#[must_use]
pub fn live(state: &Path) -> Option<Live> {
    let mut file = held(state)?;
    let beat = file.metadata().ok()?.modified().ok()?;
    let mut text = Vec::new();
    file.read_to_end(&mut text).ok()?;
    let mut lines = text.splitn(3, |byte| *byte == b'\n');
    let (sign, holder) = (lines.next()?, lines.next()?);
    Some(Live {
        holder: serde_json::from_slice(holder).ok()?,
        beat,
        is_current: sign == b"=",
    })
}

/// Returns true if the index in `cache` is where the notes are, for a watch that lives says so now.
#[must_use]
pub fn is_current(state: &Path, cache: &Path, now: SystemTime) -> bool {
    let Some(mut file) = held(state) else {
        return false;
    };
    let beat = file.metadata().and_then(|metadata| metadata.modified());
    let is_fresh = beat.is_ok_and(|beat| now.duration_since(beat).is_ok_and(|age| age < FRESH));
    let mut says_current = || {
        let mut text = Vec::new();
        let read = file.rewind().and_then(|()| file.read_to_end(&mut text));
        let mut lines = text.splitn(3, |byte| *byte == b'\n');
        read.is_ok()
            && lines.next() == Some(b"=")
            && lines.nth(1) == Some(cache.as_os_str().as_bytes())
    };
    is_fresh && says_current() && is_answered(state) && says_current()
}

/// Returns the file of a watch that lives.
fn held(state: &Path) -> Option<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32)
        .open(state.join("watch"))
        .ok()?;
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)).then_some(file)
}

/// Asks, and waits a moment for the answer.
fn is_answered(state: &Path) -> bool {
    let ask = state.join("asks").join(std::process::id().to_string());
    if File::create_new(&ask).is_err() {
        // A process of this number died while it asked.
        let _ = fs::remove_file(&ask);
        return false;
    }
    let asked = Instant::now();
    loop {
        thread::sleep(STEP);
        match ask.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return true,
            Ok(_) if asked.elapsed() < PATIENCE => {}
            _ => {
                let _ = fs::remove_file(&ask);
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder() -> Holder {
        Holder {
            pid: 7,
            command: "mem watch".to_owned(),
            since: "2026-11-21T05:59:00Z".to_owned(),
        }
    }

    /// Answers every ask in `asks`, as events would make a watch do.
    fn answering(asks: PathBuf) -> impl FnOnce() {
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let seen = stop.clone();
        let thread = thread::spawn(move || {
            while !seen.load(std::sync::atomic::Ordering::Relaxed) {
                for entry in fs::read_dir(&asks).unwrap().flatten() {
                    let kind = EventKind::Create(notify::event::CreateKind::File);
                    assert!(answer(
                        &asks,
                        &notify::Event::new(kind).add_path(entry.path())
                    ));
                }
            }
        });
        move || {
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            thread.join().unwrap();
        }
    }

    #[test]
    fn only_a_watch_that_lives_and_answers_is_relied_on() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let (cache, other) = (Path::new("/cache"), Path::new("/other"));
        let now = SystemTime::now;
        assert_eq!(live(&state), None);
        assert!(!is_current(&state, cache, now()));
        let mut heartbeat = Heartbeat::take(&state, cache, &holder()).unwrap();
        let seen = live(&state).unwrap();
        assert_eq!((seen.holder, seen.is_current), (holder(), false));
        assert!(!is_current(&state, cache, now()));
        heartbeat.current();
        assert!(live(&state).unwrap().is_current);
        assert!(!is_current(&state, cache, now()), "nobody answers");
        assert_eq!(fs::read_dir(heartbeat.asks()).unwrap().count(), 0);
        let stop = answering(heartbeat.asks().to_owned());
        // A busy machine may keep the one who answers waiting.
        assert!((0..1000).any(|_| is_current(&state, cache, now())));
        assert!(!is_current(&state, cache, now() + FRESH), "it hangs");
        heartbeat.behind();
        assert!(!is_current(&state, cache, now()));
        heartbeat.current();
        assert!((0..1000).any(|_| is_current(&state, cache, now())));
        assert!(!is_current(&state, other, now()), "it keeps others");
        heartbeat.keeps(other).unwrap();
        heartbeat.current();
        assert!((0..1000).any(|_| is_current(&state, other, now())));
        assert!(!is_current(&state, cache, now()));
        stop();
        drop(heartbeat);
        assert_eq!(live(&state), None);
        assert!(!is_current(&state, cache, now()));
    }

    #[test]
    fn there_is_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Path::new("/cache");
        let first = Heartbeat::take(folder.path(), cache, &holder()).unwrap();
        let refused = Heartbeat::take(folder.path(), cache, &holder());
        assert!(
            matches!(&refused, Err(LockError::Held { holder: Some(found) }) if *found == holder()),
            "{refused:?}"
        );
        // What a watch that was killed left.
        fs::write(first.asks().join("1"), "").unwrap();
        drop(first);
        let next = Heartbeat::take(folder.path(), cache, &holder()).unwrap();
        assert_eq!(fs::read_dir(next.asks()).unwrap().count(), 0);
    }
}
