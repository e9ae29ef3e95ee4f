//! One question to one judge: the reported call and the recorded opinion.

use super::call_context::{CallFailure, CallRequest as _, CallResult, is_zero};
use super::dispatch::PlannedCall;
use super::reply::ReasonedAnswer;
use super::request::QuestionRequest;
use crate::run::prelude::*;

/// A planned question to one judge.
pub(super) type PlannedQuestion<'o> = PlannedCall<'o, &'o Finding, QuestionRequest>;

/// One question to one judge, with its result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Call {
    pub id: QuestionKey,
    pub question: String,
    pub judge: String,
    /// Absent in a dry run and after a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Reason of the answer or of the failure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Body written by the judge for merged notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why the body written by the judge is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_unused: Option<String>,
    /// Size of the question in bytes.
    pub bytes: usize,
    /// Tokens sent and received, if the judge counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// Number of repeated calls after unusable replies.
    #[serde(skip_serializing_if = "is_zero")]
    pub repairs: usize,
}

impl Call {
    /// Returns a call that has no result yet.
    pub(super) fn of(planned: &PlannedQuestion<'_>) -> Self {
        Self {
            id: planned.about.key,
            question: planned.about.question(),
            judge: planned.judge.name(planned.about.kind().name()).to_owned(),
            answer: None,
            why: String::new(),
            bytes: planned.request.bytes(),
            text: None,
            text_unused: None,
            tokens: None,
            repairs: 0,
        }
    }
}

/// Returns the report and the opinion to record. An unreachable judge has no opinion.
pub(super) fn outcome(
    planned: &PlannedQuestion<'_>,
    result: CallResult<ReasonedAnswer>,
    at: Timestamp,
) -> (Call, Option<Opinion>) {
    let finding = planned.about;
    let (mut text, mut unused) = (None, None);
    let (answer, why, is_absent) = match result.reply {
        Ok(reply) => {
            let written = reply.text.as_deref();
            match written.and_then(|text| planned.request.checked(reply.answer, text)) {
                Some(Ok(checked)) => text = Some(checked),
                Some(Err(why)) => unused = Some(why),
                None => {}
            }
            (Some(reply.answer), reply.why, false)
        }
        Err(failure) => {
            let is_absent = matches!(failure, CallFailure::Absent(_));
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
        tokens: result.tokens,
        repairs: result.repairs,
        ..Call::of(planned)
    };
    (call, (!is_absent).then_some(opinion))
}
