//! Whether two notes disagree, judged by their texts.

use std::collections::BTreeSet;

use super::account::{Account, BRIEF};
use super::outline::Outline;
use super::pair::{Ground, Pair, Reading, Sign};

/// Up to this number of statement pairs, all are compared.
const ALL: usize = 36;
/// Words that occur in more statement pairs than this are ignored.
const CROWD: usize = 400;
/// Shorter notes may be identical but for a number by chance.
const LEAST_TWIN: usize = 5;

/// Returns the strongest evidence that two notes disagree.
pub(super) fn judge(a: &Account, b: &Account, ground: Ground) -> Option<Sign> {
    let mut ground = ground;
    ground.same_speaker = match (a.speaker, b.speaker) {
        (Some(a), Some(b)) => Some(a == b),
        _ => ground.same_speaker,
    };
    if ground.same_speaker == Some(false) {
        return None;
    }
    let by_agents = a.by_agent && b.by_agent;
    // Agents use various titles for one subject, so a topic in the text of the other note counts, too.
    let is_one = a.topic.meets(&b.topic)
        || by_agents && (a.topic.is(|stem| b.says(stem)) || b.topic.is(|stem| a.says(stem)));
    let is_brief = a.words <= BRIEF && b.words <= BRIEF;
    ground.reading = match (is_one, is_brief, by_agents) {
        (true, true, _) => Reading::Brief,
        (true, false, true) => Reading::Alike,
        _ => Reading::Told,
    };
    let all = a.statements.len() * b.statements.len();
    let pairs: BTreeSet<(u32, u32)> = if all <= ALL {
        let second = 0..b.statements.len() as u32;
        (0..a.statements.len() as u32)
            .flat_map(|a| second.clone().map(move |b| (a, b)))
            .collect()
    } else {
        sharing(a, b)
    };
    let signs = pairs
        .into_iter()
        .filter_map(|(at, other)| Pair::new([a, b], [at as usize, other as usize], ground)?.sign());
    let sign = signs.max_by(|a, b| a.score.total_cmp(&b.score));
    let may_be_twins = is_one && (by_agents || a.topic.is_named() && a.topic == b.topic);
    let sign = match sign {
        None if may_be_twins => but_for_a_number([a, b], ground),
        sign => sign,
    };
    // The outline must never exclude a pair that has evidence.
    debug_assert!(sign.is_none() || Outline::of(a).may_disagree(&Outline::of(b)));
    sign
}

/// Returns evidence if two notes are identical but for one number.
fn but_for_a_number(accounts: [&Account; 2], ground: Ground) -> Option<Sign> {
    let [a, b] = accounts.map(|account| {
        let statements = account.statements.iter().enumerate();
        let words = statements.flat_map(|(at, statement)| {
            let words = statement.words.iter().enumerate();
            words.map(move |(word, is)| (at, word, is))
        });
        words.collect::<Vec<_>>()
    });
    if a.len() != b.len() || a.len() < LEAST_TWIN {
        return None;
    }
    let mut differing = a.iter().zip(&b).filter(|((_, _, ours), (_, _, theirs))| {
        ours.stem != theirs.stem || ours.number != theirs.number
    });
    let ((at, word, _), (other, same, _)) = differing.next()?;
    if differing.next().is_some() {
        return None;
    }
    let ground = Ground {
        reading: Reading::Alike,
        ..ground
    };
    Pair::new(accounts, [*at, *other], ground)?.but_for([*word, *same])
}

/// Returns the pairs of statements that share at least two words.
fn sharing(first: &Account, second: &Account) -> BTreeSet<(u32, u32)> {
    let mut met = Vec::new();
    let mut rest = second.index.as_slice();
    for ours in first.index.chunk_by(|a, b| a.0 == b.0) {
        let stem = ours[0].0;
        rest = &rest[rest.partition_point(|(other, _)| *other < stem)..];
        let theirs = &rest[..rest.partition_point(|(other, _)| *other == stem)];
        // A word of many statements does not indicate which pairs belong together.
        if ours.len() * theirs.len() <= CROWD {
            for (_, at) in ours {
                met.extend(theirs.iter().map(|(_, other)| (*at, *other)));
            }
        }
    }
    met.sort_unstable();
    let several = met.chunk_by(|a, b| a == b).filter(|chunk| chunk.len() > 1);
    several.map(|chunk| chunk[0]).collect()
}
