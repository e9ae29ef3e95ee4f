//! Selects what is shown to a person: at most `review.daily` questions a day, the best of all jobs.
//!
//! All other findings are suggestions. Pure: input is findings, past answers and the clock, output
//! is an order
//! and a limit. [`policy`](super::plan::policy) decides what is applied unattended.

pub mod chance;
pub mod choice;
pub mod features;
pub mod options;
#[cfg(test)]
mod tests;

use crate::run::prelude::*;
use chance::{Chances, Estimate, Example};
use choice::{MIN_CHANCE, QuestionHistory, choose, compare_worth};
use options::ReviewOptions;

/// Minimum number of answers before a kind can be muted.
const MIN_ANSWERS_TO_MUTE: usize = 5;

/// The valid answers, as input for the selection.
#[derive(Clone, Debug, Default)]
pub struct AnswerHistory {
    pub chances: Chances,
    /// Opinions of judges.
    pub opinions: Opinions,
    /// Number of answers by people and agents today.
    pub today: usize,
}

impl AnswerHistory {
    /// Evaluates the decisions of all devices, oldest first.
    pub fn of(
        decisions: &[Decision],
        opinions: Opinions,
        options: ReviewOptions,
        now: &Zoned,
    ) -> Self {
        let keys = decisions.iter().map(|decision| decision.key);
        let last: HashMap<QuestionKey, usize> = keys.zip(0..).collect();
        let numbered = decisions.iter().enumerate();
        let holding = numbered.filter(|(at, decision)| last[&decision.key] == *at);
        let mut today = 0;
        let mut examples = Vec::new();
        for (_, decision) in holding {
            let Some(answer) = decision.answer else {
                continue;
            };
            let day = decision.at.to_zoned(now.time_zone().clone()).date();
            // Undos and judges answer no question of a person.
            today += usize::from(day == now.date() && decision.is_by_hand());
            // Rules are written by a person, so rejecting one says little about another.
            if decision.is_by_judge() || decision.kind == QuestionKind::Rule {
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

/// All open findings in order: the questions of today, then suggestions.
#[derive(Clone, Debug, Default)]
pub struct ReviewBatch {
    pub findings: Vec<Finding>,
    /// The estimate of each finding.
    pub judged: Vec<Estimate>,
    /// Number of findings that are questions of today.
    pub questions: usize,
    /// Number of answers today.
    pub answered: usize,
    /// Muted kinds: they would be asked, but most answers were no.
    pub silent: Vec<QuestionKind>,
    pub chances: Chances,
    /// Opinions of judges on the findings.
    pub opinions: Opinions,
    /// Findings whose changes are impossible because a note is read-only.
    pub read_only: HashSet<QuestionKey>,
}

impl ReviewBatch {
    /// Orders the open findings.
    pub fn of(
        open: Vec<Finding>,
        past: AnswerHistory,
        asked: QuestionHistory,
        daily: usize,
    ) -> Self {
        let chances = past.chances;
        let asked = QuestionHistory {
            answers: past.today,
            ..asked
        };
        let judged: Vec<Estimate> = open.iter().map(|one| chances.judge(one)).collect();
        let questions = choose(&open, &judged, &asked, daily);
        let mut silent = muted_kinds(&open, &judged, &chances);
        silent.retain(|kind| questions.iter().all(|at| open[*at].kind() != *kind));
        let mut rest: Vec<usize> = (0..open.len()).collect();
        rest.retain(|at| !questions.contains(at));
        rest.sort_unstable_by(|a, b| compare_worth(&open, &judged, *a, *b));
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
            read_only: asked.read_only,
        }
    }

    /// Reorders the findings by information gain, and asks the first `most`.
    pub fn sort_by_information_gain(&mut self, most: usize) {
        let mut all: Vec<(Finding, Estimate)> = self.drain();
        all.sort_by(|(_, a), (_, b)| b.information_gain.total_cmp(&a.information_gain));
        let (mut all, last): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|(finding, _)| !self.read_only.contains(&finding.key));
        self.questions = most.min(all.len());
        all.extend(last);
        (self.findings, self.judged) = all.into_iter().unzip();
    }

    /// Keeps the findings for which `is_meant` returns true.
    pub fn retain(&mut self, is_meant: impl Fn(&Finding, &Estimate) -> bool) {
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

    /// Keeps the first `most` findings.
    pub fn truncate(&mut self, most: usize) {
        self.findings.truncate(most);
        self.judged.truncate(most);
        self.questions = self.questions.min(most);
    }

    fn drain(&mut self) -> Vec<(Finding, Estimate)> {
        let judged = self.judged.drain(..).collect::<Vec<_>>();
        self.findings.drain(..).zip(judged).collect()
    }
}

/// Returns the kinds that would have questions without the answers of this vault.
fn muted_kinds(open: &[Finding], judged: &[Estimate], chances: &Chances) -> Vec<QuestionKind> {
    let mut kinds = QuestionKind::ALL.to_vec();
    kinds.retain(|kind| {
        let of_kind = open
            .iter()
            .zip(judged)
            .filter(|(one, _)| one.kind() == *kind);
        let (before, now) = of_kind.fold((0.0_f32, 0.0_f32), |(before, now), (_, judged)| {
            (before.max(judged.unlearned), now.max(judged.chance))
        });
        let (answers, noes) = chances.answers(*kind);
        let is_mostly_no = answers >= MIN_ANSWERS_TO_MUTE && noes * 2 > answers;
        is_mostly_no && before >= MIN_CHANCE && now < MIN_CHANCE
    });
    kinds
}
