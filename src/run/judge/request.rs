//! A question as a judge reads it: one JSON document, with all that it takes to answer.

use serde::Serialize;
use serde_json::{Value, json};

use super::budget;
use super::prompts::Prompts;
use crate::cache::CacheError;
use crate::finding::Finding;
use crate::finding::act;
use crate::finding::question::{Answer, Kind, QuestionKey};
use crate::view::View;

/// About how many tokens a reply has.
const REPLY_TOKENS: usize = 60;

/// A question, and everything it is about.
#[derive(Clone, Debug)]
pub(super) struct Request {
    instructions: String,
    body: Body,
    /// The body as JSON.
    question: String,
}

#[derive(Clone, Debug, Serialize)]
struct Body {
    id: QuestionKey,
    kind: Kind,
    question: String,
    /// Why it is asked.
    reason: String,
    answers: Vec<Choice>,
    notes: Vec<Note>,
}

/// What a command reads.
#[derive(Serialize)]
struct Document<'r> {
    instructions: &'r str,
    #[serde(flatten)]
    body: &'r Body,
}

#[derive(Clone, Debug, Serialize)]
struct Choice {
    answer: Answer,
    /// What is done on it.
    means: String,
}

#[derive(Clone, Debug, Serialize)]
struct Note {
    path: String,
    title: String,
    text: String,
}

impl Request {
    /// Returns the question about `finding`, or why it cannot be asked of a judge.
    pub(super) fn of(
        view: &View<'_>,
        finding: &Finding,
        prompts: &Prompts,
        most_bytes: usize,
    ) -> Result<Result<Self, String>, CacheError> {
        let mut notes = Vec::new();
        let mut bytes = 0;
        for path in &finding.notes {
            let Some(entry) = view.at(path)? else {
                return Ok(Err(format!("{path} is gone")));
            };
            let text = match view.text(&entry) {
                Ok(text) => text,
                Err(error) => return Ok(Err(error.to_string())),
            };
            bytes += text.len();
            if bytes > most_bytes {
                let why = format!("more than {most_bytes} bytes of notes (`judge.bytes`)");
                return Ok(Err(why));
            }
            notes.push(Note {
                path: path.to_string(),
                title: view.details(entry.slot)?.title,
                text,
            });
        }
        let answers = finding.kind().answers().iter();
        let choice = |answer: &Answer| Choice {
            answer: *answer,
            means: match answer {
                Answer::No => "leave the notes as they are".to_owned(),
                answer => act::title(&finding.answered(*answer)),
            },
        };
        let body = Body {
            id: finding.key,
            kind: finding.kind(),
            question: finding.question(),
            reason: finding.reason.clone(),
            answers: answers.map(choice).collect(),
            notes,
        };
        Ok(Ok(Self {
            instructions: prompts.instructions(finding.kind()),
            question: serde_json::to_string(&body).unwrap_or_default(),
            body,
        }))
    }

    pub(super) fn key(&self) -> QuestionKey {
        self.body.id
    }

    pub(super) fn instructions(&self) -> &str {
        &self.instructions
    }

    /// Returns the question as one JSON document: what notes say stands in its strings and can be nothing else.
    pub(super) fn question(&self) -> &str {
        &self.question
    }

    /// Returns the question with the instructions, as one JSON document.
    pub(super) fn document(&self) -> Vec<u8> {
        let document = Document {
            instructions: &self.instructions,
            body: &self.body,
        };
        serde_json::to_vec(&document).unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> usize {
        self.instructions.len() + self.question.len()
    }

    /// Returns about how many tokens it takes to ask and to answer.
    pub(super) fn tokens(&self) -> usize {
        budget::tokens(self.bytes()) + REPLY_TOKENS
    }

    /// Returns the JSON schema of its replies.
    pub(super) fn schema(&self) -> Value {
        let answers: Vec<Answer> = self.body.answers.iter().map(|one| one.answer).collect();
        json!({
            "type": "object",
            "properties": {
                "answer": {"type": "string", "enum": answers},
                "why": {"type": "string"},
            },
            "required": ["answer", "why"],
            "additionalProperties": false,
        })
    }
}
