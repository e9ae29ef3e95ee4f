//! What a sleep runs, one after the other: the pass over the vault, every job, the judges, the snapshots of what was
//! learned.

use std::fmt;

use crate::change::SETTLE;
use crate::config::{Every, Settings};
use crate::jobs::job::Job;
use crate::jobs::rules::Options as RuleOptions;
use crate::jobs::{self, JOBS};
use crate::journal::decisions::JUDGE;

/// One of them. On the command line it goes by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// The pass that takes the notes into the index.
    Index,
    Job(&'static Job),
    /// Open questions, where a judge is set up.
    Judge,
    /// What was learned of notes, written into them.
    Settle,
}

impl Step {
    /// Returns all of them, in the order in which they are run.
    pub fn all() -> impl Iterator<Item = Self> {
        let jobs = JOBS.iter().copied();
        let jobs = jobs.map(Self::Job).chain([Self::Judge, Self::Settle]);
        std::iter::once(Self::Index).chain(jobs)
    }

    /// Returns the enabled ones, in the same order: the index alone if `rules.enabled` is false.
    pub fn enabled(settings: &Settings) -> Vec<Self> {
        let jobs = jobs::enabled(settings);
        let is_maintained = settings.of::<RuleOptions>().enabled;
        let is_enabled = |step: &Self| match step {
            Self::Job(job) => jobs.contains(job),
            Self::Judge | Self::Settle if !is_maintained => false,
            step => settings.every(step.name()) != Every::Never,
        };
        Self::all().filter(is_enabled).collect()
    }

    /// Returns the one that goes by `name`, in mem or in a system that it does the work of.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|step| step.name() == name || step.aliases().contains(&name))
    }

    /// Returns the names that it has elsewhere.
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
            Self::Settle => SETTLE,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
