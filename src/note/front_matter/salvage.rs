//! Best-effort reading of unparsable front matter.
//!
//! [`read`](crate::note::read) uses it to keep a note findable by title and tags despite a syntax error. Edits never
//! rely on it.

use serde_json::{Map, Value};

use super::matter_error::MAX_FRONT_MATTER_BYTES;
use super::split::FrontMatterLanguage;

/// Returns the properties found in the plain lines of the unparsable `inner` part of a block.
pub fn salvage_as(inner: &str, language: FrontMatterLanguage) -> Map<String, Value> {
    let limit = inner.len().min(MAX_FRONT_MATTER_BYTES);
    let end = (0..=limit).rfind(|at| inner.is_char_boundary(*at));
    let lines = inner[..end.unwrap_or(0)].lines();
    match language {
        FrontMatterLanguage::Yaml | FrontMatterLanguage::Code => salvage(inner),
        FrontMatterLanguage::Toml => {
            let lines = lines.map(|line| line.replacen(" = ", ": ", 1) + "\n");
            salvage(&lines.collect::<String>())
        }
        FrontMatterLanguage::Json => {
            let lines = lines.map(|line| line.trim().trim_end_matches(',').to_owned() + "\n");
            salvage(&lines.collect::<String>())
        }
    }
}

/// Returns the properties found in the plain lines of an unparsable `yaml`; for search only.
///
/// Reads `key: text`, `key: [a, b]` and lists of `- text` lines. All values are text, the first line of a key wins,
/// nested values are skipped.
pub fn salvage(yaml: &str) -> Map<String, Value> {
    let mut found = Map::new();
    let mut open: Option<String> = None;
    let mut read = 0;
    for line in yaml.lines() {
        read += line.len();
        if read > MAX_FRONT_MATTER_BYTES {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
            assert_eq!(salvage(yaml), *expected.as_object().unwrap(), "{yaml:?}");
        }
    }

    #[test]
    fn salvages_other_languages() {
        for (inner, language, expected) in [
            (
                "title = 'T'\ntags = [\"a\"]\nb = @\n[x]\n",
                FrontMatterLanguage::Toml,
                json!({"title": "T", "tags": ["a"], "b": "@"}),
            ),
            (
                "{\n  \"title\": \"T\",\n  \"tags\": [\"a\"],\n  oops\n}\n",
                FrontMatterLanguage::Json,
                json!({"title": "T", "tags": ["a"]}),
            ),
        ] {
            assert_eq!(
                salvage_as(inner, language),
                *expected.as_object().unwrap(),
                "{inner:?}"
            );
        }
    }
}
