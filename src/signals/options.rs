//! Settings of all signals.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::activity::ActivityOptions;
use super::fields::{PERSISTENT, Signal};
use super::helped::ContextOptions;
use super::importance::ImportanceOptions;
use super::lifecycle::LifecycleOptions;
use super::promotion::PromotionOptions;
use super::recall_options::RecallOptions;
use super::relevance::RelevanceOptions;
use super::salience::SalienceOptions;
use super::stability::StabilityOptions;
use crate::config::values::ParsedText;
use crate::config::{Schema, Settings, section};

/// Which uses extend the stability of a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CountedUse {
    /// Reading, editing, linking or reinforcing by a person.
    #[default]
    Confirmed,
    /// Also being listed by a search or recall.
    Listed,
}

section! {
    #[derive(Eq)]
    pub struct SignalOptions: "signals" {
        /// which uses raise stability: `confirmed` counts reading, editing, linking and
        /// reinforcing; `listed` adds results of search and recall
        counts as "use": CountedUse, "confirmed or listed";
        /// signals that `mem score` writes into managed notes, under `mem`
        persist: PersistedSignals, ParsedText(format!("\"none\" or some of {}", names()));
    }
}

fn names() -> String {
    let names: Vec<&str> = PERSISTENT.iter().map(|signal| signal.name()).collect();
    names.join(", ")
}

/// Signals to write into notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersistedSignals(pub Vec<Signal>);

impl FromStr for PersistedSignals {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split(',').map(str::trim);
        let mut signals = Vec::new();
        for name in names.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("none")) {
            let mut known = PERSISTENT.into_iter();
            let found = known.find(|signal| signal.name().eq_ignore_ascii_case(name));
            let signal = found.ok_or_else(|| format!("`{name}` is not written into notes"))?;
            if !signals.contains(&signal) {
                signals.push(signal);
            }
        }
        Ok(Self(signals))
    }
}

impl fmt::Display for PersistedSignals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|signal| signal.name()).collect();
        if names.is_empty() {
            return f.write_str("none");
        }
        f.write_str(&names.join(", "))
    }
}

/// Options of all computed signals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignalFormulaOptions {
    pub stability: StabilityOptions,
    pub importance: ImportanceOptions,
    pub relevance: RelevanceOptions,
    pub promotion: PromotionOptions,
    pub lifecycle: LifecycleOptions,
}

impl SignalFormulaOptions {
    pub fn of(settings: &Settings) -> Self {
        Self {
            stability: settings.of(),
            importance: settings.of(),
            relevance: settings.of(),
            promotion: settings.of(),
            lifecycle: settings.of(),
        }
    }
}

/// Adds the settings of all signals to `schema`.
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
        .section::<LifecycleOptions>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SettingsSection;
    use crate::signals::fields::SIGNALS;
    use crate::signals::importance::TrustedAuthors;
    use crate::signals::measure::SignalInputs;
    use crate::signals::tier::Tier;
    use crate::signals::usage::{Parameters, Usage};
    use crate::signals::{helped, lifecycle};

    #[test]
    fn persisted_signals_parse_and_print() {
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
                .parse::<PersistedSignals>()
                .ok()
                .map(|persist| persist.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    const DAY: i64 = 86_400;

    /// The settings after `changes`.
    struct WithChanges<'c>(&'c [(&'c str, &'c str)]);

    impl WithChanges<'_> {
        fn of<T: SettingsSection>(&self) -> T {
            let mut options = T::default();
            for (key, value) in self.0 {
                let (section, _) = key.split_once('.').unwrap();
                if section == T::NAME {
                    let mut table: toml::Table = format!("value = {value}").parse().unwrap();
                    let mut keys = T::keys().into_iter();
                    let (_, set) = keys.find(|(setting, _)| setting.key == *key).unwrap();
                    assert!(set(&mut options, &table.remove("value").unwrap()));
                }
            }
            options
        }

        /// Computes one observable number of a lightly used note.
        fn number(&self, name: &str) -> f64 {
            let parameters = Parameters {
                stability: self.of(),
                salience: self.of(),
                activity: self.of(),
                context: self.of(),
            };
            let options = SignalFormulaOptions {
                stability: self.of(),
                importance: self.of(),
                relevance: self.of(),
                promotion: self.of(),
                lifecycle: self.of(),
            };
            let mut usage = Usage::default();
            usage.accessed(0, true, &parameters);
            usage.reinforced(2 * DAY, 1.0, Some("a"), &parameters);
            usage.reinforced(20 * DAY, 0.5, Some("b"), &parameters);
            usage.reinforced(21 * DAY, -0.5, None, &parameters);
            let known = SignalInputs {
                now: 30 * DAY,
                since: i64::MIN,
                created: -70 * DAY,
                written: 0,
                importance: None,
                is_rescored: options.importance.stated == TrustedAuthors::People,
                confidence: 1.0,
                links: 3,
                summaries: 0,
                tags: 2,
                tier: Tier::Working,
                usage: &usage,
            };
            let signal = |signal| known.signal(signal, &options);
            match name {
                "context" => {
                    let vector = |question: &str| match question {
                        "a" => vec![1.0, 0.0],
                        _ => vec![0.0, 1.0],
                    };
                    let questions = usage.helped.iter();
                    let weighted = questions.map(|one| (vector(&one.question), one.weight));
                    let helped: Vec<_> = weighted.collect();
                    helped::context_match(&[1.0, 0.2], &helped, &parameters.context)
                }
                "stated importance" => {
                    let stated = SignalInputs {
                        importance: Some(0.4),
                        ..known
                    };
                    stated.signal(Signal::Importance, &options)
                }
                "fading" => {
                    let retrievability = signal(Signal::Retrievability);
                    let importance = signal(Signal::Importance);
                    f64::from(lifecycle::is_fading(
                        retrievability,
                        importance,
                        &options.lifecycle,
                    ))
                }
                "fate" => f64::from(lifecycle::disposition(
                    signal(Signal::Relevance),
                    &options.lifecycle,
                ) as u8),
                "shield" => {
                    let importance = known.stated_importance();
                    let age = known.age_days();
                    lifecycle::protection(false, Some(importance), age, "fact", &options.lifecycle)
                        .map_or(-1.0, |shield| f64::from(shield as u8))
                }
                name => {
                    let named = |signal: &Signal| signal.name() == name;
                    signal(SIGNALS.into_iter().find(named).unwrap())
                }
            }
        }
    }

    /// Returns the keys of a section.
    fn names_of<T: SettingsSection>() -> Vec<String> {
        let keys = T::keys().into_iter();
        keys.map(|(setting, _)| setting.key).collect()
    }

    #[test]
    fn every_setting_affects_a_result() {
        let none: &[(&str, &str)] = &[];
        // Settings changed before, the setting, its value, and the number that it affects.
        let table = [
            (none, "stability.initial", "10.0", "stability"),
            (none, "stability.base", "2.0", "stability"),
            (none, "stability.gain", "1.0", "stability"),
            (none, "stability.damping", "0.0", "stability"),
            (none, "stability.spacing", "0.1", "stability"),
            (none, "stability.ceiling", "1.1", "stability"),
            (none, "stability.max", "8.0", "stability"),
            (none, "stability.pause", "3.0", "stability"),
            (none, "salience.learn", "0.1", "salience"),
            (none, "salience.forget", "0.2", "salience"),
            (none, "salience.max", "0.7", "salience"),
            (none, "activity.bump", "0.5", "activity"),
            (none, "activity.penalty", "0.5", "activity"),
            (none, "activity.max", "1.1", "activity"),
            (none, "context.keep", "false", "context"),
            (none, "context.blend", "'newest'", "context"),
            (
                &[("context.blend", "'newest'")],
                "context.newest",
                "0.9",
                "context",
            ),
            (none, "importance.access", "0.1", "importance"),
            (none, "importance.links", "0.1", "importance"),
            (none, "importance.recency", "0.1", "importance"),
            (none, "importance.accesses_full", "10.0", "importance"),
            (none, "importance.links_full", "10.0", "importance"),
            (none, "importance.fades", "'stability'", "importance"),
            (none, "importance.half_life_days", "1.0", "importance"),
            (none, "importance.stated", "'people'", "stated importance"),
            (none, "relevance.decay", "0.02", "relevance"),
            (none, "relevance.access_decay", "0.5", "relevance"),
            (none, "relevance.access_base", "0.1", "relevance"),
            (none, "relevance.access_gain", "0.1", "relevance"),
            (none, "relevance.relations", "0.1", "relevance"),
            (none, "relevance.floor", "1.0", "relevance"),
            (none, "promotion.relevance", "0.5", "promotion"),
            (none, "promotion.frequency", "0.5", "promotion"),
            (none, "promotion.diversity", "0.5", "promotion"),
            (none, "promotion.recency", "0.5", "promotion"),
            (none, "promotion.consolidation", "0.5", "promotion"),
            (none, "promotion.richness", "0.5", "promotion"),
            (none, "promotion.half_life_days", "1.0", "promotion"),
            (none, "lifecycle.min_retrievability", "0.9", "fading"),
            (
                &[("lifecycle.min_retrievability", "0.9")],
                "lifecycle.max_importance",
                "0.1",
                "fading",
            ),
            (none, "lifecycle.min_relevance", "1.0", "fate"),
            (none, "lifecycle.deletion_relevance", "1.0", "fate"),
            (none, "lifecycle.protected_importance", "0.5", "shield"),
            (none, "lifecycle.grace_days", "101.0", "shield"),
            (none, "lifecycle.protected_types", "'fact'", "shield"),
        ];
        let mut missing = [
            names_of::<StabilityOptions>(),
            names_of::<SalienceOptions>(),
            names_of::<ActivityOptions>(),
            names_of::<ContextOptions>(),
            names_of::<ImportanceOptions>(),
            names_of::<RelevanceOptions>(),
            names_of::<PromotionOptions>(),
            names_of::<LifecycleOptions>(),
        ]
        .concat();
        for (before, key, value, number) in table {
            let after = [before, &[(key, value)]].concat();
            let [before, after] =
                [before, &after].map(|changes| WithChanges(changes).number(number));
            assert!((after - before).abs() > 1e-3, "{key}: {before} {after}");
            missing.retain(|name| name != key);
        }
        assert_eq!(missing, [""; 0]);
    }
}
