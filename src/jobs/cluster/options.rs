//! The options of the job.

use crate::config::section;
use crate::embed::Thresholds;
use crate::jobs::find::Notes;

section! {
    /// What a cluster is.
    pub struct Options: "cluster" {
        /// which notes are summarized: those that mem or an agent wrote, or yours too, as questions
        notes: Notes, "managed or all";
        /// cosine from which on two notes are of one cluster; 0 for what fits the model
        least: f32 = 0.0, 0.0..=1.0;
        /// how much less than `cluster.least` any two notes of a cluster may have; 1 for any
        spread: f64 = 0.1, 0.0..=1.0;
        /// notes of a lower relevance are in no new cluster
        relevance: f64 = 0.3, 0.0..=1.0;
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
