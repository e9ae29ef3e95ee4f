//! The options of the job.

use serde::{Deserialize, Serialize};

use crate::config::{Every, Key, Section, Trust, values};
use crate::jobs::find::Notes;
use crate::signals::tier::Tier;

/// Which notes are forgotten, and what becomes of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub notes: Notes,
    #[serde(deserialize_with = "values::any_case")]
    pub from: From,
    /// After so long a forgotten note goes to the trash.
    #[serde(with = "values::text")]
    pub trash: Every,
}

/// Which notes are forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum From {
    /// Those in the archive.
    #[default]
    Archival,
    /// Working ones too, as in AutoMem, which has no tier between.
    Working,
}

impl Options {
    /// Returns true if notes of this tier are forgotten.
    pub(in crate::jobs) fn takes(&self, tier: Tier) -> bool {
        tier == Tier::Archival || tier == Tier::Working && self.from == From::Working
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            notes: Notes::default(),
            from: From::default(),
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
                "from",
                Trust::Sets,
                "archival or working",
                "which notes are forgotten: those in the archive, or working ones too",
            ),
            Key::new(
                "trash",
                // A vault that came from a stranger removes nothing unasked: it may only turn this off.
                Trust::Lowers(|new, _| new.as_str() != Some("off")),
                Every::TAKES,
                "how long after it was forgotten a note goes to the trash",
            ),
        ]
    }
}
