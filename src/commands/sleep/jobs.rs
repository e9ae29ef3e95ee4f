//! Running the jobs that are due, one after the other.

use std::collections::BTreeMap;
use std::time::Instant;

use super::super::maintenance::{self, Wanted};
use super::night::{JobReport, Night, NotDue};
use super::{Args, commit, due, kept};
use crate::cache::Cache;
use crate::error::Error;
use crate::output::progress::Progress;
use crate::run::options::SleepOptions;
use crate::run::queue::Scope;
use crate::run::record;
use crate::run::record::Record;
use crate::run::schedule::Due;
use crate::run::state::{JobState, Outcome, State};
use crate::session::{Environment, Session};

/// Runs one job after the other; what one of them fails at does not keep the next from its work.
pub(super) fn run(session: &Session, args: &Args) -> Result<(Night, Vec<Error>), Error> {
    let now = session.env.now.timestamp();
    let opened = Cache::open(&session.homes.cache, session.index.language).ok();
    let is_meant = |job: &str| {
        (args.only.is_empty() || args.only.iter().any(|only| only == job))
            && !args.skip.iter().any(|skip| skip == job)
    };
    let state = State::load(&session.state_folder(), &session.env.device()?);
    let due = due(session, &state, opened.as_ref(), &session.env.now)?;
    let meant = due.into_iter().filter(|(job, _)| is_meant(job));
    let (wanted, not_due): (Vec<_>, Vec<_>) =
        meant.partition(|(_, due)| args.all || *due == Due::Now);
    let not_due = not_due.iter().map(|(job, due)| NotDue::new(job, *due));
    let mut night = Night {
        at: now,
        dry_run: args.dry_run,
        complete: false,
        index: None,
        jobs: Vec::new(),
        left: Vec::new(),
        not_due: not_due.collect(),
    };
    drop(opened);
    if wanted.is_empty() {
        if is_meant("index") && !args.dry_run {
            session.fresh_cache()?;
        }
        night.complete = true;
        return Ok((night, Vec::new()));
    }
    if !args.dry_run && wanted.iter().any(|(job, _)| *job != "index") {
        commit::before(session, &args.commit).inspect_err(|error| {
            // Not every hour anew: what failed is tried again after a pause.
            let outcome = Err(error.message());
            for (job, _) in wanted.iter().filter(|(job, _)| *job != "index") {
                record::keep(&session, |state| state.note(job, now, 0.0, &outcome));
            }
        })?;
    }
    let mut cache = if is_meant("index") {
        index(session, args, &mut night, wanted.len() > 1)?
    } else {
        session.fresh_cache()?
    };
    let options: SleepOptions = session.settings.of();
    let how = Wanted {
        scope: Scope::Changed,
        apply: args.apply.unwrap_or(options.apply),
        dry_run: args.dry_run,
        limit: None,
        expect: None,
        idle: args.idle.unwrap_or(options.idle),
        lists: false,
    };
    let mut errors = Vec::new();
    for (name, _) in wanted.into_iter().filter(|(job, _)| *job != "index") {
        let Some(job) = maintenance::job_named(name, &session.settings) else {
            continue;
        };
        if session.env.stop.is_due() {
            night.left.push(name.to_owned());
            continue;
        }
        if !args.dry_run {
            begin(session, name);
        }
        said(&session.env, args, || format!("{name} begins"));
        let started = Instant::now();
        let progress = Progress::spinner(&session.env.output, name);
        let performed = maintenance::perform(session, cache, &job, &how, |ended| {
            let seconds = started.elapsed().as_secs_f64();
            night.jobs.push(JobReport::of(name, ended, seconds));
            kept::keep(session, &night);
        });
        drop(progress);
        said(&session.env, args, || {
            let words = night.jobs.last().map(|job| job.words(args.dry_run));
            let seconds = started.elapsed().as_secs_f64();
            format!(
                "{name} ends: {} ({seconds:.2} s)",
                words.unwrap_or_default()
            )
        });
        match performed {
            Ok(performed) if performed.is_cut_short() => night.left.push(name.to_owned()),
            Ok(_) => {}
            Err(error) => errors.push(error.during(name)),
        }
        // What one job did, the next one sees.
        cache = session.cache()?;
        cache = session.embed_at_once(cache)?;
    }
    night.complete = night.left.is_empty();
    kept::keep(session, &night);
    Ok((night, errors))
}

/// Looks at the whole vault. Where nothing but that was due, the record is left as it is unless it has
/// news: it is synced with the notes.
fn index(
    session: &Session,
    args: &Args,
    night: &mut Night,
    is_on_the_way: bool,
) -> Result<Cache, Error> {
    said(&session.env, args, || "index begins".to_owned());
    let started = Instant::now();
    let indexed = session.index();
    let seconds = started.elapsed().as_secs_f64();
    let outcome = match &indexed {
        Ok((_, report)) => Ok(Outcome {
            processed: report.notes,
            changed: report.changes(),
            needs_answer: 0,
            left: 0,
            run: None,
        }),
        Err(error) => Err(error.message()),
    };
    let had_failed = |jobs: &BTreeMap<String, JobState>| {
        jobs.get("index").is_some_and(|index| index.failures > 0)
    };
    let is_news = is_on_the_way
        || outcome.as_ref().map_or(true, |outcome| outcome.changed > 0)
        || had_failed(&State::load(&session.state_folder(), &session.env.device()?).jobs);
    if !args.dry_run && is_news {
        let now = session.env.now.timestamp();
        record::keep(&session, |state| {
            state.note("index", now, seconds, &outcome)
        });
    }
    let (mut cache, report) = indexed?;
    said(&session.env, args, || {
        format!(
            "index ends: {} ({seconds:.2} s)",
            super::super::index::summary(&report)
        )
    });
    night.jobs.push(JobReport::of_index(&report, seconds));
    night.index = Some(report);
    if !args.dry_run {
        cache = session.embed(cache)?;
        session.tend_graph(&cache, false)?;
    }
    Ok(cache)
}

/// Keeps that a job begins, so that one that a crash cut short is known as that.
fn begin(session: &Session, job: &str) {
    let (pid, now) = (std::process::id(), session.env.now.timestamp());
    let begun = Record::of(&session).and_then(|record| {
        Ok(record.change(|state| state.begin(job, now, pid, crate::vault::lock::is_alive))?)
    });
    // How it ends is kept as well, and said if it cannot be.
    drop(begun);
}

/// Says what happens as it happens, if that was asked for.
fn said(env: &Environment, args: &Args, words: impl FnOnce() -> String) {
    if args.verbose {
        let time = env.now.clone() + env.started.elapsed();
        let time = time.strftime("%H:%M:%S");
        env.output.say(&format!("{time} {}", words()));
    }
}
