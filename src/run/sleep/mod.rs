//! One sleep: runs the due steps in order.
//!
//! The caller holds the [`lock`] and observes progress through [`SleepEvent`]s; only warnings are
//! printed here. A
//! failed job does not prevent the others.

pub mod commit;
pub mod record;
pub mod rule_schedule;
pub mod schedule;
pub mod score;
pub mod settle;
pub mod state;
pub mod step;

use self::rule_schedule::{self as turns, RuleRun, RuleSchedule};
use super::judge::{JudgeRequest, judge};
use super::options::Commit;
use super::plan::open;
use super::plan::perform::{self, JobRequest, JobRun};
use super::plan::queue::Scope;
use super::report::{JobReport, NotDue, OpenReport, SleepReport, stored};
use super::sleep::commit::{CommitResult, InitialWorkTree};
use super::sleep::record::JobStateLocation;
use super::sleep::schedule::WakePeriod;
use super::sleep::settle::settle;
use super::sleep::state::{JobOutcome, JobState};
use crate::cache::sync::IndexSyncReport;
use crate::change::SETTLE_JOB;
use crate::embed;
use crate::finding::RuleEvent;
use crate::jobs::rules::{self, RulesOptions};
use crate::journal::decisions::JUDGE;
use crate::run::prelude::*;
use crate::vault::lock;

/// Options of one sleep.
#[derive(Clone, Debug, Default)]
pub struct SleepRequest {
    pub dry_run: bool,
    /// Whether to run steps that are not due.
    pub all: bool,
    /// Considers only these steps; all if empty.
    pub only: Vec<Step>,
    pub skip: Vec<Step>,
    /// Overrides the setting `sleep.apply`.
    pub apply: Option<Apply>,
    /// Overrides the setting `sleep.idle`.
    pub idle: Option<Duration>,
    /// Overrides the setting `sleep.commit`.
    pub commit: Option<Commit>,
    /// Manually raised events.
    pub events: Vec<RuleEvent>,
}

impl SleepRequest {
    /// Whether `--only` and `--skip` leave the step.
    pub fn considers(&self, step: Step) -> bool {
        (self.only.is_empty() || self.only.contains(&step)) && !self.skip.contains(&step)
    }

    /// Whether the sleep includes a step. A disabled step must be named.
    fn concerns(&self, step: Step, due: DueTime) -> bool {
        self.considers(step) && (due != DueTime::Never || self.only.contains(&step))
    }
}

/// Whether maintenance is enabled in the settings.
fn is_maintained(session: &Session) -> bool {
    session.settings.of::<RulesOptions>().enabled
}

/// Progress of a sleep.
#[derive(Debug)]
pub enum SleepEvent<'e> {
    Begins(Step),
    /// The last job of the report ended.
    Ended(&'e SleepReport),
}

/// Locks the vault for a sleep; waits for another sleep if `waits`.
pub fn lock(session: &Session, waits: bool) -> Result<Lock, LockError> {
    let patience = if waits { Duration::MAX } else { Duration::ZERO };
    Lock::wait(&session.homes.sleep_lock(), &session.env.holder(), patience)
}

/// Returns when each step is due, in running order. `events` were raised manually; `awake` is given
/// by a watch.
pub fn due(
    session: &Session,
    state: &SleepState,
    cache: Option<&Cache>,
    events: &[RuleEvent],
    awake: Option<WakePeriod>,
) -> Result<Vec<(Step, DueTime)>> {
    let now = &session.env.now;
    let elsewhere = state::successes_elsewhere(&session.state_folder(), &session.env.device()?);
    let judge: JudgeOptions = session.settings.of();
    let enabled = Step::enabled(&session.settings);
    let schedule = RuleSchedule::of(session, events, elsewhere.clone());
    let SleepOptions { order, .. } = session.settings.of();
    let steps = order.steps().filter(|step| match step {
        Step::Judge => judge.is_set_up(),
        Step::Job(job) => **job != rules::JOB || !schedule.is_idle(),
        Step::Index | Step::Settle => true,
    });
    let due = steps.map(|step| {
        let recorded = state.jobs.get(step.name()).cloned().unwrap_or_default();
        // The index belongs to this machine, so its last pass is stored with the cache.
        let (recorded, elsewhere) = if step == Step::Index {
            let last_success = cache.and_then(Cache::last_pass);
            let index = JobState {
                last_success,
                ..recorded
            };
            (index, None)
        } else {
            (recorded, elsewhere.get(step.name()).copied())
        };
        let every = session.settings.every(step.name());
        let by_schedule = schedule::due(&recorded, elsewhere, every, now, awake);
        let due = match step {
            Step::Index => by_schedule,
            _ if !enabled.contains(&step) => DueTime::Never,
            _ if !enabled.contains(&Step::Job(&rules::JOB)) => by_schedule,
            Step::Job(job) if *job == rules::JOB && schedule.is_triggered(state, now) => {
                DueTime::Now
            }
            Step::Job(job) if !schedule.due(session, job.name, state, cache)?.is_empty() => {
                DueTime::Now
            }
            _ => by_schedule,
        };
        Ok((step, due))
    });
    due.collect()
}

/// The result of a sleep.
#[derive(Debug)]
pub struct SleepOutcome {
    pub report: SleepReport,
    /// Errors of failed jobs, in order.
    pub errors: Vec<Error>,
    pub committed: Result<CommitResult>,
}

/// Runs the due steps, and commits the changes if configured.
pub fn sleep(
    session: &Session,
    request: &SleepRequest,
    observe: &dyn Fn(SleepEvent<'_>),
) -> Result<SleepOutcome> {
    if !request.dry_run {
        session.require_settings()?;
    }
    let state = SleepState::load(&session.state_folder(), &session.env.device()?);
    let cache = Cache::open(&session.homes.cache, session.index.language).ok();
    let due = due(session, &state, cache.as_ref(), &request.events, None)?;
    drop(cache);
    let (now, not_now): (Vec<_>, Vec<_>) = due
        .into_iter()
        .filter(|(step, due)| request.concerns(*step, *due))
        .partition(|(step, due)| {
            // Naming a job runs it, due or not.
            let is_called = request.all || request.only.contains(step);
            *due == DueTime::Now || is_called && is_maintained(session)
        });
    let not_due = not_now.iter().map(|(step, due)| NotDue::new(*step, *due));
    let at = session.env.now.timestamp();
    let mut sleep = Sleep {
        session,
        request,
        observe,
        report: SleepReport::new(at, request.dry_run, not_due.collect()),
        work_tree: None,
        open: Vec::new(),
        errors: Vec::new(),
    };
    sleep.run(&now.into_iter().map(|(step, _)| step).collect::<Vec<_>>())?;
    Ok(SleepOutcome {
        report: sleep.report,
        errors: sleep.errors,
        committed: if request.dry_run {
            Ok(CommitResult::default())
        } else {
            commit::commit(session, request.commit, sleep.work_tree)
        },
    })
}

/// State of a running sleep.
struct Sleep<'s> {
    session: &'s Session,
    request: &'s SleepRequest,
    observe: &'s dyn Fn(SleepEvent<'_>),
    report: SleepReport,
    work_tree: InitialWorkTree,
    /// Findings that the jobs of a dry run leave open.
    open: Vec<Finding>,
    errors: Vec<Error>,
}

impl Sleep<'_> {
    fn run(&mut self, due: &[Step]) -> Result<()> {
        let is_index_considered = self.request.considers(Step::Index);
        if due.is_empty() {
            if is_index_considered && !self.request.dry_run {
                let cache = self.session.fresh_cache()?;
                self.fold_uses(&cache);
                self.list_open(cache, false)?;
                self.encode();
            }
            self.report.complete = true;
            return Ok(());
        }
        self.work_tree = self.work_tree(due)?;
        let mut cache = if is_index_considered {
            self.index(due.len() > 1)?
        } else {
            self.session.fresh_cache()?
        };
        if !self.request.dry_run {
            self.fold_uses(&cache);
        }
        let due = &self.with_triggered(due, &cache)?;
        let mut has_jobs = due.contains(&Step::Judge);
        for step in due {
            if let Step::Job(job) = step {
                cache = self.run_job(job, cache)?;
                has_jobs = true;
            }
        }
        if due.contains(&Step::Judge) {
            cache = self.judge(cache)?;
        }
        if due.contains(&Step::Settle) {
            cache = self.settle(cache)?;
        }
        self.list_open(cache, has_jobs)?;
        // Last, so that all jobs of a sleep compare the vectors of one model.
        self.encode();
        self.report.complete = self.report.left.is_empty();
        stored::store(self.session, &self.report);
        Ok(())
    }

    /// Computes vectors of the sentence encoder, unless a stop is requested.
    fn encode(&mut self) {
        let (session, request) = (self.session, self.request);
        let is_wanted = request.considers(Step::Index) && !request.dry_run;
        if !is_wanted || session.env.stop.is_due() {
            return;
        }
        let options: embed::EmbedOptions = session.settings.of();
        let time = options.encoder_time;
        let cache = session.cache().and_then(|cache| {
            // A terminal shows the progress.
            if !session.env.output.stderr_is_terminal
                && let Some(state) = session.encoder_state(&cache)?
                && state.covered < state.passages
            {
                session.env.output.say(&format!(
                    "computing vectors of the sentence encoder for at most {} s (`embed.encoder_time`): {}",
                    time.as_secs(),
                    state.summary()
                ));
            }
            Ok(cache)
        });
        match cache.and_then(|cache| session.encode(cache, Some(time))) {
            Ok(state) => self.report.encoder = state,
            Err(error) => self.errors.push(error.during(Step::Index.name())),
        }
    }

    /// Returns `steps` plus the jobs that rules start because of the index pass.
    fn with_triggered(&self, steps: &[Step], cache: &Cache) -> Result<Vec<Step>> {
        if self.session.settings.rules.is_empty() {
            return Ok(steps.to_vec());
        }
        let state = SleepState::load(&self.session.state_folder(), &self.session.env.device()?);
        let events = &self.request.events;
        let times = due(self.session, &state, Some(cache), events, None)?;
        let due = times.into_iter().filter(|(step, due)| {
            let is_called = *due == DueTime::Now && matches!(step, Step::Job(_));
            steps.contains(step) || is_called && self.request.considers(*step)
        });
        Ok(due.map(|(step, _)| step).collect())
    }

    /// Reports the open findings if there may be new ones. Those about merge conflicts need no job.
    fn list_open(&mut self, cache: Cache, has_jobs: bool) -> Result<()> {
        if has_jobs || cache.read()?.meta()?.unmerged > 0 {
            self.report.open = self.open(cache)?;
        }
        Ok(())
    }

    /// Returns the questions of today and other open findings; none if a stop was requested.
    fn open(&mut self, cache: Cache) -> Result<Option<OpenReport>> {
        if self.session.env.stop.is_due() {
            return Ok(None);
        }
        let offer = if self.request.dry_run {
            open::preview(self.session, &cache, std::mem::take(&mut self.open))?
        } else {
            open::collect_open(self.session, cache)?.0
        };
        Ok(Some(OpenReport::of(&offer)))
    }

    /// Reads the work tree if due steps may cause a commit. A rejected tree counts as a failure of
    /// each step, so that
    /// it is retried with increasing delays and not every hour.
    fn work_tree(&self, due: &[Step]) -> Result<InitialWorkTree> {
        let steps = due.iter().filter(|step| **step != Step::Index);
        let writing: Vec<&str> = steps.map(|step| step.name()).collect();
        if self.request.dry_run || writing.is_empty() {
            return Ok(None);
        }
        commit::read_work_tree(self.session, self.request.commit).inspect_err(|error| {
            let (now, outcome) = (self.session.env.now.timestamp(), Err(error.message()));
            record::update(self.session, |state| {
                for name in &writing {
                    state.note(name, now, 0.0, &outcome);
                }
            });
        })
    }

    /// Scans the whole vault.
    fn index(&mut self, has_other_steps: bool) -> Result<Cache> {
        (self.observe)(SleepEvent::Begins(Step::Index));
        let started = Instant::now();
        let indexed = self.session.index();
        let seconds = started.elapsed().as_secs_f64();
        if !self.request.dry_run {
            self.record_index(&indexed, seconds, has_other_steps)?;
        }
        let (cache, report) = indexed?;
        self.report.jobs.push(JobReport::of_index(&report, seconds));
        self.report.index = Some(report);
        (self.observe)(SleepEvent::Ended(&self.report));
        if self.request.dry_run {
            return Ok(cache);
        }
        let cache = self.session.embed(cache)?;
        self.session.maintain_graph(&cache, false)?;
        Ok(cache)
    }

    /// Records the outcome of the scan. A success is skipped if nothing else was due, because the
    /// file is synced with the notes.
    fn record_index(
        &self,
        indexed: &Result<(Cache, IndexSyncReport)>,
        seconds: f64,
        has_other_steps: bool,
    ) -> Result<()> {
        let outcome = match indexed {
            Ok((_, report)) => Ok(JobOutcome::of_index(report)),
            Err(error) => Err(error.message()),
        };
        let device = self.session.env.device()?;
        let has_failed = || {
            let state = SleepState::load(&self.session.state_folder(), &device);
            let index = state.jobs.get(Step::Index.name());
            index.is_some_and(|index| index.failures > 0)
        };
        if has_other_steps || outcome.is_err() || has_failed() {
            let now = self.session.env.now.timestamp();
            record::update(self.session, |state| {
                state.note(Step::Index.name(), now, seconds, &outcome);
            });
        }
        Ok(())
    }

    /// Runs one job, and repeats merges until no more are found or a stop is requested. Returns an
    /// updated cache.
    fn run_job(&mut self, job: &'static Job, cache: Cache) -> Result<Cache> {
        let (name, step) = (job.name, Step::Job(job));
        let is_enabled = jobs::enabled(&self.session.settings).contains(&job);
        let elsewhere =
            state::successes_elsewhere(&self.session.state_folder(), &self.session.env.device()?);
        let schedule = RuleSchedule::of(self.session, &self.request.events, elsewhere);
        let state = SleepState::load(&self.session.state_folder(), &self.session.env.device()?);
        let calling = schedule.due(self.session, name, &state, Some(&cache))?;
        let mut rule_runs: Vec<RuleRun> = calling
            .into_iter()
            .map(|rule| schedule.run_record(rule))
            .collect();
        let job = if *job == rules::JOB {
            let (job, acting) = schedule.job(&state, &self.session.env.now);
            rule_runs = acting;
            job
        } else {
            job.configured(&self.session.settings)
        };
        if self.session.env.stop.is_due() {
            self.report.left.push(name.to_owned());
            return Ok(cache);
        }
        let started = self.begin(step);
        let progress = Progress::spinner(&self.session.env.output, name);
        let (mut ended, mut work) =
            perform::perform(self.session, cache, &job, &self.job_request());
        let mut report = JobReport::of(step, &ended, started.elapsed().as_secs_f64());
        if !is_enabled {
            report.add_questions(&ended);
        }
        self.report.jobs.push(report);
        for _ in 0..perform::MAX_FOLLOW_UPS {
            let run = ended.as_ref().ok();
            let Some(request) = run.and_then(|run| self.job_request().following(job.job, run))
            else {
                break;
            };
            stored::store(self.session, &self.report);
            drop(work);
            let started = Instant::now();
            let cache = self.session.embed_at_once(self.session.cache()?)?;
            (ended, work) = perform::perform(self.session, cache, &job, &request);
            let again = JobReport::of(step, &ended, started.elapsed().as_secs_f64());
            if again.changed > 0 || ended.is_err() {
                self.report.jobs.push(again);
            }
        }
        stored::store(self.session, &self.report);
        drop(work);
        drop(progress);
        (self.observe)(SleepEvent::Ended(&self.report));
        match ended {
            Ok(run) if run.is_cut_short() => self.report.left.push(name.to_owned()),
            Ok(JobRun { planned, .. }) if self.request.dry_run => {
                let waiting = planned.decided.waiting.into_iter();
                self.open.extend(waiting.filter(|_| is_enabled));
            }
            Ok(JobRun { planned, .. }) => {
                turns::record_runs(self.session, &rule_runs, name, &planned.notices);
            }
            Err(error) => self.errors.push(error.during(name)),
        }
        self.session.embed_at_once(self.session.cache()?)
    }

    /// Moves note usage into the journal. On failure it stays queued.
    fn fold_uses(&self, cache: &Cache) {
        let taken = self.session.fold_uses(cache);
        if let Err(error) = taken.and_then(|()| self.session.tidy_journal()) {
            let why = error.message();
            let output = &self.session.env.output;
            output.warn(&format!("note usage not recorded yet: {why}"));
        }
    }

    /// Sends open questions to the judges, unless a stop is requested.
    fn judge(&mut self, cache: Cache) -> Result<Cache> {
        let (session, dry_run) = (self.session, self.request.dry_run);
        if session.env.stop.is_due() {
            self.report.left.push(JUDGE.to_owned());
            return Ok(cache);
        }
        let started = self.begin(Step::Judge);
        let request = JudgeRequest {
            dry_run,
            limit: None,
            apply: self.request.apply,
        };
        let mut jobs = self.report.jobs.iter();
        let has_looked = jobs.any(|job| job.job != Step::Index.name());
        let look = if dry_run && has_looked {
            open::preview(session, &cache, self.open.clone()).map(|offer| (offer, cache))
        } else if dry_run {
            open::collect_open_and_named(session, cache, &[])
        } else {
            open::collect_open(session, cache)
        };
        let judged = look
            .and_then(|(offer, cache)| judge(session, cache, &offer, request))
            .and_then(|report| match report.failure() {
                Some(why) if !dry_run => Err(Error::new(why)),
                _ => Ok(report),
            });
        let report = JobReport::of_judges(&judged, started.elapsed().as_secs_f64());
        let outcome = judged.map(|judged| JobOutcome {
            processed: judged.calls.len(),
            changed: report.changed,
            left: judged.left,
            run: report.run.clone(),
        });
        self.end(Step::Judge, report, outcome)
    }

    /// Writes learned usage into notes, unless a stop is requested or nothing may be written.
    fn settle(&mut self, cache: Cache) -> Result<Cache> {
        let settings: SleepOptions = self.session.settings.of();
        if self.session.env.stop.is_due() {
            self.report.left.push(SETTLE_JOB.to_owned());
            return Ok(cache);
        }
        if self.request.apply.unwrap_or(settings.apply) == Apply::None {
            return Ok(cache);
        }
        let dry_run = self.request.dry_run;
        let started = self.begin(Step::Settle);
        let idle = self.request.idle.unwrap_or(settings.idle);
        let ended = settle(self.session, cache, dry_run, idle);
        let report = JobReport::of(Step::Settle, &ended, started.elapsed().as_secs_f64());
        let outcome = ended.map(|run| run.planned.outcome(run.applied(), run.run_id()));
        self.end(Step::Settle, report, outcome)
    }

    /// Records the start of a step.
    fn begin(&self, step: Step) -> Instant {
        if !self.request.dry_run {
            record_begin(self.session, step.name());
        }
        (self.observe)(SleepEvent::Begins(step));
        Instant::now()
    }

    /// Records the end of a step that is not recorded elsewhere.
    fn end(&mut self, step: Step, report: JobReport, ended: Result<JobOutcome>) -> Result<Cache> {
        let (session, seconds) = (self.session, report.duration_seconds);
        if !self.request.dry_run {
            let now = session.env.now.timestamp();
            let outcome = ended.clone().map_err(|error| error.message());
            record::update(session, |state| {
                state.note(step.name(), now, seconds, &outcome);
            });
        }
        self.report.jobs.push(report);
        stored::store(session, &self.report);
        (self.observe)(SleepEvent::Ended(&self.report));
        if let Err(error) = ended {
            self.errors.push(error.during(step.name()));
        }
        session.embed_at_once(session.cache()?)
    }

    fn job_request(&self) -> JobRequest {
        let settings: SleepOptions = self.session.settings.of();
        JobRequest {
            scope: Scope::Incremental,
            apply: self.request.apply.unwrap_or(settings.apply),
            dry_run: self.request.dry_run,
            limit: None,
            expect: None,
            idle: self.request.idle.unwrap_or(settings.idle),
            with_questions: false,
            follows_up: false,
        }
    }
}

/// Records the start of a job, so that an interrupted one can be detected. An error is ignored,
/// because recording
/// the end reports the same error.
fn record_begin(session: &Session, job: &str) {
    let (pid, now) = (std::process::id(), session.env.now.timestamp());
    if let Ok(record) = JobStateLocation::of(session) {
        let _ = record.change(|state| state.begin(job, now, pid, lock::is_alive));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::fs;

    use jiff::{SignedDuration, tz::TimeZone};

    use super::*;
    use crate::commands::setup::settings::SCHEMA;
    use crate::session::Environment;

    const TEXT: &str =
        "The spare key of the garden shed hangs behind the rain barrel, on the left.";

    #[test]
    fn what_is_due_is_run_once_and_reported() {
        let home = tempfile::tempdir().unwrap();
        let vault = home.path().join("notes");
        fs::create_dir_all(vault.join(".mem")).unwrap();
        for name in ["key.md", "key 1.md"] {
            fs::write(vault.join(name), format!("{TEXT}\n")).unwrap();
        }
        let timestamp = "2026-04-01T12:00:00Z".parse::<jiff::Timestamp>().unwrap();
        let now = timestamp.to_zoned(TimeZone::UTC);
        let mut env = Environment::of_test(home.path(), now.clone(), &SCHEMA);
        let request = SleepRequest {
            apply: Some(Apply::All),
            ..SleepRequest::default()
        };
        let started = RefCell::new(Vec::new());
        let observe = |event: SleepEvent<'_>| {
            if let SleepEvent::Begins(job) = event {
                started.borrow_mut().push(job);
            }
        };
        let session = env.open().unwrap();
        let slept = sleep(&session, &request, &observe).unwrap();
        assert!(slept.errors.is_empty() && slept.report.complete);
        // The rules job does not run without rules.
        let mut enabled = Step::enabled(&session.settings);
        enabled.retain(|step| *step != Step::Job(&rules::JOB));
        assert_eq!(*started.borrow(), enabled);
        let changed: Vec<_> = slept.report.jobs.iter().map(|job| job.changed).collect();
        assert_eq!(changed[..2], [2, 1]);
        assert!(changed[2..].iter().all(|changed| *changed == 0));
        assert!(vault.join("key.md").exists() != vault.join("key 1.md").exists());
        let stored = stored::load(&stored::files(&session)[0]).unwrap();
        assert_eq!(
            stored.runs().collect::<Vec<_>>(),
            slept.report.runs().collect::<Vec<_>>()
        );
        drop(session);

        env.now = now + SignedDuration::from_mins(5);
        let session = env.open().unwrap();
        let slept = sleep(&session, &request, &observe).unwrap();
        assert!(slept.report.jobs.is_empty() && slept.report.complete);
        let next = slept.report.next_due().map(|(_, job)| job);
        assert_eq!(next, Some("index"));
        assert_eq!(started.borrow().len(), enabled.len());
        assert_eq!(stored::files(&session).len(), 1);
    }
}
