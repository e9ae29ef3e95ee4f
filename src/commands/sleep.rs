//! `mem sleep`

use std::time::Instant;

use serde::Serialize;

use super::index::summary;
use super::render::{self, GroupRecord, QuestionRecord};
use crate::cache::sync::SyncReport;
use crate::change::apply::RunReport;
use crate::config::Apply;
use crate::error::{Error, Exit};
use crate::invocation::{Invocation, Workplace};
use crate::jobs::dedupe;
use crate::output::{Form, Output, Style, count};
use crate::run::job::{self, Planned};
use crate::run::policy::Decided;
use crate::run::state::{Outcome, State};

/// Do all the maintenance: index, then dedupe
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
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    index: &'n SyncReport,
    jobs: [JobRecord; 2],
    groups: &'n [GroupRecord],
    questions: &'n [QuestionRecord],
    skipped: &'n [String],
}

#[derive(Debug, Serialize)]
struct JobRecord {
    job: &'static str,
    processed: usize,
    changed: usize,
    needs_answer: usize,
    duration_seconds: f64,
}

/// What one sleep found and did.
struct Night {
    index: SyncReport,
    index_seconds: f64,
    planned: Planned,
    groups: Vec<GroupRecord>,
    questions: Vec<QuestionRecord>,
    /// What was carried out; none in a dry run.
    report: Option<RunReport>,
    dedupe_seconds: f64,
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
        show(output, &night)?;
    } else {
        output.record(&record(&night))?;
    }
    render::say_ends(output, &night.planned, night.report.as_ref());
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

    let started = Instant::now();
    let view = invocation.view(place, &cache)?;
    let answers = invocation.answers(place)?;
    let apply = args.apply.unwrap_or(place.settings.apply);
    let planned = job::dedupe(&view, &answers, &dedupe::Options::default(), apply)?;
    drop(view);
    let Decided { plan, waiting } = &planned.decided;
    let questions = if invocation.output.form == Form::Human {
        Vec::new()
    } else {
        waiting
            .iter()
            .map(|asked| render::question(place, asked))
            .collect()
    };
    let (groups, report) = if args.dry_run {
        (render::planned(place, plan), None)
    } else {
        let ended = render::carry_out(invocation, place, cache, plan);
        let outcome = match &ended {
            Ok(report) => Ok(planned.outcome(report)),
            Err(error) => Err(error.message()),
        };
        state.note("dedupe", now, started.elapsed().as_secs_f64(), &outcome);
        let report = ended?;
        (render::carried_out(plan, &report), Some(report))
    };
    Ok(Night {
        index,
        index_seconds,
        groups,
        questions,
        report,
        dedupe_seconds: started.elapsed().as_secs_f64(),
        planned,
    })
}

fn show(output: &Output, night: &Night) -> Result<(), Error> {
    let Decided { plan, waiting } = &night.planned.decided;
    output.line(&format!(
        "{}   {}",
        output.paint(Style::Title, "index"),
        summary(&night.index)
    ))?;
    let changed = match &night.report {
        Some(report) => format!("{} merged", report.applied()),
        None => format!("{} to merge", plan.groups.len()),
    };
    output.line(&format!(
        "{}  {} compared: {changed}, {}",
        output.paint(Style::Title, "dedupe"),
        count(night.planned.processed, "pair"),
        count(waiting.len(), "open question")
    ))?;
    render::show_groups(output, &night.groups)?;
    render::show_waiting(output, waiting)
}

fn record(night: &Night) -> Record<'_> {
    let report = night.report.as_ref();
    Record {
        dry_run: report.is_none(),
        run: report
            .and_then(|report| report.run.as_ref())
            .map(ToString::to_string),
        jobs: [
            JobRecord {
                job: "index",
                processed: night.index.notes,
                changed: night.index.changes(),
                needs_answer: 0,
                duration_seconds: rounded(night.index_seconds),
            },
            JobRecord {
                job: "dedupe",
                processed: night.planned.processed,
                changed: report.map_or(0, RunReport::applied),
                needs_answer: night.planned.decided.waiting.len(),
                duration_seconds: rounded(night.dedupe_seconds),
            },
        ],
        index: &night.index,
        groups: &night.groups,
        questions: &night.questions,
        skipped: &night.planned.skipped,
    }
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
