//! Judges: models or commands that answer open questions in place of a person.
//!
//! The most valuable findings are judged first, questions and suggestions alike, once per text. An
//! answer
//! counts when `judge.agree` judges give it. The policy of unattended runs decides whether it is
//! applied:
//! only a person's answer may change a note written by a person. Findings without consensus stay
//! open.

mod budget;
mod call;
mod call_context;
mod command;
mod dispatch;
mod exam;
mod excerpt;
pub mod facts;
mod judges;
mod model;
pub mod options;
pub mod prompts;
mod reply;
mod request;
mod rewrite_check;
mod votes;

use self::budget::Budget;
use self::call_context::{CallContext, CallFailure, CallRequest as _, MAX_BUSY_WAIT};

pub use self::call::Call;
use self::call::{PlannedQuestion, outcome};
use self::dispatch::run_calls;
use self::judges::{Judge, judges};
use self::prompts::Prompts;
use self::request::QuestionRequest;
use self::votes::{consensus, missing_judges};
use super::answers::{self, GivenAnswer};
use super::attention::ReviewBatch;
use super::plan::policy;
use crate::journal::decisions::JUDGE;
use crate::run::prelude::*;

/// Options of one judge run.
#[derive(Clone, Copy, Debug, Default)]
pub struct JudgeRequest {
    /// Whether to only report the planned calls.
    pub dry_run: bool,
    /// Maximum number of questions.
    pub limit: Option<usize>,
    /// Overrides the setting `sleep.apply`.
    pub apply: Option<Apply>,
}

/// Result of a judge run.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct JudgeReport {
    /// The judges and where they run.
    pub judges: Vec<String>,
    pub calls: Vec<Call>,
    /// Calls for exam questions, made before the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exam: Vec<Call>,
    /// Number of failed calls.
    pub failed: usize,
    /// Tokens used, as far as the judges count them; an estimate in a dry run.
    pub tokens: usize,
    /// Accepted answers and their outcomes.
    pub answers: Vec<AnswerRecord>,
    /// Questions that judges answered with yes but only a person may accept.
    pub proposed: Vec<QuestionKey>,
    /// Questions left for the next run because a limit was reached.
    pub left: usize,
    /// Questions that cannot be sent to a judge, with the reason.
    pub unasked: Vec<UnsentQuestion>,
}

/// A question that cannot be sent to a judge.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnsentQuestion {
    pub id: QuestionKey,
    pub why: String,
}

impl JudgeReport {
    /// Returns the first error if every call failed.
    pub fn failure(&self) -> Option<String> {
        let calls = Some(&self.calls)
            .filter(|calls| !calls.is_empty())
            .unwrap_or(&self.exam);
        let all_failed = calls.iter().all(|call| call.answer.is_none());
        let first = calls.first()?;
        all_failed.then(|| format!("{} failed: {}", first.judge, first.why))
    }

    /// Sums up failures and tokens of all calls.
    fn count(&mut self) {
        let failed = self.calls.iter().filter(|call| call.answer.is_none());
        self.failed = failed.count();
        let calls = self.calls.iter().chain(&self.exam);
        self.tokens = calls.filter_map(|call| call.tokens).sum();
    }

    /// Returns the id of the run that applied answers, for `mem undo`.
    pub fn run(&self) -> Option<&str> {
        self.answers.iter().find_map(|answer| answer.run.as_deref())
    }
}

/// Prevents a second run from paying for the same calls.
fn lock(session: &Session) -> Result<Lock> {
    Lock::acquire(&session.homes.judge_lock(), &session.env.holder()).map_err(|error| match error {
        LockError::Held { .. } => Error::new("another `mem judge` is running in this vault")
            .hint("run this again when it has ended; no question is asked twice"),
        error @ LockError::Io { .. } => Error::new("cannot lock").caused_by(&error),
    })
}

/// The judges with their settings, prompts and call context.
struct JudgePanel<'c> {
    session: &'c Session,
    judges: &'c [Judge],
    options: &'c JudgeOptions,
    prompts: &'c Prompts,
    context: CallContext<'c>,
}

impl<'c> JudgePanel<'c> {
    /// Returns the calls to make about `findings` within the budget.
    fn plan(
        &self,
        view: &View<'_>,
        findings: &[&'c Finding],
        (opinions, limit): (&Opinions, Option<usize>),
        report: &mut JudgeReport,
    ) -> Result<Vec<PlannedQuestion<'c>>> {
        let mut budget = self.context.budget();
        let mut planned = Vec::new();
        let mut questions = 0;
        for &finding in findings {
            let (key, kind) = (finding.key, finding.kind().name());
            let names = judge_names(self.judges, key.kind());
            let known = opinions.on(key);
            let missing = missing_judges(known, &names);
            if missing.is_empty() || limit.is_some_and(|most| questions >= most) {
                continue;
            }
            if !budget.has_room(kind, missing.len()) {
                report.left += 1;
                continue;
            }
            let request = match QuestionRequest::of(view, finding, self.prompts, self.options)? {
                Ok(request) => request,
                Err(why) => {
                    report.unasked.push(UnsentQuestion { id: key, why });
                    continue;
                }
            };
            let (calls, tokens) = (missing.len(), request.tokens());
            if !budget.reserve(kind, calls, tokens) {
                if Budget::of(self.options).reserve(kind, calls, tokens) {
                    report.left += 1;
                } else {
                    let tokens = calls * tokens;
                    let why = format!("it takes about {tokens} tokens, more than `judge.tokens`");
                    report.unasked.push(UnsentQuestion { id: key, why });
                }
                continue;
            }
            questions += 1;
            for judge in missing {
                let known = known.iter().find(|known| known.judge == names[judge]);
                planned.push(PlannedQuestion {
                    about: finding,
                    judge: &self.judges[judge],
                    failures: known.map_or(0, |known| known.failures),
                    request: request.clone(),
                });
            }
        }
        Ok(planned)
    }

    /// Makes the calls and stores each opinion at once. A refused exam question is a configuration
    /// error, not a
    /// failed exam, so it is not stored.
    fn run(
        &self,
        planned: &[PlannedQuestion<'_>],
        opinions: &mut Opinions,
        is_exam: bool,
    ) -> Result<Vec<Call>> {
        let device = self.session.journal_folder()?;
        let at = self.session.env.now.timestamp();
        let parallel = self.options.parallel;
        run_calls(planned, parallel, &self.context, |planned, result| {
            let is_refused = matches!(result.reply, Err(CallFailure::Refused(_)));
            let (call, opinion) = outcome(planned, result, at);
            if let Some(opinion) = opinion.filter(|_| !(is_exam && is_refused)) {
                journal::append(&device, std::slice::from_ref(&opinion))
                    .map_err(|error| Error::io("write to", &device, &error))?;
                opinions.add(opinion);
            }
            Ok(call)
        })
    }

    /// Gives the exam to each judge that needs it. Returns true if all of them passed.
    fn examine(
        &self,
        exam: &[Finding],
        findings: &[&Finding],
        opinions: &mut Opinions,
        dry_run: bool,
        report: &mut JudgeReport,
    ) -> Result<bool> {
        let plain = JudgeOptions {
            rewrite: false,
            ..self.options.clone()
        };
        for (at, judge) in self.judges.iter().enumerate() {
            let is_wanted = |finding: &&Finding| {
                let known = opinions.on(finding.key);
                let names = judge_names(self.judges, finding.kind());
                missing_judges(known, &names).contains(&at)
            };
            if !judge.is_examined()
                || !findings.iter().any(is_wanted)
                || exam::is_passed(exam, judge, opinions)?
            {
                continue;
            }
            let planned = {
                let mut budget = self.context.budget();
                exam::questions(exam, judge, self.prompts, &plain, opinions, &mut budget)?
            };
            if dry_run {
                report.exam.extend(planned.iter().map(Call::of));
                report.tokens += estimate(&planned);
                continue;
            }
            report.exam.extend(self.run(&planned, opinions, true)?);
            if !exam::is_passed(exam, judge, opinions)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns the recorded names of the judges for questions of `kind`.
fn judge_names(judges: &[Judge], kind: QuestionKind) -> Vec<&str> {
    judges.iter().map(|judge| judge.name(kind.name())).collect()
}

fn estimate(planned: &[PlannedQuestion<'_>]) -> usize {
    planned.iter().map(|one| one.request.tokens()).sum()
}

/// Asks the judges about the findings of `offer` and applies the consensus.
pub fn judge(
    session: &Session,
    cache: Cache,
    offer: &ReviewBatch,
    request: JudgeRequest,
) -> Result<JudgeReport> {
    let (dry_run, limit) = (request.dry_run, request.limit);
    if !dry_run {
        session.require_settings()?;
    }
    let options: JudgeOptions = session.settings.of();
    let prompts = Prompts::load(&session.env.folders.config)?;
    // The API key is only read when calls are made.
    let judges = judges(&options, &prompts, (!dry_run).then_some(&session.env))?;
    let _lock = (!dry_run).then(|| lock(session)).transpose()?;
    let journal = session.vault.own_path(JOURNAL);
    let device = journal.join(session.env.device()?.name());
    let mut opinions =
        Opinions::of_device(&device).map_err(|error| Error::io("read", &device, &error))?;
    let progress = Progress::spinner(&session.env.output, JUDGE);
    let mut report = JudgeReport {
        judges: judges.iter().map(Judge::location).collect(),
        ..JudgeReport::default()
    };
    let (budget, patience) = (Mutex::new(Budget::of(&options)), Mutex::new(MAX_BUSY_WAIT));
    let mut worth: Vec<usize> = (0..offer.findings.len()).collect();
    worth.sort_by(|a, b| offer.judged[*b].worth.total_cmp(&offer.judged[*a].worth));
    let mut by_worth: Vec<&Finding> = worth.into_iter().map(|at| &offer.findings[at]).collect();
    // Notes with equal content share a key: ask once.
    let mut keys = HashSet::new();
    by_worth.retain(|finding| keys.insert(finding.key));
    let panel = JudgePanel {
        session,
        judges: &judges,
        options: &options,
        prompts: &prompts,
        context: CallContext {
            vault: session.vault.root(),
            timeout: options.timeout,
            stop: &session.env.stop,
            budget: &budget,
            patience: &patience,
            report_wait: &|words| progress.says(words),
        },
    };
    let exam = exam::findings();
    if !panel.examine(&exam, &by_worth, &mut opinions, dry_run, &mut report)? {
        report.left = by_worth.len();
        report.count();
        return Ok(report);
    }
    let view = session.view(&cache)?;
    let planned = panel.plan(&view, &by_worth, (&opinions, limit), &mut report)?;
    drop(view);
    if dry_run {
        report.calls.extend(planned.iter().map(Call::of));
        report.tokens += estimate(&planned);
        return Ok(report);
    }
    if !planned.is_empty() {
        report.calls = panel.run(&planned, &mut opinions, false)?;
    }
    drop(progress);
    report.count();
    // Opinions of judges removed from the settings do not count.
    opinions.retain(|opinion| {
        judge_names(&judges, opinion.key.kind()).contains(&opinion.judge.as_str())
    });
    let apply = (request.apply).unwrap_or(session.settings.of::<SleepOptions>().apply);
    let terms = (options.agree, apply);
    apply_consensus(session, cache, &by_worth, &opinions, terms, &mut report)?;
    Ok(report)
}

/// Records the consensus of `agree` judges as answers, where policy allows it unattended.
fn apply_consensus(
    session: &Session,
    cache: Cache,
    findings: &[&Finding],
    opinions: &Opinions,
    (agree, apply): (usize, Apply),
    report: &mut JudgeReport,
) -> Result<()> {
    // Answers that a person gave during the run take precedence.
    let answered = session.answers()?;
    let view = session.view(&cache)?;
    let mut given = Vec::new();
    for &finding in findings {
        let known = opinions.on(finding.key);
        let Some(answer) = consensus(finding, known, agree) else {
            continue;
        };
        if answered.get(finding.key).is_some() {
            continue;
        }
        if answer.is_yes() && !policy::may_apply_unattended(&view, finding, answer, apply)? {
            report.proposed.push(finding.key);
            continue;
        }
        let (stored, _) = finding.stored(answer);
        let agreeing: Vec<&Opinion> = known
            .iter()
            .filter(|known| known.answer == Some(stored))
            .collect();
        let text = agreeing.iter().find_map(|known| known.text.clone());
        let judges: Vec<&str> = agreeing.iter().map(|known| known.judge.as_str()).collect();
        given.push(Ok(GivenAnswer {
            asked: finding,
            answer,
            by: format!("{JUDGE} {}", judges.join(" ")),
            text,
        }));
    }
    drop(view);
    if !given.is_empty() {
        report.answers = answers::give(session, cache, JUDGE, given, false)?;
    }
    Ok(())
}
