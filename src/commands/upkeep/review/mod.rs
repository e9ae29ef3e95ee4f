//! `mem review`

mod keys;
mod passage;
mod walk;

use clap::ArgAction;

use crate::commands::args::choice::named;
use crate::commands::prelude::*;
use crate::commands::upkeep::maintenance::why_disabled;
use crate::finding::question::{Kind, QuestionKey};
use crate::jobs;
use crate::journal::decisions::Decision;
use crate::run::answers::lines::{AnswerLine, give, read_lines};
use crate::run::answers::past::{self, standing};
use crate::run::answers::{AnswerRecord, forget as forget_answers};
use crate::run::attention::chance::{Term, explanation};
use crate::run::attention::{Offer, features};
use crate::run::plan::open::{Counts, Tally};
use crate::run::report::question::QuestionReport;
use crate::run::review::{QuestionFilter, Review, ReviewRequest};

/// Answer the questions of maintenance jobs
///
/// At most `review.daily` questions a day, the best of what all jobs found, chosen by how likely your
/// answers say you agree and by what it is worth. They stay the same until tomorrow. Everything else is a
/// suggestion: `--all`, a filter or an id reaches it.
///
/// On a terminal, walks through the questions, each with the passage that it is about, answered by one
/// key: `y` yes, `n` no, `e` edit what a yes writes (or say another relation), `d` the whole diff, `s`
/// skip, `u` undo, back to the first, `a` the same answer for all like this, after a preview, `q` quit, `?`
/// help. In a pipe, on a terminal that can only print, or with `--jsonl`, lists them. Accepted changes are
/// applied at once, and `mem undo` reverts them.
/// Answers are remembered, "no" included: the same question about the same texts is not asked
/// again, on any device that shares the vault. It is asked again if a title or text changes. What a judge (see
/// `mem judge --help`) answered is yours to answer otherwise: `mem review accept ID`, `mem review reject ID`.
///
/// Many at once: `mem review accept --all --kind mention -n` previews, without `-n` it accepts, as one run
/// that one `mem undo` reverts; what is undone is asked again. It takes questions of today; with
/// `--min-chance 0.9`, suggestions too. `--where 'path:work/'` narrows to notes that match a query.
///
/// For agents and scripts: `mem review --jsonl` prints one question per line with its `id`, `kind`,
/// `question`, `reason`, `notes`, possible `answers` and the `diff` of a yes.
///
/// `mem review --apply FILE` (or `-`) reads lines like {"id": "...", "answer": "yes"} and reports
/// on each (an unambiguous prefix of an id will do): `applied`, `remembered`, `unchanged`, `dropped` (a note changed meanwhile), `stale` (no
/// longer open) or `invalid`; the exit code is 0 if all succeeded. A line may add "by" (who
/// decided) and "text": for a merge the whole body of the kept note, for a mention the line with the link. Questions about a pair also
/// take relations: `evolved_from` (the first note is newer and replaces the second), `replaced_by`
/// (the reverse), `contradicts`, and for links `related_to`, `supports`, `supported_by`, `part_of`,
/// `has_part`, `depends_on`, `required_by`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Args {
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
    /// Suggestions too, after the questions of today
    #[arg(long, conflicts_with = "decided")]
    all: bool,
    /// First what answers teach most: the least certain of the valuable
    #[arg(long, conflicts_with_all = ["apply", "decided"])]
    teach: bool,
    /// Show how likely a yes is and what it is worth, as a sum
    #[arg(long, conflicts_with_all = ["apply", "decided"])]
    explain: bool,
    #[command(flatten)]
    filter: Filter,
}

/// Which questions.
#[derive(Debug, clap::Args)]
pub(crate) struct Filter {
    /// Only questions of this kind; repeatable
    #[arg(long, value_name = "KIND", value_parser = named(Kind::ALL, Kind::name), action = ArgAction::Append, global = true)]
    kind: Vec<Kind>,
    /// Only questions about notes that match this query
    #[arg(long = "where", value_name = "QUERY", value_parser = query_text(), global = true)]
    place: Option<String>,
    /// Only questions with at least this chance of a yes, 0–1
    #[arg(long, value_name = "CHANCE", value_parser = number_in(0.0_f32..=1.0), global = true)]
    min_chance: Option<f32>,
    /// At most N questions
    #[arg(long, value_name = "N", global = true)]
    pub(crate) limit: Option<usize>,
}

impl Filter {
    /// Returns true if only some are meant, be they questions or suggestions.
    fn is_narrow(&self) -> bool {
        !self.kind.is_empty() || self.place.is_some() || self.min_chance.is_some()
    }

    /// Returns the filter with the notes that its query finds in this vault.
    pub(crate) fn resolve(&self, session: &Session) -> Result<QuestionFilter> {
        let query = self.place.as_ref();
        let found = query.map(|query| selected(session, std::slice::from_ref(query)));
        let found = found.transpose()?;
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
    Accept(Accepted),
    /// Answer no and do not ask again
    Reject(Which),
    /// Forget an answer; the question is asked again, of judges too
    Forget(Forgotten),
}

impl Action {
    /// Returns the questions that get one answer, and the answer.
    fn batch(&self) -> Option<(&Which, Answer)> {
        match self {
            Self::Accept(Accepted { which, relation }) => {
                Some((which, relation.unwrap_or(Answer::Yes)))
            }
            Self::Reject(which) => Some((which, Answer::No)),
            Self::Forget(_) => None,
        }
    }
}

#[derive(Debug, clap::Args)]
struct Which {
    /// Ids of questions, or unambiguous prefixes
    #[arg(required_unless_present = "all", value_name = "QUESTION")]
    ids: Vec<String>,
    /// All questions of today that match the filters; with `--min-chance`, suggestions too
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// Preview the changes without making them
    #[arg(short = 'n', long)]
    dry_run: bool,
}

#[derive(Debug, clap::Args)]
struct Forgotten {
    /// Ids of answers, or unambiguous prefixes
    #[arg(required_unless_present_any = ["all", "by"])]
    ids: Vec<String>,
    /// All that match the filters
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// All by WHO that match the filters: `judge` for all judges, `review` for your own, or a name
    #[arg(long, value_name = "WHO", conflicts_with = "ids")]
    by: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Accepted {
    #[command(flatten)]
    which: Which,
    /// Relation of the first note to the second, instead of the proposed one
    #[arg(long = "as", value_name = "RELATION")]
    relation: Option<Answer>,
}

/// An answer that was given.
#[derive(Debug, Serialize, JsonSchema)]
struct DecisionRecord {
    id: QuestionKey,
    kind: Kind,
    answer: Answer,
    at: Timestamp,
    by: String,
    notes: Vec<String>,
}

/// Fails if a flag is given that would do nothing, or something else than it says.
fn refuse_what_does_not_fit(args: &Args) -> Result<()> {
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
            return Err(Error::new(format!("`{flag}` does not go before `{name}`"))
                .hint(format!("see `mem review {name} --help`")));
        }
    }
    let is_past = args.decided || name == Some("forget");
    if is_past && args.filter.min_chance.is_some() {
        let error = Error::new("`--min-chance` is for open questions; an answer has no chance");
        return Err(error.hint("narrow with `--kind`, `--where` or `--limit`"));
    }
    Ok(())
}

impl Args {
    /// Returns true if suggestions are meant too.
    fn reaches_suggestions(&self) -> bool {
        match &self.action {
            Some(Action::Accept(Accepted { which, .. }) | Action::Reject(which)) => {
                !which.all || self.filter.min_chance.is_some()
            }
            Some(Action::Forget(_)) | None => {
                self.all || self.apply.is_some() || self.filter.is_narrow()
            }
        }
    }

    /// Lists, asks or answers.
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        refuse_what_does_not_fit(self)?;
        let session = env.open()?;
        let filter = self.filter.resolve(&session)?;
        if self.decided {
            let past = filter.past(&session, self.by.as_deref())?;
            return session.print(&AnswerList::of(past));
        }
        if let Some(Action::Forget(which)) = &self.action {
            return forget(&session, which, &filter);
        }
        let cache = session.fresh_cache()?;
        let cache = session.embed_at_once(cache)?;
        let lines = self.apply.as_deref().map(read_answers).transpose()?;
        let batch = self.action.as_ref().and_then(Action::batch);
        let ids = batch.iter().flat_map(|(which, _)| &which.ids);
        let ids = ids.map(String::as_str);
        let is_all = self.reaches_suggestions();
        let request = ReviewRequest {
            filter,
            ids: ids
                .chain(lines.iter().flatten().flatten().map(|line| &*line.id))
                .collect(),
            with_suggestions: is_all,
            most_informative: self.teach,
        };
        let (review, cache) = Review::open(&session, cache, &request)?;
        hint_at_disabled(&session, &self.filter.kind);
        let open = &review.offer.findings;
        if let Some((which, answer)) = batch {
            if which.all && open.is_empty() {
                return Ok(none_to_answer(env, &review));
            }
            let records = review.answer(&session, cache, &which.ids, answer, which.dry_run)?;
            return show_answers(env, &records, open);
        }
        if let Some(lines) = lines {
            let records = give(&session, cache, &lines, open, false)?;
            return show_answers(env, &records, open);
        }
        let walks = env.output.form == Form::Human && !open.is_empty() && !self.explain;
        if let Some(terminal) = walks.then(|| Terminal::of(&env.output)).flatten() {
            drop(cache);
            let suggestions = (!is_all).then_some(review.tally.all.suggestions);
            return walk::through(&session, &terminal, &review.offer, suggestions);
        }
        let list = QuestionList::of(&session, &cache, review, is_all, self.explain)?;
        session.print(&list)
    }
}

/// An open question with what is thought of it.
#[derive(Debug, Serialize, JsonSchema)]
struct Listed {
    #[serde(flatten)]
    question: QuestionReport,
    /// True of a question of today, false of a suggestion.
    asked: bool,
    /// The chance of a yes, 0–1.
    chance: f32,
    /// The chance times what a yes is worth, in links.
    worth: f32,
    /// What judges say, who and what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    opinions: Vec<String>,
    /// The log odds of the chance as a sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    terms: Option<Vec<Term>>,
    /// What the chance is made of, as it is recorded with an answer: by name, in hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<BTreeMap<String, i32>>,
}

impl Listed {
    fn all(session: &Session, cache: &Cache, offer: &Offer, explain: bool) -> Result<Vec<Self>> {
        let view = session.view(cache)?;
        let questions = QuestionReport::all(&session.vault, &view, &offer.findings)?;
        let thought = offer.findings.iter().zip(&offer.judged).zip(questions);
        let listed = thought.enumerate();
        let listed = listed.map(|(at, ((finding, judged), question))| Self {
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
    /// Empty for a person, who gets no diffs.
    questions: Vec<Listed>,
    #[serde(skip)]
    offer: Offer,
    /// All that is open, listed or not.
    #[serde(skip)]
    tally: Tally,
    /// Whether suggestions are listed too.
    #[serde(skip)]
    is_all: bool,
    /// Whether chances are shown as a sum.
    #[serde(skip)]
    explain: bool,
    /// Questions for which the day has room.
    #[serde(skip)]
    room: usize,
    /// Whether judges have answered questions, and nothing is open.
    #[serde(skip)]
    is_judged: bool,
}

impl QuestionList {
    fn of(
        session: &Session,
        cache: &Cache,
        review: Review,
        is_all: bool,
        explain: bool,
    ) -> Result<Self> {
        let Review {
            offer, tally, room, ..
        } = review;
        let questions = if session.env.output.form == Form::Human {
            Vec::new()
        } else {
            Listed::all(session, cache, &offer, explain)?
        };
        let is_judged =
            tally.all.all() == 0 && !standing(session, Decision::is_by_judge)?.is_empty();
        Ok(Self {
            questions,
            offer,
            tally,
            is_all,
            explain,
            room,
            is_judged,
        })
    }

    /// Returns what is listed, by kind, and how to see what is not.
    fn summary(&self) -> Vec<String> {
        let (offer, all) = (&self.offer, self.tally.all);
        let mut summary = Vec::new();
        if all.all() == 0 || self.is_all && offer.findings.is_empty() {
            return vec![none_of(all)];
        }
        let listed = Tally::of(offer);
        let tally = if self.is_all { &listed } else { &self.tally };
        let by_kind = |of: fn(&Counts) -> usize| {
            let kinds = tally.kinds.iter().map(|(kind, counts)| (kind, of(counts)));
            let kinds = kinds.filter(|(_, number)| *number > 0);
            let kinds = kinds.map(|(kind, number)| count(number, kind.name()));
            kinds.collect::<Vec<_>>().join(", ")
        };
        let (questions, suggestions) = (tally.all.questions, tally.all.suggestions);
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
        if let Some(why) = self.tally.unasked(self.room).filter(|_| !self.is_all) {
            summary.push(why);
        }
        for silent in &self.tally.silent {
            summary.push(silent.words());
        }
        summary
    }
}

impl Reply for QuestionList {
    fn show(&self, page: &Page<'_>) -> Result<()> {
        let offer = &self.offer;
        for (finding, judged) in offer.findings.iter().zip(&offer.judged) {
            render::show_finding(page, finding)?;
            for said in render::opinions(finding, &offer.opinions) {
                page.line(&page.clean(&format!("  {said}")))?;
            }
            if self.explain {
                let terms = offer.chances.terms(finding);
                page.line(&format!("  {}", explanation(finding, judged, &terms)))?;
            }
        }
        Ok(())
    }

    list!(questions);

    fn messages(&self) -> Vec<Message> {
        let is_any = !self.offer.findings.is_empty();
        let is_for_person = self.questions.is_empty();
        let mut messages = Vec::new();
        if is_for_person || !is_any {
            messages.extend(self.summary().into_iter().map(Message::Status));
        }
        let mut hint = |words: &str| messages.push(Message::Hint(words.to_owned()));
        if self.is_judged {
            hint("what judges answered: `mem review --decided --by judge`");
        }
        if is_for_person && is_any {
            hint("answer one with `mem review accept ID` or `mem review reject ID`");
            if self.is_all {
                hint(
                    "answer many, suggestions too, with `mem review accept --all --kind KIND --min-chance 0.9`, after `-n`",
                );
            }
        }
        messages
    }

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(!self.offer.findings.is_empty()))
    }
}

/// Says that nothing is meant of `all` that is open.
fn none_of(all: Counts) -> String {
    match all.all() {
        0 => "no open questions".to_owned(),
        _ => format!("none of these; {} in total", all.words()),
    }
}

/// Says which of these kinds are not asked about, as their job is disabled.
fn hint_at_disabled(session: &Session, kinds: &[Kind]) {
    let enabled = jobs::enabled(&session.settings);
    let mut asking: Vec<_> = kinds.iter().map(|kind| jobs::asking(*kind)).collect();
    asking.retain(|job| !enabled.contains(job));
    asking.dedup();
    for job in asking {
        let why = why_disabled(session, job.name);
        let hint = format!("{why}: `mem {} -n` lists what it would ask", job.name);
        session.env.output.hint(&hint);
    }
}

/// Says that no question matches, and how to reach the suggestions.
fn none_to_answer(env: &Environment, review: &Review) -> Exit {
    let output = &env.output;
    output.say(&none_of(review.tally.all));
    let others = review.left_out.others;
    if review.left_out.suggestions > 0 {
        let suggestions = count(review.left_out.suggestions, "suggestion");
        output.hint(&format!(
            "{suggestions} of this kind: `--all` with `--min-chance 0.9`, or less, takes in those that are as likely"
        ));
    } else if others > 0 {
        output.hint(&format!(
            "{others} of this kind are open, none as likely, or about such notes: see `mem review --all --kind KIND --explain`"
        ));
    }
    Exit::Nothing
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

/// Tells what became of each answer.
fn show_answers(env: &Environment, records: &[AnswerRecord], open: &[Finding]) -> Result<Exit> {
    let output = &env.output;
    for record in records {
        if output.form == Form::Human {
            render::show_answer(record, output, open)?;
        } else {
            output.record(record)?;
        }
    }
    if let Some(run) = records.iter().find_map(|record| record.run.as_ref()) {
        output.hint_undo(run);
    }
    Ok(Exit::found(records.iter().all(AnswerRecord::is_well)))
}

/// Past answers, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnswerList {
    decisions: Vec<DecisionRecord>,
    /// Whether judges gave some.
    #[serde(skip)]
    is_judged: bool,
}

impl AnswerList {
    fn of(past: Vec<Decision>) -> Self {
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
        }
    }
}

impl Reply for AnswerList {
    fn show(&self, page: &Page<'_>) -> Result<()> {
        for record in &self.decisions {
            page.line(&format!(
                "{} {}  {} {}: {}  ({})",
                page.paint(Style::Faint, &record.id.to_string()[..8]),
                page.local_time(record.at),
                record.kind.name(),
                page.paint(Style::Title, &record.answer.to_string()),
                page.clean(&record.notes.join(", ")),
                page.clean(&record.by),
            ))?;
        }
        if !self.decisions.is_empty() {
            page.hint("`mem review forget ID` forgets one; it will be asked again");
            if self.is_judged {
                page.hint("what a judge answered, `mem review accept ID` or `mem review reject ID` answers otherwise");
            }
        }
        Ok(())
    }

    list!(decisions);

    fn if_none(&self) -> &'static str {
        "no answers yet"
    }
}

/// Forgets answers; nothing that was done is taken back. The reply has those that were forgotten.
fn forget(session: &Session, which: &Forgotten, filter: &QuestionFilter) -> Result<Exit> {
    let past = filter.past(session, which.by.as_deref())?;
    let chosen = past::chosen(past, &which.ids)?;
    forget_answers(session, &chosen)?;
    let forgotten = AnswerList::of(chosen);
    let env = &session.env;
    env.print_as(&session.settings, &forgotten, |forgotten, page| {
        for record in &forgotten.decisions {
            let about = page.clean(&record.notes.join(", "));
            page.line(&format!("forgot the answer about {about}"))?;
        }
        Ok(())
    })
}
