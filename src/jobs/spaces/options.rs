//! The options of the job.

use serde::{Deserialize, Deserializer, Serialize};

use crate::config::{Key, Section, Trust, values};
use crate::jobs::find::Notes;

/// How far spaces reach.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Which notes get a space.
    pub notes: Notes,
    /// The share of a note's links that lead to or come from notes of a space, for it to get that one.
    #[serde(deserialize_with = "values::share")]
    pub least: f32,
    /// Over so many links a run passes a space on; 0 for any number.
    #[serde(deserialize_with = "passes")]
    pub passes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            notes: Notes::default(),
            least: 0.5,
            passes: 0,
        }
    }
}

impl Section for Options {
    const NAME: &'static str = "spaces";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "notes",
                Trust::Sets,
                "managed or all",
                "which notes get a space: those that mem or an agent wrote, or yours too, as questions",
            ),
            Key::new(
                "least",
                Trust::Sets,
                "a number from 0 to 1",
                "share of a note's links that have to be with notes of a space for it to get that space",
            ),
            Key::new(
                "passes",
                Trust::Sets,
                "a number from 0 to 50",
                "how many links a space may travel in one run; 0 for any number",
            ),
        ]
    }
}

fn passes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 0..=50)
}
