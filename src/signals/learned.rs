//! What is set of a recall: what feedback does to the score of a note (OwnSona's rank), and what a project does
//! (Ormah's factor).
//!
//! score · (1 + `salience`·s + `context`·max(0, c)). OwnSona takes for s the salience itself, which begins with
//! the importance (`importance`); here it is what feedback added to that or took away, so that a note without
//! any stays where it is. c is the [context match](super::helped), counted from `alike` on: two questions about one person
//! are somewhat alike whatever they ask, and OwnSona's 0 puts what helped with the one before what answers the
//! other (`benches/RESULTS.md`).

use serde::{Deserialize, Serialize};

use super::fusion::Fusion;
use crate::config::{Key, Section, Trust, values};

/// What each counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallOptions {
    #[serde(deserialize_with = "values::share")]
    pub salience: f64,
    /// Whether the importance that salience begins with counts, too.
    pub importance: bool,
    #[serde(deserialize_with = "values::share")]
    pub context: f64,
    #[serde(deserialize_with = "values::share")]
    pub alike: f64,
    #[serde(deserialize_with = "values::share")]
    pub other_space: f64,
    #[serde(deserialize_with = "values::any_case")]
    pub fusion: Fusion,
    #[serde(deserialize_with = "values::amount")]
    pub rank_k: f64,
    #[serde(deserialize_with = "values::share")]
    pub rank_words: f64,
}

impl Default for RecallOptions {
    fn default() -> Self {
        Self {
            salience: 0.02,
            importance: false,
            context: 0.3,
            alike: 0.7,
            other_space: 0.6,
            fusion: Fusion::Scores,
            rank_k: 60.0,
            rank_words: 0.4,
        }
    }
}

impl Section for RecallOptions {
    const NAME: &'static str = "recall";

    fn keys() -> Vec<Key> {
        let key = |name, about| Key::new(name, Trust::Sets, values::SHARE, about);
        vec![
            key(
                "salience",
                "what the salience that feedback gave a note, or took, counts in `mem recall`",
            ),
            Key::new(
                "importance",
                Trust::Sets,
                "true or false",
                "whether the importance that salience begins with counts there, too, as in OwnSona",
            ),
            key(
                "context",
                "what it counts there that a note helped with such questions",
            ),
            key("alike", "cosine from which a question is such a question"),
            key(
                "other_space",
                "what a note of another space (project) counts for who asks from one; 1 is as much",
            ),
            Key::new(
                "fusion",
                Trust::Sets,
                "`scores` or `ranks`",
                "what words and meaning add up: their scores, or the places they give, as in Ormah",
            ),
            Key::new(
                "rank_k",
                Trust::Sets,
                values::AMOUNT,
                "places that are added to each, with `fusion = \"ranks\"`: how little the first counts beside the next",
            ),
            key(
                "rank_words",
                "what the place by words counts there; that by meaning counts the rest",
            ),
        ]
    }
}

impl RecallOptions {
    /// Returns whether feedback counts at all.
    #[must_use]
    pub fn learns(&self) -> bool {
        self.salience > 0.0 || self.context > 0.0
    }

    /// Returns what is added to a factor of 1 for the salience of a note of this importance, and for the
    /// context match.
    #[must_use]
    pub fn terms(&self, salience: f64, importance: f64, context: f64) -> [f64; 2] {
        let begins_with = if self.importance { 0.0 } else { importance };
        let salience = salience - begins_with;
        let above = (context - self.alike) / (1.0 - self.alike).max(f64::EPSILON);
        [self.salience * salience, self.context * above.max(0.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::numbers::cases;

    #[test]
    fn as_ownsona_ranks() {
        let options = RecallOptions {
            salience: 0.5,
            importance: true,
            context: 0.5,
            alike: 0.0,
            ..RecallOptions::default()
        };
        let all = cases(include_str!("../../fixtures/signals/ownsona_rank.tsv"));
        assert_eq!(all.len(), 80);
        for case in all {
            let terms = options.terms(case.of("salience"), 0.7, case.of("context"));
            let found = case.of("cosine") * (1.0 + terms.iter().sum::<f64>());
            let expected = case.of("expected");
            assert!((found - expected).abs() <= 1e-9, "{case:?}: {found}");
        }
    }
}
