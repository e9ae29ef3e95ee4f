//! One run of one job: plan, apply, record.
//!
//! Commands and [`sleep`](crate::run::sleep) say what they want as a [`Request`]. Everything until the first
//! write can be interrupted at any moment; from there to the record of the run a signal waits.

use super::apply::apply_of_job;
use super::in_use::InUseProbe;
use super::job::{self, PlanOptions, Planned};
use super::queue::Scope;
use crate::change::apply::RunReport;
use crate::change::stop::CriticalSection;
use crate::change::{DropReason, Outcome};
use crate::jobs::job::Configured;
use crate::journal;
use crate::run::options::Apply;
use crate::run::prelude::*;
use crate::run::report::group::GroupReport;
use crate::run::report::question::QuestionReport;
use crate::run::sleep::record;

/// What a run of a job is to do.
#[derive(Debug)]
pub struct Request {
    pub scope: Scope,
    pub apply: Apply,
    pub dry_run: bool,
    /// At most so many changes.
    pub limit: Option<usize>,
    /// Refuse to change anything if there would be more changes.
    pub expect: Option<usize>,
    /// Leave notes alone that were saved within this time.
    pub idle: Duration,
    /// Whether to work out the open questions with their diffs.
    pub with_questions: bool,
    /// Whether it only follows up what the run before brought about.
    pub follows_up: bool,
}

#[derive(Debug)]
pub struct JobRun {
    pub planned: Planned,
    pub groups: Vec<GroupReport>,
    /// None in a dry run.
    pub report: Option<RunReport>,
    pub questions: Vec<QuestionReport>,
}

impl JobRun {
    /// Applies the plan of a job that `began` at a moment, or only shows it.
    pub fn of(
        session: &Session,
        (planned, cache): (Planned, Cache),
        questions: Vec<QuestionReport>,
        (dry_run, began): (bool, Instant),
    ) -> Result<Self> {
        let plan = &planned.decided.plan;
        let (groups, report) = if dry_run {
            (GroupReport::previews(&session.vault, plan), None)
        } else {
            let report = apply_of_job(session, cache, plan, planned.processed, began)?;
            (GroupReport::of_run(plan, &report), Some(report))
        };
        Ok(Self {
            planned,
            groups,
            report,
            questions,
        })
    }

    /// Returns the id by which it is undone, if it changed anything.
    pub fn run_id(&self) -> Option<String> {
        let run = self.report.as_ref()?.run.as_ref();
        run.map(ToString::to_string)
    }

    /// Returns how many groups it applied.
    pub fn applied(&self) -> usize {
        self.report.as_ref().map_or(0, RunReport::applied)
    }

    /// Returns true if it was stopped before it was through.
    pub fn is_cut_short(&self) -> bool {
        let is_stopped = |outcome: &Outcome| {
            matches!(
                outcome,
                Outcome::Dropped {
                    reason: DropReason::Stopped,
                    ..
                }
            )
        };
        let report = self.report.as_ref();
        report.is_some_and(|report| report.outcomes.iter().any(is_stopped))
    }
}

/// Runs `job` and records how it ended. No signal ends the process until the guard is dropped.
pub fn perform<'s>(
    session: &'s Session,
    cache: Cache,
    job: &Configured,
    request: &Request,
) -> (Result<JobRun>, CriticalSection<'s>) {
    let started = Instant::now();
    let prepared = prepare(session, cache, job, request);
    let work = session.env.stop.critical_section();
    let ended = prepared.and_then(|prepared| prepared.finish(session, request, started));
    if !request.dry_run {
        keep_record(session, job, request, &ended, started.elapsed());
    }
    (ended, work)
}

/// Records how a run of `job` ended. One that looked only at some notes, or was stopped, is no run of
/// the job as the schedule counts them; neither is one that followed up another and had nothing to do.
fn keep_record(
    session: &Session,
    job: &Configured,
    request: &Request,
    ended: &Result<JobRun>,
    took: Duration,
) {
    let (name, now) = (job.job.name, session.env.now.timestamp());
    if request.follows_up && matches!(ended, Ok(run) if run.applied() == 0) {
        return;
    }
    let is_part = matches!(request.scope, Scope::Among(_)) || request.limit.is_some();
    let outcome = match ended {
        Ok(run) if is_part || run.is_cut_short() => {
            let changed = run.run_id().map(|id| (run.applied() as u64, id));
            return record::keep(session, |state| state.stop(name, now, changed));
        }
        Err(_) if is_part => return,
        Ok(run) => Ok(run.planned.outcome(run.applied(), run.run_id())),
        Err(error) => Err(error.message()),
    };
    record::keep(session, |state| {
        state.note(name, now, took.as_secs_f64(), &outcome);
    });
}

/// What a job would do and ask, and the cache that it was read from.
struct Prepared {
    planned: Planned,
    questions: Vec<QuestionReport>,
    cache: Cache,
}

fn prepare(
    session: &Session,
    cache: Cache,
    job: &Configured,
    request: &Request,
) -> Result<Prepared> {
    let answers = session.answers()?;
    let probe = InUseProbe::new(session, request.idle);
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = session.view_with_near(cache)?;
        let how = PlanOptions {
            scope: request.scope.clone(),
            apply: request.apply,
            folder: cache.folder(),
            save: !request.dry_run,
            probe: Some(&probe),
        };
        let mut planned = job::plan(&view, job, &answers, &how)?;
        let mut unknown = Vec::new();
        if job.find.ages() && !request.dry_run {
            let notes = job.find.notes();
            unknown = view.unknown(|entry| notes.has(entry))?;
        }
        let limit = request.limit.unwrap_or(usize::MAX);
        planned.decided.plan.groups.truncate(limit);
        let waiting = planned.decided.waiting.iter().take(limit);
        let questions = waiting
            .filter(|_| request.with_questions)
            .map(|finding| QuestionReport::of(&session.vault, &view, finding))
            .collect::<Result<_, _>>()?;
        // Where it compared something, something fits.
        let misfit = match planned.processed {
            0 => job.find.misfit(&view)?,
            _ => None,
        };
        Ok((planned, questions, misfit, unknown))
    };
    let ((planned, questions, misfit, unknown), cache) = session.ask(cache, ask)?;
    if !unknown.is_empty() {
        // Where that cannot be kept, they are new the next time, too.
        let _ = session
            .journal_folder()
            .map(|device| journal::append(&device, &unknown));
    }
    if let Some(why) = misfit {
        session.env.output.warn(&why);
    }
    Ok(Prepared {
        planned,
        questions,
        cache,
    })
}

/// So often merging is repeated for what it brings about itself.
pub const ROUNDS: usize = 4;

impl Request {
    /// Returns the request for a run that follows up one of this, if that one may have brought about more: a
    /// merge writes links anew, and notes that linked to both may say the same now.
    pub fn following(&self, job: &Job, ended: &JobRun) -> Option<Self> {
        let merges = job.kinds.contains(&Kind::Merge);
        // Where the system failed, on a full disk, it would fail again.
        let has_failed = ended.groups.iter().any(|group| group.is_failure);
        let has_merged = merges && ended.applied() > 0 && !ended.is_cut_short() && !has_failed;
        has_merged.then_some(Self {
            scope: Scope::Changed,
            follows_up: true,
            ..*self
        })
    }
}

impl Prepared {
    /// Applies the plan, or only shows it.
    fn finish(self, session: &Session, request: &Request, began: Instant) -> Result<JobRun> {
        check_expected(&self.planned.decided.plan, request.expect)?;
        let how = (request.dry_run, began);
        JobRun::of(session, (self.planned, self.cache), self.questions, how)
    }
}

fn check_expected(plan: &Plan, expected: Option<usize>) -> Result<()> {
    match expected.filter(|expected| plan.groups.len() > *expected) {
        None => Ok(()),
        Some(expected) => Err(Error::new(format!(
            "{} would be made, more than the expected {expected}; nothing was changed",
            count(plan.groups.len(), "change")
        ))
        .hint("`--dry-run` lists them")),
    }
}
