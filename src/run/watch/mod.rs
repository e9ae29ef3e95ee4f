//! Watching a vault: all of `mem watch` but its arguments and its output.
//!
//! ```text
//! notify ─ event ─→ Inbox (dirty) ─ batch ─→ watcher: pass, folders ─ WatchEvent ─→ the command
//! ```
//!
//! Events are boiled down to places as they come, by the thread that notify calls, which never waits:
//! a million of them cost no more memory than [`dirty::MOST`] places do. The watcher takes the places
//! in batches and has the caches look at them. Lost events, limits and file systems that tell nothing
//! end in a look at everything, so that the index is never wrong for long.

pub mod blind;
pub mod dirty;
pub mod event;
pub mod folders;
pub mod news;
mod sleeper;
pub mod watcher;

use crate::run::prelude::*;
use std::sync::{Condvar, MutexGuard};

use dirty::{Batch, Dirty, DirtyPath};

/// Where events, signals and other news meet the one who acts on them.
#[derive(Debug)]
pub struct Inbox {
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Debug)]
struct State {
    dirty: Dirty,
    /// When a place came in last.
    stirred: Instant,
    is_stopped: bool,
    /// Whether a look is wanted before anything is ready.
    is_woken: bool,
}

impl Default for Inbox {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                dirty: Dirty::default(),
                stirred: Instant::now(),
                is_stopped: false,
                is_woken: false,
            }),
            news: Condvar::new(),
        }
    }
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what notify says about the vault at `root`.
    pub fn event(&self, root: &Path, event: &notify::Result<notify::Event>) {
        let paths = match event {
            Ok(event) => event::dirty_paths(root, event),
            Err(_) => vec![DirtyPath::Everything],
        };
        if !paths.is_empty() {
            self.add(paths, true);
        }
    }

    /// Asks for a look at everything, though nothing happened.
    pub fn look_at_everything(&self) {
        self.add([DirtyPath::Everything], false);
    }

    /// Adds paths, where something happened if it `stirs`.
    fn add(&self, paths: impl IntoIterator<Item = DirtyPath>, stirs: bool) {
        let now = Instant::now();
        let mut state = self.state();
        if stirs {
            state.stirred = now;
        }
        let was_empty = state.dirty.is_empty();
        for path in paths {
            state.dirty.add(path, now);
        }
        drop(state);
        // Later ones only put off the moment that is waited for.
        if was_empty {
            self.news.notify_one();
        }
    }

    /// Adds what was taken and could not be looked at.
    pub fn put_back(&self, batch: Batch) {
        self.state().dirty.put_back(batch, Instant::now());
    }

    /// Asks for the end.
    pub fn stop(&self) {
        self.state().is_stopped = true;
        self.news.notify_one();
    }

    /// Returns true if the end was asked for.
    pub fn is_stopped(&self) -> bool {
        self.state().is_stopped
    }

    /// Ends the wait at hand, or the next one.
    pub fn wake(&self) {
        self.state().is_woken = true;
        self.news.notify_one();
    }

    /// Waits until a batch is ready, the end or a look is asked for, or it is `until`;
    /// batches count from `not_before` on.
    pub fn wait(&self, until: Instant, not_before: Instant) {
        let mut state = self.state();
        loop {
            if state.is_stopped || std::mem::take(&mut state.is_woken) {
                return;
            }
            let ready = state.dirty.ready_at().map(|ready| ready.max(not_before));
            let until = ready.map_or(until, |ready| ready.min(until));
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let woken = self.news.wait_timeout(state, left);
            (state, _) = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns the batch that is ready, if one is.
    pub fn take(&self) -> Option<Batch> {
        self.state().dirty.take(Instant::now())
    }

    /// When something happened last.
    pub fn stirred(&self) -> Instant {
        self.state().stirred
    }
}
