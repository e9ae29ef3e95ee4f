//! An interactive review: open questions one by one, with undo of each step.
//!
//! Skipped questions are stored on this machine and come last in the next review.

use super::skipped::SkippedQuestions;
use super::{GivenAnswer, decision, forget, give, part_answers};
use crate::change::{UndoTarget, UndoVerdict};
use crate::run::prelude::*;
use crate::run::undo::undo_run;

/// State of a question in the review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerState {
    Open,
    Yes,
    No,
    Skipped,
    /// It is outdated.
    Gone,
}

/// An answer or skip that can be undone.
struct UndoableStep {
    /// Number of the question where it was given.
    at: usize,
    /// Numbers of the questions it answered.
    numbers: Vec<usize>,
    run: Option<String>,
}

/// The questions of a review and their states; a question's number is its index in `order`.
pub struct ReviewDialogue<'s> {
    session: &'s Session,
    /// All open findings in their original order.
    pub open: &'s [Finding],
    /// The questions in the order in which they are asked.
    pub order: Vec<&'s Finding>,
    states: Vec<AnswerState>,
    steps: Vec<UndoableStep>,
    /// Number of the current question.
    pub at: usize,
    skipped: SkippedQuestions,
}

impl<'s> ReviewDialogue<'s> {
    /// Starts a review of `open`.
    pub fn new(session: &'s Session, open: &'s [Finding]) -> Self {
        let skipped = SkippedQuestions::load(session);
        let order = skipped.last(open);
        Self {
            session,
            open,
            states: vec![AnswerState::Open; order.len()],
            order,
            steps: Vec::new(),
            at: 0,
            skipped,
        }
    }

    /// Moves to the next open question, or stays at an open one. Returns false at the end.
    pub fn advance(&mut self) -> bool {
        let mut rest = self.at..self.order.len();
        let next = rest.find(|at| self.states[*at] == AnswerState::Open);
        self.at = next.unwrap_or(self.at);
        next.is_some()
    }

    /// Returns the current question.
    pub fn asked(&self) -> &'s Finding {
        self.order[self.at]
    }

    /// Returns the state of the current question.
    pub fn state(&self) -> AnswerState {
        self.states[self.at]
    }

    /// Marks the current question as outdated.
    pub fn pass_over(&mut self) {
        self.states[self.at] = AnswerState::Gone;
    }

    /// Skips the current question.
    pub fn skip(&mut self) {
        self.states[self.at] = AnswerState::Skipped;
        self.skipped.add(self.asked().key);
        self.steps.push(UndoableStep {
            at: self.at,
            numbers: vec![self.at],
            run: None,
        });
    }

    /// Returns the open questions of the same kind and relation as the current one, itself
    /// included.
    pub fn similar_questions(&self) -> Vec<usize> {
        let like = |asked: &Finding| (asked.kind(), asked.relation());
        let this = like(self.asked());
        let all = 0..self.order.len();
        let open = all.filter(|at| self.states[*at] == AnswerState::Open);
        open.filter(|at| like(self.order[*at]) == this).collect()
    }

    /// Returns previews of a yes to each of these questions.
    pub fn preview(&self, numbers: &[usize]) -> Result<Vec<AnswerRecord>> {
        self.give_all(numbers, Answer::Yes, None, true)
    }

    /// Gives or previews the same answer to each of these questions.
    fn give_all(
        &self,
        numbers: &[usize],
        answer: Answer,
        text: Option<&str>,
        is_dry: bool,
    ) -> Result<Vec<AnswerRecord>> {
        let asked = numbers.iter().map(|number| self.order[*number]);
        let given = asked.map(|asked| Ok(GivenAnswer::by_hand(asked, answer, text)));
        let cache = self.session.cache()?;
        give(self.session, cache, REVIEW, given.collect(), is_dry)
    }

    /// Gives one answer to these questions in one run, and returns a record for each.
    pub fn give(
        &mut self,
        numbers: &[usize],
        answer: Answer,
        text: Option<&str>,
    ) -> Result<Vec<AnswerRecord>> {
        let records = {
            // Signals wait until the answers are applied.
            let _section = self.session.env.stop.critical_section();
            self.give_all(numbers, answer, text, false)?
        };
        self.skipped = SkippedQuestions::load(self.session);
        let mut step = UndoableStep {
            at: self.at,
            numbers: Vec::new(),
            run: records.iter().find_map(|record| record.run.clone()),
        };
        for (number, record) in numbers.iter().zip(&records) {
            self.states[*number] = match answer {
                // The answer was rejected; the question is still open.
                _ if !record.is_kept() => AnswerState::Gone,
                Answer::No => AnswerState::No,
                _ => AnswerState::Yes,
            };
            if record.is_kept() {
                step.numbers.push(*number);
            }
        }
        if !step.numbers.is_empty() {
            self.steps.push(step);
        }
        Ok(records)
    }

    /// Undoes the last step and reopens its questions. Returns the changes that could not be undone
    /// as
    /// `path: reason`; `None` without a step to undo.
    pub fn take_back(&mut self) -> Result<Option<Vec<String>>> {
        let Some(step) = self.steps.pop() else {
            return Ok(None);
        };
        let mut undone: Vec<QuestionKey> = Vec::new();
        let mut stays: Vec<QuestionKey> = Vec::new();
        let mut kept = Vec::new();
        {
            let _section = self.session.env.stop.critical_section();
            if let Some(run) = &step.run {
                let run = run
                    .parse::<RunId>()
                    .map_err(|error| Error::new(error.to_string()))?;
                let (session, target) = (self.session, UndoTarget::Run(run));
                for group in undo_run(session, &session.homes, &target, None)?.groups {
                    match group.verdict {
                        UndoVerdict::Undone => undone.extend(group.question),
                        UndoVerdict::NothingLeft => {}
                        UndoVerdict::Kept { path, reason } => {
                            kept.push(format!("{path}: {reason}"));
                            stays.extend(group.question);
                        }
                    }
                }
            }
            // The undo has already forgotten the answers that it reverted.
            let asked = step.numbers.iter().map(|number| self.order[*number]);
            let forgotten = asked
                .filter(|asked| self.is_answered(asked))
                .filter(|asked| !undone.contains(&asked.key) && !stays.contains(&asked.key))
                .flat_map(|asked| {
                    let given = GivenAnswer::by_hand(asked, Answer::No, None);
                    let forgotten = Decision {
                        features: BTreeMap::new(),
                        ..decision(self.session, &given)
                    };
                    let mut answers = part_answers(asked, &forgotten);
                    answers.push(forgotten);
                    answers
                });
            forget(self.session, &forgotten.collect::<Vec<_>>())?;
        }
        for number in &step.numbers {
            let key = self.order[*number].key;
            if !stays.contains(&key) {
                self.states[*number] = AnswerState::Open;
                self.skipped.remove(&[key]);
            }
        }
        self.at = step.at;
        Ok(Some(kept))
    }

    fn is_answered(&self, asked: &Finding) -> bool {
        let mut states = self.order.iter().zip(&self.states);
        states.any(|(other, state)| {
            other.key == asked.key && matches!(state, AnswerState::Yes | AnswerState::No)
        })
    }

    /// Returns the number of questions in this state.
    pub fn count(&self, state: AnswerState) -> usize {
        self.states.iter().filter(|one| **one == state).count()
    }

    /// Returns the runs of the answers, oldest first.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.steps.iter().filter_map(|step| step.run.as_deref())
    }
}
