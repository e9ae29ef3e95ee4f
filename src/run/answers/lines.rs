//! Answers as JSON lines of `mem review --apply`.

use super::{AnswerOutcome, GivenAnswer};
use crate::run::lookup::{Match, by_prefix};
use crate::run::prelude::*;

/// One line of `--apply`.
#[derive(Debug, Deserialize)]
pub struct AnswerLine {
    /// The id of the question, or its prefix.
    pub id: String,
    answer: String,
    /// Who decided; recorded.
    #[serde(default)]
    by: Option<String>,
    /// The body of a merged note, or the line that gets a link.
    #[serde(default)]
    text: Option<String>,
}

impl AnswerLine {
    /// Returns the answer to one of the findings `open`, or a record with the error.
    fn read<'q>(&self, open: &'q [Finding]) -> Result<GivenAnswer<'q>, Box<AnswerRecord>> {
        let refused = |outcome, why| Box::new(AnswerRecord::refused(self.id.clone(), outcome, why));
        let answer = self.answer.parse::<Answer>().map_err(|_| {
            refused(
                AnswerOutcome::Invalid,
                format!("`{}` is not an answer; see `mem help answers`", self.answer),
            )
        })?;
        let asked = match find(open, &self.id) {
            Match::One(asked) => asked,
            Match::None => {
                let why = "no such open question; its notes may have changed";
                return Err(refused(AnswerOutcome::Stale, why.to_owned()));
            }
            Match::Several(ids) => {
                let why = format!("`{}` may be {}", self.id, ids.join(" or "));
                return Err(refused(AnswerOutcome::Invalid, why));
            }
        };
        Ok(GivenAnswer {
            asked,
            answer,
            by: self.by.clone().unwrap_or_else(|| REVIEW.to_owned()),
            text: self.text.clone(),
        })
    }
}

/// Applies and records the answers. Returns a record for each line, invalid ones included.
pub fn give(
    session: &Session,
    cache: Cache,
    lines: &[Result<AnswerLine, String>],
    open: &[Finding],
) -> Result<Vec<AnswerRecord>> {
    let given = lines.iter().map(|line| match line {
        Ok(line) => line.read(open),
        Err(why) => {
            let (id, why) = (String::new(), why.clone());
            let refused = AnswerRecord::refused(id, AnswerOutcome::Invalid, why);
            Err(Box::new(refused))
        }
    });
    super::give(session, cache, REVIEW, given.collect(), false)
}

/// Returns the open question whose id starts with `id`.
pub fn find<'q>(open: &'q [Finding], id: &str) -> Match<&'q Finding> {
    by_prefix(open, |asked| asked.key.to_string(), id)
}

/// Parses one JSON document per line; invalid lines become error messages.
pub fn read_lines(text: &str) -> Vec<Result<AnswerLine, String>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let read =
        lines.map(|line| serde_json::from_str(line).map_err(|error| format!("{error}: {line}")));
    read.collect()
}
