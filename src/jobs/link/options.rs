//! The options of the job.

use serde::{Deserialize, Deserializer, Serialize};

use crate::config::{Key, Section, Trust, values};
use crate::embed::Thresholds;

/// Which similar notes are related.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Similar {
    /// Those of which mem or an agent wrote the newer one.
    #[default]
    Managed,
    All,
    None,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Which notes are related because they are similar.
    pub similar: Similar,
    /// The cosine from which on two notes belong together; 0 for what the model says.
    #[serde(deserialize_with = "values::share")]
    pub least: f32,
    /// At most so many notes are related to one, and only its so many nearest can be.
    #[serde(deserialize_with = "per_note")]
    pub per_note: usize,
    /// What the cosine of notes of different spaces loses.
    #[serde(skip)]
    pub cross_space: f32,
    /// Whether to look for names of notes in the texts of others.
    pub mentions: bool,
    /// What becomes of the type of a relation that was stated because two notes are similar.
    #[serde(deserialize_with = "values::any_case")]
    pub types: Types,
}

/// What becomes of a `related_to` that mem stated unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Types {
    /// It stays.
    #[default]
    Related,
    /// A judge or a person is asked which relation it is; until then it stays.
    Ask,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            similar: Similar::default(),
            least: 0.0,
            per_note: 5,
            cross_space: 0.1,
            mentions: true,
            types: Types::default(),
        }
    }
}

impl Options {
    /// Returns the cosine from which on two notes belong together, by vectors with these `thresholds`.
    #[must_use]
    pub fn least(&self, thresholds: Thresholds) -> f32 {
        if self.least > 0.0 {
            self.least
        } else {
            f32::midpoint(thresholds.related, thresholds.cluster_short)
        }
    }
}

impl Section for Options {
    const NAME: &'static str = "link";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "similar",
                Trust::Sets,
                "managed, all or none",
                "which similar notes to relate: those whose newer one mem or an agent wrote, all, or none",
            ),
            Key::new(
                "least",
                Trust::Sets,
                "a number from 0 to 1",
                "minimum cosine to relate two notes; 0 for the model's own threshold",
            ),
            Key::new(
                "per_note",
                Trust::Sets,
                "a number from 0 to 50",
                "maximum number of notes related to one note automatically",
            ),
            Key::new(
                "mentions",
                Trust::Sets,
                "true or false",
                "whether to propose links for unlinked mentions of a note's name",
            ),
            Key::new(
                "types",
                Trust::Sets,
                "related or ask",
                "whether notes that mem related unasked stay `related_to`, or a judge or you are asked for the type",
            ),
        ]
    }
}

fn per_note<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 0..=50)
}
