//! Merges two versions of one block: by lines, then by sentences, then by words.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::plain;
use super::refusal::Refusal;
use super::sequence::{self, MergePiece, Sequence, SequenceLevel, Shape};
use super::words::{is_word, tokens};
use crate::note::markdown::sentences;
use crate::note::splice::{Splice, spliced};

/// Merges two versions of a block.
pub(super) fn merge(base: &MergePiece<'_>, sides: [&MergePiece<'_>; 2]) -> Result<String, Refusal> {
    let texts = [base.text, sides[0].text, sides[1].text];
    let shape = base.shape;
    if sides.iter().any(|side| side.shape != shape) {
        return Err(Refusal::Block);
    }
    match shape {
        Shape::Verbatim => {
            match plain::merge(base.text, sides.map(|side| side.text), &Refusal::Block) {
                (text, 0) => Ok(text),
                _ => Err(Refusal::Block),
            }
        }
        Shape::Line => by_sentences(texts),
        Shape::Table => by_lines(texts),
        // Lines of a paragraph that was wrapped again have no counterparts.
        Shape::Prose => by_lines(texts).or_else(|_| by_sentences(texts)),
    }
}

/// Merges lines; lines that both sides add at one place are all kept.
pub(super) fn by_lines(texts: [&str; 3]) -> Result<String, Refusal> {
    merged(texts.map(lines), &Lines)
}

fn by_sentences(texts: [&str; 3]) -> Result<String, Refusal> {
    merged(texts.map(line_parts), &Sentences)
}

fn merged<L: SequenceLevel>(
    [base, ours, theirs]: [Sequence<'_>; 3],
    level: &L,
) -> Result<String, Refusal> {
    sequence::merge(level, &base, [&ours, &theirs]).map(|merged| merged.text)
}

struct Lines;

impl SequenceLevel for Lines {
    fn merge(
        &self,
        base: Option<&MergePiece<'_>>,
        [ours, theirs]: [&MergePiece<'_>; 2],
    ) -> Result<String, Refusal> {
        match base {
            Some(base) => by_sentences([base.text, ours.text, theirs.text]),
            // Only the indentation differs.
            None => Ok(ours.text.max(theirs.text).to_owned()),
        }
    }
}

struct Sentences;

impl SequenceLevel for Sentences {
    const GAP: &'static str = " ";

    fn merge(
        &self,
        base: Option<&MergePiece<'_>>,
        [ours, theirs]: [&MergePiece<'_>; 2],
    ) -> Result<String, Refusal> {
        let base = base.map_or("", |base| base.text);
        by_words(base, [ours.text, theirs.text]).ok_or(Refusal::Words)
    }
}

fn piece<'t>(text: &'t str, gap: &'t str, shape: Shape) -> MergePiece<'t> {
    MergePiece {
        id: text.into(),
        text,
        gap,
        depth: 0,
        shape,
    }
}

fn lines(text: &str) -> Sequence<'_> {
    let pieces = text.split_inclusive('\n').map(|line| {
        let text = line.strip_suffix('\n').unwrap_or(line);
        MergePiece {
            id: text.trim_start().into(),
            ..piece(text, &line[text.len()..], Shape::Line)
        }
    });
    Sequence {
        lead: "",
        pieces: pieces.collect(),
    }
}

/// Splits a line into its marker (`- [ ] `, `## `, `> `) and its sentences.
fn line_parts(line: &str) -> Sequence<'_> {
    static MARKER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:(?:>|#{1,6}|[-*+]|\d+[.)])[ \t]+)*(?:\[.\][ \t]+)?").expect("a pattern")
    });
    let marker = MARKER.find(line).map_or(0, |marker| marker.end());
    let mut starts: Vec<usize> = vec![0, marker];
    let sentences = sentences::of_line(&line[marker..]).into_iter();
    starts.extend(sentences.map(|it| it.as_ptr() as usize - line.as_ptr() as usize));
    starts.push(line.len());
    starts.dedup();
    let spans = starts.windows(2).map(|ends| &line[ends[0]..ends[1]]);
    let mut sequence = Sequence::default();
    for span in spans {
        let text = span.trim_end();
        if text.is_empty() && sequence.pieces.is_empty() {
            sequence.lead = &line[..sequence.lead.len() + span.len()];
        } else {
            sequence
                .pieces
                .push(piece(text, &span[text.len()..], Shape::Prose));
        }
    }
    sequence
}

/// Minimum number of unchanged words between the changes of the two sides in one sentence: closer words depend on each
/// other (`5 euros`).
const MIN_WORDS_BETWEEN: usize = 3;

/// Merges the words of a sentence; `None` if both sides changed words at one place.
fn by_words(base: &str, sides: [&str; 2]) -> Option<String> {
    let old: Vec<&str> = tokens(base);
    let mut changes: Vec<(Range<usize>, String, usize)> = Vec::new();
    for (side, text) in sides.into_iter().enumerate() {
        let new = tokens(text);
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            if op.tag() != DiffTag::Equal {
                changes.push((op.old_range(), new[op.new_range()].concat(), side));
            }
        }
    }
    changes.sort_by(|a, b| (a.0.start, a.0.end, &a.1).cmp(&(b.0.start, b.0.end, &b.1)));
    changes.dedup_by(|next, before| (&next.0, &next.1) == (&before.0, &before.1));
    let is_apart = changes.windows(2).all(|pair| {
        let [(before, _, a), (next, _, b)] = pair else {
            return true;
        };
        let between = old.get(before.end..next.start).unwrap_or_default();
        a == b || between.iter().filter(|word| is_word(word)).count() >= MIN_WORDS_BETWEEN
    });
    if !is_apart {
        return None;
    }
    let mut ends = vec![0];
    ends.extend(old.iter().scan(0, |end, token| {
        *end += token.len();
        Some(*end)
    }));
    let splices: Vec<Splice> = changes
        .into_iter()
        .map(|(span, with, _)| (ends[span.start]..ends[span.end], with))
        .collect();
    Some(spliced(base, 0..base.len(), splices))
}
