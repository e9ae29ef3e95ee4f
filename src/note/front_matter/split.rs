//! Splits a note into front matter and body.
//!
//! All readers and edits start here. The result is byte ranges into the unchanged text, so edits preserve every byte
//! outside their spans.

use std::fmt;
use std::ops::Range;

/// The parts of a note's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteParts {
    /// The front matter, if any.
    pub block: Option<FrontMatterBlock>,
    /// The text after the block, or, without a block, after a byte order mark.
    pub body: Range<usize>,
    /// The line ending of the first line, or `\n` without one.
    pub ending: &'static str,
    /// Whether a block is opened on the first line and never closed; `block` is then `None`.
    pub unclosed: bool,
}

/// A front matter block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatterBlock {
    /// Span of both fences and the lines between, or of a JSON object, including the last line ending.
    pub whole: Range<usize>,
    /// Span of the lines between the fences, including line endings, or of the JSON object.
    pub inner: Range<usize>,
    /// The language of the block.
    pub language: FrontMatterLanguage,
}

/// A language of front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontMatterLanguage {
    /// Between `---` fences, or after `---yaml`.
    Yaml,
    /// Between `+++` fences, as in Hugo and Zola, or after `---toml`.
    Toml,
    /// An object at the start of the note, as in Hugo, or after `---json`.
    Json,
    /// After `---js` or the name of another programming language; never run.
    Code,
}

impl fmt::Display for FrontMatterLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
            Self::Json => "JSON",
            Self::Code => "code",
        })
    }
}

/// Splits `text` into front matter and body.
///
/// A block opens with `---` on the first line, optionally after a byte order mark, and closes with `---` or `...` on
/// a line of its own; whitespace may follow a fence. The first fence may name a language. TOML uses `+++` for both
/// fences. A JSON object at the start is a block if no text follows on its last line, and then comes a blank line or
/// the end of the text.
pub fn split(text: &str) -> NoteParts {
    let start = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let ending = match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    };
    let opening = line_end(text, start);
    let parts = |block: Option<FrontMatterBlock>, unclosed| NoteParts {
        body: block.as_ref().map_or(start, |block| block.whole.end)..text.len(),
        block,
        ending,
        unclosed,
    };
    let (language, fence) = match text.as_bytes().get(start) {
        Some(b'{') => return parts(json(text, start), false),
        Some(b'-' | b'+') => match opening_fence(text[start..opening].trim_end()) {
            Some(opened) => opened,
            None => return parts(None, false),
        },
        _ => return parts(None, false),
    };
    let mut at = opening;
    while at < text.len() {
        let end = line_end(text, at);
        if matches!(text.as_bytes()[at], b'-' | b'.' | b'+') {
            let line = text[at..end].trim_end();
            if line == fence || (line == "..." && language == FrontMatterLanguage::Yaml) {
                let block = FrontMatterBlock {
                    whole: start..end,
                    inner: opening..at,
                    language,
                };
                return parts(Some(block), false);
            }
        }
        at = end;
    }
    // A line like `--- js` without a block is text.
    parts(None, language != FrontMatterLanguage::Code)
}

/// Returns the language of the block that a first line opens, and its closing fence.
fn opening_fence(line: &str) -> Option<(FrontMatterLanguage, &'static str)> {
    if line == "+++" {
        return Some((FrontMatterLanguage::Toml, "+++"));
    }
    let name = line.strip_prefix("---")?.trim_start();
    let language = match name {
        "" | "yaml" | "yml" => FrontMatterLanguage::Yaml,
        "toml" => FrontMatterLanguage::Toml,
        "json" => FrontMatterLanguage::Json,
        "js" | "javascript" | "coffee" | "coffeescript" | "cson" => FrontMatterLanguage::Code,
        _ => return None,
    };
    Some((language, "---"))
}

/// Returns the block of a JSON object that starts at `start`.
///
/// A key or the closing brace must follow the opening brace: `{{ x }}` and `{% x %}` are templates.
fn json(text: &str, start: usize) -> Option<FrontMatterBlock> {
    let rest = &text[start..];
    if !rest[1..].trim_start().starts_with(['"', '}']) {
        return None;
    }
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let end = rest.bytes().take(MAX_JSON_BYTES).position(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let inner = start..start + end + 1;
    let whole = start..line_end(text, inner.end);
    let next = &text[whole.end..line_end(text, whole.end)];
    let alone = text[inner.end..whole.end].trim().is_empty() && next.trim().is_empty();
    alone.then_some(FrontMatterBlock {
        whole,
        inner,
        language: FrontMatterLanguage::Json,
    })
}

/// Maximum bytes searched for the end of a JSON object.
const MAX_JSON_BYTES: usize = 64 * 1024;

/// Returns the start of the line that contains `at`.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |before| before + 1)
}

/// Returns the end of the line that contains `at`, including its line ending.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
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
        // The text, then the content between the fences and the body; `None` for no block.
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
            ("---yaml\na: 1\n---\n", Some(("a: 1\n", ""))),
            ("--- json  \n{}\n---\nx", Some(("{}\n", "x"))),
            ("---js\n{}\n---\nx", Some(("{}\n", "x"))),
            ("--- js\n{}\n", None),
            ("--- a title\na: 1\n---\n", None),
            (
                "+++\na = 1\n---\n...\n+++\nx",
                Some(("a = 1\n---\n...\n", "x")),
            ),
            ("+++ toml\na = 1\n+++\n", None),
            (
                "{\"a\": \"}\\\"{\"}\n\nx",
                Some(("{\"a\": \"}\\\"{\"}", "\nx")),
            ),
            ("{\n  \"a\": {}\n}  ", Some(("{\n  \"a\": {}\n}", ""))),
            ("\u{feff}{}\r\n\r\nx", Some(("{}", "\r\nx"))),
            ("{\"a\": 1} is JSON\n", None),
            ("{\"a\": 1}\nis JSON\n", None),
            ("{\"a\": 1", None),
            ("{{ template }}\n\n", None),
            ("{% raw %}\n\n", None),
        ] {
            let parts = split(text);
            let found = parts
                .block
                .map(|block| (&text[block.inner], &text[parts.body]));
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn distinguishes_unclosed_from_missing_blocks() {
        for (text, unclosed) in [
            ("---\na: 1\n", true),
            ("---", true),
            ("+++\na = 1\n---\n", true),
            ("a\n---\n", false),
        ] {
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
    fn detects_the_line_ending() {
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
        // Built from pieces of fences, so that most cases contain some.
        #[test]
        fn parts_cover_the_text(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "---", "...", "+++", "\n", "\r\n", "\u{feff}", " ", "a: é", "-", "json", "{", "}",
                    "\"", "\\",
                ]),
                0..16,
            ),
        ) {
            let text = pieces.concat();
            let parts = split(&text);
            let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
            prop_assert_eq!(parts.body.end, text.len());
            if let Some(FrontMatterBlock { whole, inner, .. }) = parts.block {
                prop_assert_eq!(whole.start, start);
                prop_assert_eq!(whole.end, parts.body.start);
                if text[start..].starts_with('{') {
                    prop_assert!(inner.start == start);
                    prop_assert_eq!(text[inner].chars().next_back(), Some('}'));
                } else {
                    prop_assert!(whole.start < inner.start && inner.end < whole.end);
                    prop_assert!(inner.is_empty() || text[inner].ends_with('\n'));
                }
            } else {
                prop_assert_eq!(parts.body.start, start);
            }
        }
    }
}
