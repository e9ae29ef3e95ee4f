//! Parses a query into an [`Expr`].
//!
//! Recursive descent over characters, since their meaning depends on context. `-` negates only before an
//! operand, `:` makes a field only between a name and a value, `)` ends a word only in a group.

use jiff::{Timestamp, Zoned};

use super::expr::{
    Comparison, Expr, Feature, Filter, Hint, PropertyValue, Query, SavedQueryMap, State,
};
use super::period::{self, Period};
use super::syntax::{can_negate, name_of, prefix_of, saved_of, tag_of};
use crate::config::nearest;
use crate::note::words::analyzer::Pattern;
use crate::note::words::tokens::without_elision;
use crate::signals::fields::{DateField, DayComparison, Field, FieldType, NameField, NumberField};
use crate::signals::tier::Tier;

/// Maximum nesting of groups; more fits on the stack, but no person writes it.
const MAX_GROUP_DEPTH: usize = 64;

/// Maximum number of expanded saved queries; those of a hostile vault could double at each step.
const MAX_EXPANSIONS: usize = 64;

/// Parses `text`.
pub(super) fn parse(text: &str, now: &Zoned, saved: Option<&SavedQueryMap>) -> Query {
    let mut reader = Parser::new(text, now, saved);
    Query {
        expr: reader.whole(),
        sort: reader.sort,
        hints: reader.hints,
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    now: &'a Zoned,
    /// Saved queries by name; without them `@name` is a word.
    saved: Option<&'a SavedQueryMap>,
    /// The saved queries being expanded, outermost first.
    expanding: Vec<&'a str>,
    /// Number of expanded queries so far.
    expanded: usize,
    sort: Option<(&'static Field, bool)>,
    hints: Vec<Hint>,
}

/// Returns the conditions of `text` that a note must all meet, as written.
pub(super) fn members<'a>(text: &'a str, now: &Zoned) -> Vec<&'a str> {
    let mut members = Vec::new();
    let mut reader = Parser::new(text, now, None);
    while !reader.is_at_end() {
        let start = reader.at;
        drop(reader.operand());
        members.push(&text[start..reader.at]);
        if reader.take_operator("OR") {
            return vec![text];
        }
        reader.take_operator("AND");
    }
    members
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, now: &'a Zoned, saved: Option<&'a SavedQueryMap>) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            now,
            saved,
            expanding: Vec::new(),
            expanded: 0,
            sort: None,
            hints: Vec::new(),
        }
    }

    fn whole(&mut self) -> Expr {
        let mut members = Vec::new();
        while !self.is_at_end() {
            members.extend(self.alternatives());
        }
        all_of(members).unwrap_or(Expr::And(Vec::new()))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.rest().is_empty()
    }

    /// Returns whether the current group ends here.
    fn is_group_done(&mut self) -> bool {
        self.is_at_end() || (self.depth > 0 && self.rest().starts_with(')'))
    }

    /// Consumes `keyword` if it is a separate word here.
    fn take_keyword(&mut self, keyword: &str) -> bool {
        self.skip_space();
        let Some(rest) = self.rest().strip_prefix(keyword) else {
            return false;
        };
        let ends = rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
        if ends || rest.is_empty() {
            self.at += keyword.len();
        }
        ends || rest.is_empty()
    }

    /// Consumes `keyword` if it is here and an operand follows.
    fn take_operator(&mut self, keyword: &str) -> bool {
        let start = self.at;
        if !self.take_keyword(keyword) {
            return false;
        }
        if self.is_group_done() {
            self.at = start;
            return false;
        }
        true
    }

    fn alternatives(&mut self) -> Option<Expr> {
        let mut members = Vec::new();
        loop {
            members.extend(self.sequence());
            if self.is_group_done() || !self.take_operator("OR") {
                break;
            }
        }
        any_of(members)
    }

    /// Parses up to an `OR`, the end of the group or the end of the text.
    fn sequence(&mut self) -> Option<Expr> {
        let mut members = Vec::new();
        while !self.is_group_done() {
            if !members.is_empty() {
                let here = self.at;
                if self.take_operator("OR") {
                    self.at = here;
                    break;
                }
                // One operator joins two members; a second one is a word.
                self.take_operator("AND");
            }
            members.extend(self.operand());
        }
        all_of(members)
    }

    /// Parses one member with its negations.
    fn operand(&mut self) -> Option<Expr> {
        let mut is_negated = false;
        loop {
            if self.rest().strip_prefix('-').is_some_and(can_negate) {
                self.at += 1;
            } else if !self.take_operator("NOT") {
                break;
            }
            is_negated = !is_negated;
            self.skip_space();
        }
        let member = self.member()?;
        Some(match member {
            // The empty condition has no opposite.
            Expr::And(members) if members.is_empty() => Expr::And(members),
            Expr::Not(inner) if is_negated => *inner,
            member if is_negated => Expr::Not(Box::new(member)),
            member => member,
        })
    }

    fn member(&mut self) -> Option<Expr> {
        match self.rest().chars().next()? {
            '(' if self.depth < MAX_GROUP_DEPTH => self.group(),
            '"' => self.phrase(),
            '\\' => {
                self.at += 1;
                let rest = self.rest();
                let word = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
                self.at += word.len();
                (!word.is_empty()).then(|| Expr::Text(Pattern::Word(word.to_owned())))
            }
            '#' => self.tag().or_else(|| self.word()),
            '@' => self.saved_query().or_else(|| self.word()),
            _ => self.field().or_else(|| self.word()),
        }
    }

    /// Parses `#tag`.
    fn tag(&mut self) -> Option<Expr> {
        let word = &self.rest()[..self.word_length()];
        let value = tag_of(word)?.to_owned();
        self.at += word.len();
        let field = NameField::Tag;
        Some(Expr::Filter(Filter::Names { field, value }))
    }

    /// Expands `@name`; consumes nothing if no query has this name.
    fn saved_query(&mut self) -> Option<Expr> {
        let saved = self.saved?;
        let word = &self.rest()[..self.word_length()];
        let (name, length) = (saved_of(word)?, word.len());
        let Some((name, text)) = saved
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
        else {
            let name = name.to_owned();
            let nearest = nearest(&name, saved.keys()).cloned();
            self.hints.push(Hint::UnknownQuery { name, nearest });
            return None;
        };
        self.expanded += 1;
        if self.expanding.contains(&name.as_str()) || self.expanded > MAX_EXPANSIONS {
            let endless = Hint::EndlessQuery(name.clone());
            if !self.hints.contains(&endless) {
                self.hints.push(endless);
            }
            return None;
        }
        self.at += length;
        let mut expanding = self.expanding.clone();
        expanding.push(name);
        let mut reader = Parser {
            text,
            at: 0,
            depth: 0,
            expanding,
            expanded: self.expanded,
            sort: self.sort,
            hints: std::mem::take(&mut self.hints),
            ..*self
        };
        let expr = reader.whole();
        self.expanded = reader.expanded;
        self.sort = reader.sort;
        self.hints = reader.hints;
        Some(expr)
    }

    /// Stores the order of `sort:`; the first one wins.
    fn set_sort(&mut self, key: &str) -> Result<(), Hint> {
        let order = Field::sorting(key).ok_or_else(|| Hint::UnknownSort(key.to_owned()))?;
        self.sort.get_or_insert(order);
        Ok(())
    }

    fn group(&mut self) -> Option<Expr> {
        self.at += 1;
        self.depth += 1;
        let mut members = Vec::new();
        while !self.is_group_done() {
            members.extend(self.alternatives());
        }
        self.depth -= 1;
        if self.rest().starts_with(')') {
            self.at += 1;
        } else {
            self.hints.push(Hint::UnclosedGroup);
        }
        all_of(members)
    }

    fn phrase(&mut self) -> Option<Expr> {
        self.at += 1;
        let Some(end) = self.rest().find('"') else {
            self.hints.push(Hint::UnclosedQuote);
            return None;
        };
        let phrase = &self.rest()[..end];
        self.at += end + 1;
        (!phrase.trim().is_empty()).then(|| Expr::Text(Pattern::Phrase(phrase.to_owned())))
    }

    /// Returns the length of the word that begins here.
    fn word_length(&self) -> usize {
        let mut open = 0;
        let ends = |c: char| match c {
            '(' => {
                open += 1;
                false
            }
            ')' if open > 0 => {
                open -= 1;
                false
            }
            ')' => self.depth > 0,
            c => c.is_whitespace(),
        };
        self.rest().find(ends).unwrap_or(self.rest().len())
    }

    fn word(&mut self) -> Option<Expr> {
        let word = &self.rest()[..self.word_length()];
        self.at += word.len();
        if matches!(word, "OR" | "AND" | "NOT") {
            self.hints.push(Hint::StrayOperator(word.to_owned()));
        }
        let field = word.strip_suffix(':').and_then(Field::named);
        self.hints.extend(field.map(|field| Hint::NoValue {
            field: field.name,
            example: field.example.0,
        }));
        if word.starts_with('(')
            && self.depth == MAX_GROUP_DEPTH
            && !self.hints.contains(&Hint::TooDeep)
        {
            self.hints.push(Hint::TooDeep);
        }
        (!word.is_empty()).then(|| Expr::Text(pattern_of(word)))
    }

    /// Parses `name:value`; consumes nothing if there is none here.
    fn field(&mut self) -> Option<Expr> {
        let word = &self.rest()[..self.word_length()];
        let (name, value) = name_of(word)?;
        let sign = if is_ordered(name) { sign_of(value) } else { "" };
        let start = self.at + name.len() + 1 + sign.len();
        let rest = &self.text[start..];
        let range = range_length(rest);
        let quoted = rest
            .strip_prefix('"')
            .filter(|_| range.is_none())
            .and_then(|rest| Some(&rest[..rest.find('"')?]));
        let length = quoted.map_or(value.len() - sign.len(), |quoted| quoted.len() + 2);
        let mut end = start + range.unwrap_or(length);
        let written = match quoted {
            Some(quoted) => quoted.to_owned(),
            None => self.text[start..end].replace('"', ""),
        };
        let mut value = RawField {
            name,
            sign,
            value: written.trim(),
            is_quoted: quoted.is_some(),
        };
        if let Some(period) = self.period_words(&value, start, end) {
            end = start + period.len();
            value.value = period;
        }
        let is_address = value.value.starts_with(':') || value.value.starts_with("//");
        if value.value.is_empty() || (!value.is_quoted && is_address) {
            return None;
        }
        let read = match value.kind() {
            FieldType::Sort => self.set_sort(value.value).map(|()| Vec::new()),
            _ => value.read_all(self.now),
        };
        if quoted.is_none() && range.is_none() && rest.starts_with('"') {
            self.hints.push(Hint::UnclosedQuote);
        }
        self.at = end;
        match read {
            Ok(filters) => {
                let all = all_of(filters.into_iter().map(Expr::Filter).collect());
                Some(all.unwrap_or(Expr::And(Vec::new())))
            }
            Err(hint) => {
                self.hints.push(hint);
                Some(value.as_words())
            }
        }
    }

    /// Returns the text from `start` if the value up to `end` and the next words form one date. A shell
    /// removes the quotes of `after:"last week"`.
    fn period_words(&self, value: &RawField<'_>, start: usize, end: usize) -> Option<&'a str> {
        let takes_dates = match value.kind() {
            FieldType::Date(_) | FieldType::Day(_) => true,
            // `status:next week` may be a status and a word.
            FieldType::Property => !value.sign.is_empty(),
            _ => false,
        };
        if value.is_quoted || !takes_dates {
            return None;
        }
        let after = |from: usize| {
            let word = self.text[from..].strip_prefix(' ')?;
            let ends = |c: char| c.is_whitespace() || c == ')' && self.depth > 0;
            let length = word.find(ends).unwrap_or(word.len());
            (length > 0).then_some(from + 1 + length)
        };
        let second = after(end)?;
        let ends = [after(second), Some(second)];
        let mut longest = ends.into_iter().flatten().map(|end| &self.text[start..end]);
        let is_end = |end: &str| end.is_empty() || is_period(end, self.now);
        longest.find(|words| {
            let range = words.split_once("..");
            is_period(words, self.now)
                || range.is_some_and(|(from, to)| is_end(from.trim()) && is_end(to.trim()))
        })
    }
}

/// Returns the length of a range at the start of `text` with a quoted end: `"last week"..today`.
fn range_length(text: &str) -> Option<usize> {
    let mut is_open = false;
    let ends = |c: char| {
        is_open ^= c == '"';
        !is_open && (c.is_whitespace() || c == ')')
    };
    let length = text.find(ends).unwrap_or(text.len());
    let (from, to) = text[..length].split_once("..")?;
    let is_quoted = |end: &str| end.len() > 1 && end.starts_with('"') && end.ends_with('"');
    let is_plain = |end: &str| !end.contains('"');
    let is_end = |end| is_quoted(end) || is_plain(end);
    ((is_quoted(from) || is_quoted(to)) && is_end(from) && is_end(to)).then_some(length)
}

/// Parses an end of a range of dates: `2026-05`, `2w`.
fn period_or_age(end: &str, now: &Zoned) -> Option<Period> {
    let ago = || Some(Period::Instant(period::ago(end, now)?.timestamp()));
    Period::parse_of_date(end, now).or_else(ago)
}

/// Returns when the period or age begins.
fn start_of(end: &str, now: &Zoned) -> Option<Timestamp> {
    Some(period_or_age(end, now)?.range(now.time_zone()).start)
}

/// Returns whether the field `name` is ordered; every property is.
fn is_ordered(name: &str) -> bool {
    Field::named(name).is_none_or(Field::is_ordered)
}

/// A field as written.
struct RawField<'a> {
    name: &'a str,
    sign: &'a str,
    value: &'a str,
    is_quoted: bool,
}

impl RawField<'_> {
    fn kind(&self) -> FieldType {
        Field::named(self.name).map_or(FieldType::Property, |field| field.kind)
    }

    /// Returns the filters of the field; a note must meet all.
    fn read_all(&self, now: &Zoned) -> Result<Vec<Filter>, Hint> {
        match self.range(now) {
            Some(range) => range,
            None => Ok(vec![self.read(now)?]),
        }
    }

    /// Parses `from..to`, inclusive; either end can be omitted.
    fn range(&self, now: &Zoned) -> Option<Result<Vec<Filter>, Hint>> {
        let (from, to) = self.value.split_once("..")?;
        let mut ends = [from.trim(), to.trim_start_matches('.').trim()];
        // A quoted text can contain two dots; a date cannot.
        let is_text = self.is_quoted && self.kind() == FieldType::Property;
        if is_text || !self.sign.is_empty() || ends == [""; 2] {
            return None;
        }
        // Either end may come first. Ages count backwards: `1w..2w` begins two weeks ago.
        let is_reversed = match ends.map(number_of) {
            [Some(from), Some(to)] => from > to,
            _ => matches!(ends.map(|end| start_of(end, now)), [Some(from), Some(to)] if from > to),
        };
        if is_reversed {
            ends.reverse();
        }
        let read = match self.kind() {
            FieldType::Date(field) => self.range_of_dates(field, ends, now),
            FieldType::Day(DayComparison::On) => self.range_of_dates(DateField::Created, ends, now),
            FieldType::Day(_) => Err(self.bad_date()),
            FieldType::Number(_) => self.bounds(ends).map(|end| end.read(now)).collect(),
            FieldType::Property => {
                let is_bound = |end: &&str| number_of(end).is_some() || is_period(end, now);
                if !ends.iter().filter(|end| !end.is_empty()).all(is_bound) {
                    return None;
                }
                self.bounds(ends).map(|end| end.read(now)).collect()
            }
            _ => return None,
        };
        Some(read)
    }

    /// Returns one comparison for each given end.
    fn bounds<'e>(&'e self, ends: [&'e str; 2]) -> impl Iterator<Item = RawField<'e>> {
        let pairs = [">=", "<="].into_iter().zip(ends);
        let bounds = pairs.filter(|(_, value)| !value.is_empty());
        bounds.map(|(sign, value)| RawField {
            name: self.name,
            sign,
            value,
            is_quoted: false,
        })
    }

    fn range_of_dates(
        &self,
        field: DateField,
        ends: [&str; 2],
        now: &Zoned,
    ) -> Result<Vec<Filter>, Hint> {
        let mut periods = Vec::new();
        for (end, comparison) in ends.iter().zip([Comparison::AtLeast, Comparison::AtMost]) {
            if !end.is_empty() {
                let period = period_or_age(end, now).ok_or_else(|| self.bad_date())?;
                periods.push((comparison, period));
            }
        }
        let filters = periods
            .into_iter()
            .map(|(comparison, period)| Filter::Date {
                field,
                comparison,
                period,
            });
        Ok(filters.collect())
    }

    fn read(&self, now: &Zoned) -> Result<Filter, Hint> {
        match self.kind() {
            FieldType::Text(field) => Ok(Filter::Text {
                field,
                pattern: self.pattern(),
            }),
            FieldType::Names(field) => Ok(self.names(field)),
            FieldType::Tier => Tier::named(self.value)
                .map(Filter::Tier)
                .ok_or_else(|| Hint::UnknownTier(self.value.to_owned())),
            FieldType::Date(field) => self.date(field, now),
            FieldType::Day(day) => self.day(day, now),
            FieldType::Number(field) => self.number(field),
            FieldType::Feature => Ok(Filter::Has(self.feature())),
            FieldType::State => State::named(self.value)
                .map(Filter::Is)
                .ok_or_else(|| Hint::UnknownState(self.value.to_owned())),
            FieldType::Property | FieldType::Sort => Ok(self.property(now)),
        }
    }

    fn names(&self, field: NameField) -> Filter {
        let bare = self.value.trim_start_matches('#').trim();
        let value = match field {
            NameField::Tag if !bare.is_empty() => bare,
            _ => self.value,
        };
        Filter::Names {
            field,
            value: value.to_owned(),
        }
    }

    fn feature(&self) -> Feature {
        if self.value.eq_ignore_ascii_case("conflict") {
            Feature::Conflict
        } else {
            Feature::Property(self.value.to_owned())
        }
    }

    fn pattern(&self) -> Pattern {
        if self.is_quoted {
            Pattern::Phrase(self.value.to_owned())
        } else {
            pattern_of(self.value)
        }
    }

    fn comparison(&self) -> Comparison {
        match self.sign {
            "<" => Comparison::Below,
            "<=" => Comparison::AtMost,
            ">=" => Comparison::AtLeast,
            ">" => Comparison::Above,
            _ => Comparison::Is,
        }
    }

    fn bad_date(&self) -> Hint {
        Hint::BadDate {
            field: self.name.to_owned(),
            value: self.value.to_owned(),
        }
    }

    /// Parses the value of `after:`, `before:` and `on:`.
    fn day(&self, day: DayComparison, now: &Zoned) -> Result<Filter, Hint> {
        let comparison = match day {
            DayComparison::After => Comparison::AtLeast,
            DayComparison::Before => Comparison::Below,
            DayComparison::On => Comparison::Is,
        };
        let ago = || {
            let then = period::ago(self.value, now)?;
            Some(match comparison {
                Comparison::Is => Period::Day(then.date()),
                _ => Period::Instant(then.timestamp()),
            })
        };
        let period = Period::parse_of_date(self.value, now)
            .or_else(ago)
            .ok_or_else(|| self.bad_date())?;
        Ok(Filter::Date {
            field: DateField::Created,
            comparison,
            period,
        })
    }

    fn date(&self, field: DateField, now: &Zoned) -> Result<Filter, Hint> {
        if let Some(period) = Period::parse_of_date(self.value, now) {
            return Ok(Filter::Date {
                field,
                comparison: self.comparison(),
                period,
            });
        }
        // An age increases towards the past: younger than a day means after this time yesterday.
        let comparison = match self.comparison() {
            Comparison::Below => Comparison::Above,
            Comparison::AtMost | Comparison::Is => Comparison::AtLeast,
            Comparison::AtLeast => Comparison::AtMost,
            Comparison::Above => Comparison::Below,
        };
        let then = period::ago(self.value, now).ok_or_else(|| self.bad_date())?;
        Ok(Filter::Date {
            field,
            comparison,
            period: Period::Instant(then.timestamp()),
        })
    }

    fn number(&self, field: NumberField) -> Result<Filter, Hint> {
        let value = number_of(self.value).ok_or_else(|| Hint::BadNumber {
            field: self.name.to_owned(),
            value: self.value.to_owned(),
        })?;
        Ok(Filter::Number {
            field,
            comparison: self.comparison(),
            value,
        })
    }

    fn property(&self, now: &Zoned) -> Filter {
        let comparison = self.comparison();
        let text = || PropertyValue::Text(self.value.to_owned());
        let time = || Period::parse(self.value, now).map(PropertyValue::Time);
        // A quoted date of one word is text.
        let is_text = self.is_quoted && !self.value.contains(char::is_whitespace);
        let value = if is_text {
            text()
        } else if let Some(number) = number_of(self.value) {
            // Equality compares numbers as text: `2.10` is not `2.1`.
            if comparison == Comparison::Is {
                text()
            } else {
                PropertyValue::Number(number)
            }
        } else {
            time().unwrap_or_else(text)
        };
        Filter::Property {
            name: self.name.to_owned(),
            comparison,
            value,
            written: self.written(),
        }
    }

    fn written(&self) -> String {
        [self.name, ":", self.sign, self.value].concat()
    }

    /// Returns the field as text to search for.
    fn as_words(&self) -> Expr {
        if !self.value.contains(char::is_whitespace) {
            return Expr::Text(Pattern::Word(self.written()));
        }
        Expr::And(vec![
            Expr::Text(Pattern::Word(format!("{}:", self.name))),
            Expr::Text(Pattern::Phrase(self.value.to_owned())),
        ])
    }
}

fn is_period(text: &str, now: &Zoned) -> bool {
    Period::parse(text, now).is_some()
}

fn sign_of(value: &str) -> &str {
    let is_sign = |c: char| matches!(c, '<' | '>' | '=');
    let length = value.find(|c| !is_sign(c)).unwrap_or(value.len());
    match &value[..length] {
        sign @ ("<" | "<=" | "=" | ">=" | ">") => sign,
        _ => "",
    }
}

fn number_of(text: &str) -> Option<f64> {
    let is_written = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    is_written
        .then(|| text.parse().ok())
        .flatten()
        .filter(|number: &f64| number.is_finite())
}

/// Returns the pattern of a word without an elided article: `l'eau` and `d'eau` are found by `eau` alone.
fn pattern_of(word: &str) -> Pattern {
    let word = without_elision(word);
    match prefix_of(word) {
        Some(prefix) => Pattern::Prefix(prefix.to_owned()),
        None => Pattern::Word(word.to_owned()),
    }
}

fn all_of(members: Vec<Expr>) -> Option<Expr> {
    let flat = members.into_iter().flat_map(|member| match member {
        Expr::And(inner) => inner,
        member => vec![member],
    });
    joined(flat.collect(), Expr::And)
}

fn any_of(members: Vec<Expr>) -> Option<Expr> {
    let flat = members.into_iter().flat_map(|member| match member {
        Expr::Or(inner) => inner,
        member => vec![member],
    });
    joined(flat.collect(), Expr::Or)
}

fn joined(mut members: Vec<Expr>, join: impl Fn(Vec<Expr>) -> Expr) -> Option<Expr> {
    if members.len() > 1 {
        Some(join(members))
    } else {
        members.pop()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{members, parse, parse_with};
    use super::*;

    fn now() -> Zoned {
        "2026-05-06T12:00:00+02:00[Europe/Berlin]".parse().unwrap()
    }

    /// Shows the structure: words as they are, filters in brackets.
    fn show(expr: &Expr) -> String {
        let list = |sign: &str, members: &[Expr]| {
            format!(
                "{sign}({})",
                members.iter().map(show).collect::<Vec<_>>().join(" ")
            )
        };
        match expr {
            Expr::And(members) => list("&", members),
            Expr::Or(members) => list("|", members),
            Expr::Not(inner) => format!("!{}", show(inner)),
            Expr::Text(pattern) => show_pattern(pattern),
            Expr::Filter(filter) => format!("[{}]", show_filter(filter)),
        }
    }

    fn show_pattern(pattern: &Pattern) -> String {
        match pattern {
            Pattern::Word(word) => word.clone(),
            Pattern::Phrase(phrase) => format!("'{phrase}'"),
            Pattern::Prefix(prefix) => format!("{prefix}~"),
        }
    }

    fn show_filter(filter: &Filter) -> String {
        let compare = |name: &str, comparison: Comparison, value: &dyn std::fmt::Debug| {
            let sign = ["<", "<=", "", ">=", ">"][comparison as usize];
            format!("{name}:{sign}{value:?}")
        };
        match filter {
            Filter::Text { field, pattern } => {
                let name = FieldType::Text(*field).name();
                format!("{name}:{}", show_pattern(pattern))
            }
            Filter::Names { field, value } => {
                format!("{}:{value}", FieldType::Names(*field).name())
            }
            Filter::Tier(tier) => format!("tier:{}", tier.name()),
            Filter::Date {
                field,
                comparison,
                period,
            } => compare(FieldType::Date(*field).name(), *comparison, period),
            Filter::Number {
                field,
                comparison,
                value,
            } => compare(FieldType::Number(*field).name(), *comparison, value),
            Filter::Has(Feature::Conflict) => "has:conflict".to_owned(),
            Filter::Has(Feature::Property(name)) => format!("has:{name}"),
            Filter::Is(state) => format!("is:{state:?}"),
            Filter::Property {
                name,
                comparison,
                value,
                ..
            } => match value {
                PropertyValue::Text(text) => compare(name, *comparison, &format_args!("{text}")),
                PropertyValue::Number(number) => compare(name, *comparison, number),
                PropertyValue::Time(period) => compare(name, *comparison, period),
            },
        }
    }

    #[test]
    fn parses_ranges_of_relative_dates() {
        for (text, expected) in [
            (
                "created:\"last week\"..today a",
                "&([created:>=Week(2026-04-27)] [created:<=Day(2026-05-06)] a)",
            ),
            (
                "(created:\"last week..today\") created:last week..this week",
                "&([created:>=Week(2026-04-27)] [created:<=Day(2026-05-06)] [created:>=Week(2026-04-27)] [created:<=Week(2026-05-04)])",
            ),
            (
                "created:..\"last week\" at:\"a..b\"",
                "&([created:<=Week(2026-04-27)] [at:a..b])",
            ),
        ] {
            let query = parse(text, &now());
            assert_eq!(show(&query.expr), expected, "{text}");
            assert_eq!(query.hints, [], "{text}");
        }
    }

    #[test]
    fn parses_conditions() {
        for (text, expected) in [
            ("", "&()"),
            ("tea", "tea"),
            ("tea pot", "&(tea pot)"),
            ("tea AND pot", "&(tea pot)"),
            ("\"green tea\" pot", "&('green tea' pot)"),
            ("a b OR c", "|(&(a b) c)"),
            ("a (b OR c) d", "&(a |(b c) d)"),
            ("(a OR b) OR c", "|(a b c)"),
            ("-a -\"b c\" -(d OR e) NOT f", "&(!a !'b c' !|(d e) !f)"),
            ("NOT -a", "a"),
            ("-tag:x", "![tag:x]"),
            ("migr*", "migr~"),
            (
                "title:migr* title:\"x y\" heading:z",
                "&([title:migr~] [title:'x y'] [heading:z])",
            ),
            ("tag:#a/b TYPE:fact", "&([tag:a/b] [type:fact])"),
            (
                "linked_from:x linked-from:\"y z\"",
                "&([linked-from:x] [linked-from:y z])",
            ),
            ("status:draft", "[status:draft]"),
            (
                "priority:>=2 version:2.10",
                "&([priority:>=2.0] [version:2.10])",
            ),
            (
                "due:<2026-06 due:tomorrow",
                "&([due:<Month(2026-06-01)] [due:Day(2026-05-07)])",
            ),
            (
                "has:due has:conflict is:Orphan is:empty",
                "&([has:due] [has:conflict] [is:Orphan] [is:Empty])",
            ),
            ("tier:archival", "[tier:archival]"),
            (
                "created:>2026-01-01 updated:<=2026-02",
                "&([created:>Day(2026-01-01)] [updated:<=Month(2026-02-01)])",
            ),
            ("#garden -#a/b/ #x*", "&([tag:garden] ![tag:a/b] [tag:x*])"),
            (
                "created:2026-01..2026-03 -created:2026..",
                "&([created:>=Month(2026-01-01)] [created:<=Month(2026-03-01)] ![created:>=Year(2026-01-01)])",
            ),
            (
                "created:1w..2w",
                "&([created:>=Instant(2026-04-22T10:00:00Z)] [created:<=Instant(2026-04-29T10:00:00Z)])",
            ),
            (
                "on:yesterday..today",
                "&([created:>=Day(2026-05-05)] [created:<=Day(2026-05-06)])",
            ),
            (
                "-length:..200 a OR degree:3..1",
                "|(&(![length:<=200.0] a) &([degree:>=1.0] [degree:<=3.0]))",
            ),
            (
                "due:2026..2027-05 path:../x at:a..b",
                "&([due:>=2026.0] [due:<=Month(2027-05-01)] [path:../x] [at:a..b])",
            ),
            (
                "after:\"last week\" (before:3 days ago) tea",
                "&([created:>=Week(2026-04-27)] [created:<Day(2026-05-03)] tea)",
            ),
            (
                "updated:>=last monday created:monday",
                "&([updated:>=Day(2026-05-04)] [created:Day(2026-05-04)])",
            ),
            (
                "due:<in 2 weeks due:\"next week\" status:next week",
                "&([due:<Day(2026-05-20)] [due:Week(2026-05-11)] [status:next] week)",
            ),
            ("created:<30d", "[created:>Instant(2026-04-06T10:00:00Z)]"),
            ("created:>1y", "[created:<Instant(2025-05-06T10:00:00Z)]"),
            ("created:2w", "[created:>=Instant(2026-04-22T10:00:00Z)]"),
            (
                "after:last-week before:yesterday",
                "&([created:>=Week(2026-04-27)] [created:<Day(2026-05-05)])",
            ),
            (
                "on:2026-05-03 on:3d",
                "&([created:Day(2026-05-03)] [created:Day(2026-05-03)])",
            ),
            (
                "degree:>=3 importance:<0.5",
                "&([degree:>=3.0] [importance:<0.5])",
            ),
        ] {
            let query = parse(text, &now());
            assert_eq!(show(&query.expr), expected, "{text}");
            assert_eq!(query.hints, [], "{text}");
        }
    }

    #[test]
    fn members_are_the_conditions_as_written() {
        for (text, expected) in [
            ("", &[][..]),
            (
                "a AND -tag:\"x y\"  (b OR c)",
                &["a", "-tag:\"x y\"", "(b OR c)"],
            ),
            ("NOT a created:last week", &["NOT a", "created:last week"]),
            ("a b OR c d", &["a b OR c d"]),
            ("a) OR", &["a)", "OR"]),
            ("tea @open", &["tea", "@open"]),
        ] {
            assert_eq!(members(text), expected, "{text}");
        }
    }

    #[test]
    fn expands_saved_queries() {
        let saved: SavedQueryMap = [
            ("open", "status:open OR status:new sort:created"),
            ("mine", "@open -@Late"),
            ("late", "due:<2026"),
            ("a", "tea @b"),
            ("b", "pot @a"),
            ("x", "@y @y"),
            ("y", "@z @z"),
            (
                "z",
                "@x2 @x2 @x2 @x2 @x2 @x2 @x2 @x2 @x2 @x2 @x2 @x2 @x2 @x2 @x2 @x2",
            ),
            ("x2", "tea"),
        ]
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .into();
        let endless = |name: &str| Hint::EndlessQuery(name.to_owned());
        let unknown = |name: &str, nearest: Option<&str>| Hint::UnknownQuery {
            name: name.to_owned(),
            nearest: nearest.map(str::to_owned),
        };
        for (text, expected, hints) in [
            ("@open tea", "&(|([status:open] [status:new]) tea)", vec![]),
            (
                "@mine",
                "&(|([status:open] [status:new]) ![due:<2026.0])",
                vec![],
            ),
            ("@a", "&(tea pot @a)", vec![endless("a")]),
            ("@opne", "@opne", vec![unknown("opne", Some("open"))]),
            ("\\@opne @ a@open @5", "&(@opne @ a@open @5)", vec![]),
            ("@qqq", "@qqq", vec![unknown("qqq", None)]),
        ] {
            let query = parse_with(text, &now(), &saved);
            assert_eq!(show(&query.expr), expected, "{text}");
            assert_eq!(query.hints, hints, "{text}");
        }
        let sort = |text: &str| {
            let sort = parse_with(text, &now(), &saved).sort;
            sort.map(|(field, is_reversed)| (field.name, is_reversed))
        };
        assert_eq!(sort("@open"), Some(("created", false)));
        assert_eq!(sort("sort:-length @open"), Some(("length", true)));
        assert_eq!(sort("sort:+length"), Some(("length", true)));
        assert_eq!(sort("@late"), None);
        let many = parse_with("@x", &now(), &saved);
        assert_eq!(many.hints, [endless("x2")]);
        assert_eq!(
            parse("-sort:title (sort:title)", &now()).expr,
            Expr::And(vec![])
        );
        let wrong = parse("sort:size", &now());
        assert_eq!(wrong.hints, [Hint::UnknownSort("size".to_owned())]);
    }

    #[test]
    fn keeps_text_without_syntax_as_words() {
        for text in [
            "https://x.y/a?b=c:d",
            "12:30",
            "C:\\notes\\a",
            "c:/notes",
            "foo:",
            ":",
            "'",
            "/",
            "-",
            "--",
            "->",
            "--dry-run",
            "std::vec",
            "**bold**",
            "*",
            "f(x)",
            "a)b",
            "5\"",
            "mailto:a@b.c",
            "or",
            "x-y",
            "#",
            "##",
            "#12",
            "a#b",
            "#a.b",
            "...",
        ] {
            let query = parse(text, &now());
            assert_eq!(
                query.expr,
                Expr::Text(Pattern::Word(text.to_owned())),
                "{text}"
            );
            assert_eq!(query.hints, [], "{text}");
        }
    }

    #[test]
    fn hints() {
        let bad_date = |field: &str, value: &str| Hint::BadDate {
            field: field.to_owned(),
            value: value.to_owned(),
        };
        let stray = |word: &str| Hint::StrayOperator(word.to_owned());
        for (text, expected, hints) in [
            ("\"a b", "&(a b)", vec![Hint::UnclosedQuote]),
            ("title:\"a b", "&([title:a] b)", vec![Hint::UnclosedQuote]),
            ("(a b", "&(a b)", vec![Hint::UnclosedGroup]),
            ("a) b", "&(a) b)", vec![]),
            ("()", "&()", vec![]),
            ("OR a", "&(OR a)", vec![stray("OR")]),
            ("a OR", "&(a OR)", vec![stray("OR")]),
            ("a OR OR b", "|(a &(OR b))", vec![stray("OR")]),
            ("NOT", "NOT", vec![stray("NOT")]),
            ("(a AND)", "&(a AND)", vec![stray("AND")]),
            (
                "tag: a x:",
                "&(tag: a x:)",
                vec![Hint::NoValue {
                    field: "tag",
                    example: "tag:garden",
                }],
            ),
            ("a AND AND b", "&(a AND b)", vec![stray("AND")]),
            (
                "created:soon",
                "created:soon",
                vec![bad_date("created", "soon")],
            ),
            ("after:>x", "after:>x", vec![bad_date("after", "x")]),
            (
                "on:\"next tea\"",
                "&(on: 'next tea')",
                vec![bad_date("on", "next tea")],
            ),
            (
                "is:blue",
                "is:blue",
                vec![Hint::UnknownState("blue".to_owned())],
            ),
            ("tier:9", "tier:9", vec![Hint::UnknownTier("9".to_owned())]),
            (
                "degree:>many",
                "degree:>many",
                vec![Hint::BadNumber {
                    field: "degree".to_owned(),
                    value: "many".to_owned(),
                }],
            ),
        ] {
            let query = parse(text, &now());
            assert_eq!(show(&query.expr), expected, "{text}");
            assert_eq!(query.hints, hints, "{text}");
        }
        let deep = parse(&"(".repeat(100_000), &now());
        assert!(deep.hints.contains(&Hint::TooDeep));
        for unit in ["NOT ", "-(", "(a OR ", "- ", "\""] {
            parse(&unit.repeat(20_000), &now());
        }
    }

    #[test]
    fn turns_unknown_properties_into_words() {
        let query = parse("re:invent status:draft -x:\"y z\" on-top:yesterday", &now())
            .with_known_properties(&["status"]);
        assert_eq!(
            show(&query.expr),
            "&(re:invent [status:draft] !'x:y z' on-top:yesterday)"
        );
        let unknown = |name: &str| Hint::UnknownProperty {
            name: name.to_owned(),
            nearest: None,
        };
        assert_eq!(query.hints, ["re", "x", "on-top"].map(unknown));
    }

    #[test]
    fn text_parts() {
        use crate::cache::text::clause::Clause;
        use crate::cache::text::schema::Column;
        let word = |text: &str| Clause::of(Pattern::Word(text.to_owned()));
        let query = parse(
            "tea -milk (a OR (b c)) title:x tag:y (d OR tag:z) -tag:q",
            &now(),
        );
        let parts = query.text();
        let group = Clause::Any(vec![word("a"), Clause::All(vec![word("b"), word("c")])]);
        let title = Clause::Text {
            pattern: Pattern::Word("x".to_owned()),
            column: Some(Column::Title),
        };
        assert_eq!(parts.wanted, [word("tea"), group, title]);
        assert_eq!(parts.unwanted, [word("milk")]);
        assert_eq!(
            parse("", &now()).text(),
            crate::recall::query::expr::TextParts::default()
        );
    }

    proptest! {
        #[test]
        fn any_text_parses(text in any::<String>()) {
            parse(&text, &now());
            members(&text);
        }
    }
}
