//! What one sleep found and did: what `--json` prints, what a person sees, and what is kept.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::index::summary;
use super::super::maintenance::{self, Performed};
use super::super::render::{self, GroupRecord};
use crate::cache::sync::SyncReport;
use crate::change::apply::RunReport;
use crate::error::Error;
use crate::output::{Output, Style, count};
use crate::run::in_use::InUse;
use crate::run::schedule::Due;

/// How many open questions of one job are shown and kept here; `mem review` shows all.
const SHOWN: usize = 10;

/// One sleep.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Night {
    pub(super) at: Timestamp,
    pub(super) dry_run: bool,
    /// False while it is under way, and for good if it was stopped.
    pub(super) complete: bool,
    /// None if only a quick look at the vault was due.
    pub(super) index: Option<SyncReport>,
    /// In the order in which they ran.
    pub(super) jobs: Vec<JobReport>,
    /// Jobs whose turn did not come, because time was up or somebody wanted an end.
    pub(super) left: Vec<String>,
    /// Jobs that were not due.
    pub(super) not_due: Vec<NotDue>,
}

/// A job that was not due.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NotDue {
    job: String,
    /// None if it is switched off.
    next_due: Option<Timestamp>,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum JobEnd {
    /// It is through.
    Done,
    /// It could not do what it should.
    Failed,
    /// It was to end before it was through.
    Stopped,
}

/// One run of one job.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct JobReport {
    pub(super) job: String,
    pub(super) outcome: JobEnd,
    /// Notes or pairs looked at.
    pub(super) processed: usize,
    /// Changes made.
    pub(super) changed: usize,
    /// Questions that are open.
    pub(super) needs_answer: usize,
    pub(super) duration_seconds: f64,
    /// The id by which it is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default)]
    groups: Vec<GroupRecord>,
    /// The first of the open questions.
    #[serde(default)]
    questions: Vec<Waiting>,
    /// What could not be looked at, and why.
    #[serde(default)]
    skipped: Vec<String>,
    /// Notes that are left for the next time, because somebody is at work on them.
    #[serde(default)]
    busy: Vec<InUse>,
}

/// An open question.
#[derive(Debug, Serialize, Deserialize)]
struct Waiting {
    id: String,
    question: String,
    reason: String,
}

impl NotDue {
    /// Returns the record of a job that is due at another time.
    pub(super) fn new(job: &str, due: Due) -> Self {
        Self {
            job: job.to_owned(),
            next_due: match due {
                Due::At(at) => Some(at),
                Due::Now | Due::Never => None,
            },
        }
    }

    /// Returns when and which, if it is to come.
    fn to_come(&self) -> Option<(Timestamp, &str)> {
        Some((self.next_due?, self.job.as_str()))
    }
}

impl JobReport {
    /// Returns what is said of a pass over the vault.
    pub(super) fn of_index(report: &SyncReport, seconds: f64) -> Self {
        Self {
            processed: report.notes,
            changed: report.changes(),
            ..Self::new("index", JobEnd::Done, seconds)
        }
    }

    /// Returns what is said of a job.
    pub(super) fn of(job: &str, ended: &Result<Performed, Error>, seconds: f64) -> Self {
        let performed = match ended {
            Ok(performed) => performed,
            Err(error) => {
                return Self {
                    error: Some(error.message()),
                    ..Self::new(job, JobEnd::Failed, seconds)
                };
            }
        };
        let waiting = &performed.planned.decided.waiting;
        let shown = waiting.iter().take(SHOWN).map(|finding| Waiting {
            id: finding.key.to_string(),
            question: finding.title(),
            reason: finding.reason.clone(),
        });
        let end = if performed.is_cut_short() {
            JobEnd::Stopped
        } else {
            JobEnd::Done
        };
        Self {
            processed: performed.planned.processed,
            changed: performed.report.as_ref().map_or(0, RunReport::applied),
            needs_answer: waiting.len(),
            run: performed.run(),
            groups: performed.groups.clone(),
            questions: shown.collect(),
            skipped: performed.planned.skipped.clone(),
            busy: performed.planned.decided.busy.clone(),
            ..Self::new(job, end, seconds)
        }
    }

    fn new(job: &str, outcome: JobEnd, seconds: f64) -> Self {
        Self {
            job: job.to_owned(),
            outcome,
            processed: 0,
            changed: 0,
            needs_answer: 0,
            duration_seconds: (seconds * 1000.0).round() / 1000.0,
            run: None,
            error: None,
            groups: Vec::new(),
            questions: Vec::new(),
            skipped: Vec::new(),
            busy: Vec::new(),
        }
    }

    /// Says in a line what it came to.
    pub(super) fn words(&self, dry_run: bool) -> String {
        if let Some(error) = &self.error {
            return format!("failed: {error}");
        }
        let made = if dry_run {
            format!("{} to be", self.groups.len())
        } else {
            self.changed.to_string()
        };
        let mut words = format!(
            "{} compared: {made} {}, {}",
            count(self.processed, "pair"),
            done(&self.job),
            count(self.needs_answer, "open question")
        );
        if self.outcome == JobEnd::Stopped {
            words.push_str(", stopped before it was through");
        }
        words
    }

    fn show(&self, output: &Output, dry_run: bool) -> Result<(), Error> {
        output.line(&titled(
            output,
            &self.job,
            &output.clean(&self.words(dry_run)),
        ))?;
        render::show_groups(output, &self.groups)?;
        for waiting in &self.questions {
            output.line(&format!(
                "{} {}? ({})",
                output.paint(Style::Faint, &waiting.id[..8.min(waiting.id.len())]),
                output.clean(&waiting.question),
                output.clean(&waiting.reason)
            ))?;
        }
        let more = self.needs_answer.saturating_sub(self.questions.len());
        if more > 0 {
            output.line(&format!("... and {more} more"))?;
        }
        Ok(())
    }
}

impl Night {
    /// Returns true if there is something to tell that `mem status` does not tell.
    pub(super) fn is_worth_keeping(&self) -> bool {
        !self.dry_run && self.jobs.iter().any(|job| job.job != "index")
    }

    /// Shows it to a person.
    pub(super) fn show(&self, output: &Output) -> Result<(), Error> {
        if let Some(index) = &self.index {
            output.line(&titled(output, "index", &summary(index)))?;
        }
        for job in self.jobs.iter().filter(|job| job.job != "index") {
            job.show(output, self.dry_run)?;
        }
        if !self.left.is_empty() {
            output.line(&format!("left for the next time: {}", self.left.join(", ")))?;
        }
        Ok(())
    }

    /// Returns which of the jobs that were not due is due first, and when.
    pub(super) fn next(&self) -> Option<(Timestamp, &str)> {
        self.not_due.iter().filter_map(NotDue::to_come).min()
    }

    /// Says what could not be looked at, how to undo what was done, and how to answer what is open.
    pub(super) fn say_ends(&self, output: &Output) {
        let skipped: BTreeSet<&String> = self.jobs.iter().flat_map(|job| &job.skipped).collect();
        let waiting = self.jobs.iter().map(|job| job.needs_answer).sum();
        maintenance::say_busy(output, self.jobs.iter().flat_map(|job| &job.busy));
        maintenance::say_ends(output, skipped, &self.runs().collect::<Vec<_>>(), waiting);
    }

    /// Returns the jobs that changed something, with the ids by which they are undone, newest first.
    pub(super) fn runs(&self) -> impl Iterator<Item = (&str, &str)> {
        let jobs = self.jobs.iter().rev();
        jobs.filter_map(|job| Some((job.job.as_str(), job.run.as_deref()?)))
    }
}

fn titled(output: &Output, title: &str, words: &str) -> String {
    let padding = " ".repeat(9_usize.saturating_sub(title.len()));
    format!("{}{padding} {words}", output.paint(Style::Title, title))
}

/// What became of the notes that a job changed.
pub(super) fn done(job: &str) -> &'static str {
    match job {
        "dedupe" => "merged",
        "conflicts" => "settled",
        _ => "linked",
    }
}
