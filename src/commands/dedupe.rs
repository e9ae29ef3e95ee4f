//! `mem dedupe`

use std::collections::HashSet;

use serde::Serialize;

use super::asking::query_text;
use super::queried::queried;
use super::render::{self, GroupRecord, QuestionRecord};
use crate::config::Apply;
use crate::error::{Error, Exit};
use crate::invocation::Invocation;
use crate::jobs::dedupe;
use crate::output::{Form, count};
use crate::run::job::{self, Planned};
use crate::run::state::State;

/// Merge notes that say the same
///
/// One of them is kept and learns all that the others knew; every link to them leads to it; they go
/// to the trash. What is certain and touches only notes that mem or an agent wrote is done; the rest
/// waits for `mem review`. `--dry-run` shows every change first, `mem undo` takes it back.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only duplicates of the notes that this query finds
    #[arg(value_parser = query_text())]
    query: Vec<String>,
    /// Show what would change, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Which certain merges to make without asking [default: the setting `sleep.apply`]
    #[arg(long, value_name = "WHICH")]
    apply: Option<Apply>,
    /// Propose at most so many merges
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Refuse to change anything if more merges than this would be made
    #[arg(long, value_name = "N")]
    expect: Option<usize>,
}

#[derive(Debug, Serialize)]
struct Record {
    dry_run: bool,
    compared: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    groups: Vec<GroupRecord>,
    questions: Vec<QuestionRecord>,
    skipped: Vec<String>,
}

/// Runs the job.
pub fn run(invocation: &Invocation, args: &Args) -> Result<Exit, Error> {
    let place = invocation.workplace()?;
    let started = std::time::Instant::now();
    let (entries, view, cache) = queried(invocation, &place, &args.query)?;
    let among = (!args.query.is_empty()).then(|| {
        entries
            .iter()
            .map(|entry| entry.slot)
            .collect::<HashSet<_>>()
    });
    let options = dedupe::Options {
        among,
        limit: args.limit,
    };
    let answers = invocation.answers(&place)?;
    let apply = args.apply.unwrap_or(place.settings.apply);
    let planned: Planned = job::dedupe(&view, &answers, &options, apply)?;
    let plan = &planned.decided.plan;
    if let Some(expected) = args.expect.filter(|expected| plan.groups.len() > *expected) {
        return Err(Error::new(format!(
            "{} would be made, more than the expected {expected}; nothing was changed",
            count(plan.groups.len(), "merge")
        ))
        .hint("`--dry-run` shows them"));
    }
    let output = &invocation.output;
    let questions: Vec<QuestionRecord> = if output.form == Form::Human {
        Vec::new()
    } else {
        planned
            .decided
            .waiting
            .iter()
            .map(|asked| render::question(&place, asked))
            .collect()
    };
    let (groups, report) = if args.dry_run {
        (render::planned(&place, plan), None)
    } else {
        drop(view);
        let report = render::carry_out(invocation, &place, cache, plan)?;
        let outcome = planned.outcome(&report);
        let mut state = State::load(&place.state_folder(), &invocation.device()?);
        state.note(
            "dedupe",
            invocation.now.timestamp(),
            started.elapsed().as_secs_f64(),
            &Ok(outcome),
        );
        invocation.save_state(&place, &state);
        (render::carried_out(plan, &report), Some(report))
    };
    if output.form == Form::Human {
        render::show_groups(output, &groups)?;
        render::show_waiting(output, &planned.decided.waiting)?;
        if groups.is_empty() && planned.decided.waiting.is_empty() {
            output.line("no duplicates")?;
        }
    } else {
        output.record(&Record {
            dry_run: args.dry_run,
            compared: planned.processed,
            run: report
                .as_ref()
                .and_then(|report| report.run.as_ref())
                .map(ToString::to_string),
            groups,
            questions,
            skipped: planned.skipped.clone(),
        })?;
    }
    render::say_ends(output, &planned, report.as_ref());
    Ok(Exit::Done)
}
