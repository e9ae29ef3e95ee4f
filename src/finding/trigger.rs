//! Events that rules wait for.

use crate::note::words::lists::named;

/// What raises a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trigger {
    /// A note came in or was written anew.
    Ingest,
    /// Somebody asked for what the vault knows.
    Recall,
    Sleep,
    /// There is more in the vault than `rules.most_…` say.
    Pressure,
}

named! { Trigger {
    Ingest = "ingest",
    Recall = "recall",
    Sleep = "sleep",
    Pressure = "pressure",
} }

impl Trigger {
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}
