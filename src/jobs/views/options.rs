//! The options of the job.

use serde::{Deserialize, Serialize};

use crate::config::{Key, Section, Trust};
use crate::jobs::find::Notes;

/// Whose lists are kept up to date.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub notes: Notes,
}

impl Default for Options {
    fn default() -> Self {
        Self { notes: Notes::All }
    }
}

impl Section for Options {
    const NAME: &'static str = "views";

    fn keys() -> Vec<Key> {
        vec![Key::new(
            "notes",
            Trust::Sets,
            "managed or all",
            "in which notes lists between marks are kept up to date: those that mem or an agent wrote, or all that have such marks",
        )]
    }
}
