//! `mem judge`

use super::review::QuestionFilterArgs;
use crate::commands::prelude::*;
use crate::run::interrupt::exit_on_signal;
use crate::run::judge::prompts::{self, GENERAL, Prompts};
use crate::run::judge::{Call, JudgeReport, JudgeRequest, judge};
use crate::run::plan::open;

/// Let a model or a program answer open questions
///
/// Asks the judges of your own settings the most valuable questions, with at most `judge.calls`
/// calls per run. Accepted changes are applied only to notes written by mem or an agent and not
/// edited since; answers about your own notes are shown with the question. `mem help judges`
/// explains setup, prompts and the format of a command.
#[derive(Debug, clap::Args)]
pub struct JudgingRequest {
    /// Show the calls it would make, and make none
    #[arg(long)]
    pub dry_run: bool,
    /// Print the prompt for questions of a kind, or the one for all (`answer`)
    #[arg(long, value_name = "KIND", num_args = 0..=1, default_missing_value = GENERAL, value_parser = prompt_names(),
        exclusive = true)]
    pub prompt: Option<String>,
    #[command(flatten)]
    pub(crate) filter: QuestionFilterArgs,
}

fn prompt_names() -> PossibleValuesParser {
    PossibleValuesParser::new(prompts::names())
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct JudgeReply {
    dry_run: bool,
    #[serde(flatten)]
    report: JudgeReport,
    #[serde(skip)]
    open: Vec<Finding>,
    /// Whether a signal ended it early.
    #[serde(skip)]
    is_stopped: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct PromptText {
    name: String,
    text: String,
    is_own: bool,
    /// The path of the user's own prompt.
    #[serde(skip)]
    file: PathBuf,
}

impl Request for JudgingRequest {
    type Reply<'s> = Either<JudgeReply, PromptText>;

    fn answer(&self, session: &Session) -> Result<Self::Reply<'_>> {
        if let Some(name) = &self.prompt {
            return Ok(Either::Right(prompt(&session.env, name)?));
        }
        let mut filter = self.filter.resolve(session)?;
        let cache = session.embed_at_once(session.fresh_cache()?)?;
        let (mut offer, cache) = open::collect_open(session, cache)?;
        // The limit counts calls, so it does not apply to questions that were asked before.
        let limit = filter.limit.take();
        filter.narrow(&mut offer);
        // Delays signals until the answer of a paid call is recorded.
        let stop = &session.env.stop;
        let work = stop.critical_section();
        exit_on_signal(stop, || ())?;
        let request = JudgeRequest {
            dry_run: self.dry_run,
            limit,
            apply: None,
        };
        let report = judge(session, cache, &offer, request);
        drop(work);
        Ok(Either::Left(JudgeReply {
            dry_run: self.dry_run,
            report: report?,
            open: offer.findings,
            is_stopped: stop.is_due(),
        }))
    }

    /// Prints a prompt even without a vault.
    fn run(&self, env: &Environment) -> Result<Exit> {
        if let Some(name) = &self.prompt {
            return env.print(&prompt(env, name)?);
        }
        let session = self.open(env)?;
        session.env.print(&self.answer(&session)?)
    }
}

impl Reply for JudgeReply {
    fn show(&self, page: &Page<'_>) {
        for call in &self.report.calls {
            let id = page.paint(Style::Faint, &call.id.to_string()[..8]);
            let question = page.clean(&call.question);
            page.row(&format!("{id} {question}{}", opinion_text(page, call)));
        }
        let answers = &self.report.answers;
        let is_no = |id: &str| {
            answers
                .iter()
                .any(|one| one.id == id && one.title.is_none())
        };
        for record in answers {
            if !is_no(&record.id) {
                render::show_answer(record, page, &self.open);
            }
        }
    }

    fn messages(&self) -> Vec<Message> {
        if self.is_stopped {
            let answered = count(self.report.calls.len(), "answer");
            return vec![Message::Status(format!(
                "stopped: {answered} kept, the rest stays open"
            ))];
        }
        summary(&self.report, self.dry_run)
    }

    fn exit(&self) -> Result<Exit> {
        if self.is_stopped {
            return Ok(Exit::Nothing);
        }
        if let Some(why) = self.report.failure().filter(|_| !self.dry_run) {
            return Err(Error::new(why).hint(
                "the questions stay open; check that the server or command works; see `mem help judges`",
            ));
        }
        let is_any = !self.report.calls.is_empty() || !self.report.answers.is_empty();
        Ok(Exit::found(is_any))
    }
}

fn prompt(env: &Environment, name: &str) -> Result<PromptText> {
    let prompts = Prompts::load(&env.folders.config)?;
    let Some(prompt) = prompts.named(name) else {
        return Err(Error::new(format!("no prompt `{name}`")));
    };
    Ok(PromptText {
        name: name.to_owned(),
        text: prompt.text.clone(),
        is_own: prompt.is_own,
        file: prompts.file(name),
    })
}

impl Reply for PromptText {
    /// Writes the prompt, with a hint where to put another one.
    fn show(&self, page: &Page<'_>) {
        page.raw(self.text.as_bytes());
        let file = page.clean(&self.file.display().to_string());
        page.hint(&if self.is_own {
            format!("from your file {file}; delete it to use the built-in prompt")
        } else {
            format!("to replace it, write {file}")
        });
    }
}

/// Returns the answer of a judge, to append to the question.
fn opinion_text(output: &Output, call: &Call) -> String {
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

/// Returns messages that sum up the calls.
fn summary(report: &JudgeReport, dry_run: bool) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut say = |words| messages.push(Message::Status(words));
    let calls = count(report.calls.len(), "call");
    let exam = count(report.exam.len(), "question");
    if dry_run {
        let tokens = count(report.tokens, "token");
        let first = match report.exam.len() {
            0 => String::new(),
            _ => format!(", {exam} with known answers before them"),
        };
        let judges = report.judges.join(" and ");
        say(format!("{calls}, about {tokens}, to {judges}{first}"));
    } else if report.calls.is_empty() && !report.exam.is_empty() {
        say(format!(
            "{exam} with known answers asked, but not all were answered; no other calls were made"
        ));
    } else if report.calls.is_empty() && report.answers.is_empty() && report.left == 0 {
        say("nothing to ask: no new open questions".to_owned());
    } else {
        let failed = match report.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let answers = report.calls.iter().filter_map(|call| call.answer);
        let yes = answers.clone().filter(|answer| answer.is_yes()).count();
        let no = answers.filter(|answer| *answer == Answer::No).count();
        let tokens = match report.tokens {
            0 => String::new(),
            tokens => format!(", {}", count(tokens, "token")),
        };
        say(format!("{calls}{tokens}{failed}: {yes} yes, {no} no"));
    }
    if report.left > 0 {
        let left = count(report.left, "question");
        say(format!(
            "{left} left for the next run (`judge.calls`, `judge.calls_per_kind`, `judge.tokens`)"
        ));
    }
    if let Some(first) = report.unasked.first() {
        let unasked = count(report.unasked.len(), "question");
        say(format!(
            "{unasked} not asked: {}",
            first.why.replace('\n', " ")
        ));
    }
    if !report.proposed.is_empty() {
        let proposed = count(report.proposed.len(), "question");
        messages.push(Message::Hint(format!(
            "judges answered yes to {proposed} about your own notes; see `mem review --all`"
        )));
    }
    messages.extend(report.run().map(Message::undo));
    messages
}
