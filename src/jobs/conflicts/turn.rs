//! Wording that says that something gave way to something else, and what.

use std::ops::Range;

use super::statement::{Form, Word};
use super::words::{Mark, Role};

/// Words of what gives way or comes, at most.
const PHRASE: usize = 5;
/// How far from the verb `from` and `to` are looked for.
const REACH: usize = 9;

/// What a statement says to have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// The word that says so.
    pub(super) at: usize,
    /// What is no longer so.
    pub(super) old: Option<Range<usize>>,
    /// What is so instead.
    pub(super) new: Option<Range<usize>>,
    /// True if it is done, not under way.
    pub(super) is_done: bool,
    /// True if it may as well compare as tell of a change: `rather than`.
    pub(super) is_weak: bool,
}

/// Returns the turns of a statement; none of a plan, a wish or a denial.
pub(super) fn turns(words: &[Word<'_>]) -> Vec<Turn> {
    let mut turns = Vec::new();
    for at in 0..words.len() {
        let (old, new) = turn(words, at);
        if old.is_none() && new.is_none() || is_open(words, at) {
            continue;
        }
        turns.push(Turn {
            at,
            old,
            new,
            is_done: words[at].form != Form::UnderWay
                && (at == 0 || words[at - 1].mark != Mark::To),
            is_weak: words[at].mark == Mark::Instead,
        });
    }
    turns
}

/// Returns what the word at `at` says to be over and what it says to have come.
fn turn(words: &[Word<'_>], at: usize) -> (Option<Range<usize>>, Option<Range<usize>>) {
    let mark = |place: usize| words.get(place).map_or(Mark::None, |word| word.mark);
    let word = &words[at];
    let passive = at > 0 && mark(at - 1) == Mark::Be && word.form != Form::UnderWay;
    // `a nice change`, `the left`: no verb; but `the team grew`.
    let reach = if word.role == Role::Measure { 1 } else { 2 };
    let is_noun = !matches!(word.form, Form::Past | Form::UnderWay)
        && words[at.saturating_sub(reach)..at]
            .iter()
            .any(|word| word.mark == Mark::A);
    match (word.role, word.mark) {
        (Role::Switch | Role::Change | Role::Measure | Role::End, _) if is_noun => (None, None),
        (Role::Switch | Role::Change | Role::Measure, _) => {
            let from = find(words, at, Mark::From);
            let to = find(words, at, Mark::To);
            (
                from.and_then(|from| phrase(words, from + 1)),
                to.and_then(|to| phrase(words, to + 1)),
            )
        }
        (Role::Replace, _) => {
            let by = find(words, at, Mark::By).or_else(|| find(words, at, Mark::With));
            let new = by.and_then(|by| phrase(words, by + 1));
            if at == 0 && mark(at + 1) == Mark::By {
                // `Superseded by X`: what is, is the note.
                (None, new)
            } else if passive || word.form == Form::Past && mark(at + 1) == Mark::By {
                (before(words, at), new)
            } else {
                (phrase(words, at + 1), new.or_else(|| before(words, at)))
            }
        }
        (Role::End | Role::Over, _) => {
            let ends_clause = words.get(at + 1).is_none_or(|next| next.breaks);
            if passive || ends_clause && word.role == Role::Over {
                (before(words, at), None)
            } else if word.role == Role::End && !ends_clause {
                (phrase(words, at + 1), None)
            } else {
                (None, None)
            }
        }
        (_, Mark::Instead) if matches!(mark(at + 1), Mark::Of | Mark::Than) => {
            (phrase(words, at + 2), before(words, at))
        }
        (_, Mark::Longer) if at > 0 && mark(at - 1) == Mark::No => (phrase(words, at + 1), None),
        (Role::Negation, _) if mark(at + 1) != Mark::Longer => {
            match find(words, at, Mark::Longer) {
                Some(_) => (phrase(words, at + 1), None),
                None => (None, None),
            }
        }
        (_, Mark::Up) if mark(at + 1) == Mark::From => (phrase(words, at + 2), before(words, at)),
        _ => (None, None),
    }
}

/// Returns true if the word at `at` is wished, planned or denied.
pub(super) fn is_open(words: &[Word<'_>], at: usize) -> bool {
    let start = at.saturating_sub(4);
    words[start..at].iter().any(|word| {
        word.role == Role::Hedge
            || word.role == Role::Negation && word.mark != Mark::No
            || matches!(word.mark, Mark::Will | Mark::May)
    }) || at > 0 && words[at - 1].mark == Mark::To && words[at].role != Role::Plain
}

/// Returns where `mark` stands behind `at`, before the clause ends.
fn find(words: &[Word<'_>], at: usize, mark: Mark) -> Option<usize> {
    let end = words.len().min(at + 1 + REACH);
    for (place, word) in words.iter().enumerate().take(end).skip(at + 1) {
        if word.mark == mark {
            return Some(place);
        }
        if word.breaks || matches!(word.mark, Mark::And | Mark::Or) {
            return None;
        }
    }
    None
}

/// Returns the words from `start` that belong together.
fn phrase(words: &[Word<'_>], start: usize) -> Option<Range<usize>> {
    let mut start = start;
    while words.get(start).is_some_and(|word| {
        !word.breaks && word.role == Role::Function && !matches!(word.mark, Mark::And | Mark::Or)
    }) {
        start += 1;
    }
    let mut end = start;
    while let Some(word) = words.get(end) {
        let bound = matches!(
            word.mark,
            Mark::From
                | Mark::To
                | Mark::By
                | Mark::With
                | Mark::For
                | Mark::At
                | Mark::And
                | Mark::Or
                | Mark::Than
                | Mark::Instead
                | Mark::Now
                | Mark::Be
                | Mark::Longer
        );
        if bound || end > start && word.breaks || end - start == PHRASE {
            break;
        }
        end += 1;
    }
    (end > start).then_some(start..end)
}

/// Returns the words before `end` that belong together.
fn before(words: &[Word<'_>], end: usize) -> Option<Range<usize>> {
    let mut start = end;
    while start > 0 && end - start <= PHRASE {
        let word = &words[start - 1];
        if matches!(word.mark, Mark::And | Mark::Or) {
            break;
        }
        start -= 1;
        if word.breaks {
            break;
        }
    }
    words[start..end]
        .iter()
        .any(|word| word.is_content() || word.number.is_some())
        .then_some(start..end)
}
