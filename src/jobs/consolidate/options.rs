//! Options of the job.

use crate::embed::Thresholds;
use crate::jobs::prelude::*;

section! {
    /// What is consolidated, and what happens to the sources.
    pub struct ConsolidateOptions: "consolidate", everyday [notes] {
        /// whose notes are consolidated: those written by mem or an agent, or yours too
        notes: NoteScope, "managed or all";
        /// which notes are consolidated: clusters of working notes, or near duplicates
        source: ClusterSource, "working or near_duplicates";
        /// what happens to the sources of a digest: they become archival, or the digest replaces
        /// them
        originals: Originals, "archival or superseded";
        /// minimum cosine with the first note of a cluster; 0 selects the threshold of the model, or 0.95 for near duplicates
        min_cosine: f32, 0.0..=1.0;
    }
}

/// Which notes form clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterSource {
    /// Working notes, as in Ormah.
    #[default]
    Working,
    /// Near duplicates, as in OwnSona.
    NearDuplicates,
}

/// What happens to the sources of a digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Originals {
    /// They rank lower.
    #[default]
    Archival,
    /// The digest replaces them.
    Superseded,
}

/// Cosine of near duplicates in OwnSona.
const NEAR_DUPLICATE_COSINE: f32 = 0.95;

impl ConsolidateOptions {
    pub(super) fn min_cosine(&self, thresholds: Thresholds) -> f32 {
        match self.source {
            _ if self.min_cosine > 0.0 => self.min_cosine,
            ClusterSource::Working => thresholds.cluster_short,
            ClusterSource::NearDuplicates => NEAR_DUPLICATE_COSINE,
        }
    }
}
