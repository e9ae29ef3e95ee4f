//! Whether two notes disagree, from their texts alone.

use std::collections::BTreeSet;
use std::ops::Range;

use super::lexicon::Role;
use super::pair::{Ground, Pair, Sign};
use super::statement::Account;

/// Two notes of so many pairs of statements are compared statement by statement.
const ALL: usize = 36;
/// A word that stands in so many pairs of statements is passed over.
const CROWD: usize = 400;
/// A sentence of so many words that names another note is about the whole of it.
const WHOLE: usize = 6;
/// A note of so many words says one thing.
pub(super) const BRIEF: usize = 60;

/// Returns the strongest sign that two notes disagree.
pub(super) fn judge(a: &Account<'_>, b: &Account<'_>, ground: Ground) -> Option<Sign> {
    let mut ground = ground;
    ground.is_brief = a.words <= BRIEF && b.words <= BRIEF;
    ground.same_speaker = match (a.speaker, b.speaker) {
        (Some(a), Some(b)) => Some(a == b),
        _ => ground.same_speaker,
    };
    if ground.same_speaker == Some(false) {
        return None;
    }
    if let Some(sign) = by_name(a, b) {
        return Some(sign);
    }
    if let Some(mut sign) = by_name(b, a) {
        sign.first_is_newer = sign.first_is_newer.map(|first| !first);
        return Some(sign);
    }
    let all = a.statements.len() * b.statements.len();
    let pairs: BTreeSet<(u32, u32)> = if all <= ALL {
        let second = 0..b.statements.len() as u32;
        (0..a.statements.len() as u32)
            .flat_map(|a| second.clone().map(move |b| (a, b)))
            .collect()
    } else {
        sharing(a, b)
    };
    pairs
        .into_iter()
        .filter_map(|(at, other)| Pair::new([a, b], [at as usize, other as usize], ground)?.sign())
        .max_by(|a, b| a.score.total_cmp(&b.score))
}

/// `a` says by the name of `b` that one of them took the place of the other.
fn by_name(a: &Account<'_>, b: &Account<'_>) -> Option<Sign> {
    for statement in &a.statements {
        for turn in &statement.turns {
            let verb = &statement.words[turn.at];
            if verb.role != Role::Replace {
                continue;
            }
            let names = |range: &Range<usize>| {
                let text = a.written(&statement.words[range.clone()]).to_lowercase();
                b.names.iter().any(|name| {
                    text.strip_prefix(name.as_str())
                        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
                })
            };
            let (is_older, is_newer) = (
                turn.old.as_ref().is_some_and(names),
                turn.new.as_ref().is_some_and(names),
            );
            if is_older == is_newer {
                continue;
            }
            // `Superseded by X` says it of the whole note, a long sentence of a part perhaps.
            let is_whole = statement.words.len() <= WHOLE;
            let start = a.written(&statement.words[..statement.words.len().min(WHOLE)]);
            return Some(Sign {
                score: if is_whole { 1.0 } else { 0.6 },
                cue: format!("\u{201c}{start}\u{201d}"),
                first_is_newer: Some(is_older),
                dates_decide: false,
                is_explicit: is_whole,
            });
        }
    }
    None
}

/// Returns the statements that share two words.
fn sharing(first: &Account<'_>, second: &Account<'_>) -> BTreeSet<(u32, u32)> {
    let mut met = Vec::new();
    let mut rest = second.index.as_slice();
    for ours in first.index.chunk_by(|a, b| a.0 == b.0) {
        let stem = ours[0].0;
        rest = &rest[rest.partition_point(|(other, _)| *other < stem)..];
        let theirs = &rest[..rest.partition_point(|(other, _)| *other == stem)];
        // A word of many statements says nothing about which belong together.
        if ours.len() * theirs.len() <= CROWD {
            for (_, at) in ours {
                met.extend(theirs.iter().map(|(_, other)| (*at, *other)));
            }
        }
    }
    met.sort_unstable();
    met.chunk_by(|a, b| a == b)
        .filter(|chunk| chunk.len() > 1)
        .map(|chunk| chunk[0])
        .collect()
}
