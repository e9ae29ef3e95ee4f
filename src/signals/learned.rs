//! What is set of a recall: what feedback does to the score of a note (OwnSona's rank), and what a project does
//! (Ormah's factor).
//!
//! score · (1 + `salience`·s + `context`·max(0, c)). OwnSona takes for s the salience itself, which begins with
//! the importance (`importance`); here it is what feedback added to that or took away, so that a note without
//! any stays where it is. c is the [context match](super::helped), counted from `alike` on: two questions about one person
//! are somewhat alike whatever they ask, and OwnSona's 0 puts what helped with the one before what answers the
//! other (`benches/RESULTS.md`).

use super::fusion::Fusion;
use crate::config::{section, values};

section! {
    /// What each counts.
    #[derive(Copy)]
    pub struct RecallOptions: "recall" {
        /// what the salience that feedback gave a note, or took, counts in `mem recall`
        salience: f64 = 0.02, 0.0..=1.0;
        /// whether the importance that salience begins with counts there, too, as in OwnSona
        importance: bool = false, values::BOOLEAN;
        /// what it counts there that a note helped with such questions
        context: f64 = 0.3, 0.0..=1.0;
        /// cosine from which a question is such a question
        alike: f64 = 0.7, 0.0..=1.0;
        /// what a note of another space (project) counts for who asks from one; 1 is as much
        other_space: f64 = 0.6, 0.0..=1.0;
        /// what words and meaning add up: their scores, or the places they give, as in Ormah
        fusion: Fusion = Fusion::Scores, "`scores` or `ranks`";
        /// places that are added to each, with `fusion = "ranks"`: how little the first counts beside the next
        rank_k: f64 = 60.0, values::AMOUNT;
        /// what the place by words counts there; that by meaning counts the rest
        rank_words: f64 = 0.4, 0.0..=1.0;
    }
}

impl RecallOptions {
    /// Returns whether feedback counts at all.
    pub fn learns(&self) -> bool {
        self.salience > 0.0 || self.context > 0.0
    }

    /// Returns what is added to a factor of 1 for the salience of a note of this importance, and for the
    /// context match.
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
    use crate::signals::tests::cases;

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
