//! Where a note's front matter ends and its body begins.
//!
//! Every reader and every edit starts here. Nothing is copied or normalised: the answer is byte
//! ranges into the text as it stands, so whoever writes can put back every byte it did not mean
//! to change.

use std::ops::Range;

/// The parts of a note's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The front matter, when the note has one.
    pub block: Option<Block>,
    /// Everything after the block; after a byte order mark when there is no block.
    pub body: Range<usize>,
    /// The line ending of the first line, `\n` when there is none.
    pub ending: &'static str,
    /// The first line opens a block that no line closes; `block` is then `None`.
    pub unclosed: bool,
}

/// A front matter block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Both fences and what is between, with the line ending of the closing fence.
    pub whole: Range<usize>,
    /// The lines between the fences: empty, or ending in a line ending.
    pub yaml: Range<usize>,
}

/// Splits `text` into front matter and body.
///
/// The block opens with `---` on the very first line (a byte order mark may stand before it) and
/// closes with `---` or `...` on a line of its own; blanks after a fence are allowed.
#[must_use]
pub fn split(text: &str) -> Split {
    let start = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let ending = match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    };
    let without = |unclosed| Split {
        block: None,
        body: start..text.len(),
        ending,
        unclosed,
    };
    if !text[start..].starts_with("---") {
        return without(false);
    }
    let opening = line_end(text, start);
    if text[start..opening].trim_end() != "---" {
        return without(false);
    }
    let mut at = opening;
    while at < text.len() {
        let end = line_end(text, at);
        if matches!(text.as_bytes()[at], b'-' | b'.')
            && matches!(text[at..end].trim_end(), "---" | "...")
        {
            return Split {
                block: Some(Block {
                    whole: start..end,
                    yaml: opening..at,
                }),
                body: end..text.len(),
                ending,
                unclosed: false,
            };
        }
        at = end;
    }
    without(true)
}

/// Returns where the line that holds `at` ends, its line ending included.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |found| at + found + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_the_block() {
        // The text, then what stands between the fences and the body; `None` for no block.
        for (text, expected) in [
            ("", None),
            ("---", None),
            ("body", None),
            ("---\n---\n", Some(("", ""))),
            ("---\n---", Some(("", ""))),
            ("---\n# only\n---\nx", Some(("# only\n", "x"))),
            ("---\na: 1\n---\nbody", Some(("a: 1\n", "body"))),
            ("---\na: 1\n...\nbody", Some(("a: 1\n", "body"))),
            ("---  \na: 1\n---\t\nbody", Some(("a: 1\n", "body"))),
            (
                "\u{feff}---\r\na: 1\r\n---\r\nb\r\n",
                Some(("a: 1\r\n", "b\r\n")),
            ),
            ("---\na: |\n  ---\n---\n", Some(("a: |\n  ---\n", ""))),
            ("---\na: 1\n----\n---\nx", Some(("a: 1\n----\n", "x"))),
            ("---\na: 1\n---", Some(("a: 1\n", ""))),
            ("\n---\na: 1\n---\n", None),
            (" ---\na: 1\n---\n", None),
            ("----\na: 1\n---\n", None),
            ("---yaml\na: 1\n---\n", None),
            ("+++\na = 1\n+++\n", None),
        ] {
            let parts = split(text);
            let found = parts
                .block
                .map(|block| (&text[block.yaml], &text[parts.body]));
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn tells_an_unclosed_block_from_none() {
        for (text, unclosed) in [("---\na: 1\n", true), ("---", true), ("a\n---\n", false)] {
            let parts = split(text);
            assert_eq!(
                (parts.unclosed, parts.body),
                (unclosed, 0..text.len()),
                "{text:?}"
            );
        }
        assert_eq!(split("\u{feff}---\na").body, 3..8);
    }

    #[test]
    fn knows_the_line_ending() {
        for (text, ending) in [
            ("a\r\nb\n", "\r\n"),
            ("a\nb\r\n", "\n"),
            ("a", "\n"),
            ("\n", "\n"),
        ] {
            assert_eq!(split(text).ending, ending, "{text:?}");
        }
    }

    proptest! {
        // Built from the pieces that decide, so that most cases have fences somewhere.
        #[test]
        fn parts_cover_the_text(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["---", "...", "\n", "\r\n", "\u{feff}", " ", "a: é", "-"]),
                0..16,
            ),
        ) {
            let text = pieces.concat();
            let parts = split(&text);
            let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
            prop_assert_eq!(parts.body.end, text.len());
            if let Some(Block { whole, yaml }) = parts.block {
                prop_assert_eq!(whole.start, start);
                prop_assert_eq!(whole.end, parts.body.start);
                prop_assert!(whole.start < yaml.start && yaml.end < whole.end);
                prop_assert!(yaml.is_empty() || text[yaml].ends_with('\n'));
            } else {
                prop_assert_eq!(parts.body.start, start);
            }
        }
    }
}
