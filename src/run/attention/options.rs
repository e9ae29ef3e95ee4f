//! The settings of what a person is asked.

use serde::{Deserialize, Deserializer, Serialize};

use crate::config::{Key, Section, Trust, values};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewOptions {
    /// At most so many questions a day.
    #[serde(deserialize_with = "daily")]
    pub daily: usize,
    /// Whether the answers of the vault decide what is asked.
    pub learn: bool,
}

impl Default for ReviewOptions {
    fn default() -> Self {
        Self {
            daily: 10,
            learn: true,
        }
    }
}

impl Section for ReviewOptions {
    const NAME: &'static str = "review";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "daily",
                Trust::lowers::<usize>(),
                "a number from 0 to 10000",
                "maximum number of questions a day; everything else is a suggestion (`mem review --all`); 0 asks nothing",
            ),
            Key::new(
                "learn",
                Trust::Sets,
                "true or false",
                "whether your answers decide what is asked next: what you mostly reject is asked no more",
            ),
        ]
    }
}

fn daily<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 0..=10_000)
}
