//! Compares values: numbers, dates, and mutually exclusive values.

use std::ops::Range;

use super::{Evidence, Pair, are_exclusive, neighbour, stems};
use crate::jobs::conflicts::lexicon::{Marker, Role, VERSION_PREDICATES};
use crate::jobs::conflicts::{
    statement::ConflictStatement,
    token::{Noun, Number, VerbForm, WordToken},
};
use crate::note::words::english::Class;

/// Maximum number of words from a number back to the negation that denies it.
const MAX_WORDS_OF_DENIAL: usize = 4;
/// Score of two notes that are identical but for a value.
const ONLY_VALUE_DIFFERS_SCORE: f32 = 0.6;

impl Pair<'_> {
    /// Finds a number or date that differs between the statements.
    pub(super) fn other_number(&self) -> Option<Evidence> {
        if self.is_same_person() && self.has_action() {
            return None;
        }
        let mut best: Option<Evidence> = None;
        for (at, ours) in numbers(self.a) {
            for (other, theirs) in numbers(self.b) {
                if ours.unit != theirs.unit
                    || ours.is_year != theirs.is_year
                    || has_number(self.b, ours)
                    || has_number(self.a, theirs)
                {
                    continue;
                }
                let counted = counted_noun(&self.b.words, other)
                    .filter(|stem| counted_noun(&self.a.words, at) == Some(*stem));
                let led_by = preceding_stems(&self.b.words, other);
                let before = preceding_stems(&self.a.words, at)
                    .iter()
                    .filter(|stem| led_by.contains(stem))
                    .count();
                if counted.is_none() && before == 0 && !ours.is_year
                    || counted.is_none() && self.counts_other_things([at, other])
                    || self.has_two_subjects([at, other])
                    || self.has_other_differences([at, other])
                    || is_series_number(&self.a.words, at)
                    || is_series_number(&self.b.words, other)
                    || is_date_part(&self.a.words, at) && self.can_recur([at, other])
                    || self.is_same_person() && is_past(self.a, at) && is_past(self.b, other)
                {
                    continue;
                }
                let but: Vec<u64> = counted.into_iter().collect();
                let mut score =
                    0.3 * self.cover() + 0.2 * self.overlap() + 0.25 * self.subject_score(&but);
                if counted.is_some() {
                    score += 0.15;
                }
                score += 0.1 * before.min(2) as f32;
                if ours.is_year && before > 0 {
                    score += 0.15;
                }
                if best.as_ref().is_none_or(|best| best.score < score) {
                    let values = self.sources(at..at + 1, other..other + 1);
                    best = Some(Evidence::of_values(score, values));
                }
            }
        }
        best
    }

    /// Returns true if a noun follows one of the numbers and the words before them differ: `has 46 desks`,
    /// `closes at eight`.
    fn counts_other_things(&self, [at, other]: [usize; 2]) -> bool {
        let (a, b) = (&self.a.words, &self.b.words);
        let is_counted = counted_noun(a, at).is_some() || counted_noun(b, other).is_some();
        let before = |words: &[WordToken], at: usize| Some(words.get(at.checked_sub(1)?)?.stem);
        is_counted && before(a, at) != before(b, other)
    }

    /// Returns true if a dated event may recur: `Meeting on Monday`, but not `The meeting is on Monday`.
    fn can_recur(&self, [at, other]: [usize; 2]) -> bool {
        let is_one = |statement: &ConflictStatement, at: usize| {
            has_copula(&statement.words[..at]) || is_definite(statement)
        };
        self.is_same_person() && !(is_one(self.a, at) && is_one(self.b, other))
    }

    /// Evidence for two notes whose only difference are the words at these positions, if they are counts or, under
    /// one title, names or values of a noun that has one: `hunter2 is the password`.
    pub(in crate::jobs::conflicts) fn only_value_differs(
        &self,
        [at, other]: [Range<usize>; 2],
    ) -> Option<Evidence> {
        let (ours, theirs) = (&self.a.words[at.clone()], &self.b.words[other.clone()]);
        let number = |words: &[WordToken]| match words {
            [word] => word.number.clone(),
            _ => None,
        };
        let is_count = number(ours)
            .zip(number(theirs))
            .is_some_and(|(first, second)| {
                !first.is_year
                    && !is_date_part(&self.a.words, at.start)
                    && first.unit == second.unit
                    && !is_series_number(&self.a.words, at.start)
                    && !is_series_number(&self.b.words, other.start)
            });
        let [first, second] = self.notes.map(|note| &note.topic);
        // `The bank is in Rome` and `The theatre is in Rome` differ in the thing.
        let mut common = self.a.words[..at.start]
            .iter()
            .chain(&self.a.words[at.end..]);
        let are_values = common.any(|word| word.noun == Noun::Single)
            && ours.iter().chain(theirs).any(WordToken::is_content)
            || self.a.words.iter().all(|word| word.noun != Noun::Several)
                && are_names(ours)
                && are_names(theirs)
                && is_kind(ours) == is_kind(theirs);
        // A person's title names the thing in other words than the statement of an agent.
        let by_agent = self.notes.iter().filter(|note| note.by_agent).count();
        let is_one = by_agent == 1 || self.is_same_person() && first == second;
        let is_value = is_one && are_values;
        if self.has_action() || !is_count && !is_value {
            return None;
        }
        let values = self.sources(at, other);
        self.with_quotes(Evidence::of_values(ONLY_VALUE_DIFFERS_SCORE, values))
    }

    /// Finds two mutually exclusive values.
    pub(super) fn exclusive_values(&self) -> Option<Evidence> {
        if self.a.is_negated != self.b.is_negated || self.is_same_person() && self.has_action() {
            return None;
        }
        let mut best: Option<Evidence> = None;
        for &at in &self.a.value_words {
            for &other in &self.b.value_words {
                let (ours, theirs) = (&self.a.words[at], &self.b.words[other]);
                if !are_exclusive(ours, theirs)
                    || self.b.has_synonym(ours)
                    || self.a.has_synonym(theirs)
                    || is_alternative(&self.a.words, at)
                    || is_alternative(&self.b.words, other)
                    || is_subject(&self.a.words, at) && is_subject(&self.b.words, other)
                {
                    continue;
                }
                // The values belong to the same thing: the same neighbour, or little else differs.
                let beside = |words: &[WordToken], at: usize| {
                    [
                        neighbour(words, (0..at).rev()),
                        neighbour(words, at + 1..words.len()),
                    ]
                };
                let [left, right] = beside(&self.a.words, at);
                let [before, behind] = beside(&self.b.words, other);
                let same = left.is_some() && left == before || right.is_some() && right == behind;
                if ours.is_date() && self.can_recur([at, other]) {
                    continue;
                }
                let is_function = ours.role == Role::Function || theirs.role == Role::Function;
                if !same && self.overlap() < 0.5 && !(ours.is_date() && self.cover() >= 0.6)
                    || self.has_two_subjects([at, other])
                    || self.has_other_differences([at, other])
                    || is_same_kind_only(ours, theirs)
                        && !(has_copula(&self.a.words[..at]) && has_copula(&self.b.words[..other]))
                {
                    continue;
                }
                let mut score = 0.2
                    + 0.35 * self.cover()
                    + 0.25 * self.overlap()
                    + 0.2 * self.subject_score(&[]);
                if is_function {
                    score -= 0.2;
                }
                if best.as_ref().is_none_or(|best| best.score < score) {
                    let values = self.sources(at..at + 1, other..other + 1);
                    best = Some(Evidence::of_values(score, values));
                }
            }
        }
        best
    }
}

/// Returns true if the words can be a name, with or without a version.
fn are_names(words: &[WordToken]) -> bool {
    let is_name = |word: &WordToken| (word.is_name || word.may_be_name) && !word.is_date();
    let mut words = words.iter();
    words.next().is_some_and(is_name) && words.all(|word| is_name(word) || word.number.is_some())
}

/// Returns true if the words name a thing of a known kind: `Germany`, but not `Berlin`.
fn is_kind(words: &[WordToken]) -> bool {
    let mut values = words.iter().flat_map(|word| word.values);
    values.any(|value| value.is_kind)
}

/// Returns true if the number at `at` held only at one time: `finished 3 tasks`, `was 21 degrees`.
fn is_past(statement: &ConflictStatement, at: usize) -> bool {
    let before = &statement.words[at.saturating_sub(2)..at];
    before.iter().any(|word| {
        let has_action = word.form == VerbForm::Past && word.role == Role::Plain;
        has_action || word.marker == Marker::Was
    })
}

/// Returns true if a number is a date or part of one.
fn is_date_part(words: &[WordToken], at: usize) -> bool {
    let beside = at.saturating_sub(1)..words.len().min(at + 2);
    let number = words[at].number.as_ref();
    number.is_some_and(|number| number.digits.contains('-'))
        || words[beside].iter().any(WordToken::is_date)
}

/// Returns true if the subject of a statement is definite: `The team`, `My rent`.
fn is_definite(statement: &ConflictStatement) -> bool {
    let first = statement.words.first();
    first.is_some_and(|word| word.class == Class::Article || word.marker == Marker::Owner)
}

/// Returns true if a number identifies a member of a series: `chapter 3`, `Issue 12 is open`.
fn is_series_number(words: &[WordToken], at: usize) -> bool {
    let Some(noun) = at.checked_sub(1).map(|at| &words[at]) else {
        return false;
    };
    let is_beside = noun.is_content() && !words[at].is_after_break;
    // `Issue 12 is open` is about one of several; `Node 22 is required` gives a version.
    let mut predicate = words[at + 1..].iter();
    let is_version = predicate.any(|word| VERSION_PREDICATES.contains(&word.stem));
    let is_subject = at == 1
        && !is_version
        && words.get(2).is_some_and(|next| {
            let is_verb = next.form == VerbForm::Past || !next.is_content();
            is_verb && !next.is_after_break && next.number.is_none()
        });
    is_beside && (noun.noun == Noun::Series || is_subject)
}

/// Returns true if the noun at `at` is the subject of a form of `be`: `The bank is in Rue Pasteur`.
fn is_subject(words: &[WordToken], at: usize) -> bool {
    let next = words.get(at + 1);
    at == 1 && words[0].class == Class::Article && next.is_some_and(|next| next.class == Class::Be)
}

/// Returns true if the words only share a kind, so that both may hold.
fn is_same_kind_only(a: &WordToken, b: &WordToken) -> bool {
    a.values.iter().all(|ours| {
        let mut theirs = b.values.iter();
        ours.is_kind || !theirs.any(|theirs| ours.group == theirs.group)
    })
}

/// Returns true if a form of `be` precedes the value.
fn has_copula(before: &[WordToken]) -> bool {
    before.iter().any(|word| word.class == Class::Be)
}

/// Returns true if a word is one of several alternatives: `blue or purple`.
fn is_alternative(words: &[WordToken], at: usize) -> bool {
    let is_or = |at: usize| words.get(at).is_some_and(|word| word.class == Class::Or);
    is_or(at + 1) || at > 0 && is_or(at - 1)
}

/// Returns the numbers that a statement gives and does not deny: none of `The limit is not 500`, `We do not listen on port
/// 9090`.
fn numbers(statement: &ConflictStatement) -> impl Iterator<Item = (usize, &Number)> {
    let is_denied = |at: usize| {
        let earliest = at.saturating_sub(MAX_WORDS_OF_DENIAL);
        let ends = |word: &usize| statement.words[*word].is_after_break;
        let start = (earliest..at).rev().find(ends).unwrap_or(earliest);
        let clause = statement.words[start..at].iter().rev();
        let mut clause = clause.take_while(|word| word.number.is_none());
        clause.any(|word| word.role == Role::Negation)
    };
    let numbers = statement.numbers.iter();
    let numbers = numbers.filter(move |at| !is_denied(**at));
    numbers.filter_map(|at| Some((*at, statement.words[*at].number.as_deref()?)))
}

/// Returns true if a statement contains the same digits, whatever they count.
fn has_number(statement: &ConflictStatement, number: &Number) -> bool {
    numbers(statement).any(|(_, other)| other.digits == number.digits)
}

/// Returns the stem of the counted noun after a number.
fn counted_noun(words: &[WordToken], at: usize) -> Option<u64> {
    let next = words.get(at + 1)?;
    (!next.is_after_break && next.is_content()).then_some(next.stem)
}

/// Returns the stems of up to four words before a number in the same clause.
fn preceding_stems(words: &[WordToken], at: usize) -> Vec<u64> {
    let earliest = at.saturating_sub(4);
    let breath = (earliest..=at).rev().find(|at| words[*at].is_after_break);
    stems(&words[breath.unwrap_or(earliest)..at])
}
