//! The options of the job.

use serde::{Deserialize, Serialize};

use crate::config::{Key, Section, Trust};
use crate::jobs::find::Notes;

/// Which notes fade.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub notes: Notes,
}

impl Section for Options {
    const NAME: &'static str = "decay";

    fn keys() -> Vec<Key> {
        vec![Key::new(
            "notes",
            Trust::Sets,
            "managed or all",
            "which notes go into the archive: those that mem or an agent wrote, or yours too, as one question a month",
        )]
    }
}
