//! Events on which rules run.

use crate::note::words::lists::named;

/// An event on which rules run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RuleEvent {
    /// A note was added or changed.
    Ingest,
    /// The vault was queried.
    Recall,
    Sleep,
    /// The vault exceeds a limit, `rules.most_…`.
    Pressure,
}

named! { RuleEvent {
    Ingest = "ingest",
    Recall = "recall",
    Sleep = "sleep",
    Pressure = "pressure",
} }

impl RuleEvent {
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}
