//! Compares names: two statements connect a thing with different people or places.

use std::ops::Range;

use super::{Evidence, Pair, TagOverlap};
use crate::jobs::conflicts::lexicon::Role;
use crate::jobs::conflicts::state_change::is_open;
use crate::jobs::conflicts::statement::ConflictStatement;
use crate::note::words::english::Class;

/// Maximum distance between `in` or `by` and the related word before it.
const MAX_DISTANCE_BEFORE: usize = 6;
/// Maximum distance between the preposition and the name after it.
const MAX_DISTANCE_AFTER: usize = 4;

/// Relation of a name to the thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameRelation {
    /// Place or origin: `based in`.
    Place,
    /// Author: `written by`.
    By,
}

/// A name in a statement with its relation.
#[derive(Clone, Debug)]
struct RelatedName {
    relation: NameRelation,
    /// Stems of the words that the place or author belongs to.
    of: Vec<u64>,
    /// Positions of the name.
    words: Range<usize>,
}

impl Pair<'_> {
    /// Each names another place or author of the same thing.
    pub(super) fn other_name(&self) -> Option<Evidence> {
        let says = |statement: &ConflictStatement| !statement.is_negated && !statement.is_title;
        if !says(self.a) || !says(self.b) || !self.compares_all() || self.is_same_person() {
            return None;
        }
        let theirs = related_names(self.b);
        let mut best: Option<Evidence> = None;
        for ours in related_names(self.a) {
            let of =
                |other: &RelatedName| ours.of.iter().find(|stem| other.of.contains(stem)).copied();
            let mut rivals = theirs
                .iter()
                .filter(|other| other.relation == ours.relation)
                .filter_map(|other| Some((other, of(other)?)));
            let Some((first, of)) = rivals.next() else {
                continue;
            };
            let is_ours = |other: &RelatedName| self.a.has(last_stem(self.b, other));
            if self.b.has(last_stem(self.a, &ours))
                || is_ours(first)
                || rivals.any(|(other, _)| is_ours(other))
            {
                continue;
            }
            let score =
                0.25 + 0.2 * self.cover() + 0.1 * self.overlap() + 0.25 * self.subject_score(&[of]);
            if best.as_ref().is_none_or(|best| best.score < score) {
                let names = self.sources(ours.words.clone(), first.words.clone());
                best = Some(Evidence::of_values(score, names));
            }
        }
        best
    }

    /// `a` reports that a person started somewhere, and `b` names another place: `accepted a job in`, `based in`.
    pub(super) fn new_place(&self) -> Option<Evidence> {
        let words = &self.a.words;
        let begins = words.iter().position(|word| word.role == Role::Start)?;
        let is_known =
            self.context.is_same_speaker == Some(true) && self.context.tags > TagOverlap::None;
        if !is_known || self.a.is_negated || self.b.is_negated || is_open(words, begins) {
            return None;
        }
        let positions = |statement: &ConflictStatement| {
            let named = related_names(statement).into_iter();
            named
                .filter(|named| named.relation == NameRelation::Place)
                .collect::<Vec<_>>()
        };
        let (ours, theirs) = (positions(self.a), positions(self.b));
        let (first, other) = (ours.first()?, theirs.first()?);
        if ours
            .iter()
            .any(|named| self.b.has(last_stem(self.a, named)))
        {
            return None;
        }
        Some(Evidence {
            first_is_newer: Some(true),
            is_ordered_by_dates: true,
            ..Evidence::of_values(
                0.25 + 0.35 * self.subject_score(&[]),
                self.sources(first.words.clone(), other.words.clone()),
            )
        })
    }
}

/// Returns the stem of the last word of a name; given names may be shared.
fn last_stem(statement: &ConflictStatement, named: &RelatedName) -> u64 {
    statement.words[named.words.end - 1].stem
}

/// Returns the places and authors named in a statement.
fn related_names(statement: &ConflictStatement) -> Vec<RelatedName> {
    let words = &statement.words;
    let is_name = |at: usize| {
        let word = &words[at];
        word.is_name && !word.is_date()
    };
    let mut named = Vec::new();
    let mut at = 1;
    while at < words.len() {
        if !is_name(at) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while end < words.len() && is_name(end) && !words[end].is_after_break {
            end += 1;
        }
        // The nearest preposition within the clause.
        let lead = (at.saturating_sub(MAX_DISTANCE_AFTER)..at)
            .rev()
            .find(|lead| matches!(words[*lead].class, Class::At | Class::From | Class::By));
        if let Some(lead) = lead
            && !words[lead + 1..=at].iter().any(|word| word.is_after_break)
        {
            let before = words[lead.saturating_sub(MAX_DISTANCE_BEFORE)..lead].iter();
            named.push(RelatedName {
                relation: if words[lead].class == Class::By {
                    NameRelation::By
                } else {
                    NameRelation::Place
                },
                of: before
                    .filter(|word| word.is_content() && !word.is_name)
                    .map(|word| word.stem)
                    .collect(),
                words: at..end,
            });
        }
        at = end;
    }
    named
}
