//! The dates in a note: when it was created, and until when it holds.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use crate::note::path::VaultPath;

const DAY: i64 = 86_400;

/// Returns when a note was created, in seconds since 1970: its property, else a date in the file name.
#[must_use]
pub fn created(properties: &Map<String, Value>, path: &VaultPath) -> Option<i64> {
    texts(properties, ["created", "date"])
        .find_map(moment)
        .or_else(|| date_in(path.stem()))
}

/// Returns until when a note holds, in seconds since 1970, [`i64::MAX`] if it has no end: the earlier
/// of its two ends, a day meaning all of it.
#[must_use]
pub fn expires(properties: &Map<String, Value>) -> i64 {
    texts(properties, ["valid_until", "expires"])
        .filter_map(end)
        .min()
        .unwrap_or(i64::MAX)
}

fn end(text: &str) -> Option<i64> {
    let day = text.trim();
    let is_day = day.len() <= 10 && day.parse::<Date>().is_ok();
    Some(moment(text)? + if is_day { DAY } else { 0 })
}

fn texts<'p>(
    properties: &'p Map<String, Value>,
    keys: [&'p str; 2],
) -> impl Iterator<Item = &'p str> {
    keys.into_iter()
        .filter_map(|key| properties.get(key).and_then(Value::as_str))
}

/// Reads a date or a date with time, in seconds since 1970; without a zone it is UTC, so that a
/// vault means the same on every machine.
#[must_use]
pub fn moment(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(moment.as_second());
    }
    let civil = text
        .parse::<DateTime>()
        .or_else(|_| text.parse::<Date>().map(DateTime::from))
        .ok()?;
    let zoned = civil.to_zoned(TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_second())
}

/// Reads a property that is a date, as [`moment`] does.
#[must_use]
pub fn moment_of(value: &Value) -> Option<i64> {
    value.as_str().and_then(moment)
}

/// Finds a date like 2026-03-02 or 20260302 in a file name.
fn date_in(stem: &str) -> Option<i64> {
    let bytes = stem.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (0..bytes.len())
        .filter(|at| is_digit(*at) && (*at == 0 || !is_digit(at - 1)))
        .find_map(|at| {
            let digits = (at..bytes.len()).take_while(|at| is_digit(*at)).count();
            let date = match digits {
                4 if !is_digit(at + 10) => stem.get(at..at + 10)?.to_owned(),
                8 => {
                    let digits = stem.get(at..at + 8)?;
                    format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..])
                }
                _ => return None,
            };
            moment(&date.parse::<Date>().ok()?.to_string())
        })
}
