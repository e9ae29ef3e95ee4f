//! `mem judge`

use clap::builder::PossibleValuesParser;
use serde::Serialize;

use super::review::Filter;
use crate::commands::render;
use crate::error::{Error, Exit};
use crate::finding::Finding;
use crate::finding::question::Answer;
use crate::output::{Form, Output, Style, count};
use crate::run::judge::prompts::{self, GENERAL, Prompts};
use crate::run::judge::{Call, JudgeReport, JudgeRequest, judge};
use crate::run::plan::open;
use crate::run::sleep::signals::exit_on_signal;
use crate::session::Environment;

/// Let a model or any program answer open questions
///
/// Asks the model or command of your own settings, the questions worth most first and suggestions too, at most
/// `judge.calls` a run. A no is remembered. A yes is applied to notes written by mem or an agent and not edited
/// since (`sleep.apply`); one about your own notes stays a question, with what the judge said beside it. Nothing is
/// asked twice until a note changes. With `judge.agree = 2`, two judges must say the same. Only the first
/// `judge.agree` of `judge.command`, `judge.model`, `judge.second` and `judge.second_model` that are set are asked,
/// even if they fail; `-n` names them.
///
/// A model (`judge.url`, `judge.model`) stands behind an OpenAI-compatible server, like Ollama or llama.cpp on this
/// machine. It is given the prompts that `--prompt` shows, and a file of yours in their place. Before it is asked
/// about notes, it is asked six questions whose answers are known, once, and is not asked on if fewer than five are
/// right.
///
/// A command (`judge.command`) runs in `sh` and reads one JSON document on stdin: `instructions`, `id`, `kind`,
/// `question`, `reason`, `answers` (each with what it means) and `notes` (path, title, text). It prints one of the
/// answers, on its first or last line, or JSON like {"answer": "no", "why": "two different teas"}.
///
/// Anything else is counted as a failure and tried again in a later run, three times in all. What a judge says
/// is never more than an answer: a note that tells it what to do can only get a wrong answer. `mem undo` takes back what was
/// done on a yes; `mem review --decided --by judge` lists all answers, `mem review accept ID` overrules a no, and
/// `mem review forget --by judge` forgets them all, so that they are asked again.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show what would be asked, and ask nobody
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Print what judges are told about questions of a kind, or before all (`answer`)
    #[arg(long, value_name = "KIND", num_args = 0..=1, default_missing_value = GENERAL, value_parser = prompt_names(),
        exclusive = true)]
    prompt: Option<String>,
    #[command(flatten)]
    filter: Filter,
}

fn prompt_names() -> PossibleValuesParser {
    PossibleValuesParser::new(prompts::names())
}

#[derive(Debug, Serialize)]
struct Record<'r> {
    dry_run: bool,
    #[serde(flatten)]
    report: &'r JudgeReport,
}

#[derive(Debug, Serialize)]
struct PromptRecord<'p> {
    name: &'p str,
    text: &'p str,
    is_own: bool,
}

/// Asks.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    if let Some(name) = &args.prompt {
        return show_prompt(env, name);
    }
    let session = env.open()?;
    let mut filter = args.filter.resolve(&session)?;
    let cache = session.fresh_cache()?;
    let cache = session.embed_at_once(cache)?;
    let (mut offer, cache) = open::look(&session, cache)?;
    // Of those that were not asked before.
    let limit = filter.limit.take();
    filter.narrow(&mut offer);
    // A call that was paid for is recorded before a signal ends the process.
    let work = env.stop.critical_section();
    exit_on_signal(&env.stop, || ())?;
    let request = JudgeRequest {
        dry_run: args.dry_run,
        limit,
        apply: None,
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
    if env.stop.is_due() {
        let answered = count(report.calls.len(), "answer");
        output.say(&format!(
            "stopped: {answered} kept, what is left stays open"
        ));
        return Ok(Exit::found(false));
    }
    sum_up(output, &report, args.dry_run);
    if let Some(why) = report.failure().filter(|_| !args.dry_run) {
        return Err(
            Error::new(why).hint(
                "the questions stay open; is the server running, does the command work? `mem judge --help`",
            ),
        );
    }
    let is_any = !report.calls.is_empty() || !report.answers.is_empty();
    Ok(Exit::found(is_any))
}

/// Prints a prompt, and where another one would stand.
fn show_prompt(env: &Environment, name: &str) -> Result<Exit, Error> {
    let prompts = Prompts::load(&env.folders.config)?;
    let Some(prompt) = prompts.named(name) else {
        return Err(Error::new(format!("there is no prompt `{name}`")));
    };
    let output = &env.output;
    if output.form != Form::Human {
        let text = &prompt.text;
        output.record(&PromptRecord {
            name,
            text,
            is_own: prompt.is_own,
        })?;
        return Ok(Exit::found(true));
    }
    output.raw(prompt.text.as_bytes())?;
    let file = prompts.file(name);
    let file = output.clean(&file.display().to_string());
    output.hint(&if prompt.is_own {
        format!("this is yours, {file}; without it mem's own is used")
    } else {
        format!("to have it otherwise, write your own to {file}")
    });
    Ok(Exit::found(true))
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
            render::show_answer(record, output, open)?;
        }
    }
    Ok(())
}

/// Returns what a judge said, as it follows the question.
fn said(output: &Output, call: &Call) -> String {
    let judge = output.clean(&call.judge);
    let mut why = output.clean(&call.why);
    if let Some(unused) = &call.text_unused {
        let unused = output.clean(unused);
        let and = if why.is_empty() { "" } else { "; " };
        why = format!("{why}{and}its text is not used: {unused}");
    }
    match (call.answer, why.is_empty()) {
        (Some(answer), true) => format!("  {judge}: {answer}"),
        (Some(answer), false) => format!("  {judge}: {answer} ({why})"),
        (None, true) => format!("  {judge}"),
        (None, false) => format!("  {judge} failed: {why}"),
    }
}

fn sum_up(output: &Output, report: &JudgeReport, dry_run: bool) {
    let calls = count(report.calls.len(), "call");
    let exam = count(report.exam.len(), "question");
    if dry_run {
        let tokens = count(report.tokens, "token");
        let first = match report.exam.len() {
            0 => String::new(),
            _ => format!(", {exam} with known answers before them"),
        };
        let judges = output.clean(&report.judges.join(" and "));
        output.say(&format!("{calls}, about {tokens}, to {judges}{first}"));
    } else if report.calls.is_empty() && !report.exam.is_empty() {
        output.say(&format!(
            "{exam} with known answers asked, not all were answered; nothing else was"
        ));
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
        let tokens = match report.tokens {
            0 => String::new(),
            tokens => format!(", {}", count(tokens, "token")),
        };
        output.say(&format!("{calls}{tokens}{failed}: {yes} yes, {no} no"));
    }
    if report.left > 0 {
        let left = count(report.left, "question");
        output.say(&format!(
            "{left} left for the next run (`judge.calls`, `judge.calls_per_kind`, `judge.tokens`)"
        ));
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
        output.hint_undo(run);
    }
}
