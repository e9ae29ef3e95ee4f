//! The calls of a run: a few at a time, each kept as soon as it ends.

use std::sync::mpsc;
use std::thread;

use super::asking::{Around, Asked, Asks, Failure};
use super::judges::Judge;
use crate::run::prelude::*;

/// After so many calls in a row that nobody answered no more are made in a run.
const GIVE_UP: usize = 3;

/// A call that is to be made.
pub(super) struct Planned<'j, T, A> {
    pub about: T,
    pub asks: A,
    pub judge: &'j Judge,
    pub failures: u32,
}

/// The calls that nobody makes yet.
struct Waiting<I> {
    calls: I,
    /// How many failed since one was answered.
    failed: usize,
}

impl<I: Iterator> Waiting<I> {
    /// Who is not there at all is not asked again and again.
    fn next(&mut self) -> Option<I::Item> {
        self.calls.next().filter(|_| self.failed < GIVE_UP)
    }

    /// Who refuses a question is there, and is asked the next.
    fn ended<R>(&mut self, reply: &Result<R, Failure>) {
        match reply {
            Ok(_) => self.failed = 0,
            Err(Failure::Refused(_)) => {}
            Err(_) => self.failed += 1,
        }
    }
}

/// Makes the calls, `parallel` at a time, and has each kept at once; returns what `keep` made of them, in their
/// order. What a call did not take goes back to the budget.
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
