//! Relevance: how much a note still matters, 0–1.
//!
//! AutoMem's formula, with fractional days:
//!
//! decay = e^(−`decay`·age) · access = 1 within a day of the last use, else e^(−`access_decay`·days)
//!
//! min(1, max(decay · (`access_base` + `access_gain`·access) · (1 + `relations`·ln(1 + links)) · (.5 + importance) ·
//! (.7 + .3·confidence), `floor`·importance))
//!
//! | revision | `decay` | `access_base` | `access_gain` | `floor` |
//! |---|---|---|---|---|
//! | its page | .1 | 0 | 1 | 0 |
//! | the later one, built in | .01 | .3 | .3 | .3 |
//!
//! With the page's numbers most of a vault has no relevance left after two months. Importance and
//! confidence are the stated ones; an unused note counts as used at its creation.

use crate::config::{section, values};

section! {
    pub struct RelevanceOptions: "relevance" {
        /// how fast relevance falls with age: e^(-decay * days)
        decay: f64 = 0.01, values::AMOUNT;
        /// how fast relevance falls with time since the last use
        access_decay: f64 = 0.05, values::AMOUNT;
        /// factor applied to the relevance of an unused note
        access_base: f64 = 0.3, values::AMOUNT;
        /// amount that use today adds to `relevance.access_base`
        access_gain: f64 = 0.3, values::AMOUNT;
        /// effect of links: 1 + relations * ln(1 + links)
        relations: f64 = 0.3, values::AMOUNT;
        /// minimum relevance of a note of importance 1, in proportion for others
        floor: f64 = 0.3, 0.0..=1.0;
    }
}

/// Inputs of relevance.
#[derive(Clone, Copy, Debug)]
pub struct RelevanceInputs {
    pub age_days: f64,
    /// Since the last use; `None` if there was none.
    pub idle_days: Option<f64>,
    pub links: u32,
    pub importance: f64,
    pub confidence: f64,
}

/// Names of the factors. Their product, limited by the floor and 1, is the relevance.
pub const FACTORS: [&str; 5] = ["age", "access", "links", "importance", "confidence"];

/// Returns the factors of relevance.
pub fn factors(of: RelevanceInputs, options: &RelevanceOptions) -> [f64; 5] {
    let idle = of.idle_days.unwrap_or(of.age_days);
    let access = if idle < 1.0 {
        1.0
    } else {
        (-options.access_decay * idle).exp()
    };
    [
        (-options.decay * of.age_days.max(0.0)).exp(),
        options.access_base + options.access_gain * access,
        1.0 + options.relations * f64::from(of.links).ln_1p(),
        0.5 + of.importance,
        0.7 + 0.3 * of.confidence,
    ]
}

/// Returns the relevance of a note.
pub fn relevance(of: RelevanceInputs, options: &RelevanceOptions) -> f64 {
    let product: f64 = factors(of, options).iter().product();
    product.max(options.floor * of.importance).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::tests::{Case, cases};

    fn page() -> RelevanceOptions {
        RelevanceOptions {
            decay: 0.1,
            access_base: 0.0,
            access_gain: 1.0,
            floor: 0.0,
            ..RelevanceOptions::default()
        }
    }

    fn facts(case: &Case<'_>, links: &str) -> RelevanceInputs {
        RelevanceInputs {
            age_days: case.number("age_days").unwrap_or(0.0),
            idle_days: case.number("days_since_access"),
            links: case.of(links) as u32,
            importance: case.number("importance").unwrap_or(0.5),
            confidence: case.number("confidence").unwrap_or(0.5),
        }
    }

    #[test]
    fn relevance_equals_page_of_automem() {
        let all = cases(include_str!(
            "../../fixtures/signals/automem_relevance_page.tsv"
        ));
        assert_eq!(all.len(), 150);
        for case in all {
            let found = relevance(facts(&case, "relations"), &page());
            assert!(
                (found - case.of("expected_relevance")).abs() <= 1e-9,
                "{case:?}: {found}"
            );
        }
    }

    #[test]
    fn relevance_equals_automem() {
        let all = cases(include_str!("../../fixtures/signals/automem_relevance.tsv"));
        assert_eq!(all.len(), 236);
        for case in all {
            let built_in = RelevanceOptions::default();
            let options = RelevanceOptions {
                decay: case.number("base_decay_rate").unwrap_or(built_in.decay),
                floor: case
                    .number("importance_floor_factor")
                    .unwrap_or(built_in.floor),
                ..built_in
            };
            let found = relevance(facts(&case, "relationships"), &options);
            assert!(
                (found - case.of("expected_relevance")).abs() <= 1e-9,
                "{case:?}: {found}"
            );
        }
    }
}
