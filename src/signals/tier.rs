//! Tiers of notes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::note::words::lists::named;

/// How far a note has faded; ordered from most to least faded.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Excluded unless requested.
    Forgotten,
    /// Ranks lower.
    Archival,
    /// The default.
    #[default]
    Working,
    /// Ranks higher and never fades.
    Core,
}

impl Tier {
    /// Returns the tier called `name`, ignoring case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|tier| tier.name().eq_ignore_ascii_case(name.trim()))
    }
}

named! { Tier {
    Core = "core",
    Working = "working",
    Archival = "archival",
    Forgotten = "forgotten",
} }
