//! How close at hand a note is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a note has faded, the farthest first.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
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
    pub const ALL: [Self; 4] = [Self::Core, Self::Working, Self::Archival, Self::Forgotten];

    /// Returns the tier called `name`, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|tier| tier.name().eq_ignore_ascii_case(name.trim()))
    }

    /// Returns the tier as written in a note.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Working => "working",
            Self::Archival => "archival",
            Self::Forgotten => "forgotten",
        }
    }
}
