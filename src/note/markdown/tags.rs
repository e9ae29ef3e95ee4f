//! Tags: `#word` in a body, and the values of the `tags` property.

use serde_json::{Map, Value};

use crate::note::front_matter::key::KeyPath;
use crate::note::front_matter::matter::list_of;
use crate::note::front_matter::property_names::{spelled, standard_name};
use crate::note::words::letters::folded;

/// The property that holds tags.
pub(crate) const PROPERTY: &str = "tags";

/// Maximum bytes before a `#` that are searched for an enclosing address.
const MAX_ADDRESS: usize = 512;

/// Returns the tags of the property without `#`, with duplicates.
pub(crate) fn of_property(properties: &Map<String, Value>) -> Vec<String> {
    let mut tags = Vec::new();
    for (key, value) in spelled(properties, PROPERTY) {
        match value {
            Value::String(text) => tags.extend(in_text(text).map(str::to_owned)),
            _ => tags.extend(
                list_of(properties, key)
                    .iter()
                    .map(|tag| bare(tag).to_owned()),
            ),
        }
    }
    tags
}

/// Splits the text value of a tags property: `a, b`, `a b`, `#a #b`.
pub(crate) fn in_text(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ',' || c.is_whitespace())
        .map(bare)
        .filter(|tag| !tag.is_empty())
}

/// Returns a tag without leading `#` and trailing `/`.
pub(crate) fn bare(tag: &str) -> &str {
    tag.trim().trim_start_matches('#').trim_end_matches('/')
}

/// Returns true if two tags are equal, ignoring case, Unicode composition and `#`.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    folded(bare(a)) == folded(bare(b))
}

/// Returns true for the property that holds tags.
pub(crate) fn is_property(key: &KeyPath) -> bool {
    matches!(key.keys(), [key] if standard_name(key) == PROPERTY)
}

/// Returns true if `item` and `value` are equal in the list at `key`; tags match in any spelling.
pub(crate) fn is_same_value(key: &KeyPath, item: &Value, value: &Value) -> bool {
    let tags = item.as_str().zip(value.as_str());
    item == value || tags.is_some_and(|(a, b)| is_property(key) && is_same(a, b))
}

/// Returns the end of the tag whose `#` is at byte `at`. The caller ensures that the `#` begins a token.
///
/// As in Obsidian, punctuation other than `_`, `-` and `/` ends a tag, and a tag needs a non-digit. A colour like
/// `#fff` in running text is a tag.
pub fn inline(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at + 1..];
    let end = rest.find(ends_tag).unwrap_or(rest.len());
    let mut tag = rest[..end].trim_end_matches('/');
    if text[..at].ends_with('_') {
        tag = tag.trim_end_matches('_');
    }
    let named = tag.chars().any(|c| !c.is_ascii_digit() && c != '/');
    named.then_some(at + 1 + tag.len())
}

/// Returns whether a token can begin at byte `at`: after whitespace, an escape (`\[#a`), or a sign that may open
/// emphasis (`_#a_`, `x_#a`).
///
/// Obsidian accepts `#a` after `_` and `\[`, but not after `(` or `"`.
pub(crate) fn can_begin(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let Some(last) = before.chars().next_back() else {
        return true;
    };
    let is_address = || {
        let mut from = before.len().saturating_sub(MAX_ADDRESS);
        while !before.is_char_boundary(from) {
            from += 1;
        }
        let near = &before[from..];
        let scheme = near.rfind("://");
        scheme.is_some_and(|at| !near[at..].contains(char::is_whitespace))
    };
    match last {
        // An address is one token.
        '_' | '*' => !is_address(),
        last if last.is_ascii_punctuation() => {
            let escapes = before[..at - 1]
                .bytes()
                .rev()
                .take_while(|byte| *byte == b'\\');
            escapes.count() % 2 == 1
        }
        last => last.is_whitespace(),
    }
}

/// Returns true for a character that cannot be part of a tag.
pub(crate) fn ends_tag(c: char) -> bool {
    c.is_whitespace()
        || c.is_ascii_punctuation() && !matches!(c, '_' | '-' | '/')
        || matches!(c, '\u{2000}'..='\u{200c}' | '\u{200e}'..='\u{206f}' | '\u{2e00}'..='\u{2e7f}' | '、' | '。')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_tags() {
        for (text, expected) in [
            ("#tag", Some("#tag")),
            ("x #tag.", Some("#tag")),
            ("x\n#tag\n", Some("#tag")),
            ("x\u{a0}#tag", Some("#tag")),
            ("#nested/tag/ x", Some("#nested/tag")),
            ("#a_b-c, d", Some("#a_b-c")),
            ("#日本語 x", Some("#日本語")),
            ("#été!", Some("#été")),
            ("#👍", Some("#👍")),
            ("#y2024", Some("#y2024")),
            ("_#tag_ x", Some("#tag")),
            ("snake_case_#tag", Some("#tag")),
            ("**#tag**", Some("#tag")),
            ("\\[#tag", Some("#tag")),
            ("\\\\[#tag", None),
            ("#2024", None),
            ("#1/2", None),
            ("# heading", None),
            ("x#tag", None),
            ("|#tag|", None),
            ("(#tag)", None),
            ("\"#tag\"", None),
            ("https://x/#a", None),
            ("https://x/a_#b", None),
            ("#", None),
            ("#/", None),
        ] {
            let at = text.find('#').unwrap();
            let end = inline(text, at).filter(|_| can_begin(text, at));
            assert_eq!(end.map(|end| &text[at..end]), expected, "{text:?}");
        }
    }

    #[test]
    fn tags_in_one_text() {
        for (text, expected) in [
            ("a, b", &["a", "b"][..]),
            ("a b", &["a", "b"]),
            ("#a #b/c", &["a", "b/c"]),
            (" ,", &[]),
        ] {
            assert_eq!(in_text(text).collect::<Vec<_>>(), expected, "{text:?}");
        }
    }
}
