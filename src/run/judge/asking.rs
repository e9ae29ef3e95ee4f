//! What a call has to keep to, and what comes of it.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::Value;

use super::budget::{Budget, tokens};
use crate::change::stop::Stop;

/// Why a call brought no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Nobody was there: another time may be better.
    Absent(String),
    /// This question took too long, or its answer failed.
    Failed(String),
}

/// What a call has to keep to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'a> {
    pub vault: &'a Path,
    pub timeout: Duration,
    pub stop: &'a Stop,
    pub budget: &'a Mutex<Budget>,
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
