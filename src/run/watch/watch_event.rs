//! Events that a watch reports, and warnings without repetition.

use super::sleeper::JobSummary;
use crate::run::plan::open::Counts;
use crate::run::prelude::*;
use crate::session::watched::{IndexUpdate, PassKind};

/// An event as reported by `--jsonl`.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum WatchEvent<'e> {
    /// The index is up to date; from now on it follows changes.
    Started {
        notes: usize,
        /// Number of watched folders.
        folders: usize,
        how: SyncMethod,
    },
    /// Changed notes were indexed.
    Indexed {
        added: &'e [VaultPath],
        changed: &'e [VaultPath],
        moved: &'e [(String, VaultPath)],
        removed: &'e [String],
        seconds: f64,
        /// Whether the whole vault was scanned.
        whole: bool,
    },
    /// The index was rebuilt because it was missing or unusable, so the changes are unknown.
    Rebuilt { notes: usize, seconds: f64 },
    /// Due jobs were run after a quiet period.
    Slept {
        jobs: &'e [JobSummary],
        open: Counts,
        seconds: f64,
    },
    /// Events are unavailable; the vault is scanned periodically.
    Polling { why: String },
    /// The watch stopped on request.
    Stopped,
}

/// How changes are detected.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SyncMethod {
    Events,
    Polling,
}

impl<'e> WatchEvent<'e> {
    /// Returns the event for the changes of a pass, if there were any.
    pub(super) fn of_pass(indexed: &'e IndexUpdate, took: Duration) -> Option<Self> {
        let seconds = (took.as_secs_f64() * 1000.0).round() / 1000.0;
        let notes = indexed.report.notes;
        if indexed.how == PassKind::Afresh {
            return Some(Self::Rebuilt { notes, seconds });
        }
        let found = &indexed.report.changed_notes;
        let (added, changed) = (&found.added, &found.changed);
        let (moved, removed) = (&found.moved, &found.removed);
        let is_unchanged =
            added.is_empty() && changed.is_empty() && moved.is_empty() && removed.is_empty();
        (!is_unchanged).then_some(Self::Indexed {
            added,
            changed,
            moved,
            removed,
            seconds,
            whole: indexed.how == PassKind::Whole,
        })
    }
}

/// Warnings already shown, so that each is shown once.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    /// Why the last batch failed.
    failure: Option<String>,
    /// Why the last sleep failed.
    sleep: Option<String>,
    /// The skipped notes.
    problems: BTreeSet<(String, String)>,
}

impl Warnings {
    /// Warns that a batch failed.
    pub(super) fn failed(&mut self, env: &Environment, error: &Error) {
        let lines: Vec<String> = error.lines().collect();
        let joined = lines.join("; ");
        let message = joined.strip_prefix("error: ").unwrap_or(&joined).to_owned();
        if self.failure.as_ref() != Some(&message) {
            env.output.warn(&format!(
                "cannot watch for changes at the moment: {message}"
            ));
            self.failure = Some(message);
        }
    }

    /// Warns that a sleep failed.
    pub(super) fn sleep_failed(&mut self, env: &Environment, why: String) {
        if self.sleep.as_ref() != Some(&why) {
            env.output.warn(&format!("due jobs were not run: {why}"));
            self.sleep = Some(why);
        }
    }

    /// Allows the next failed sleep to be reported.
    pub(super) fn sleep_succeeded(&mut self) {
        self.sleep = None;
    }

    /// Reports recovery, and warns about newly skipped notes.
    pub(super) fn succeeded(&mut self, env: &Environment, problems: Vec<(String, String)>) {
        if self.failure.take().is_some() {
            env.output.say("watching for changes again");
        }
        let problems: BTreeSet<(String, String)> = problems.into_iter().collect();
        for (path, why) in problems.difference(&self.problems) {
            env.output.warn(&format!("skipped `{path}`: {why}"));
        }
        self.problems = problems;
    }
}
