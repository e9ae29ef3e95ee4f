//! Periods of time in a query.

use std::ops::Range;

use jiff::civil::{Date, ISOWeekDate, Weekday};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Zoned};

/// A period of time, as precise as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// A moment: `2026-05-03T10:00:00Z`.
    Instant(Timestamp),
    /// A day: `2026-05-03`, `yesterday`.
    Day(Date),
    /// The week that begins on this Monday: `2026-W19`, `last-week`.
    Week(Date),
    /// The month that begins on this day: `2026-05`, `this-month`.
    Month(Date),
    /// The year that begins on this day: `2026`, `last-year`.
    Year(Date),
}

impl Period {
    /// Parses a date, week, month, year, moment, or words such as `yesterday` and `3 days ago`.
    pub(super) fn parse(text: &str, now: &Zoned) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        Self::parse_relative(&lower, now)
            .or_else(|| Self::parse_calendar(&lower))
            .or_else(|| Self::parse_instant(text, now.time_zone()))
    }

    /// As [`Self::parse`]; a weekday alone is the most recent one, today included.
    pub fn parse_of_date(text: &str, now: &Zoned) -> Option<Self> {
        let weekday = || {
            let day = weekday(&text.to_ascii_lowercase())?;
            let tomorrow = now.date().tomorrow().ok()?;
            tomorrow.nth_weekday(-1, day).ok().map(Self::Day)
        };
        Self::parse(text, now).or_else(weekday)
    }

    /// Parses a period relative to today, with spaces, `-` or `_` between words.
    fn parse_relative(text: &str, now: &Zoned) -> Option<Self> {
        let today = now.date();
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || matches!(c, '-' | '_'))
            .filter(|word| !word.is_empty())
            .collect();
        match words[..] {
            ["today"] => Some(Self::Day(today)),
            ["yesterday"] => today.yesterday().ok().map(Self::Day),
            ["tomorrow"] => today.tomorrow().ok().map(Self::Day),
            [which, unit] => Self::parse_adjacent(which, unit, today),
            [count, unit, "ago"] => {
                let then = before(now, span(count_of(count)?, unit)?)?;
                Some(Self::Day(then.date()))
            }
            ["in", count, unit] => {
                let then = now.checked_add(span(count_of(count)?, unit)?).ok()?;
                Some(Self::Day(then.date()))
            }
            _ => None,
        }
    }

    /// Parses `last week`, `this month`, `next monday`.
    fn parse_adjacent(which: &str, unit: &str, today: Date) -> Option<Self> {
        let steps = match which {
            "last" => -1,
            "this" => 0,
            "next" => 1,
            _ => return None,
        };
        match unit {
            "week" => {
                let monday = monday_of(today)?;
                monday.checked_add(steps.weeks()).ok().map(Self::Week)
            }
            "month" => today
                .first_of_month()
                .checked_add(steps.months())
                .ok()
                .map(Self::Month),
            "year" => today
                .first_of_year()
                .checked_add(steps.years())
                .ok()
                .map(Self::Year),
            day => {
                let day = weekday(day)?;
                let found = match steps {
                    0 => {
                        let after = i64::from(day.to_monday_zero_offset());
                        monday_of(today)?.checked_add(after.days())
                    }
                    steps => today.nth_weekday(steps, day),
                };
                found.ok().map(Self::Day)
            }
        }
    }

    /// Parses `2026`, `2026-05`, `2026-05-03` and `2026-w19`.
    fn parse_calendar(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let year: i16 = digits(parts.next()?, 4..=4)?;
        let Some(second) = parts.next() else {
            return Date::new(year, 1, 1).ok().map(Self::Year);
        };
        if let Some(week) = second.strip_prefix('w') {
            let week = i8::try_from(digits(week, 1..=2)?).ok()?;
            let monday = ISOWeekDate::new(year, week, Weekday::Monday).ok()?.date();
            return parts.next().is_none().then_some(Self::Week(monday));
        }
        let month = i8::try_from(digits(second, 1..=2)?).ok()?;
        let Some(third) = parts.next() else {
            return Date::new(year, month, 1).ok().map(Self::Month);
        };
        let day = i8::try_from(digits(third, 1..=2)?).ok()?;
        let date = Date::new(year, month, day).ok()?;
        parts.next().is_none().then_some(Self::Day(date))
    }

    /// Returns the year that a number can denote: `due:<2027`.
    pub fn of_year(number: f64) -> Option<Self> {
        let is_year = number.fract() == 0.0 && (1000.0..10_000.0).contains(&number);
        let first = is_year.then(|| Date::new(number as i16, 1, 1).ok())?;
        first.map(Self::Year)
    }

    fn parse_instant(text: &str, zone: &TimeZone) -> Option<Self> {
        if !text.as_bytes().first()?.is_ascii_digit() || !text.contains(['T', 't']) {
            return None;
        }
        let local = |text: &str| -> Option<Timestamp> {
            let moment: jiff::civil::DateTime = text.parse().ok()?;
            Some(moment.to_zoned(zone.clone()).ok()?.timestamp())
        };
        text.parse().ok().or_else(|| local(text)).map(Self::Instant)
    }

    /// Returns the half-open range of moments in the time zone `zone`.
    pub fn range(self, zone: &TimeZone) -> Range<Timestamp> {
        let (first, length) = match self {
            Self::Instant(at) => {
                return at..at.checked_add(1.nanosecond()).unwrap_or(Timestamp::MAX);
            }
            Self::Day(first) => (first, 1.day()),
            Self::Week(first) => (first, 1.week()),
            Self::Month(first) => (first, 1.month()),
            Self::Year(first) => (first, 1.year()),
        };
        let midnight = |date: Date| {
            date.to_zoned(zone.clone())
                .ok()
                .map(|zoned| zoned.timestamp())
        };
        let end = first.checked_add(length).ok().and_then(midnight);
        midnight(first).unwrap_or(Timestamp::MIN)..end.unwrap_or(Timestamp::MAX)
    }
}

/// Returns the moment an age (`30d`, `2w`, `6m`, `1y`) before `now`, by the calendar.
pub fn ago(age: &str, now: &Zoned) -> Option<Zoned> {
    let unit = match age.chars().next_back()?.to_ascii_lowercase() {
        'd' => "day",
        'w' => "week",
        'm' => "month",
        'y' => "year",
        _ => return None,
    };
    let count = digits(&age[..age.len() - 1], 1..=4)?;
    before(now, span(count.into(), unit)?)
}

/// Returns the length of `count` units, named `day` or `days`.
fn span(count: i64, unit: &str) -> Option<Span> {
    let span = match unit.strip_suffix('s').unwrap_or(unit) {
        "day" => Span::new().try_days(count),
        "week" => Span::new().try_weeks(count),
        "month" => Span::new().try_months(count),
        "year" => Span::new().try_years(count),
        _ => return None,
    };
    span.ok()
}

/// Returns the moment `span` before `now`. `None` before the year 0, which no query can name.
fn before(now: &Zoned, span: Span) -> Option<Zoned> {
    let then = now.checked_sub(span).ok()?;
    (then.year() >= 0).then_some(then)
}

fn monday_of(date: Date) -> Option<Date> {
    let days = i64::from(date.weekday().to_monday_zero_offset());
    date.checked_sub(days.days()).ok()
}

/// Returns the weekday named `name`, or abbreviated as in `mon`.
fn weekday(name: &str) -> Option<Weekday> {
    let mut parsed = ["%A", "%a"]
        .map(|format| BrokenDownTime::parse(format, name).ok())
        .into_iter();
    parsed.find_map(|time| time?.weekday())
}

/// Parses a count: `3`, `a`, `two`.
fn count_of(word: &str) -> Option<i64> {
    const NAMES: [&str; 10] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    if matches!(word, "a" | "an") {
        return Some(1);
    }
    let position = NAMES.iter().position(|name| *name == word);
    let named = position.map(|at| at as i64 + 1);
    named.or_else(|| digits(word, 1..=4).map(i64::from))
}

/// Parses a number whose count of digits is in `length`.
fn digits(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<i16> {
    let is_number = length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Zoned {
        "2026-05-06T12:00:00+02:00[Europe/Berlin]".parse().unwrap()
    }

    #[test]
    fn parses_periods() {
        for (text, expected) in [
            (
                "2026",
                "2026-01-01T00:00:00+01:00/2027-01-01T00:00:00+01:00",
            ),
            (
                "2026-2",
                "2026-02-01T00:00:00+01:00/2026-03-01T00:00:00+01:00",
            ),
            (
                "2026-05-03",
                "2026-05-03T00:00:00+02:00/2026-05-04T00:00:00+02:00",
            ),
            (
                "2026-W19",
                "2026-05-04T00:00:00+02:00/2026-05-11T00:00:00+02:00",
            ),
            (
                "today",
                "2026-05-06T00:00:00+02:00/2026-05-07T00:00:00+02:00",
            ),
            (
                "Yesterday",
                "2026-05-05T00:00:00+02:00/2026-05-06T00:00:00+02:00",
            ),
            (
                "last-week",
                "2026-04-27T00:00:00+02:00/2026-05-04T00:00:00+02:00",
            ),
            (
                "this-month",
                "2026-05-01T00:00:00+02:00/2026-06-01T00:00:00+02:00",
            ),
            (
                "last-year",
                "2025-01-01T00:00:00+01:00/2026-01-01T00:00:00+01:00",
            ),
            (
                "2026-03-29",
                "2026-03-29T00:00:00+01:00/2026-03-30T00:00:00+02:00",
            ),
        ] {
            let period = Period::parse(text, &now()).unwrap();
            let range = period.range(now().time_zone());
            let show = |at: Timestamp| {
                at.to_zoned(now().time_zone().clone())
                    .strftime("%FT%T%:z")
                    .to_string()
            };
            assert_eq!(
                format!("{}/{}", show(range.start), show(range.end)),
                expected,
                "{text}"
            );
        }
        for text in [
            "2026-05-03T10:00",
            "2026-05-03T10:00:00Z",
            "2026-05-03T10:00:00.5+02:00",
        ] {
            let period = Period::parse(text, &now()).unwrap();
            assert!(matches!(period, Period::Instant(_)), "{text}");
        }
        for text in [
            "",
            "26",
            "2026-13",
            "2026-02-30",
            "2026-W54",
            "soon",
            "monday",
            "last tea",
            "3 days",
            "9999 years ago",
            "-",
            "2026-05-03-01",
        ] {
            assert_eq!(Period::parse(text, &now()), None, "{text}");
        }
    }

    #[test]
    fn parses_relative_periods() {
        // The 6th is a Wednesday.
        for (text, expected) in [
            ("last week", "Week(2026-04-27)"),
            ("last Wednesday", "Day(2026-04-29)"),
            ("this fri", "Day(2026-05-08)"),
            ("next-monday", "Day(2026-05-11)"),
            ("3 days ago", "Day(2026-05-03)"),
            ("in two months", "Day(2026-07-06)"),
            ("a-week-ago", "Day(2026-04-29)"),
        ] {
            let period = Period::parse(text, &now()).unwrap();
            assert_eq!(format!("{period:?}"), expected, "{text}");
        }
    }

    #[test]
    fn a_single_weekday_is_the_most_recent() {
        for (text, expected) in [
            ("wednesday", "Day(2026-05-06)"),
            ("Thu", "Day(2026-04-30)"),
            ("tuesday", "Day(2026-05-05)"),
        ] {
            let period = Period::parse_of_date(text, &now()).unwrap();
            assert_eq!(format!("{period:?}"), expected, "{text}");
        }
    }

    #[test]
    fn ages() {
        for (text, expected) in [
            ("3d", Some("2026-05-03")),
            ("2w", Some("2026-04-22")),
            ("6m", Some("2025-11-06")),
            ("1Y", Some("2025-05-06")),
            ("d", None),
            ("3", None),
            ("3é", None),
        ] {
            let date = ago(text, &now()).map(|then| then.date().to_string());
            assert_eq!(date.as_deref(), expected, "{text}");
        }
    }
}
