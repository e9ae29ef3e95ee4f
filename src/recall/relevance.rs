//! What belongs to a question, and what is only nearer than the rest.
//!
//! What a note says by itself is looked at, not what stands beside it. With these constants `recall`
//! has a precision of .74 at a recall of .94 on `PrecisionMemBench`, where all that `search` finds has
//! .16 at .98; recall at 10 loses .02 over conversations (`LoCoMo`), .01 over BEAM. What it costs: in a
//! vault of a dozen facts a question in none of their words is as near to the right one as to any
//! other, so that over `memorybench` half of the answers are left out.

use super::mode::Mode;
use super::ranking::Ranked;

/// What a note that belongs scores at least.
const LEAST: f32 = 0.15;
/// And beside the best.
const BESIDE_BEST: f32 = 0.5;

/// Leaves out what does not belong to the question.
pub(super) fn keep_relevant(ranked: &mut Vec<Ranked>, mode: Mode) {
    // The words alone have no scale.
    if mode == Mode::Lexical {
        return;
    }
    let own = |candidate: &Ranked| {
        let score = &candidate.score;
        (score.text + score.semantic) * score.weight
    };
    let beside = ranked.iter().map(own).fold(0.0, f32::max) * BESIDE_BEST;
    // A note that has all of the words is about them, however little a common word counts.
    let least = |candidate: &Ranked| if candidate.is_complete { 0.0 } else { LEAST };
    ranked.retain(|candidate| own(candidate) >= beside.max(least(candidate)));
}
