//! The options of the job.

use crate::config::Trust;
use crate::jobs::prelude::*;

section! {
    /// Which notes are forgotten, and what becomes of them.
    pub struct Options: "forget" {
        /// which notes are forgotten: those that mem or an agent wrote, or yours too, as one question a month
        notes: Notes, "managed or all";
        /// which notes are forgotten: those in the archive, or working ones too
        from: From, "archival or working";
        /// how long after it was forgotten a note goes to the trash
        trash: Every = Every::Never, Every::DOMAIN, TRASH_TRUST;
    }
}

/// A vault that came from a stranger removes nothing unasked: it may only turn this off.
const TRASH_TRUST: Trust = Trust::Lowers(|new, _| new.as_str() != Some("off"));

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
