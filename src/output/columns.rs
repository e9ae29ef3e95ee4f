//! Two texts beside each other, for a person who has to tell them apart.

use console::{Alignment, measure_text_width, pad_str};

/// The narrowest column that can be read; where two do not fit the texts stand below each other.
const NARROWEST: usize = 28;

/// Between the two columns.
const GAP: &str = " | ";

/// Returns the lines of two texts beside each other on a terminal of this `width`, each wrapped at
/// words and cut after `height` lines.
#[must_use]
pub fn side_by_side(texts: [&str; 2], width: usize, height: usize) -> Vec<String> {
    let column = width.saturating_sub(GAP.len()) / 2;
    if column < NARROWEST {
        let mut lines = wrapped(texts[0], width.max(1), height);
        lines.push("-".repeat(width.min(20)));
        lines.extend(wrapped(texts[1], width.max(1), height));
        return lines;
    }
    let [left, right] = texts.map(|text| wrapped(text, column, height));
    (0..left.len().max(right.len()))
        .map(|at| {
            let [left, right] =
                [&left, &right].map(|lines| lines.get(at).map_or("", String::as_str));
            let left = pad_str(left, column, Alignment::Left, None);
            format!("{left}{GAP}{right}").trim_end().to_owned()
        })
        .collect()
}

/// Returns `text` in lines no wider than `width`, at most `height` of them and one that says how many
/// are left out.
fn wrapped(text: &str, width: usize, height: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut current = String::new();
        for word in line.split_inclusive(' ') {
            let mut rest = word;
            while measure_text_width(&current) + measure_text_width(rest.trim_end()) > width {
                if current.is_empty() {
                    // Longer than a line: it is broken where the line ends.
                    let end = fitting(rest, width);
                    lines.push(rest[..end].to_owned());
                    rest = &rest[end..];
                } else {
                    lines.push(current.trim_end().to_owned());
                    current.clear();
                }
            }
            current.push_str(rest);
        }
        lines.push(current.trim_end().to_owned());
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if lines.len() > height {
        let more = lines.len() - height;
        lines.truncate(height);
        lines.push(format!("... {more} more lines"));
    }
    lines
}

/// Returns how many bytes of `text` fit into `width`, at least one character.
fn fitting(text: &str, width: usize) -> usize {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        if end > 0 && measure_text_width(&text[..next]) > width {
            break;
        }
        end = next;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_beside_each_other() {
        let lines = side_by_side(
            [
                "Steep for two minutes at eighty degrees, no longer.\n\nThen pour.",
                "Steep for three.",
            ],
            63,
            10,
        );
        assert_eq!(
            lines,
            [
                "Steep for two minutes at       | Steep for three.",
                "eighty degrees, no longer.     |",
                "                               |",
                "Then pour.                     |",
            ]
        );
    }

    #[test]
    fn what_does_not_fit_is_broken_cut_or_put_below() {
        let narrow = side_by_side(["left", "right"], 30, 10);
        assert_eq!(narrow, ["left", "--------------------", "right"]);
        assert_eq!(
            wrapped("abcdefgh 茶茶茶", 4, 9),
            ["abcd", "efgh", "茶茶", "茶"]
        );
        assert_eq!(wrapped("a\nb\nc\n\n", 4, 2), ["a", "b", "... 1 more lines"]);
        assert_eq!(wrapped("", 4, 2), [""; 0]);
    }
}
