//! The options of the job.

use serde::{Deserialize, Deserializer, Serialize};

use crate::config::{Key, Section, Trust, values};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Share of the longer text that the shorter one has to say for rules alone to merge them, 0–1.
    #[serde(deserialize_with = "certain")]
    pub certain: f64,
    /// How alike two notes have to be for a question, 0–1: the share of their wording that is the
    /// same, or of short ones the composite of cosine, titles and words, which has a bound of its own, too.
    #[serde(deserialize_with = "values::share")]
    pub ask: f64,
    /// What becomes of notes whose titles alone are equal.
    #[serde(deserialize_with = "values::any_case")]
    pub titles: Titles,
    /// So many of the nearest others each short note is compared with.
    #[serde(skip)]
    pub neighbours: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            certain: 0.6,
            ask: 0.6,
            titles: Titles::default(),
            neighbours: 5,
        }
    }
}

/// What becomes of notes whose titles alone are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Titles {
    #[default]
    Off,
    /// One question for each title.
    Ask,
    /// They become one, as in MemState.
    Merge,
}

impl Section for Options {
    const NAME: &'static str = "dedupe";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "certain",
                Trust::Nothing,
                "a number from 0.5 to 1",
                "minimum overlap for automatic merging: share of the longer text that the shorter one repeats in order",
            ),
            Key::new(
                "ask",
                Trust::Sets,
                "a number from 0 to 1",
                "minimum similarity of two notes to ask whether they are duplicates",
            ),
            Key::new(
                "titles",
                Trust::Sets,
                "off, ask or merge",
                "what becomes of notes that have the same title and different texts: nothing, one question, or a merge as in MemState",
            ),
        ]
    }
}

fn certain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    values::within(deserializer, 0.5..=1.0)
}
