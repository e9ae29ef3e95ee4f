//! AutoMem's four association rules; pure.

use std::collections::BTreeMap;

use super::options::SubjectRule;
use crate::note::Relation;

/// The properties of a note that the rules use.
#[derive(Clone, Debug, Default)]
pub(super) struct AssociationFeatures {
    /// Lower-case type; empty if there is none.
    pub(super) kind: String,
    /// Creation date as days since 1970; `None` if only the file has a time.
    pub(super) day: Option<i64>,
    /// Title words and tags, by stem.
    pub(super) subjects: BTreeMap<String, String>,
}

/// Relation between two notes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Association {
    pub(super) relation: Relation,
    /// True if the second note states the relation.
    pub(super) is_swapped: bool,
    pub(super) confidence: f32,
    pub(super) why: String,
    /// True if the notes are similar, false if they only have a subject in common.
    pub(super) is_similar: bool,
}

/// Two decisions below this cosine contrast; the second value is the confidence.
const CONTRAST_MAX_COSINE_AND_CONFIDENCE: (f32, f32) = (0.3, 0.6);
/// An insight and a pattern above this cosine: one explains the other. The second value is the confidence.
const EXPLAINS_MIN_COSINE_AND_CONFIDENCE: (f32, f32) = (0.5, 0.7);
/// Notes of different types above this cosine share a theme; the cosine is the confidence.
const MIN_THEME_COSINE: f32 = 0.7;
/// Notes of one week below this cosine have a common context; the second value is the confidence.
const PARALLEL_MAX_COSINE_AND_CONFIDENCE: (f32, f32) = (0.4, 0.5);
const MAX_DAYS_APART: i64 = 7;

/// Returns the result of the first matching rule; only the first rule applies to two decisions.
pub(super) fn association(
    [a, b]: [&AssociationFeatures; 2],
    cosine: f32,
    subject: SubjectRule,
) -> Option<Association> {
    let mut subjects = a.subjects.iter();
    let shared = subjects.find(|(stem, _)| b.subjects.contains_key(*stem));
    let about = match (shared, subject) {
        (Some((_, shared)), _) => Some(format!(" about {shared}")),
        (None, SubjectRule::Any) => Some(String::new()),
        (None, SubjectRule::Shared) => None,
    };
    let of = |relation, confidence: f32, why: String| Association {
        relation,
        is_swapped: false,
        confidence,
        why,
        is_similar: true,
    };
    if a.kind == "decision" && b.kind == "decision" {
        let about = about.filter(|_| cosine < CONTRAST_MAX_COSINE_AND_CONFIDENCE.0)?;
        let why = format!("two decisions{about}, cosine {cosine:.2}");
        return Some(Association {
            is_similar: false,
            ..of(
                Relation::ContrastsWith,
                CONTRAST_MAX_COSINE_AND_CONFIDENCE.1,
                why,
            )
        });
    }
    let is_insight = [a, b].map(|one| one.kind == "insight");
    let is_pattern = [a, b].map(|one| one.kind == "pattern");
    let explains = is_insight[0] && is_pattern[1] || is_pattern[0] && is_insight[1];
    if explains && cosine > EXPLAINS_MIN_COSINE_AND_CONFIDENCE.0 {
        let why = format!("an insight and a pattern, cosine {cosine:.2}");
        return Some(Association {
            is_swapped: is_insight[1],
            ..of(
                Relation::Explains,
                EXPLAINS_MIN_COSINE_AND_CONFIDENCE.1,
                why,
            )
        });
    }
    let differ = !a.kind.is_empty() && !b.kind.is_empty() && a.kind != b.kind;
    if differ && cosine > MIN_THEME_COSINE {
        let why = format!("{} and {}, cosine {cosine:.2}", a.kind, b.kind);
        return Some(of(Relation::SharesTheme, cosine.min(1.0), why));
    }
    let days = (a.day? - b.day?).abs();
    let about =
        about.filter(|_| days < MAX_DAYS_APART && cosine < PARALLEL_MAX_COSINE_AND_CONFIDENCE.0)?;
    let when = match days {
        0 => "on one day".to_owned(),
        1 => "a day apart".to_owned(),
        days => format!("{days} days apart"),
    };
    let why = format!("{when}{about}, cosine {cosine:.2}");
    Some(Association {
        is_similar: false,
        ..of(
            Relation::ParallelContext,
            PARALLEL_MAX_COSINE_AND_CONFIDENCE.1,
            why,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Relation::{ContrastsWith, Explains, ParallelContext, SharesTheme};
    use SubjectRule::{Any, Shared};

    /// A type, a day (`-` for none) and a subject: `fact 6 x`.
    fn facts(of: &str) -> AssociationFeatures {
        let mut words = of.split(' ').map(str::to_owned);
        let (kind, day) = (words.next().unwrap(), words.next().unwrap());
        let subject = words.next().unwrap();
        AssociationFeatures {
            kind: kind.replace('-', ""),
            day: day.parse().ok(),
            subjects: [(subject.clone(), subject)].into(),
        }
    }

    #[test]
    fn first_matching_rule_applies() {
        for (a, b, cosine, subject, expected) in [
            (
                "decision 0 x",
                "decision 90 x",
                0.29,
                Shared,
                Some((ContrastsWith, 0.6)),
            ),
            ("decision 0 x", "decision 90 y", 0.29, Shared, None),
            (
                "decision 0 x",
                "decision 90 y",
                0.29,
                Any,
                Some((ContrastsWith, 0.6)),
            ),
            // Similar, or within one week: no other rule applies.
            ("decision 0 x", "decision 0 x", 0.3, Any, None),
            (
                "insight 0 x",
                "pattern 90 y",
                0.51,
                Shared,
                Some((Explains, 0.7)),
            ),
            ("insight 0 x", "pattern 90 y", 0.5, Shared, None),
            (
                "fact 0 x",
                "event 90 y",
                0.71,
                Shared,
                Some((SharesTheme, 0.71)),
            ),
            ("fact 0 x", "fact 90 y", 0.99, Any, None),
            ("fact 0 x", "- 90 y", 0.99, Any, None),
            (
                "fact 0 x",
                "fact 6 x",
                0.39,
                Shared,
                Some((ParallelContext, 0.5)),
            ),
            ("fact 0 x", "fact 7 x", 0.39, Shared, None),
            ("fact 0 x", "fact 6 x", 0.4, Shared, None),
            ("- 0 x", "fact 0 y", 0.0, Shared, None),
            ("- 0 x", "fact 0 y", 0.0, Any, Some((ParallelContext, 0.5))),
            ("- - x", "fact 0 x", 0.0, Any, None),
        ] {
            let [a, b] = [a, b].map(facts);
            for (pair, is_swapped) in [([&a, &b], false), ([&b, &a], true)] {
                let found = association(pair, cosine, subject);
                let said = found
                    .as_ref()
                    .map(|found| (found.relation, found.confidence));
                assert_eq!(said, expected, "{a:?} {b:?} {cosine}");
                if let Some(found) = found {
                    assert_eq!(found.is_swapped, is_swapped && found.relation == Explains);
                    let side_by_side = matches!(found.relation, ContrastsWith | ParallelContext);
                    assert_eq!(found.is_similar, !side_by_side);
                }
            }
        }
    }
}
