//! What a watch reports: events, and warnings that are not repeated.

use super::sleeper::JobSummary;
use crate::cache::sync::ChangedNotes;
use crate::run::plan::open::Counts;
use crate::run::prelude::*;
use crate::session::watched::{Pass, TakenIn};

/// Something that happened, as `--jsonl` says it.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum WatchEvent<'e> {
    /// The index is where the notes are, and from now on it follows them.
    Started {
        notes: usize,
        /// How many folders are watched.
        folders: usize,
        how: SyncMethod,
    },
    /// Notes were taken into the index.
    Indexed {
        added: &'e [VaultPath],
        changed: &'e [VaultPath],
        moved: &'e [(String, VaultPath)],
        removed: &'e [String],
        seconds: f64,
        /// Whether the whole vault was looked at.
        whole: bool,
    },
    /// The index was built afresh, as it was gone or of no use: what changed nobody knows.
    Rebuilt { notes: usize, seconds: f64 },
    /// The jobs that were due were run, as nothing had changed for a while.
    Slept {
        jobs: &'e [JobSummary],
        open: Counts,
        seconds: f64,
    },
    /// From now on the whole vault is looked at again and again.
    Polling { why: String },
    /// It came to an end as it was asked to.
    Stopped,
}

/// How it learns what happened.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SyncMethod {
    Events,
    Polling,
}

impl<'e> WatchEvent<'e> {
    /// Returns what to say of what a pass took in, unless nothing changed.
    pub(super) fn taken_in(taken_in: &'e TakenIn, took: Duration) -> Option<Self> {
        let seconds = (took.as_secs_f64() * 1000.0).round() / 1000.0;
        let notes = taken_in.report.notes;
        if taken_in.how == Pass::Afresh {
            return Some(Self::Rebuilt { notes, seconds });
        }
        let ChangedNotes {
            added,
            changed,
            moved,
            removed,
            ..
        } = &taken_in.report.changed_notes;
        let is_nothing =
            added.is_empty() && changed.is_empty() && moved.is_empty() && removed.is_empty();
        (!is_nothing).then_some(Self::Indexed {
            added,
            changed,
            moved,
            removed,
            seconds,
            whole: taken_in.how == Pass::Whole,
        })
    }
}

/// What went wrong and was said, so that it is said once and not at every turn.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    /// Why the last batch was not taken in.
    failure: Option<String>,
    /// Why the last sleep came to nothing.
    sleep: Option<String>,
    /// The notes that are left out.
    problems: BTreeSet<(String, String)>,
}

impl Warnings {
    /// Says why a batch was not taken in.
    pub(super) fn failed(&mut self, env: &Environment, error: &Error) {
        let lines: Vec<String> = error.lines().collect();
        let message = lines.join("; ");
        let message = message
            .strip_prefix("error: ")
            .unwrap_or(&message)
            .to_owned();
        if self.failure.as_ref() != Some(&message) {
            env.output
                .warn(&format!("cannot follow changes for now: {message}"));
            self.failure = Some(message);
        }
    }

    /// Says why a sleep came to nothing.
    pub(super) fn slept_badly(&mut self, env: &Environment, why: String) {
        if self.sleep.as_ref() != Some(&why) {
            env.output.warn(&format!("due jobs were not run: {why}"));
            self.sleep = Some(why);
        }
    }

    /// Lets the next sleep that comes to nothing be told.
    pub(super) fn slept_well(&mut self) {
        self.sleep = None;
    }

    /// Says that it goes on, and which notes are left out.
    pub(super) fn went_well(&mut self, env: &Environment, problems: Vec<(String, String)>) {
        if self.failure.take().is_some() {
            env.output.say("following changes again");
        }
        let problems: BTreeSet<(String, String)> = problems.into_iter().collect();
        for (path, why) in problems.difference(&self.problems) {
            env.output.warn(&format!("skipped `{path}`: {why}"));
        }
        self.problems = problems;
    }
}
