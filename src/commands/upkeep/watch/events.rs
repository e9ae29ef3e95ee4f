//! What a watch says: a line for a person, or an object a line for a program.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use super::asleep::Job;

use crate::cache::sync::ChangedNotes;
use crate::change::run_id::short as short_id;
use crate::error::Error;
use crate::note::path::VaultPath;
use crate::output::{Form, Style, count};
use crate::run::plan::open::Counts;
use crate::session::Environment;
use crate::session::watched::{Pass, TakenIn};

/// How many notes are named of one batch.
const NAMED: usize = 5;

/// Something that happened, as `--jsonl` says it.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub(super) enum Event<'e> {
    /// The index is where the notes are, and from now on it follows them.
    Started {
        notes: usize,
        /// How many folders are watched.
        folders: usize,
        how: How,
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
        jobs: &'e [Job],
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
pub(super) enum How {
    Events,
    Polling,
}

impl<'e> Event<'e> {
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

    /// Says it, at once.
    pub(super) fn say(&self, env: &Environment) -> Result<(), Error> {
        let output = &env.output;
        if output.form != Form::Human {
            output.record(self)?;
        } else if !output.quiet {
            for line in self.lines(env) {
                output.line(&line)?;
            }
        }
        output.flush()
    }

    fn lines(&self, env: &Environment) -> Vec<String> {
        let output = &env.output;
        let time = env.now.strftime("%H:%M:%S").to_string();
        let time = output.paint(Style::Faint, &time);
        match self {
            Self::Started {
                notes,
                folders,
                how,
            } => {
                let (notes, folders) = (count(*notes, "note"), count(*folders, "folder"));
                vec![match how {
                    How::Events => format!("{time}  watching {notes} in {folders}"),
                    How::Polling => format!("{time}  watching {notes}"),
                }]
            }
            Self::Indexed {
                added,
                changed,
                moved,
                removed,
                ..
            } => {
                let place = |path: &str| output.place(path);
                let all = added.len() + changed.len() + moved.len() + removed.len();
                let named = (added.iter().map(|path| ("added  ", path)))
                    .chain(changed.iter().map(|path| ("changed", path)))
                    .map(|(what, path)| format!("{time}  {what} {}", place(path.as_str())))
                    .chain(moved.iter().map(|(from, to)| {
                        format!("{time}  moved   {} to {}", place(from), place(to.as_str()))
                    }))
                    .chain(
                        removed
                            .iter()
                            .map(|path| format!("{time}  removed {}", place(path))),
                    );
                let mut lines: Vec<String> = named.take(NAMED).collect();
                if all > lines.len() {
                    lines.push(format!("{time}  and {} more", digits(all - lines.len())));
                }
                lines
            }
            Self::Slept { jobs, open, .. } => jobs
                .iter()
                .filter_map(|job| {
                    let words = match (&job.error, job.changed, &job.run) {
                        (Some(error), _, _) => format!("failed: {}", output.clean(error)),
                        (None, 0, _) => return None,
                        (None, number, Some(run)) => {
                            let changes = count(number, "change");
                            format!("{changes} (undo: mem undo {})", output.clean(short_id(run)))
                        }
                        (None, number, None) => count(number, "change"),
                    };
                    Some(format!("{time}  {} {words}", output.clean(&job.name)))
                })
                .chain(open.hint().map(|words| format!("{time}  {words}")))
                .collect(),
            // That was said where it was done.
            Self::Rebuilt { .. } => Vec::new(),
            Self::Polling { why } => {
                vec![format!("{time}  polling all notes: {}", output.clean(why))]
            }
            Self::Stopped => vec![format!("{time}  stopped")],
        }
    }
}

/// Returns a number as a person reads it.
fn digits(number: usize) -> String {
    let text = count(number, "");
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// What went wrong and was said, so that it is said once and not at every turn.
#[derive(Debug, Default)]
pub(super) struct Warned {
    /// Why the last batch was not taken in.
    failure: Option<String>,
    /// Why the last sleep came to nothing.
    sleep: Option<String>,
    /// The notes that are left out.
    problems: BTreeSet<(String, String)>,
}

impl Warned {
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
