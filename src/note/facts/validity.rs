//! Reads when a statement is valid: `until 6 January`, `from 1 July 2026`, `in 2019`.
//!
//! `validity.txt` lists the words of several languages. A statement without a time is valid.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;

use crate::note::words::lists;
use crate::note::words::tokens::each_word;

const LISTS: &str = include_str!("validity.txt");

/// A date without a year that is more than this many days before its statement belongs to the next year.
const MAX_DAYS_BEHIND: i32 = 60;

/// Validity of a statement on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    Valid,
    /// Its first day has passed.
    Since,
    /// It is valid, but ends on a stated day.
    Temporary,
    /// Its last day has passed.
    Ended,
    /// It describes an earlier time: `in 2019`, `at the time`.
    Past,
    /// Its first day is still to come.
    NotYet,
    /// A question, proposal, wish or condition.
    Tentative,
}

impl Validity {
    /// Returns whether it is valid without a stated end.
    pub fn is_lasting(self) -> bool {
        matches!(self, Self::Valid | Self::Since)
    }

    pub fn is_current(self) -> bool {
        matches!(self, Self::Valid | Self::Since | Self::Temporary)
    }
}

/// Relation between a statement and the time after a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Until,
    From,
    In,
}

struct TimeWords {
    /// Phrases as words.
    bounds: Vec<(Vec<&'static str>, Bound)>,
    past: Vec<Vec<&'static str>>,
    changes: Vec<Vec<&'static str>>,
    tentative: HashSet<&'static str>,
    joins: HashSet<&'static str>,
    returns: HashSet<&'static str>,
    fillers: Vec<&'static str>,
    first: Vec<&'static str>,
    months: HashMap<&'static str, i8>,
}

static WORDS: LazyLock<TimeWords> = LazyLock::new(|| {
    let phrases = |section, bound| {
        lists::rows(LISTS, section).map(move |row| (row.split([' ', '\'']).collect(), bound))
    };
    let split_rows = |section| {
        let rows = lists::rows(LISTS, section);
        rows.map(|row| row.split([' ', '\'']).collect()).collect()
    };
    let bounds = phrases("until", Bound::Until)
        .chain(phrases("from", Bound::From))
        .chain(phrases("in", Bound::In));
    let months = lists::pairs(LISTS, "months");
    TimeWords {
        bounds: bounds.collect(),
        past: split_rows("past"),
        changes: split_rows("changes"),
        tentative: lists::words(LISTS, "tentative").collect(),
        joins: lists::words(LISTS, "joins").collect(),
        returns: lists::words(LISTS, "returns").collect(),
        fillers: lists::words(LISTS, "fillers").collect(),
        first: lists::words(LISTS, "first").collect(),
        months: months
            .filter_map(|(name, number)| Some((name, number.parse().ok()?)))
            .collect(),
    }
});

/// Returns whether `text`, stated on the day `stated`, is valid on the day `today`.
pub fn validity(text: &str, stated: Date, today: Date) -> Validity {
    let words = words_of(text);
    let is_past = contains_phrase(&words, &WORDS.past);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_tentative = words.iter().any(|word| WORDS.tentative.contains(word));
    if is_tentative || text.trim_end().ends_with(['?', '？']) {
        return Validity::Tentative;
    }
    if is_past {
        return Validity::Past;
    }
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return Validity::Valid;
    }
    for at in 0..words.len() {
        for (phrase, bound) in &WORDS.bounds {
            if !words[at..].starts_with(phrase) {
                continue;
            }
            let Some(time) = read_time(&words[at + phrase.len()..], stated) else {
                continue;
            };
            let day_or_year = match time {
                Time::Day(day) => day.cmp(&today),
                Time::Year(year) => year.cmp(&today.year()),
            };
            return match (bound, time) {
                (Bound::Until, _) if day_or_year.is_lt() => Validity::Ended,
                (Bound::Until, _) => Validity::Temporary,
                (Bound::From, _) if day_or_year.is_gt() => Validity::NotYet,
                (Bound::From, _) => Validity::Since,
                (Bound::In, Time::Year(year)) if year < stated.year() => Validity::Past,
                (Bound::In, _) => continue,
            };
        }
    }
    Validity::Valid
}

/// Returns whether `text` contains a phrase of change, such as `no longer` or `instead of`.
pub fn reports_change(text: &str) -> bool {
    contains_phrase(&words_of(text), &WORDS.changes)
}

/// Returns whether `text` joins facts by a word such as `and`, or by a semicolon.
pub fn joins_facts(text: &str) -> bool {
    let words = words_of(text);
    text.contains(';') || words.iter().any(|word| WORDS.joins.contains(word.as_str()))
}

/// Returns whether `text` reports a return to an earlier value: `went back to Black`.
pub fn reports_return(text: &str) -> bool {
    words_of(text)
        .iter()
        .any(|word| WORDS.returns.contains(word.as_str()))
}

/// Returns the byte ranges of `text` in quotation marks.
pub fn quotations(text: &str) -> Vec<Range<usize>> {
    let marks = text.match_indices(['"', '“', '”', '„', '«', '»']);
    let marks: Vec<usize> = marks.map(|(at, _)| at).collect();
    marks.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect()
}

fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word, _| words.push(word.to_owned()));
    words
}

fn contains_phrase(words: &[String], phrases: &[Vec<&str>]) -> bool {
    let begins = |rest: &[String], phrase: &[&str]| {
        rest.len() >= phrase.len() && rest.iter().zip(phrase).all(|(word, part)| word == part)
    };
    let starts = 0..words.len();
    starts
        .into_iter()
        .any(|at| phrases.iter().any(|phrase| begins(&words[at..], phrase)))
}

enum Time {
    Day(Date),
    Year(i16),
}

/// Reads the time that `words` begin with: `6 January`, `January 6, 2026`, `2026-01-06`, `March 2026`, `2021`.
fn read_time(words: &[&str], stated: Date) -> Option<Time> {
    let is_filler = |word: &&&str| WORDS.fillers.contains(*word);
    let mut words = words
        .iter()
        .filter(|word| !is_filler(word))
        .take(3)
        .copied();
    let first = words.next()?;
    if let Some(year) = read_year(first) {
        let rest: Vec<i8> = words.map_while(|word| word.parse().ok()).collect();
        let date = match rest[..] {
            [month, day] => Date::new(year, month, day).ok(),
            _ => None,
        };
        return Some(date.map_or(Time::Year(year), Time::Day));
    }
    let month = |word: &str| WORDS.months.get(word).copied();
    let mut rest = words.peekable();
    let (month, day) = match (month(first), read_day(first)) {
        (Some(month), _) => {
            let day = rest.next_if(|word| read_day(word).is_some());
            (month, day.and_then(read_day))
        }
        (None, Some(day)) => (month(rest.next()?)?, Some(day)),
        (None, None) => return None,
    };
    let in_year = |year| Date::new(year, month, day.unwrap_or(1)).ok();
    if let Some(year) = rest.next().and_then(read_year) {
        return Some(Time::Day(in_year(year)?));
    }
    let date = in_year(stated.year())?;
    let is_next_year = (stated - date).get_days() > MAX_DAYS_BEHIND;
    Some(Time::Day(if is_next_year {
        in_year(date.year() + 1)?
    } else {
        date
    }))
}

fn read_year(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    is_year.then(|| word.parse().ok()).flatten()
}

/// Reads `6`, `6th` and `primo`.
fn read_day(word: &str) -> Option<i8> {
    if WORDS.first.contains(&word) {
        return Some(1);
    }
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    let day: i8 = digits.parse().ok()?;
    (word.len() <= digits.len() + 2 && (1..=31).contains(&day)).then_some(day)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn reads_when_a_statement_is_valid() {
        use Validity::{Ended, NotYet, Past, Since, Temporary, Tentative, Valid};
        for (text, expected) in [
            ("The desk opens at 8:00.", Valid),
            ("Could the desk open at 9:00?", Tentative),
            ("At the time the desk had one clerk.", Past),
            ("Before the merger the desk was in Bath.", Past),
            ("Ann proposed to open the desk at 9:00.", Tentative),
            ("Vielleicht öffnet der Schalter um 9 Uhr.", Tentative),
            ("Until 6 January 2026 the desk opens at 10:00.", Ended),
            ("Until January 6, 2026 the desk opens at 10:00.", Ended),
            ("Until 30 June the desk is in the lobby.", Temporary),
            ("Erik takes two tablets until 16 February.", Temporary),
            ("Erik took two tablets until 2 February.", Ended),
            ("From 1 July 2026 the plan costs 22 dollars.", NotYet),
            ("The plan costs 22 dollars from 2026-07-01.", NotYet),
            ("Starting 1 March, the freeze is on Wednesdays.", NotYet),
            ("From January 2026 staff park in Lock Street.", Since),
            ("Back in 2021 Teasel ran on MongoDB.", Past),
            ("Until 2022 the team was led by Oswald.", Ended),
            ("We use Windows Server 2022.", Valid),
            ("Since 2019 the rent is 940 pounds.", Valid),
            ("In 2026 the rent is 940 pounds.", Valid),
            ("It takes from 5 to 10 minutes.", Valid),
            (
                "A partir del 1 de julio la biblioteca abrirá a las 8.",
                NotYet,
            ),
            ("Bis zum 31. Januar findet es im Raum Elbe statt.", Ended),
            ("Dal primo gennaio 2026 l'ufficio usa Zucchetti.", Since),
            ("Em 2018 o armazém ficava no Barreiro.", Past),
            (
                "À partir du 1er septembre, Zoé en sera responsable.",
                NotYet,
            ),
        ] {
            let validity = validity(text, date(2026, 1, 10), date(2026, 2, 10));
            assert_eq!(validity, expected, "{text}");
        }
    }

    #[test]
    fn the_lists_are_read_whole() {
        let december = WORDS.months.values().filter(|month| **month == 12);
        assert_eq!(december.count(), 7);
        let rows = LISTS.lines().filter(|row| row.contains('='));
        let pairs: usize = rows.map(|row| row.split(' ').count()).sum();
        assert_eq!(WORDS.months.len(), pairs);
    }
}
