//! Runs planned calls, several in parallel, and stores each result as soon as it arrives.

use std::sync::mpsc;

use super::call_context::{CallContext, CallFailure, CallRequest, CallResult};
use super::judges::Judge;
use crate::run::prelude::*;

/// Consecutive failures after which a run makes no more calls.
const MAX_CONSECUTIVE_FAILURES: usize = 3;

/// A call to make.
pub(super) struct PlannedCall<'j, T, A> {
    pub about: T,
    pub request: A,
    pub judge: &'j Judge,
    pub failures: u32,
}

/// The calls that have not started.
struct CallQueue<I> {
    calls: I,
    /// Failures since the last reply.
    failed: usize,
}

impl<I: Iterator> CallQueue<I> {
    /// Returns the next call, or none after too many consecutive failures.
    fn next(&mut self) -> Option<I::Item> {
        self.calls
            .next()
            .filter(|_| self.failed < MAX_CONSECUTIVE_FAILURES)
    }

    /// Counts failures. A refusal proves that the server is reachable, so it does not count.
    fn record<R>(&mut self, reply: &Result<R, CallFailure>) {
        match reply {
            Ok(_) => self.failed = 0,
            Err(CallFailure::Refused(_)) => {}
            Err(_) => self.failed += 1,
        }
    }
}

/// Makes `parallel` calls at a time and passes each result to `keep`. Returns what `keep` returned,
/// in the
/// order of `planned`. Unused tokens return to the budget.
pub(super) fn run_calls<T: Sync, A: CallRequest, R>(
    planned: &[PlannedCall<'_, T, A>],
    parallel: usize,
    context: &CallContext<'_>,
    mut keep: impl FnMut(&PlannedCall<'_, T, A>, CallResult<A::Reply>) -> Result<R>,
) -> Result<Vec<R>> {
    let queue = Mutex::new(CallQueue {
        calls: planned.iter().enumerate(),
        failed: 0,
    });
    let (send, replies) = mpsc::channel();
    let mut kept: BTreeMap<usize, R> = BTreeMap::new();
    let work = |send: mpsc::Sender<_>| {
        loop {
            let next = queue.lock().ok().and_then(|mut queue| queue.next());
            let Some((index, planned)) = next.filter(|_| !context.stop.is_due()) else {
                return;
            };
            let result = planned.judge.ask(&planned.request, context);
            if let Ok(mut queue) = queue.lock() {
                queue.record(&result.reply);
            }
            if send.send((index, planned, result)).is_err() {
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
        for (index, planned, result) in replies {
            if result.reply.is_err() && context.stop.is_due() {
                continue;
            }
            let estimate = planned.request.tokens() * (1 + result.repairs);
            context
                .budget()
                .correct(estimate, result.tokens.unwrap_or(estimate));
            kept.insert(index, keep(planned, result)?);
        }
        Ok::<(), Error>(())
    })?;
    let all = planned.iter().enumerate();
    for (_, planned) in all.filter(|(index, _)| !kept.contains_key(index)) {
        context
            .budget()
            .release(planned.request.kind(), planned.request.tokens());
    }
    Ok(kept.into_values().collect())
}
