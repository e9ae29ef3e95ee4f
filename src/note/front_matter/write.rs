//! Writes YAML as a person would, and the text of new notes.
//!
//! [`edit`](crate::note::edit) formats its values here, `remember` its notes. A string is plain where every YAML
//! reader accepts it as a string (dates included), and quoted elsewhere. Lists of short values take one line (`tags:
//! [a, b]`), maps and long lists one line per entry.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::split::FrontMatterLanguage;

/// Maximum width of a list on one line, in bytes.
const MAX_INLINE_LIST_BYTES: usize = 80;

/// Returns the text of a new note: front matter with `properties` in their order, then `body`.
///
/// Without properties the note has only a body. A non-empty body ends with a line ending.
pub fn new_note(properties: &[(String, Value)], body: &str) -> String {
    let mut text = String::new();
    if !properties.is_empty() {
        text.push_str("---\n");
        for (key, value) in properties {
            entry(&mut text, 0, key, value);
        }
        text.push_str("---\n");
    }
    text.push_str(body);
    if !body.is_empty() && !body.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Formats a value on one line, or returns `None` if it needs several. Null is the empty text, the usual form of a
/// property without a value.
pub(crate) fn inline(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Array(items) if items.iter().any(|item| item.is_array() || item.is_object()) => None,
        Value::Array(_) => Some(flow(value)).filter(|text| text.len() <= MAX_INLINE_LIST_BYTES),
        Value::Object(entries) if !entries.is_empty() => None,
        Value::String(text) => Some(scalar(text, false)),
        _ => Some(flow(value)),
    }
}

/// Appends a list or map as lines of its own, with `indent` spaces before each entry.
pub(crate) fn block(out: &mut String, indent: usize, value: &Value) {
    match value {
        Value::Array(list) => items(out, indent, list),
        Value::Object(entries) => map(out, indent, entries),
        _ => unreachable!("only lists and maps need lines of their own"),
    }
}

/// Appends the items of a list as lines with `indent` spaces before the dashes.
fn items(out: &mut String, indent: usize, items: &[Value]) {
    for item in items {
        let _ = write!(out, "{:indent$}- ", "");
        match item {
            Value::Object(entries) if !entries.is_empty() => {
                // The first key follows the dash, the others are below it.
                let mut lines = String::new();
                map(&mut lines, indent + 2, entries);
                out.push_str(&lines[indent + 2..]);
            }
            Value::String(text) => {
                out.push_str(&scalar(text, false));
                out.push('\n');
            }
            _ => {
                out.push_str(&flow(item));
                out.push('\n');
            }
        }
    }
}

/// Appends the entries of a map as lines with `indent` spaces before the keys.
fn map(out: &mut String, indent: usize, entries: &Map<String, Value>) {
    for (key, value) in entries {
        entry(out, indent, key, value);
    }
}

/// Appends `indent` spaces and `key:` without a line ending.
pub(crate) fn heading(out: &mut String, indent: usize, key: &str) {
    let _ = write!(out, "{:indent$}{}:", "", self::key(key));
}

/// Formats a key.
pub(crate) fn key(key: &str) -> String {
    scalar(key, true)
}

/// Appends the lines of one map entry with `indent` spaces before the key.
pub(crate) fn entry(out: &mut String, indent: usize, key: &str, value: &Value) {
    heading(out, indent, key);
    match inline(value) {
        Some(text) if text.is_empty() => out.push('\n'),
        Some(text) => {
            let _ = writeln!(out, " {text}");
        }
        None => {
            out.push('\n');
            block(out, indent + 2, value);
        }
    }
}

/// Formats a value on one line, for use inside `[…]`.
pub(crate) fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => scalar(text, true),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", scalar(key, true), flow(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// Formats a value on one line in any language that can be edited.
pub(crate) fn flow_in(language: FrontMatterLanguage, value: &Value) -> String {
    match (language, value) {
        (FrontMatterLanguage::Toml, Value::String(text)) => toml_text(text),
        (FrontMatterLanguage::Toml, Value::Array(items)) => {
            let items: Vec<_> = items.iter().map(|item| flow_in(language, item)).collect();
            format!("[{}]", items.join(", "))
        }
        (FrontMatterLanguage::Toml, Value::Object(entries)) => {
            let entries = entries.iter().map(|(key, value)| {
                format!("{} = {}", key_in(language, key), flow_in(language, value))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        (FrontMatterLanguage::Toml | FrontMatterLanguage::Json, _) => value.to_string(),
        _ => flow(value),
    }
}

/// Formats a key in any language that can be edited.
pub(crate) fn key_in(language: FrontMatterLanguage, key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match language {
        FrontMatterLanguage::Json => Value::from(key).to_string(),
        FrontMatterLanguage::Toml if !key.is_empty() && key.chars().all(bare) => key.to_owned(),
        FrontMatterLanguage::Toml => toml_text(key),
        _ => self::key(key),
    }
}

/// Formats a TOML basic string: JSON syntax except for one character.
fn toml_text(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// Returns `text` if it can replace the date or time `old` without quotes.
pub(crate) fn toml_datetime<'a>(text: &'a str, old: &str) -> Option<&'a str> {
    let is_datetime = |text: &str| text.parse::<toml::value::Datetime>().is_ok();
    (is_datetime(old) && is_datetime(text)).then_some(text)
}

/// Formats `text` so that it is read as the same string. Keys and values `inside` a flow collection need quotes more
/// often.
pub fn scalar(text: &str, inside: bool) -> String {
    if is_plain(text) && !(inside && text.contains(['[', ']', '{', '}', ','])) {
        return text.to_owned();
    }
    let clean = !text.contains(is_break);
    if clean && !text.contains('\'') && text.contains(['"', '\\']) {
        return format!("'{text}'");
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if is_break(c) => {
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether every reader of YAML 1.1 or 1.2 reads unquoted `text` as this string.
///
/// Stricter than the standard, with one exception: dates, which YAML 1.1 readers convert, stay plain because people
/// and editors write them so.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    if !(first.is_alphanumeric() || matches!(first, '_' | '/' | '(')) || text.ends_with([' ', ':'])
    {
        return false;
    }
    if text.contains(": ") || text.contains(" #") || text.contains(is_break) {
        return false;
    }
    if first.is_ascii_digit() {
        return is_date(text) || !may_be_number(text);
    }
    let word = text.to_ascii_lowercase();
    !matches!(
        word.as_str(),
        "y" | "yes" | "n" | "no" | "on" | "off" | "true" | "false" | "null" | "nan" | "inf"
    )
}

/// Whether some reader may take a text that starts with a digit for a number: decimal, hexadecimal, octal, with
/// exponent, underscores or base 60 colons.
fn may_be_number(text: &str) -> bool {
    text.bytes().all(|byte| {
        byte.is_ascii_hexdigit() || matches!(byte, b'.' | b'_' | b':' | b'+' | b'-' | b'x' | b'o')
    })
}

/// Whether `text` is a date, or a date and time in the format of RFC 3339.
fn is_date(text: &str) -> bool {
    let shape: Vec<u8> = text
        .bytes()
        .map(|byte| if byte.is_ascii_digit() { b'0' } else { byte })
        .collect();
    let Some(time) = shape.strip_prefix(b"0000-00-00") else {
        return false;
    };
    let Some(zone) = time.strip_prefix(b"T00:00:00") else {
        return time.is_empty();
    };
    let fraction = zone.strip_prefix(b".").map(|rest| {
        let digits = rest.iter().take_while(|byte| **byte == b'0').count();
        &rest[digits..]
    });
    matches!(fraction.unwrap_or(zone), b"" | b"Z" | b"+00:00" | b"-00:00")
}

/// Returns whether a character breaks lines or is invisible. Two line breaks and the byte order mark are not control
/// characters.
fn is_break(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::note::front_matter::matter;

    #[test]
    fn a_new_note_looks_handwritten() {
        let property = |key: &str, value: Value| (key.to_owned(), value);
        let note = new_note(
            &[
                property("title", json!("We switched to Postgres")),
                property("tier", json!("working")),
                property("tags", json!(["database", "c++"])),
                property("created", json!("2026-04-07T18:00:00Z")),
                property("evolved_from", json!(["[[Chose SQLite]]"])),
                property("confidence", json!(0.9)),
                property("note", json!(null)),
                property(
                    "mem",
                    json!({"by": "agent: x", "helped": [{"q": "why?", "w": 1}]}),
                ),
            ],
            "Body, with [[wikilinks]].",
        );
        let expected = r#"---
title: We switched to Postgres
tier: working
tags: [database, c++]
created: 2026-04-07T18:00:00Z
evolved_from: ["[[Chose SQLite]]"]
confidence: 0.9
note:
mem:
  by: "agent: x"
  helped:
    - q: why?
      w: 1
---
Body, with [[wikilinks]].
"#;
        assert_eq!(note, expected);
        assert_eq!(new_note(&[], "b\n"), "b\n");
        assert_eq!(new_note(&[property("a", json!(1))], ""), "---\na: 1\n---\n");
    }

    #[test]
    fn quotes_only_ambiguous_text() {
        for (text, expected) in [
            (
                "plain words, (really), it's fine?",
                "plain words, (really), it's fine?",
            ),
            ("The \"real\" [thing]", "The \"real\" [thing]"),
            ("a:b c#d", "a:b c#d"),
            ("2024-01-01", "2024-01-01"),
            (
                "2024-01-01T10:00:00.123+02:00",
                "2024-01-01T10:00:00.123+02:00",
            ),
            ("2024-01-01 10:00", "2024-01-01 10:00"),
            ("2024-1-1", "\"2024-1-1\""),
            ("3 apples", "3 apples"),
            ("no", "\"no\""),
            ("Yes", "\"Yes\""),
            ("1.0", "\"1.0\""),
            ("12:30", "\"12:30\""),
            ("0x1f", "\"0x1f\""),
            ("1e5", "\"1e5\""),
            ("a: b", "\"a: b\""),
            ("a #b", "\"a #b\""),
            ("#x", "\"#x\""),
            ("@x", "\"@x\""),
            ("[[Link]]", "\"[[Link]]\""),
            ("", "\"\""),
            (" x", "\" x\""),
            ("\"hi\" he said", "'\"hi\" he said'"),
            ("\"it's\"", r#""\"it's\"""#),
            ("a\nb", "\"a\\nb\""),
            ("👍", "\"👍\""),
            ("日本語", "日本語"),
            ("---", "\"---\""),
        ] {
            assert_eq!(scalar(text, false), expected);
        }
        assert_eq!(
            flow(&json!(["a, b", "c[d]", "it's"])),
            r#"["a, b", "c[d]", it's]"#
        );
    }

    fn texts() -> impl Strategy<Value = String> {
        // Words that some reader misreads, characters with a meaning in YAML, and arbitrary text.
        prop_oneof![
            prop::sample::select(vec![
                "no",
                "Y",
                "null",
                "~",
                "1.0",
                "0o7",
                "1_000",
                "-1",
                ".5",
                ".inf",
                "12:30",
                "<<",
                "=",
                "2024-01-01",
                "2024-13-99",
                "a: b",
                "x:",
                "- a",
                "? a",
                "---",
                "...",
                "%a",
                "!t",
                "&a",
                "*a",
                "|",
                ">",
                "[a",
                "{a",
                "a]",
                "'",
                "\"",
                "\\",
                "\u{feff}x",
                "\u{85}",
                "\u{2028}",
                "a\tb",
                "\r\n",
                "`",
                "[[A]]",
                "1e5",
                "0b1",
                "1__",
                "5.",
                "1.e",
                "NaN",
                ".NaN",
                "Infinity",
            ])
            .prop_map(str::to_owned),
            prop::collection::vec(
                prop::sample::select(
                    "ab1. -:#,[]{}&*!|>'\"%@`\\\n\t~?=é\u{0}\u{7f}\u{a0}\u{1F600}"
                        .chars()
                        .collect::<Vec<_>>()
                ),
                0..8
            )
            .prop_map(String::from_iter),
            any::<String>(),
        ]
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            4 => texts().prop_map(Value::from),
            1 => any::<i64>().prop_map(Value::from),
            1 => (-1e9..1e9).prop_map(Value::from),
            1 => any::<bool>().prop_map(Value::from),
            1 => Just(Value::Null),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(texts(), inner, 0..4)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn reads_back_as_written(key in texts(), value in values()) {
            let mut yaml = String::new();
            entry(&mut yaml, 0, &key, &value);
            let mut expected = Map::new();
            expected.insert(key, value);
            // An escaped NUL is not a NUL byte.
            prop_assert_eq!(matter::parse(&yaml), Ok(expected), "{}", yaml);
        }
    }
}
