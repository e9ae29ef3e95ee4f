//! Values of the front matter.
//!
//! [`read`](crate::note::read) and the check after every edit parse here what [`split`] finds. `yaml-rust2` parses
//! YAML, `toml` and `serde_json` the other languages; the result is always a map of JSON values. Unparsable input is
//! distinguished from empty input, and [`salvage`] reads its plain `key: value` lines.
//!
//! Values follow YAML 1.2, except for dates and for numbers that would lose their spelling, which are strings: `007`
//! (a postal code), `3.10` (a version), `0x1F`, `1e3`, numbers with too many digits, `.inf`. [`number_of`] converts
//! them where a number is needed.

use serde_json::{Map, Value};

pub use super::matter_error::{MAX_FRONT_MATTER_BYTES, MatterError};
use super::property_names::property;
pub use super::salvage::{salvage, salvage_as};
use super::split::{FrontMatterLanguage, NoteParts, split};
use super::yaml;

/// Parses `yaml`, the lines between the fences.
///
/// Dates stay strings, aliases are expanded, number and boolean keys become strings. Blank lines and comments alone
/// give an empty map.
pub fn parse(yaml: &str) -> Result<Map<String, Value>, MatterError> {
    yaml::parse(yaml)
}

/// Parses the `inner` part of a block in this language.
pub fn parse_as(
    inner: &str,
    language: FrontMatterLanguage,
) -> Result<Map<String, Value>, MatterError> {
    match language {
        FrontMatterLanguage::Yaml => yaml::parse(inner),
        _ if inner.len() > MAX_FRONT_MATTER_BYTES => {
            Err(MatterError::TooLarge { bytes: inner.len() })
        }
        FrontMatterLanguage::Toml => toml(inner),
        FrontMatterLanguage::Json => json(inner),
        FrontMatterLanguage::Code => Err(MatterError::Code),
    }
}

/// Returns the properties of a note, given its `text` and [`split`] parts; empty without front matter.
pub fn of(text: &str, parts: &NoteParts) -> Result<Map<String, Value>, MatterError> {
    match &parts.block {
        _ if parts.unclosed => Err(MatterError::Unclosed),
        Some(block) => parse_as(&text[block.inner.clone()], block.language).map_err(|error| {
            // A JSON object has no fence before its first line.
            match error {
                MatterError::Syntax { line, cause } if block.inner.start == block.whole.start => {
                    MatterError::Syntax {
                        line: line - 1,
                        cause,
                    }
                }
                error => error,
            }
        }),
        None => Ok(Map::new()),
    }
}

/// Returns the properties of a note's `text`; empty without front matter.
pub fn properties(text: &str) -> Result<Map<String, Value>, MatterError> {
    of(text, &split(text))
}

/// Returns why the front matter of a note's `text` cannot be read, if so.
pub fn problem(text: &str) -> Option<MatterError> {
    properties(text).err()
}

fn json(inner: &str) -> Result<Map<String, Value>, MatterError> {
    if inner.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(inner) {
        Ok(Value::Object(properties)) => Ok(properties),
        Ok(_) => Err(MatterError::NotProperties),
        Err(error) => {
            let message = error.to_string();
            let (cause, _) = message.rsplit_once(" at line ").unwrap_or((&message, ""));
            Err(MatterError::Syntax {
                line: error.line().max(1) + 1,
                cause: cause.to_owned(),
            })
        }
    }
}

fn toml(inner: &str) -> Result<Map<String, Value>, MatterError> {
    let table: toml::Table = inner.parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        let before = inner.get(..at).unwrap_or_default();
        MatterError::Syntax {
            line: before.matches('\n').count() + 2,
            cause: error.message().to_owned(),
        }
    })?;
    Ok(from_table(table))
}

fn from_table(table: toml::Table) -> Map<String, Value> {
    let entries = table.into_iter();
    entries
        .map(|(key, value)| (key, from_toml(value)))
        .collect()
}

/// Converts a TOML value; dates and infinite numbers become strings.
pub fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) if number.is_finite() => number.into(),
        toml::Value::Float(number) => Value::from(number.to_string()),
        toml::Value::Boolean(truth) => Value::Bool(truth),
        toml::Value::Datetime(moment) => Value::from(moment.to_string()),
        toml::Value::Array(items) => items.into_iter().map(from_toml).collect(),
        toml::Value::Table(table) => Value::Object(from_table(table)),
    }
}

/// Returns the text of a property that is a non-blank string or a number.
pub fn text_of(properties: &Map<String, Value>, key: &str) -> Option<String> {
    property(properties, key).and_then(as_text)
}

/// Returns the texts of a property that is a list of strings and numbers, or a single one.
pub fn list_of(properties: &Map<String, Value>, key: &str) -> Vec<String> {
    match property(properties, key) {
        Some(Value::Array(items)) => items.iter().filter_map(as_text).collect(),
        Some(one) => as_text(one).into_iter().collect(),
        None => Vec::new(),
    }
}

/// Returns the number that a value is or spells.
pub fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite()),
        other => other.as_f64(),
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("{other} is not a map"),
        }
    }

    #[test]
    fn reads_every_language() {
        for (text, expected) in [
            ("body", json!({})),
            ("---\na: 1\n---\n", json!({"a": 1})),
            (
                "+++\ntitle = 'T'\ndate = 2026-04-07T18:00:00Z\nday = 2026-04-07\ntags = [\"a\", 'b']\n[extra]\nweight = 1.5\n+++\n",
                json!({
                    "title": "T", "date": "2026-04-07T18:00:00Z", "day": "2026-04-07",
                    "tags": ["a", "b"], "extra": {"weight": 1.5},
                }),
            ),
            ("---toml\r\na = inf\r\n---\r\n", json!({"a": "inf"})),
            ("+++\n+++\n", json!({})),
            (
                "---json\n{\"a\": [1, null]}\n---\n",
                json!({"a": [1, null]}),
            ),
            ("---json\n\n---\n", json!({})),
            (
                "{\n  \"a\": {\"b\": \"}\"}\n}\n\nbody",
                json!({"a": {"b": "}"}}),
            ),
        ] {
            assert_eq!(properties(text), Ok(map(expected)), "{text:?}");
        }
    }

    #[test]
    fn errors_are_reported_in_every_language() {
        for (text, expected) in [
            (
                "---\na: 1\n",
                "front matter line 1: the block is never closed",
            ),
            ("+++\na = 1\nb = @\n+++\n", "front matter line 3: "),
            (
                "+++\na = 1\na = 2\n+++\n",
                "front matter line 3: duplicate key",
            ),
            ("---json\n[1]\n---\n", "line 2: not a list of"),
            (
                "---json\n{\n\"a\": }\n---\n",
                "front matter line 3: expected value",
            ),
            ("{\n\"a\": }\n\n", "front matter line 2: expected value"),
            ("---js\n{}\n---\n", "line 1: code is not read"),
        ] {
            let problem = problem(text).unwrap().to_string();
            assert!(problem.contains(expected), "{text:?}: {problem}");
        }
    }

    #[test]
    fn texts_and_lists() {
        let properties = map(json!({
            "t": " x ", "n": 7, "blank": " ", "none": null, "l": ["a", 2, null, ["b"], " c "],
        }));
        for (key, text, list) in [
            ("t", Some("x"), &["x"][..]),
            ("n", Some("7"), &["7"]),
            ("blank", None, &[]),
            ("none", None, &[]),
            ("missing", None, &[]),
            ("l", None, &["a", "2", "c"]),
        ] {
            assert_eq!(text_of(&properties, key).as_deref(), text, "{key}");
            assert_eq!(list_of(&properties, key), list, "{key}");
        }
    }
}
