//! The context, request and result of a judge call.

use std::sync::MutexGuard;

use super::budget::{Budget, tokens};
use crate::run::prelude::*;

/// Total time a run waits for busy servers.
pub(super) const MAX_BUSY_WAIT: Duration = Duration::from_secs(300);

/// Shortest wait that is shown to the user.
const MIN_REPORTED_WAIT: Duration = Duration::from_secs(2);

/// Polling interval while a call is running.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Why a call returned no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallFailure {
    /// The judge is unreachable; a later call may succeed.
    Absent(String),
    /// The server rejected this question; it may accept others.
    Refused(String),
    /// The call timed out or the reply is unusable.
    Failed(String),
}

impl CallFailure {
    pub(super) fn why(&self) -> &str {
        match self {
            Self::Absent(why) | Self::Refused(why) | Self::Failed(why) => why,
        }
    }
}

/// Limits and shared state of the calls of one run.
#[derive(Clone, Copy)]
pub(super) struct CallContext<'a> {
    pub vault: &'a Path,
    pub timeout: Duration,
    pub stop: &'a Stop,
    pub budget: &'a Mutex<Budget>,
    /// Remaining time to wait for busy servers.
    pub patience: &'a Mutex<Duration>,
    /// Shows a progress message.
    pub report_wait: &'a (dyn Fn(&str) + Sync),
}

impl CallContext<'_> {
    pub(super) fn budget(&self) -> MutexGuard<'_, Budget> {
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits `time` for the busy server at `url`. Returns false if the run is stopping or its
    /// patience is used up.
    pub(super) fn wait_for_server(&self, time: Duration, url: &str) -> bool {
        {
            let mut left = self.patience.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(rest) = left.checked_sub(time) else {
                return false;
            };
            *left = rest;
        }
        if time >= MIN_REPORTED_WAIT {
            let seconds = time.as_secs_f64().round();
            (self.report_wait)(&format!("`{url}` is busy: waiting for {seconds} s"));
        }
        let end = Instant::now() + time;
        while !self.stop.is_due() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(POLL_INTERVAL));
        }
        false
    }
}

/// A request to a judge.
pub(super) trait CallRequest: Sync {
    type Reply: Send;

    /// Returns the name that limits per kind are counted under.
    fn kind(&self) -> &'static str;

    fn instructions(&self) -> &str;

    /// Returns the question as one JSON document. Note text occurs only inside its strings.
    fn question(&self) -> &str;

    /// Returns question and instructions as one JSON document.
    fn document(&self) -> Vec<u8>;

    /// Returns the JSON schema of the reply.
    fn schema(&self) -> Value;

    /// Returns the estimated size of a reply in bytes.
    fn reply_bytes(&self) -> usize;

    /// Parses a reply, or returns why it is unusable.
    fn read(&self, text: &str) -> Result<Self::Reply, String>;

    fn bytes(&self) -> usize {
        self.instructions().len() + self.question().len()
    }

    /// Returns the estimated number of tokens of request and reply.
    fn tokens(&self) -> usize {
        tokens(self.bytes() + self.reply_bytes())
    }
}

/// The result of a request, repairs included.
#[derive(Clone, Debug)]
pub(super) struct CallResult<R> {
    pub reply: Result<R, CallFailure>,
    /// Tokens sent and received, if the judge counts them.
    pub tokens: Option<usize>,
    /// Number of additional calls to repair an unusable reply.
    pub repairs: usize,
}

/// Whether serde omits a number.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
pub(super) fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::super::options::JudgeOptions;
    use super::*;

    #[test]
    fn busy_servers_are_waited_for_up_to_a_total() {
        let said = Mutex::new(Vec::new());
        let stop = Stop::default();
        let patience = Mutex::new(Duration::from_millis(2_100));
        let context = CallContext {
            vault: Path::new("/"),
            timeout: Duration::MAX,
            stop: &stop,
            budget: &Mutex::new(Budget::of(&JudgeOptions::default())),
            patience: &patience,
            report_wait: &|words| said.lock().unwrap().push(words.to_owned()),
        };
        let url = "http://a.example";
        assert!(context.wait_for_server(Duration::from_millis(50), url));
        assert!(said.lock().unwrap().is_empty());
        assert!(context.wait_for_server(Duration::from_secs(2), url));
        let expected = ["`http://a.example` is busy: waiting for 2 s"];
        assert_eq!(*said.lock().unwrap(), expected);
        // 50 ms of patience are left.
        assert!(!context.wait_for_server(Duration::from_millis(100), url));
        assert!(context.wait_for_server(Duration::from_millis(50), url));
        assert_eq!(said.lock().unwrap().len(), 1);
        *patience.lock().unwrap() = Duration::from_secs(60);
        stop.request();
        let began = Instant::now();
        assert!(!context.wait_for_server(Duration::from_secs(30), url));
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}
