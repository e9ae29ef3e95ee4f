//! Watching a vault: `mem watch` without its arguments and output.
//!
//! ```text
//! notify ─ event ─→ Inbox (pending) ─ batch ─→ watcher: pass, folders ─ WatchEvent ─→ the command
//! ```
//!
//! The thread of notify reduces events to paths and never blocks: a million events need no more
//! memory than
//! [`pending::MAX_PATHS`] paths. The watcher takes the paths in batches and updates the caches. Lost
//! events, limits
//! and file systems without events cause full scans, so the index is never outdated for long.

pub mod event;
pub mod folders;
pub mod pending;
mod sleeper;
pub mod unwatchable;
pub mod watch_event;
pub mod watcher;

use crate::run::prelude::*;
use std::sync::{Condvar, MutexGuard};

use pending::{Batch, DirtyPath, PendingPaths};

/// Collects events, signals and wake-ups for the watcher thread.
#[derive(Debug)]
pub struct Inbox {
    state: Mutex<InboxState>,
    news: Condvar,
}

#[derive(Debug)]
struct InboxState {
    pending: PendingPaths,
    /// When the last event arrived.
    last_event: Instant,
    is_stopped: bool,
    /// Whether to return from `wait` before a batch is ready.
    is_woken: bool,
}

impl Default for Inbox {
    fn default() -> Self {
        Self {
            state: Mutex::new(InboxState {
                pending: PendingPaths::default(),
                last_event: Instant::now(),
                is_stopped: false,
                is_woken: false,
            }),
            news: Condvar::new(),
        }
    }
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the paths of an event, or of an error, in the vault at `root`.
    pub fn event(&self, root: &Path, event: &notify::Result<notify::Event>) {
        let paths = match event {
            Ok(event) => event::dirty_paths(root, event),
            Err(_) => vec![DirtyPath::Everything],
        };
        if !paths.is_empty() {
            self.add(paths, true);
        }
    }

    /// Requests a full scan that is not caused by an event.
    pub fn request_full_scan(&self) {
        self.add([DirtyPath::Everything], false);
    }

    /// Adds paths; `is_event` marks them as caused by an event.
    fn add(&self, paths: impl IntoIterator<Item = DirtyPath>, is_event: bool) {
        let now = Instant::now();
        let mut state = self.state();
        if is_event {
            state.last_event = now;
        }
        let was_empty = state.pending.is_empty();
        for path in paths {
            state.pending.add(path, now);
        }
        drop(state);
        // Later paths can only delay the batch, so the waiting thread need not wake.
        if was_empty {
            self.news.notify_one();
        }
    }

    /// Returns a batch that could not be processed.
    pub fn put_back(&self, batch: Batch) {
        self.state().pending.put_back(batch, Instant::now());
    }

    /// Requests the end of the watch.
    pub fn stop(&self) {
        self.state().is_stopped = true;
        self.news.notify_one();
    }

    /// Whether the end was requested.
    pub fn is_stopped(&self) -> bool {
        self.state().is_stopped
    }

    /// Ends the current or the next call of `wait`.
    pub fn wake(&self) {
        self.state().is_woken = true;
        self.news.notify_one();
    }

    /// Waits for a ready batch, a stop, a wake-up, or `until`. Batches are not ready before
    /// `not_before`.
    pub fn wait(&self, until: Instant, not_before: Instant) {
        let mut state = self.state();
        loop {
            if state.is_stopped || std::mem::take(&mut state.is_woken) {
                return;
            }
            let ready = state.pending.ready_at().map(|ready| ready.max(not_before));
            let until = ready.map_or(until, |ready| ready.min(until));
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let result = self.news.wait_timeout(state, left);
            (state, _) = result.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns the batch if it is ready.
    pub fn take(&self) -> Option<Batch> {
        self.state().pending.take(Instant::now())
    }

    /// Returns the time of the last event.
    pub fn last_event(&self) -> Instant {
        self.state().last_event
    }
}
