//! What a call has to keep to, and what comes of it.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use super::budget::Budget;
use super::reply::Reply;
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

/// What came of asking.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub reply: Result<Reply, Failure>,
    /// What was sent and came back, where the judge counts it.
    pub tokens: Option<usize>,
    /// Calls that it took beyond the first.
    pub repairs: usize,
}
