//! `mem review`

mod answers;
mod walk;

use std::collections::HashSet;
use std::io::Read as _;

use clap::ArgAction;
use jiff::Timestamp;
use serde::Serialize;

use self::answers::{AnswerRecord, Given, find};
use super::lookup::by_prefix;
use super::query_args::{query_text, selected};
use super::render;
use crate::cache::{Cache, CacheError};
use crate::error::{Error, Exit};
use crate::finding::Finding;
use crate::finding::question::{Answer, Kind, QuestionKey};
use crate::jobs::JOBS;
use crate::journal::decisions::{self, Decision};
use crate::note::path::VaultPath;
use crate::output::{Form, Style, count};
use crate::run::job::{self, PlanOptions};
use crate::run::options::Apply;
use crate::run::queue::Scope;
use crate::run::report::question::QuestionReport;
use crate::session::{Environment, Session};
use crate::vault::JOURNAL;

/// Answer the questions of maintenance jobs
///
/// On a terminal, walks through the open questions with both notes side by side; in a pipe or with
/// `--jsonl`, lists them. Accepted changes are applied at once, and `mem undo` reverts them.
/// Answers are remembered, "no" included: the same question about the same texts is not asked
/// again, on any device that shares the vault. It is asked again if a title or text changes.
///
/// For agents and scripts: `mem review --jsonl` prints one question per line with its `id`, `kind`,
/// `question`, `reason`, `notes`, possible `answers` and the `diff` of a yes.
///
/// `mem review --apply FILE` (or `-`) reads lines like {"id": "...", "answer": "yes"} and reports
/// on each (an unambiguous prefix of an id will do): `applied`, `remembered`, `unchanged`, `dropped` (a note changed meanwhile), `stale` (no
/// longer open) or `invalid`; the exit code is 0 if all succeeded. A line may add "by" (who
/// decided) and, for a merge, "text" (the whole body of the kept note). Questions about a pair also
/// take relations: `evolved_from` (the first note is newer and replaces the second), `replaced_by`
/// (the reverse), `contradicts`, and for links `related_to`, `supports`, `supported_by`, `part_of`,
/// `has_part`, `depends_on`, `required_by`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Read answers from a file, one JSON document per line; `-` is stdin
    #[arg(long, value_name = "FILE")]
    apply: Option<String>,
    /// Show past answers, newest first
    #[arg(long, conflicts_with = "apply")]
    decided: bool,
    #[command(flatten)]
    filter: Filter,
}

/// Which questions.
#[derive(Debug, clap::Args)]
struct Filter {
    /// Only questions of this kind; repeatable
    #[arg(long, value_name = "KIND", value_parser = kinds(), action = ArgAction::Append, global = true)]
    kind: Vec<Kind>,
    /// Only questions about notes that match this query
    #[arg(long = "where", value_name = "QUERY", value_parser = query_text(), global = true)]
    place: Option<String>,
    /// At most N questions
    #[arg(long, value_name = "N", global = true)]
    limit: Option<usize>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Answer yes and apply it now
    Accept(Accepted),
    /// Answer no and do not ask again
    Reject(Ids),
    /// Forget an answer; the question is asked again
    Forget(Ids),
}

#[derive(Debug, clap::Args)]
struct Ids {
    /// Ids of questions, or unambiguous prefixes
    #[arg(required_unless_present = "all")]
    ids: Vec<String>,
    /// All that match the filters
    #[arg(long, conflicts_with = "ids")]
    all: bool,
}

#[derive(Debug, clap::Args)]
struct Accepted {
    #[command(flatten)]
    which: Ids,
    /// Relation of the first note to the second, instead of the proposed one
    #[arg(long = "as", value_name = "RELATION")]
    relation: Option<Answer>,
}

/// An answer that was given.
#[derive(Debug, Serialize)]
struct DecisionRecord {
    id: QuestionKey,
    kind: Kind,
    answer: Answer,
    at: Timestamp,
    by: String,
    notes: Vec<String>,
}

fn kinds() -> impl clap::builder::TypedValueParser<Value = Kind> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(Kind::ALL.map(Kind::name)).map(|name| {
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        kind.expect("the parser lets only names of kinds through")
    })
}

/// Lists, asks or answers.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let meant = Meant::of(&session, &args.filter)?;
    if args.decided {
        return show_decided(&session, &meant);
    }
    if let Some(Action::Forget(which)) = &args.action {
        return forget(&session, which, &meant);
    }
    let cache = session.fresh_cache()?;
    let cache = session.embed_at_once(cache)?;
    let (mut open, cache) = open_questions(&session, cache)?;
    let all = open.len();
    meant.narrow(&mut open, Finding::kind, |asked| {
        asked.notes.iter().map(VaultPath::as_str).collect()
    });
    match (&args.action, &args.apply) {
        (Some(Action::Accept(Accepted { which, relation })), _) => {
            let answer = relation.unwrap_or(Answer::Yes);
            answer_chosen(&session, cache, &open, which, answer)
        }
        (Some(Action::Reject(which)), _) => {
            answer_chosen(&session, cache, &open, which, Answer::No)
        }
        (Some(Action::Forget(_)), _) => Ok(Exit::Done),
        (None, Some(file)) => {
            let lines = read_answers(file)?;
            let records = answers::give(&session, cache, &lines, &open)?;
            show_answers(env, &records, &open)
        }
        (None, None) => {
            let output = &env.output;
            let interactive = output.form == Form::Human
                && output.stdout_is_terminal
                && output.stderr_is_terminal;
            if interactive {
                drop(cache);
                walk::through(&session, &open)
            } else {
                list(&session, &cache, &open, all)
            }
        }
    }
}

/// Returns what the jobs would do or ask: by kind, the most certain first.
fn open_questions(session: &Session, cache: Cache) -> Result<(Vec<Finding>, Cache), Error> {
    let answers = session.answers()?;
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = session.view_with_near(cache)?;
        let how = PlanOptions {
            scope: Scope::Changed,
            apply: Apply::None,
            folder: cache.folder(),
            save: true,
            probe: None,
        };
        let mut open = Vec::new();
        for job in JOBS {
            let job = job.configured(&session.settings);
            open.extend(job::plan(&view, &job, &answers, &how)?.decided.waiting);
        }
        Ok(open)
    };
    let (mut open, cache) = session.ask(cache, ask)?;
    open.sort_by(|a, b| {
        let order = a.kind().cmp(&b.kind());
        let order = order.then(b.certain.cmp(&a.certain));
        let order = order.then(b.weight.total_cmp(&a.weight));
        order.then_with(|| a.notes.cmp(&b.notes))
    });
    Ok((open, cache))
}

/// The filter, resolved in this vault.
struct Meant<'f> {
    filter: &'f Filter,
    /// The notes that its query finds.
    paths: Option<HashSet<String>>,
}

impl<'f> Meant<'f> {
    fn of(session: &Session, filter: &'f Filter) -> Result<Self, Error> {
        let paths = match &filter.place {
            Some(query) => {
                let entries = selected(session, std::slice::from_ref(query))?.entries;
                Some(entries.iter().map(|entry| entry.path.to_string()).collect())
            }
            None => None,
        };
        Ok(Self { filter, paths })
    }

    /// Leaves what is meant: of such a kind, about such a note, and not too much.
    fn narrow<T>(
        &self,
        all: &mut Vec<T>,
        kind: impl Fn(&T) -> Kind,
        notes: impl Fn(&T) -> Vec<&str>,
    ) {
        all.retain(|one| {
            let is_kind = self.filter.kind.is_empty() || self.filter.kind.contains(&kind(one));
            is_kind
                && self
                    .paths
                    .as_ref()
                    .is_none_or(|paths| notes(one).iter().any(|note| paths.contains(*note)))
        });
        all.truncate(self.filter.limit.unwrap_or(usize::MAX));
    }
}

fn list(session: &Session, cache: &Cache, open: &[Finding], all: usize) -> Result<Exit, Error> {
    let output = &session.env.output;
    if output.form == Form::Human {
        render::show_waiting(output, open, usize::MAX)?;
    } else {
        let view = session.view(cache)?;
        let questions = QuestionReport::all(&session.vault, &view, open)?;
        output.records("questions", &questions)?;
    }
    if all == 0 {
        output.say("no open questions");
    } else if open.is_empty() {
        let other = count(all, "open question");
        output.say(&format!("none of these; {other} in total"));
    } else if output.form == Form::Human {
        output.hint("answer one with `mem review accept ID` or `mem review reject ID`");
    }
    Ok(Exit::found(!open.is_empty()))
}

/// Gives one answer to all chosen questions.
fn answer_chosen(
    session: &Session,
    cache: Cache,
    open: &[Finding],
    which: &Ids,
    answer: Answer,
) -> Result<Exit, Error> {
    if which.all && open.is_empty() {
        session.env.output.say("no open questions");
        return Ok(Exit::Nothing);
    }
    let chosen: Vec<&Finding> = if which.all {
        open.iter().collect()
    } else {
        let ids = which.ids.iter();
        let chosen = ids.map(|id| {
            let none = Error::new(format!("no open question `{id}`"))
                .hint("list open questions with `mem review`; the notes may have changed since");
            find(open, id).one(id, "questions", none)
        });
        chosen.collect::<Result<_, _>>()?
    };
    let lines: Vec<_> = chosen
        .iter()
        .map(|asked| Ok(Given::new(asked.key, answer)))
        .collect();
    let records = answers::give(session, cache, &lines, open)?;
    show_answers(&session.env, &records, open)
}

fn read_answers(file: &str) -> Result<Vec<Result<Given, String>>, Error> {
    let mut text = String::new();
    let read = if file == "-" {
        std::io::stdin().read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut text))
    };
    read.map_err(|error| Error::io("read", std::path::Path::new(file), &error))?;
    Ok(text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{error}: {line}")))
        .collect())
}

/// Tells what became of each answer.
fn show_answers(
    env: &Environment,
    records: &[AnswerRecord],
    open: &[Finding],
) -> Result<Exit, Error> {
    let output = &env.output;
    for record in records {
        if output.form == Form::Human {
            record.show(output, open)?;
        } else {
            output.record(record)?;
        }
    }
    if let Some(run) = records.iter().find_map(|record| record.run.as_ref()) {
        output.hint(&format!("undo with `mem undo {run}`"));
    }
    Ok(Exit::found(records.iter().all(AnswerRecord::is_well)))
}

/// Returns the answers that hold and are meant, the newest first.
fn standing(session: &Session, meant: &Meant<'_>) -> Result<Vec<Decision>, Error> {
    let journal = session.vault.own_path(JOURNAL);
    let mut decisions =
        decisions::all(&journal).map_err(|error| Error::io("read", &journal, &error))?;
    decisions.reverse();
    let mut known = HashSet::new();
    decisions.retain(|decision| known.insert(decision.key) && decision.answer.is_some());
    meant.narrow(
        &mut decisions,
        |decision| decision.kind,
        |decision| decision.about.iter().map(String::as_str).collect(),
    );
    Ok(decisions)
}

fn show_decided(session: &Session, meant: &Meant<'_>) -> Result<Exit, Error> {
    let output = &session.env.output;
    let decisions = standing(session, meant)?;
    let records = decisions.iter().filter_map(|decision| {
        Some(DecisionRecord {
            id: decision.key,
            kind: decision.kind,
            answer: decision.answer?,
            at: decision.at,
            by: decision.by.clone(),
            notes: decision.about.clone(),
        })
    });
    let records: Vec<DecisionRecord> = records.collect();
    if output.form == Form::Human {
        for record in &records {
            output.line(&format!(
                "{} {}  {} {}: {}  ({})",
                output.paint(Style::Faint, &record.id.to_string()[..8]),
                session.env.local_time(record.at),
                record.kind.name(),
                output.paint(Style::Title, &record.answer.to_string()),
                output.clean(&record.notes.join(", ")),
                output.clean(&record.by),
            ))?;
        }
    } else {
        output.records("decisions", &records)?;
    }
    if records.is_empty() {
        output.say("no answers yet");
    } else if output.form == Form::Human {
        output.hint("`mem review forget ID` forgets one; it will be asked again");
    }
    Ok(Exit::found(!records.is_empty()))
}

/// Forgets answers; nothing that was done is taken back.
fn forget(session: &Session, which: &Ids, meant: &Meant<'_>) -> Result<Exit, Error> {
    let mut chosen = standing(session, meant)?;
    if !which.all {
        let mut keys = HashSet::new();
        for id in &which.ids {
            let key = |decision: &&Decision| decision.key.to_string();
            let none = Error::new(format!("no answer `{id}`"))
                .hint("list answers with `mem review --decided`");
            let found = by_prefix(&chosen, key, id).one(id, "answers", none)?;
            keys.insert(found.key);
        }
        chosen.retain(|decision| keys.contains(&decision.key));
    }
    answers::forget(session, &chosen)?;
    for decision in &chosen {
        let about = session.env.output.clean(&decision.about.join(", "));
        session
            .env
            .output
            .line(&format!("forgot the answer about {about}"))?;
    }
    if chosen.is_empty() {
        session.env.output.say("no answers yet");
    }
    Ok(Exit::found(!chosen.is_empty()))
}
