//! Compares changes: one statement reports a change, the other contains the old or a third value.

use std::ops::Range;

use super::{ComparisonMode, Evidence, Pair, TagOverlap, are_exclusive, neighbour, stems};
use crate::jobs::conflicts::lexicon::{Marker, Role};
use crate::jobs::conflicts::state_change::{self, StateChange};
use crate::jobs::conflicts::statement::ConflictStatement;
use crate::jobs::conflicts::token::{Number, WordToken};
use crate::jobs::conflicts::topic::TitleTopic;
use crate::note::words::english::Class;

/// Minimum share of the shorter statement's words in common; long statements share a few words by chance.
const MIN_COVER: f32 = 0.3;
/// Minimum share of the change's clause words in the other statement.
const MIN_SCOPE: f32 = 0.5;

/// Minimum score of the subject of two versions of one thing.
const SUBJECT_OF_VERSIONS: f32 = 0.5;

/// Number of words shown of a statement without a comparable value.
const MAX_SHOWN_WORDS: usize = 5;

impl Pair<'_> {
    /// `a` reports the end of something that `b` states as current.
    pub(super) fn old_value(&self) -> Option<Evidence> {
        let changes = self.a.changes.iter();
        let evidence = changes.filter_map(|change| self.old_value_of(change));
        evidence.max_by(|a, b| a.score.total_cmp(&b.score))
    }

    /// Returns the stems of `words` that occur in the second statement; `is_alone` marks a single content word.
    fn matching_stems(&self, words: &[WordToken], is_alone: bool) -> Vec<u64> {
        // A name does not match a verb of the same spelling: `Switch`, `switched`.
        let is_same = |word: &&WordToken| {
            let mut same = self.b.words.iter().filter(|other| other.stem == word.stem);
            same.any(|other| {
                !word.is_name
                    || other.is_name
                    || other.may_be_name && other.role == Role::Plain
                    || is_alone && other.role == Role::Plain
            })
        };
        let found = words.iter().filter(|word| word.is_content());
        found.filter(is_same).map(|word| word.stem).collect()
    }

    fn old_value_of(&self, change: &StateChange) -> Option<Evidence> {
        let old = change.old.clone()?;
        let (b, words) = (self.b, &self.a.words[old.clone()]);
        let stems = stems(words);
        let numbers: Vec<&Number> = words
            .iter()
            .filter_map(|word| word.number.as_deref())
            .collect();
        if stems.is_empty() && numbers.is_empty() {
            return None;
        }
        let has = |stem: &u64| b.has(*stem);
        let found = self.matching_stems(words, stems.len() == 1);
        let share = if stems.is_empty() {
            1.0
        } else {
            found.len() as f32 / stems.len() as f32
        };
        let theirs = |number: &&Number| {
            b.words
                .iter()
                .any(|word| word.number.as_deref() == Some(*number))
        };
        // Without a new value, all words of the old value must match.
        if change.is_weak && !self.is_same_person() && self.context.is_asked {
            return None;
        }
        if share < if change.new.is_some() { 0.5 } else { 1.0 } || !numbers.iter().all(theirs) {
            return None;
        }
        // A number alone occurs in many sentences.
        let is_any = !numbers.is_empty() && self.scope_share(change, None) < MIN_SCOPE;
        if is_any || self.is_also_ended(change, &found, &numbers) {
            return None;
        }
        let new = change
            .new
            .clone()
            .map_or_else(Vec::new, |range| self::stems(&self.a.words[range]));
        let names_both = new.iter().any(|stem| !stems.contains(stem) && has(stem));
        let named = words
            .iter()
            .any(|word| (word.is_name || word.may_be_name) && found.contains(&word.stem));
        let subject = self.subject_score(&found);
        let is_specific = named || found.len() > 1 || !numbers.is_empty();
        // A common word alone does not make a value.
        let is_other = |stem: u64| !found.contains(&stem) && !new.contains(&stem);
        if !is_specific && !self.shared.iter().any(|stem| is_other(*stem)) {
            return None;
        }
        let is_of_world =
            !self.has_same_context() && !self.notes[0].is_about_writer(self.a, change);
        if self.context.is_asked && (is_of_world || self.is_about_other_thing(change, &found)) {
            return None;
        }
        let tells_all = change.new.is_some() && share > 0.99 && is_specific && !names_both;
        if self.context.mode == ComparisonMode::ChangesOnly
            && !(tells_all
                && self.notes[0].is_completed_change(self.a, change)
                && self.has_one_topic(is_other))
        {
            return None;
        }
        let mut score = 0.3 + 0.3 * subject + 0.2 * share;
        if change.new.is_some() {
            score += 0.1;
        }
        if is_specific {
            score += 0.1;
        } else {
            score -= 0.15;
        }
        if names_both || change.is_weak && !is_specific {
            score -= 0.25;
        }
        let to = change.new.clone().map_or_else(String::new, |range| {
            format!(" to \u{201c}{}\u{201d}", self.first_source(range))
        });
        let verb = self.first_source(change.at..change.at + 1);
        let cue = format!(
            "\u{201c}{verb}\u{201d}: away from \u{201c}{}\u{201d}{to}",
            self.first_source(old)
        );
        Some(Evidence {
            first_is_newer: Some(true),
            ..Evidence::new(score, cue)
        })
    }

    /// Returns the share of the change's clause words that `b` has; 1 if there are none.
    ///
    /// Only the clause at `beside` and the one before it count if `beside` is given.
    fn scope_share(&self, change: &StateChange, beside: Option<usize>) -> f32 {
        let words = &self.a.words;
        let mut clause = clause(words, change.at);
        let is_value = |at: &usize| {
            let mut ranges = [&change.old, &change.new].into_iter().flatten();
            *at == change.at || ranges.any(|range| range.contains(at)) || words[*at].is_date()
        };
        let mut about: Vec<u64> = Vec::new();
        // `Guests: 67 (up from 43)`
        while about.is_empty() {
            let of = clause
                .clone()
                .filter(|at| !is_value(at) && words[*at].is_content());
            about.extend(of.map(|at| words[at].stem));
            match clause.start.checked_sub(1) {
                Some(before) if about.is_empty() => clause = self::clause(words, before),
                _ => break,
            }
        }
        let theirs = &self.b.words;
        let near = beside.map_or(0..theirs.len(), |at| {
            let clause = self::clause(theirs, at);
            let before = clause.start.checked_sub(1);
            before.map_or(0, |at| self::clause(theirs, at).start)..clause.end
        });
        let has = |stem: &&u64| theirs[near.clone()].iter().any(|word| word.stem == **stem);
        if about.is_empty() {
            return 1.0;
        }
        about.iter().filter(has).count() as f32 / about.len() as f32
    }

    /// Returns true if both notes have the same title, space or speaker, or both are by agents.
    fn has_same_context(&self) -> bool {
        let [ours, theirs] = self.notes.map(|note| &note.topic);
        self.is_same_person() || self.context.is_same_space || ours.is_named() && ours == theirs
    }

    /// Returns true if the new value and the value of `b` at `other` have different subjects: `The release party moved
    /// to 5 June`, `The release date is 3 June`.
    fn has_other_subject(&self, change: &StateChange, new: usize, other: usize) -> bool {
        let (ours, theirs) = (&self.a.words, &self.b.words);
        let lacks =
            |stems: Vec<u64>, by: &ConflictStatement| stems.iter().any(|stem| !by.has(*stem));
        let subject = nouns(ours, clause(ours, change.at).start..new, &|at| {
            *at == change.at
        });
        let compared = nouns(theirs, clause(theirs, other).start..other, &|_| false);
        lacks(subject, self.b) && lacks(compared, self.a)
    }

    /// Returns true if the change and `b` concern different things: `switched the billing from SQLite`, `the search
    /// uses SQLite`, `SQLite has a good name`.
    fn is_about_other_thing(&self, change: &StateChange, found: &[u64]) -> bool {
        let (ours, theirs) = (&self.a.words, &self.b.words);
        let Some(value) = theirs.iter().position(|word| found.contains(&word.stem)) else {
            return false;
        };
        // The changed thing is between the verb and its value, or before the verb.
        let values = [&change.old, &change.new].map(|range| range.clone().unwrap_or_default());
        let is_value = |at: &usize| values.iter().any(|range| range.contains(at));
        let first = values
            .iter()
            .map(|range| range.start)
            .filter(|start| *start > change.at)
            .min();
        let object = change.at + 1..first.unwrap_or(change.at + 1);
        let mut changed = nouns(ours, object, &is_value);
        // A label can name it, too: `Desk phones: no longer wax`.
        for start in [clause(ours, change.at).start, 0] {
            if changed.is_empty() {
                changed = nouns(ours, start..change.at, &is_value);
            }
        }
        let is_found = |at: &usize| found.contains(&theirs[*at].stem);
        let mut others = nouns(theirs, clause(theirs, value), &is_found);
        if others.is_empty() {
            others = nouns(theirs, 0..value, &is_found);
        }
        if changed.iter().any(|stem| !self.b.has(*stem)) {
            return others.iter().any(|stem| !self.a.has(*stem));
        }
        // `Postgres replaces SQLite for the chat bot`: behind the values, or in the new one.
        let named = self.led_nouns(change, found);
        let is_common = |stem: &u64| self.a.has(*stem) && self.b.has(*stem);
        !named.is_empty() && !others.is_empty() && !named.iter().chain(&others).any(is_common)
    }

    /// Returns the nouns after an article in the clause of a change, without names and the old value.
    fn led_nouns(&self, change: &StateChange, found: &[u64]) -> Vec<u64> {
        let words = &self.a.words;
        let clause = clause(words, change.at);
        let is_led = |at: usize| clause.start < at && words[at - 1].class == Class::Article;
        let is_other = |at: &usize| {
            let word = &words[*at];
            word.is_name || word.may_be_name || found.contains(&word.stem) || !is_led(*at)
        };
        nouns(words, clause.clone(), &is_other)
    }

    /// Returns true if `b` also reports the old value as ended, or only as a plan.
    fn is_also_ended(&self, change: &StateChange, found: &[u64], numbers: &[&Number]) -> bool {
        let b = self.b;
        let denies =
            b.words.iter().enumerate().any(|(at, word)| {
                found.contains(&word.stem) && state_change::is_open(&b.words, at)
            });
        let agrees = b.changes.iter().any(|other| {
            other.old.clone().is_some_and(|range| {
                b.words[range].iter().any(|word| {
                    found.contains(&word.stem)
                        || word
                            .number
                            .as_deref()
                            .is_some_and(|number| numbers.contains(&number))
                })
            })
        });
        let verb = &self.a.words[change.at];
        let repeats = matches!(verb.role, Role::End | Role::Over) && b.has(verb.stem);
        denies || agrees || repeats
    }

    /// Returns true if the topics may be the same, or the topic of one note is within `words` of the other's statement.
    fn has_one_topic(&self, words: impl Fn(u64) -> bool) -> bool {
        let [ours, theirs] = self.notes.map(|note| &note.topic);
        let is_of = |topic: &TitleTopic, statement: &ConflictStatement| {
            topic.is_within(|stem| words(stem) && statement.has(stem))
        };
        ours.is_compatible(theirs) || is_of(theirs, self.a) || is_of(ours, self.b)
    }

    /// `a` reports a new value, and `b` states another value of the same thing.
    pub(super) fn new_value(&self) -> Option<Evidence> {
        let evidence = self
            .a
            .changes
            .iter()
            .filter_map(|change| self.new_value_of(change));
        evidence.max_by(|a, b| a.score.total_cmp(&b.score))
    }

    /// Returns true if `theirs` competes with `words`, whose first number is `number`.
    fn is_rival(
        &self,
        words: &[WordToken],
        number: Option<&Number>,
        is_measure: bool,
        theirs: &WordToken,
    ) -> bool {
        let by_number = match (number, theirs.number.as_deref()) {
            (Some(ours), Some(theirs)) => {
                ours.unit == theirs.unit
                    && ours.is_year == theirs.is_year
                    && ours.digits != theirs.digits
            }
            _ => false,
        };
        // Numbers differ easily: they must count the same thing.
        !self.shared.is_empty() && by_number
            || !is_measure
                && words.iter().any(|ours| {
                    are_exclusive(ours, theirs) && (!self.shared.is_empty() || !theirs.is_date())
                })
    }

    /// Returns true if `b` states only the use of a value with these stems and a number: `We use Postgres 15`. Then only
    /// the name before the number tells the subject.
    fn is_only_value(&self, stems: &[u64]) -> bool {
        self.b.words.iter().all(|word| {
            let is_value = word.number.is_some() || stems.contains(&word.stem);
            !word.is_content() || is_value || word.role == Role::Use
        })
    }

    fn new_value_of(&self, change: &StateChange) -> Option<Evidence> {
        let new = change.new.clone().filter(|_| !change.is_weak)?;
        let words = &self.a.words[new.clone()];
        let stems = stems(words);
        let counted = new.clone().find(|at| self.a.words[*at].number.is_some());
        let number = counted.and_then(|at| self.a.words[at].number.as_deref());
        let is_measure = self.a.words[change.at].role == Role::Measure;
        if is_measure && number.is_none() {
            return None;
        }
        // `b` already has the new value. With a number this does not matter: `b` may count the same with another.
        let found = stems.iter().filter(|stem| self.b.has(**stem)).count();
        if number.is_none() && found * 2 > stems.len() {
            return None;
        }
        let is_version = number.is_some() && found > 0 && self.is_only_value(&stems);
        let least = if is_version { SUBJECT_OF_VERSIONS } else { 0.0 };
        let subject = self.subject_score(&stems).max(least);
        let is_rival = |word: &WordToken| self.is_rival(words, number, is_measure, word);
        let b = &self.b.words;
        let is_over = |at: usize| {
            let mut changes = self.b.changes.iter();
            changes.any(|change| change.old.as_ref().is_some_and(|old| old.contains(&at)))
        };
        // Numbers differ easily: this one must be next to a common word.
        let is_of_it = |at: usize| {
            let of = [neighbour(b, (0..at).rev()), neighbour(b, at + 1..b.len())];
            b[at].number.is_none()
                || of
                    .into_iter()
                    .flatten()
                    .any(|stem| self.shared.contains(&stem))
        };
        let rival = (0..b.len()).find(|at| {
            is_rival(&b[*at])
                && counted.is_none_or(|ours| can_count_same([&self.a.words, b], [ours, *at]))
                && is_of_it(*at)
                && !is_over(*at)
                && !(self.context.is_asked && self.has_other_subject(change, new.start, *at))
                && !state_change::is_open(b, *at)
                && self.scope_share(change, Some(*at)) >= MIN_SCOPE
        });
        // `lives in the S3 bucket orvik`: a name soon after the verb.
        let has_name_after = |at: usize| {
            let after = b[at + 1..]
                .iter()
                .filter(|word| word.role != Role::Function);
            after.take(2).any(|word| word.is_name)
        };
        let decided = b
            .iter()
            .position(|word| matches!(word.role, Role::Choose | Role::Use));
        let (at, score) = match (rival, decided) {
            // `b` has a comparable value: a number, a date, or a value of the same set.
            (Some(at), _) if subject >= 0.3 && self.cover() >= MIN_COVER => {
                (at, 0.45 + 0.35 * subject)
            }
            // If `a` names an old value, `b` would have to contain it.
            (None, Some(at))
                if change.old.is_none()
                    && number.is_none()
                    && self.b.changes.is_empty()
                    && words.iter().any(|word| word.is_name)
                    && (self.is_same_person() || !self.shared.is_empty())
                    && has_name_after(at) =>
            {
                (at + 1, 0.25 + 0.35 * subject)
            }
            // Same speaker, a common tag, and some common words.
            (None, _)
                if change.old.is_none()
                    && self.context.is_same_speaker == Some(true)
                    && self.context.tags > TagOverlap::None
                    && self
                        .shared
                        .iter()
                        .any(|stem| *stem != self.a.words[change.at].stem)
                    && self.a.words[change.at].role == Role::Switch
                    && number.is_none()
                    && self.b.changes.is_empty()
                    && self.notes.iter().all(|note| note.statements.len() <= 2) =>
            {
                (0, 0.3 + 0.3 * subject)
            }
            _ => return None,
        };
        let verb = self.first_source(change.at..change.at + 1);
        let end = if rival.is_some() {
            at + 1
        } else {
            at + MAX_SHOWN_WORDS
        };
        let other = at..end.min(b.len());
        let is_cut = rival.is_none() && end < b.len();
        let [new, mut other] = self.sources(new, other);
        if is_cut {
            other.push_str(" \u{2026}");
        }
        let cue = format!(
            "\u{201c}{verb}\u{201d}: to \u{201c}{new}\u{201d}, not \u{201c}{other}\u{201d}"
        );
        Some(Evidence {
            first_is_newer: Some(true),
            is_ordered_by_dates: true,
            values: Some([new, other]),
            ..Evidence::new(score, cue)
        })
    }
}

/// Returns the stems of the nouns in `range`, except those at the positions `but`.
fn nouns(words: &[WordToken], range: Range<usize>, but: &dyn Fn(&usize) -> bool) -> Vec<u64> {
    let says = |at: &usize| {
        let word = &words[*at];
        let is_noun = word.role == Role::Plain && word.marker == Marker::None;
        is_noun && word.is_content() && !word.is_date() && !but(at)
    };
    range.filter(says).map(|at| words[at].stem).collect()
}

/// Returns the range of the clause that contains `at`.
fn clause(words: &[WordToken], at: usize) -> Range<usize> {
    let begins = |at: &usize| words[*at].is_after_break || words[*at].class == Class::And;
    let start = (0..=at).rev().find(begins).unwrap_or(0);
    let end = (at + 1..words.len()).find(begins).unwrap_or(words.len());
    start..end
}

/// Returns true if two numbers may count the same thing: no differing noun follows, and both or neither are
/// part of a date.
fn can_count_same(words: [&[WordToken]; 2], at: [usize; 2]) -> bool {
    let [of, other] = [0, 1].map(|side| {
        let behind = words[side].get(at[side] + 1);
        behind
            .filter(|word| !word.is_after_break && word.is_content())
            .map(|word| word.stem)
    });
    let [dated, is_dated] = [0, 1].map(|side| {
        let beside = at[side].saturating_sub(1)..words[side].len().min(at[side] + 2);
        words[side][beside].iter().any(WordToken::is_date)
    });
    dated == is_dated && (dated || of.is_none() || other.is_none() || of == other)
}
