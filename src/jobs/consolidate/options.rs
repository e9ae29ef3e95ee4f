//! The options of the job.

use serde::{Deserialize, Serialize};

use crate::config::{Key, Section, Trust, values};
use crate::embed::Thresholds;
use crate::jobs::find::Notes;

/// What becomes one note, and what of the notes that it is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub notes: Notes,
    #[serde(deserialize_with = "values::any_case")]
    pub source: Source,
    #[serde(deserialize_with = "values::any_case")]
    pub originals: Originals,
    /// From which cosine with the first one on a note is of its cluster; 0 for what fits the source.
    #[serde(deserialize_with = "values::share")]
    pub least: f32,
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

impl Section for Options {
    const NAME: &'static str = "consolidate";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "notes",
                Trust::Sets,
                "managed or all",
                "which notes are consolidated: those that mem or an agent wrote, or yours too",
            ),
            Key::new(
                "source",
                Trust::Sets,
                "working or near_duplicates",
                "where clusters are looked for: among working notes, or among all that say nearly the same",
            ),
            Key::new(
                "originals",
                Trust::Sets,
                "archival or superseded",
                "what becomes of the notes of a digest: they rank lower, or end because it replaces them",
            ),
            Key::new(
                "least",
                Trust::Sets,
                values::SHARE,
                "cosine with its first note from which on a note is of a cluster; 0 for what fits the model, 0.95 of near duplicates",
            ),
        ]
    }
}
