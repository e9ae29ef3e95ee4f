//! The maintenance jobs: each examines a view and returns findings.
//!
//! A job is pure: the same view, answers and options give the same findings. It touches no file and asks no
//! question; `run` decides what is applied and what waits for an answer. A finding lists acts, which `change`
//! compiles into changes.
//!
//! A job is a folder with its entry, its [`options`](job::JobOptions) and its [`find`](find::Find), and a line in
//! [`JOBS`]. Command, help, settings, order in a sleep, reports and README are generated from the entry. `doctor`
//! only checks and is not a job.

pub mod associate;
mod boilerplate;
pub mod cluster;
pub mod conflicts;
pub mod consolidate;
pub mod decay;
pub mod dedupe;
pub mod doctor;
pub mod find;
pub mod forget;
mod fresh;
pub mod job;
pub mod ladder;
pub mod link;
pub mod next_step;
mod pool;
pub(crate) mod prelude;
pub mod rules;
pub mod spaces;
pub mod split;
#[cfg(test)]
mod tests;
pub mod views;

use crate::config::{Interval, Settings};
use crate::finding::question::QuestionKind;
use job::Job;
use rules::{Effect, Rules};

/// All jobs, in the order in which a sleep runs them.
pub static JOBS: &[&Job] = &[
    &dedupe::JOB,
    &conflicts::JOB,
    &link::JOB,
    &spaces::JOB,
    &associate::JOB,
    &cluster::JOB,
    &consolidate::JOB,
    &split::JOB,
    &decay::JOB,
    &forget::JOB,
    &rules::JOB,
    &views::JOB,
];

/// Returns the enabled jobs in the order of [`JOBS`]: those with an interval and those that a rule runs. None if
/// `rules.enabled` is false, which stops all maintenance.
///
/// All code that runs jobs or lists findings uses this list. A disabled job runs only if named explicitly.
pub fn enabled(settings: &Settings) -> Vec<&'static Job> {
    if !settings.of::<rules::RulesOptions>().enabled {
        return Vec::new();
    }
    let has_interval = |job: &Job| settings.every(job.name) != Interval::Never;
    let rules = if has_interval(&rules::JOB) {
        Rules::of(settings).rules
    } else {
        Vec::new()
    };
    let is_run_by_rule = |job: &Job| {
        let mut rules = rules.iter().filter(|rule| rule.enabled);
        rules.any(|rule| matches!(&rule.deed, Effect::Run(name) if name == job.name))
    };
    let mut jobs = JOBS.to_vec();
    jobs.retain(|job| has_interval(job) || is_run_by_rule(job));
    jobs
}

/// Returns the job with this name or alias.
pub fn named(name: &str) -> Option<&'static Job> {
    let mut jobs = JOBS.iter().copied();
    jobs.find(|job| job.name == name || job.aliases.contains(&name))
}

/// Returns the job that asks questions of this kind; `None` for merge conflicts, which need no job.
pub fn job_of_kind(kind: QuestionKind) -> Option<&'static Job> {
    let mut jobs = JOBS.iter().copied();
    jobs.find(|job| job.kinds.contains(&kind))
}

/// Whether questions of this kind are asked if only `jobs` are enabled.
pub fn is_asked(kind: QuestionKind, jobs: &[&Job]) -> bool {
    job_of_kind(kind).is_none_or(|job| jobs.contains(&job))
}
