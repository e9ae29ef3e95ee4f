//! What one job would do and ask.

use crate::cache::Result;
use crate::finding::question::Answers;
use crate::jobs::job::Configured;
use crate::run::prelude::*;

use super::in_use::InUseProbe;
use super::policy::{Decided, decide};
use super::queue::{self, Scope};
use crate::run::options::Apply;
use crate::run::sleep::state::Outcome;

/// What a job would do and ask.
#[derive(Debug)]
pub struct Planned {
    /// What is carried out and what waits.
    pub decided: Decided,
    /// Pairs or notes looked at.
    pub processed: usize,
    /// Notes at which it did not arrive: it goes on there the next time.
    pub left: usize,
    /// What could not be looked at, and why.
    pub skipped: Vec<String>,
    /// What is to be said, as somebody asked for.
    pub notices: Vec<String>,
}

impl Planned {
    /// Returns how the job ended, after `applied` groups in the run `run`.
    pub fn outcome(&self, applied: usize, run: Option<String>) -> Outcome {
        Outcome {
            processed: self.processed,
            changed: applied,
            // What is being edited is looked at again soon.
            left: self.left + self.decided.busy.len(),
            run,
        }
    }
}

/// How a job is planned.
#[derive(Clone, Debug)]
pub struct PlanOptions<'h> {
    /// Where to look.
    pub scope: Scope,
    /// What may be done without asking.
    pub apply: Apply,
    /// The folder of the cache, where what is found is stored.
    pub folder: &'h Path,
    /// Whether it is stored: not in a dry run.
    pub save: bool,
    /// What tells that a note is being edited; nothing where a person decides.
    pub probe: Option<&'h InUseProbe<'h>>,
}

/// Plans `job`.
pub fn plan(
    view: &View<'_>,
    job: &Configured,
    answers: &Answers,
    how: &PlanOptions<'_>,
) -> Result<Planned> {
    let findings = queue::look(view, job, answers, &how.scope, how.folder, how.save)?;
    let in_use = |path: &VaultPath| how.probe?.reason(path);
    let found = findings.found;
    let mut decided = decide(view, job.job.name, found, answers, how.apply, in_use)?;
    let mut skipped = findings.skipped;
    skipped.append(&mut decided.skipped);
    Ok(Planned {
        decided,
        processed: findings.compared,
        left: findings.left.len(),
        skipped,
        notices: findings.notices,
    })
}
