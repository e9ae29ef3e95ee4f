//! Options of the job.

use crate::config::Trust;
use crate::jobs::prelude::*;

section! {
    /// Which notes are forgotten, and what happens to them.
    pub struct ForgetOptions: "forget", everyday [notes] {
        /// which notes are forgotten: those written by mem or an agent, or yours too, as one question a month
        notes: NoteScope, "managed or all";
        /// which tiers are forgotten: archival notes only, or working ones too
        from: ForgettableTiers, "archival or working";
        /// delay after which a forgotten note goes to the trash
        trash: Interval = Interval::Never, Interval::DOMAIN, TRASH_TRUST;
    }
}

/// An untrusted vault may only turn this off, so that it removes nothing unasked.
const TRASH_TRUST: Trust = Trust::Lowers(|new, _| new.as_str() != Some("off"));

/// Which tiers are forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ForgettableTiers {
    /// Archival notes.
    #[default]
    Archival,
    /// Working notes too, as in AutoMem, which has no tier between.
    Working,
}

impl ForgetOptions {
    /// Returns true if notes of this tier are forgotten.
    pub(in crate::jobs) fn takes(&self, tier: Tier) -> bool {
        tier == Tier::Archival || tier == Tier::Working && self.from == ForgettableTiers::Working
    }
}
