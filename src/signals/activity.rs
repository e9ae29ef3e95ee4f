//! Activity: how busy a note is.
//!
//! MemState: 1 to begin with, more by `bump` at each use. MemState never lowers it, so it never forgets a
//! note; here a reward below 0 takes off `penalty` times as much. [`forgotten`] halves it as MemState's
//! archive does; the jobs do not use it yet.

use serde::{Deserialize, Serialize};

use crate::config::{Key, Section, Trust, values};

/// The activity of a note that was never used.
pub const INITIAL: f64 = 1.0;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActivityOptions {
    #[serde(deserialize_with = "values::amount")]
    pub bump: f64,
    #[serde(deserialize_with = "values::amount")]
    pub penalty: f64,
    #[serde(deserialize_with = "values::positive")]
    pub most: f64,
}

impl Default for ActivityOptions {
    fn default() -> Self {
        Self {
            bump: 0.1,
            penalty: 0.1,
            most: 10.0,
        }
    }
}

impl Section for ActivityOptions {
    const NAME: &'static str = "activity";

    fn keys() -> Vec<Key> {
        let key = |name, takes: &str, about| Key::new(name, Trust::Sets, takes, about);
        vec![
            key(
                "bump",
                values::AMOUNT,
                "what a use adds to the activity of a note, which begins at 1",
            ),
            key(
                "penalty",
                values::AMOUNT,
                "what a reward of -1 takes from it",
            ),
            key("most", values::POSITIVE, "maximum activity"),
        ]
    }
}

/// Returns the activity after a use.
#[must_use]
pub fn used(activity: f64, options: &ActivityOptions) -> f64 {
    (activity + options.bump).min(options.most)
}

/// Returns the activity after feedback; a reward above 0 takes nothing.
#[must_use]
pub fn judged(activity: f64, reward: f64, options: &ActivityOptions) -> f64 {
    (activity + options.penalty * reward.clamp(-1.0, 0.0)).max(0.0)
}

/// Returns the activity of a note that was forgotten.
#[must_use]
pub fn forgotten(activity: f64) -> f64 {
    activity / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_counts() {
        let options = ActivityOptions::default();
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        close(used(1.0, &options), 1.1);
        close(used(9.95, &options), 10.0);
        close(
            used(
                1.0,
                &ActivityOptions {
                    bump: 0.5,
                    ..options.clone()
                },
            ),
            1.5,
        );
        close(
            used(
                3.0,
                &ActivityOptions {
                    most: 2.0,
                    ..options.clone()
                },
            ),
            2.0,
        );
        close(judged(1.0, -0.5, &options), 0.95);
        close(judged(1.0, 1.0, &options), 1.0);
        close(
            judged(
                1.0,
                -1.0,
                &ActivityOptions {
                    penalty: 2.0,
                    ..options
                },
            ),
            0.0,
        );
        close(forgotten(1.0), 0.5);
    }
}
