//! A text as segments: the units that notes of one form have in common.
//!
//! A sentence, a line, a label (`Author:`), a cell of a table. Two segments are the same regardless of case,
//! marks and numbers, so that the lines of a form are the same however it was filled in with dates and
//! amounts.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::note::markdown::lines::{LineRole, lines_of};

/// The hash of a segment.
pub type Segment = u32;

/// Of a longer text only so many are looked at.
const MOST: usize = 1024;

/// A longer beginning of a line is no label.
const LABEL: usize = 40;

/// Calls `each` with the segments of `text` that say something, and where they stand.
pub fn each_segment(text: &str, mut each: impl FnMut(Range<usize>, Segment)) {
    let mut normal = String::new();
    let mut found = 0;
    let mut of_line = |line: Range<usize>| {
        parts(text, line, |span| {
            if found < MOST
                && let Some(hash) = hash(&text[span.clone()], &mut normal)
            {
                found += 1;
                each(span, hash);
            }
        });
    };
    // Where there are no fences, it does not matter what the lines are.
    if text.contains("```") || text.contains("~~~") {
        let lines = lines_of(text).into_iter();
        let lines = lines.filter(|line| line.role != LineRole::Fence);
        lines.for_each(|line| of_line(line.span));
    } else {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            of_line(start..start + line.len());
            start += line.len();
        }
    }
}

/// What parts of a text weigh, 0–1, in their order; all else weighs 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights(pub Vec<(Range<usize>, f32)>);

impl Weights {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what the text at `at` weighs.
    pub fn at(&self, at: usize) -> f32 {
        let next = self.0.partition_point(|(span, _)| span.end <= at);
        match self.0.get(next) {
            Some((span, weight)) if span.start <= at => *weight,
            _ => 1.0,
        }
    }
}

/// Returns the hashes of the segments of `text`, each once, ascending.
pub fn segments(text: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    each_segment(text, |_, segment| segments.push(segment));
    segments.sort_unstable();
    segments.dedup();
    segments
}

/// Divides a line: cells, a label and what it labels, sentences.
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
            ':' => !labelled && at <= LABEL && is_apart,
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

/// Returns the hash of what a segment says; none if it says nothing.
fn hash(segment: &str, normal: &mut String) -> Option<Segment> {
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
    (!said.is_empty()).then(|| xxh3_64(said.as_bytes()) as Segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_falls_into_what_forms_share() {
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
    fn case_marks_and_numbers_make_no_other_segment() {
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
