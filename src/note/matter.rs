//! The values of the front matter.
//!
//! Fed the lines between the fences by [`read`](super::read) and by the check that follows every
//! edit; `gray_matter` parses them. A note comes from anywhere, so hostile YAML (alias bombs,
//! thousands of nested lists) is refused before the parser sees it: no input makes this panic or
//! take long. What cannot be parsed is told apart from what is empty, and [`salvage`] still reads
//! the plain `key: value` lines, so that one stray colon costs a note neither title nor tags.

use gray_matter::Pod;
use gray_matter::engine::{Engine, YAML};
use serde_json::{Map, Value};

use super::split::split;

/// Front matter above this size is refused.
pub const LARGEST: usize = 64 * 1024;

/// Aliases in one block; few enough that even nested ones cannot multiply into a bomb.
const MOST_ALIASES: usize = 16;

/// Nested collections. The parser recurses and its result is copied once per level.
const DEEPEST: usize = 64;

/// Why the front matter of a note has no values. Lines count from 1 at the opening fence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatterError {
    /// The block that the first line opens is never closed.
    #[error("front matter line 1: the block is never closed")]
    Unclosed,
    /// More than [`LARGEST`] bytes.
    #[error("front matter is {bytes} bytes long, more than {LARGEST}")]
    TooLarge {
        /// The size of the lines between the fences.
        bytes: usize,
    },
    /// A NUL byte, at which the parser would silently stop.
    #[error("front matter line {line}: a NUL byte")]
    NulByte {
        /// Where it stands.
        line: usize,
    },
    /// So many aliases that they may multiply.
    #[error("front matter line {line}: more than {MOST_ALIASES} aliases")]
    TooManyAliases {
        /// Where the first one too many stands.
        line: usize,
    },
    /// Collections nested too deeply.
    #[error("front matter line {line}: nested more than {DEEPEST} levels deep")]
    TooDeep {
        /// Where the limit is passed.
        line: usize,
    },
    /// Valid YAML, but a list or a single value.
    #[error("front matter line 2: not a list of `key: value` lines")]
    NotProperties,
    /// No valid YAML.
    #[error("front matter line {line}: {cause}")]
    Syntax {
        /// Where the parser gave up, often a line after the mistake.
        line: usize,
        /// The parser's words.
        cause: String,
    },
}

impl MatterError {
    /// Returns the line of the file at which reading failed.
    #[must_use]
    pub fn line(&self) -> usize {
        match self {
            Self::Unclosed | Self::TooLarge { .. } => 1,
            Self::NotProperties => 2,
            Self::NulByte { line }
            | Self::TooManyAliases { line }
            | Self::TooDeep { line }
            | Self::Syntax { line, .. } => *line,
        }
    }
}

/// Returns the properties that `yaml`, the lines between the fences, states.
///
/// Dates stay strings, aliases are expanded, keys that are numbers or booleans become text.
/// Nothing but blank lines and comments is an empty map.
pub fn parse(yaml: &str) -> Result<Map<String, Value>, MatterError> {
    if yaml
        .lines()
        .map(str::trim_start)
        .all(|line| line.is_empty() || line.starts_with('#'))
    {
        return Ok(Map::new());
    }
    guard(yaml)?;
    // The engine itself, not `Matter::parse`: that one looks for the fences again, copies the
    // text twice and trims away the indentation of the first line.
    match YAML::parse(yaml) {
        Ok(Pod::Hash(entries)) => Ok(entries
            .into_iter()
            .map(|(key, value)| (key, to_value(value)))
            .collect()),
        Ok(Pod::Null) => Ok(Map::new()),
        Ok(_) => Err(MatterError::NotProperties),
        Err(error) => Err(syntax(&error.to_string())),
    }
}

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
    let message = message
        .strip_prefix("Deserialize error: ")
        .unwrap_or(message);
    let (cause, place) = message.rsplit_once(" at byte ").unwrap_or((message, ""));
    let line = place.split(' ').skip_while(|word| *word != "line").nth(1);
    MatterError::Syntax {
        // One more for the fence.
        line: line.and_then(|line| line.parse().ok()).unwrap_or(1) + 1,
        cause: cause.to_owned(),
    }
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

/// Returns the properties that a note's `text` states; none when it has no front matter.
pub fn properties(text: &str) -> Result<Map<String, Value>, MatterError> {
    let parts = split(text);
    if parts.unclosed {
        return Err(MatterError::Unclosed);
    }
    parts
        .block
        .map_or_else(|| Ok(Map::new()), |block| parse(&text[block.yaml]))
}

/// Returns why the front matter of a note's `text` cannot be read, if it cannot.
#[must_use]
pub fn problem(text: &str) -> Option<MatterError> {
    properties(text).err()
}

/// Returns what the plain lines of an unparsable `yaml` seem to state, for search only.
///
/// Reads `key: text`, `key: [a, b]` and lists of `- text` lines; everything is text, the first
/// line of a key wins, nested values are skipped.
#[must_use]
pub fn salvage(yaml: &str) -> Map<String, Value> {
    let mut found = Map::new();
    let mut open: Option<String> = None;
    let mut read = 0;
    for line in yaml.lines() {
        read += line.len();
        if read > LARGEST {
            break;
        }
        let line = line.trim_end();
        let item = line.trim_start();
        if let (Some(key), Some(text)) = (&open, item.strip_prefix("- ")) {
            if let Some(Value::Array(items)) = found.get_mut(key) {
                items.push(Value::String(unquoted(text)));
            }
            continue;
        }
        if item.len() != line.len() || item.is_empty() || item.starts_with(['#', '-']) {
            continue;
        }
        open = None;
        let Some((key, text)) = line
            .split_once(": ")
            .or_else(|| Some((line.strip_suffix(':')?, "")))
        else {
            continue;
        };
        let (key, text) = (unquoted(key), text.trim());
        if key.is_empty() || key.contains('\0') || found.contains_key(&key) {
            continue;
        }
        let value = match text {
            "" => {
                open = Some(key.clone());
                Value::Array(Vec::new())
            }
            "|" | ">" | "|-" | ">-" => continue,
            _ => match text
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                Some(items) if !items.starts_with('[') => items
                    .split(',')
                    .map(|item| Value::String(unquoted(item)))
                    .collect(),
                _ => Value::String(unquoted(text)),
            },
        };
        found.insert(key, value);
    }
    found
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = ['"', '\''].into_iter().find_map(|quote| {
        text.strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
    });
    inner.unwrap_or(text).replace('\0', "")
}

/// Returns a property that is one piece of text: a string that is not blank, or a number.
#[must_use]
pub fn text_of(properties: &Map<String, Value>, key: &str) -> Option<String> {
    properties.get(key).and_then(as_text)
}

/// Returns the texts of a property that is a list of texts and numbers, or one of them.
#[must_use]
pub fn list_of(properties: &Map<String, Value>, key: &str) -> Vec<String> {
    match properties.get(key) {
        Some(Value::Array(items)) => items.iter().filter_map(as_text).collect(),
        Some(one) => as_text(one).into_iter().collect(),
        None => Vec::new(),
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
                "line 3: String(\"a\"): duplicated key",
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

    #[test]
    fn salvages_plain_lines() {
        for (yaml, expected) in [
            (
                "title: Foo: bar\ntags: [a, \"b\"]\n",
                json!({"title": "Foo: bar", "tags": ["a", "b"]}),
            ),
            ("a: \"x\"\nb: @y\n", json!({"a": "x", "b": "@y"})),
            (
                "aliases:\n- A\n- 'B'\nc: d\n",
                json!({"aliases": ["A", "B"], "c": "d"}),
            ),
            (
                "aliases:\r\n  - A\r\nc: d\r\n",
                json!({"aliases": ["A"], "c": "d"}),
            ),
            ("a: 1\na: 2\n", json!({"a": "1"})),
            ("m:\n  inner: 1\n", json!({"m": []})),
            ("text: |\n  a: b\nc: d\n", json!({"c": "d"})),
            ("# a: b\nno colon\n: x\nurl:x\n", json!({})),
            ("a: x\0y\n", json!({"a": "xy"})),
        ] {
            assert_eq!(salvage(yaml), map(expected), "{yaml:?}");
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
            let _ = salvage(&yaml);
        }
    }
}
