//! A question to a judge as one self-contained JSON document.

use super::call_context::{CallRequest, is_zero};
use super::excerpt::{self, PromptExcerpt};
use super::prompts::{Prompts, prompt_names};
use super::reply::{self, MAX_REASON_CHARS, ReasonedAnswer};
use super::rewrite_check;
use crate::finding::{EditablePart, EvidencePart, act};
use crate::run::prelude::*;

/// Estimated size of a reply, in bytes.
const EXPECTED_REPLY_BYTES: usize = 240;

/// A question and the notes it is about.
#[derive(Clone, Debug)]
pub(super) struct QuestionRequest {
    instructions: String,
    body: QuestionBody,
    /// `body` as JSON.
    question: String,
    /// Whether the judge may write the body of a merged note.
    takes_text: bool,
}

#[derive(Clone, Debug, Serialize)]
struct QuestionBody {
    id: QuestionKey,
    kind: QuestionKind,
    question: String,
    /// Why the question exists.
    reason: String,
    answers: Vec<Choice>,
    notes: Vec<Note>,
}

/// The input of a command.
#[derive(Serialize)]
struct Document<'r> {
    instructions: &'r str,
    #[serde(flatten)]
    body: &'r QuestionBody,
}

#[derive(Clone, Debug, Serialize)]
struct Choice {
    answer: Answer,
    /// The effect of the answer.
    means: String,
}

/// The full text of a note.
pub(super) struct SourceNote {
    pub path: String,
    pub title: String,
    pub text: String,
}

#[derive(Clone, Debug, Serialize)]
struct Note {
    path: String,
    title: String,
    text: String,
    /// Number of bytes omitted from `text`.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
}

/// Returns the texts to send, at most `max_bytes` bytes: whole notes, or excerpts that suffice for the
/// question.
fn excerpts(finding: &Finding, texts: Vec<String>, max_bytes: usize) -> Option<Vec<PromptExcerpt>> {
    let bytes: usize = texts.iter().map(String::len).sum();
    if bytes <= max_bytes {
        return Some(texts.into_iter().map(PromptExcerpt::whole).collect());
    }
    let fits = |excerpts: &Vec<PromptExcerpt>| {
        let bytes: usize = excerpts.iter().map(|excerpt| excerpt.text.len()).sum();
        bytes <= max_bytes
    };
    match finding.kind().spec().evidence {
        EvidencePart::Differences => Some(excerpt::without_repeats(&texts)).filter(fits),
        EvidencePart::Quotes => {
            excerpt::around_quotes(&texts, &finding.quotes, max_bytes).filter(fits)
        }
        EvidencePart::Notes | EvidencePart::Line => None,
    }
}

impl QuestionRequest {
    /// Returns the question about `finding`, or why it cannot be sent to a judge.
    pub(super) fn of(
        view: &View<'_>,
        finding: &Finding,
        prompts: &Prompts,
        options: &JudgeOptions,
    ) -> Result<Result<Self, String>, CacheError> {
        let mut sources = Vec::new();
        for path in &finding.notes {
            let Some(entry) = view.at(path)? else {
                return Ok(Err(format!("{path} is gone")));
            };
            let text = match view.text(&entry) {
                Ok(text) => text,
                Err(error) => return Ok(Err(error.to_string())),
            };
            sources.push(SourceNote {
                path: path.to_string(),
                title: view.details(entry.slot)?.title,
                text,
            });
        }
        Ok(Self::about(finding, sources, prompts, options))
    }

    /// Returns the question about `finding`, whose notes are `sources`.
    pub(super) fn about(
        finding: &Finding,
        sources: Vec<SourceNote>,
        prompts: &Prompts,
        options: &JudgeOptions,
    ) -> Result<Self, String> {
        let texts = sources.iter().map(|source| source.text.clone()).collect();
        let excerpts = excerpts(finding, texts, options.bytes)
            .ok_or_else(|| format!("more than {} bytes of notes (`judge.bytes`)", options.bytes))?;
        let pairs = sources.into_iter().zip(excerpts);
        let notes = pairs.map(|(source, excerpt)| Note {
            path: source.path,
            title: source.title,
            text: excerpt.text,
            left_out: excerpt.left_out,
        });
        let answers = finding.kind().answers().iter();
        let choice = |answer: &Answer| Choice {
            answer: *answer,
            means: match answer {
                Answer::No => "leave the notes as they are".to_owned(),
                answer => act::title(&finding.answered(*answer)),
            },
        };
        let body = QuestionBody {
            id: finding.key,
            kind: finding.kind(),
            question: finding.question(),
            reason: finding.reason.clone(),
            answers: answers.map(choice).collect(),
            notes: notes.collect(),
        };
        // A judge that reads excerpts cannot rewrite the notes.
        let is_whole = body.notes.iter().all(|note| note.left_out == 0);
        let takes_text =
            options.rewrite && finding.kind().spec().edit == EditablePart::Body && is_whole;
        let instructions = prompts.joined(&prompt_names(finding.kind().name(), takes_text));
        Ok(Self {
            takes_text,
            instructions,
            question: serde_json::to_string(&body).unwrap_or_default(),
            body,
        })
    }

    pub(super) fn key(&self) -> QuestionKey {
        self.body.id
    }

    /// Checks a body written by a judge. None if no body was requested.
    pub(super) fn checked(&self, answer: Answer, text: &str) -> Option<Result<String, String>> {
        if !self.takes_text || answer != Answer::Yes {
            return None;
        }
        let texts = self.body.notes.iter().map(|note| note.text.as_str());
        let notes: Vec<&str> = texts.collect();
        Some(match rewrite_check::rejection(&notes, text) {
            Some(why) => Err(why),
            None => Ok(text.trim_end().to_owned() + "\n"),
        })
    }
}

impl CallRequest for QuestionRequest {
    type Reply = ReasonedAnswer;

    fn kind(&self) -> &'static str {
        self.key().kind().name()
    }

    fn instructions(&self) -> &str {
        &self.instructions
    }

    fn question(&self) -> &str {
        &self.question
    }

    fn document(&self) -> Vec<u8> {
        let document = Document {
            instructions: &self.instructions,
            body: &self.body,
        };
        serde_json::to_vec(&document).unwrap_or_default()
    }

    fn schema(&self) -> Value {
        let answers: Vec<Answer> = self.body.answers.iter().map(|one| one.answer).collect();
        let mut schema = json!({
            "type": "object",
            "properties": {
                "answer": {"type": "string", "enum": answers},
                "why": {"type": "string", "maxLength": MAX_REASON_CHARS},
            },
            "required": ["answer", "why"],
            "additionalProperties": false,
        });
        if self.takes_text {
            schema["properties"]["text"] = json!({"type": ["string", "null"]});
            schema["required"] = json!(["answer", "why", "text"]);
        }
        schema
    }

    fn reply_bytes(&self) -> usize {
        let notes = self.body.notes.iter().filter(|_| self.takes_text);
        EXPECTED_REPLY_BYTES + notes.map(|note| note.text.len()).sum::<usize>()
    }

    fn read(&self, text: &str) -> Result<ReasonedAnswer, String> {
        reply::read(text, self.key())
    }
}
