//! Requests to end a run early, and critical sections in which the process must not exit.
//!
//! A request ([`Stop::request`], [`Stop::set_deadline`]) takes effect between two groups of
//! changes. The remaining groups are dropped with
//! [`DropReason::Stopped`](super::DropReason::Stopped); applied groups are recorded.
//! [`Stop::critical_section`] marks sections in which a signal handler must not exit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// A stop request, shared by the run and the signal handler.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<StopState>);

#[derive(Debug, Default)]
struct StopState {
    requested: AtomicBool,
    deadline: OnceLock<Instant>,
    /// Number of open, nested sections.
    sections: Mutex<usize>,
}

impl Stop {
    pub fn request(&self) {
        self.0.requested.store(true, Ordering::Relaxed);
    }

    /// Requests a stop at `deadline`; only the first deadline counts.
    pub fn set_deadline(&self, deadline: Instant) {
        let _ = self.0.deadline.set(deadline);
    }

    /// Whether a stop was requested, regardless of the deadline.
    pub fn is_requested(&self) -> bool {
        self.0.requested.load(Ordering::Relaxed)
    }

    /// Whether the run must end: a stop was requested or the deadline passed.
    pub fn is_due(&self) -> bool {
        let deadline = self.0.deadline.get();
        self.is_requested() || deadline.is_some_and(|deadline| Instant::now() >= *deadline)
    }

    /// Makes [`Stop::if_idle`] return false until the guard is dropped.
    pub fn critical_section(&self) -> CriticalSection<'_> {
        *self.sections() += 1;
        CriticalSection(self)
    }

    fn sections(&self) -> MutexGuard<'_, usize> {
        self.0
            .sections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `end` and returns true if no critical section is open; none can begin meanwhile.
    pub fn if_idle(&self, end: impl FnOnce()) -> bool {
        let sections = self.sections();
        if *sections == 0 {
            end();
        }
        *sections == 0
    }
}

/// A section in which the process must not exit.
#[derive(Debug)]
#[must_use = "the section ends when this is dropped"]
pub struct CriticalSection<'s>(&'s Stop);

impl Drop for CriticalSection<'_> {
    fn drop(&mut self) {
        *self.0.sections() -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_stop_is_due_once_requested_or_past_the_deadline() {
        let stop = Stop::default();
        stop.set_deadline(Instant::now() + Duration::from_secs(1000));
        assert!(!stop.is_due());
        stop.clone().request();
        assert!(stop.is_due());
        let late = Stop::default();
        late.set_deadline(Instant::now());
        assert!(late.is_due());
    }

    #[test]
    fn a_critical_section_is_not_interrupted() {
        let stop = Stop::default();
        let outer = stop.critical_section();
        let inner = stop.critical_section();
        assert!(!stop.if_idle(|| panic!("in a critical section")));
        drop(inner);
        assert!(!stop.if_idle(|| panic!("in a critical section")));
        drop(outer);
        assert!(stop.if_idle(|| {}));
    }
}
