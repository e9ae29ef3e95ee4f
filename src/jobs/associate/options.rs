//! The options of the job.

use serde::{Deserialize, Deserializer, Serialize};

use crate::config::{Key, Section, Trust, values};
use crate::jobs::find::Notes;

/// Which notes are compared, and what is enough to associate two that are not alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub notes: Notes,
    /// So many notes are drawn.
    #[serde(deserialize_with = "sample")]
    pub sample: usize,
    /// Of notes with a higher relevance.
    #[serde(deserialize_with = "values::share")]
    pub relevance: f64,
    #[serde(deserialize_with = "values::any_case")]
    pub subject: Subject,
    /// One run relates a note to at most this many others; 0 for no limit.
    pub per_note: usize,
}

/// What two notes that are not alike must have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// A tag, or a word of their titles; even so they are asked about.
    #[default]
    Shared,
    /// Nothing, as in AutoMem.
    Any,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            notes: Notes::default(),
            sample: 20,
            relevance: 0.3,
            subject: Subject::default(),
            per_note: 3,
        }
    }
}

impl Section for Options {
    const NAME: &'static str = "associate";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "notes",
                Trust::Sets,
                "managed or all",
                "which notes are associated: those that mem or an agent wrote, or yours too, as questions",
            ),
            Key::new(
                "sample",
                Trust::Sets,
                "a number from 0 to 200",
                "how many notes are drawn and compared with each other",
            ),
            Key::new(
                "relevance",
                Trust::Sets,
                values::SHARE,
                "notes of a lower relevance are not drawn",
            ),
            Key::new(
                "subject",
                Trust::Sets,
                "shared or any",
                "whether notes that are not alike need a tag or a word of their titles in common",
            ),
            Key::new(
                "per_note",
                Trust::Sets,
                "a number",
                "how many other notes one run relates a note to at most; 0 for no limit",
            ),
        ]
    }
}

fn sample<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 0..=200)
}
