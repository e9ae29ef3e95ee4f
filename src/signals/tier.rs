//! How close at hand a note is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::note::words::lists::named;

/// How far a note has faded, the farthest first.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Left out unless asked for.
    Forgotten,
    /// Ranks lower.
    Archival,
    /// The usual one, and that of a note that names none.
    #[default]
    Working,
    /// Always at hand.
    Core,
}

impl Tier {
    /// Returns the tier called `name`, in any case.
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
