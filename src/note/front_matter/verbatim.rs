//! Source text of properties.
//!
//! A copied property keeps what its value loses: the spelling of numbers, quotes and comments.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::{Map, Value};
use yaml_edit::{SyntaxKind, lex};

use super::split::{FrontMatterLanguage, line_start, split};
use super::{matter, spelling};

/// A property of YAML front matter.
#[derive(Debug, PartialEq, Eq)]
pub struct PropertySource<'y> {
    pub key: String,
    /// Its lines, including comments and blank lines above it.
    pub lines: &'y str,
}

/// Splits `yaml` into properties, and the lines after the last one.
pub fn properties(yaml: &str) -> (Vec<PropertySource<'_>>, &str) {
    let mut starts = Vec::new();
    let (mut at, mut above) = (0, 0);
    for line in yaml.split_inclusive('\n') {
        let is_comment = line.trim().is_empty() || line.starts_with('#');
        let is_inside = line.starts_with([' ', '\t', '-', ']', '}']);
        if !is_comment && !is_inside {
            starts.push(above);
        }
        at += line.len();
        // Comments and blank lines belong to the next property.
        if !is_comment {
            above = at;
        }
    }
    let ends = starts.iter().skip(1).copied().chain([above]);
    let lines = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &yaml[*start..end]);
    let written = lines.map(|lines| PropertySource {
        key: key(lines),
        lines,
    });
    (written.collect(), &yaml[above..])
}

fn key(lines: &str) -> String {
    let parsed = matter::parse(lines).unwrap_or_default();
    let alone = parsed.into_iter().next().map(|(key, _)| key);
    // An alias to an anchor in another property does not parse alone.
    alone.unwrap_or_else(|| {
        let first_line = lines
            .lines()
            .find(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let key = first_line
            .and_then(|line| line.split_once(':'))
            .map_or("", |(key, _)| key);
        key.trim().trim_matches(['"', '\'']).to_owned()
    })
}

impl PropertySource<'_> {
    /// Returns true if the source depends on its surroundings or its own note: by an anchor, an alias, a merge key or
    /// a tag.
    pub fn is_tied(&self) -> bool {
        let tokens = lex(self.lines);
        let context_kinds = [
            SyntaxKind::ANCHOR,
            SyntaxKind::REFERENCE,
            SyntaxKind::TAG,
            SyntaxKind::MERGE_KEY,
        ];
        tokens.iter().any(|(kind, _)| context_kinds.contains(kind))
    }
}

/// Returns the spellings of number-like texts per property; the flag is true for a quoted one. `007` and `"007"` are
/// the same value here, but not for every reader.
pub fn spellings(yaml: &str) -> BTreeMap<String, BTreeSet<(String, bool)>> {
    let mut all = BTreeMap::new();
    for property in properties(yaml).0 {
        let mut found = BTreeSet::new();
        for span in spelling::number_candidates(property.lines) {
            found.insert((property.lines[span].to_owned(), false));
        }
        for (_, token) in lex(property.lines) {
            let bare = token.trim_matches(['"', '\'']);
            if bare.len() + 2 == token.len() && spelling::loses_spelling(bare) {
                found.insert((bare.to_owned(), true));
            }
        }
        if !found.is_empty() {
            all.insert(property.key, found);
        }
    }
    all
}

/// Adds quotes to number-like values of `properties` that are quoted in `text`, the source note, so that `007` and
/// `"007"` differ.
pub fn mark_quoted_numbers(properties: &mut Map<String, Value>, text: &str) {
    let block = split(text)
        .block
        .filter(|block| block.language == FrontMatterLanguage::Yaml);
    let yaml = block.map_or("", |block| &text[block.inner]);
    if !yaml.contains(['"', '\'']) {
        return;
    }
    for (key, texts) in spellings(yaml) {
        if let Some(value) = properties.get_mut(&key) {
            put_in_quotes(value, &texts);
        }
    }
}

fn put_in_quotes(value: &mut Value, texts: &BTreeSet<(String, bool)>) {
    match value {
        Value::String(text) if texts.contains(&(text.clone(), true)) => {
            *text = format!("\"{text}\"");
        }
        Value::Array(items) => items.iter_mut().for_each(|item| put_in_quotes(item, texts)),
        Value::Object(entries) => {
            entries
                .values_mut()
                .for_each(|entry| put_in_quotes(entry, texts));
        }
        _ => {}
    }
}

/// Returns the comments in lines of front matter, each with the text it refers to.
pub fn comments(lines: &str, language: FrontMatterLanguage) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for at in comment_starts(lines, language) {
        let start = line_start(lines, at);
        let about = lines[start..at].trim();
        let comment = lines[at..].lines().next().unwrap_or_default().trim();
        let line = if about.is_empty() {
            comment.to_owned()
        } else {
            format!("# {about} {comment}")
        };
        found.push((comment.to_owned(), line));
    }
    found
}

fn comment_starts(lines: &str, language: FrontMatterLanguage) -> Vec<usize> {
    let mut at = 0;
    match language {
        FrontMatterLanguage::Yaml => lex(lines)
            .into_iter()
            .filter_map(|(kind, token)| {
                at += token.len();
                (kind == SyntaxKind::COMMENT).then_some(at - token.len())
            })
            .collect(),
        FrontMatterLanguage::Toml => {
            let is_comment = |part: &Range<usize>| lines[part.clone()].starts_with('#');
            let comments = toml_parts(lines).into_iter().filter(is_comment);
            comments.map(|part| part.start).collect()
        }
        FrontMatterLanguage::Json | FrontMatterLanguage::Code => Vec::new(),
    }
}

/// Returns the spans of comments and quoted strings in `toml`, and of what is between them.
pub(crate) fn toml_parts(toml: &str) -> Vec<Range<usize>> {
    let (mut parts, mut at) = (Vec::new(), 0);
    while let Some(found) = toml[at..].find(['#', '"', '\'']) {
        let start = at + found;
        let rest = &toml[start..];
        let end = if rest.starts_with('#') {
            start + rest.find('\n').unwrap_or(rest.len())
        } else {
            start + toml_text(rest)
        };
        parts.extend([at..start, start..end]);
        at = end;
    }
    parts.push(at..toml.len());
    parts
}

/// Returns the length of the quoted string at the start of `toml`.
fn toml_text(toml: &str) -> usize {
    let quote = &toml[..1];
    let long = quote.repeat(3);
    let mark = if toml.starts_with(&long) {
        &long
    } else {
        quote
    };
    let mut at = mark.len();
    while at < toml.len() && !toml[at..].starts_with(mark) {
        let is_escape = quote == "\"" && toml[at..].starts_with('\\');
        let mut letters = toml[at..].chars();
        let length = letters.next().map_or(1, char::len_utf8);
        at += length
            + letters
                .next()
                .filter(|_| is_escape)
                .map_or(0, char::len_utf8);
    }
    (at + mark.len()).min(toml.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_keep_their_lines() {
        let yaml = "# top\na: 0x1F # why\n\n# list\nb:\n- x\n\n  # in it\n- y\n'c d': |\n  # no comment\n\n  z\n# last\n";
        let (found, rest) = properties(yaml);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|one| (one.key.as_str(), one.lines))
            .collect();
        assert_eq!(
            found,
            [
                ("a", "# top\na: 0x1F # why\n"),
                ("b", "\n# list\nb:\n- x\n\n  # in it\n- y\n"),
                ("c d", "'c d': |\n  # no comment\n\n  z\n"),
            ]
        );
        assert_eq!(rest, "# last\n");
        assert_eq!(properties("# only\n"), (Vec::new(), "# only\n"));
    }

    #[test]
    fn properties_can_depend_on_context() {
        for (lines, expected) in [
            ("a: x & y * z ! b << c\n", false),
            ("a: '&b *c !d'\n", false),
            ("a: &b x\n", true),
            ("a: *b\n", true),
            ("<<: *b\n", true),
            ("a: !d x\n", true),
            ("a:\n  <<: {b: 1}\n", true),
        ] {
            let (found, _) = properties(lines);
            assert_eq!(found[0].is_tied(), expected, "{lines:?}");
        }
    }

    #[test]
    fn comments_have_a_subject() {
        for (language, text, expected) in [
            (
                FrontMatterLanguage::Yaml,
                "# top\na: 'x # y' # why\nb: c#d\nd: |\n  # no comment\n  e # f\ng: >-\n  # h\n",
                &["# top", "# a: 'x # y' # why"][..],
            ),
            (
                FrontMatterLanguage::Toml,
                "# top\na = 'x # y' # why\nb = \"c\\\" # d\"\ne = \"\"\"\n# f\n\"\"\" # last\n",
                &["# top", "# a = 'x # y' # why", "# \"\"\" # last"],
            ),
            (FrontMatterLanguage::Json, "{\"a\": \"# b\"}", &[]),
        ] {
            let found = comments(text, language);
            let lines: Vec<&str> = found.iter().map(|(_, line)| line.as_str()).collect();
            assert_eq!(lines, expected, "{language:?}");
        }
    }

    #[test]
    fn quoted_numbers_have_another_spelling() {
        let found: Vec<String> =
            spellings("a: 007\nb: [\"007\", 1e3, '1.10']\nc: 7\nd: x\ne: \"x\"\n")
                .iter()
                .map(|(key, texts)| format!("{key} {texts:?}"))
                .collect();
        assert_eq!(
            found,
            [
                "a {(\"007\", false)}",
                "b {(\"007\", true), (\"1.10\", true), (\"1e3\", false)}",
            ]
        );
        let text = "---\na: 007\nb: [\"007\", {c: '1.10'}]\nd: \"x\"\n---\n";
        let mut properties = matter::properties(text).unwrap();
        mark_quoted_numbers(&mut properties, text);
        let expected =
            serde_json::json!({"a": "007", "b": ["\"007\"", {"c": "\"1.10\""}], "d": "x"});
        assert_eq!(Value::Object(properties), expected);
    }
}
