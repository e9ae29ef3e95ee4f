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
//! Whether the others are near enough to the best: half as good where that one is surely about the question,
//! less where it hardly is, since then nothing stands out and the third may be meant as well as the first.
//!
//! `benches/RESULTS.md` has what this keeps and leaves out, for each corpus with constants chosen on the
//! others, too. What is kept most of alone asks for a softer cut (`SURE` of 3); that it is not is for the
//! precision of `PrecisionMemBench`.

use super::mode::Mode;
use super::ranking::Ranked;

/// What the best of `n` notes scores by chance is `SPREAD * sqrt(2 ln n) - BELOW`.
const SPREAD: f32 = 0.1;
const BELOW: f32 = 0.1;

/// What a note that belongs scores beside the best, if that one scores `SURE` times what chance does.
const BESIDE_BEST: f32 = 0.5;
const SURE: f32 = 2.2;

/// Leaves out what does not belong to the question, which was asked of `notes`.
pub(super) fn keep_relevant(ranked: &mut Vec<Ranked>, mode: Mode, notes: u32) {
    // The words alone have no scale.
    if mode == Mode::Lexical {
        return;
    }
    let best = ranked.iter().map(own).fold(0.0, f32::max);
    let chance = chance(notes);
    let least = least_beside(best, chance);
    // A note that has all of the words is about them, however little a common word counts.
    ranked.retain(|candidate| own(candidate) >= least && (best >= chance || candidate.is_complete));
}

fn own(candidate: &Ranked) -> f32 {
    let score = &candidate.score;
    (score.text + score.semantic) * score.weight
}

/// Returns what the best of so many notes scores that have nothing to do with a question.
fn chance(notes: u32) -> f32 {
    SPREAD * (2.0 * (notes.max(2) as f32).ln()).sqrt() - BELOW
}

/// Returns what a note scores at least that belongs to the question as the `best` one does.
fn least_beside(best: f32, chance: f32) -> f32 {
    BESIDE_BEST * best * (best / (SURE * chance)).min(1.0)
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
    fn others_follow_where_nothing_stands_out() {
        for (best, expected) in [(0.1, 0.023), (0.2, 0.09), (0.5, 0.25), (1.0, 0.5)] {
            let least = least_beside(best, 0.1);
            assert!((least - expected).abs() < 0.01, "{best} {least}");
        }
    }
}
