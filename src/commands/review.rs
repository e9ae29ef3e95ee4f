//! `mem review`

use std::io::Read as _;

use dialoguer::Select;
use serde::{Deserialize, Serialize};

use super::render::{self, QuestionRecord};
use crate::cache::Cache;
use crate::config::Apply;
use crate::error::{Error, Exit};
use crate::invocation::{Invocation, Workplace};
use crate::jobs::dedupe;
use crate::journal::decisions::{self, Decision};
use crate::output::{Form, Style, count, diff};
use crate::run::job;
use crate::run::state::State;
use crate::view::plan::{Plan, Proposal};
use crate::view::question::{Answer, QuestionKey};

/// Answer what the jobs may not decide alone
///
/// Without a subcommand on a terminal it walks through the open questions; in a pipe or with
/// `--jsonl` it lists them. An answer is remembered, "no" included: the same question about the same
/// texts is not asked again. For scripts and agents: `mem review --jsonl` prints one question a line
/// with its `id`, `question`, `diff` and possible `answers`; `mem review --apply FILE` (or `-`) reads
/// lines like `{"id": "…", "answer": "yes"}` and reports on each.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Read answers from a file, one JSON document a line; `-` is stdin
    #[arg(long, value_name = "FILE")]
    apply: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Answer yes: do it now
    Accept(Which),
    /// Answer no: leave it, and do not ask again
    Reject(Which),
}

#[derive(Debug, clap::Args)]
struct Which {
    /// Ids of questions, or the beginnings of ids
    #[arg(required_unless_present = "all")]
    ids: Vec<String>,
    /// All open questions
    #[arg(long, conflicts_with = "ids")]
    all: bool,
}

#[derive(Debug, Serialize)]
struct Record {
    questions: Vec<QuestionRecord>,
}

/// A line of `--apply`.
#[derive(Debug, Deserialize)]
struct Given {
    id: String,
    answer: Answer,
    /// Who decided, for the record.
    #[serde(default)]
    by: Option<String>,
}

/// What became of one answer.
#[derive(Debug, Serialize)]
struct AnswerRecord {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
    /// `applied`, `remembered`, `unchanged`, `dropped`, `stale` or `invalid`.
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
}

/// Lists, asks or answers.
pub fn run(invocation: &Invocation, args: &Args) -> Result<Exit, Error> {
    let place = invocation.workplace()?;
    let cache = invocation.fresh_cache(&place)?;
    let open = open_questions(invocation, &place, &cache)?;
    match (&args.what, &args.apply) {
        (
            Some(What::Accept(Which { all: true, .. }) | What::Reject(Which { all: true, .. })),
            _,
        ) if open.is_empty() => {
            invocation.output.say("no open questions");
            Ok(Exit::Nothing)
        }
        (Some(What::Accept(which)), _) => {
            let chosen = chosen(&open, which)?;
            answer(
                invocation,
                &place,
                cache,
                &given(&chosen, Answer::Yes),
                &open,
            )
        }
        (Some(What::Reject(which)), _) => {
            let chosen = chosen(&open, which)?;
            answer(
                invocation,
                &place,
                cache,
                &given(&chosen, Answer::No),
                &open,
            )
        }
        (None, Some(file)) => {
            let lines = read_answers(file)?;
            answer(invocation, &place, cache, &lines, &open)
        }
        (None, None) => {
            let output = &invocation.output;
            let interactive = output.form == Form::Human
                && output.stdout_is_terminal
                && output.stderr_is_terminal;
            if interactive {
                walk_through(invocation, &place, &open)
            } else {
                list(invocation, &place, &open)
            }
        }
    }
}

/// What the jobs would do if everything certain were allowed, less what is done unattended.
fn open_questions(
    invocation: &Invocation,
    place: &Workplace,
    cache: &Cache,
) -> Result<Vec<Proposal>, Error> {
    let view = invocation.view(place, cache)?;
    let answers = invocation.answers(place)?;
    let planned = job::dedupe(&view, &answers, &dedupe::Options::default(), Apply::None)?;
    Ok(planned.decided.waiting)
}

fn list(invocation: &Invocation, place: &Workplace, open: &[Proposal]) -> Result<Exit, Error> {
    let output = &invocation.output;
    match output.form {
        Form::Human => render::show_waiting(output, open)?,
        Form::Json => {
            let questions = open
                .iter()
                .map(|asked| render::question(place, asked))
                .collect();
            output.record(&Record { questions })?;
        }
        Form::JsonLines => {
            for asked in open {
                output.record(&render::question(place, asked))?;
            }
        }
    }
    if open.is_empty() {
        output.say("no open questions");
    } else if output.form == Form::Human {
        output.hint("`mem review accept ID` or `mem review reject ID` answers one");
    }
    Ok(Exit::found(!open.is_empty()))
}

/// Returns the questions that the ids name, in the order of the ids.
fn chosen<'q>(open: &'q [Proposal], which: &Which) -> Result<Vec<&'q Proposal>, Error> {
    if which.all {
        return Ok(open.iter().collect());
    }
    which.ids.iter().map(|id| find(open, id)).collect()
}

fn find<'q>(open: &'q [Proposal], id: &str) -> Result<&'q Proposal, Error> {
    let mut found = open
        .iter()
        .filter(|asked| asked.key.to_string().starts_with(id));
    match (found.next(), found.next()) {
        (Some(asked), None) => Ok(asked),
        (None, _) => Err(Error::new(format!("no open question `{id}`"))
            .hint("`mem review` lists the open ones; the notes may have changed since")),
        (Some(_), Some(_)) => {
            Err(Error::new(format!("`{id}` begins several questions")).hint("write more of the id"))
        }
    }
}

fn given(chosen: &[&Proposal], answer: Answer) -> Vec<Result<Given, String>> {
    let line = |asked: &&Proposal| {
        Ok(Given {
            id: asked.key.to_string(),
            answer,
            by: None,
        })
    };
    chosen.iter().map(line).collect()
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

/// Carries out the yeses in one run, remembers every answer and reports on each.
fn answer(
    invocation: &Invocation,
    place: &Workplace,
    cache: Cache,
    lines: &[Result<Given, String>],
    open: &[Proposal],
) -> Result<Exit, Error> {
    let mut records: Vec<AnswerRecord> = Vec::new();
    let mut decided: Vec<Decision> = Vec::new();
    let mut plan = Plan {
        job: "review".to_owned(),
        groups: Vec::new(),
    };
    // Which record each group of the plan belongs to.
    let mut owners = Vec::new();
    for line in lines {
        let given = match line {
            Ok(given) => given,
            Err(why) => {
                records.push(AnswerRecord {
                    id: String::new(),
                    answer: None,
                    outcome: "invalid",
                    why: Some(why.clone()),
                    run: None,
                });
                continue;
            }
        };
        let mut record = AnswerRecord {
            id: given.id.clone(),
            answer: Some(given.answer),
            outcome: "remembered",
            why: None,
            run: None,
        };
        let key = given.id.parse::<QuestionKey>().ok();
        let asked = key.and_then(|key| open.iter().find(|asked| asked.key == key));
        match asked {
            None => {
                record.outcome = "stale";
                record.why =
                    Some("no such question is open; its notes may have changed".to_owned());
            }
            Some(asked) if decided.iter().any(|decision| decision.key == asked.key) => {
                record.outcome = "stale";
                record.why = Some("it was answered by an earlier line".to_owned());
            }
            Some(asked) => {
                if given.answer == Answer::Yes {
                    owners.push(records.len());
                    plan.groups.push(asked.group.clone());
                }
                decided.push(Decision {
                    key: asked.key,
                    kind: asked.kind,
                    answer: given.answer,
                    at: invocation.now.timestamp(),
                    by: given.by.clone().unwrap_or_else(|| "review".to_owned()),
                    about: asked.notes.iter().map(ToString::to_string).collect(),
                });
            }
        }
        records.push(record);
    }
    let device = invocation.device()?;
    let journal = place.own_folder(&format!("journal/{}", device.name()))?;
    decisions::append(&journal, &decided)
        .map_err(|error| Error::io("write to", &journal, &error))?;
    let report = render::carry_out(invocation, place, cache, &plan)?;
    for (owner, group) in owners.into_iter().zip(render::carried_out(&plan, &report)) {
        records[owner].outcome = group.outcome;
        records[owner].why = group.why;
        records[owner].run = report.run.as_ref().map(ToString::to_string);
    }
    let mut state = State::load(&place.state_folder(), &device);
    if let Some(job) = state.jobs.get_mut("dedupe") {
        job.needs_answer = (open.len() - decided.len()) as u64;
        invocation.save_state(place, &state);
    }
    show_answers(invocation, &records, open)?;
    if let Some(run) = &report.run {
        invocation
            .output
            .hint(&format!("`mem undo {run}` takes it back"));
    }
    let all_well = records
        .iter()
        .all(|record| matches!(record.outcome, "applied" | "remembered" | "unchanged"));
    Ok(Exit::found(all_well))
}

fn show_answers(
    invocation: &Invocation,
    records: &[AnswerRecord],
    open: &[Proposal],
) -> Result<(), Error> {
    let output = &invocation.output;
    if output.form != Form::Human {
        return records.iter().try_for_each(|record| output.record(record));
    }
    for record in records {
        let asked = open.iter().find(|asked| asked.key.to_string() == record.id);
        let title = asked.map_or(record.id.as_str(), |asked| asked.group.title.as_str());
        let title = output.clean(title);
        output.line(&match (record.outcome, &record.why) {
            ("applied", _) => format!("did {title}"),
            ("remembered", _) => format!("left as it is: {title}"),
            (outcome, Some(why)) => format!("{outcome}: {title} ({})", output.clean(why)),
            (outcome, None) => format!("{outcome}: {title}"),
        })?;
    }
    Ok(())
}

/// Asks a person one question after the other.
fn walk_through(
    invocation: &Invocation,
    place: &Workplace,
    open: &[Proposal],
) -> Result<Exit, Error> {
    let output = &invocation.output;
    if open.is_empty() {
        output.say("no open questions");
        return Ok(Exit::Nothing);
    }
    for (number, asked) in open.iter().enumerate() {
        output.line(&format!(
            "\n{} {}?",
            output.paint(Style::Faint, &format!("[{}/{}]", number + 1, open.len())),
            output.paint(Style::Title, &asked.group.title)
        ))?;
        output.line(&format!("because: {}", output.clean(&asked.group.reason)))?;
        diff::print(output, &render::diff_of(place, &asked.group))?;
        output.flush()?;
        let choice = Select::new()
            .items(["yes, do it", "no, and do not ask again", "skip", "quit"])
            .default(2)
            .interact_opt()
            .map_err(|error| Error::new("cannot ask on this terminal").caused_by(&error))?;
        let answer_given = match choice {
            Some(0) => Answer::Yes,
            Some(1) => Answer::No,
            Some(2) => continue,
            _ => return Ok(Exit::Done),
        };
        let cache = invocation.cache(place)?;
        answer(
            invocation,
            place,
            cache,
            &given(&[asked], answer_given),
            open,
        )?;
    }
    output.say(&format!("that was {}", count(open.len(), "question")));
    Ok(Exit::Done)
}
