//! The dates of a note: creation and end of validity.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::note::VaultPath;
use crate::note::front_matter::property::property;

const DAY: i64 = 86_400;

/// Source of a creation date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// This property.
    Property(&'static str),
    FileName,
    /// The modification time of the file, for lack of another source.
    FileTime,
}

/// Returns the creation date from a property or the file name, in seconds since 1970.
pub fn created(properties: &Map<String, Value>, path: &VaultPath) -> Option<i64> {
    Some(creation_and_source(properties, path)?.0)
}

/// Returns the source of the creation date.
pub fn source(properties: &Map<String, Value>, path: &VaultPath) -> Source {
    creation_and_source(properties, path).map_or(Source::FileTime, |(_, source)| source)
}

fn creation_and_source(properties: &Map<String, Value>, path: &VaultPath) -> Option<(i64, Source)> {
    let stated = ["created", "date"].into_iter().find_map(|key| {
        let at = property(properties, key).and_then(moment_of)?;
        Some((at, Source::Property(key)))
    });
    stated.or_else(|| Some((date_in(path.stem())?, Source::FileName)))
}

/// Returns the end of validity in seconds since 1970, or [`i64::MAX`] for none. The earlier of the
/// two properties counts; a date includes its whole day.
pub fn expires(properties: &Map<String, Value>) -> i64 {
    text_properties(properties, ["valid_until", "expires"])
        .filter_map(end_of_validity)
        .min()
        .unwrap_or(i64::MAX)
}

/// Returns the start of validity in seconds since 1970, if the note has one.
pub fn starts(properties: &Map<String, Value>) -> Option<i64> {
    property(properties, "valid_from").and_then(moment_of)
}

fn end_of_validity(text: &str) -> Option<i64> {
    let day = text.trim();
    let is_day = day.len() <= 10 && day.parse::<Date>().is_ok();
    Some(moment(text)? + if is_day { DAY } else { 0 })
}

fn text_properties<'p>(
    properties: &'p Map<String, Value>,
    keys: [&'p str; 2],
) -> impl Iterator<Item = &'p str> {
    keys.into_iter()
        .filter_map(|key| property(properties, key).and_then(Value::as_str))
}

/// Parses a date with or without time into seconds since 1970. The default zone is UTC, so that a
/// vault means the same on every machine.
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

/// Parses a date property, as [`moment`] does.
pub fn moment_of(value: &Value) -> Option<i64> {
    value.as_str().and_then(moment)
}

/// Properties whose values are read as dates.
const DATE_PROPERTIES: &str = "created date updated valid_from valid_until expires due";

/// Returns the date properties whose text is not a date, each with a message about it. Placeholders of a template
/// may become dates.
pub fn unread(properties: &Map<String, Value>) -> impl Iterator<Item = (&'static str, String)> {
    let texts = DATE_PROPERTIES.split(' ').filter_map(|key| {
        let text = property(properties, key).and_then(Value::as_str)?.trim();
        Some((key, text))
    });
    let unread = texts.filter(|(_, text)| {
        let is_template = text.contains("{{") || text.contains("<%");
        !text.is_empty() && !is_template && moment(text).is_none()
    });
    unread.map(|(key, text)| {
        let why = format!("`{key}: {text}` is not read as a date; write it like 2026-01-31");
        (key, why)
    })
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unread_dates_are_texts_that_are_no_dates() {
        let properties = json!({
            "created": "31.02.2025", "date": "2026-02-28 10:30", "updated": null, "due": "2026-13-45",
            "expires": "{{date}}", "valid_until": "soon", "valid_from": "2026-01-31", "when": "soon",
        });
        let found: Vec<_> = unread(properties.as_object().unwrap()).collect();
        let keys: Vec<_> = found.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, ["created", "valid_until", "due"]);
        assert!(found[2].1.starts_with("`due: 2026-13-45` is not read"));
    }

    #[test]
    fn creation_date_sources_in_order() {
        for (properties, path, expected) in [
            (
                json!({"created": "2026-02-03", "date": "2025-01-01"}),
                "a.md",
                Source::Property("created"),
            ),
            (
                json!({"created": "soon", "date": "2025-01-01"}),
                "2024-01-01.md",
                Source::Property("date"),
            ),
            (
                json!({"created": 7}),
                "log/2024-01-01 walk.md",
                Source::FileName,
            ),
            (json!({}), "log/20240101.md", Source::FileName),
            (json!({}), "a-2024.md", Source::FileTime),
        ] {
            let path = VaultPath::new(path).unwrap();
            let properties = properties.as_object().unwrap();
            assert_eq!(source(properties, &path), expected, "{path}");
            assert_eq!(
                created(properties, &path).is_none(),
                expected == Source::FileTime
            );
        }
    }
}
