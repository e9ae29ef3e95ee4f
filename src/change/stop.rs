//! The wish that a run ends early, and the moments in which it must not be ended.
//!
//! Whoever wants a run to end ([`Stop::want`], [`Stop::by`]) is heard between one group of changes and
//! the next: the groups that are left are dropped with [`Why::Stopped`](super::Why::Stopped), and what
//! was done is recorded. Between two such stretches of work a process can be ended at any moment;
//! [`Stop::at_work`] marks them for whoever would end it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// Shared by the run and by whoever may want it to end.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    wanted: AtomicBool,
    deadline: OnceLock<Instant>,
    /// How many stretches of work there are, one in another.
    at_work: Mutex<usize>,
}

impl Stop {
    /// Asks the run to end.
    pub fn want(&self) {
        self.0.wanted.store(true, Ordering::Relaxed);
    }

    /// Asks the run to end at a moment; only the first one counts.
    pub fn by(&self, deadline: Instant) {
        let _ = self.0.deadline.set(deadline);
    }

    /// Returns true if somebody asked for an end, be it late or not.
    #[must_use]
    pub fn is_asked_for(&self) -> bool {
        self.0.wanted.load(Ordering::Relaxed)
    }

    /// Returns true if the run is to end.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        let deadline = self.0.deadline.get();
        self.is_asked_for() || deadline.is_some_and(|deadline| Instant::now() >= *deadline)
    }

    /// Holds off, until dropped, whoever waits for [`Stop::at_rest`].
    pub fn at_work(&self) -> Work<'_> {
        *self.work() += 1;
        Work(self)
    }

    fn work(&self) -> MutexGuard<'_, usize> {
        self.0
            .at_work
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if nobody is at work; nobody is then until `ended` returns.
    pub fn at_rest(&self, ended: impl FnOnce()) -> bool {
        let work = self.work();
        if *work == 0 {
            ended();
        }
        *work == 0
    }
}

/// A stretch of work that must not be cut short.
#[derive(Debug)]
#[must_use = "the work is over when this is dropped"]
pub struct Work<'s>(&'s Stop);

impl Drop for Work<'_> {
    fn drop(&mut self) {
        *self.0.work() -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_is_wanted_once_asked_for_or_late() {
        let stop = Stop::default();
        stop.by(Instant::now() + Duration::from_secs(1000));
        assert!(!stop.is_wanted());
        stop.clone().want();
        assert!(stop.is_wanted());
        let late = Stop::default();
        late.by(Instant::now());
        assert!(late.is_wanted());
    }

    #[test]
    fn work_is_not_interrupted() {
        let stop = Stop::default();
        let work = stop.at_work();
        let part = stop.at_work();
        assert!(!stop.at_rest(|| panic!("in the middle of work")));
        drop(part);
        assert!(!stop.at_rest(|| panic!("in the middle of work")));
        drop(work);
        assert!(stop.at_rest(|| {}));
    }
}
