//! Estimates token counts of a text, and finds places to cut it.
//!
//! The embedding's tokenizer is not available here. A word counts as one token, a long word as a few.
//! A punctuation mark, or a letter of a script without spaces, counts as one.

use std::ops::Range;

/// Maximum tokens per word; tokenizers do not split longer words either.
const MAX_WORD_TOKENS: usize = 8;

/// A run of text that is never cut.
struct Run {
    range: Range<usize>,
    size: usize,
    /// Quality of a cut after this run.
    cut_after: CutQuality,
}

/// Quality of a cut, worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CutQuality {
    Never,
    AtMark,
    AtBlank,
    AtSentence,
}

/// Returns the approximate size of `text` in tokens of an English word piece tokenizer.
pub(super) fn size(text: &str) -> usize {
    Runs { text, at: 0 }.map(|run| run.size).sum()
}

/// Returns the start of `text` up to `max_tokens` tokens, without partial words.
pub(super) fn clipped(text: &str, max_tokens: usize) -> &str {
    // No text has more tokens than bytes.
    if text.len() <= max_tokens {
        return text;
    }
    let mut total = 0;
    for run in (Runs { text, at: 0 }) {
        total += run.size;
        if total > max_tokens {
            return text[..run.range.start].trim_end();
        }
    }
    text
}

/// Splits `text` into adjacent pieces of at most `max_tokens` tokens, with their sizes.
///
/// A piece ends at the end of a sentence, or else between two words. All but the last have at least a third of
/// `max_tokens`.
pub(super) fn pieces(text: &str, max_tokens: usize) -> Vec<(Range<usize>, usize)> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut total = 0;
    // Best cut so far: quality, offset, and tokens before it.
    let mut best: Option<(CutQuality, usize, usize)> = None;
    for run in (Runs { text, at: 0 }) {
        while total + run.size > max_tokens && total > 0 {
            let (_, at, before) =
                best.take()
                    .unwrap_or((CutQuality::Never, run.range.start, total));
            pieces.push((start..at, before));
            start = at;
            total -= before;
        }
        total += run.size;
        let is_better = best.is_none_or(|(cut, ..)| run.cut_after >= cut);
        if run.cut_after != CutQuality::Never && total >= max_tokens / 3 && is_better {
            best = Some((run.cut_after, run.range.end, total));
        }
    }
    if start < text.len() {
        pieces.push((start..text.len(), total));
    }
    pieces
}

/// Iterator over the runs of a text; they cover all of it.
struct Runs<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let start = self.at;
        let rest = &self.text[start..];
        let first = rest.chars().next()?;
        let (length, size, cut_after) = if first.is_whitespace() {
            let length = rest
                .find(|c: char| !c.is_whitespace())
                .unwrap_or(rest.len());
            let is_end = self.text[..start].ends_with(['.', '!', '?', '…', ':', ';'])
                || rest[..length].contains('\n');
            let cut_after = if is_end {
                CutQuality::AtSentence
            } else {
                CutQuality::AtBlank
            };
            (length, 0, cut_after)
        } else if is_ideograph(first) {
            (first.len_utf8(), 1, CutQuality::AtMark)
        } else if first.is_alphanumeric() {
            let (length, size) = word(rest);
            (length, size, CutQuality::Never)
        } else {
            let link = rest
                .strip_prefix("[[")
                .and_then(|inner| bracketed_content(inner));
            match link {
                Some(inner) => (inner.len() + 4, 4 + self::size(inner), CutQuality::Never),
                None => (
                    first.len_utf8(),
                    1,
                    match first {
                        '。' | '！' | '？' | '．' => CutQuality::AtSentence,
                        _ => CutQuality::AtMark,
                    },
                ),
            }
        };
        self.at += length;
        Some(Run {
            range: start..start + length,
            size,
            cut_after,
        })
    }
}

/// Returns the content of a short `[[` link, given the text after its brackets.
fn bracketed_content(inner: &str) -> Option<&str> {
    let end = inner.bytes().take(200).position(|byte| byte == b']')?;
    if inner.as_bytes().get(end + 1) != Some(&b']') {
        return None;
    }
    let inner = &inner[..end];
    // Nested brackets are handled separately.
    (!inner.contains(['[', '\n']) && inner.len() < 120).then_some(inner)
}

/// Returns the length in bytes and the size in tokens of the word at the start of `text`.
fn word(text: &str) -> (usize, usize) {
    let ascii = text
        .bytes()
        .position(|byte| !byte.is_ascii_alphanumeric())
        .unwrap_or(text.len());
    if text.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
        return (ascii, (1 + (ascii - 1) / 10).min(MAX_WORD_TOKENS));
    }
    let mut others = 0;
    let length = text
        .char_indices()
        .find(|&(_, c)| {
            others += usize::from(!c.is_ascii());
            !c.is_alphanumeric() || is_ideograph(c)
        })
        .map_or(text.len(), |(at, _)| at);
    let size = 1 + (length - 1) / 10 + others / 3;
    (length, size.min(MAX_WORD_TOKENS))
}

/// Returns whether `c` belongs to a script without spaces, where any letter boundary permits a cut.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x0E01..=0x0E4E | 0x3005..=0x3007 | 0x3041..=0x3096 | 0x30A1..=0x30FA
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF
        | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_words_and_marks() {
        for (text, expected) in [
            ("", 0),
            ("Tea, again.", 4),
            ("internationalisation", 2),
            ("日本語", 3),
            ("Привет мир", 6),
            ("a_b", 3),
            (&"x".repeat(10_000), MAX_WORD_TOKENS),
        ] {
            assert_eq!(size(text), expected, "{text}");
        }
    }

    #[test]
    fn clips_between_words() {
        for (text, max_tokens, expected) in [
            ("one two three four", 3, "one two three"),
            ("one two three", 9, "one two three"),
            ("one [[two three]] four", 6, "one"),
            ("日本語", 2, "日本"),
        ] {
            assert_eq!(clipped(text, max_tokens), expected, "{text}");
        }
    }

    #[test]
    fn cuts_at_sentences() {
        for (text, max_tokens, expected) in [
            ("a b. c d e. f", 6, &["a b. ", "c d e. f"][..]),
            ("a b c d e", 3, &["a b c ", "d e"]),
            ("a.b.c.d", 4, &["a.b.", "c.d"]),
            ("見る。日本語を", 5, &["見る。", "日本語を"]),
            ("", 5, &[]),
        ] {
            let found = pieces(text, max_tokens)
                .into_iter()
                .map(|(range, _)| &text[range]);
            assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn pieces_cover_the_text(text in "([a-z]{1,12}|[ .\n]|\\[\\[|\\]\\]|[日é、]){0,300}", max_tokens in 160_usize..200) {
            let pieces = pieces(&text, max_tokens);
            let joined: String = pieces.iter().map(|(range, _)| &text[range.clone()]).collect();
            prop_assert_eq!(&joined, &text);
            for (range, counted) in &pieces {
                prop_assert!(*counted <= max_tokens);
                prop_assert_eq!(size(&text[range.clone()]), *counted);
                let (before, after) = (&text[..range.start], &text[range.start..]);
                prop_assert!(!(before.ends_with(|c: char| c.is_ascii_alphanumeric())
                    && after.starts_with(|c: char| c.is_ascii_alphanumeric())));
            }
        }
    }
}
