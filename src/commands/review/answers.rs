//! Answers to open questions: what is accepted is done, in one run, and every answer is remembered.

use serde::{Deserialize, Serialize};

use super::outcome::written;
use super::skipped::Skipped;
use crate::cache::Cache;
use crate::change::acts::{self, ActError};
use crate::commands::lookup::{Match, by_prefix};
use crate::error::Error;
use crate::finding::Finding;
use crate::finding::act;
use crate::finding::plan::{Group, Plan};
use crate::finding::question::{Answer, Kind, QuestionKey};
use crate::journal::decisions::{self, Decision, REVIEW};
use crate::output::{Output, diff};
use crate::run::apply::apply;
use crate::run::attention::features;
use crate::run::report::group::GroupReport;
use crate::session::Session;
use crate::view::View;

/// A line of `--apply`.
#[derive(Debug, Deserialize)]
pub(super) struct Given {
    id: String,
    answer: String,
    /// Who decided, for the record.
    #[serde(default)]
    by: Option<String>,
    /// The body of the note that a merge keeps, or the line that gets a link.
    #[serde(default)]
    text: Option<String>,
}

impl Given {
    /// The answer of a person at this terminal.
    pub(super) fn new(key: QuestionKey, answer: Answer) -> Self {
        Self {
            id: key.to_string(),
            answer: answer.to_string(),
            by: None,
            text: None,
        }
    }

    /// Returns the answer with what the person wrote.
    pub(super) fn with_text(self, text: Option<String>) -> Self {
        Self { text, ..self }
    }
}

/// What became of one answer.
#[derive(Debug, Serialize)]
pub(super) struct AnswerRecord {
    pub(super) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
    /// `planned`, `applied`, `remembered`, `unchanged`, `dropped`, `stale` or `invalid`.
    pub(super) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<String>,
    /// How the files would change, as a unified diff; only in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// What was done.
    #[serde(skip)]
    pub(super) title: Option<String>,
}

impl AnswerRecord {
    fn refused(id: String, outcome: &'static str, why: String) -> Self {
        Self {
            id,
            answer: None,
            outcome,
            why: Some(why),
            run: None,
            diff: None,
            title: None,
        }
    }

    /// Tells a person what became of it.
    pub(super) fn show(&self, output: &Output, open: &[Finding]) -> Result<(), Error> {
        let asked = open.iter().find(|asked| asked.key.to_string() == self.id);
        let title = self.title.clone().or_else(|| asked.map(Finding::title));
        let title = output.clean(&title.unwrap_or_else(|| self.id.clone()));
        output.line(&match (self.outcome, &self.why) {
            ("planned", _) if self.answer == Some(Answer::No) => format!("would reject: {title}"),
            ("planned", _) => format!("would {title}"),
            ("applied", _) => act::done(&title),
            ("remembered", _) => format!("rejected: {title}"),
            ("dropped", Some(why)) => format!(
                "skipped for now: {title} ({}); the answer is kept, the next `mem sleep` tries again",
                output.clean(why)
            ),
            (outcome, Some(why)) => format!("{outcome}: {title} ({})", output.clean(why)),
            (outcome, None) => format!("{outcome}: {title}"),
        })?;
        match &self.diff {
            Some(diff) => diff::print(output, diff),
            None => Ok(()),
        }
    }

    /// Returns true if the answer was taken.
    pub(super) fn is_well(&self) -> bool {
        matches!(
            self.outcome,
            "planned" | "applied" | "remembered" | "unchanged"
        )
    }

    /// Returns true if the answer is remembered, be it carried out or not.
    pub(super) fn is_kept(&self) -> bool {
        self.answer.is_some()
    }
}

/// An answer that can be taken.
struct Taken<'q> {
    asked: &'q Finding,
    answer: Answer,
    by: String,
    /// What it takes to do it; nothing for a no.
    group: Option<Group>,
}

/// Carries out what was accepted in one run, remembers every answer and reports on each; in a dry run,
/// only says what would be done.
pub(super) fn give(
    session: &Session,
    cache: Cache,
    lines: &[Result<Given, String>],
    open: &[Finding],
    is_dry: bool,
) -> Result<Vec<AnswerRecord>, Error> {
    let view = session.view(&cache)?;
    let mut records: Vec<AnswerRecord> = Vec::new();
    let mut decided: Vec<Decision> = Vec::new();
    let mut plan = Plan {
        job: REVIEW.to_owned(),
        groups: Vec::new(),
    };
    // Which record each group of the plan belongs to.
    let mut owners = Vec::new();
    for line in lines {
        let taken = match line {
            Ok(given) => take(&view, given, open, &decided)?,
            Err(why) => Err(AnswerRecord::refused(String::new(), "invalid", why.clone())),
        };
        let taken = match taken {
            Ok(taken) => taken,
            Err(record) => {
                records.push(record);
                continue;
            }
        };
        let Taken {
            asked,
            answer,
            by,
            group,
        } = taken;
        let (answered, about) = asked.stored(answer);
        decided.push(Decision {
            key: asked.key,
            kind: asked.kind(),
            answer: Some(answered),
            at: session.env.now.timestamp(),
            by,
            about: about.into_iter().map(ToString::to_string).collect(),
            features: features::record(&features::of(asked)),
        });
        let title = group.as_ref().map(|group| group.title.clone());
        if let Some(group) = group {
            owners.push(records.len());
            plan.groups.push(group);
        }
        records.push(AnswerRecord {
            id: asked.key.to_string(),
            answer: Some(answer),
            outcome: "remembered",
            why: None,
            run: None,
            diff: None,
            title,
        });
    }
    drop(view);
    if is_dry {
        for record in records.iter_mut().filter(|record| record.is_well()) {
            record.outcome = "planned";
        }
        for (owner, group) in owners
            .into_iter()
            .zip(GroupReport::previews(&session.vault, &plan))
        {
            let record = &mut records[owner];
            (record.outcome, record.why, record.diff) =
                (group.outcome.name(), group.why, group.diff);
        }
        return Ok(records);
    }
    remember(session, &decided)?;
    let report = apply(session, cache, &plan)?;
    for (owner, group) in owners.into_iter().zip(GroupReport::of_run(&plan, &report)) {
        records[owner].outcome = group.outcome.name();
        records[owner].why = group.why;
        records[owner].run = report.run.as_ref().map(ToString::to_string);
    }
    Ok(records)
}

/// Returns the open question whose id begins with `id`.
pub(super) fn find<'q>(open: &'q [Finding], id: &str) -> Match<&'q Finding> {
    by_prefix(open, |asked| asked.key.to_string(), id)
}

/// Returns the answer if it can be taken, else the record that says why not.
fn take<'q>(
    view: &View<'_>,
    given: &Given,
    open: &'q [Finding],
    decided: &[Decision],
) -> Result<Result<Taken<'q>, AnswerRecord>, Error> {
    let refused =
        |outcome, why: String| Ok(Err(AnswerRecord::refused(given.id.clone(), outcome, why)));
    let Ok(answer) = given.answer.parse::<Answer>() else {
        return refused("invalid", format!("`{}` is not an answer", given.answer));
    };
    let asked = match find(open, &given.id) {
        Match::One(asked) => asked,
        Match::None => {
            let why = "no such open question; its notes may have changed";
            return refused("stale", why.to_owned());
        }
        Match::Several(ids) => {
            let why = format!("`{}` may be {}", given.id, ids.join(" or "));
            return refused("invalid", why);
        }
    };
    if decided.iter().any(|decision| decision.key == asked.key) {
        return refused("stale", "already answered by an earlier line".to_owned());
    }
    let possible = asked.kind().answers();
    if !possible.contains(&answer) {
        let possible: Vec<String> = possible.iter().map(ToString::to_string).collect();
        let why = format!("this question takes {}", possible.join(", "));
        return refused("invalid", why);
    }
    let takes_text = matches!(asked.kind(), Kind::Merge | Kind::Mention);
    if given.text.is_some() && !(takes_text && answer == Answer::Yes) {
        let why = "only `yes` to a merge or a mention takes a text";
        return refused("invalid", why.to_owned());
    }
    let group = if answer == Answer::No {
        None
    } else {
        match group(view, asked, answer, given.text.clone()) {
            Ok(group) => Some(group),
            Err(ActError::Cache(error)) => return Err(error.into()),
            Err(error) => return refused("dropped", error.to_string()),
        }
    };
    Ok(Ok(Taken {
        asked,
        answer,
        by: given.by.clone().unwrap_or_else(|| REVIEW.to_owned()),
        group,
    }))
}

fn group(
    view: &View<'_>,
    asked: &Finding,
    answer: Answer,
    text: Option<String>,
) -> Result<Group, ActError> {
    let acts = match text {
        Some(text) => written(view, asked, text)?,
        None => asked.answered(answer),
    };
    acts::proposed(view, asked, &acts)
}

/// Forgets what was decided, so that it is asked again.
pub(super) fn forget(session: &Session, decisions: &[Decision]) -> Result<(), Error> {
    let forgotten = decisions.iter().map(|decision| Decision {
        answer: None,
        at: session.env.now.timestamp(),
        by: REVIEW.to_owned(),
        ..decision.clone()
    });
    remember(session, &forgotten.collect::<Vec<_>>())
}

/// Writes down what was decided; it is not skipped any more.
fn remember(session: &Session, decided: &[Decision]) -> Result<(), Error> {
    if decided.is_empty() {
        return Ok(());
    }
    let journal = session.journal_folder()?;
    decisions::append(&journal, decided)
        .map_err(|error| Error::io("write to", &journal, &error))?;
    let keys: Vec<QuestionKey> = decided.iter().map(|decision| decision.key).collect();
    Skipped::load(session).remove(&keys);
    Ok(())
}
