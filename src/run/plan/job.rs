//! Plans one job: its changes and its questions.

use crate::cache::Result;
use crate::run::prelude::*;

use super::in_use::InUseProbe;
use super::policy::{ApplicableFindings, PolicyResult, decide};
use super::queue::{self, Scope};
use crate::run::sleep::state::JobOutcome;

/// The plan of one job.
#[derive(Debug)]
pub struct JobPlan {
    /// Changes to apply and findings that need an answer.
    pub decided: PolicyResult,
    /// Number of examined pairs or notes.
    pub processed: usize,
    /// Number of unprocessed seeds, left for the next run.
    pub left: usize,
    /// Notes that could not be examined, with the reason.
    pub skipped: Vec<String>,
    /// Notices that the configuration asks for.
    pub notices: Vec<String>,
}

impl JobPlan {
    /// Returns the outcome of the job after `applied` groups of the run `run`.
    pub fn outcome(&self, applied: usize, run: Option<String>) -> JobOutcome {
        JobOutcome {
            processed: self.processed,
            changed: applied,
            // Notes in use are examined again soon.
            left: self.left + self.decided.busy.len(),
            run,
        }
    }
}

/// Options for planning a job.
#[derive(Clone, Debug)]
pub struct PlanOptions<'h> {
    /// Which notes to examine.
    pub scope: Scope,
    /// What may be applied without an answer.
    pub apply: Apply,
    /// The folder of the cache, which holds the stored findings.
    pub folder: &'h Path,
    /// Whether to store findings; false in a dry run.
    pub save: bool,
    /// Detects notes in use; none if a person decides.
    pub probe: Option<&'h InUseProbe<'h>>,
}

/// Plans `job`: collects findings and decides what to apply.
pub fn plan(
    view: &View<'_>,
    job: &ConfiguredJob,
    answers: &Answers,
    options: &PlanOptions<'_>,
) -> Result<JobPlan> {
    let findings = queue::open_findings(
        view,
        job,
        answers,
        &options.scope,
        options.folder,
        options.save,
    )?;
    let in_use = |path: &VaultPath| options.probe?.reason(path);
    let found = findings.found;
    let (name, apply) = (job.job.name, options.apply);
    let file = options
        .folder
        .join("found")
        .join(format!("{name}.applicable"));
    let mut applicable = ApplicableFindings::load(&file, queue::catalog_hash(view)?);
    let mut decided = decide(view, name, found, answers, apply, in_use, &mut applicable)?;
    if options.save {
        applicable.save(&file);
    }
    let mut skipped = findings.skipped;
    skipped.append(&mut decided.skipped);
    Ok(JobPlan {
        decided,
        processed: findings.compared,
        left: findings.left.len(),
        skipped,
        notices: findings.notices,
    })
}
