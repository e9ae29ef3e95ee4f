//! Stability: how many days a note is remembered without use; and retrievability, what is left of it.
//!
//! Ormah, after the forgetting curve of Ebbinghaus: R = e^(−t/S), t days after the last use. Each use
//! makes S longer, the more of it was forgotten by then:
//!
//! S′ = S · (base + gain · S^−damping · min(R^−spacing, ceiling)), at most `most`
//!
//! | revision | initial | base | gain | damping | spacing | ceiling | pause |
//! |---|---|---|---|---|---|---|---|
//! | its page | 1 | 0 | 1.5 | 0 | .2 | none (1000000) | 0 |
//! | the later one, built in | 5.814 | 1 | .5 | .5 | .2 | 2 | 1 |
//!
//! By the page's numbers ten uses in an hour make a note stay for two months, and one use after a month
//! for a year. By the later ones that takes some 74 uses, one a day.

use crate::config::{section, values};

/// Seconds of a day, in which stability is counted.
pub const DAY: f64 = 86_400.0;

/// No time is shorter than this, in days.
const INSTANT: f64 = 0.001;

section! {
    pub struct StabilityOptions: "stability" {
        /// days that a note not used yet is remembered for
        initial: f64 = 5.814, values::POSITIVE;
        /// what a use multiplies stability by, however long ago the last one was
        base: f64 = 1.0, values::AMOUNT;
        /// what a use adds to that, weighed by how much was forgotten
        gain: f64 = 0.5, values::AMOUNT;
        /// how much slower a stability that is long already grows
        damping: f64 = 0.5, 0.0..=1.0;
        /// how much more a use counts the more was forgotten by then
        spacing: f64 = 0.2, 0.0..=1.0;
        /// at most so many times more does it count
        ceiling: f64 = 2.0, values::POSITIVE;
        /// maximum stability, in days
        most: f64 = 365.0, values::POSITIVE;
        /// days after a use in which another one adds nothing; of reads and edits only the first of a day counts
        /// anyway
        pause: f64 = 1.0, values::AMOUNT;
    }
}

/// Returns how well a note is remembered, 0–1, `days` after its last use.
pub fn retrievability(days: f64, stability: f64) -> f64 {
    if stability > 0.0 {
        (-days.max(INSTANT) / stability).exp()
    } else {
        1.0
    }
}

/// Returns the stability after a use, `days` after the one before.
pub fn grown(stability: f64, days: f64, options: &StabilityOptions) -> f64 {
    let stability = if stability.is_finite() && stability > 0.0 {
        stability
    } else {
        options.initial
    };
    // R^−spacing, without the R that would be 0 after some years.
    let forgotten = (days.max(INSTANT) / stability * options.spacing).exp();
    let gain = options.gain * stability.powf(-options.damping) * forgotten.min(options.ceiling);
    (stability * (options.base + gain)).min(options.most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::tests::cases;

    fn page() -> StabilityOptions {
        StabilityOptions {
            initial: 1.0,
            base: 0.0,
            gain: 1.5,
            damping: 0.0,
            ceiling: 1e6,
            pause: 0.0,
            ..StabilityOptions::default()
        }
    }

    #[test]
    fn as_the_page_of_ormah_says() {
        let all = cases(include_str!(
            "../../fixtures/signals/ormah_stability_growth.tsv"
        ));
        assert_eq!(all.len(), 81);
        for case in all {
            let found = grown(
                case.of("stability_days"),
                case.of("days_since_review"),
                &page(),
            );
            let expected = case.of("expected_new_stability");
            // The numbers are rounded to two places.
            assert!(
                (found - expected).abs() <= 0.005 + 1e-9,
                "{case:?}: {found}"
            );
        }
    }

    #[test]
    fn as_its_later_revision_says() {
        let options = StabilityOptions::default();
        for (stability, days, expected) in [
            (4.0, 0.0, 5.0),
            // R^-.2 of 20 days is e, and counts 2.
            (4.0, 20.0, 6.0),
            (360.0, 3600.0, 365.0),
            (0.0, 0.0, 5.814 * (1.0 + 0.5 / 5.814f64.sqrt())),
            (f64::NAN, 0.0, 5.814 * (1.0 + 0.5 / 5.814f64.sqrt())),
        ] {
            let found = grown(stability, days, &options);
            assert!(
                (found - expected).abs() < 1e-3,
                "{stability} {days}: {found}"
            );
        }
        // R is .3 after a week, and it takes some 74 daily uses to come from a day to a year.
        assert!((retrievability(7.0, options.initial) - 0.3).abs() < 1e-4);
        let mut stability = 1.0;
        let uses = (1..1000).find(|_| {
            stability = grown(stability, 1.0, &options);
            stability >= 365.0
        });
        assert!((70..80).contains(&uses.unwrap()), "{uses:?}");
    }
}
