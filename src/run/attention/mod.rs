//! What reaches a person: at most `review.daily` questions a day, the best of what all jobs found;
//! everything else is a suggestion, to be seen by whoever looks.
//!
//! Pure: findings, past answers and the clock in, an order and a cut out. Only what is asked moves;
//! what is applied unasked is decided by [`policy`](super::plan::policy).

pub mod chance;
pub mod choice;
pub mod features;
pub mod options;
#[cfg(test)]
mod tests;

use crate::journal::opinions::Opinions;
use crate::run::prelude::*;
use chance::{Chances, Example, Judgement};
use choice::{Asked, LEAST_CHANCE, choose, order};
use options::ReviewOptions;

/// Of fewer answers nothing is said.
const FEWEST_ANSWERS: usize = 5;

/// The answers that hold, as far as they count for what is asked.
#[derive(Clone, Debug, Default)]
pub struct Past {
    pub chances: Chances,
    /// What judges said.
    pub opinions: Opinions,
    /// Answers of people and agents on the day of the clock.
    pub today: usize,
}

impl Past {
    /// Takes what all devices decided, the oldest first.
    #[must_use]
    pub fn of(
        decisions: &[Decision],
        opinions: Opinions,
        options: ReviewOptions,
        now: &Zoned,
    ) -> Self {
        let keys = decisions.iter().map(|decision| decision.key);
        let last: HashMap<QuestionKey, usize> = keys.zip(0..).collect();
        let holding = decisions.iter().enumerate();
        let holding = holding.filter(|(at, decision)| last[&decision.key] == *at);
        let mut today = 0;
        let mut examples = Vec::new();
        for (_, decision) in holding {
            let Some(answer) = decision.answer else {
                continue;
            };
            let day = decision.at.to_zoned(now.time_zone().clone()).date();
            // What an undo or a judge says was nobody's question.
            today += usize::from(day == now.date() && decision.is_by_hand());
            // And a no to what one rule says is none to the next, which a person wrote, too.
            if decision.is_by_judge() || decision.kind == Kind::Rule {
                continue;
            }
            examples.push(Example {
                kind: decision.kind,
                features: features::recorded(&decision.features),
                about: decision.about.clone(),
                is_yes: answer.is_yes(),
                at: decision.at,
            });
        }
        if !options.learn {
            examples.clear();
        }
        let chances = Chances::of(&examples).with(&opinions);
        Self {
            chances,
            opinions,
            today,
        }
    }
}

/// Everything that is open, in the order in which it is offered: today's questions, then suggestions.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    pub findings: Vec<Finding>,
    /// What is thought of each of them.
    pub judged: Vec<Judgement>,
    /// So many of them are asked today.
    pub questions: usize,
    /// Answers of today.
    pub answered: usize,
    /// Kinds that would be asked about, had the answers not mostly been no.
    pub silent: Vec<Kind>,
    pub chances: Chances,
    /// What judges said of them.
    pub opinions: Opinions,
}

impl Offer {
    /// Orders what is `open`.
    #[must_use]
    pub fn of(open: Vec<Finding>, past: Past, asked: Asked, daily: usize) -> Self {
        let chances = past.chances;
        let asked = Asked {
            answers: past.today,
            ..asked
        };
        let judged: Vec<Judgement> = open.iter().map(|one| chances.judge(one)).collect();
        let questions = choose(&open, &judged, &asked, daily);
        let mut silent = silent(&open, &judged, &chances);
        silent.retain(|kind| questions.iter().all(|at| open[*at].kind() != *kind));
        let mut rest: Vec<usize> = (0..open.len()).collect();
        rest.retain(|at| !questions.contains(at));
        rest.sort_unstable_by(|a, b| order(&open, &judged, *a, *b));
        let count = questions.len();
        let places: Vec<usize> = questions.into_iter().chain(rest).collect();
        let judged = places.iter().map(|at| judged[*at]).collect();
        let mut open: Vec<Option<Finding>> = open.into_iter().map(Some).collect();
        let findings = places.iter().filter_map(|at| open[*at].take());
        Self {
            findings: findings.collect(),
            judged,
            questions: count,
            answered: past.today,
            silent,
            chances,
            opinions: past.opinions,
        }
    }

    /// Asks instead what an answer teaches most, the least certain of the valuable first.
    pub fn teach(&mut self, most: usize) {
        let mut all: Vec<(Finding, Judgement)> = self.drain();
        all.sort_by(|(_, a), (_, b)| b.teaches.total_cmp(&a.teaches));
        (self.findings, self.judged) = all.into_iter().unzip();
        self.questions = most.min(self.findings.len());
    }

    /// Leaves what `is_meant`.
    pub fn retain(&mut self, is_meant: impl Fn(&Finding, &Judgement) -> bool) {
        let questions = self.questions;
        for (at, (finding, judgement)) in self.drain().into_iter().enumerate() {
            if is_meant(&finding, &judgement) {
                self.findings.push(finding);
                self.judged.push(judgement);
            } else if at < questions {
                self.questions -= 1;
            }
        }
    }

    /// Leaves the first `most`.
    pub fn truncate(&mut self, most: usize) {
        self.findings.truncate(most);
        self.judged.truncate(most);
        self.questions = self.questions.min(most);
    }

    fn drain(&mut self) -> Vec<(Finding, Judgement)> {
        let judged = self.judged.drain(..).collect::<Vec<_>>();
        self.findings.drain(..).zip(judged).collect()
    }
}

/// Returns the kinds of which something would be asked, but for the answers.
fn silent(open: &[Finding], judged: &[Judgement], chances: &Chances) -> Vec<Kind> {
    let mut kinds = Kind::ALL.to_vec();
    kinds.retain(|kind| {
        let of_kind = open
            .iter()
            .zip(judged)
            .filter(|(one, _)| one.kind() == *kind);
        let (before, now) = of_kind.fold((0.0_f32, 0.0_f32), |(before, now), (_, judged)| {
            (before.max(judged.unlearned), now.max(judged.chance))
        });
        let (answers, noes) = chances.answers(*kind);
        let is_mostly_no = answers >= FEWEST_ANSWERS && noes * 2 > answers;
        is_mostly_no && before >= LEAST_CHANCE && now < LEAST_CHANCE
    });
    kinds
}
