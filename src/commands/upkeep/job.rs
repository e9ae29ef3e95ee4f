//! A subcommand for each job of the table except rules, which has its own.

use clap::error::ErrorKind;
use clap::{ArgMatches, Args as _, FromArgMatches, Subcommand};

use super::maintenance::{self, JobArgs, JobReply};
use crate::commands::prelude::*;
use crate::jobs::job::Job;
use crate::jobs::{self, rules};

/// Longest description in bytes in the help of a job: about five lines.
const MAX_ABOUT_BYTES: usize = 320;

/// Returns the first sentences of a job's help; `mem help jobs` has all of it.
pub(crate) fn short_about(job: &Job) -> String {
    let opening = job.help.split("\n\n").next().unwrap_or_default();
    let paragraph = opening.trim_end().replace('\n', " ");
    let full_stops = paragraph.match_indices(". ").map(|(at, _)| at + 1);
    let mut ends = full_stops.chain([paragraph.len()]);
    let first = ends.next().unwrap_or_default();
    let end = ends.take_while(|end| *end <= MAX_ABOUT_BYTES).last();
    let (about, sentences) = (job.about, &paragraph[..end.unwrap_or(first)]);
    format!("{about}\n\n{sentences} See `mem help jobs`.")
}

/// A job and its arguments.
#[derive(Debug)]
pub struct JobCommand {
    job: &'static Job,
    args: JobArgs,
}

impl Subcommand for JobCommand {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        let jobs = JOBS.iter().filter_map(|job| Self::definition(job.name));
        jobs.fold(command, clap::Command::subcommand)
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        jobs::named(name).is_some_and(|job| *job != rules::JOB)
    }
}

impl FromArgMatches for JobCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let unknown = || clap::Error::new(ErrorKind::InvalidSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(unknown)?;
        Ok(Self {
            job: jobs::named(name).ok_or_else(unknown)?,
            args: JobArgs::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl JobCommand {
    pub(crate) fn new(job: &'static Job, args: JobArgs) -> Self {
        Self { job, args }
    }

    /// Returns the definition of the subcommand of a job.
    pub(crate) fn definition(name: &str) -> Option<clap::Command> {
        let job = jobs::named(name).filter(|job| **job != rules::JOB)?;
        let own = JobArgs::augment_args(clap::Command::new(job.name)).about(job.about);
        Some(own.long_about(short_about(job)).aliases(job.aliases))
    }
}

impl Request for JobCommand {
    type Reply<'s> = JobReply;

    fn answer(&self, session: &Session) -> Result<JobReply> {
        maintenance::answer(session, self.job, &self.args)
    }
}
