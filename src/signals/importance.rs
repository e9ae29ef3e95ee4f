//! Importance: how used, linked and recent a note is.
//!
//! Ormah: the mean of three terms, weighted by `access`, `links` and `recency`, 0–1:
//!
//! | term | |
//! |---|---|
//! | access | ln(1 + accesses) / ln(1 + `accesses_full`), at most 1 |
//! | links | ln(1 + links to and from it) / ln(1 + `links_full`), at most 1 |
//! | recency | its page: retrievability; the later revision, built in: ½^(days since the last access / `half_life_days`) |
//!
//! A stated `importance` outranks it, permanently if a person wrote it. With `stated = "people"`
//! (Ormah) one that an agent wrote is only a start: it is recomputed and fades. The seal (`mem.by`)
//! identifies the author: managed notes belong to agents, all others to people. Editing an agent's
//! note outside mem makes it a person's.

use serde::{Deserialize, Serialize};

use crate::config::{section, values};

section! {
    pub struct ImportanceOptions: "importance" {
        /// weight of use in the importance of a note
        access: f64 = 0.34, 0.0..=1.0;
        /// weight of links to and from a note in its importance
        links: f64 = 0.33, 0.0..=1.0;
        /// weight of recent use in the importance of a note
        recency: f64 = 0.33, 0.0..=1.0;
        /// number of uses that gives the full `importance.access`
        accesses_full: f64 = 50.0, values::POSITIVE;
        /// number of links that gives the full `importance.links`
        links_full: f64 = 20.0, values::POSITIVE;
        /// whether recency fades equally for all notes, or more slowly for stable ones
        fades: RecencyDecay, "\"half-life\" or \"stability\"";
        /// days in which recency halves, with `fades = "half-life"`
        half_life_days: f64 = 14.0, values::POSITIVE;
        /// whose stated `importance` is final; with "people", that of managed notes is recomputed
        /// and fades
        stated: TrustedAuthors, "\"everyone\" or \"people\"";
    }
}

/// Whose stated `importance` is final.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustedAuthors {
    #[default]
    Everyone,
    /// Managed notes, which agents write, are recomputed.
    People,
}

/// How recency fades.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecencyDecay {
    /// With a half-life equal for all notes.
    #[default]
    HalfLife,
    /// With the stability of the note.
    Stability,
}

/// Inputs of importance.
#[derive(Clone, Copy, Debug)]
pub struct ImportanceInputs {
    pub accesses: u64,
    pub links: u32,
    /// Since the last use; `None` if unknown.
    pub idle_days: Option<f64>,
    pub stability: f64,
}

/// Names of the terms.
pub const TERMS: [&str; 3] = ["access", "links", "recency"];

/// Returns the terms, whose sum is the importance of a note.
pub fn terms(of: ImportanceInputs, options: &ImportanceOptions) -> [f64; 3] {
    let share = |count: f64, full: f64| (count.ln_1p() / full.ln_1p()).min(1.0);
    let recency = |days: f64| match options.fades {
        RecencyDecay::HalfLife => (-days.max(0.0) / options.half_life_days).exp2(),
        // No minimum interval, unlike retrievability; missing stability counts as one day.
        RecencyDecay::Stability => {
            let stability = if of.stability > 0.0 {
                of.stability
            } else {
                1.0
            };
            (-days.max(0.0) / stability).exp()
        }
    };
    let weights = options.access + options.links + options.recency;
    let term = |weight: f64, value: f64| {
        if weights > 0.0 {
            weight * value / weights
        } else {
            0.0
        }
    };
    [
        term(
            options.access,
            share(of.accesses as f64, options.accesses_full),
        ),
        term(
            options.links,
            share(f64::from(of.links), options.links_full),
        ),
        term(options.recency, of.idle_days.map_or(0.0, recency)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::measure::exceeds_dead_band;
    use crate::signals::tests::cases;

    #[test]
    fn importance_equals_ormah() {
        let options = ImportanceOptions {
            fades: RecencyDecay::Stability,
            ..ImportanceOptions::default()
        };
        let all = cases(include_str!("../../fixtures/signals/ormah_importance.tsv"));
        assert_eq!(all.len(), 131);
        for case in all {
            let of = ImportanceInputs {
                accesses: case.number("access_count").unwrap_or(0.0) as u64,
                links: case.of("edges") as u32,
                idle_days: case
                    .number("days_since_review")
                    .or(case.number("days_since_access")),
                stability: case.number("stability_days").unwrap_or(0.0),
            };
            let found: f64 = terms(of, &options).iter().sum();
            // A stored value changes only by more than the dead band.
            let old = case
                .number("old_importance")
                .filter(|old| !exceeds_dead_band(*old, found));
            let expected = case.of("expected_importance");
            assert!(
                (old.unwrap_or(found) - expected).abs() <= 1e-4,
                "{case:?}: {found}"
            );
        }
    }

    #[test]
    fn importance_is_zero_without_weights() {
        let none = ImportanceOptions {
            access: 0.0,
            links: 0.0,
            recency: 0.0,
            ..ImportanceOptions::default()
        };
        let of = ImportanceInputs {
            accesses: 5,
            links: 3,
            idle_days: Some(7.0),
            stability: 5.0,
        };
        assert!(terms(of, &none).iter().sum::<f64>().abs() < 1e-9);
    }
}
