//! Options of the job.

use serde::{Deserialize, Serialize};

use crate::config::{section, values};
use crate::embed::Thresholds;

/// Which similar notes are related.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SimilarityScope {
    /// Pairs whose newer note was written by mem or an agent.
    #[default]
    Managed,
    All,
    None,
}

section! {
    pub struct LinkOptions: "link", everyday [similar] {
        /// which similar notes to relate: pairs whose newer note mem or an agent wrote, all, or none
        similar: SimilarityScope, "managed, all or none";
        /// minimum cosine to relate two notes; 0 selects the threshold of the model
        min_cosine: f32 = 0.0, 0.0..=1.0;
        /// maximum number of notes related to one note automatically
        per_note: usize = 5, 0..=50;
        /// whether to propose links for unlinked mentions of a note's name
        mentions: bool = true, values::BOOLEAN;
        /// whether relations added without a question stay `related_to`, or become questions about
        /// their type
        types: RelatedPolicy, "related or ask";
    }
    fixed {
        /// Penalty on the cosine of notes in different spaces.
        cross_space: f32 = 0.1;
    }
}

/// Handling of a `related_to` that mem stated unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RelatedPolicy {
    /// Keep it.
    #[default]
    Related,
    /// Ask a judge or a person for the relation; keep it until then.
    Ask,
}

impl LinkOptions {
    /// Returns the minimum cosine of related notes, by vectors with these `thresholds`.
    pub fn min_cosine(&self, thresholds: Thresholds) -> f32 {
        if self.min_cosine > 0.0 {
            self.min_cosine
        } else {
            f32::midpoint(thresholds.related, thresholds.cluster_short)
        }
    }
}
