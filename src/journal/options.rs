//! What counts as a use.

use serde::{Deserialize, Serialize};

use crate::config::{Key, Section, Trust, values};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// What a person read, edited, linked to or found useful.
    #[default]
    Confirmed,
    /// Whatever a search or a recall lists, too.
    Listed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UseOptions {
    #[serde(rename = "use", deserialize_with = "values::any_case")]
    pub counts: Use,
}

impl Section for UseOptions {
    const NAME: &'static str = "signals";

    fn keys() -> Vec<Key> {
        vec![Key::new(
            "use",
            Trust::Sets,
            "confirmed or listed",
            "what makes a note last: that it was read, edited, linked to or reinforced, or also that a search or recall listed it",
        )]
    }
}
