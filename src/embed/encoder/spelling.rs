//! The tokenizer of the European encoder: the pieces of a text with the largest sum of scores (Kudo, 2018).
//!
//! As in `SentencePiece`, white space is a sign of its own that starts most pieces.

use unicode_normalization::UnicodeNormalization as _;

use super::weights::Pieces;

/// The sign of white space.
const SPACE: char = '\u{2581}';

/// Score of a character without a piece: below that of any piece.
const UNKNOWN_SCORE: f32 = -30.0;

/// Returns the pieces of `text` in order, `None` for an unknown character.
pub(super) fn pieces(pieces: &Pieces, text: &str) -> Vec<Option<u32>> {
    let text = spell(text);
    let bytes = text.as_bytes();
    // For each byte the best way to it: its score, its start and its last piece.
    let mut best = vec![(f32::NEG_INFINITY, 0, None); bytes.len() + 1];
    best[0].0 = 0.0;
    for (start, c) in text.char_indices() {
        let score = best[start].0;
        let mut reach = |end: usize, added: f32, piece: Option<u32>| {
            if score + added > best[end].0 {
                best[end] = (score + added, start, piece);
            }
        };
        reach(start + c.len_utf8(), UNKNOWN_SCORE, None);
        each_prefix(pieces, &bytes[start..], |length, piece| {
            reach(start + length, pieces.score(piece), Some(piece as u32));
        });
    }
    let mut found = Vec::new();
    let mut end = bytes.len();
    while end > 0 {
        let (_, start, piece) = best[end];
        found.push(piece);
        end = start;
    }
    found.reverse();
    found
}

/// Calls `each` with the length and number of each piece that `text` starts with.
fn each_prefix(pieces: &Pieces, text: &[u8], mut each: impl FnMut(usize, usize)) {
    let (mut first, mut last) = (0, pieces.len());
    for (at, byte) in text.iter().enumerate() {
        // All pieces in the range share the bytes before.
        let below = |piece: usize| pieces.text(piece).get(at).is_none_or(|other| other < byte);
        let up_to = |piece: usize| pieces.text(piece).get(at).is_none_or(|other| other <= byte);
        first = partition_point(first, last, below);
        last = partition_point(first, last, up_to);
        if first == last {
            return;
        }
        if pieces.text(first).len() == at + 1 {
            each(at + 1, first);
        }
    }
}

/// Returns the first number of a range for which `is_before` is false.
fn partition_point(mut first: usize, mut last: usize, is_before: impl Fn(usize) -> bool) -> usize {
    while first < last {
        let middle = first.midpoint(last);
        if is_before(middle) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    first
}

/// Returns the text as the pieces spell it. It starts with white space, and never has two in a row.
fn spell(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len() + SPACE.len_utf8());
    spelled.push(SPACE);
    for c in text.nfkc() {
        let is_space = c.is_whitespace() || matches!(c, '\u{200B}'..='\u{200F}' | '\u{FEFF}');
        if is_space {
            if !spelled.ends_with(SPACE) {
                spelled.push(SPACE);
            }
        } else if !c.is_control() {
            spelled.push(c);
        }
    }
    spelled
}
