//! Report of a sleep: as printed by `--json`, as shown to a person, and as [stored].

pub mod group;
pub mod question;
pub mod stored;

use super::attention::ReviewBatch;
use super::judge::JudgeReport;
use super::plan::in_use::InUse;
use super::plan::open::QuestionTally;
use super::plan::perform::JobRun;
use crate::cache::sync::IndexSyncReport;
use crate::run::prelude::*;
use crate::session::upgrade::EncoderState;
use group::{GroupOutcome, GroupReport};

/// Maximum number of listed questions per job.
const MAX_QUESTIONS_PER_JOB: usize = 10;

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SleepReport {
    pub at: Timestamp,
    pub dry_run: bool,
    /// False while it is running, and if it was stopped.
    pub complete: bool,
    /// Absent if only an incremental update of the index was due.
    pub index: Option<IndexSyncReport>,
    /// In running order.
    pub jobs: Vec<JobReport>,
    /// Absent if no job ran to its end.
    #[serde(default)]
    pub open: Option<OpenReport>,
    /// Absent if no vectors of the sentence encoder were missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<EncoderState>,
    /// Due jobs that were not run because the sleep was stopped.
    pub left: Vec<String>,
    pub not_due: Vec<NotDue>,
}

/// A job that was not due.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct NotDue {
    job: String,
    /// Absent if it is disabled.
    next_due: Option<Timestamp>,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobEnd {
    #[default]
    Done,
    Failed,
    /// It was stopped before it had finished.
    Stopped,
}

/// One run of one job.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct JobReport {
    /// Name of the job, possibly unknown to this version.
    pub job: String,
    pub outcome: JobEnd,
    /// Notes or pairs examined.
    pub processed: usize,
    /// Groups applied.
    pub changed: usize,
    /// Number of findings that need an answer.
    pub needs_answer: usize,
    /// Tokens used by judges, as far as they count them; an estimate in a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    pub duration_seconds: f64,
    /// Run id for `mem undo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default)]
    pub groups: Vec<GroupReport>,
    /// First questions of a disabled job that was named; `mem review` omits them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<OpenQuestion>,
    /// Notes that could not be examined, with the reason.
    #[serde(default)]
    pub skipped: Vec<String>,
    /// Notices of rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Notes skipped because they are in use.
    #[serde(default)]
    pub busy: Vec<InUse>,
}

/// Open findings of all jobs.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct OpenReport {
    #[serde(flatten)]
    pub tally: QuestionTally,
    /// Questions of today.
    pub asked: Vec<OpenQuestion>,
}

impl OpenReport {
    pub fn of(offer: &ReviewBatch) -> Self {
        let asked = offer.findings.iter().take(offer.questions);
        Self {
            tally: QuestionTally::of(offer),
            asked: asked.map(OpenQuestion::of).collect(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenQuestion {
    pub id: String,
    pub question: String,
    pub reason: String,
}

impl OpenQuestion {
    fn of(finding: &Finding) -> Self {
        Self {
            id: finding.key.to_string(),
            question: finding.question(),
            reason: finding.reason.clone(),
        }
    }
}

impl SleepReport {
    /// Returns the report of a sleep that starts.
    pub fn new(at: Timestamp, dry_run: bool, not_due: Vec<NotDue>) -> Self {
        Self {
            at,
            dry_run,
            not_due,
            ..Self::default()
        }
    }

    /// Returns the next job to become due, and when.
    pub fn next_due(&self) -> Option<(Timestamp, &str)> {
        let not_due = self.not_due.iter();
        not_due
            .filter_map(|not_due| Some((not_due.next_due?, not_due.job.as_str())))
            .min()
    }

    /// Returns job and run id of each run with changes, newest first.
    pub fn runs(&self) -> impl Iterator<Item = (&str, &str)> {
        let jobs = self.jobs.iter().rev();
        jobs.filter_map(|job| Some((job.job.as_str(), job.run.as_deref()?)))
    }
}

impl NotDue {
    /// Returns the record of a job that is not due now.
    pub fn new(job: Step, due: DueTime) -> Self {
        Self {
            job: job.name().to_owned(),
            next_due: match due {
                DueTime::At(at) => Some(at),
                DueTime::Now | DueTime::Never => None,
            },
        }
    }
}

impl JobReport {
    /// Returns the report of an index pass.
    pub fn of_index(report: &IndexSyncReport, seconds: f64) -> Self {
        Self {
            processed: report.notes,
            changed: report.changes(),
            ..Self::new(Step::Index, JobEnd::Done, seconds)
        }
    }

    /// Returns the report of a run of `job`.
    pub fn of(job: Step, ended: &Result<JobRun>, seconds: f64) -> Self {
        match ended {
            Ok(run) => Self::of_run(job, run, seconds),
            Err(error) => Self::failed(job, error, seconds),
        }
    }

    fn failed(job: Step, error: &Error, seconds: f64) -> Self {
        Self {
            error: Some(error.message()),
            ..Self::new(job, JobEnd::Failed, seconds)
        }
    }

    /// Adds the most likely open questions of the run.
    pub fn add_questions(&mut self, ended: &Result<JobRun>) {
        let Ok(run) = ended else { return };
        let mut waiting: Vec<&Finding> = run.planned.decided.waiting.iter().collect();
        waiting.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.key.cmp(&b.key)));
        let named = waiting.into_iter().take(MAX_QUESTIONS_PER_JOB);
        self.questions = named.map(OpenQuestion::of).collect();
    }

    /// Returns the report of the judges.
    pub fn of_judges(judged: &Result<JudgeReport>, seconds: f64) -> Self {
        let report = match judged {
            Ok(report) => report,
            Err(error) => return Self::failed(Step::Judge, error, seconds),
        };
        let answered = report.answers.iter().filter_map(AnswerRecord::group);
        let groups: Vec<GroupReport> = answered.collect();
        let done = |group: &&GroupReport| group.outcome == GroupOutcome::Applied;
        let unanswered = report.calls.iter().filter(|call| call.answer.is_none());
        let failed = unanswered.filter(|_| report.failed > 0);
        Self {
            processed: report.calls.len(),
            changed: groups.iter().filter(done).count(),
            needs_answer: report.proposed.len(),
            tokens: Some(report.tokens).filter(|tokens| *tokens > 0),
            run: report.run().map(str::to_owned),
            skipped: failed
                .map(|call| format!("{} failed: {}", call.judge, call.why))
                .collect(),
            groups,
            ..Self::new(Step::Judge, JobEnd::Done, seconds)
        }
    }

    fn of_run(job: Step, run: &JobRun, seconds: f64) -> Self {
        let decided = &run.planned.decided;
        let end = if run.is_cut_short() {
            JobEnd::Stopped
        } else {
            JobEnd::Done
        };
        Self {
            processed: run.planned.processed,
            changed: run.applied(),
            needs_answer: decided.waiting.len(),
            run: run.run_id(),
            groups: run.groups.clone(),
            skipped: run.planned.skipped.clone(),
            notices: run.planned.notices.clone(),
            busy: decided.busy.clone(),
            ..Self::new(job, end, seconds)
        }
    }

    fn new(job: Step, outcome: JobEnd, seconds: f64) -> Self {
        Self {
            job: job.name().to_owned(),
            outcome,
            duration_seconds: (seconds * 1000.0).round() / 1000.0,
            ..Self::default()
        }
    }
}
