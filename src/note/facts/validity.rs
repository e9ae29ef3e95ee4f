//! Whether a statement holds on a day, as far as it says so: `until 6 January`, `from 1 July 2026`, `in 2019`.
//!
//! `validity.txt` has the words of six languages and more. A statement that names no time holds.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::civil::Date;

use crate::note::words::lists;
use crate::note::words::tokens::each_word;

const LISTS: &str = include_str!("validity.txt");

/// A date without a year that lies so many days before its statement is of that year; an earlier one of the next.
const BEHIND: i32 = 60;

/// What a phrase says of the time behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Until,
    From,
    In,
}

/// The phrases of each bound as words, and what dates consist of.
struct Words {
    bounds: Vec<(Vec<&'static str>, Bound)>,
    fillers: Vec<&'static str>,
    first: Vec<&'static str>,
    months: HashMap<&'static str, i8>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let phrases = |section, bound| {
        let rows = lists::rows(LISTS, section);
        rows.map(move |row| (row.split(' ').collect(), bound))
    };
    let bounds = phrases("until", Bound::Until)
        .chain(phrases("from", Bound::From))
        .chain(phrases("in", Bound::In));
    let months = lists::pairs(LISTS, "months");
    Words {
        bounds: bounds.collect(),
        fillers: lists::words(LISTS, "fillers").collect(),
        first: lists::words(LISTS, "first").collect(),
        months: months
            .filter_map(|(name, number)| Some((name, number.parse().ok()?)))
            .collect(),
    }
});

/// Returns whether `text`, stated on the day `stated`, holds on the day `today`.
///
/// It does not where it ended before (`until`), begins later (`from`), or tells of a year before its own (`in 2019`).
pub fn holds_on(text: &str, stated: Date, today: Date) -> bool {
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return true;
    }
    let mut words: Vec<String> = Vec::new();
    each_word(text, |word, _| words.push(word.to_owned()));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    (0..words.len()).all(|at| {
        let bounds = WORDS.bounds.iter();
        let mut read = bounds.filter(|(phrase, _)| words[at..].starts_with(phrase));
        read.all(|(phrase, bound)| {
            let rest = &words[at + phrase.len()..];
            match (bound, time(rest, stated)) {
                (Bound::Until, Some(Time::Day(day))) => day >= today,
                (Bound::Until, Some(Time::Year(year))) => year >= today.year(),
                (Bound::From, Some(Time::Day(day))) => day <= today,
                (Bound::From, Some(Time::Year(year))) => year <= today.year(),
                (Bound::In, Some(Time::Year(year))) => year >= stated.year(),
                (Bound::In, Some(Time::Day(_))) | (_, None) => true,
            }
        })
    })
}

enum Time {
    Day(Date),
    Year(i16),
}

/// Reads the time that `words` begin with: `6 January`, `January 6, 2026`, `2026-01-06`, `March 2026`, `2021`.
fn time(words: &[&str], stated: Date) -> Option<Time> {
    let is_filler = |word: &&&str| WORDS.fillers.contains(*word);
    let mut words = words
        .iter()
        .filter(|word| !is_filler(word))
        .take(3)
        .copied();
    let first = words.next()?;
    if let Some(year) = year(first) {
        let rest: Vec<i8> = words.map_while(|word| word.parse().ok()).collect();
        let date = match rest[..] {
            [month, day] => Date::new(year, month, day).ok(),
            _ => None,
        };
        return Some(date.map_or(Time::Year(year), Time::Day));
    }
    let month = |word: &str| WORDS.months.get(word).copied();
    let mut rest = words.peekable();
    let (month, day) = match (month(first), day(first)) {
        (Some(month), _) => (
            month,
            rest.next_if(|word| day(word).is_some()).and_then(day),
        ),
        (None, Some(day)) => (month(rest.next()?)?, Some(day)),
        (None, None) => return None,
    };
    let of_year = |year| Date::new(year, month, day.unwrap_or(1)).ok();
    let date = if let Some(year) = rest.next().and_then(year) {
        of_year(year)?
    } else {
        let date = of_year(stated.year())?;
        let is_next = (stated - date).get_days() > BEHIND;
        if is_next {
            of_year(date.year() + 1)?
        } else {
            date
        }
    };
    Some(Time::Day(date))
}

fn year(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    is_year.then(|| word.parse().ok()).flatten()
}

/// Reads `6`, `6th` and `primo`.
fn day(word: &str) -> Option<i8> {
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
    fn a_statement_says_when_it_holds() {
        for (text, expected) in [
            ("The desk opens at 8:00.", true),
            ("Until 6 January 2026 the desk opens at 10:00.", false),
            ("Until January 6, 2026 the desk opens at 10:00.", false),
            ("Until 30 June the desk is in the lobby.", true),
            ("Erik takes two tablets until 16 February.", true),
            ("From 1 July 2026 the plan costs 22 dollars.", false),
            ("The plan costs 22 dollars from 2026-07-01.", false),
            ("Starting 1 March, the freeze is on Wednesdays.", false),
            ("From January 2026 staff park in Lock Street.", true),
            ("Back in 2021 Teasel ran on MongoDB.", false),
            ("Until 2022 the team was led by Oswald.", false),
            ("We use Windows Server 2022.", true),
            ("Since 2019 the rent is 940 pounds.", true),
            ("In 2026 the rent is 940 pounds.", true),
            ("It takes from 5 to 10 minutes.", true),
            (
                "A partir del 1 de julio la biblioteca abrirá a las 8.",
                false,
            ),
            ("Bis zum 31. Januar findet es im Raum Elbe statt.", false),
            ("Dal primo gennaio 2026 l'ufficio usa Zucchetti.", true),
            ("Em 2018 o armazém ficava no Barreiro.", false),
            ("À partir du 1er septembre, Zoé en sera responsable.", false),
        ] {
            let holds = holds_on(text, date(2026, 1, 10), date(2026, 2, 10));
            assert_eq!(holds, expected, "{text}");
        }
    }

    #[test]
    fn the_lists_are_read_whole() {
        assert_eq!(
            WORDS.months.values().filter(|month| **month == 12).count(),
            7
        );
        let rows = LISTS.lines().filter(|row| row.contains('='));
        let pairs: usize = rows.map(|row| row.split(' ').count()).sum();
        assert_eq!(WORDS.months.len(), pairs);
    }
}
