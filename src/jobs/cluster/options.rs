//! Options of the job.

use crate::config::section;
use crate::embed::Thresholds;
use crate::jobs::find::NoteScope;

section! {
    /// Definition of a cluster.
    pub struct ClusterOptions: "cluster", everyday [notes] {
        /// which notes are summarized: those written by mem or an agent, or yours too, as questions
        notes: NoteScope, "managed or all";
        /// minimum cosine of two notes of a cluster; 0 selects the threshold of the model
        min_cosine: f32 = 0.0, 0.0..=1.0;
        /// how far below `cluster.min_cosine` the cosine of any two notes of a cluster may be; 1 for no limit
        spread: f64 = 0.1, 0.0..=1.0;
        /// notes of lower relevance are in no new cluster
        relevance: f64 = 0.3, 0.0..=1.0;
    }
}

impl ClusterOptions {
    /// Returns the minimum cosine of two notes of a cluster; `short` if both have few words.
    pub(super) fn min_cosine(&self, thresholds: Thresholds, short: bool) -> f32 {
        match (self.min_cosine > 0.0, short) {
            (true, _) => self.min_cosine,
            (false, true) => thresholds.cluster_short,
            (false, false) => thresholds.cluster_note,
        }
    }
}
