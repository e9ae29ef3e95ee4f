//! The options of the job.

use crate::embed::Thresholds;
use crate::jobs::prelude::*;

section! {
    /// What becomes one note, and what of the notes that it is made of.
    pub struct Options: "consolidate" {
        /// which notes are consolidated: those that mem or an agent wrote, or yours too
        notes: Notes, "managed or all";
        /// where clusters are looked for: among working notes, or among all that say nearly the same
        source: Source, "working or near_duplicates";
        /// what becomes of the notes of a digest: they rank lower, or end because it replaces them
        originals: Originals, "archival or superseded";
        /// cosine with its first note from which on a note is of a cluster; 0 for what fits the model, 0.95 of near
        /// duplicates
        least: f32, 0.0..=1.0;
    }
}

/// Where clusters are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Among working notes, as Ormah does.
    #[default]
    Working,
    /// Among notes that say nearly the same, as OwnSona does.
    NearDuplicates,
}

/// What becomes of the notes that a digest is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Originals {
    /// They rank lower.
    #[default]
    Archival,
    /// The digest replaces them.
    Superseded,
}

/// OwnSona's cosine of near duplicates.
const NEAR_DUPLICATES: f32 = 0.95;

impl Options {
    pub(super) fn least(&self, thresholds: Thresholds) -> f32 {
        match self.source {
            _ if self.least > 0.0 => self.least,
            Source::Working => thresholds.cluster_short,
            Source::NearDuplicates => NEAR_DUPLICATES,
        }
    }
}
