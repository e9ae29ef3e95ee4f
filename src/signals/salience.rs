//! Salience: the effect of feedback on a note, independent of time.
//!
//! OwnSona: s ← clamp((1 − λ)·s + η·r, 0, `max`) for each reward r from −1 to 1, starting with the
//! note's importance. λ and η are the settings `forget` and `learn`.
//!
//! A sequence of such steps has the form clamp(`kept`·s + `learned`, `least`, `greatest`). The
//! journal is therefore folded without reading notes, and a later change of the stated importance
//! still takes effect.

use serde::{Deserialize, Serialize};

use crate::config::{section, values};

section! {
    pub struct SalienceOptions: "salience" {
        /// amount that a reward of 1 adds to the salience of a note
        learn: f64 = 0.3, 0.0..=1.0;
        /// share of its salience that a note loses with each feedback; salience does not fade with
        /// time
        forget: f64 = 0.05, 0.0..=1.0;
        /// maximum salience
        max: f64 = 3.0, values::POSITIVE;
    }
}

/// A sequence of feedback, composed into one step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Salience {
    pub kept: f64,
    pub learned: f64,
    pub least: f64,
    pub greatest: f64,
}

impl Default for Salience {
    fn default() -> Self {
        Self {
            kept: 1.0,
            learned: 0.0,
            least: 0.0,
            greatest: 1.0,
        }
    }
}

impl Salience {
    /// Returns a fixed salience, whose feedback history is unknown.
    pub fn fixed(salience: f64) -> Self {
        Self {
            kept: 0.0,
            learned: salience,
            least: 0.0,
            greatest: salience.max(0.0),
        }
    }

    /// Applies one reward.
    pub fn rewarded(&mut self, reward: f64, options: &SalienceOptions) {
        let (keep, added) = (
            1.0 - options.forget,
            options.learn * reward.clamp(-1.0, 1.0),
        );
        let step = |value: f64| keep.mul_add(value, added);
        let bounded = |value: f64| step(value).clamp(0.0, options.max);
        *self = Self {
            kept: keep * self.kept,
            learned: step(self.learned),
            least: bounded(self.least),
            greatest: bounded(self.greatest),
        };
    }

    /// Returns the salience of a note with this importance.
    pub fn of(&self, importance: f64) -> f64 {
        let value = self.kept.mul_add(importance, self.learned);
        value.min(self.greatest).max(self.least)
    }

    /// Returns the larger salience of two merged notes, compared at medium importance.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        let order = |salience: Self| {
            let Self {
                kept,
                learned,
                least,
                greatest,
            } = salience;
            [salience.of(0.5), learned, kept, least, greatest]
        };
        let is_more = order(other).partial_cmp(&order(self)) == Some(std::cmp::Ordering::Greater);
        if is_more { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::tests::cases;

    #[test]
    fn salience_equals_ownsona() {
        let options = SalienceOptions::default();
        let all = cases(include_str!("../../fixtures/signals/ownsona_salience.tsv"));
        assert_eq!(all.len(), 120);
        for case in all {
            let mut salience = Salience::default();
            for (reward, expected) in case.numbers("rewards").iter().zip(case.numbers("expected")) {
                salience.rewarded(*reward, &options);
                let found = salience.of(case.of("importance"));
                assert!(
                    (found - expected).abs() <= 1e-9,
                    "{case:?}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn fixed_salience_accepts_feedback() {
        let options = SalienceOptions::default();
        let (mut fixed, mut learned) = (Salience::fixed(1.2), Salience::default());
        fixed.rewarded(1.0, &options);
        assert!((fixed.of(0.0) - 1.44).abs() < 1e-9 && (fixed.of(1.0) - 1.44).abs() < 1e-9);
        learned.rewarded(1.0, &options);
        for (one, other) in [(fixed, learned), (learned, fixed)] {
            assert_eq!(one.merged(other), fixed);
        }
    }
}
