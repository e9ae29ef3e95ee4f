//! The text of the chosen note, scrolled to the match.

use crate::commands::prelude::*;

/// Number of lines shown before the match.
const LINES_BEFORE_MATCH: usize = 2;

/// Returns rows of the note `text` for `width` and `height`.
///
/// They begin at the body, or near `line`, which counts from 1. All occurrences of the words are
/// highlighted.
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
    let begin = first.max(found.saturating_sub(LINES_BEFORE_MATCH));
    let mut rows: Vec<Line> = Vec::new();
    let mut at_found = 0;
    for (index, line) in text.lines().enumerate().skip(begin) {
        if rows.is_empty() && line.trim().is_empty() {
            continue;
        }
        if index == found {
            at_found = rows.len();
        }
        // A line may be as long as the file.
        let line: String = line.chars().take(width * height * 4).collect();
        let is_heading = line.trim_start_matches('#').starts_with(' ') && line.starts_with('#');
        let mut shown = highlighted(&line, words);
        if is_heading {
            shown = shown.styled(Style::Heading);
        }
        rows.extend(output.fitted(&[shown], width));
        // Of a long paragraph, the row with a match must be visible.
        if index >= found && rows.len() >= at_found + 2 * height {
            break;
        }
    }
    let is_highlighted = |row: &Line| row.has(Style::Match) || row.text().contains('[');
    let seen = rows[at_found.min(rows.len())..]
        .iter()
        .position(is_highlighted);
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

/// Returns `text` with `words` highlighted; the words are in lower case.
pub(super) fn highlighted(text: &str, words: &[String]) -> Line {
    let characters = text.chars().map(|c| c.to_lowercase().next().unwrap_or(c));
    let lower: Vec<char> = characters.collect();
    let mut is_highlighted = vec![false; lower.len()];
    for word in words {
        let word: Vec<char> = word.chars().collect();
        if word.is_empty() {
            continue;
        }
        for at in 0..lower.len().saturating_sub(word.len() - 1) {
            if lower[at..].starts_with(&word) {
                is_highlighted[at..at + word.len()].fill(true);
            }
        }
    }
    let mut line = Line::default();
    for (c, is_highlighted) in text.chars().zip(is_highlighted) {
        line.push(
            is_highlighted.then_some(Style::Match),
            c.encode_utf8(&mut [0; 4]),
        );
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Color, Form};

    const NOTE: &str =
        "---\ntitle: Tea\n---\n\n# Tea\n\none\ntwo\nthree\nfour\nfive\nWater is hot.\nseven\n";

    #[test]
    fn begin_of_the_note_or_the_match_is_visible() {
        let output = Output::new(Form::Human, true, Color::Never);
        let long = format!("{} water", "word ".repeat(100));
        for (name, text, line, words, size, expected) in [
            (
                "without properties",
                NOTE,
                None,
                &[][..],
                [20, 3],
                &["# Tea", "", "one"][..],
            ),
            (
                "a little before what was found",
                NOTE,
                Some(12),
                &["water"],
                [20, 4],
                &["four", "five", "[Water] is hot.", "seven"],
            ),
            (
                "as little as there is room for",
                NOTE,
                Some(12),
                &["water"],
                [20, 1],
                &["[Water] is hot."],
            ),
            (
                "a line that is not there any more",
                NOTE,
                Some(99),
                &[],
                [20, 2],
                &[],
            ),
            (
                "a line among the properties",
                NOTE,
                Some(2),
                &[],
                [20, 1],
                &["# Tea"],
            ),
            (
                "the row of a long paragraph",
                &long,
                Some(1),
                &["water"],
                [20, 10],
                &[
                    "word word word word",
                    "word word word word",
                    "word word word word",
                    "word word word word",
                    "word word word word",
                    "[water]",
                ],
            ),
            ("no text", "", None, &[], [20, 2], &[]),
            (
                "what a terminal would obey",
                "a\u{1b}[2Jb\r\n",
                None,
                &[],
                [20, 1],
                &["a\\u{1b}[2Jb"],
            ),
            ("no room", NOTE, None, &[], [0, 0], &[]),
        ] {
            let words: Vec<String> = words.iter().map(|word: &&str| (*word).to_owned()).collect();
            let lines = rows(&output, text, line, &words, size);
            let rows: Vec<String> = lines.iter().map(Line::text).collect();
            assert_eq!(rows, expected, "{name}");
        }
    }
}
