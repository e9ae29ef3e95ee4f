//! Drops notes that do not belong to a question.
//!
//! Only a note's own score is used, without its context. A note is kept under two conditions.
//!
//! The best score exceeds chance: among many notes one is near to anything. The best of `n` unrelated notes
//! scores like the largest of `n` random numbers, which grows with the root of the logarithm of `n`. (The
//! deviation of a cosine from the others in the vault does not help: over eight corpora it separates own
//! questions from foreign ones no better than a coin.)
//!
//! The required margin is larger if no note mentions the subject of the question: `Caroline` in a vault
//! without her name.
//!
//! The note's score is near to the best: half of it among few notes, less among many, where more notes answer
//! together and the budget cuts. If the best is hardly related to the question, the share is lower still,
//! since the third may be the answer as well as the first.
//!
//! `benches/RESULTS.md` lists what this keeps and drops per corpus, also with constants fitted on the other
//! corpora. The metric that keeps most favours a softer cut (`SURE` of 3). The stricter value serves the
//! precision on `PrecisionMemBench`.

use super::mode::Mode;
use super::ranking::Ranked;

/// The best of `n` unrelated notes scores `SPREAD * sqrt(2 ln n) - BELOW`.
const SPREAD: f32 = 0.1;
const BELOW: f32 = 0.1;

/// Minimum share of the best score, for `FEW` notes and for very many, if the best scores `SURE` times
/// chance.
const BESIDE_BEST: f32 = 0.5;
const BESIDE_BEST_OF_MANY: f32 = 0.3;
const FEW: f32 = 50.0;
const SURE: f32 = 2.2;

/// Margin over chance that the best needs if no note mentions the subject of the question.
const UNHEARD: f32 = 0.1;

/// Properties of the query and vault that decide relevance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) mode: Mode,
    /// Number of notes in the vault.
    pub(super) notes: u32,
    /// Whether no note mentions the subject; see [`is_unheard`].
    pub(super) is_unheard: bool,
}

/// Drops notes that do not belong to the question.
pub(super) fn keep_relevant(ranked: &mut Vec<Ranked>, asked: Asked) {
    // Lexical scores have no absolute scale.
    if asked.mode == Mode::Lexical {
        return;
    }
    let best = ranked.iter().map(own).fold(0.0, f32::max);
    let chance = chance(asked.notes);
    let least = beside_best(asked.notes) * scale(best, chance);
    let enough = chance + if asked.is_unheard { UNHEARD } else { 0.0 };
    // A note with all words is relevant, even if common words score low.
    ranked.retain(|candidate| own(candidate) >= least && (best >= enough || candidate.is_complete));
}

/// Returns whether no note mentions the subject of a query. In a question the subject is a name (a capital
/// after the first word), in keywords at least half of the words. `unknown` are words of `typed` that occur
/// in no note.
pub(super) fn is_unheard(typed: &str, unknown: &[String], asks: bool) -> bool {
    let words = typed.split_whitespace();
    if asks {
        let is_name = |word: &str| {
            let capitals = word.starts_with(char::is_uppercase);
            let is_i = word.starts_with("I'") || word.starts_with("I’");
            capitals && !is_i && unknown.iter().any(|unknown| unknown == word)
        };
        words.skip(1).any(is_name)
    } else {
        unknown.len() * 2 >= words.count() && !unknown.is_empty()
    }
}

fn own(candidate: &Ranked) -> f32 {
    let score = &candidate.score;
    (score.text + score.semantic) * score.weight
}

/// Returns the expected best score among `notes` unrelated notes.
fn chance(notes: u32) -> f32 {
    SPREAD * (2.0 * (notes.max(2) as f32).ln()).sqrt() - BELOW
}

/// Returns the minimum share of the best score in a vault with `notes` notes.
fn beside_best(notes: u32) -> f32 {
    let of_many = BESIDE_BEST * (FEW / notes.max(1) as f32).powf(0.3);
    of_many.clamp(BESIDE_BEST_OF_MANY, BESIDE_BEST)
}

/// Returns the score that others are compared with: `best`, or less if it hardly exceeds chance.
fn scale(best: f32, chance: f32) -> f32 {
    best * (best / (SURE * chance)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_many_is_near_to_anything() {
        for (notes, expected) in [(0, 0.02), (15, 0.13), (1_000, 0.27), (100_000, 0.38)] {
            assert!(
                (chance(notes) - expected).abs() < 0.01,
                "{notes} {}",
                chance(notes)
            );
        }
    }

    #[test]
    fn who_is_asked_about_is_named() {
        for (typed, unknown, asks, expected) in [
            (
                "What does Caroline say about tea",
                &["Caroline"][..],
                true,
                true,
            ),
            ("Caroline is who", &["Caroline"], true, false),
            (
                "What does the kettle cost",
                &["kettle", "cost"],
                true,
                false,
            ),
            ("bake bread", &["bake"], false, true),
            ("bake brown bread", &["bake"], false, false),
            ("bread", &[], false, false),
        ] {
            let unknown: Vec<String> = unknown.iter().map(|&word| word.to_owned()).collect();
            assert_eq!(is_unheard(typed, &unknown, asks), expected, "{typed}");
        }
    }

    #[test]
    fn others_follow_where_nothing_stands_out() {
        for (best, expected) in [(0.1, 0.045), (0.2, 0.18), (0.5, 0.5), (1.0, 1.0)] {
            let scale = scale(best, 0.1);
            assert!((scale - expected).abs() < 0.01, "{best} {scale}");
        }
        for (notes, expected) in [(0, 0.5), (50, 0.5), (100, 0.41), (1_000, 0.3)] {
            let share = beside_best(notes);
            assert!((share - expected).abs() < 0.01, "{notes} {share}");
        }
    }
}
