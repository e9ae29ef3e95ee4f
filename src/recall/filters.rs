//! Matches notes against the filters of a query: everything but ranked text.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::exact::ExactPhrase;
use super::query::{Comparison, Expr, Feature, Filter, Period, PropertyValue, Query, State};
use crate::cache::CacheError;
use crate::cache::key::IndexKey;
use crate::cache::row::{Details, Flags, Row, Slot};
use crate::cache::text::reader::TextReader;
use crate::note::front_matter::property::{is_true, property as value_of};
use crate::note::words::analyzer::Pattern;
use crate::note::words::letters::folded;
use crate::note::{Relation, list_of};
use crate::signals::dates::moment;
use crate::signals::fields::{NameField, TextField};
use crate::signals::tier::Tier;
use crate::view::{Entry, View};

/// The conditions of a query, with index look-ups done in advance.
pub(super) struct Filters<'q> {
    view: &'q View<'q>,
    query: &'q Query,
    /// Members of the query that the text index cannot decide.
    beyond_text: Vec<&'q Expr>,
    /// The matching notes of each text, tag and link condition.
    looked_up: Vec<(&'q Expr, HashSet<Slot>)>,
    hides_forgotten: bool,
    hides_invalid: bool,
}

impl<'q> Filters<'q> {
    /// Prepares all conditions, for [`Filters::matches_note`].
    pub(super) fn with_text(
        view: &'q View<'q>,
        reader: &TextReader,
        query: &'q Query,
    ) -> Result<Self, CacheError> {
        let mut filters = Self::unresolved(view, query);
        filters.look_up(reader, &query.expr)?;
        Ok(filters)
    }

    /// Prepares the conditions for [`Filters::admits`], without those that the text index decides.
    pub(super) fn without_text(
        view: &'q View<'q>,
        reader: &TextReader,
        query: &'q Query,
    ) -> Result<Self, CacheError> {
        let mut filters = Self::unresolved(view, query);
        for member in filters.beyond_text.clone() {
            filters.look_up(reader, member)?;
        }
        Ok(filters)
    }

    fn unresolved(view: &'q View<'q>, query: &'q Query) -> Self {
        Self {
            view,
            query,
            beyond_text: query.conditions().collect(),
            looked_up: Vec::new(),
            hides_forgotten: !query.filters_by_tier(),
            hides_invalid: !query.filters_by_validity(),
        }
    }

    /// Returns the number of notes with the rarest quoted phrase; `None` without a phrase.
    pub(super) fn phrase_matches(&self) -> Option<usize> {
        let phrases = self.looked_up.iter().filter(|(expr, _)| expr.has_phrase());
        phrases.map(|(_, found)| found.len()).min()
    }

    /// Returns whether the query has no such condition.
    pub(super) fn is_empty(&self) -> bool {
        self.beyond_text.is_empty()
    }

    /// Returns whether `entry` meets all conditions, text included. `details` override those of the catalog.
    pub(super) fn matches_note(
        &self,
        entry: &Entry,
        details: Option<Details>,
    ) -> Result<bool, CacheError> {
        self.evaluate(entry, details, |note| {
            self.query.expr.holds(&mut |leaf| note.leaf(leaf))
        })
    }

    /// Returns whether the note of `slot` exists, is not hidden, and meets the conditions that the text index
    /// cannot decide.
    pub(super) fn admits(&self, slot: Slot) -> Result<bool, CacheError> {
        // Called for every match of a query: read no more than necessary.
        if !self.is_visible_slot(slot)? {
            return Ok(false);
        }
        if self.beyond_text.is_empty() {
            return Ok(true);
        }
        let Some(entry) = self.view.entry(slot)? else {
            return Ok(false);
        };
        self.evaluate(&entry, None, |note| {
            self.beyond_text
                .iter()
                .all(|member| member.holds(&mut |leaf| note.leaf(leaf)))
        })
    }

    /// Returns whether the note of `slot` exists and is not hidden.
    pub(super) fn is_visible_slot(&self, slot: Slot) -> Result<bool, CacheError> {
        let Some(row) = self.view.reading().fields(slot)? else {
            return Ok(false);
        };
        let is_upcoming = self.hides_invalid && self.view.is_row_upcoming(slot, &row)?;
        Ok(self.is_visible(&row) && !is_upcoming)
    }

    /// Returns whether a note with this row is not hidden.
    pub(super) fn is_visible(&self, row: &Row) -> bool {
        let forgotten = self.hides_forgotten && row.flags.tier() == Tier::Forgotten;
        let is_over = self.hides_invalid && row.expires <= self.view.now.timestamp().as_second();
        !forgotten && !is_over
    }

    fn evaluate(
        &self,
        entry: &Entry,
        details: Option<Details>,
        answer: impl FnOnce(&mut NoteMatcher<'_, 'q>) -> bool,
    ) -> Result<bool, CacheError> {
        let mut note = NoteMatcher {
            filters: self,
            entry,
            is_changed: details.is_some(),
            details,
            failed: None,
        };
        let holds = answer(&mut note);
        note.failed.map_or(Ok(holds), Err)
    }

    fn look_up(&mut self, reader: &TextReader, expr: &'q Expr) -> Result<(), CacheError> {
        let found = match expr {
            Expr::And(members) | Expr::Or(members) => {
                return members
                    .iter()
                    .try_for_each(|member| self.look_up(reader, member));
            }
            Expr::Not(inner) => return self.look_up(reader, inner),
            Expr::Text(Pattern::Phrase(phrase))
            | Expr::Filter(Filter::Text {
                pattern: Pattern::Phrase(phrase),
                ..
            }) => self.with_phrase(reader, expr, phrase)?,
            Expr::Text(_) | Expr::Filter(Filter::Text { .. }) => match expr.clause() {
                Some(clause) => reader
                    .matches(&clause)?
                    .into_iter()
                    .map(|key| key as Slot)
                    .collect(),
                None => HashSet::new(),
            },
            Expr::Filter(Filter::Names {
                field: NameField::Tag,
                value,
            }) if !value.contains('*') => {
                let mut tagged = HashSet::new();
                for slot in self.view.reading().find(IndexKey::tag(value))? {
                    // Two tags can share a hash.
                    if has_tag(&self.view.details(slot)?, value) {
                        tagged.insert(slot);
                    }
                }
                tagged
            }
            // Without such relations no note is looked up for them.
            Expr::Filter(Filter::Is(State::Superseded)) if !self.has_replacements()? => {
                HashSet::new()
            }
            Expr::Filter(Filter::Names {
                field: NameField::Link,
                value,
            }) => {
                let mut sources = HashSet::new();
                for target in self.view.named(value)? {
                    sources.extend(
                        self.view
                            .linking_to(&target)?
                            .iter()
                            .map(|entry| entry.slot),
                    );
                }
                sources
            }
            Expr::Filter(Filter::Names {
                field: NameField::LinkedFrom,
                value,
            }) => {
                let mut targets = HashSet::new();
                for source in self.view.named(value)? {
                    let linked = self.view.linked_from(&source)?;
                    targets.extend(linked.iter().map(|(_, entry)| entry.slot));
                }
                targets
            }
            Expr::Filter(_) => return Ok(()),
        };
        self.looked_up.push((expr, found));
        Ok(())
    }

    /// Returns whether a note may state that it replaces another.
    fn has_replacements(&self) -> Result<bool, CacheError> {
        let relation = Relation::EvolvedFrom.name();
        let known = &self.view.reading().meta()?.properties;
        Ok(known.contains_key(relation) || !self.view.unsaved.is_empty())
    }

    /// Returns the notes in which `phrase` occurs: in the part that a filter names, else anywhere. A note
    /// that cannot be read counts as one.
    fn with_phrase(
        &self,
        reader: &TextReader,
        expr: &Expr,
        phrase: &str,
    ) -> Result<HashSet<Slot>, CacheError> {
        let exact = ExactPhrase::new(phrase);
        let candidates = match expr.clause().filter(|_| exact.has_words()) {
            Some(clause) => reader.matches(&clause)?,
            None => reader.keys()?,
        };
        let mut entries = Vec::with_capacity(candidates.len());
        for key in candidates {
            entries.extend(self.view.entry(key as Slot)?);
        }
        let part = match expr {
            Expr::Filter(Filter::Text { field, .. }) => Some(*field),
            _ => None,
        };
        let occurs_in_text = |entry: &Entry, text: &str| match part {
            Some(TextField::Headings) => {
                let note = crate::note::read(text, entry.path.stem());
                let mut headings = note.headings.iter();
                headings.any(|heading| exact.occurs_in(&heading.text))
            }
            _ => exact.occurs_in(text),
        };
        let in_text: Vec<bool> = if part == Some(TextField::Title) {
            vec![false; entries.len()]
        } else {
            let texts = self.view.each_text(&entries, occurs_in_text);
            texts
                .into_iter()
                .map(|occurs| occurs.unwrap_or(true))
                .collect()
        };
        let mut found = HashSet::new();
        for (entry, is_in_text) in entries.iter().zip(in_text) {
            let is_named = || -> Result<bool, CacheError> {
                Ok(match part {
                    Some(TextField::Headings) => false,
                    Some(TextField::Title) => {
                        exact.occurs_in(&self.view.details(entry.slot)?.title)
                    }
                    None => {
                        exact.occurs_in(entry.path.as_str())
                            || exact.occurs_in(&self.view.details(entry.slot)?.title)
                    }
                })
            };
            if is_in_text || is_named()? {
                found.insert(entry.slot);
            }
        }
        Ok(found)
    }
}

/// A note being matched; its details are read on demand.
struct NoteMatcher<'c, 'q> {
    filters: &'c Filters<'q>,
    entry: &'c Entry,
    details: Option<Details>,
    /// Whether its properties differ from the catalog.
    is_changed: bool,
    failed: Option<CacheError>,
}

impl NoteMatcher<'_, '_> {
    fn leaf(&mut self, leaf: &Expr) -> bool {
        let mut looked_up = self.filters.looked_up.iter();
        let is_tag = |leaf: &Expr| {
            let Expr::Filter(Filter::Names { field, .. }) = leaf else {
                return false;
            };
            *field == NameField::Tag
        };
        if let Some((_, found)) = looked_up.find(|(expr, _)| std::ptr::eq(*expr, leaf))
            && !(self.is_changed && is_tag(leaf))
        {
            return found.contains(&self.entry.slot);
        }
        let Expr::Filter(filter) = leaf else {
            return false;
        };
        self.meets(filter).unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            false
        })
    }

    fn details(&mut self) -> Result<&Details, CacheError> {
        if self.details.is_none() {
            self.details = Some(self.filters.view.details(self.entry.slot)?);
        }
        Ok(self.details.as_ref().expect("was just set"))
    }

    fn meets(&mut self, filter: &Filter) -> Result<bool, CacheError> {
        let row = &self.entry.row;
        Ok(match filter {
            // Always looked up in advance.
            Filter::Text { .. } => false,
            Filter::Names { field, value } => self.has_name(*field, value)?,
            Filter::Tier(tier) => row.flags.tier() == *tier,
            Filter::Date {
                field,
                comparison,
                period,
            } => {
                let second = self.filters.view.moment(self.entry, *field)?;
                let at = second.and_then(|second| jiff::Timestamp::from_second(second).ok());
                let range = period.range(self.filters.view.now.time_zone());
                at.is_some_and(|at| comparison.holds_for_range(&at, &range))
            }
            Filter::Number {
                field,
                comparison,
                value,
            } => {
                let number = self.filters.view.number(self.entry, *field)?;
                comparison.holds(&number, value)
            }
            Filter::Has(Feature::Conflict) => self.has_relation("contradicts")?,
            Filter::Has(Feature::Property(name)) => {
                let properties = self.details()?.properties();
                value_of(&properties, name).is_some_and(|value| !value.is_null())
            }
            Filter::Is(state) => self.has_state(*state)?,
            // Same interpretation as the code that protects notes.
            Filter::Property {
                name,
                comparison: Comparison::Is,
                value: PropertyValue::Text(value),
                ..
            } if name.eq_ignore_ascii_case("keep") && is_true(&value.as_str().into()) => {
                self.entry.row.flags.has(Flags::KEEP)
            }
            Filter::Property {
                name,
                comparison,
                value,
                ..
            } => {
                let properties = self.details()?.properties();
                let found = value_of(&properties, name).or_else(|| {
                    let mut all = properties.iter();
                    let found = all.find(|(key, _)| key.eq_ignore_ascii_case(name));
                    found.map(|(_, found)| found)
                });
                found.is_some_and(|found| property(found, *comparison, value))
            }
        })
    }

    fn has_name(&mut self, field: NameField, value: &str) -> Result<bool, CacheError> {
        Ok(match field {
            NameField::Tag => has_tag(self.details()?, value),
            NameField::Property("type") if self.cannot_have_type(value) => false,
            NameField::Property(key) => {
                let properties = self.details()?.properties();
                list_of(&properties, key)
                    .iter()
                    .any(|found| is_like(found, value))
            }
            NameField::Path => {
                let anywhere = format!("*{}*", value.trim_start_matches("./"));
                is_like(self.entry.path.as_str(), &anywhere)
            }
            NameField::Folder => {
                let wanted = value.trim_start_matches("./").trim_matches('/');
                let folders = self.entry.path.folder().split('/');
                wanted.is_empty() || {
                    let depth = wanted.split('/').count();
                    let above: Vec<&str> = folders.take(depth).collect();
                    is_like(&above.join("/"), wanted)
                }
            }
            // Always looked up in advance.
            NameField::Link | NameField::LinkedFrom => false,
        })
    }

    /// Whether the row shows that the note does not have this type.
    fn cannot_have_type(&self, wanted: &str) -> bool {
        let is_known = !self.is_changed && !wanted.contains('*');
        is_known && !self.entry.row.may_have_type(wanted)
    }

    fn has_state(&mut self, state: State) -> Result<bool, CacheError> {
        Ok(match state {
            State::Managed => self.entry.is_managed(),
            State::Handwritten => !self.entry.is_managed(),
            State::Orphan => self.degree()? == 0,
            State::Open => self.entry.row.flags.has(Flags::OPEN_TASK),
            State::Done => self.entry.row.flags.has(Flags::DONE_TASK),
            State::Deadend => !self.filters.view.link_status(self.entry)?.has_resolved,
            State::Unresolved => self.filters.view.link_status(self.entry)?.has_broken,
            State::Empty => self.entry.row.body == 0,
            State::Expired => {
                self.entry.row.expires <= self.filters.view.now.timestamp().as_second()
            }
            State::Upcoming => self.filters.view.is_upcoming(self.entry)?,
            State::Superseded => self.filters.view.replaced_now(self.entry)?.is_some(),
        })
    }

    fn has_relation(&mut self, name: &str) -> Result<bool, CacheError> {
        let own = self
            .details()?
            .links
            .iter()
            .any(|link| link.property.as_deref() == Some(name));
        Ok(own
            || self
                .filters
                .view
                .related_to(self.entry, name)?
                .next()
                .is_some())
    }

    fn degree(&mut self) -> Result<u32, CacheError> {
        self.filters.view.degree(self.entry)
    }
}

/// Returns whether a note has a tag like `wanted`, or a descendant of it.
fn has_tag(details: &Details, wanted: &str) -> bool {
    let below = format!("{wanted}/*");
    let exact = !wanted.contains('*');
    let mut tags = details.tags.iter();
    tags.any(|tag| is_like(tag, wanted) || (exact && is_like(tag, &below)))
}

/// Returns whether a property value compares to `wanted` as given; for a list, whether any item does.
fn property(found: &Json, comparison: Comparison, wanted: &PropertyValue) -> bool {
    match found {
        Json::Array(items) => items.iter().any(|item| property(item, comparison, wanted)),
        Json::Null | Json::Object(_) => false,
        Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            let text = match found {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            match wanted {
                PropertyValue::Text(wanted) if comparison == Comparison::Is => {
                    let year = wanted.parse().ok().and_then(Period::of_year);
                    is_like(&text, wanted)
                        || has_words(&text, wanted)
                        || year.is_some_and(|year| is_in_period(&text, comparison, year))
                }
                PropertyValue::Text(wanted) => comparison.holds(&text.as_str(), &wanted.as_str()),
                PropertyValue::Number(wanted) => {
                    if let Ok(number) = text.trim().parse::<f64>() {
                        comparison.holds(&number, wanted)
                    } else {
                        let year = Period::of_year(*wanted);
                        year.is_some_and(|year| is_in_period(&text, comparison, year))
                    }
                }
                PropertyValue::Time(period) => is_in_period(&text, comparison, *period),
            }
        }
    }
}

/// Returns whether `text` is a date that compares to `period` as given.
fn is_in_period(text: &str, comparison: Comparison, period: Period) -> bool {
    let range = period.range(&jiff::tz::TimeZone::UTC);
    moment(text)
        .and_then(|second| jiff::Timestamp::from_second(second).ok())
        .is_some_and(|at| comparison.holds_for_range(&at, &range))
}

/// Returns whether `value` contains the words of `wanted` in sequence: `vitalik` in a list of authors.
///
/// Words joined by a hyphen are one word: `not-done` does not match `done`. A number does not match a part of
/// a value.
fn has_words(value: &str, wanted: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '\'');
    let words = |text: &str| -> Vec<String> {
        let words = text
            .split(|c| !is_inside(c))
            .map(|word| word.trim_matches(['-', '\'']));
        words.filter(|word| !word.is_empty()).map(folded).collect()
    };
    let (value, sought) = (words(value), words(wanted));
    wanted.contains(char::is_alphabetic)
        && !sought.is_empty()
        && value.windows(sought.len()).any(|words| words == sought)
}

/// Returns whether `value` equals `wanted`, ignoring case; `*` in `wanted` matches anything.
fn is_like(value: &str, wanted: &str) -> bool {
    let (value, wanted) = (folded(value), folded(wanted));
    let mut parts = wanted.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = value.strip_prefix(first) else {
        return false;
    };
    if !wanted.contains('*') {
        return rest.is_empty();
    }
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_whole_words_in_sequence() {
        for (value, wanted, expected) in [
            ("Vitalik Buterin (@vbuterin)", "vitalik", true),
            ("Vitalik Buterin (@vbuterin)", "vitalik buterin", true),
            ("Vitalik Buterin (@vbuterin)", "VButerin", true),
            ("Vitalik Buterin (@vbuterin)", "buterin vitalik", false),
            ("Vitalik Buterin (@vbuterin)", "vital", false),
            ("not-done", "done", false),
            ("2.10", "2", false),
            ("...", "...", false),
        ] {
            assert_eq!(has_words(value, wanted), expected, "{value} {wanted}");
        }
    }

    #[test]
    fn compares_years_with_dates() {
        for (value, comparison, year, expected) in [
            ("2026-05-01", Comparison::Below, 2027.0, true),
            ("2027-01-01", Comparison::Below, 2027.0, false),
            ("2028-01-01", Comparison::Above, 2027.0, true),
            ("2026-05-01", Comparison::Below, 20.5, false),
            ("soon", Comparison::Below, 2027.0, false),
            ("7", Comparison::Below, 2027.0, true),
        ] {
            let found = property(&Json::from(value), comparison, &PropertyValue::Number(year));
            assert_eq!(found, expected, "{value} {year}");
        }
    }

    #[test]
    fn stars_match_anything() {
        for (value, wanted, expected) in [
            ("Draft", "draft", true),
            ("drafts", "draft", false),
            ("drafts", "draft*", true),
            ("a/b/c", "a*c", true),
            ("a/b/c", "*b*", true),
            ("ac", "a*b*c", false),
            ("ab", "ab*b", false),
            ("", "*", true),
        ] {
            assert_eq!(is_like(value, wanted), expected, "{value} {wanted}");
        }
    }
}
