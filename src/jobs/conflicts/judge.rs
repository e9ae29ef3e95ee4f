//! Whether two notes disagree, judged by their texts.

use std::collections::BTreeSet;
use std::ops::Range;

use super::outline::ConflictOutline;
use super::pair::{ComparisonMode, Evidence, Pair, PairContext};
use super::parsed_note::{MAX_SHORT_NOTE_WORDS, ParsedNote};
use super::statement::ConflictStatement;
use super::token::WordToken;
use super::topic::TitleTopic;
use crate::note::words::english::Class;

/// Up to this number of statement pairs, all are compared.
const MAX_EXHAUSTIVE_PAIRS: usize = 36;
/// Words that occur in more statement pairs than this are ignored.
const MAX_PAIRS_PER_WORD: usize = 400;
/// Notes without a topic that have fewer common words may be identical but for a value by chance.
const MIN_COMMON_WORDS: usize = 3;
/// Maximum number of words of a value.
const MAX_VALUE_WORDS: usize = 3;

/// Returns the strongest evidence that two notes disagree.
pub(super) fn judge(a: &ParsedNote, b: &ParsedNote, context: PairContext) -> Option<Evidence> {
    let mut context = context;
    context.is_same_speaker = match (a.speaker, b.speaker) {
        (Some(a), Some(b)) => Some(a == b),
        _ => context.is_same_speaker,
    };
    if context.is_same_speaker == Some(false) {
        return None;
    }
    let are_statements = a.is_memory() && b.is_memory();
    // Such notes have various titles for one subject, so a topic in the text of the other note counts, too. `Potion of
    // Healing` in the title of a person's note is only a name.
    let is_in = |topic: &TitleTopic, note: &ParsedNote| {
        let statements = || note.statements.iter();
        topic.is_within(|stem| {
            statements().any(|one| (note.by_agent || !one.is_title) && one.has(stem))
        })
    };
    let is_one = a.topic.is_compatible(&b.topic)
        || are_statements
            && (a.by_agent && b.by_agent || a.topic.numbers == b.topic.numbers)
            && (is_in(&a.topic, b) || is_in(&b.topic, a));
    let are_short = a.words <= MAX_SHORT_NOTE_WORDS && b.words <= MAX_SHORT_NOTE_WORDS;
    context.mode = match (is_one, are_short, are_statements) {
        (true, true, _) => ComparisonMode::All,
        (true, false, true) => ComparisonMode::NearlyIdentical,
        _ => ComparisonMode::ChangesOnly,
    };
    let all = a.statements.len() * b.statements.len();
    let pairs: BTreeSet<(u32, u32)> = if all <= MAX_EXHAUSTIVE_PAIRS {
        let second = 0..b.statements.len() as u32;
        (0..a.statements.len() as u32)
            .flat_map(|a| second.clone().map(move |b| (a, b)))
            .collect()
    } else {
        pairs_with_common_words(a, b)
    };
    let evidence = pairs.into_iter().filter_map(|(at, other)| {
        Pair::new([a, b], [at as usize, other as usize], context)?.strongest()
    });
    let strongest = evidence.max_by(|a, b| a.score.total_cmp(&b.score));
    let may_be_twins = is_one && (are_statements || a.topic.is_named() && a.topic == b.topic);
    let strongest = match strongest {
        None if may_be_twins => identical_but_for_value([a, b], context),
        strongest => strongest,
    };
    // The outline must never exclude a pair that has evidence.
    debug_assert!(
        strongest.is_none() || ConflictOutline::of(a).can_disagree(&ConflictOutline::of(b))
    );
    strongest
}

/// Returns evidence if two notes are identical but for one value.
fn identical_but_for_value(notes: [&ParsedNote; 2], context: PairContext) -> Option<Evidence> {
    let [a, b] = notes.map(|note| {
        // The topic, which is the same, has what the title of an agent's note tells.
        let is_told = |(_, one): &(usize, &ConflictStatement)| !(one.is_title && note.by_agent);
        let statements = note.statements.iter().enumerate().filter(is_told);
        let words = statements.flat_map(|(at, statement)| {
            let words = statement.words.iter().enumerate();
            words.map(move |(word, is)| (at, word, is))
        });
        let is_value = |(.., word): &(usize, usize, &WordToken)| word.class != Class::Now;
        words.filter(is_value).collect::<Vec<_>>()
    });
    let is_same = |((.., ours), (.., theirs)): &(&(_, _, &WordToken), &(_, _, &WordToken))| {
        ours.stem == theirs.stem && ours.number == theirs.number
    };
    let start = a.iter().zip(&b).take_while(is_same).count();
    let [a, b] = [&a[start..], &b[start..]];
    let ends = a.iter().rev().zip(b.iter().rev());
    let end = ends.take_while(is_same).count();
    let [ours, theirs] = [a, b].map(|words| &words[..words.len() - end]);
    let (at, first) = value_range(ours)?;
    let (other, second) = value_range(theirs)?;
    if start + end < MIN_COMMON_WORDS && !notes[0].topic.is_named() {
        return None;
    }
    let context = PairContext {
        mode: ComparisonMode::All,
        ..context
    };
    Pair::new(notes, [at, other], context)?.only_value_differs([first, second])
}

/// Returns the statement and the range of a value of a few words; `None` if it is empty, longer or in two clauses.
fn value_range(words: &[(usize, usize, &WordToken)]) -> Option<(usize, Range<usize>)> {
    let ((statement, start, _), (last, end, _)) = (words.first()?, words.last()?);
    let breaks = words[1..].iter().any(|(.., word)| word.is_after_break);
    let is_value = statement == last && words.len() <= MAX_VALUE_WORDS && !breaks;
    is_value.then_some((*statement, *start..end + 1))
}

/// Returns the pairs of statements that share at least two words.
fn pairs_with_common_words(first: &ParsedNote, second: &ParsedNote) -> BTreeSet<(u32, u32)> {
    let mut met = Vec::new();
    let mut rest = second.index.as_slice();
    for ours in first.index.chunk_by(|a, b| a.0 == b.0) {
        let stem = ours[0].0;
        rest = &rest[rest.partition_point(|(other, _)| *other < stem)..];
        let theirs = &rest[..rest.partition_point(|(other, _)| *other == stem)];
        // A word of many statements does not indicate which pairs belong together.
        if ours.len() * theirs.len() <= MAX_PAIRS_PER_WORD {
            for (_, at) in ours {
                met.extend(theirs.iter().map(|(_, other)| (*at, *other)));
            }
        }
    }
    met.sort_unstable();
    let several = met.chunk_by(|a, b| a == b).filter(|chunk| chunk.len() > 1);
    several.map(|chunk| chunk[0]).collect()
}
