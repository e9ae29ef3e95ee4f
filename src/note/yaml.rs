//! YAML to values.
//!
//! [`matter`](super::matter) gives it the lines between the fences; `gray_matter` parses them. A
//! note comes from anywhere, so hostile YAML (alias bombs, thousands of nested lists) is refused
//! before the parser sees it: no input makes this panic or take long.

use std::ops::Range;

use gray_matter::Pod;
use gray_matter::engine::{Engine, YAML};
use serde_json::{Map, Value};

use super::matter::{LARGEST, MatterError};
use super::spelling;

/// Aliases in one block; few enough that even nested ones cannot multiply into a bomb.
pub(super) const MOST_ALIASES: usize = 16;

/// Nested collections. The parser recurses and its result is copied once per level.
pub(super) const DEEPEST: usize = 64;

/// Returns the properties that `yaml`, the lines between the fences, states.
///
/// Dates stay strings, aliases are expanded, keys that are numbers or booleans become text.
/// Nothing but blank lines and comments is an empty map.
pub(super) fn parse(yaml: &str) -> Result<Map<String, Value>, MatterError> {
    if yaml
        .lines()
        .map(str::trim_start)
        .all(|line| line.is_empty() || line.starts_with('#'))
    {
        return Ok(Map::new());
    }
    guard(yaml)?;
    let mut properties = engine(yaml)?;
    let suspects = spelling::suspects(yaml);
    if !suspects.is_empty() {
        spell(yaml, &suspects, &mut properties);
    }
    match properties {
        Value::Object(properties) => Ok(properties),
        Value::Null => Ok(Map::new()),
        _ => Err(MatterError::NotProperties),
    }
}

fn engine(yaml: &str) -> Result<Value, MatterError> {
    // The engine itself, not `Matter::parse`: that one looks for the fences again, copies the
    // text twice and trims away the indentation of the first line.
    let parsed = match YAML::parse(yaml) {
        Err(error) if error.to_string().contains(TAB_BEHIND_COLON) => parse_with_tabs(yaml),
        parsed => parsed.map_err(|error| syntax(&error.to_string())),
    };
    parsed.map(to_value)
}

/// Puts the text that stands there in place of numbers that would not keep it.
fn spell(yaml: &str, suspects: &[Range<usize>], properties: &mut Value) {
    if let Ok(spelled) = engine(&spelling::quoted(yaml, suspects)) {
        spelling::take_over(properties, spelled);
        return;
    }
    // One of them is part of something else: each by itself.
    for suspect in suspects.iter().take(MOST_SUSPECTS) {
        let suspect = std::slice::from_ref(suspect);
        if let Ok(spelled) = engine(&spelling::quoted(yaml, suspect)) {
            spelling::take_over(properties, spelled);
        }
    }
}

/// So many of them are looked at one by one; each costs another parse.
const MOST_SUSPECTS: usize = 32;

/// What the parser says of `key:<tab>value`, which YAML allows.
const TAB_BEHIND_COLON: &str = "':' must be followed by a valid YAML whitespace";

/// Parses `yaml` with a blank for each tab that the parser stumbles over.
fn parse_with_tabs(yaml: &str) -> Result<Pod, MatterError> {
    let mut yaml = yaml.to_owned();
    for _ in 0..MOST_TABS {
        let message = match YAML::parse(&yaml) {
            Ok(pod) => return Ok(pod),
            Err(error) => error.to_string(),
        };
        let at = message.contains(TAB_BEHIND_COLON).then(|| place(&message));
        let Some((Some(line), Some(column))) = at else {
            return Err(syntax(&message));
        };
        // The parser stands on the value, or on the tab when it looked no further.
        let start = yaml
            .split_inclusive('\n')
            .take(line - 1)
            .map(str::len)
            .sum();
        let before: usize = yaml[start..]
            .chars()
            .take(column - 1)
            .map(char::len_utf8)
            .sum();
        let before = start + before;
        let blanks = yaml[..before].trim_end_matches([' ', '\t']).len();
        if blanks == before {
            return Err(syntax(&message));
        }
        yaml.replace_range(blanks..before, &" ".repeat(before - blanks));
    }
    YAML::parse(&yaml).map_err(|error| syntax(&error.to_string()))
}

/// So many lines with such tabs; each costs another parse.
const MOST_TABS: usize = 64;

fn to_value(pod: Pod) -> Value {
    match pod {
        Pod::Null => Value::Null,
        Pod::String(text) => Value::String(text),
        Pod::Integer(number) => number.into(),
        Pod::Float(number) => number.into(),
        Pod::Boolean(truth) => Value::Bool(truth),
        Pod::Array(items) => items.into_iter().map(to_value).collect(),
        Pod::Hash(entries) => Value::Object(
            entries
                .into_iter()
                .map(|(key, value)| (key, to_value(value)))
                .collect(),
        ),
    }
}

/// Splits the parser's `Deserialize error: CAUSE at byte B line L column C`.
fn syntax(message: &str) -> MatterError {
    let (cause, _) = message.rsplit_once(" at byte ").unwrap_or((message, ""));
    let cause = cause.strip_prefix("Deserialize error: ").unwrap_or(cause);
    // `String("key"): duplicated key in mapping`
    let twice = cause.strip_suffix(": duplicated key in mapping");
    let key = twice.and_then(|key| key.split_once('(')?.1.strip_suffix(')'));
    MatterError::Syntax {
        // One more for the fence.
        line: place(message).0.unwrap_or(1) + 1,
        cause: key.map_or_else(
            || cause.to_owned(),
            |key| format!("the key `{}` stands there already", key.trim_matches('"')),
        ),
    }
}

/// Returns line and column, from 1, of the parser's message.
fn place(message: &str) -> (Option<usize>, Option<usize>) {
    let (_, place) = message.rsplit_once(" at byte ").unwrap_or((message, ""));
    let number = |name| {
        let mut words = place.split(' ').skip_while(|word| *word != name);
        words
            .nth(1)?
            .parse::<usize>()
            .ok()
            .filter(|number| *number > 0)
    };
    (number("line"), number("column"))
}

/// Refuses what would cost the parser its time, memory or stack, without parsing.
///
/// It counts what looks like structure even inside quotes, so it may refuse a strange but
/// harmless block; it never lets a harmful one pass.
fn guard(yaml: &str) -> Result<(), MatterError> {
    if yaml.len() > LARGEST {
        return Err(MatterError::TooLarge { bytes: yaml.len() });
    }
    let anchored = yaml.contains('&');
    let (mut aliases, mut flow) = (0, 0_usize);
    for (number, text) in yaml.split('\n').enumerate() {
        let line = number + 2;
        let bytes = text.as_bytes();
        // `- - - a` opens a list per dash, so a line nests at most as deep as its indentation,
        // indicators counted as such, has pairs of columns.
        let indent = (0..bytes.len())
            .take_while(|&at| match bytes[at] {
                b' ' | b'\t' => true,
                b'-' | b'?' | b':' => {
                    matches!(bytes.get(at + 1), None | Some(b' ' | b'\t' | b'\r'))
                }
                _ => false,
            })
            .count();
        if indent > 2 * DEEPEST {
            return Err(MatterError::TooDeep { line });
        }
        let mut before = b' ';
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                0 => return Err(MatterError::NulByte { line }),
                b'[' | b'{' => flow += 1,
                b']' | b'}' => flow = flow.saturating_sub(1),
                b'*' if anchored
                    && before != b'*'
                    && (before.is_ascii_whitespace() || before.is_ascii_punctuation())
                    && bytes
                        .get(at + 1)
                        .is_some_and(|next| !next.is_ascii_whitespace()) =>
                {
                    aliases += 1;
                }
                _ => {}
            }
            before = byte;
            if flow > DEEPEST {
                return Err(MatterError::TooDeep { line });
            }
            if aliases > MOST_ALIASES {
                return Err(MatterError::TooManyAliases { line });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("{other} is no map"),
        }
    }

    #[test]
    fn reads_values() {
        for (yaml, expected) in [
            ("", json!({})),
            ("\n# only a comment\n", json!({})),
            ("a:\n", json!({"a": null})),
            (
                "a:\tx\nb:\t 1 # c\nc: \"d:\te\"\n",
                json!({"a": "x", "b": 1, "c": "d:\te"}),
            ),
            ("é:\tx\r\nb:\ty\r\n", json!({"é": "x", "b": "y"})),
            (
                "a: [.inf, -.INF, .nan]\n",
                json!({"a": [".inf", "-.INF", ".nan"]}),
            ),
            (
                "zip: 01234\nid: 12345678901234567890 # big\nmost: 9223372036854775807\nl: [007, -00, 0, 1.10, 1.0, 1.1, 10, .50]\nm: {n: 00,o: 1}\n",
                json!({
                    "zip": "01234", "id": "12345678901234567890", "most": i64::MAX, "l": ["007", "-00", 0, "1.10", 1.0, 1.1, 10, 0.5],
                    "m": {"n": "00", "o": 1},
                }),
            ),
            // Part of a longer text, the one value among them is still found.
            (
                "a: 007, 008\nb:\n- 009\nc: x\n  010\nd: |\n  011\ne: \"012\"\nf: 12e4567\n",
                json!({
                    "a": "007, 008", "b": ["009"], "c": "x 010", "d": "011\n", "e": "012",
                    "f": "12e4567",
                }),
            ),
            ("a: 2024-01-01\n", json!({"a": "2024-01-01"})),
            (
                "a: 2024-01-01T10:00:00Z\n",
                json!({"a": "2024-01-01T10:00:00Z"}),
            ),
            (
                "a: no\nb: true\nc: 1\nd: 0.5\n",
                json!({"a": "no", "b": true, "c": 1, "d": 0.5}),
            ),
            ("a: x\r\nb:\r\n- y\r\n", json!({"a": "x", "b": ["y"]})),
            ("1: a\n", json!({"1": "a"})),
            ("  a: 1\n  b: 2\n", json!({"a": 1, "b": 2})),
            ("a: &x y\nb: *x\n", json!({"a": "y", "b": "y"})),
            ("tags: #a\n", json!({"tags": null})),
            ("a: [[x]]\n", json!({"a": [["x"]]})),
            ("{\"a\": 1}\n", json!({"a": 1})),
        ] {
            assert_eq!(parse(yaml), Ok(map(expected)), "{yaml:?}");
        }
    }

    #[test]
    fn says_where_it_failed() {
        for (yaml, expected) in [
            (
                "a: 1\nb: c: d\n".to_owned(),
                "line 3: mapping values are not allowed",
            ),
            (
                "a: 1\na: 2\n".to_owned(),
                "line 3: the key `a` stands there already",
            ),
            (
                "a:\tb\nc:\t- d\n".to_owned(),
                "line 3: block sequence entries are not allowed",
            ),
            ("a: @x\n".to_owned(), "line 2: unexpected character: `@'"),
            (
                "- a\n".to_owned(),
                "line 2: not a list of `key: value` lines",
            ),
            ("a: 1\nb: \0\n".to_owned(), "line 3: a NUL byte"),
            (
                format!("a: {}\n", "x".repeat(LARGEST)),
                "is 65540 bytes long",
            ),
            (
                format!("a: &a x\nb: [{}]\n", "*a, ".repeat(17)),
                "line 3: more than 16 aliases",
            ),
            (
                format!("a: {}\n", "[".repeat(65)),
                "line 2: nested more than 64",
            ),
            (
                format!("a:\n  {}a\n", "- ".repeat(64)),
                "line 3: nested more than 64",
            ),
        ] {
            let error = parse(&yaml).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(expected), "{yaml:.40}: {message}");
            assert!(
                !message.contains("line") || message.contains(&format!("line {}", error.line()))
            );
        }
    }

    proptest! {
        // Pieces of YAML's own syntax reach more of the parser than random letters do.
        #[test]
        fn survives_anything(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "b: ", ": ", "- ", "? ", "\n", "\n  ", "\r\n", "[", "]", "{", "}", ", ", "&a ",
                    "*a", "|\n", ">-\n", "\"", "'", "#", " #", "!", "!!str ", "%", "\t", "\0", "\\", "é",
                    "\u{feff}", "---", "...", "\u{85}", "<<: ", "1", ".", "~",
                ]),
                0..40,
            ),
        ) {
            let yaml = pieces.concat();
            let _ = parse(&yaml);
            let _ = crate::note::salvage::salvage(&yaml);
        }
    }
}
