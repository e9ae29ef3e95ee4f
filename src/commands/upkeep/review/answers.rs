//! Answers as lines of `--apply`, and how their outcomes are printed.

use serde::Deserialize;

use crate::cache::Cache;
use crate::commands::args::lookup::{Match, by_prefix};
use crate::error::Error;
use crate::finding::Finding;
use crate::finding::act;
use crate::finding::question::{Answer, QuestionKey};
use crate::journal::decisions::REVIEW;
use crate::output::{Output, diff};
use crate::run::answers::{self, AnswerRecord, Given, Refused};
use crate::session::Session;

/// A line of `--apply`.
#[derive(Debug, Deserialize)]
pub(super) struct AnswerLine {
    id: String,
    answer: String,
    /// Who decided, for the record.
    #[serde(default)]
    by: Option<String>,
    /// The body of the note that a merge keeps, or the line that gets a link.
    #[serde(default)]
    text: Option<String>,
}

impl AnswerLine {
    /// The answer of a person at this terminal.
    pub(super) fn new(key: QuestionKey, answer: Answer) -> Self {
        Self {
            id: key.to_string(),
            answer: answer.to_string(),
            by: None,
            text: None,
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the answer with what the person wrote.
    pub(super) fn with_text(self, text: Option<String>) -> Self {
        Self { text, ..self }
    }

    /// Returns the answer to one of `open`, or why it is none.
    fn read<'q>(&self, open: &'q [Finding]) -> Result<Given<'q>, Refused> {
        let refused = |outcome, why| Refused {
            id: self.id.clone(),
            outcome,
            why,
        };
        let answer = self.answer.parse::<Answer>();
        let answer = answer
            .map_err(|_| refused("invalid", format!("`{}` is not an answer", self.answer)))?;
        let asked = match find(open, &self.id) {
            Match::One(asked) => asked,
            Match::None => {
                let why = "no such open question; its notes may have changed";
                return Err(refused("stale", why.to_owned()));
            }
            Match::Several(ids) => {
                let why = format!("`{}` may be {}", self.id, ids.join(" or "));
                return Err(refused("invalid", why));
            }
        };
        Ok(Given {
            asked,
            answer,
            by: self.by.clone().unwrap_or_else(|| REVIEW.to_owned()),
            text: self.text.clone(),
        })
    }
}

/// Carries out what was accepted and remembers every answer; a line that cannot be read is one of the reports.
pub(super) fn give(
    session: &Session,
    cache: Cache,
    lines: &[Result<AnswerLine, String>],
    open: &[Finding],
    is_dry: bool,
) -> Result<Vec<AnswerRecord>, Error> {
    let given = lines.iter().map(|line| match line {
        Ok(line) => line.read(open),
        Err(why) => Err(Refused {
            id: String::new(),
            outcome: "invalid",
            why: why.clone(),
        }),
    });
    answers::give(session, cache, REVIEW, given.collect(), is_dry)
}

/// Returns the open question whose id begins with `id`.
pub(super) fn find<'q>(open: &'q [Finding], id: &str) -> Match<&'q Finding> {
    by_prefix(open, |asked| asked.key.to_string(), id)
}

/// Prints the outcome of an answer.
pub(in crate::commands) fn show(
    record: &AnswerRecord,
    output: &Output,
    open: &[Finding],
) -> Result<(), Error> {
    let asked = open.iter().find(|asked| asked.key.to_string() == record.id);
    let title = record.title.clone().or_else(|| asked.map(Finding::title));
    let title = output.clean(&title.unwrap_or_else(|| record.id.clone()));
    output.line(&match (record.outcome, &record.why) {
        ("planned", _) if record.answer == Some(Answer::No) => format!("would reject: {title}"),
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
    match &record.diff {
        Some(diff) => diff::print(output, diff),
        None => Ok(()),
    }
}
