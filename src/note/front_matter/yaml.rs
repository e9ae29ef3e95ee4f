//! Parses YAML into values.
//!
//! `gray_matter` parses the lines between the fences. If it fails, its parser `yaml-rust2` is run again, because only
//! that reports the error position. Notes are untrusted, so hostile YAML (alias bombs, thousands of nested lists) is
//! rejected before parsing: no input panics or takes long.

use std::ops::Range;

use gray_matter::Pod;
use gray_matter::engine::{Engine as _, YAML};
use serde_json::{Map, Value};
use yaml_rust2::{ScanError, YamlLoader};

use super::matter_error::{MAX_ALIASES, MAX_DEPTH, MAX_FRONT_MATTER_BYTES, MatterError};
use super::spelling;

/// Parses `yaml`, the lines between the fences.
///
/// Dates stay strings, aliases are expanded, number and boolean keys become strings. Blank lines and comments alone
/// give an empty map.
pub(crate) fn parse(yaml: &str) -> Result<Map<String, Value>, MatterError> {
    if yaml
        .lines()
        .map(str::trim_start)
        .all(|line| line.is_empty() || line.starts_with('#'))
    {
        return Ok(Map::new());
    }
    check_limits(yaml)?;
    let mut properties = value_of(yaml)?;
    let number_candidates = spelling::number_candidates(yaml);
    if !number_candidates.is_empty() {
        restore_numbers(yaml, &number_candidates, &mut properties);
    }
    match properties {
        Value::Object(properties) => Ok(properties),
        Value::Null => Ok(Map::new()),
        _ => Err(MatterError::NotProperties),
    }
}

fn value_of(yaml: &str) -> Result<Value, MatterError> {
    // Calls the engine, not `Matter::parse`, which would look for fences again, copy the text twice and trim the
    // indentation of the first line.
    if let Ok(pod) = YAML::parse(yaml) {
        return Ok(to_value(pod));
    }
    let tolerated = match YamlLoader::load_from_str(yaml) {
        Err(error) if error.info() == TAB_BEHIND_COLON => without_tabs(yaml, error)?,
        Err(error) => return Err(syntax(&error)),
        Ok(_) => return Err(MatterError::NotProperties),
    };
    let pod = YAML::parse(&tolerated).map_err(|_| MatterError::NotProperties)?;
    Ok(to_value(pod))
}

/// Replaces numbers that would lose their spelling by strings.
fn restore_numbers(yaml: &str, number_candidates: &[Range<usize>], properties: &mut Value) {
    if let Ok(spelled) = value_of(&spelling::quoted(yaml, number_candidates)) {
        spelling::restore_spellings(properties, spelled);
        return;
    }
    // One of them is part of a longer text: try each separately.
    for candidate in number_candidates.iter().take(MAX_CANDIDATES) {
        let candidate = std::slice::from_ref(candidate);
        if let Ok(spelled) = value_of(&spelling::quoted(yaml, candidate)) {
            spelling::restore_spellings(properties, spelled);
        }
    }
}

/// Maximum texts tried separately; each costs another parse.
const MAX_CANDIDATES: usize = 32;

/// The parser's message for `key:<tab>value`, which YAML allows.
const TAB_BEHIND_COLON: &str = "':' must be followed by a valid YAML whitespace";

/// Returns `yaml` with a blank for each tab that the parser rejects, beginning with the one of `error`.
fn without_tabs(yaml: &str, mut error: ScanError) -> Result<String, MatterError> {
    let mut yaml = yaml.to_owned();
    for _ in 0..MAX_TABS {
        // The marker is at the value, or at the tab if the parser looked no further.
        let end = offset(&yaml, error.marker().line(), error.marker().col());
        let blanks = yaml[..end].trim_end_matches([' ', '\t']).len();
        if error.info() != TAB_BEHIND_COLON || blanks == end {
            break;
        }
        yaml.replace_range(blanks..end, &" ".repeat(end - blanks));
        match YamlLoader::load_from_str(&yaml) {
            Err(next) => error = next,
            Ok(_) => return Ok(yaml),
        }
    }
    Err(syntax(&error))
}

/// Maximum tabs replaced; each costs another parse.
const MAX_TABS: usize = 64;

/// Returns the byte offset of a line (from 1) and column (from 0, in characters).
fn offset(yaml: &str, line: usize, column: usize) -> usize {
    let lines = yaml.split_inclusive('\n');
    let start: usize = lines.take(line - 1).map(str::len).sum();
    let before = yaml[start..].chars().take(column);
    start + before.map(char::len_utf8).sum::<usize>()
}

fn to_value(pod: Pod) -> Value {
    match pod {
        Pod::Null => Value::Null,
        Pod::String(text) => Value::String(text),
        Pod::Integer(number) => number.into(),
        // Numbers that JSON lacks are replaced by strings later.
        Pod::Float(number) => number.into(),
        Pod::Boolean(truth) => Value::Bool(truth),
        Pod::Array(items) => items.into_iter().map(to_value).collect(),
        Pod::Hash(entries) => {
            let entries = entries.into_iter();
            entries.map(|(key, value)| (key, to_value(value))).collect()
        }
    }
}

fn syntax(error: &ScanError) -> MatterError {
    // `String("key"): duplicated key in mapping`
    let twice = error.info().strip_suffix(": duplicated key in mapping");
    let key = twice.and_then(|key| key.split_once('(')?.1.strip_suffix(')'));
    MatterError::Syntax {
        // One more for the fence.
        line: error.marker().line().max(1) + 1,
        cause: key.map_or_else(
            || plain_cause(error.info()).to_owned(),
            |key| format!("duplicate key `{}`", key.trim_matches('"')),
        ),
    }
}

/// Returns the parser's message, in plain words for common mistakes.
fn plain_cause(info: &str) -> &str {
    let plain = [
        (
            "while parsing a flow sequence",
            "`[` is not closed, or a comma is missing",
        ),
        (
            "while parsing a flow mapping",
            "`{` is not closed, or a comma is missing",
        ),
        (
            "mapping values are not allowed",
            "a value with `: ` needs quotes, or the indentation is wrong",
        ),
        (
            "while parsing a node",
            "a value is missing, or a bracket or quote is not closed",
        ),
        (
            "while scanning a quoted scalar",
            "a quoted text is not closed",
        ),
    ];
    let known = plain.iter().find(|(begin, _)| info.starts_with(begin));
    known.map_or(info, |(_, words)| words)
}

/// Rejects input that would exhaust the parser's time, memory or stack, without parsing.
///
/// Counts structural characters even inside quotes: it may reject unusual harmless blocks, but never accepts a
/// harmful one.
fn check_limits(yaml: &str) -> Result<(), MatterError> {
    if yaml.len() > MAX_FRONT_MATTER_BYTES {
        return Err(MatterError::TooLarge { bytes: yaml.len() });
    }
    let anchored = yaml.contains('&');
    let (mut aliases, mut flow) = (0, 0_usize);
    for (number, text) in yaml.split('\n').enumerate() {
        let line = number + 2;
        let bytes = text.as_bytes();
        // `- - - a` opens one list per dash: the depth of a line is at most half its indentation, indicators
        // included.
        let indent = (0..bytes.len())
            .take_while(|&at| match bytes[at] {
                b' ' | b'\t' => true,
                b'-' | b'?' | b':' => {
                    matches!(bytes.get(at + 1), None | Some(b' ' | b'\t' | b'\r'))
                }
                _ => false,
            })
            .count();
        if indent > 2 * MAX_DEPTH {
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
            if flow > MAX_DEPTH {
                return Err(MatterError::TooDeep { line });
            }
            if aliases > MAX_ALIASES {
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
            other => panic!("{other} is not a map"),
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
                "zip: 01234\nid: 12345678901234567890 # big\nmost: 9223372036854775807\nl: [007, -00, 0, 1.10, 1.0, 1.1, 10, .50, 0x1F, 1e3, 0.1234567890123456789]\nm: {n: 00,o: 1}\n",
                json!({
                    "zip": "01234", "id": "12345678901234567890", "most": i64::MAX, "l": ["007", "-00", 0, "1.10", 1.0, 1.1, 10, ".50", "0x1F", "1e3", "0.1234567890123456789"],
                    "m": {"n": "00", "o": 1},
                }),
            ),
            // Part of a longer text; a real value among them is still found.
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
    fn errors_contain_the_line() {
        for (yaml, expected) in [
            (
                "a: 1\nb: c: d\n".to_owned(),
                "line 3: a value with `: ` needs quotes",
            ),
            ("a: 1\na: 2\n".to_owned(), "line 3: duplicate key `a`"),
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
                format!("a: {}\n", "x".repeat(MAX_FRONT_MATTER_BYTES)),
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
        // Pieces of YAML syntax reach more of the parser than random characters.
        #[test]
        fn arbitrary_text_does_not_panic(
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
            let _ = crate::note::front_matter::salvage::salvage(&yaml);
        }
    }
}
