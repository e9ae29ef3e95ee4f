//! One question to one judge: what is reported of it, and what is kept.

use super::asking::{Asked, Asks as _, Failure, is_zero};
use super::calls::Planned;
use super::reply::Reply;
use super::request::Request;
use crate::journal::opinions::Opinion;
use crate::run::prelude::*;

/// A question that is to be asked.
pub(super) type Question<'o> = Planned<'o, &'o Finding, Request>;

/// One question to one judge.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Call {
    pub id: QuestionKey,
    pub question: String,
    pub judge: String,
    /// None in a dry run, and where it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Why, or why it failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The body that it wrote for notes that become one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why what it wrote is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_unused: Option<String>,
    /// The bytes of the question.
    pub bytes: usize,
    /// What was sent and came back, where the judge counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// How often it was told that its reply cannot be used.
    #[serde(skip_serializing_if = "is_zero")]
    pub repairs: usize,
}

impl Call {
    /// Returns a call that was not made yet.
    pub(super) fn of(planned: &Question<'_>) -> Self {
        Self {
            id: planned.about.key,
            question: planned.about.question(),
            judge: planned.judge.name(planned.about.kind().name()).to_owned(),
            answer: None,
            why: String::new(),
            bytes: planned.asks.bytes(),
            text: None,
            text_unused: None,
            tokens: None,
            repairs: 0,
        }
    }
}

/// Returns what is reported, and what is kept: who was not there said nothing of this question.
pub(super) fn ended(
    planned: &Question<'_>,
    asked: Asked<Reply>,
    at: Timestamp,
) -> (Call, Option<Opinion>) {
    let finding = planned.about;
    let (mut text, mut unused) = (None, None);
    let (answer, why, is_absent) = match asked.reply {
        Ok(reply) => {
            let written = reply.text.as_deref();
            match written.and_then(|text| planned.asks.checked(reply.answer, text)) {
                Some(Ok(checked)) => text = Some(checked),
                Some(Err(why)) => unused = Some(why),
                None => {}
            }
            (Some(reply.answer), reply.why, false)
        }
        Err(failure) => {
            let is_absent = matches!(failure, Failure::Absent(_));
            (None, failure.why().to_owned(), is_absent)
        }
    };
    let (stored, about) = match answer {
        Some(answer) => {
            let (stored, about) = finding.stored(answer);
            (Some(stored), about)
        }
        None => (None, finding.notes.iter().collect()),
    };
    let opinion = Opinion {
        key: finding.key,
        judge: planned.judge.name(finding.kind().name()).to_owned(),
        answer: stored,
        why: why.clone(),
        text: text.clone(),
        at,
        about: about.into_iter().map(ToString::to_string).collect(),
        failures: planned.failures + u32::from(answer.is_none()),
    };
    let call = Call {
        answer,
        why,
        text,
        text_unused: unused,
        tokens: asked.tokens,
        repairs: asked.repairs,
        ..Call::of(planned)
    };
    (call, (!is_absent).then_some(opinion))
}
