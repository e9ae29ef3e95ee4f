//! Ranking options of `mem recall`: feedback (OwnSona's formula) and spaces (Ormah's factor).
//!
//! score · (1 + `salience`·s + `context`·max(0, c)). OwnSona's s is the salience itself, which
//! starts at the importance; the setting `importance` selects that. By default s is the change by
//! feedback, so notes without feedback keep their score.
//!
//! c is the [context match](super::helped), rescaled to start at `alike`. Any two questions about
//! one person are somewhat similar; with OwnSona's 0, notes that answered one outrank those that
//! answer the other (`benches/RESULTS.md`).

use super::fusion::Fusion;
use crate::config::{section, values};

section! {
    /// Options of ranking in `mem recall`.
    #[derive(Copy)]
    pub struct RecallOptions: "recall" {
        /// weight of a note's salience from feedback in `mem recall`
        salience: f64 = 0.02, 0.0..=1.0;
        /// whether salience includes the note's importance, as in OwnSona
        importance: bool = false, values::BOOLEAN;
        /// weight of the similarity between the question and earlier questions that a note helped
        /// with
        context: f64 = 0.3, 0.0..=1.0;
        /// minimum cosine of two questions for `recall.context`
        min_context_cosine: f64 = 0.7, 0.0..=1.0;
        /// factor for the score of notes in other spaces (projects) than the current one; 1
        /// disables it
        other_space: f64 = 0.6, 0.0..=1.0;
        /// how to combine lexical and semantic results: by scores, or by reciprocal ranks, as in
        /// Ormah
        fusion: Fusion = Fusion::Scores, "`scores` or `ranks`";
        /// k of reciprocal rank fusion, with `fusion = "ranks"`
        rrf_k: f64 = 60.0, values::AMOUNT;
        /// weight of the lexical rank with `fusion = "ranks"`; the semantic rank has the rest
        rrf_words: f64 = 0.4, 0.0..=1.0;
    }
}

impl RecallOptions {
    /// Whether feedback affects the ranking.
    pub fn learns(&self) -> bool {
        self.salience > 0.0 || self.context > 0.0
    }

    /// Returns the two summands to a factor of 1: for salience, given the note's importance, and
    /// for the context match.
    pub fn terms(&self, salience: f64, importance: f64, context: f64) -> [f64; 2] {
        let initial = if self.importance { 0.0 } else { importance };
        let salience = salience - initial;
        let above =
            (context - self.min_context_cosine) / (1.0 - self.min_context_cosine).max(f64::EPSILON);
        [self.salience * salience, self.context * above.max(0.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::tests::cases;

    #[test]
    fn ranking_equals_ownsona() {
        let options = RecallOptions {
            salience: 0.5,
            importance: true,
            context: 0.5,
            min_context_cosine: 0.0,
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
