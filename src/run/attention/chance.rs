//! How likely a person says yes, and what that yes is worth.
//!
//! Logistic regression per kind of question. The weights that hold in any vault ([`PRIORS`]) were
//! chosen on vaults that people wrote, each left out once (benches/RESULTS.md). The answers of a vault
//! move them: its own weights are those with the greatest probability under a normal distribution
//! around the general ones, so three answers change little and twenty change much.

use std::fmt::Write as _;

use jiff::Timestamp;

use super::features::{self, Features, NAMES, chance};
use crate::finding::Finding;
use crate::finding::question::Kind;

/// What holds of a kind in any vault.
struct Prior {
    /// What a yes is worth, in links.
    worth: f32,
    /// The log odds of a yes where all features are 0.
    base: f32,
    features: Features,
}

/// By kind, in the order of [`Kind::ALL`].
const PRIORS: [Prior; Kind::ALL.len()] = [
    Prior {
        worth: 3.0,
        base: 0.5,
        features: [0.5, 1.5, 0.5, -2.0, 0.0, 0.0],
    },
    Prior {
        worth: 3.0,
        base: 1.0,
        features: [0.5, 1.0, 0.0, 0.0, 0.0, 0.0],
    },
    Prior {
        worth: 1.0,
        base: -1.8,
        features: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    },
    Prior {
        worth: 1.0,
        base: 0.5,
        features: [1.0, 0.0, 0.0, 0.0, 0.0, 0.5],
    },
];

/// How far a vault's own weights may be from the general ones: variances of the base and of the features.
const BASE_VARIANCE: f32 = 0.25;
const FEATURE_VARIANCES: Features = [0.03, 0.15, 0.15, 0.15, 0.15, 0.05];

/// After so many seconds an answer counts half: what people want changes.
const HALF_LIFE: f32 = 180.0 * 86_400.0;

/// At most so many answers of a kind are learned from, the newest.
const MOST: usize = 400;

/// Rounds of Newton's method, coordinate by coordinate; more change nothing that is shown.
const ROUNDS: usize = 20;

/// An answer that was given.
#[derive(Clone, Debug)]
pub struct Example {
    pub kind: Kind,
    /// None of an answer from before features were recorded.
    pub features: Features,
    pub is_yes: bool,
    pub at: Timestamp,
}

/// What the answers of a vault say about one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Learned {
    base: f32,
    features: Features,
    /// Answers, and how many of them are no.
    answers: usize,
    noes: usize,
}

/// What is thought of one finding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The chance of a yes, 0–1.
    pub chance: f32,
    /// The same without the answers of the vault.
    pub unlearned: f32,
    /// The chance times what a yes is worth.
    pub worth: f32,
    /// How much an answer would teach: the variance of the answer times what a yes is worth.
    pub teaches: f32,
}

/// A part of the log odds of a yes.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Term {
    pub name: &'static str,
    pub log_odds: f32,
}

/// What is known of how likely a yes is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chances {
    learned: [Learned; Kind::ALL.len()],
}

impl Chances {
    /// Learns from `answers`, the oldest first.
    #[must_use]
    pub fn of(answers: &[Example], now: Timestamp) -> Self {
        let mut chances = Self::default();
        for kind in Kind::ALL {
            let newest = answers.iter().rev().filter(|answer| answer.kind == kind);
            let newest: Vec<&Example> = newest.take(MOST).collect();
            chances.learned[kind as usize] = learn(&PRIORS[kind as usize], &newest, now);
        }
        chances
    }

    #[must_use]
    pub fn judge(&self, finding: &Finding) -> Judgement {
        let features = features::of(finding);
        let (prior, learned) = self.about(finding);
        let general = prior.log_odds(&features);
        let (unlearned, chance) = (chance(general), chance(general + learned.shift(&features)));
        Judgement {
            chance,
            unlearned,
            worth: chance * prior.worth,
            teaches: chance * (1.0 - chance) * prior.worth,
        }
    }

    /// Returns of what the log odds of a yes are the sum.
    #[must_use]
    pub fn terms(&self, finding: &Finding) -> Vec<Term> {
        let features = features::of(finding);
        let (prior, learned) = self.about(finding);
        let mut terms = vec![Term {
            name: finding.kind().name(),
            log_odds: prior.base,
        }];
        for ((name, weight), value) in NAMES.iter().zip(prior.features).zip(features) {
            let log_odds = weight * value;
            terms.push(Term { name, log_odds });
        }
        terms.push(Term {
            name: "answers",
            log_odds: learned.shift(&features),
        });
        terms.retain(|term| term.log_odds.abs() >= 0.005);
        terms
    }

    /// Returns how many answers of `kind` there were, and how many of them were no.
    #[must_use]
    pub fn answers(&self, kind: Kind) -> (usize, usize) {
        let learned = &self.learned[kind as usize];
        (learned.answers, learned.noes)
    }

    fn about(&self, finding: &Finding) -> (&'static Prior, &Learned) {
        let at = finding.kind() as usize;
        (&PRIORS[at], &self.learned[at])
    }
}

/// Returns what a yes to `kind` is worth, in links.
#[must_use]
pub fn worth(kind: Kind) -> f32 {
    PRIORS[kind as usize].worth
}

/// Says how a chance came about, and what it is worth.
#[must_use]
pub fn explanation(finding: &Finding, judgement: &Judgement, terms: &[Term]) -> String {
    let sum: f32 = terms.iter().map(|term| term.log_odds).sum();
    let mut text = format!(
        "worth {:.2} = {:.2} × {}, ",
        judgement.worth,
        judgement.chance,
        worth(finding.kind())
    );
    let _ = write!(
        text,
        "chance {:.2} from log odds {sum:+.2} =",
        judgement.chance
    );
    for Term { name, log_odds } in terms {
        let _ = write!(text, " {name} {log_odds:+.2}");
    }
    text
}

impl Prior {
    fn log_odds(&self, features: &Features) -> f32 {
        self.base + dot(&self.features, features)
    }
}

impl Learned {
    fn shift(&self, features: &Features) -> f32 {
        self.base + dot(&self.features, features)
    }
}

fn dot(weights: &Features, features: &Features) -> f32 {
    let products = weights.iter().zip(features);
    products.map(|(weight, value)| weight * value).sum()
}

/// Returns the most probable weights of a vault that gave `answers`.
fn learn(prior: &Prior, answers: &[&Example], now: Timestamp) -> Learned {
    let mut learned = Learned {
        answers: answers.len(),
        noes: answers.iter().filter(|answer| !answer.is_yes).count(),
        ..Learned::default()
    };
    let counts = |answer: &Example| {
        let age = now.as_second().saturating_sub(answer.at.as_second()).max(0);
        0.5_f32.powf(age as f32 / HALF_LIFE)
    };
    // The features, what to expect in general, the answer, and how much it counts.
    let rows: Vec<(&Features, f32, f32, f32)> = answers
        .iter()
        .map(|answer| {
            let expected = prior.log_odds(&answer.features);
            let is = f32::from(u8::from(answer.is_yes));
            (&answer.features, expected, is, counts(answer))
        })
        .collect();
    for _ in 0..ROUNDS {
        for at in 0..=NAMES.len() {
            let (value, variance) = match at.checked_sub(1) {
                None => (learned.base, BASE_VARIANCE),
                Some(at) => (learned.features[at], FEATURE_VARIANCES[at]),
            };
            let (mut slope, mut curve) = (-value / variance, 1.0 / variance);
            for (features, expected, is, counts) in &rows {
                let x = at.checked_sub(1).map_or(1.0, |at| features[at]);
                let chance = chance(expected + learned.shift(features));
                slope += counts * (is - chance) * x;
                curve += counts * chance * (1.0 - chance) * x * x;
            }
            let step = slope / curve;
            match at.checked_sub(1) {
                None => learned.base += step,
                Some(at) => learned.features[at] += step,
            }
        }
    }
    learned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::attention::sample::{link, mention};

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn answers(kind: Kind, given: &[(bool, usize)], features: Features) -> Vec<Example> {
        let example = |is_yes| Example {
            kind,
            features,
            is_yes,
            at: NOW,
        };
        let given = given.iter();
        given
            .flat_map(|(is_yes, times)| std::iter::repeat_n(example(*is_yes), *times))
            .collect()
    }

    #[test]
    fn three_answers_change_little_and_twenty_much() {
        let asked = mention(0.8, "a.md", "b/b.md", "Green tea");
        let features = features::of(&asked);
        let chance = |given: &[(bool, usize)]| {
            let chances = Chances::of(&answers(Kind::Mention, given, features), NOW);
            chances.judge(&asked).chance
        };
        let before = chance(&[]);
        assert!(before > 0.8, "{before}");
        assert!(chance(&[(false, 3)]) > 0.6, "{}", chance(&[(false, 3)]));
        assert!(chance(&[(false, 16), (true, 4)]) < 0.45);
        assert!(chance(&[(false, 20)]) < 0.35);
        assert!(chance(&[(true, 5)]) > before);
        // What is said of mentions says nothing of links.
        let chances = Chances::of(&answers(Kind::Mention, &[(false, 20)], features), NOW);
        let linked = link(0.8, "a.md", "b.md");
        assert_eq!(chances.judge(&linked), Chances::default().judge(&linked));
        assert_eq!(chances.answers(Kind::Mention), (20, 20));
    }

    #[test]
    fn what_the_answers_have_in_common_is_learned() {
        let [near, far] = [
            link(0.8, "films/a.md", "films/b.md"),
            link(0.8, "films/a.md", "people/b.md"),
        ];
        let mut given = answers(Kind::Link, &[(false, 10)], features::of(&near));
        given.extend(answers(Kind::Link, &[(true, 10)], features::of(&far)));
        let chances = Chances::of(&given, NOW);
        let [near, far] = [near, far].map(|asked| chances.judge(&asked));
        assert!(near.chance + 0.1 < far.chance, "{near:?} {far:?}");
        assert!((near.unlearned - far.unlearned).abs() < 1e-6);
    }

    #[test]
    fn an_old_answer_counts_for_less() {
        let asked = mention(0.8, "a.md", "b/b.md", "Green tea");
        let given = answers(Kind::Mention, &[(false, 10)], features::of(&asked));
        let year = Timestamp::from_second(365 * 86_400).unwrap();
        let [now, later] = [NOW, year].map(|now| Chances::of(&given, now).judge(&asked).chance);
        assert!(now + 0.1 < later, "{now} {later}");
    }

    #[test]
    fn the_terms_add_up() {
        let asked = link(0.9, "a/x y.md", "a/y z.md");
        let given = answers(Kind::Link, &[(true, 4)], features::of(&asked));
        let chances = Chances::of(&given, NOW);
        let judgement = chances.judge(&asked);
        let sum: f32 = chances.terms(&asked).iter().map(|term| term.log_odds).sum();
        assert!((chance(sum) - judgement.chance).abs() < 0.01);
        assert!((judgement.worth - judgement.chance * worth(Kind::Link)).abs() < 1e-6);
    }
}
