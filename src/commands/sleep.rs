//! `mem sleep`

use std::time::Instant;

use serde::Serialize;

use super::index::summary;
use super::maintenance::{self, Performed, Wanted};
use super::render::{self, GroupRecord};
use crate::cache::sync::SyncReport;
use crate::change::apply::RunReport;
use crate::config::Apply;
use crate::error::{Error, Exit};
use crate::invocation::{Invocation, Workplace};
use crate::output::{Form, Output, Style, count};
use crate::run::queue::Scope;
use crate::run::state::{Outcome, State};

/// How many open questions of one job a person is shown here; `mem review` shows all.
const SHOWN: usize = 10;

/// Do all the maintenance: index, then dedupe, conflicts and link
///
/// Made for cron: `0 3 * * * mem -C ~/notes sleep`. What is certain and touches only notes that mem
/// or an agent wrote is done; everything else waits for `mem review`. `--dry-run` shows every change
/// and its reason first; `mem undo` takes a run back.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show what would change, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Which certain changes to make without asking [default: the setting `sleep.apply`]
    #[arg(long, value_name = "WHICH")]
    apply: Option<Apply>,
}

#[derive(Debug, Serialize)]
struct Record<'n> {
    dry_run: bool,
    index: &'n SyncReport,
    jobs: Vec<JobRecord>,
    groups: Vec<&'n GroupRecord>,
    skipped: Vec<&'n String>,
}

#[derive(Debug, Serialize)]
struct JobRecord {
    job: String,
    processed: usize,
    changed: usize,
    needs_answer: usize,
    duration_seconds: f64,
    /// The id by which it is undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
}

/// What one sleep found and did.
struct Night {
    index: SyncReport,
    index_seconds: f64,
    jobs: Vec<Performed>,
}

/// Runs the jobs.
pub fn run(invocation: &Invocation, args: &Args) -> Result<Exit, Error> {
    let place = invocation.workplace()?;
    let mut state = State::load(&place.state_folder(), &invocation.device()?);
    let night = sleep(invocation, &place, args, &mut state);
    if !args.dry_run {
        invocation.save_state(&place, &state);
    }
    let night = night?;
    let output = &invocation.output;
    for (path, why) in &night.index.problems {
        output.warn(&format!("left out `{path}`: {why}"));
    }
    if output.form == Form::Human {
        show(output, &night, args.dry_run)?;
    } else {
        output.record(&record(&night, args.dry_run))?;
    }
    maintenance::say_ends(output, &night.jobs.iter().collect::<Vec<_>>());
    Ok(Exit::Done)
}

/// Runs one job after the other, noting in `state` how each ended.
fn sleep(
    invocation: &Invocation,
    place: &Workplace,
    args: &Args,
    state: &mut State,
) -> Result<Night, Error> {
    let now = invocation.now.timestamp();
    let started = Instant::now();
    let indexed = invocation.index(place);
    let index_seconds = started.elapsed().as_secs_f64();
    let outcome = match &indexed {
        Ok((_, report)) => Ok(Outcome {
            processed: report.notes,
            changed: report.changes(),
            needs_answer: 0,
            run: None,
        }),
        Err(error) => Err(error.message()),
    };
    state.note("index", now, index_seconds, &outcome);
    let (mut cache, index) = indexed?;
    if !args.dry_run {
        cache = invocation.embed(place, cache)?;
        invocation.tend_graph(place, &cache, false)?;
    }
    let wanted = Wanted {
        scope: Scope::Changed,
        apply: args.apply.unwrap_or(place.settings.apply),
        dry_run: args.dry_run,
        limit: None,
        expect: None,
        lists: false,
    };
    let mut jobs = Vec::new();
    for job in maintenance::jobs(&place.settings) {
        jobs.push(maintenance::perform(
            invocation, place, cache, job, &wanted, state,
        )?);
        // What one job did, the next one sees.
        cache = invocation.cache(place)?;
        cache = invocation.embed_at_once(place, cache)?;
    }
    Ok(Night {
        index,
        index_seconds,
        jobs,
    })
}

fn show(output: &Output, night: &Night, dry_run: bool) -> Result<(), Error> {
    output.line(&format!(
        "{}     {}",
        output.paint(Style::Title, "index"),
        summary(&night.index)
    ))?;
    for performed in &night.jobs {
        let decided = &performed.planned.decided;
        let changes = match &performed.report {
            Some(report) => report.applied(),
            None => decided.plan.groups.len(),
        };
        let (job, done) = (&decided.plan.job, done(&decided.plan.job));
        let padding = " ".repeat(9_usize.saturating_sub(job.len()));
        output.line(&format!(
            "{}{padding} {} compared: {changes} {}{done}, {}",
            output.paint(Style::Title, job),
            count(performed.planned.processed, "pair"),
            if dry_run { "to be " } else { "" },
            count(decided.waiting.len(), "open question")
        ))?;
        render::show_groups(output, &performed.groups)?;
        render::show_waiting(output, &decided.waiting, SHOWN)?;
    }
    Ok(())
}

/// What became of the notes that a job changed.
fn done(job: &str) -> &'static str {
    match job {
        "dedupe" => "merged",
        "conflicts" => "settled",
        _ => "linked",
    }
}

fn record(night: &Night, dry_run: bool) -> Record<'_> {
    let mut jobs = vec![JobRecord {
        job: "index".to_owned(),
        processed: night.index.notes,
        changed: night.index.changes(),
        needs_answer: 0,
        duration_seconds: rounded(night.index_seconds),
        run: None,
    }];
    jobs.extend(night.jobs.iter().map(|performed| JobRecord {
        job: performed.planned.decided.plan.job.clone(),
        processed: performed.planned.processed,
        changed: performed.report.as_ref().map_or(0, RunReport::applied),
        needs_answer: performed.planned.decided.waiting.len(),
        duration_seconds: rounded(performed.seconds),
        run: performed.run(),
    }));
    let all = || night.jobs.iter();
    Record {
        dry_run,
        index: &night.index,
        jobs,
        groups: all().flat_map(|performed| &performed.groups).collect(),
        skipped: all()
            .flat_map(|performed| &performed.planned.skipped)
            .collect(),
    }
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
