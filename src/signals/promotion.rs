//! Promotion: whether a note has proved useful enough to keep at hand, 0–1.
//!
//! The score of OpenClaw's dreaming, the sum of these terms, each 0–1:
//!
//! | term | weight | |
//! |---|---|---|
//! | relevance | .30 | mean score of its recalls; here the mean feedback, for the journal keeps no scores |
//! | frequency | .24 | ln(1 + accesses) / ln(1 + 10) |
//! | diversity | .15 | different questions it helped with, or days, if more; 5 are full |
//! | recency | .15 | ½^(days since the last use / `half_life_days`) |
//! | consolidation | .10 | 0 without use, .2 after one day, else .55·ln(days) / ln 5 + .45·(days from first to last) / 7 |
//! | richness | .06 | tags; 6 are full |

use crate::config::{section, values};

section! {
    pub struct PromotionOptions: "promotion" {
        /// weight of feedback in the promotion score of a note
        relevance: f64 = 0.3, 0.0..=1.0;
        /// weight of the number of uses in the promotion score
        frequency: f64 = 0.24, 0.0..=1.0;
        /// weight of the number of questions or days of use
        diversity: f64 = 0.15, 0.0..=1.0;
        /// weight of the time since the last use in the promotion score
        recency: f64 = 0.15, 0.0..=1.0;
        /// weight of the time from the first use to the last
        consolidation: f64 = 0.1, 0.0..=1.0;
        /// weight of the number of tags
        richness: f64 = 0.06, 0.0..=1.0;
        /// days in which the recency of promotion halves
        half_life_days: f64 = 14.0, values::POSITIVE;
    }
}

/// Inputs of the score.
#[derive(Clone, Copy, Debug)]
pub struct PromotionInputs {
    pub accesses: u64,
    pub feedback: f64,
    pub questions: u64,
    pub days: u64,
    /// From the first access to the last.
    pub span_days: f64,
    pub idle_days: Option<f64>,
    pub tags: u32,
}

/// Names of the terms.
pub const TERMS: [&str; 6] = [
    "relevance",
    "frequency",
    "diversity",
    "recency",
    "consolidation",
    "richness",
];

/// Returns the terms, whose sum is the score.
pub fn terms(of: PromotionInputs, options: &PromotionOptions) -> [f64; 6] {
    let share = |value: f64| value.clamp(0.0, 1.0);
    let days = of.days as f64;
    let consolidation = match of.days {
        0 => 0.0,
        1 => 0.2,
        _ => 0.55 * share(days.ln() / 5f64.ln()) + 0.45 * share(of.span_days / 7.0),
    };
    let recency = of
        .idle_days
        .map_or(0.0, |days| (-days.max(0.0) / options.half_life_days).exp2());
    [
        options.relevance * share(of.feedback),
        options.frequency * share((of.accesses as f64).ln_1p() / 10f64.ln_1p()),
        options.diversity * share(of.questions.max(of.days) as f64 / 5.0),
        options.recency * recency,
        options.consolidation * consolidation,
        options.richness * share(f64::from(of.tags) / 6.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_equal_hand_computed_values() {
        let none = PromotionInputs {
            accesses: 0,
            feedback: 0.0,
            questions: 0,
            days: 0,
            span_days: 0.0,
            idle_days: None,
            tags: 0,
        };
        let full = PromotionInputs {
            accesses: 10,
            feedback: 1.0,
            questions: 5,
            days: 5,
            span_days: 7.0,
            idle_days: Some(0.0),
            tags: 6,
        };
        let half = PromotionInputs {
            accesses: 2,
            feedback: -0.5,
            questions: 1,
            days: 2,
            span_days: 1.0,
            idle_days: Some(14.0),
            tags: 3,
        };
        let once = PromotionInputs { days: 1, ..none };
        for (of, expected) in [
            (none, [0.0; 6]),
            (full, [0.3, 0.24, 0.15, 0.15, 0.1, 0.06]),
            (once, [0.0, 0.0, 0.03, 0.0, 0.02, 0.0]),
            (half, [0.0, 0.109_957, 0.06, 0.075, 0.030_116, 0.03]),
        ] {
            let found = terms(of, &PromotionOptions::default());
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-5,
                    "{of:?}: {found} {expected}"
                );
            }
        }
    }
}
