//! `mem review`

mod keys;
mod passage;
mod walk;

use clap::ArgAction;

use crate::commands::prelude::*;
use crate::commands::upkeep::maintenance::why_disabled;
use crate::finding::QuestionKey;
use crate::finding::question::QuestionKind;
use crate::jobs;
use crate::journal::decisions::Decision;
use crate::run::answers::lines::{AnswerLine, give, read_lines};
use crate::run::answers::valid_answers::{self, applied_run, valid};
use crate::run::answers::{AnswerOutcome, AnswerRecord, forget as forget_answers};
use crate::run::attention::chance::{LogOddsTerm, explanation};
use crate::run::attention::{ReviewBatch, features};
use crate::run::plan::open::{Counts, QuestionTally};
use crate::run::review::{QuestionFilter, Review, ReviewRequest, revert_hint};

/// Answer the questions of maintenance jobs
///
/// Asks at most `review.daily` questions a day, the most useful of all jobs; everything else is a
/// suggestion (`--all`). On a terminal, each question is answered with one key; in a pipe or with
/// `--jsonl`, questions are listed. Accepted changes are applied at once, and `mem undo` reverts
/// them. See `mem help answers`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ReviewArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Read answers from a file, one JSON document per line; `-` is stdin
    #[arg(long, value_name = "FILE")]
    apply: Option<String>,
    /// Show past answers, newest first
    #[arg(long, conflicts_with = "apply")]
    decided: bool,
    /// With --decided, only answers by WHO: `judge` for all judges, `review` for your own, or a name
    #[arg(long, value_name = "WHO", requires = "decided")]
    by: Option<String>,
    /// List suggestions too, after the questions of today
    #[arg(long, conflicts_with = "decided")]
    all: bool,
    /// Most informative questions first: valuable ones with an uncertain answer
    #[arg(long, conflicts_with_all = ["apply", "decided"])]
    teach: bool,
    /// Show how the chance and value of a yes are computed
    #[arg(long, conflicts_with_all = ["apply", "decided"])]
    explain: bool,
    #[command(flatten)]
    filter: QuestionFilterArgs,
}

/// Filters for questions.
#[derive(Debug, clap::Args)]
pub(crate) struct QuestionFilterArgs {
    /// Only questions of this kind; repeatable
    #[arg(long, value_name = "KIND", value_parser = named(QuestionKind::ALL, QuestionKind::name), action = ArgAction::Append, global = true)]
    kind: Vec<QuestionKind>,
    /// Only questions about notes that match this query
    #[arg(long = "where", value_name = "QUERY", value_parser = query_text(), global = true)]
    query: Option<String>,
    /// Only questions with at least this chance of a yes, 0–1
    #[arg(long, value_name = "CHANCE", value_parser = number_in(0.0_f32..=1.0), global = true)]
    min_chance: Option<f32>,
    /// At most N questions
    #[arg(short = 'n', long, value_name = "N", global = true)]
    pub(crate) limit: Option<usize>,
}

impl QuestionFilterArgs {
    /// Returns whether a filter is set that selects among questions and suggestions.
    fn is_narrow(&self) -> bool {
        !self.kind.is_empty() || self.query.is_some() || self.min_chance.is_some()
    }

    /// Resolves the query to the paths of matching notes.
    pub(crate) fn resolve(&self, session: &Session) -> Result<QuestionFilter> {
        let query = self.query.as_ref();
        let selection = query.map(|query| selected(session, std::slice::from_ref(query)));
        let found = selection.transpose()?;
        Ok(QuestionFilter {
            kinds: self.kind.clone(),
            paths: found.map(|found| {
                let entries = found.entries.iter();
                entries.map(|entry| entry.path.to_string()).collect()
            }),
            min_chance: self.min_chance.unwrap_or(0.0),
            limit: self.limit,
        })
    }
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Answer yes and apply it now
    Accept(AcceptArgs),
    /// Answer no and do not ask again
    Reject(QuestionSelection),
    /// Forget an answer and reopen the question, also for judges
    Forget(ForgetArgs),
}

impl Action {
    /// Returns the selected questions and their common answer.
    fn batch(&self) -> Option<(&QuestionSelection, Answer)> {
        match self {
            Self::Accept(AcceptArgs { which, relation }) => {
                Some((which, relation.unwrap_or(Answer::Yes)))
            }
            Self::Reject(which) => Some((which, Answer::No)),
            Self::Forget(_) => None,
        }
    }
}

#[derive(Debug, clap::Args)]
struct QuestionSelection {
    /// Ids of questions, or unambiguous prefixes
    #[arg(required_unless_present = "all", value_name = "QUESTION")]
    ids: Vec<String>,
    /// All questions of today that match the filters; with `--min-chance`, suggestions too
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// Preview the changes without making them
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, clap::Args)]
struct ForgetArgs {
    /// Ids of answers, or unambiguous prefixes
    #[arg(required_unless_present_any = ["all", "by"])]
    ids: Vec<String>,
    /// All answers that match the filters
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// All answers by WHO that match the filters: `judge` for all judges, `review` for your own, or
    /// a name
    #[arg(long, value_name = "WHO", conflicts_with = "ids")]
    by: Option<String>,
}

#[derive(Debug, clap::Args)]
struct AcceptArgs {
    #[command(flatten)]
    which: QuestionSelection,
    /// Relation of the first note to the second, instead of the proposed one; for a merge conflict
    /// `ours` or `theirs`
    #[arg(long = "as", value_name = "ANSWER")]
    relation: Option<Answer>,
}

/// A past answer.
#[derive(Debug, Serialize, JsonSchema)]
struct DecisionRecord {
    id: QuestionKey,
    kind: QuestionKind,
    answer: Answer,
    at: Timestamp,
    by: String,
    notes: Vec<String>,
}

/// Removes and returns the answers whose changes are in the notes, with the runs that made them.
fn keep_unapplied(session: &Session, chosen: &mut Vec<Decision>) -> Result<Vec<(Decision, RunId)>> {
    let (mut kept, mut applied) = (Vec::new(), Vec::new());
    for decision in chosen.drain(..) {
        let is_yes = decision.answer.is_some_and(Answer::is_yes);
        match is_yes
            .then(|| applied_run(session, decision.key))
            .transpose()?
            .flatten()
        {
            Some(run) => applied.push((decision, run)),
            None => kept.push(decision),
        }
    }
    *chosen = kept;
    Ok(applied)
}

/// Fails if flags have no effect in this combination.
fn check_flag_combination(args: &ReviewArgs) -> Result<()> {
    let name = args.action.as_ref().map(|action| match action {
        Action::Accept(_) => "accept",
        Action::Reject(_) => "reject",
        Action::Forget(_) => "forget",
    });
    if let Some(name) = name {
        let flags = [
            ("--apply", args.apply.is_some()),
            ("--decided", args.decided),
            ("--all", args.all),
            ("--teach", args.teach),
            ("--explain", args.explain),
        ];
        if let Some((flag, _)) = flags.iter().find(|(_, is_given)| *is_given) {
            return Err(Error::new(format!("put `{flag}` after `{name}`"))
                .hint(format!("see `mem review {name} --help`")));
        }
    }
    let is_past = args.decided || name == Some("forget");
    if is_past && args.filter.min_chance.is_some() {
        let error = Error::new("`--min-chance` applies to open questions only");
        return Err(error.hint("narrow with `--kind`, `--where` or `--limit`"));
    }
    Ok(())
}

impl ReviewArgs {
    /// Returns whether suggestions are included.
    fn includes_suggestions(&self) -> bool {
        match &self.action {
            Some(Action::Accept(AcceptArgs { which, .. }) | Action::Reject(which)) => {
                !which.all || self.filter.min_chance.is_some()
            }
            Some(Action::Forget(_)) | None => {
                self.all || self.apply.is_some() || self.filter.is_narrow()
            }
        }
    }

    /// Selects the open questions.
    fn open_questions(
        &self,
        session: &Session,
        filter: QuestionFilter,
        lines: Option<&[Result<AnswerLine, String>]>,
    ) -> Result<(Review, Cache)> {
        let cache = session.embed_at_once(session.fresh_cache()?)?;
        let batch = self.action.as_ref().and_then(Action::batch);
        let batch_ids = batch.iter().flat_map(|(which, _)| &which.ids);
        let ids = batch_ids.map(String::as_str);
        let lines = lines.into_iter().flatten().flatten();
        let request = ReviewRequest {
            filter,
            ids: ids.chain(lines.map(|line| &*line.id)).collect(),
            with_suggestions: self.includes_suggestions(),
            most_informative: self.teach,
        };
        let opened = Review::open(session, cache, &request)?;
        hint_at_disabled(session, &self.filter.kind);
        Ok(opened)
    }

    fn list(&self, session: &Session, cache: &Cache, review: Review) -> Result<QuestionList> {
        let is_empty = review.tally.all.all() == 0;
        Ok(QuestionList {
            questions: ListedQuestion::all(session, cache, &review.offer, self.explain)?,
            is_judged: is_empty && !valid(session, Decision::is_by_judge)?.is_empty(),
            review,
            is_all: self.includes_suggestions(),
        })
    }
}

impl Request for ReviewArgs {
    type Reply<'s> = Either<QuestionList, Either<AnswerList, AnswerReport>>;

    /// Lists or answers questions.
    fn answer(&self, session: &Session) -> Result<Self::Reply<'_>> {
        check_flag_combination(self)?;
        let filter = self.filter.resolve(session)?;
        if self.decided {
            let past = filter.past(session, self.by.as_deref())?;
            return Ok(Either::Right(Either::Left(AnswerList::of(past, false))));
        }
        if let Some(Action::Forget(which)) = &self.action {
            let past = filter.past(session, which.by.as_deref())?;
            let mut chosen = valid_answers::chosen(past, &which.ids)?;
            for (decision, run) in keep_unapplied(session, &mut chosen)? {
                let id = &decision.key.to_string()[..8];
                let (kept, hint) = (
                    format!("cannot forget answer `{id}`: its change was applied"),
                    revert_hint(&run),
                );
                if !which.ids.is_empty() {
                    return Err(Error::new(kept).hint(hint));
                }
                session.env.output.say(&format!("{kept}; {hint}"));
            }
            forget_answers(session, &chosen)?;
            return Ok(Either::Right(Either::Left(AnswerList::of(chosen, true))));
        }
        let lines = self.apply.as_deref().map(read_answers).transpose()?;
        let (review, cache) = self.open_questions(session, filter, lines.as_deref())?;
        let batch = self.action.as_ref().and_then(Action::batch);
        let is_all = batch.as_ref().is_some_and(|(which, _)| which.all);
        let is_unmatched = is_all && review.offer.findings.is_empty();
        let answers = match (batch, lines) {
            _ if is_unmatched => Vec::new(),
            (Some((which, answer)), _) => {
                review.answer(session, cache, &which.ids, answer, which.dry_run)?
            }
            (None, Some(lines)) => give(session, cache, &lines, &review.offer.findings)?,
            (None, None) => return Ok(Either::Left(self.list(session, &cache, review)?)),
        };
        Ok(Either::Right(Either::Right(AnswerReport {
            answers,
            review,
            is_unmatched,
        })))
    }

    /// On a terminal, asks the questions in a dialogue.
    fn run(&self, env: &Environment) -> Result<Exit> {
        let is_list = self.action.is_none() && self.apply.is_none() && !self.decided;
        let asks = is_list && !self.explain && env.output.form == Form::Human;
        let Some(terminal) = asks.then(|| Terminal::of(&env.output)).flatten() else {
            let session = env.open()?;
            return session.env.print(&self.answer(&session)?);
        };
        check_flag_combination(self)?;
        let session = env.open()?;
        let filter = self.filter.resolve(&session)?;
        let (review, cache) = self.open_questions(&session, filter, None)?;
        if review.offer.findings.is_empty() {
            return session.env.print(&self.list(&session, &cache, review)?);
        }
        drop(cache);
        let suggestions = (!self.includes_suggestions()).then_some(review.tally.all.suggestions);
        walk::run(&session, &terminal, &review.offer, suggestions)
    }
}

/// An open question with its chance and value.
#[derive(Debug, Serialize, JsonSchema)]
struct ListedQuestion {
    #[serde(flatten)]
    question: QuestionReport,
    /// True for a question of today, false for a suggestion.
    asked: bool,
    /// The chance of a yes, 0–1.
    chance: f32,
    /// The chance times the value of a yes, in links.
    worth: f32,
    /// The opinions of judges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    opinions: Vec<String>,
    /// The terms of the chance, in log odds.
    #[serde(skip_serializing_if = "Option::is_none")]
    terms: Option<Vec<LogOddsTerm>>,
    /// The features behind the chance, in hundredths, as recorded with an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<BTreeMap<String, i32>>,
}

impl ListedQuestion {
    fn all(
        session: &Session,
        cache: &Cache,
        offer: &ReviewBatch,
        explain: bool,
    ) -> Result<Vec<Self>> {
        let view = session.view(cache)?;
        let questions = QuestionReport::all(&session.vault, &view, &offer.findings)?;
        let thought = offer.findings.iter().zip(&offer.judged).zip(questions);
        let numbered = thought.enumerate();
        let listed = numbered.map(|(at, ((finding, judged), question))| Self {
            question,
            asked: at < offer.questions,
            chance: rounded(judged.chance),
            worth: rounded(judged.worth),
            opinions: render::opinions(finding, &offer.opinions),
            terms: explain.then(|| {
                let mut terms = offer.chances.terms(finding);
                for term in &mut terms {
                    term.log_odds = rounded(term.log_odds);
                }
                terms
            }),
            features: explain.then(|| features::record(&features::of(finding))),
        });
        Ok(listed.collect())
    }
}

fn rounded(number: f32) -> f32 {
    (number * 1000.0).round() / 1000.0
}

/// Open questions.
#[derive(Serialize, JsonSchema)]
pub struct QuestionList {
    questions: Vec<ListedQuestion>,
    #[serde(skip)]
    review: Review,
    /// Whether suggestions are listed.
    #[serde(skip)]
    is_all: bool,
    /// Whether judges gave answers and nothing is open.
    #[serde(skip)]
    is_judged: bool,
}

impl QuestionList {
    /// Returns the listed numbers by kind, and how to see the rest.
    fn summary(&self) -> Vec<String> {
        let Review {
            offer, tally, room, ..
        } = &self.review;
        let all = tally.all;
        let mut summary = Vec::new();
        if all.all() == 0 || self.is_all && offer.findings.is_empty() {
            return vec![no_match_message(all)];
        }
        let listed = QuestionTally::of(offer);
        let shown = if self.is_all { &listed } else { tally };
        let by_kind = |of: fn(&Counts) -> usize| {
            let kinds = shown.kinds.iter().map(|(kind, counts)| (kind, of(counts)));
            let nonzero = kinds.filter(|(_, number)| *number > 0);
            let kinds = nonzero.map(|(kind, number)| count(number, kind.name()));
            kinds.collect::<Vec<_>>().join(", ")
        };
        let (questions, suggestions) = (shown.all.questions, shown.all.suggestions);
        if questions > 0 {
            let kinds = by_kind(|counts| counts.questions);
            summary.push(format!("{}: {kinds}", count(questions, "question")));
        } else if !self.is_all && offer.answered > 0 {
            let answered = count(offer.answered, "answer");
            summary.push(format!("no more questions today ({answered} given)"));
        } else if !self.is_all {
            summary.push("no questions today".to_owned());
        }
        if suggestions > 0 {
            let kinds = by_kind(|counts| counts.suggestions);
            let suggestions = count(suggestions, "suggestion");
            let how = if self.is_all {
                ""
            } else {
                "; list them with `mem review --all`"
            };
            summary.push(format!("{suggestions}: {kinds}{how}"));
        }
        if let Some(why) = tally.unasked(*room).filter(|_| !self.is_all) {
            summary.push(why);
        }
        for silent in &tally.silent {
            summary.push(silent.words());
        }
        summary
    }
}

impl Reply for QuestionList {
    fn show(&self, page: &Page<'_>) {
        let offer = &self.review.offer;
        let judged = offer.findings.iter().zip(&offer.judged);
        for (listed, (finding, judged)) in self.questions.iter().zip(judged) {
            render::show_open_question(page, &listed.question);
            for said in &listed.opinions {
                page.row(&page.clean(&format!("  {said}")));
            }
            if let Some(terms) = &listed.terms {
                page.row(&format!("  {}", explanation(finding, judged, terms)));
            }
        }
        if !self.questions.is_empty() {
            self.summary().iter().for_each(|words| page.say(words));
            page.hint("answer one with `mem review accept ID` or `mem review reject ID`");
            let mut questions = self.questions.iter();
            if questions.any(|listed| listed.question.kind == QuestionKind::MergeConflict) {
                page.hint("keep one version with `mem review accept ID --as ours`, or `theirs`");
            }
            if self.is_all {
                page.hint(
                    "answer many, suggestions too: `mem review accept --all --kind KIND --min-chance 0.9`; preview with `--dry-run`",
                );
            }
        }
    }

    list!(questions);

    fn messages(&self) -> Vec<Message> {
        if !self.questions.is_empty() {
            return Vec::new();
        }
        let text = "list the answers of judges: `mem review --decided --by judge`".to_owned();
        let judged = self.is_judged.then_some(Message::Hint(text));
        let summary = self.summary().into_iter().map(Message::Status);
        summary.chain(judged).collect()
    }
}

/// Returns the message that no open question matches.
fn no_match_message(all: Counts) -> String {
    match all.all() {
        0 => "no open questions".to_owned(),
        _ => format!(
            "no question matches the filters; open in total: {}",
            all.words()
        ),
    }
}

/// Prints hints about kinds whose job is disabled.
fn hint_at_disabled(session: &Session, kinds: &[QuestionKind]) {
    let enabled = jobs::enabled(&session.settings);
    let kinds = kinds.iter();
    let mut asking: Vec<_> = kinds.filter_map(|kind| jobs::job_of_kind(*kind)).collect();
    asking.retain(|job| !enabled.contains(job));
    asking.dedup();
    for job in asking {
        let why = why_disabled(session, job.name);
        let hint = format!(
            "{why}: `mem {} --dry-run` lists what it would ask",
            job.name
        );
        session.env.output.hint(&hint);
    }
}

/// Returns the messages that no question matches, with a hint to reach suggestions.
fn no_match_messages(review: &Review) -> Vec<Message> {
    let mut messages = vec![Message::Status(no_match_message(review.tally.all))];
    let others = review.left_out.others;
    if review.left_out.suggestions > 0 {
        let suggestions = count(review.left_out.suggestions, "suggestion");
        messages.push(Message::Hint(format!(
            "{suggestions} of this kind; include them with `--all --min-chance 0.9`"
        )));
    } else if others > 0 {
        messages.push(Message::Hint(format!(
            "{others} of this kind are open, but none match; see `mem review --all --kind KIND --explain`"
        )));
    }
    messages
}

fn read_answers(file: &str) -> Result<Vec<Result<AnswerLine, String>>> {
    let text = match file {
        "-" => std::io::read_to_string(std::io::stdin()),
        file => std::fs::read_to_string(file),
    };
    Ok(read_lines(&text.map_err(|error| {
        Error::io("read", Path::new(file), &error)
    })?))
}

/// The outcome of each answer.
#[derive(Serialize, JsonSchema)]
pub struct AnswerReport {
    answers: Vec<AnswerRecord>,
    #[serde(skip)]
    review: Review,
    /// Whether no open question matches.
    #[serde(skip)]
    is_unmatched: bool,
}

impl Reply for AnswerReport {
    fn show(&self, page: &Page<'_>) {
        let open = &self.review.offer.findings;
        for record in &self.answers {
            render::show_answer(record, page, open);
        }
    }

    list!(answers);

    fn messages(&self) -> Vec<Message> {
        if self.is_unmatched {
            return no_match_messages(&self.review);
        }
        let run = self.answers.iter().find_map(|record| record.run.as_deref());
        if let Some(run) = run {
            return vec![Message::undo(run)];
        }
        // `mem undo` would revert an older run: a "no" changes no note.
        let is_refused = |record: &&AnswerRecord| record.outcome == AnswerOutcome::Remembered;
        let refused = self.answers.iter().find(is_refused);
        let forget = refused.map(|record| {
            let id = &record.id[..8.min(record.id.len())];
            Message::Hint(format!("ask again with `mem review forget {id}`"))
        });
        forget.into_iter().collect()
    }

    fn exit(&self) -> Result<Exit> {
        let is_well = self.answers.iter().all(AnswerRecord::is_well);
        Ok(Exit::found(is_well && !self.is_unmatched))
    }
}

/// Past answers, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnswerList {
    decisions: Vec<DecisionRecord>,
    /// Whether some are by judges.
    #[serde(skip)]
    is_judged: bool,
    /// Whether they were forgotten.
    #[serde(skip)]
    is_forgotten: bool,
}

impl AnswerList {
    fn of(past: Vec<Decision>, is_forgotten: bool) -> Self {
        let is_judged = past.iter().any(Decision::is_by_judge);
        let decisions = past.into_iter().filter_map(|decision| {
            Some(DecisionRecord {
                id: decision.key,
                kind: decision.kind,
                answer: decision.answer?,
                at: decision.at,
                by: decision.by,
                notes: decision.about,
            })
        });
        Self {
            decisions: decisions.collect(),
            is_judged,
            is_forgotten,
        }
    }
}

impl Reply for AnswerList {
    fn show(&self, page: &Page<'_>) {
        for record in &self.decisions {
            let notes = page.clean(&record.notes.join(", "));
            if self.is_forgotten {
                page.line(&format!("forgot the answer about {notes}"));
                continue;
            }
            page.line(&format!(
                "{} {}  {} {}: {notes}  ({})",
                page.paint(Style::Faint, &record.id.to_string()[..8]),
                page.local_time(record.at),
                record.kind.name(),
                page.paint(Style::Title, &record.answer.to_string()),
                page.clean(&record.by),
            ));
        }
        if !self.decisions.is_empty() && !self.is_forgotten {
            page.hint("`mem review forget ID` reopens a question; if a change was made, it names the `mem undo` that reverts it");
            if self.is_judged {
                page.hint("overrule a judge with `mem review accept ID` or `mem review reject ID`");
            }
        }
    }

    list!(decisions, "no answers yet");
}
