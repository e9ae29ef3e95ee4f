//! The calls of a run: a few at a time, each recorded as soon as it ends.

use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use jiff::Timestamp;
use serde::Serialize;

use super::asking::{Around, Asked, Failure};
use super::judges::Judge;
use super::request::Request;
use crate::error::Error;
use crate::finding::Finding;
use crate::finding::question::{Answer, QuestionKey};
use crate::journal::opinions::{self, Opinion, Opinions};

/// After so many failed calls in a row no more are made in a run.
const GIVE_UP: usize = 3;

/// One question to one judge.
#[derive(Clone, Debug, Serialize)]
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

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A call that is to be made.
pub(super) struct Planned<'o> {
    pub finding: &'o Finding,
    pub judge: &'o Judge,
    pub failures: u32,
    pub request: Request,
}

impl Planned<'_> {
    pub(super) fn call(&self) -> Call {
        Call {
            id: self.finding.key,
            question: self.finding.question(),
            judge: self.judge.name.clone(),
            answer: None,
            why: String::new(),
            bytes: self.request.bytes(),
            text: None,
            text_unused: None,
            tokens: None,
            repairs: 0,
        }
    }
}

/// The calls that nobody makes yet.
struct Waiting<'p> {
    calls: std::iter::Enumerate<std::slice::Iter<'p, Planned<'p>>>,
    /// How many failed since one was answered.
    failed: usize,
}

impl<'p> Waiting<'p> {
    /// Who is not there at all is not asked again and again.
    fn next(&mut self) -> Option<(usize, &'p Planned<'p>)> {
        self.calls.next().filter(|_| self.failed < GIVE_UP)
    }

    fn ended(&mut self, is_answered: bool) {
        self.failed = if is_answered { 0 } else { self.failed + 1 };
    }
}

/// Where replies are kept.
pub(super) struct Record<'r> {
    /// The folder of this device in the journal.
    pub device: &'r Path,
    pub at: Timestamp,
    pub opinions: &'r mut Opinions,
}

/// Makes the calls, `parallel` at a time, and records each reply; returns them in their order. What a call did not
/// take goes back to the budget.
pub(super) fn call_all(
    planned: &[Planned<'_>],
    parallel: usize,
    around: &Around<'_>,
    record: Record<'_>,
) -> Result<Vec<Call>, Error> {
    let Record {
        device,
        at,
        opinions,
    } = record;
    let waiting = Mutex::new(Waiting {
        calls: planned.iter().enumerate(),
        failed: 0,
    });
    let (send, replies) = mpsc::channel();
    let mut done = Vec::new();
    thread::scope(|scope| {
        for _ in 0..parallel.min(planned.len()) {
            let (send, waiting) = (send.clone(), &waiting);
            scope.spawn(move || work(waiting, around, &send));
        }
        drop(send);
        for (place, planned, asked) in replies {
            if asked.reply.is_err() && around.stop.is_due() {
                continue;
            }
            let (call, opinion) = ended(planned, asked, at);
            if let Some(opinion) = opinion {
                opinions::append(device, &opinion)
                    .map_err(|error| Error::io("write to", device, &error))?;
                opinions.add(opinion);
            }
            done.push((place, call));
        }
        Ok::<(), Error>(())
    })?;
    done.sort_unstable_by_key(|(place, _)| *place);
    let mut budget = around.budget.lock().unwrap_or_else(PoisonError::into_inner);
    for (place, planned) in planned.iter().enumerate() {
        let made = done.binary_search_by_key(&place, |(place, _)| *place);
        let (estimate, kind) = (planned.request.tokens(), planned.finding.kind());
        match made.map(|at| &done[at].1) {
            Err(_) => budget.put_back(kind, estimate),
            Ok(call) => {
                let estimate = estimate * (1 + call.repairs);
                budget.correct(estimate, call.tokens.unwrap_or(estimate));
            }
        }
    }
    Ok(done.into_iter().map(|(_, call)| call).collect())
}

fn work<'p>(
    waiting: &Mutex<Waiting<'p>>,
    around: &Around<'_>,
    send: &Sender<(usize, &'p Planned<'p>, Asked)>,
) {
    loop {
        let next = waiting.lock().ok().and_then(|mut waiting| waiting.next());
        let Some((place, planned)) = next.filter(|_| !around.stop.is_due()) else {
            return;
        };
        let asked = planned.judge.ask(&planned.request, around);
        if let Ok(mut waiting) = waiting.lock() {
            waiting.ended(asked.reply.is_ok());
        }
        if send.send((place, planned, asked)).is_err() {
            return;
        }
    }
}

/// Returns what is reported, and what is kept: who was not there said nothing of this question.
fn ended(planned: &Planned<'_>, asked: Asked, at: Timestamp) -> (Call, Option<Opinion>) {
    let finding = planned.finding;
    let (mut text, mut unused) = (None, None);
    let (answer, why, is_absent) = match asked.reply {
        Ok(reply) => {
            let written = reply.text.as_deref();
            match written.and_then(|text| planned.request.checked(reply.answer, text)) {
                Some(Ok(checked)) => text = Some(checked),
                Some(Err(why)) => unused = Some(why),
                None => {}
            }
            (Some(reply.answer), reply.why, false)
        }
        Err(Failure::Failed(why)) => (None, why, false),
        Err(Failure::Absent(why)) => (None, why, true),
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
        judge: planned.judge.name.clone(),
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
        ..planned.call()
    };
    (call, (!is_absent).then_some(opinion))
}
