//! Tags: `#word` in a body, and the texts of the `tags` property.

/// Returns the tags that a property states in one text: `a, b`, `a b`, `#a #b`.
pub(super) fn in_text(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ',' || c.is_whitespace())
        .map(bare)
        .filter(|tag| !tag.is_empty())
}

/// Returns a tag without the `#` before and the `/` after it.
pub(super) fn bare(tag: &str) -> &str {
    tag.trim().trim_start_matches('#').trim_end_matches('/')
}

/// Returns the tag behind the `#` at byte `at` of `text`, and where it ends.
///
/// As Obsidian has it: a blank or nothing stands before the `#`, punctuation other than `_`, `-`
/// and `/` ends the tag, and one of digits alone is none. A colour like `#fff` in running text
/// is a tag.
pub(super) fn inline(text: &str, at: usize) -> Option<(&str, usize)> {
    if !text[..at]
        .chars()
        .next_back()
        .is_none_or(char::is_whitespace)
    {
        return None;
    }
    let rest = &text[at + 1..];
    let end = rest.find(ends).unwrap_or(rest.len());
    let tag = rest[..end].trim_end_matches('/');
    let named = tag.chars().any(|c| !c.is_ascii_digit() && c != '/');
    named.then_some((tag, at + 1 + end))
}

fn ends(c: char) -> bool {
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
            ("#tag", Some("tag")),
            ("x #tag.", Some("tag")),
            ("x\n#tag\n", Some("tag")),
            ("#nested/tag/ x", Some("nested/tag")),
            ("#a_b-c, d", Some("a_b-c")),
            ("#日本語 x", Some("日本語")),
            ("#été!", Some("été")),
            ("#👍", Some("👍")),
            ("#y2024", Some("y2024")),
            ("#2024", None),
            ("#1/2", None),
            ("# heading", None),
            ("x#tag", None),
            ("|#tag|", None),
            ("(#tag)", None),
            ("https://x/#a", None),
            ("#", None),
            ("#/", None),
        ] {
            let at = text.find('#').unwrap();
            assert_eq!(inline(text, at).map(|(tag, _)| tag), expected, "{text:?}");
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
