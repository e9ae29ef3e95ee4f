//! One run of one job: plan, apply, record.
//!
//! Commands and [`sleep`](crate::run::sleep) describe a run with a [`JobRequest`]. It can be
//! interrupted at any
//! moment before the first write; from then until the run is recorded, signals wait.

use super::apply::apply_of_job;
use super::in_use::InUseProbe;
use super::job::{self, JobPlan, PlanOptions};
use super::queue::Scope;
use crate::change::DropReason;
use crate::change::stop::CriticalSection;
use crate::run::prelude::*;
use crate::run::report::group::GroupReport;
use crate::run::report::question::QuestionReport;
use crate::run::sleep::record;

/// Options of one run of a job.
#[derive(Debug)]
pub struct JobRequest {
    pub scope: Scope,
    pub apply: Apply,
    pub dry_run: bool,
    /// Maximum number of changes.
    pub limit: Option<usize>,
    /// Fail without changes if there would be more than this.
    pub expect: Option<usize>,
    /// Skip notes saved within this time.
    pub idle: Duration,
    /// Whether to build reports of open questions, with diffs.
    pub with_questions: bool,
    /// Whether this run only follows up the previous one.
    pub follows_up: bool,
}

#[derive(Debug)]
pub struct JobRun {
    pub planned: JobPlan,
    pub groups: Vec<GroupReport>,
    /// None in a dry run.
    pub report: Option<RunReport>,
    pub questions: Vec<QuestionReport>,
}

impl JobRun {
    /// Applies the plan of a job that started at `began`, or only previews it.
    pub fn of(
        session: &Session,
        (planned, cache): (JobPlan, Cache),
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

    /// Returns the run id for `mem undo`, if anything changed.
    pub fn run_id(&self) -> Option<String> {
        let run = self.report.as_ref()?.run.as_ref();
        run.map(ToString::to_string)
    }

    /// Returns the number of applied groups.
    pub fn applied(&self) -> usize {
        self.report.as_ref().map_or(0, RunReport::applied)
    }

    /// Whether a signal stopped the run before all groups were applied.
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

/// Runs `job` and records the outcome. Signals wait until the returned guard is dropped.
pub fn perform<'s>(
    session: &'s Session,
    cache: Cache,
    job: &ConfiguredJob,
    request: &JobRequest,
) -> (Result<JobRun>, CriticalSection<'s>) {
    let started = Instant::now();
    let prepared = prepare(session, cache, job, request);
    let work = session.env.stop.critical_section();
    let result = prepared.and_then(|(planned, questions, cache)| {
        check_expected(&planned.decided.plan, request.expect)?;
        let options = (request.dry_run, started);
        JobRun::of(session, (planned, cache), questions, options)
    });
    if !request.dry_run {
        record_outcome(session, job, request, &result, started.elapsed());
    }
    (result, work)
}

/// Records the outcome of a run of `job`. Partial and stopped runs do not count for the schedule,
/// and a
/// follow-up run without changes is not recorded.
fn record_outcome(
    session: &Session,
    job: &ConfiguredJob,
    request: &JobRequest,
    result: &Result<JobRun>,
    took: Duration,
) {
    let (name, now) = (job.job.name, session.env.now.timestamp());
    if request.follows_up && matches!(result, Ok(run) if run.applied() == 0) {
        return;
    }
    let is_part = matches!(request.scope, Scope::Only(_)) || request.limit.is_some();
    let outcome = match result {
        Ok(run) if is_part || run.is_cut_short() => {
            let changed = run.run_id().map(|id| (run.applied() as u64, id));
            return record::update(session, |state| state.stop(name, now, changed));
        }
        Err(_) if is_part => return,
        Ok(run) => Ok(run.planned.outcome(run.applied(), run.run_id())),
        Err(error) => Err(error.message()),
    };
    record::update(session, |state| {
        state.note(name, now, took.as_secs_f64(), &outcome);
    });
}

/// Returns the plan of a job, its questions, and the cache it was planned from.
fn prepare(
    session: &Session,
    cache: Cache,
    job: &ConfiguredJob,
    request: &JobRequest,
) -> Result<(JobPlan, Vec<QuestionReport>, Cache)> {
    if !request.dry_run {
        session.require_settings()?;
    }
    let answers = session.answers()?;
    let probe = InUseProbe::new(session, request.idle);
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = session.view_with_near(cache)?;
        let options = PlanOptions {
            scope: request.scope.clone(),
            apply: request.apply,
            folder: cache.folder(),
            save: !request.dry_run,
            probe: Some(&probe),
        };
        let mut planned = job::plan(&view, job, &answers, &options)?;
        let mut unknown = Vec::new();
        if job.find.depends_on_time() && !request.dry_run {
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
        // If something was compared, there were candidates.
        let misfit = match planned.processed {
            0 => job.find.why_no_candidates(&view)?,
            _ => None,
        };
        Ok((planned, questions, misfit, unknown))
    };
    let ((planned, questions, misfit, unknown), cache) = session.ask(cache, ask)?;
    if !unknown.is_empty() {
        // On failure the notes count as unknown again next time.
        let _ = session
            .journal_folder()
            .map(|device| journal::append(&device, &unknown));
    }
    if let Some(why) = misfit {
        session.env.output.warn(&why);
    }
    Ok((planned, questions, cache))
}

/// Maximum number of follow-up runs of a merge.
pub const MAX_FOLLOW_UPS: usize = 4;

impl JobRequest {
    /// Returns a follow-up request if this run may have created new candidates: a merge re-points
    /// links, so two
    /// notes that linked to both parts may now be duplicates.
    pub fn following(&self, job: &Job, result: &JobRun) -> Option<Self> {
        let merges = job.kinds.contains(&QuestionKind::Merge);
        // A system error, such as a full disk, would occur again.
        let has_failed = result.groups.iter().any(|group| group.is_failure);
        let has_merged = merges && result.applied() > 0 && !result.is_cut_short() && !has_failed;
        has_merged.then_some(Self {
            scope: Scope::Incremental,
            follows_up: true,
            ..*self
        })
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
