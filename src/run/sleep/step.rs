//! The steps of a sleep in order: index, jobs, judges, snapshots of usage.

use std::fmt;

use crate::change::SETTLE_JOB;
use crate::config::{Interval, Settings};
use crate::jobs::job::Job;
use crate::jobs::rules::RulesOptions;
use crate::jobs::{self, JOBS};
use crate::journal::decisions::JUDGE;

/// A step of a sleep, selected by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Indexes the whole vault.
    Index,
    Job(&'static Job),
    /// Sends open questions to the configured judges.
    Judge,
    /// Writes learned usage into notes.
    Settle,
}

impl Step {
    /// Returns all steps in the order in which they run.
    pub fn all() -> impl Iterator<Item = Self> {
        let table = JOBS.iter().copied();
        let jobs = table.map(Self::Job).chain([Self::Judge, Self::Settle]);
        std::iter::once(Self::Index).chain(jobs)
    }

    /// Returns the enabled steps in order: only the index if `rules.enabled` is false.
    pub fn enabled(settings: &Settings) -> Vec<Self> {
        let jobs = jobs::enabled(settings);
        let is_maintained = settings.of::<RulesOptions>().enabled;
        let is_enabled = |step: &Self| match step {
            Self::Job(job) => jobs.contains(job),
            Self::Judge | Self::Settle if !is_maintained => false,
            step => settings.every(step.name()) != Interval::Never,
        };
        Self::all().filter(is_enabled).collect()
    }

    /// Returns the step called `name`, which may also be its name in a replaced system.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|step| step.name() == name || step.aliases().contains(&name))
    }

    /// Returns its names in replaced systems.
    pub fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::Index => &["index_updater"],
            Self::Job(job) => job.aliases,
            Self::Judge | Self::Settle => &[],
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Job(job) => job.name,
            Self::Judge => JUDGE,
            Self::Settle => SETTLE_JOB,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
