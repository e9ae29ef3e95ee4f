//! Events that rules wait for.

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

impl Trigger {
    pub const ALL: [Self; 4] = [Self::Ingest, Self::Recall, Self::Sleep, Self::Pressure];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Recall => "recall",
            Self::Sleep => "sleep",
            Self::Pressure => "pressure",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}
