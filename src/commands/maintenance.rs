//! What every maintenance job does when it is run: plan, carry out, keep the record, tell.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use clap::builder::TypedValueParser;
use serde::Serialize;

use super::asking::query_text;
use super::choice::choice;
use super::queried::queried;
use super::render::{self, GroupRecord, QuestionRecord};
use crate::cache::row::Slot;
use crate::cache::{Cache, CacheError};
use crate::change::apply::RunReport;
use crate::change::{self, DropReason};
use crate::config::Settings;
use crate::error::{Error, Exit};
use crate::jobs::Job;
use crate::output::{Form, Output, count};
use crate::run::in_use::{InUse, InUseProbe};
use crate::run::job::{self, How, Planned};
use crate::run::options::{Apply, SleepOptions};
use crate::run::queue::Scope;
use crate::run::record;
use crate::session::{Environment, Session};

/// What every job can be told.
#[derive(Debug, clap::Args)]
pub(super) struct JobArgs {
    /// Only what concerns this note, or the notes that this query finds
    #[arg(value_parser = query_text())]
    notes: Vec<String>,
    /// Show what would change, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Which certain changes to make without asking [default: the setting `sleep.apply`]
    #[arg(long, value_name = "WHICH", value_parser = apply())]
    apply: Option<Apply>,
    /// Look at all notes, not only at those that changed since the last time
    #[arg(long, conflicts_with = "notes")]
    full: bool,
    /// Make and show at most so many changes and questions each
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Refuse to change anything if more changes than this would be made
    #[arg(long, value_name = "N")]
    expect: Option<usize>,
}

#[derive(Debug, Serialize)]
struct Record<'r> {
    dry_run: bool,
    compared: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    groups: &'r [GroupRecord],
    questions: &'r [QuestionRecord],
    /// Questions that are open, whether listed or not.
    needs_answer: usize,
    skipped: &'r [String],
    /// Notes that are left for the next time, because somebody is at work on them.
    busy: &'r [InUse],
}

/// One run of one job.
pub(super) struct Performed {
    pub(super) planned: Planned,
    pub(super) groups: Vec<GroupRecord>,
    /// What was carried out; nothing in a dry run.
    pub(super) report: Option<RunReport>,
    /// Questions as they are shown to a program, if there is one.
    questions: Vec<QuestionRecord>,
    pub(super) seconds: f64,
}

impl Performed {
    /// Returns the id by which what was done is undone.
    pub(super) fn run(&self) -> Option<String> {
        let run = self.report.as_ref().and_then(|report| report.run.as_ref());
        run.map(ToString::to_string)
    }

    /// Returns true if somebody wanted it to end before it was through.
    pub(super) fn is_cut_short(&self) -> bool {
        let stopped = |outcome: &change::Outcome| {
            matches!(
                outcome,
                change::Outcome::Dropped {
                    why: DropReason::Stopped,
                    ..
                }
            )
        };
        self.report
            .as_ref()
            .is_some_and(|report| report.outcomes.iter().any(stopped))
    }
}

/// Reads `--apply`.
pub(super) fn apply() -> impl TypedValueParser<Value = Apply> {
    choice([
        ("none", "None: everything is proposed"),
        (
            "managed",
            "Those that touch only notes written by mem or an agent and not edited since",
        ),
        ("all", "All that rules alone decide"),
    ])
}

/// How a job is to be performed.
pub(super) struct Wanted {
    pub(super) scope: Scope,
    pub(super) apply: Apply,
    pub(super) dry_run: bool,
    /// At most so many changes.
    pub(super) limit: Option<usize>,
    /// Nothing at all if there would be more changes.
    pub(super) expect: Option<usize>,
    /// Notes that were saved so shortly ago are left alone.
    pub(super) idle: Duration,
    /// Whether the open questions are to be shown to a program.
    pub(super) lists: bool,
}

/// Returns the job that goes by `name`, as the settings have it.
pub(super) fn job_named(name: &str, settings: &Settings) -> Option<Job> {
    jobs(settings).into_iter().find(|job| job.name() == name)
}

/// Returns the jobs in the order in which a sleep runs them.
pub(super) fn jobs(settings: &Settings) -> [Job; 3] {
    [
        Job::Dedupe(settings.of()),
        Job::Conflicts(settings.of()),
        Job::Link(settings.of()),
    ]
}

/// Runs one job and keeps in the record how it ended; `at_end` is called before anybody can end the
/// process.
pub(super) fn perform(
    session: &Session,
    cache: Cache,
    job: &Job,
    wanted: &Wanted,
    at_end: impl FnOnce(&Result<Performed, Error>),
) -> Result<Performed, Error> {
    let started = Instant::now();
    let prepared = prepare(session, cache, job, wanted);
    let _work = session.env.stop.critical_section();
    let performed = prepared.and_then(|prepared| {
        let mut performed = carry_out(session, prepared, wanted)?;
        performed.seconds = started.elapsed().as_secs_f64();
        Ok(performed)
    });
    if !wanted.dry_run {
        let seconds = started.elapsed().as_secs_f64();
        keep_record(session, job, wanted, &performed, seconds);
    }
    at_end(&performed);
    performed
}

/// Keeps how a run of `job` ended. One that looked only at some notes, or was to end early, is no run of
/// the job as the schedule counts them.
fn keep_record(
    session: &Session,
    job: &Job,
    wanted: &Wanted,
    performed: &Result<Performed, Error>,
    seconds: f64,
) {
    let (name, now) = (job.name(), session.env.now.timestamp());
    let is_part = matches!(wanted.scope, Scope::Among(_)) || wanted.limit.is_some();
    match performed {
        Ok(performed) if is_part || performed.is_cut_short() => {
            let changed = performed.run().map(|run| {
                let report = performed.report.as_ref();
                (report.map_or(0, RunReport::applied) as u64, run)
            });
            record::keep(&session, |state| state.stop(name, now, changed));
        }
        Err(_) if is_part => {}
        performed => {
            let outcome = match performed {
                Ok(performed) => {
                    let nothing = RunReport::default();
                    let report = performed.report.as_ref().unwrap_or(&nothing);
                    Ok(performed.planned.outcome(report))
                }
                Err(error) => Err(error.message()),
            };
            record::keep(&session, |state| state.note(name, now, seconds, &outcome));
        }
    }
}

/// What a job would do and ask, and the cache that told.
struct Prepared {
    planned: Planned,
    questions: Vec<QuestionRecord>,
    cache: Cache,
}

fn prepare(session: &Session, cache: Cache, job: &Job, wanted: &Wanted) -> Result<Prepared, Error> {
    let answers = session.answers()?;
    let probe = InUseProbe::new(&session, wanted.idle);
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = session.view_with_near(cache)?;
        let how = How {
            scope: wanted.scope.clone(),
            apply: wanted.apply,
            folder: cache.folder(),
            kept: !wanted.dry_run,
            probe: Some(&probe),
        };
        let mut planned = job::plan(&view, job, &answers, &how)?;
        if let Some(limit) = wanted.limit {
            planned.decided.plan.groups.truncate(limit);
        }
        let waiting = &planned.decided.waiting;
        let listed = if wanted.lists {
            &waiting[..waiting.len().min(wanted.limit.unwrap_or(usize::MAX))]
        } else {
            &[]
        };
        let questions = render::questions(session, &view, listed)?;
        Ok((planned, questions))
    };
    let ((planned, questions), cache) = session.ask(cache, ask)?;
    Ok(Prepared {
        planned,
        questions,
        cache,
    })
}

fn carry_out(session: &Session, prepared: Prepared, wanted: &Wanted) -> Result<Performed, Error> {
    let Prepared {
        planned,
        questions,
        cache,
    } = prepared;
    let plan = &planned.decided.plan;
    if let Some(expected) = wanted
        .expect
        .filter(|expected| plan.groups.len() > *expected)
    {
        return Err(Error::new(format!(
            "{} would be made, more than the expected {expected}; nothing was changed",
            count(plan.groups.len(), "change")
        ))
        .hint("`--dry-run` shows them"));
    }
    let (groups, report) = if wanted.dry_run {
        (render::planned(session, plan), None)
    } else {
        let report = render::carry_out(session, cache, plan)?;
        (render::carried_out(plan, &report), Some(report))
    };
    Ok(Performed {
        planned,
        groups,
        report,
        questions,
        seconds: 0.0,
    })
}

/// Returns the notes that are meant: the one of this name, else those that the words find.
fn among(session: &Session, words: &[String]) -> Result<(HashSet<Slot>, Cache), Error> {
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    let named = view.named_exactly(&words.join(" "))?;
    drop(view);
    if !named.is_empty() {
        return Ok((named.iter().map(|entry| entry.slot).collect(), cache));
    }
    drop(cache);
    let (entries, _, cache) = queried(session, words)?;
    Ok((entries.iter().map(|entry| entry.slot).collect(), cache))
}

/// Runs the job called `name` as a command of its own; `nothing` is said if it finds nothing.
pub(super) fn run(
    env: &Environment,
    name: &str,
    args: &JobArgs,
    nothing: &str,
) -> Result<Exit, Error> {
    let session = env.open()?;
    let job = job_named(name, &session.settings)
        .ok_or_else(|| Error::new(format!("there is no job `{name}`")))?;
    let (scope, cache) = if args.notes.is_empty() {
        let cache = session.fresh_cache()?;
        let scope = if args.full {
            Scope::All
        } else {
            Scope::Changed
        };
        (scope, cache)
    } else {
        let (among, cache) = among(&session, &args.notes)?;
        (Scope::Among(among), cache)
    };
    let cache = session.embed_at_once(cache)?;
    let output = &env.output;
    let wanted = Wanted {
        scope,
        apply: args
            .apply
            .unwrap_or_else(|| session.settings.of::<SleepOptions>().apply),
        dry_run: args.dry_run,
        limit: args.limit,
        expect: args.expect,
        idle: Duration::ZERO,
        lists: output.form != Form::Human,
    };
    let performed = perform(&session, cache, &job, &wanted, |_| {})?;
    let Performed {
        planned, groups, ..
    } = &performed;
    let waiting = &planned.decided.waiting;
    if output.form == Form::Human {
        render::show_groups(output, groups)?;
        render::show_waiting(output, waiting, args.limit.unwrap_or(usize::MAX))?;
        if groups.is_empty() && waiting.is_empty() && planned.decided.busy.is_empty() {
            output.line(nothing)?;
        }
    } else {
        output.record(&Record {
            dry_run: args.dry_run,
            compared: planned.processed,
            run: performed.run(),
            groups,
            questions: &performed.questions,
            needs_answer: waiting.len(),
            skipped: &planned.skipped,
            busy: &planned.decided.busy,
        })?;
    }
    say_busy(output, &planned.decided.busy);
    let run = performed.run();
    let done: Vec<(&str, &str)> = run.iter().map(|run| (name, run.as_str())).collect();
    say_ends(
        output,
        planned.skipped.iter().collect(),
        &done,
        waiting.len(),
    );
    Ok(Exit::Done)
}

/// Says which notes are left for the next time, and why, each once.
pub(super) fn say_busy<'b>(output: &Output, busy: impl IntoIterator<Item = &'b InUse>) {
    let busy = busy.into_iter().map(|busy| (&busy.path, busy));
    for busy in busy.collect::<BTreeMap<_, _>>().values() {
        output.say(&format!("left for the next time: {busy}"));
    }
}

/// Says what could not be looked at, how to undo what was done, and how to answer what is open; `done`
/// are jobs and runs, the newest first: what came later may rest on what came before.
pub(super) fn say_ends(
    output: &Output,
    skipped: BTreeSet<&String>,
    done: &[(&str, &str)],
    waiting: usize,
) {
    for skipped in skipped {
        output.warn(&format!("left out {skipped}"));
    }
    for (job, run) in done {
        output.hint(&if done.len() == 1 {
            format!("`mem undo {run}` takes it back")
        } else {
            format!("`mem undo {run}` takes back what {job} did")
        });
    }
    if waiting > 0 {
        output.hint(&format!(
            "`mem review` answers {}",
            count(waiting, "open question")
        ));
    }
}
