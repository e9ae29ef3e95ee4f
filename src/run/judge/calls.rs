//! Runs planned calls, several in parallel, and stores each result as soon as it arrives.

use std::sync::mpsc;
use std::thread;

use super::asking::{Around, Asked, Asks, Failure};
use super::judges::Judge;
use crate::run::prelude::*;

/// Consecutive failures after which a run makes no more calls.
const GIVE_UP: usize = 3;

/// A call to make.
pub(super) struct Planned<'j, T, A> {
    pub about: T,
    pub asks: A,
    pub judge: &'j Judge,
    pub failures: u32,
}

/// The calls that have not started.
struct Waiting<I> {
    calls: I,
    /// Failures since the last reply.
    failed: usize,
}

impl<I: Iterator> Waiting<I> {
    /// Returns the next call, or none after too many consecutive failures.
    fn next(&mut self) -> Option<I::Item> {
        self.calls.next().filter(|_| self.failed < GIVE_UP)
    }

    /// Counts failures. A refusal proves that the server is reachable, so it does not count.
    fn ended<R>(&mut self, reply: &Result<R, Failure>) {
        match reply {
            Ok(_) => self.failed = 0,
            Err(Failure::Refused(_)) => {}
            Err(_) => self.failed += 1,
        }
    }
}

/// Makes `parallel` calls at a time and passes each result to `keep`. Returns what `keep` returned,
/// in the
/// order of `planned`. Unused tokens return to the budget.
pub(super) fn call_all<T: Sync, A: Asks, R>(
    planned: &[Planned<'_, T, A>],
    parallel: usize,
    around: &Around<'_>,
    mut keep: impl FnMut(&Planned<'_, T, A>, Asked<A::Reply>) -> Result<R>,
) -> Result<Vec<R>> {
    let waiting = Mutex::new(Waiting {
        calls: planned.iter().enumerate(),
        failed: 0,
    });
    let (send, replies) = mpsc::channel();
    let mut kept: BTreeMap<usize, R> = BTreeMap::new();
    let work = |send: mpsc::Sender<_>| {
        loop {
            let next = waiting.lock().ok().and_then(|mut waiting| waiting.next());
            let Some((place, planned)) = next.filter(|_| !around.stop.is_due()) else {
                return;
            };
            let asked = planned.judge.ask(&planned.asks, around);
            if let Ok(mut waiting) = waiting.lock() {
                waiting.ended(&asked.reply);
            }
            if send.send((place, planned, asked)).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..parallel.min(planned.len()) {
            let (send, work) = (send.clone(), &work);
            scope.spawn(move || work(send));
        }
        drop(send);
        for (place, planned, asked) in replies {
            if asked.reply.is_err() && around.stop.is_due() {
                continue;
            }
            let estimate = planned.asks.tokens() * (1 + asked.repairs);
            around
                .budget()
                .correct(estimate, asked.tokens.unwrap_or(estimate));
            kept.insert(place, keep(planned, asked)?);
        }
        Ok::<(), Error>(())
    })?;
    let unmade = planned.iter().enumerate();
    for (_, planned) in unmade.filter(|(place, _)| !kept.contains_key(place)) {
        around
            .budget()
            .put_back(planned.asks.kind(), planned.asks.tokens());
    }
    Ok(kept.into_values().collect())
}
