//! Segments of a text: the units that notes based on one template share.
//!
//! A segment is a sentence, a line, a label (`Author:`) or a table cell. Segments are compared without case,
//! punctuation and numbers, so that filled-in dates and amounts make no difference.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::note::markdown::lines::{LineRole, lines_of};

/// Hash of a segment.
pub type SegmentHash = u32;

/// Maximum number of segments per text.
const MAX_SEGMENTS: usize = 1024;

/// Maximum bytes of a label.
const MAX_LABEL_BYTES: usize = 40;

/// Calls `each` with the range and hash of each segment of `text` that is not empty.
pub fn each_segment(text: &str, mut each: impl FnMut(Range<usize>, SegmentHash)) {
    let mut normal = String::new();
    let mut found = 0;
    let mut of_line = |line: Range<usize>| {
        parts(text, line, |span| {
            if found < MAX_SEGMENTS
                && let Some(hash) = hash(&text[span.clone()], &mut normal)
            {
                found += 1;
                each(span, hash);
            }
        });
    };
    // Without fences, line roles do not matter.
    if text.contains("```") || text.contains("~~~") {
        let all_lines = lines_of(text).into_iter();
        let lines = all_lines.filter(|line| line.role != LineRole::Fence);
        lines.for_each(|line| of_line(line.span));
    } else {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            of_line(start..start + line.len());
            start += line.len();
        }
    }
}

/// Weights of parts of a text, 0–1, in order; the rest has weight 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextWeights(pub Vec<(Range<usize>, f32)>);

impl TextWeights {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the weight of the text at `at`.
    pub fn at(&self, at: usize) -> f32 {
        let next = self.0.partition_point(|(span, _)| span.end <= at);
        match self.0.get(next) {
            Some((span, weight)) if span.start <= at => *weight,
            _ => 1.0,
        }
    }
}

/// Returns the distinct segments of `text`, ascending.
pub fn segments(text: &str) -> Vec<SegmentHash> {
    let mut segments = Vec::new();
    each_segment(text, |_, segment| segments.push(segment));
    segments.sort_unstable();
    segments.dedup();
    segments
}

/// Splits a line into cells, a label and its value, and sentences.
fn parts(text: &str, line: Range<usize>, mut each: impl FnMut(Range<usize>)) {
    let written = &text[line.clone()];
    let is_row = written.trim_start().starts_with('|');
    let mut start = line.start;
    let mut chars = written.char_indices().peekable();
    let mut labelled = false;
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_apart = next.is_none_or(|next| next.is_whitespace() || matches!(next, '*' | '_'));
        let ends = match c {
            '|' => is_row,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '。' | '！' | '？' => true,
            ':' => !labelled && at <= MAX_LABEL_BYTES && is_apart,
            _ => false,
        };
        if ends {
            labelled = true;
            let end = line.start + at + c.len_utf8();
            each(start..end);
            start = end;
        }
    }
    each(start..line.end);
}

/// Returns the hash of a segment; `None` if it is empty.
fn hash(segment: &str, normal: &mut String) -> Option<SegmentHash> {
    normal.clear();
    for c in segment.chars() {
        if c.is_ascii_digit() {
            if !normal.ends_with('0') {
                normal.push('0');
            }
        } else if c.is_alphanumeric() {
            normal.extend(c.to_lowercase());
        } else if c.is_whitespace() && !normal.ends_with(' ') && !normal.is_empty() {
            normal.push(' ');
        }
    }
    let said = normal.trim_end();
    (!said.is_empty()).then(|| xxh3_64(said.as_bytes()) as SegmentHash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_a_text_into_segments() {
        for (text, expected) in [
            ("One thing. Another one", "One thing.|Another one"),
            ("- **Author:** Anna\n", "- **Author:|** Anna"),
            ("status:: open", "status::|open"),
            ("| Genre | Fantasy |\n|---|---|\n", "Genre |Fantasy |"),
            ("It is v1.2 of a.b", "It is v1.2 of a.b"),
            ("at 12:30 we met", "at 12:30 we met"),
            ("緑茶。紅茶。", "緑茶。|紅茶。"),
            ("```sh\nrun it\n```\n---\n", "run it"),
            ("", ""),
        ] {
            let mut found = Vec::new();
            each_segment(text, |span, _| found.push(text[span].trim()));
            let found = found.join("|").replace("||", "|");
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn ignores_case_marks_and_numbers() {
        for (a, b, same) in [
            ("# Who was there", "- who was there:", true),
            ("Level 5 and up", "level 12 and up", true),
            ("Founded in 2026-01-05", "Founded in 2025-11-30", true),
            ("Beans", "Peas", false),
            ("a b", "ab", false),
        ] {
            assert_eq!(segments(a) == segments(b), same, "{a} / {b}");
        }
    }
}
