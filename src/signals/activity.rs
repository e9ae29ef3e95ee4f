//! Activity: how much a note is used.
//!
//! As in MemState, it starts at 1 and grows by `bump` per use. MemState never lowers it and so
//! never forgets a note; here a negative reward subtracts `penalty` times its size. A forgotten
//! note keeps half, as in MemState's archive.

use super::tier::Tier;
use crate::config::{section, values};

/// Activity of an unused note.
pub const INITIAL: f64 = 1.0;

section! {
    pub struct ActivityOptions: "activity" {
        /// amount that a use adds to the activity of a note, which starts at 1
        bump: f64 = 0.1, values::AMOUNT;
        /// amount that a reward of -1 subtracts from the activity of a note
        penalty: f64 = 0.1, values::AMOUNT;
        /// maximum activity
        max: f64 = 10.0, values::POSITIVE;
    }
}

/// Returns the activity after `times` further uses.
pub fn after_uses(activity: f64, times: u64, options: &ActivityOptions) -> f64 {
    let most = options.max.max(activity);
    options.bump.mul_add(times as f64, activity).min(most)
}

/// Returns the activity after feedback; only negative rewards lower it.
pub fn after_feedback(activity: f64, reward: f64, options: &ActivityOptions) -> f64 {
    (activity + options.penalty * reward.clamp(-1.0, 0.0)).max(0.0)
}

/// Returns the activity of a note in this tier.
pub fn in_tier(activity: f64, tier: Tier) -> f64 {
    match tier {
        Tier::Forgotten => activity / 2.0,
        Tier::Archival | Tier::Working | Tier::Core => activity,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_affects_activity() {
        let options = ActivityOptions::default();
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        close(after_uses(1.0, 3, &options), 1.3);
        close(after_uses(9.95, 1, &options), 10.0);
        close(after_uses(12.0, 1, &options), 12.0);
        close(
            after_uses(
                1.0,
                1,
                &ActivityOptions {
                    bump: 0.5,
                    ..options.clone()
                },
            ),
            1.5,
        );
        close(
            after_uses(
                1.5,
                9,
                &ActivityOptions {
                    max: 2.0,
                    ..options.clone()
                },
            ),
            2.0,
        );
        close(after_feedback(1.0, -0.5, &options), 0.95);
        close(after_feedback(1.0, 1.0, &options), 1.0);
        close(
            after_feedback(
                1.0,
                -1.0,
                &ActivityOptions {
                    penalty: 2.0,
                    ..options
                },
            ),
            0.0,
        );
        close(in_tier(1.0, Tier::Forgotten), 0.5);
        close(in_tier(1.0, Tier::Archival), 1.0);
    }
}
