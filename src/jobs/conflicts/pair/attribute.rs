//! Compares attributes: one note gives an attribute another value than the other.

use std::collections::BTreeSet;

use super::{Evidence, Pair};
use crate::jobs::conflicts::attribute::Attribute;
use crate::jobs::conflicts::frame::PLACE_ATTRIBUTES;
use crate::jobs::conflicts::token::Word;

impl Pair<'_> {
    /// Finds an attribute of the same holder with different values.
    pub(super) fn other_attribute_value(&self) -> Option<Evidence> {
        let evidence = self.a.attributes.iter().flat_map(|ours| {
            let theirs = self.b.attributes.iter();
            theirs.filter_map(move |theirs| self.another_value(ours, theirs))
        });
        evidence.max_by(|a, b| a.score.total_cmp(&b.score))
    }

    fn another_value(&self, ours: &Attribute, theirs: &Attribute) -> Option<Evidence> {
        let is_within = |a: &[u64], b: &[u64]| a.iter().all(|stem| b.contains(stem));
        if ours.name != theirs.name
            || !is_within(&ours.of, &theirs.of) && !is_within(&theirs.of, &ours.of)
            || ours.name == "is" && ours.of != theirs.of
            || ours.holder != theirs.holder
        {
            return None;
        }
        // `end-to-end tests` are a subset of `tests`.
        if ours.of != theirs.of && ours.head == theirs.head {
            return None;
        }
        // `I`, `the user` and a missing holder denote one person only if the person is known. `The password` in two
        // short notes is one thing.
        let named = |word: &Word| word.is_name || word.may_be_name;
        let stems = [&ours.holder, &ours.of].into_iter().flatten();
        let mut holders = stems.filter(|stem| self.is_name(**stem));
        let are_memories = self.notes.iter().all(|note| note.is_memory());
        let is_known = self.is_same_person() || are_memories && !ours.of.is_empty();
        if !is_known && holders.next().is_none() {
            return None;
        }
        let (a, b) = (
            &self.a.words[ours.value.clone()],
            &self.b.words[theirs.value.clone()],
        );
        if PLACE_ATTRIBUTES.contains(&ours.name) && !are_of_one_kind(a, b) {
            return None;
        }
        let [first, second] = [a, b].map(super::stems);
        let is_alike = a.iter().any(named) == b.iter().any(named);
        let is_said = |stems: &[u64], by: &super::Statement| stems.iter().all(|stem| by.has(*stem));
        // A preference between the same options has one value.
        let is_choice = ours.of.len() > 1 && ours.of == theirs.of && !is_within(&first, &second);
        // `promoted to Senior Analyst` adds to the earlier value.
        let is_same = |of: &Attribute, stems: &[u64], others: &[u64], by| {
            !of.is_new && is_said(stems, by) || is_within(stems, others) && is_within(others, stems)
        };
        if !is_alike
            || !is_choice
                && !ours.is_new
                && !theirs.is_new
                && (is_said(&first, self.b) || is_said(&second, self.a))
            || !is_choice
                && is_same(ours, &first, &second, self.b)
                && is_same(theirs, &second, &first, self.a)
        {
            return None;
        }
        let score = 0.55 + 0.25 * self.overlap() + 0.2 * self.subject_score(&[]);
        let values = self.sources(ours.value.clone(), theirs.value.clone());
        Some(Evidence {
            first_is_newer: (ours.is_new != theirs.is_new).then_some(ours.is_new),
            is_ordered_by_dates: true,
            ..Evidence::of_values(score, values)
        })
    }
}

/// Returns false if one is of a known kind and the other is not: `Berlin` may be in `Germany`.
fn are_of_one_kind(a: &[Word], b: &[Word]) -> bool {
    let kinds = |words: &[Word]| -> BTreeSet<u16> {
        let values = words.iter().flat_map(|word| word.values);
        let kinds = values.filter(|value| value.is_kind);
        kinds.map(|value| value.group).collect()
    };
    let (a, b) = (kinds(a), kinds(b));
    a.is_empty() && b.is_empty() || !a.is_disjoint(&b)
}
