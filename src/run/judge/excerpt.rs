//! Excerpts of notes that are too long for one question.
//!
//! A line in brackets replaces each omission and gives its size in bytes. Only text that the
//! question does not
//! depend on is omitted. If that is not enough, the question is left to a person.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;

/// The part of a note that is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PromptExcerpt {
    pub text: String,
    /// Number of omitted bytes.
    pub left_out: usize,
}

impl PromptExcerpt {
    pub(super) fn whole(text: String) -> Self {
        Self { text, left_out: 0 }
    }
}

/// Returns `texts` without blocks that an earlier text contains word for word, for questions about
/// duplicates.
pub(super) fn without_repeats(texts: &[String]) -> Vec<PromptExcerpt> {
    let mut known: HashSet<&str> = HashSet::new();
    let mut excerpts = Vec::new();
    for text in texts {
        let blocks = blocks(text);
        let is_new = |block: &Range<usize>| !known.contains(text[block.clone()].trim());
        let kept: Vec<bool> = blocks.iter().map(is_new).collect();
        excerpts.push(with_omissions(text, &blocks, &kept, "as in a note before"));
        known.extend(blocks.into_iter().map(|block| text[block].trim()));
    }
    excerpts
}

/// Returns the first block of each text and the blocks around its quote, about `max_bytes` bytes in all.
/// None if a
/// quote is missing or does not fit.
pub(super) fn around_quotes(
    texts: &[String],
    quotes: &[String],
    max_bytes: usize,
) -> Option<Vec<PromptExcerpt>> {
    if quotes.len() != texts.len() {
        return None;
    }
    let share = max_bytes / texts.len().max(1);
    let excerpts = texts.iter().zip(quotes).map(|(text, quote)| {
        let blocks = blocks(text);
        // Long quotes are shortened in the middle or at the end.
        let parts = quote.split('…').map(str::trim);
        let quote = parts.max_by_key(|part| part.len())?;
        let at = text.find(quote).filter(|_| !quote.is_empty())?;
        let end = at + quote.len();
        let touches = |block: &Range<usize>| block.start < end && at < block.end;
        let first = blocks.iter().position(touches)?;
        let mut kept: Vec<bool> = blocks.iter().map(touches).collect();
        kept[0] = true;
        let bytes = |at: usize| blocks[at].len();
        let mut sum: usize = (0..blocks.len()).filter(|at| kept[*at]).map(bytes).sum();
        if sum > share {
            return None;
        }
        // Nearest blocks first; the preceding one wins a tie.
        let mut others: Vec<usize> = (0..blocks.len()).filter(|at| !kept[*at]).collect();
        others.sort_by_key(|at| at.abs_diff(first));
        for at in others {
            if sum + bytes(at) > share {
                break;
            }
            sum += bytes(at);
            kept[at] = true;
        }
        Some(with_omissions(text, &blocks, &kept, "left out"))
    });
    excerpts.collect()
}

/// Splits `text` into parts of at most `max_bytes` bytes at paragraph ends; splits only longer
/// paragraphs.
pub(super) fn parts(text: &str, max_bytes: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    for block in blocks(text) {
        let Range { mut start, end } = block;
        while end - start > max_bytes {
            let mut cuts = (start + 1..=start + max_bytes).rev();
            let cut = cuts.find(|at| text.is_char_boundary(*at)).unwrap_or(end);
            pieces.push(start..cut);
            start = cut;
        }
        pieces.push(start..end);
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    for piece in pieces.into_iter().filter(|piece| !piece.is_empty()) {
        match parts.last_mut() {
            Some(part) if piece.end - part.start <= max_bytes => part.end = piece.end,
            _ => parts.push(piece),
        }
    }
    parts.into_iter().map(|part| &text[part]).collect()
}

/// Returns the ranges of all paragraphs, each with its trailing blank lines. They cover the whole
/// text.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let (mut at, mut ends) = (0, true);
    for line in text.split_inclusive('\n') {
        let is_blank = line.trim().is_empty();
        match blocks.last_mut() {
            Some(block) if is_blank || !ends => block.end = at + line.len(),
            _ => blocks.push(at..at + line.len()),
        }
        at += line.len();
        ends = is_blank;
    }
    blocks
}

fn with_omissions(text: &str, blocks: &[Range<usize>], kept: &[bool], why: &str) -> PromptExcerpt {
    let (mut excerpt, mut all, mut run) = (String::new(), 0, 0);
    let close = |excerpt: &mut String, run: &mut usize| {
        if *run > 0 {
            let _ = write!(excerpt, "[{run} bytes {why}]\n\n");
            *run = 0;
        }
    };
    for (block, is_kept) in blocks.iter().zip(kept) {
        if *is_kept {
            close(&mut excerpt, &mut run);
            excerpt.push_str(&text[block.clone()]);
        } else {
            run += block.len();
            all += block.len();
        }
    }
    close(&mut excerpt, &mut run);
    PromptExcerpt {
        text: excerpt,
        left_out: all,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn common_blocks_are_sent_once() {
        let notes = texts(&["A\n\nB one\nB two\n\nC\n", "A\n\nB one\nB two\n\nD\n\nC\n"]);
        let found = without_repeats(&notes);
        assert_eq!(found[0], PromptExcerpt::whole(notes[0].clone()));
        let second = "[16 bytes as in a note before]\n\nD\n\n[2 bytes as in a note before]\n\n";
        assert_eq!(found[1].text, second);
        assert_eq!(found[1].left_out, 18);
    }

    #[test]
    fn a_quote_is_sent_with_its_context() {
        let paragraphs: Vec<String> = (0..20)
            .map(|n| format!("Paragraph number {n:02}.\n\n"))
            .collect();
        let long = paragraphs.concat();
        let notes = vec![long.clone(), "Short, and on the point.\n".to_owned()];
        let quotes = texts(&["number 10", "on the point"]);
        let found = around_quotes(&notes, &quotes, 180).unwrap();
        let expected = "Paragraph number 00.\n\n[176 bytes left out]\n\nParagraph number 09.\n\nParagraph number 10.\n\n\
             Paragraph number 11.\n\n[176 bytes left out]\n\n";
        assert_eq!(found[0].text, expected);
        assert_eq!((found[0].left_out, found[1].left_out), (352, 0));
        // A quote that does not occur, an empty one, a missing one, one that does not fit.
        for (quotes, max_bytes) in [
            (texts(&["number 99", "on the point"]), 180),
            (texts(&["", "on the point"]), 180),
            (texts(&["number 10"]), 180),
            (texts(&["number 10", "on the point"]), 60),
        ] {
            assert_eq!(
                around_quotes(&notes, &quotes, max_bytes),
                None,
                "{quotes:?}"
            );
        }
    }

    #[test]
    fn a_long_text_is_split() {
        for (text, max_bytes, expected) in [
            ("", 9, &[][..]),
            ("one\n\ntwo\n", 9, &["one\n\ntwo\n"]),
            ("one\n\ntwo\n", 6, &["one\n\n", "two\n"]),
            ("longer than six\n\nx", 6, &["longer", " than ", "six\n\nx"]),
            ("ééé", 3, &["é", "é", "é"]),
            ("éa", 1, &["éa"]),
        ] {
            assert_eq!(parts(text, max_bytes), expected, "{text:?} {max_bytes}");
        }
    }

    proptest! {
        #[test]
        fn every_omission_is_marked(parts in prop::collection::vec("[ab]{1,3}(\n|\n\n| )", 0..12)) {
            let text = parts.concat();
            let blocks = blocks(&text);
            prop_assert_eq!(blocks.iter().map(|block| &text[block.clone()]).collect::<String>(), text.clone());
            let found = without_repeats(&[text.clone(), text.clone()]);
            for excerpt in &found {
                let sent: usize = excerpt.text.lines().filter(|line| !line.starts_with('[')).map(str::len).sum();
                prop_assert!(sent + excerpt.left_out <= text.len());
            }
            prop_assert_eq!(found[1].left_out, text.len());
        }
    }
}
