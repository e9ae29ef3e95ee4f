//! The text of the chosen note, as far as there is room, with what was looked for in view.

use crate::note::split::split;
use crate::output::lines::Line;
use crate::output::{Output, Style};

/// How many lines before the one that was found are shown.
const BEFORE: usize = 2;

/// Returns rows of the note `text` for `width` and `height`: from its begin, or from about `line` on, which
/// counts from 1. Words are marked wherever they stand.
pub(super) fn rows(
    output: &Output,
    text: &str,
    line: Option<usize>,
    words: &[String],
    [width, height]: [usize; 2],
) -> Vec<Line> {
    if width == 0 || height == 0 {
        return Vec::new();
    }
    let body = split(text).body.start;
    let first = text[..body].matches('\n').count();
    let found = line.map_or(first, |line| line.saturating_sub(1));
    let begin = first.max(found.saturating_sub(BEFORE));
    let mut rows: Vec<Line> = Vec::new();
    let mut at_found = 0;
    for (index, line) in text.lines().enumerate().skip(begin) {
        if rows.is_empty() && line.trim().is_empty() {
            continue;
        }
        if index == found {
            at_found = rows.len();
        }
        // A file without line breaks is as long as it likes.
        let line: String = line.chars().take(width * height * 4).collect();
        let is_heading = line.trim_start_matches('#').starts_with(' ') && line.starts_with('#');
        let mut shown = marked(&line, words);
        if is_heading {
            shown = shown.styled(Style::Heading);
        }
        rows.extend(output.fitted(&[shown], width));
        // Of a long paragraph the row that has a word is seen.
        if rows.len() >= at_found + 2 * height {
            break;
        }
    }
    let is_marked = |row: &Line| row.has(Style::Match) || row.text().contains('[');
    let seen = rows[at_found.min(rows.len())..].iter().position(is_marked);
    let wanted = at_found + seen.unwrap_or(0);
    let skipped = if line.is_some() && wanted >= height {
        wanted - height / 2
    } else {
        0
    };
    rows.drain(..skipped.min(rows.len()));
    rows.truncate(height);
    rows
}

/// Returns `text` with `words`, which are in lower case, marked.
pub(super) fn marked(text: &str, words: &[String]) -> Line {
    let lower: Vec<char> = text
        .chars()
        .map(|c| c.to_lowercase().next().unwrap_or(c))
        .collect();
    let mut is_marked = vec![false; lower.len()];
    for word in words {
        let word: Vec<char> = word.chars().collect();
        if word.is_empty() {
            continue;
        }
        for at in 0..lower.len().saturating_sub(word.len() - 1) {
            if lower[at..].starts_with(&word) {
                is_marked[at..at + word.len()].fill(true);
            }
        }
    }
    let mut line = Line::default();
    for (c, is_marked) in text.chars().zip(is_marked) {
        line.push(
            is_marked.then_some(Style::Match),
            c.encode_utf8(&mut [0; 4]),
        );
    }
    line
}
