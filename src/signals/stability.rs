//! Stability: how many days a note is remembered without use; retrievability: how much remains.
//!
//! Ormah, after the forgetting curve of Ebbinghaus: R = e^(−t/S), t days after the last use. Each
//! use lengthens S, more so the more was forgotten by then:
//!
//! S′ = S · (base + gain · S^−damping · min(R^−spacing, ceiling)), at most `max`
//!
//! | revision | initial | base | gain | damping | spacing | ceiling | pause |
//! |---|---|---|---|---|---|---|---|
//! | its page | 1 | 0 | 1.5 | 0 | .2 | none (1000000) | 0 |
//! | the later one, built in | 5.814 | 1 | .5 | .5 | .2 | 2 | 1 |
//!
//! With the page's numbers ten uses within an hour keep a note for two months, and one use after a
//! month keeps it for a year. With the later ones that takes some 74 uses, one a day.

use crate::config::{section, values};

/// Seconds per day, the unit of stability.
pub const DAY: f64 = 86_400.0;

/// Minimum interval, in days.
const MIN_INTERVAL_DAYS: f64 = 0.001;

section! {
    pub struct StabilityOptions: "stability" {
        /// initial stability, in days: after this time, retrievability falls to 1/e without use
        initial: f64 = 5.814, values::POSITIVE;
        /// factor applied to stability at each use, regardless of the interval
        base: f64 = 1.0, values::AMOUNT;
        /// amount that a use adds to `stability.base`, in proportion to what was forgotten
        gain: f64 = 0.5, values::AMOUNT;
        /// how much growth slows down for notes that are already stable
        damping: f64 = 0.5, 0.0..=1.0;
        /// how much more a use counts after a longer interval
        spacing: f64 = 0.2, 0.0..=1.0;
        /// maximum factor of `stability.spacing`
        ceiling: f64 = 2.0, values::POSITIVE;
        /// maximum stability, in days
        max: f64 = 365.0, values::POSITIVE;
        /// days after a use during which further uses add nothing; reads and edits count once a day
        /// anyway
        pause: f64 = 1.0, values::AMOUNT;
    }
}

/// Returns the retrievability of a note, 0–1, `days` after its last use.
pub fn retrievability(days: f64, stability: f64) -> f64 {
    if stability > 0.0 {
        (-days.max(MIN_INTERVAL_DAYS) / stability).exp()
    } else {
        1.0
    }
}

/// Returns the stability after a use, `days` after the previous one.
pub fn after_use(stability: f64, days: f64, options: &StabilityOptions) -> f64 {
    let stability = if stability.is_finite() && stability > 0.0 {
        stability
    } else {
        options.initial
    };
    // R^−spacing, computed without R, which underflows to 0 after some years.
    let forgotten = (days.max(MIN_INTERVAL_DAYS) / stability * options.spacing).exp();
    let gain = options.gain * stability.powf(-options.damping) * forgotten.min(options.ceiling);
    (stability * (options.base + gain)).min(options.max)
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
    fn growth_equals_page_of_ormah() {
        let all = cases(include_str!(
            "../../fixtures/signals/ormah_stability_growth.tsv"
        ));
        assert_eq!(all.len(), 81);
        for case in all {
            let found = after_use(
                case.of("stability_days"),
                case.of("days_since_review"),
                &page(),
            );
            let expected = case.of("expected_new_stability");
            // The reference values are rounded to two places.
            assert!(
                (found - expected).abs() <= 0.005 + 1e-9,
                "{case:?}: {found}"
            );
        }
    }

    #[test]
    fn growth_equals_later_revision_of_ormah() {
        let options = StabilityOptions::default();
        for (stability, days, expected) in [
            (4.0, 0.0, 5.0),
            // R^-.2 after 20 days is e, which `ceiling` limits to 2.
            (4.0, 20.0, 6.0),
            (360.0, 3600.0, 365.0),
            (0.0, 0.0, 5.814 * (1.0 + 0.5 / 5.814f64.sqrt())),
            (f64::NAN, 0.0, 5.814 * (1.0 + 0.5 / 5.814f64.sqrt())),
        ] {
            let found = after_use(stability, days, &options);
            assert!(
                (found - expected).abs() < 1e-3,
                "{stability} {days}: {found}"
            );
        }
        // R is .3 after a week, and growing from a day to a year takes some 74 daily uses.
        assert!((retrievability(7.0, options.initial) - 0.3).abs() < 1e-4);
        let mut stability = 1.0;
        let uses = (1..1000).find(|_| {
            stability = after_use(stability, 1.0, &options);
            stability >= 365.0
        });
        assert!((70..80).contains(&uses.unwrap()), "{uses:?}");
    }
}
