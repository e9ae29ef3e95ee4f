//! `mem judge`

use serde::Serialize;

use super::review::{Filter, Meant, answers};
use crate::error::{Error, Exit};
use crate::finding::Finding;
use crate::finding::question::Answer;
use crate::output::{Form, Output, Style, count};
use crate::run::judge::{Call, JudgeReport, JudgeRequest, judge};
use crate::run::open;
use crate::run::signals::exit_on_signal;
use crate::session::Environment;

/// Let a model or any program answer open questions
///
/// Asks the command that `judge.command` sets in your own settings, the questions worth most first and
/// suggestions too, at most `judge.calls` a run. A no is remembered. A yes is applied to notes written by mem or an
/// agent and not edited since (`sleep.apply`); one about your own notes stays a question, with what the judge said
/// beside it. Nothing is asked twice until a note changes. With `judge.agree = 2`, two judges must say the same.
///
/// The command runs in `sh` and reads one JSON document on stdin: `instructions`, `id`, `kind`, `question`, `reason`,
/// `answers` (each with what it means) and `notes` (path, title, text). It prints one of the answers, or JSON like
/// {"answer": "no", "why": "two different teas"}. Anything else is counted as a failure and tried again in
/// a later run, three times in all. What it prints is never more than an answer: a note that tells
/// the judge what to do can only get a wrong answer, and `mem undo` takes that back.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show what would be asked, and ask nobody
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(flatten)]
    filter: Filter,
}

#[derive(Debug, Serialize)]
struct Record<'r> {
    dry_run: bool,
    #[serde(flatten)]
    report: &'r JudgeReport,
}

/// About so many bytes are a token.
const BYTES_A_TOKEN: usize = 4;

/// Asks.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let meant = Meant::of(&session, &args.filter)?;
    let cache = session.fresh_cache()?;
    let cache = session.embed_at_once(cache)?;
    let (mut offer, cache) = open::look(&session, cache)?;
    // Of those that were not asked before.
    let limit = args.filter.limit;
    meant.without_limit().narrow_offer(&mut offer);
    // A call that was paid for is recorded before a signal ends the process.
    let work = env.stop.critical_section();
    exit_on_signal(&env.stop, || ())
        .map_err(|error| Error::new("cannot listen to signals").caused_by(&error))?;
    let request = JudgeRequest {
        dry_run: args.dry_run,
        limit,
    };
    let report = judge(&session, cache, &offer, request);
    drop(work);
    let report = report?;
    let output = &env.output;
    if output.form == Form::Human {
        show(output, &report, &offer.findings)?;
    } else {
        let dry_run = args.dry_run;
        output.record(&Record {
            dry_run,
            report: &report,
        })?;
    }
    sum_up(output, &report, args.dry_run);
    if report.failed > 0 && report.failed == report.calls.len() {
        let first = &report.calls[0];
        return Err(
            Error::new(format!("{} failed: {}", first.judge, first.why)).hint(
                "the questions stay open; see what a judge reads and prints in `mem judge --help`",
            ),
        );
    }
    let is_any = !report.calls.is_empty() || !report.answers.is_empty();
    Ok(Exit::found(is_any))
}

fn show(output: &Output, report: &JudgeReport, open: &[Finding]) -> Result<(), Error> {
    for call in &report.calls {
        let id = &call.id.to_string()[..8];
        let id = output.paint(Style::Faint, id);
        let question = output.clean(&call.question);
        let said = said(output, call);
        output.line(&format!("{id} {question}{said}"))?;
    }
    let is_no = |id: &str| {
        report
            .answers
            .iter()
            .any(|one| one.id == id && one.title.is_none())
    };
    for record in &report.answers {
        if !is_no(&record.id) {
            answers::show(record, output, open)?;
        }
    }
    Ok(())
}

/// Returns what a judge said, as it follows the question.
fn said(output: &Output, call: &Call) -> String {
    let judge = output.clean(&call.judge);
    let why = output.clean(&call.why);
    match (call.answer, why.is_empty()) {
        (Some(answer), true) => format!("  {judge}: {answer}"),
        (Some(answer), false) => format!("  {judge}: {answer} ({why})"),
        (None, true) => format!("  {judge}"),
        (None, false) => format!("  {judge} failed: {why}"),
    }
}

fn sum_up(output: &Output, report: &JudgeReport, dry_run: bool) {
    let calls = count(report.calls.len(), "call");
    if dry_run {
        let bytes: usize = report.calls.iter().map(|call| call.bytes).sum();
        let tokens = bytes.div_ceil(BYTES_A_TOKEN);
        output.say(&format!("{calls}, about {}", count(tokens, "token")));
    } else if report.calls.is_empty() && report.answers.is_empty() && report.left == 0 {
        output.say("nothing to ask: everything open was asked before, or nothing is open");
    } else {
        let failed = match report.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let yes = report
            .calls
            .iter()
            .filter(|call| call.answer.is_some_and(Answer::is_yes));
        let no = report
            .calls
            .iter()
            .filter(|call| call.answer == Some(Answer::No));
        let (yes, no) = (yes.count(), no.count());
        output.say(&format!("{calls}{failed}: {yes} yes, {no} no"));
    }
    if report.left > 0 {
        let left = count(report.left, "question");
        output.say(&format!("{left} left for the next run (`judge.calls`)"));
    }
    if let Some(first) = report.unasked.first() {
        let unasked = count(report.unasked.len(), "question");
        output.say(&format!(
            "{unasked} not asked: {}",
            output.clean(&first.why)
        ));
    }
    if !report.proposed.is_empty() {
        let proposed = count(report.proposed.len(), "question");
        output.hint(&format!(
            "a yes about notes of your own waits for yours: {proposed}, see `mem review --all`"
        ));
    }
    if let Some(run) = report.run() {
        output.hint(&format!("undo with `mem undo {run}`"));
    }
}
