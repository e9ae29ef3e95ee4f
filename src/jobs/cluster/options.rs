//! The options of the job.

use serde::{Deserialize, Serialize};

use crate::config::{Key, Section, Trust, values};
use crate::embed::Thresholds;
use crate::jobs::find::Notes;

/// What a cluster is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Which notes are summarized.
    pub notes: Notes,
    /// From which cosine on two notes are of one cluster; 0 for what the model's cosines say.
    #[serde(deserialize_with = "values::share")]
    pub least: f32,
    /// How much less than that any two of a cluster may have; 1 for any.
    #[serde(deserialize_with = "values::share")]
    pub spread: f64,
    /// Notes of a lower relevance are in no new cluster.
    #[serde(deserialize_with = "values::share")]
    pub relevance: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            notes: Notes::default(),
            least: 0.0,
            spread: 0.1,
            relevance: 0.3,
        }
    }
}

impl Options {
    /// Returns from which cosine on two notes are of one cluster; `short` if both have few words.
    pub(super) fn least(&self, thresholds: Thresholds, short: bool) -> f32 {
        match (self.least > 0.0, short) {
            (true, _) => self.least,
            (false, true) => thresholds.cluster_short,
            (false, false) => thresholds.cluster_note,
        }
    }
}

impl Section for Options {
    const NAME: &'static str = "cluster";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "notes",
                Trust::Sets,
                "managed or all",
                "which notes are summarized: those that mem or an agent wrote, or yours too, as questions",
            ),
            Key::new(
                "least",
                Trust::Sets,
                values::SHARE,
                "cosine from which on two notes are of one cluster; 0 for what fits the model",
            ),
            Key::new(
                "spread",
                Trust::Sets,
                values::SHARE,
                "how much less than `cluster.least` any two notes of a cluster may have; 1 for any",
            ),
            Key::new(
                "relevance",
                Trust::Sets,
                values::SHARE,
                "notes of a lower relevance are in no new cluster",
            ),
        ]
    }
}
