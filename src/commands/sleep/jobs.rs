//! Running the jobs that are due, one after the other.

use std::collections::BTreeMap;
use std::time::Instant;

use super::super::maintenance::{self, Wanted};
use super::night::{JobReport, Night, NotDue};
use super::{Args, commit, due, kept};
use crate::cache::Cache;
use crate::error::Error;
use crate::invocation::{Invocation, Workplace};
use crate::output::progress::Progress;
use crate::run::queue::Scope;
use crate::run::schedule::Due;
use crate::run::state::{JobState, Outcome, State};

/// Runs one job after the other; what one of them fails at does not keep the next from its work.
pub(super) fn run(
    invocation: &Invocation,
    place: &Workplace,
    args: &Args,
) -> Result<(Night, Vec<Error>), Error> {
    let now = invocation.now.timestamp();
    let opened = Cache::open(&place.homes.cache, place.settings.language).ok();
    let is_meant = |job: &str| {
        (args.only.is_empty() || args.only.iter().any(|only| only == job))
            && !args.skip.iter().any(|skip| skip == job)
    };
    let state = State::load(&place.state_folder(), &invocation.device()?);
    let due = due(invocation, place, &state, opened.as_ref(), &invocation.now)?;
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
            invocation.fresh_cache(place)?;
        }
        night.complete = true;
        return Ok((night, Vec::new()));
    }
    if !args.dry_run && wanted.iter().any(|(job, _)| *job != "index") {
        commit::before(place, &args.commit).inspect_err(|error| {
            // Not every hour anew: what failed is tried again after a pause.
            let outcome = Err(error.message());
            for (job, _) in wanted.iter().filter(|(job, _)| *job != "index") {
                invocation.keep_record(place, |state| state.note(job, now, 0.0, &outcome));
            }
        })?;
    }
    let mut cache = if is_meant("index") {
        index(invocation, place, args, &mut night, wanted.len() > 1)?
    } else {
        invocation.fresh_cache(place)?
    };
    let how = Wanted {
        scope: Scope::Changed,
        apply: args.apply.unwrap_or(place.settings.apply),
        dry_run: args.dry_run,
        limit: None,
        expect: None,
        idle: args.idle.unwrap_or(place.settings.idle),
        lists: false,
    };
    let mut errors = Vec::new();
    for (name, _) in wanted.into_iter().filter(|(job, _)| *job != "index") {
        let Some(job) = maintenance::job_named(name, &place.settings) else {
            continue;
        };
        if invocation.stop.is_wanted() {
            night.left.push(name.to_owned());
            continue;
        }
        if !args.dry_run {
            begin(invocation, place, name);
        }
        said(invocation, args, || format!("{name} begins"));
        let started = Instant::now();
        let progress = Progress::spinner(&invocation.output, name);
        let performed = maintenance::perform(invocation, place, cache, job, &how, |ended| {
            let seconds = started.elapsed().as_secs_f64();
            night.jobs.push(JobReport::of(name, ended, seconds));
            kept::keep(invocation, place, &night);
        });
        drop(progress);
        said(invocation, args, || {
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
        cache = invocation.cache(place)?;
        cache = invocation.embed_at_once(place, cache)?;
    }
    night.complete = night.left.is_empty();
    kept::keep(invocation, place, &night);
    Ok((night, errors))
}

/// Looks at the whole vault. Where nothing but that was due, the record is left as it is unless it has
/// news: it is synced with the notes.
fn index(
    invocation: &Invocation,
    place: &Workplace,
    args: &Args,
    night: &mut Night,
    is_on_the_way: bool,
) -> Result<Cache, Error> {
    said(invocation, args, || "index begins".to_owned());
    let started = Instant::now();
    let indexed = invocation.index(place);
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
        || had_failed(&State::load(&place.state_folder(), &invocation.device()?).jobs);
    if !args.dry_run && is_news {
        let now = invocation.now.timestamp();
        invocation.keep_record(place, |state| state.note("index", now, seconds, &outcome));
    }
    let (mut cache, report) = indexed?;
    said(invocation, args, || {
        format!(
            "index ends: {} ({seconds:.2} s)",
            super::super::index::summary(&report)
        )
    });
    night.jobs.push(JobReport::of_index(&report, seconds));
    night.index = Some(report);
    if !args.dry_run {
        cache = invocation.embed(place, cache)?;
        invocation.tend_graph(place, &cache, false)?;
    }
    Ok(cache)
}

/// Keeps that a job begins, so that one that a crash cut short is known as that.
fn begin(invocation: &Invocation, place: &Workplace, job: &str) {
    let (pid, now) = (std::process::id(), invocation.now.timestamp());
    let begun = invocation.record(place).and_then(|record| {
        Ok(record.change(|state| state.begin(job, now, pid, crate::vault::lock::is_alive))?)
    });
    // How it ends is kept as well, and said if it cannot be.
    drop(begun);
}

/// Says what happens as it happens, if that was asked for.
fn said(invocation: &Invocation, args: &Args, words: impl FnOnce() -> String) {
    if args.verbose {
        let time = invocation.now.clone() + invocation.started.elapsed();
        let time = time.strftime("%H:%M:%S");
        invocation.output.say(&format!("{time} {}", words()));
    }
}
