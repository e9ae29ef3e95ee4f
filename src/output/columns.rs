//! Columns of a list on a terminal: as wide as their content, cut to the width of the terminal.

use console::measure_text_width;

/// The gap between two columns.
pub const GAP: &str = "  ";

/// Marks a cut.
const CUT_MARK: char = '…';

/// The end of a text that is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutSide {
    /// The begin, e.g. the folders of a path.
    Begin,
    End,
}

/// Returns column widths for texts of at most these widths on a terminal of `room` columns.
///
/// The widest column shrinks first, none below `min_width`.
pub fn widths<const N: usize>(texts: [usize; N], room: usize, min_width: usize) -> [usize; N] {
    let mut widths = texts;
    let gaps = GAP.len()
        * widths
            .iter()
            .filter(|width| **width > 0)
            .count()
            .saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > room {
        let Some(widest) = widths.iter_mut().max_by_key(|width| **width) else {
            break;
        };
        if *widest <= min_width {
            break;
        }
        *widest -= 1;
    }
    widths
}

/// Returns the width in columns of sanitised text.
pub fn width(text: &str) -> usize {
    measure_text_width(text)
}

/// Cuts `text` to at most `room` columns.
pub fn cut(text: &str, room: usize, which: CutSide) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let room = room.saturating_sub(1);
    let mut used = 0;
    let mut fits = |c: &char| {
        used += width(c.encode_utf8(&mut [0; 4]));
        used <= room
    };
    match which {
        CutSide::End => {
            let kept: String = text.chars().take_while(&mut fits).collect();
            format!("{}{CUT_MARK}", kept.trim_end())
        }
        CutSide::Begin => {
            let reversed: Vec<char> = text.chars().rev().take_while(&mut fits).collect();
            let kept: String = reversed.into_iter().rev().collect();
            format!("{CUT_MARK}{}", kept.trim_start())
        }
    }
}

/// Returns the blanks that pad `text` to `room` columns.
pub fn fill(text: &str, room: usize) -> String {
    " ".repeat(room.saturating_sub(width(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_at_the_chosen_end() {
        for (text, room, which, expected) in [
            ("tea/Oolong.md", 13, CutSide::Begin, "tea/Oolong.md"),
            ("tea/Oolong.md", 10, CutSide::Begin, "…Oolong.md"),
            ("Green tea leaves", 11, CutSide::End, "Green tea…"),
            ("緑茶の葉", 5, CutSide::End, "緑茶…"),
            ("緑茶の葉", 6, CutSide::Begin, "…の葉"),
            ("x", 0, CutSide::End, "…"),
            ("", 0, CutSide::End, ""),
        ] {
            assert_eq!(cut(text, room, which), expected, "{text} {room}");
        }
        assert_eq!(fill("緑茶", 6), "  ");
    }

    #[test]
    fn widest_column_shrinks_first() {
        for (texts, room, expected) in [
            ([10, 20, 10], 80, [10, 20, 10]),
            ([60, 50, 10], 80, [33, 33, 10]),
            ([20, 90, 10], 80, [20, 46, 10]),
            ([0, 90, 10], 80, [0, 68, 10]),
            ([60, 50, 10], 10, [8, 8, 8]),
        ] {
            let found = widths(texts, room, 8);
            assert_eq!(found, expected, "{texts:?}");
        }
    }
}
