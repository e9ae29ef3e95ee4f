//! The options of the job.

use serde::{Deserialize, Serialize};

use crate::config::{section, values};
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

section! {
    pub struct Options: "link" {
        /// which similar notes to relate: those whose newer one mem or an agent wrote, all, or none
        similar: Similar, "managed, all or none";
        /// minimum cosine to relate two notes; 0 for the model's own threshold
        least: f32 = 0.0, 0.0..=1.0;
        /// maximum number of notes related to one note automatically
        per_note: usize = 5, 0..=50;
        /// whether to propose links for unlinked mentions of a note's name
        mentions: bool = true, values::BOOLEAN;
        /// whether notes that mem related unasked stay `related_to`, or a judge or you are asked for the type
        types: Types, "related or ask";
    }
    fixed {
        /// What the cosine of notes of different spaces loses.
        cross_space: f32 = 0.1;
    }
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

impl Options {
    /// Returns the cosine from which on two notes belong together, by vectors with these `thresholds`.
    pub fn least(&self, thresholds: Thresholds) -> f32 {
        if self.least > 0.0 {
            self.least
        } else {
            f32::midpoint(thresholds.related, thresholds.cluster_short)
        }
    }
}
