//! The settings of all signals.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::activity::ActivityOptions;
use super::fate::FateOptions;
use super::fields::{PERSISTENT, Signal};
use super::helped::ContextOptions;
use super::importance::ImportanceOptions;
use super::learned::RecallOptions;
use super::promotion::PromotionOptions;
use super::relevance::RelevanceOptions;
use super::salience::SalienceOptions;
use super::stability::StabilityOptions;
use crate::config::{Key, Schema, Section, Settings, Trust, values};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SignalOptions {
    #[serde(with = "values::text")]
    pub persist: Persist,
}

impl Section for SignalOptions {
    const NAME: &'static str = "signals";

    fn keys() -> Vec<Key> {
        vec![Key::new(
            "persist",
            Trust::Sets,
            format!("\"none\" or some of {}", names()),
            "numbers that `mem score` writes into managed notes, under `mem`",
        )]
    }
}

fn names() -> String {
    let names: Vec<&str> = PERSISTENT.iter().map(|signal| signal.name()).collect();
    names.join(", ")
}

/// The signals that are written into notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Persist(pub Vec<Signal>);

/// A name of no signal that is written into notes.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not written into notes")]
pub struct NotPersistent(String);

impl FromStr for Persist {
    type Err = NotPersistent;

    fn from_str(text: &str) -> Result<Self, NotPersistent> {
        let names = text.split(',').map(str::trim);
        let mut signals = Vec::new();
        for name in names.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("none")) {
            let mut known = PERSISTENT.into_iter();
            let signal = known.find(|signal| signal.name().eq_ignore_ascii_case(name));
            let signal = signal.ok_or_else(|| NotPersistent(name.to_owned()))?;
            if !signals.contains(&signal) {
                signals.push(signal);
            }
        }
        Ok(Self(signals))
    }
}

impl fmt::Display for Persist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|signal| signal.name()).collect();
        f.write_str(&if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        })
    }
}

/// All of them that a number is worked out by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    pub stability: StabilityOptions,
    pub importance: ImportanceOptions,
    pub relevance: RelevanceOptions,
    pub promotion: PromotionOptions,
    pub fate: FateOptions,
}

impl Options {
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self {
            stability: settings.of(),
            importance: settings.of(),
            relevance: settings.of(),
            promotion: settings.of(),
            fate: settings.of(),
        }
    }
}

/// Adds the settings of all signals to those that there are.
#[must_use]
pub fn declare(schema: Schema) -> Schema {
    schema
        .section::<SignalOptions>()
        .section::<StabilityOptions>()
        .section::<SalienceOptions>()
        .section::<ActivityOptions>()
        .section::<ContextOptions>()
        .section::<RecallOptions>()
        .section::<ImportanceOptions>()
        .section::<RelevanceOptions>()
        .section::<PromotionOptions>()
        .section::<FateOptions>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_into_notes_is_named() {
        for (text, expected) in [
            ("none", Some("none")),
            ("", Some("none")),
            (
                "Relevance, importance,relevance",
                Some("relevance, importance"),
            ),
            ("relevance, salience", None),
        ] {
            let found = text
                .parse::<Persist>()
                .ok()
                .map(|persist| persist.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
