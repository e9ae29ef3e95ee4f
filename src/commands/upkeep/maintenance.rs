//! What the commands of the maintenance jobs have in common: their arguments, and what they tell.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use clap::builder::TypedValueParser;
use serde::Serialize;

use crate::cache::Cache;
use crate::cache::row::Slot;
use crate::change::run_id::short as short_id;
use crate::commands::args::choice::choice;
use crate::commands::args::query_args::{meant, query_text};
use crate::commands::render;
use crate::error::{Error, Exit};
use crate::jobs::find::Notes;
use crate::jobs::job::{Configured, Job};
use crate::jobs::{self, rules};
use crate::output::{Form, Output};
use crate::run::options::{Apply, SleepOptions};
use crate::run::plan::in_use::InUse;
use crate::run::plan::perform::{ROUNDS, Request, perform};
use crate::run::plan::queue::Scope;
use crate::run::report::group::{GroupReport, all_dropped, fail_if_system_failed};
use crate::run::report::question::QuestionReport;
use crate::session::search::Selection;
use crate::session::{Environment, Session};
use crate::view::Entry;

/// What every job can be told.
#[derive(Debug, clap::Args)]
pub(crate) struct JobArgs {
    /// Only this note, or the notes that match this query
    #[arg(value_name = "NOTE|QUERY", value_parser = query_text())]
    notes: Vec<String>,
    /// Preview the changes without making them
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Which changes to apply without asking [default: setting `sleep.apply`]
    #[arg(long, value_name = "WHICH", value_parser = apply())]
    apply: Option<Apply>,
    /// Check all notes, not only those changed since the last run
    #[arg(long, conflicts_with = "notes")]
    full: bool,
    /// Make and show at most N changes and N questions
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Refuse to change anything if more than N changes would be made
    #[arg(long, value_name = "N")]
    expect: Option<usize>,
}

#[derive(Debug, Serialize)]
struct Record<'r> {
    dry_run: bool,
    compared: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'r String>,
    /// Runs that merged what the run before brought about.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    followed_by: &'r [String],
    groups: &'r [GroupReport],
    questions: &'r [QuestionReport],
    /// What waits for an answer, whether listed or not.
    needs_answer: usize,
    skipped: &'r [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notices: &'r [String],
    /// Notes that are left for the next time, because somebody is at work on them.
    busy: &'r [InUse],
}

/// Reads `--apply`.
pub(crate) fn apply() -> impl TypedValueParser<Value = Apply> {
    choice([
        ("none", "Apply nothing; ask about everything"),
        (
            "managed",
            "What mem is sure of, in notes written by mem or an agent and not edited since",
        ),
        ("all", "What mem is sure of, in your own notes too"),
    ])
}

/// Returns the notes that are meant.
fn among(session: &Session, words: &[String]) -> Result<(HashSet<Slot>, Cache), Error> {
    let Selection { entries, cache, .. } = meant(session, words)?;
    Ok((entries.iter().map(|entry| entry.slot).collect(), cache))
}

/// Runs a job as a command of its own.
pub(crate) fn run(env: &Environment, job: &'static Job, args: &JobArgs) -> Result<Exit, Error> {
    let session = env.open()?;
    let (name, job) = (job.name, job.configured(&session.settings));
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
    let is_any = !matches!(&scope, Scope::Among(notes) if notes.is_empty());
    if !is_any {
        let words = args.notes.join(" ");
        env.output.say(&format!("no note matches `{words}`"));
    }
    let cache = session.embed_at_once(cache)?;
    let output = &env.output;
    let mut request = Request {
        scope,
        apply: args
            .apply
            .unwrap_or_else(|| session.settings.of::<SleepOptions>().apply),
        dry_run: args.dry_run,
        limit: args.limit,
        expect: args.expect,
        idle: Duration::ZERO,
        with_questions: output.form != Form::Human,
        follows_up: false,
    };
    // What is bounded is done as far as it was asked for, and no further.
    let is_bounded = matches!(request.scope, Scope::Among(_))
        || request.limit.is_some()
        || request.expect.is_some();
    let mut done = perform(&session, cache, &job, &request).0?;
    let mut runs: Vec<String> = done.run_id().into_iter().collect();
    for _ in 0..ROUNDS {
        let next = request.following(job.job, &done);
        let Some(next) = next.filter(|_| !is_bounded) else {
            break;
        };
        let cache = session.embed_at_once(session.cache()?)?;
        let mut more = perform(&session, cache, &job, &next).0?;
        runs.extend(more.run_id());
        more.planned.processed += done.planned.processed;
        more.groups.splice(0..0, done.groups);
        (done, request) = (more, next);
    }
    env.page(&session.settings)?;
    let (planned, groups) = (&done.planned, &done.groups);
    let waiting = &planned.decided.waiting;
    if output.form == Form::Human {
        for notice in &planned.notices {
            output.line(&output.clean(notice))?;
        }
        render::show_groups(output, groups)?;
        render::show_waiting(output, waiting, args.limit.unwrap_or(usize::MAX))?;
        let is_quiet = groups.is_empty()
            && waiting.is_empty()
            && planned.notices.is_empty()
            && planned.decided.busy.is_empty();
        // What could not be looked at may not be.
        if is_quiet && is_any && planned.skipped.is_empty() {
            output.line(job.job.nothing)?;
            if planned.processed == 0 {
                hint_at_notes(&session, &job)?;
            }
        }
    } else {
        output.record(&Record {
            dry_run: args.dry_run,
            compared: planned.processed,
            run: runs.first(),
            followed_by: runs.get(1..).unwrap_or_default(),
            groups,
            questions: &done.questions,
            needs_answer: waiting.len(),
            skipped: &planned.skipped,
            notices: &planned.notices,
            busy: &planned.decided.busy,
        })?;
    }
    say_busy(output, &planned.decided.busy);
    let runs = runs.iter().rev();
    let done: Vec<(&str, &str)> = runs.map(|run| (name, run.as_str())).collect();
    say_ends(output, planned.skipped.iter().collect(), &done);
    if !waiting.is_empty() {
        if jobs::enabled(&session.settings).contains(&job.job) {
            let kinds = job.job.kinds.iter();
            let kinds: Vec<&str> = kinds.map(|kind| kind.name()).collect();
            let kinds = kinds.join(" --kind ");
            output.hint(&format!("answer with `mem review --kind {kinds}`"));
        } else {
            output.hint(&answer_by_id(&session, name));
        }
    }
    fail_if_system_failed(name, groups)?;
    Ok(Exit::found(is_any && !all_dropped(groups)))
}

/// Returns how to answer the questions that a run of a disabled job left.
pub(crate) fn answer_by_id(session: &Session, job: &str) -> String {
    let why = why_disabled(session, job);
    format!(
        "{why}: `mem review` omits these questions; answer with `mem review accept ID` or `mem review reject ID`"
    )
}

/// Returns the setting that disables a job.
pub(crate) fn why_disabled(session: &Session, job: &str) -> String {
    if session.settings.of::<rules::Options>().enabled {
        format!("`{job}.every` is off")
    } else {
        "`rules.enabled` is false".to_owned()
    }
}

/// Says that a job looks after notes of mem and agents only, where there are none.
fn hint_at_notes(session: &Session, job: &Configured) -> Result<(), Error> {
    if job.find.notes() == Notes::All {
        return Ok(());
    }
    let cache = session.cache()?;
    let entries = session.view(&cache)?.entries()?;
    if !entries.is_empty() && !entries.iter().any(Entry::is_managed) {
        session.env.output.hint(&format!(
            "no note was written by mem or an agent; `mem config {}.notes all` takes in yours",
            job.job.name
        ));
    }
    Ok(())
}

/// Says which notes are left for the next time, and why, each once.
pub(crate) fn say_busy<'b>(output: &Output, busy: impl IntoIterator<Item = &'b InUse>) {
    let busy = busy.into_iter().map(|busy| (&busy.path, busy));
    for busy in busy.collect::<BTreeMap<_, _>>().values() {
        output.say(&format!("skipped for now: {busy}"));
    }
}

/// Says what could not be looked at, and how to undo what was done; `done` are jobs and runs, the newest first: what came later may rest on what came before.
pub(crate) fn say_ends(output: &Output, skipped: BTreeSet<&String>, done: &[(&str, &str)]) {
    for skipped in skipped {
        output.warn(&format!("skipped {skipped}"));
    }
    for (job, run) in done {
        if done.len() == 1 {
            output.hint_undo(run);
        } else {
            output.hint(&format!("undo {job} with `mem undo {}`", short_id(run)));
        }
    }
}
