//! Detects wording that reports a change, with the old and the new value.

use std::ops::Range;
use std::sync::LazyLock;

use super::lexicon::{Marker, Role, stem_hash};
use super::token::{VerbForm, WordToken};
use crate::note::words::english::Class;

/// Maximum number of words in a value.
const MAX_PHRASE_WORDS: usize = 5;
/// Maximum distance in words between the verb and `from` or `to`.
const MAX_PREPOSITION_DISTANCE: usize = 9;

/// Stem of the verb before a quantity: `reached 165`.
static REACH: LazyLock<u64> = LazyLock::new(|| stem_hash("reach"));

/// A change reported by a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateChange {
    /// Position of the word that reports the change.
    pub(super) at: usize,
    /// Words of the old value.
    pub(super) old: Option<Range<usize>>,
    /// Words of the new value.
    pub(super) new: Option<Range<usize>>,
    /// True if the wording may also be a comparison: `rather than`.
    pub(super) is_weak: bool,
}

/// Returns the changes that a statement reports; none for plans, wishes and negations.
pub(super) fn state_changes(words: &[WordToken]) -> Vec<StateChange> {
    let mut state_changes = Vec::new();
    for at in 0..words.len() {
        let (old, new) = old_and_new(words, at);
        if old.is_none() && new.is_none() || is_open(words, at) {
            continue;
        }
        state_changes.push(StateChange {
            at,
            old,
            new,
            is_weak: words[at].class == Class::Instead || words[at].marker == Marker::Over,
        });
    }
    state_changes
}

/// Returns the old and the new value of a change reported by the word at `at`.
fn old_and_new(words: &[WordToken], at: usize) -> (Option<Range<usize>>, Option<Range<usize>>) {
    let class_at = |index: usize| words.get(index).map_or(Class::Plain, |word| word.class);
    let word = &words[at];
    let passive = at > 0 && class_at(at - 1) == Class::Be && word.form != VerbForm::UnderWay;
    // `a nice change`, `the left` are nouns; `the team grew` is a verb.
    let reach = if word.role == Role::Measure { 1 } else { 2 };
    let is_noun = !matches!(word.form, VerbForm::Past | VerbForm::UnderWay)
        && words[at.saturating_sub(reach)..at]
            .iter()
            .any(|word| word.class == Class::Article);
    match (word.role, word.class) {
        (Role::Switch | Role::Change | Role::Passage | Role::Measure | Role::End, _) if is_noun => {
            (None, None)
        }
        (Role::Switch | Role::Change | Role::Passage | Role::Measure, _) => {
            let from = find(words, at, Class::From);
            let to = find(words, at, Class::To).filter(|to| !is_purpose(words, *to));
            let (old, new) = (
                from.and_then(|from| phrase(words, from + 1)),
                to.and_then(|to| phrase(words, to + 1)),
            );
            match (&old, &new) {
                // `went with friends from church`: a distant `from` belongs to another phrase.
                (Some(_), None) if from != Some(at + 1) => (None, None),
                (Some(_), None) | (None, Some(_)) if word.role == Role::Passage => (None, None),
                (None, None) if word.role == Role::Measure => (None, measured(words, at)),
                _ => (old, new),
            }
        }
        (Role::Replace, _) => {
            let by = find(words, at, Class::By).or_else(|| find(words, at, Class::With));
            let new = by.and_then(|by| phrase(words, by + 1));
            if at == 0 && class_at(at + 1) == Class::By {
                // `Superseded by X`: the old value is the note itself.
                (None, new)
            } else if passive || word.form == VerbForm::Past && class_at(at + 1) == Class::By {
                (before(words, at), new)
            } else {
                (phrase(words, at + 1), new.or_else(|| before(words, at)))
            }
        }
        // `chose plotly over matplotlib`
        _ if word.marker == Marker::Over
            && words[at.saturating_sub(MAX_PREPOSITION_DISTANCE)..at]
                .iter()
                .any(|word| matches!(word.role, Role::Choose | Role::Use))
            && words.get(at + 1).is_some_and(|next| !next.is_after_break) =>
        {
            (phrase(words, at + 1), before(words, at))
        }
        (Role::End | Role::Over, _) => {
            let ends_clause = words.get(at + 1).is_none_or(|next| next.is_after_break);
            if passive || ends_clause && word.role == Role::Over {
                (before(words, at), None)
            } else if word.role == Role::End && !ends_clause && !goes_on(&words[at + 1]) {
                (ended(words, at + 1), None)
            } else {
                (None, None)
            }
        }
        (_, Class::Instead) if matches!(class_at(at + 1), Class::Of | Class::Than) => {
            (phrase(words, at + 2), before(words, at))
        }
        // `no longer allergic`, `nicht mehr allergisch`, `non è più allergico`
        (_, Class::Longer) if is_negated(&words[at.saturating_sub(2)..at]) => {
            (ended(words, at + 1), None)
        }
        // `ya no es alérgico`
        (Role::Negation, _) if at > 0 && class_at(at - 1) == Class::Longer => {
            (ended(words, at + 1), None)
        }
        (Role::Negation, _) if class_at(at + 1) != Class::Longer => {
            match find(words, at, Class::Longer) {
                Some(_) => (phrase(words, at + 1), None),
                None => (None, None),
            }
        }
        (_, Class::Up) if class_at(at + 1) == Class::From => {
            (phrase(words, at + 2), before(words, at))
        }
        _ => (None, None),
    }
}

/// Returns a new quantity without `to`: `reached 165`, `my increased budget of $650`.
fn measured(words: &[WordToken], at: usize) -> Option<Range<usize>> {
    let start = if words[at].stem == *REACH {
        at + 1
    } else {
        let noun = words.get(at + 1)?;
        let is_adjective =
            words[at].form == VerbForm::Past && noun.is_content() && !noun.is_after_break;
        find(words, at + 1, Class::Of).filter(|_| is_adjective)? + 1
    };
    words.get(start)?.number.as_ref()?;
    phrase(words, start)
}

/// Returns true if one of the words is `no` or another negation.
fn is_negated(words: &[WordToken]) -> bool {
    let mut words = words.iter();
    words.any(|word| word.class == Class::No || word.role == Role::Negation)
}

/// Returns true if the word at `at` is wished, planned or negated.
pub(super) fn is_open(words: &[WordToken], at: usize) -> bool {
    let start = at.saturating_sub(4);
    // The `nicht` of `nicht mehr` belongs to the change.
    let denied = at.saturating_sub(2 * usize::from(words[at].class == Class::Longer));
    words[start..denied.max(start)].iter().any(|word| {
        word.role == Role::Hedge
            || word.role == Role::Negation && word.class != Class::No
            || matches!(word.class, Class::Will | Class::May)
    }) || at > 0 && words[at - 1].class == Class::To && words[at].role != Role::Plain
}

/// Returns true if the `to` at `at` introduces a purpose: `went camping to take a rest`.
fn is_purpose(words: &[WordToken], at: usize) -> bool {
    let [Some(verb), Some(object)] = [words.get(at + 1), words.get(at + 2)] else {
        return false;
    };
    let is_verb = verb.class != Class::Article
        && verb.marker != Marker::Owner
        && verb.number.is_none()
        && !verb.is_name;
    let is_object = match &object.number {
        // `to save 5 hours`, but `to version 2`
        Some(_) => words
            .get(at + 3)
            .is_some_and(|next| !next.is_after_break && next.is_content()),
        None => object.class == Class::Article || object.marker == Marker::Owner,
    };
    is_verb && !object.is_after_break && is_object
}

/// Returns true if the next word is a particle of the verb: `dropped off`.
fn goes_on(next: &WordToken) -> bool {
    matches!(next.class, Class::By | Class::At | Class::For | Class::Up)
        || next.marker == Marker::Particle
}

/// Returns the position of the next word of `class` within the clause.
fn find(words: &[WordToken], at: usize, class: Class) -> Option<usize> {
    let end = words.len().min(at + 1 + MAX_PREPOSITION_DISTANCE);
    for (index, word) in words.iter().enumerate().take(end).skip(at + 1) {
        if word.class == class {
            return Some(index);
        }
        if word.is_after_break || matches!(word.class, Class::And | Class::Or) {
            return None;
        }
    }
    None
}

/// Returns the phrase that starts at or shortly after `start`.
pub(super) fn phrase(words: &[WordToken], start: usize) -> Option<Range<usize>> {
    let mut start = start;
    while words.get(start).is_some_and(|word| {
        let bound = matches!(
            word.class,
            Class::And | Class::Or | Class::From | Class::By | Class::With | Class::For
        );
        !word.is_after_break && word.role == Role::Function && !bound
    }) {
        start += 1;
    }
    let mut end = start;
    while let Some(word) = words.get(end) {
        let bound = matches!(
            word.class,
            Class::From
                | Class::To
                | Class::By
                | Class::With
                | Class::For
                | Class::At
                | Class::And
                | Class::Or
                | Class::Than
                | Class::Instead
                | Class::Now
                | Class::Be
                | Class::Longer
        );
        if bound || end > start && word.is_after_break || end - start == MAX_PHRASE_WORDS {
            break;
        }
        end += 1;
    }
    (end > start).then_some(start..end)
}

/// Returns the phrase of an ended state: a verb alone takes its place or object, `lives in Bristol`.
fn ended(words: &[WordToken], start: usize) -> Option<Range<usize>> {
    let whole = phrase(words, start)?;
    let next = words.get(whole.end);
    let is_led = next.is_some_and(|next| {
        let leads = matches!(next.class, Class::At | Class::For | Class::To | Class::With);
        leads && !next.is_after_break
    });
    let object = (whole.len() == 1 && is_led).then(|| phrase(words, whole.end + 1));
    let end = object.flatten().map_or(whole.end, |object| object.end);
    Some(whole.start..end)
}

/// Returns the phrase that ends before `end`.
fn before(words: &[WordToken], end: usize) -> Option<Range<usize>> {
    let mut start = end;
    while start > 0 && end - start <= MAX_PHRASE_WORDS {
        let word = &words[start - 1];
        if matches!(word.class, Class::And | Class::Or) {
            break;
        }
        start -= 1;
        if word.is_after_break {
            break;
        }
    }
    words[start..end]
        .iter()
        .any(|word| word.is_content() || word.number.is_some())
        .then_some(start..end)
}
