//! What belongs to a question, and what is only nearer than the rest.
//!
//! What a note says by itself is looked at, not what stands beside it. Two things are asked of it.
//!
//! Whether the best is better than chance: among many notes one is near to anything. The best of so many
//! that have nothing to do with a question scores as the largest of so many random numbers does, which grows
//! with the root of the logarithm of their count. (How far a cosine stands out of those of the same vault,
//! which is the other way to say it, tells nothing: over eight corpora it parts questions from those of
//! other corpora no better than a coin.)
//!
//! By more than that, where no note has heard of who or what is asked about: `Caroline` in a vault without
//! any.
//!
//! Whether the others are near enough to the best: half as good among few notes, less among many, where more of
//! them answer together and the budget cuts. And less where the best one hardly is about the question, since
//! then nothing stands out and the third may be meant as well as the first.
//!
//! `benches/RESULTS.md` has what this keeps and leaves out, for each corpus with constants chosen on the
//! others, too. What is kept most of alone asks for a softer cut (`SURE` of 3); that it is not is for the
//! precision of `PrecisionMemBench`.

use super::mode::Mode;
use super::ranking::Ranked;

/// What the best of `n` notes scores by chance is `SPREAD * sqrt(2 ln n) - BELOW`.
const SPREAD: f32 = 0.1;
const BELOW: f32 = 0.1;

/// What a note that belongs scores beside the best of `FEW` notes and of very many, if that one scores `SURE`
/// times what chance does.
const BESIDE_BEST: f32 = 0.5;
const BESIDE_BEST_OF_MANY: f32 = 0.3;
const FEW: f32 = 50.0;
const SURE: f32 = 2.2;

/// By how much better than chance the best has to be where no note has heard of what is asked about.
const UNHEARD: f32 = 0.1;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) mode: Mode,
    /// How many notes are asked.
    pub(super) notes: u32,
    /// Whether it is about what no note has heard of; see [`is_unheard`].
    pub(super) is_unheard: bool,
}

/// Leaves out what does not belong to the question.
pub(super) fn keep_relevant(ranked: &mut Vec<Ranked>, asked: Asked) {
    // The words alone have no scale.
    if asked.mode == Mode::Lexical {
        return;
    }
    let best = ranked.iter().map(own).fold(0.0, f32::max);
    let chance = chance(asked.notes);
    let least = beside_best(asked.notes) * scale(best, chance);
    let enough = chance + if asked.is_unheard { UNHEARD } else { 0.0 };
    // A note that has all of the words is about them, however little a common word counts.
    ranked.retain(|candidate| own(candidate) >= least && (best >= enough || candidate.is_complete));
}

/// Returns whether no note has what a query is about: who or what a question names (a capital in the middle of
/// it), or half of the words that say something, where nothing but words is asked. `unknown` are words of
/// `typed` that no note has.
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

/// Returns what the best of so many notes scores that have nothing to do with a question.
fn chance(notes: u32) -> f32 {
    SPREAD * (2.0 * (notes.max(2) as f32).ln()).sqrt() - BELOW
}

/// Returns what of the best score a note has at least that belongs to a question, asked of so many.
fn beside_best(notes: u32) -> f32 {
    let of_many = BESIDE_BEST * (FEW / notes.max(1) as f32).powf(0.3);
    of_many.clamp(BESIDE_BEST_OF_MANY, BESIDE_BEST)
}

/// Returns the score that others are measured by: that of the `best`, or less where it is hardly about the
/// question.
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
