//! Whether a note fades, belongs in the archive or can be deleted.
//!
//! | fate | source | when |
//! |---|---|---|
//! | fading | Ormah | tier working, retrievability below `fading`, importance below `important` |
//! | archive, delete | AutoMem | relevance below `archive`, below `delete`, unless protected |
//!
//! AutoMem protects a note with `keep` or `protected`, with an importance of at least `protect`,
//! younger than `grace` whole days, or with a type in `types`. Ormah's page has `important` at .5;
//! its later revision and mem have no such limit (any value above 1), because a note that was once
//! used a lot would never fade.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::values::ParsedText;
use crate::config::{section, values};

section! {
    pub struct LifecycleOptions: "lifecycle", everyday [protected_types] {
        /// retrievability below which a working note fades
        min_retrievability: f64 = 0.3, 0.0..=1.0;
        /// notes at or above this importance never fade; a value above 1 disables this
        max_importance: f64 = 2.0, values::AMOUNT;
        /// relevance below which `mem forget` forgets an archival note
        min_relevance: f64 = 0.2, 0.0..=1.0;
        /// relevance below which `why --json` reports a note for deletion; `forget.trash` moves
        /// notes to the trash
        deletion_relevance: f64 = 0.05, 0.0..=1.0;
        /// notes of at least this stated importance never fade and are never forgotten
        protected_importance: f64 = 0.7, values::AMOUNT;
        /// days without use before an archival note can be forgotten
        grace_days: f64 = 90.0, values::AMOUNT;
        /// types of notes that never fade and are never forgotten
        protected_types: NoteTypes = NoteTypes(PROTECTED_TYPES.map(str::to_owned).to_vec()),
            ParsedText("types like \"decision, insight\", or \"none\"");
    }
}

/// Types of notes that neither fade nor are forgotten by default: people and their preferences,
/// procedures, decisions and insights.
const PROTECTED_TYPES: [&str; 5] = ["preference", "person", "procedure", "decision", "insight"];

/// A list of note types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteTypes(pub Vec<String>);

impl NoteTypes {
    fn has(&self, kind: &str) -> bool {
        self.0.iter().any(|known| known.eq_ignore_ascii_case(kind))
    }
}

impl FromStr for NoteTypes {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names = text.split(',').map(|name| name.trim().to_lowercase());
        let is_type = |name: &String| !name.is_empty() && name != "none";
        Ok(Self(names.filter(is_type).collect()))
    }
}

impl fmt::Display for NoteTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        f.write_str(&self.0.join(", "))
    }
}

/// Where a note belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Disposition {
    /// Where it is.
    Preserve,
    Archive,
    Delete,
}

/// Why a note is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Protection {
    Keep,
    Importance,
    Age,
    Type,
}

/// Returns why a note is protected from archive and trash, if it is. `importance` is the stated
/// one. It is compared as `f32`, as the catalog stores it, so that .7 equals .7.
pub fn protection(
    keep: bool,
    importance: Option<f64>,
    age_days: f64,
    kind: &str,
    options: &LifecycleOptions,
) -> Option<Protection> {
    if keep {
        Some(Protection::Keep)
    } else if importance.unwrap_or_default() as f32 >= options.protected_importance as f32 {
        Some(Protection::Importance)
    } else if age_days.floor() < options.grace_days {
        Some(Protection::Age)
    } else {
        options
            .protected_types
            .has(kind)
            .then_some(Protection::Type)
    }
}

/// Returns where an unprotected note of this relevance belongs.
pub fn disposition(relevance: f64, options: &LifecycleOptions) -> Disposition {
    if relevance < options.deletion_relevance {
        Disposition::Delete
    } else if relevance < options.min_relevance {
        Disposition::Archive
    } else {
        Disposition::Preserve
    }
}

/// Whether a working note fades.
pub fn is_fading(retrievability: f64, importance: f64, options: &LifecycleOptions) -> bool {
    retrievability < options.min_retrievability && importance < options.max_importance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::stability::retrievability;
    use crate::signals::tests::cases;

    fn named(fate: Disposition) -> &'static str {
        match fate {
            Disposition::Preserve => "preserve",
            Disposition::Archive => "archive",
            Disposition::Delete => "delete",
        }
    }

    #[test]
    fn fading_equals_ormah() {
        let page = LifecycleOptions {
            max_importance: 0.5,
            ..LifecycleOptions::default()
        };
        let all = cases(include_str!(
            "../../fixtures/signals/ormah_decay_demotion.tsv"
        ));
        assert_eq!(all.len(), 264);
        for case in all {
            let found = retrievability(case.of("days_since_review"), case.of("stability_days"));
            assert!(
                (found - case.of("retrievability")).abs() <= 1e-9,
                "{case:?}: {found}"
            );
            let importance = case.number("importance").unwrap_or(0.5);
            let demoted = is_fading(found, importance, &page);
            assert_eq!(
                demoted.to_string(),
                case.text("expected_demoted"),
                "{case:?}"
            );
        }
    }

    #[test]
    fn fates_equal_automem() {
        let options = LifecycleOptions {
            protected_types: "decision, insight".parse().unwrap(),
            ..LifecycleOptions::default()
        };
        let all = cases(include_str!(
            "../../fixtures/signals/automem_forgetting_fate.tsv"
        ));
        assert_eq!(all.len(), 116);
        for case in all {
            let keep = !matches!(case.text("protected"), "-" | "" | "0" | "false" | "no");
            let importance = case.number("importance");
            let shield = protection(
                keep,
                importance,
                case.of("age_days"),
                case.text("type"),
                &options,
            );
            let unprotected = disposition(case.of("relevance"), &options);
            let expected = case.text("expected_fate");
            let spared = expected.starts_with("protected_from_");
            assert_eq!(
                named(unprotected),
                expected.trim_start_matches("protected_from_"),
                "{case:?}"
            );
            if unprotected != Disposition::Preserve {
                assert_eq!(shield.is_some(), spared, "{case:?}");
            }
        }
        for case in cases(include_str!(
            "../../fixtures/signals/automem_relevance_page.tsv"
        )) {
            let found = disposition(case.of("expected_relevance"), &options);
            assert_eq!(
                named(found),
                case.text("expected_fate_unprotected"),
                "{case:?}"
            );
        }
    }

    #[test]
    fn every_setting_affects_fate() {
        let options = LifecycleOptions::default();
        assert!(is_fading(0.25, 0.9, &options) && !is_fading(0.35, 0.9, &options));
        assert!(!is_fading(
            0.25,
            0.9,
            &LifecycleOptions {
                max_importance: 0.5,
                ..options.clone()
            }
        ));
        let faster = LifecycleOptions {
            min_retrievability: 0.4,
            ..options.clone()
        };
        assert!(is_fading(0.35, 0.9, &faster));
        assert_eq!(
            disposition(
                0.1,
                &LifecycleOptions {
                    min_relevance: 0.1,
                    ..options.clone()
                }
            ),
            Disposition::Preserve
        );
        assert_eq!(
            disposition(
                0.1,
                &LifecycleOptions {
                    deletion_relevance: 0.2,
                    ..options.clone()
                }
            ),
            Disposition::Delete
        );
        for (changed, keep, importance, age, kind, expected) in [
            (options.clone(), false, 0.6, 100.0, "fact", None),
            (
                options.clone(),
                true,
                0.6,
                100.0,
                "fact",
                Some(Protection::Keep),
            ),
            (
                LifecycleOptions {
                    protected_importance: 0.6,
                    ..options.clone()
                },
                false,
                0.6,
                100.0,
                "fact",
                Some(Protection::Importance),
            ),
            (
                options.clone(),
                false,
                f64::from(0.7_f32),
                100.0,
                "fact",
                Some(Protection::Importance),
            ),
            (
                LifecycleOptions {
                    grace_days: 101.0,
                    ..options.clone()
                },
                false,
                0.6,
                100.9,
                "fact",
                Some(Protection::Age),
            ),
            (
                options.clone(),
                false,
                0.6,
                100.0,
                "Insight",
                Some(Protection::Type),
            ),
            (
                LifecycleOptions {
                    protected_types: "none".parse().unwrap(),
                    ..options
                },
                false,
                0.6,
                100.0,
                "insight",
                None,
            ),
        ] {
            let found = protection(keep, Some(importance), age, kind, &changed);
            assert_eq!(found, expected);
        }
    }
}
