//! What a call has to keep to, and what comes of it.

use std::sync::MutexGuard;
use std::thread;

use super::budget::{Budget, tokens};
use crate::change::stop::Stop;
use crate::run::prelude::*;

/// How long a run waits in all for servers that are busy.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);

/// A wait that is said.
const WORTH_A_WORD: Duration = Duration::from_secs(2);

/// How long a call is left alone before it is looked after again.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// Why a call brought no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Nobody was there: another time may be better.
    Absent(String),
    /// The server does not take this question; another it may.
    Refused(String),
    /// This question took too long, or its answer failed.
    Failed(String),
}

impl Failure {
    pub(super) fn why(&self) -> &str {
        match self {
            Self::Absent(why) | Self::Refused(why) | Self::Failed(why) => why,
        }
    }
}

/// What a call has to keep to.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub vault: &'a Path,
    pub timeout: Duration,
    pub stop: &'a Stop,
    pub budget: &'a Mutex<Budget>,
    /// How long servers that are busy are still waited for.
    pub patience: &'a Mutex<Duration>,
    /// Says what a call waits for.
    pub says: &'a (dyn Fn(&str) + Sync),
}

impl Around<'_> {
    pub(super) fn budget(&self) -> MutexGuard<'_, Budget> {
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a server at `url` that is busy; returns false if the run is to end, or was kept waiting for long
    /// enough.
    pub(super) fn waits(&self, time: Duration, url: &str) -> bool {
        {
            let mut left = self.patience.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(rest) = left.checked_sub(time) else {
                return false;
            };
            *left = rest;
        }
        if time >= WORTH_A_WORD {
            let seconds = time.as_secs_f64().round();
            (self.says)(&format!("`{url}` is busy: waiting for {seconds} s"));
        }
        let end = Instant::now() + time;
        while !self.stop.is_due() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(TICK));
        }
        false
    }
}

/// Something to ask.
pub(super) trait Asks: Sync {
    type Reply: Send;

    /// Returns what it counts as, where a cap is one of a kind.
    fn kind(&self) -> &'static str;

    fn instructions(&self) -> &str;

    /// Returns the question as one JSON document: what notes say stands in its strings and can be nothing else.
    fn question(&self) -> &str;

    /// Returns the question with the instructions, as one JSON document.
    fn document(&self) -> Vec<u8>;

    /// Returns the JSON schema of its replies.
    fn schema(&self) -> Value;

    /// Returns about how many bytes a reply has.
    fn reply_bytes(&self) -> usize;

    /// Reads a reply, or says why it is none.
    fn read(&self, text: &str) -> Result<Self::Reply, String>;

    fn bytes(&self) -> usize {
        self.instructions().len() + self.question().len()
    }

    /// Returns about how many tokens it takes to ask and to answer.
    fn tokens(&self) -> usize {
        tokens(self.bytes() + self.reply_bytes())
    }
}

/// What came of asking.
#[derive(Clone, Debug)]
pub(super) struct Asked<R> {
    pub reply: Result<R, Failure>,
    /// What was sent and came back, where the judge counts it.
    pub tokens: Option<usize>,
    /// Calls that it took beyond the first.
    pub repairs: usize,
}

/// Returns whether serde leaves a number out.
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
    fn busy_servers_are_waited_for_only_so_long_in_all() {
        let said = Mutex::new(Vec::new());
        let stop = Stop::default();
        let patience = Mutex::new(Duration::from_millis(2_100));
        let around = Around {
            vault: Path::new("/"),
            timeout: Duration::MAX,
            stop: &stop,
            budget: &Mutex::new(Budget::of(&JudgeOptions::default())),
            patience: &patience,
            says: &|words| said.lock().unwrap().push(words.to_owned()),
        };
        let url = "http://a.example";
        assert!(around.waits(Duration::from_millis(50), url));
        assert!(said.lock().unwrap().is_empty());
        assert!(around.waits(Duration::from_secs(2), url));
        let expected = ["`http://a.example` is busy: waiting for 2 s"];
        assert_eq!(*said.lock().unwrap(), expected);
        // What is left is too little for this, and enough for that.
        assert!(!around.waits(Duration::from_millis(100), url));
        assert!(around.waits(Duration::from_millis(50), url));
        assert_eq!(said.lock().unwrap().len(), 1);
        *patience.lock().unwrap() = Duration::from_secs(60);
        stop.request();
        let began = Instant::now();
        assert!(!around.waits(Duration::from_secs(30), url));
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}
