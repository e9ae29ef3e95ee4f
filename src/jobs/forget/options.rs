//! The options of the job.

use serde::{Deserialize, Serialize};

use crate::config::{Every, Key, Section, Trust, values};
use crate::jobs::find::Notes;

/// Which notes are forgotten, and what becomes of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub notes: Notes,
    /// After so long a forgotten note goes to the trash.
    #[serde(with = "values::text")]
    pub trash: Every,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            notes: Notes::default(),
            trash: Every::Never,
        }
    }
}

impl Section for Options {
    const NAME: &'static str = "forget";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "notes",
                Trust::Sets,
                "managed or all",
                "which notes are forgotten: those that mem or an agent wrote, or yours too, as one question a month",
            ),
            Key::new(
                "trash",
                Trust::Sets,
                Every::TAKES,
                "how long after it was forgotten a note goes to the trash",
            ),
        ]
    }
}
