//! Parsers of values on the command line: `key=value`, tag, number, age.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::commands::prelude::*;
use crate::note::retag::is_tag;
use crate::note::whole_wikilink;
use crate::recall::query::ago;
use crate::signals::dates::moment;

/// Parses `key=value`; the value stays unparsed.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.to_owned()))
        }
        _ => Err("expected key=value".to_owned()),
    }
}

/// Parses a date or time and returns it as typed.
pub(crate) fn date(text: &str) -> Result<String, String> {
    match moment(text) {
        Some(_) => Ok(text.trim().to_owned()),
        None => {
            Err("expected a date like 2026-01-31 or a time like 2026-01-31T12:00:00Z".to_owned())
        }
    }
}

/// Returns the time that is an age like `30d` ago.
pub(crate) fn moment_ago(env: &Environment, text: &str) -> Result<Timestamp> {
    let then = ago(text, &env.now).map(|then| then.timestamp());
    then.ok_or_else(|| {
        Error::new(format!("invalid age `{text}`")).hint("expected an age like 30d, 2w, 6m or 1y")
    })
}

/// Returns a parser of numbers in a range.
pub(crate) fn number_in<N: FromStr + PartialOrd + Display>(
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> + Clone
where
    RangeInclusive<N>: Clone,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (least, most) = (range.start(), range.end());
        number.ok_or_else(|| format!("expected a number from {least} to {most}"))
    }
}

/// Parses a tag, with or without `#`.
pub(crate) fn tag(text: &str) -> Result<String, String> {
    match text.trim().trim_start_matches('#') {
        "" => Err("a tag cannot be empty".to_owned()),
        tag => Ok(tag.to_owned()),
    }
}

/// Parses a tag to be added to a note.
pub(crate) fn new_tag(text: &str) -> Result<String, String> {
    let tag = tag(text)?;
    if is_tag(&tag) {
        Ok(tag)
    } else {
        Err("a tag has letters, digits, `-`, `_` and `/`, and not digits alone".to_owned())
    }
}

/// Parses a value: JSON numbers, booleans, lists and maps keep their type, everything else is text.
///
/// `"7"` in quotes is text.
pub(crate) fn value(text: &str) -> Value {
    // `[[2024]]` is a link to a note, not a list in a list.
    if whole_wikilink(text).is_some() {
        return Value::from(text);
    }
    match serde_json::from_str(text) {
        Ok(Value::Null) | Err(_) => Value::from(text),
        Ok(value) => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tags_are_validated() {
        assert_eq!(tag(" #tea "), Ok("tea".to_owned()));
        assert!(tag("").is_err() && tag("#").is_err());
        assert_eq!(new_tag("#tea/green"), Ok("tea/green".to_owned()));
        assert!(new_tag("a b").is_err() && new_tag("2026").is_err());
        assert_eq!(tag("a b"), Ok("a b".to_owned()));
    }

    #[test]
    fn values_are_typed() {
        for (text, expected) in [
            ("done", json!("done")),
            ("7", json!(7)),
            ("\"7\"", json!("7")),
            ("true", json!(true)),
            ("null", json!("null")),
            ("", json!("")),
            ("2026-05-01", json!("2026-05-01")),
            ("[\"a\", 1]", json!(["a", 1])),
            ("[a, b]", json!("[a, b]")),
            ("{\"a\": 1}", json!({"a": 1})),
            ("[[Tea]]", json!("[[Tea]]")),
            ("[[2024]]", json!("[[2024]]")),
            ("[[1],[2]]", json!([[1], [2]])),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        let typed = pair(" a = b=c ");
        assert_eq!(typed, Ok(("a".to_owned(), " b=c ".to_owned())));
        assert!(pair("a").is_err() && pair("=b").is_err());
    }
}
