//! Lines of styled pieces, wrapped and cut to the width of a terminal.

use console::{Term, measure_text_width};

use super::{Output, Style};

/// Minimum width in columns; lines are not wrapped narrower.
const MIN_WRAP_WIDTH: usize = 20;

/// A line of text whose pieces each have a style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Line {
    pieces: Vec<(Option<Style>, String)>,
}

impl Line {
    /// Returns a line with one piece.
    pub fn of(style: impl Into<Option<Style>>, text: impl Into<String>) -> Self {
        Self::default().and(style, text)
    }

    /// Parses a line written by [`Output::painted`].
    pub fn read(painted: &str) -> Self {
        let mut pieces = painted.split("\x1b[");
        let mut line = Self::of(None, pieces.next().unwrap_or_default());
        for piece in pieces {
            let (code, text) = piece.split_once('m').unwrap_or(("", piece));
            line.push(Style::of_code(code), text);
        }
        line
    }

    /// Appends a piece.
    pub fn and(mut self, style: impl Into<Option<Style>>, text: impl Into<String>) -> Self {
        self.push(style.into(), &text.into());
        self
    }

    /// Appends the pieces of another line.
    pub fn join(mut self, other: Self) -> Self {
        for (style, text) in other.pieces {
            self.push(style, &text);
        }
        self
    }

    /// Appends a piece; merges it with the last one if the style is the same.
    pub fn push(&mut self, style: Option<Style>, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some((last, piece)) if *last == style => piece.push_str(text),
            _ => self.pieces.push((style, text.to_owned())),
        }
    }

    /// Returns the style of the line if it has only one piece.
    pub fn only_style(&self) -> Option<Style> {
        match self.pieces.as_slice() {
            [(style, _)] => *style,
            _ => None,
        }
    }

    /// Returns whether a piece has this style.
    pub fn has(&self, style: Style) -> bool {
        let mut pieces = self.pieces.iter();
        pieces.any(|(look, _)| *look == Some(style))
    }

    /// Returns the line without the pieces of a style; `None` if no piece remains.
    pub fn without(&self, style: Style) -> Option<Self> {
        let mut line = self.clone();
        line.pieces.retain(|(look, _)| *look != Some(style));
        (!line.pieces.is_empty()).then_some(line)
    }

    /// Returns the pieces with their styles.
    #[must_use = "an iterator does nothing by itself"]
    pub fn pieces(&self) -> impl Iterator<Item = (Option<Style>, &str)> {
        let pieces = self.pieces.iter();
        pieces.map(|(style, text)| (*style, text.as_str()))
    }

    /// Returns the text without styles.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Returns its width in columns.
    pub fn width(&self) -> usize {
        self.text().chars().map(width_of).sum()
    }

    /// Returns the line with textual signs instead of styles for matches, removed and added text.
    ///
    /// A line with a single piece of removed or added text needs no sign.
    pub(super) fn with_signs(&self) -> Self {
        let is_mixed = self.pieces.len() > 1;
        let mut line = Self::default();
        for (style, text) in &self.pieces {
            let signs = match style {
                Some(Style::Match) => ["[", "]"],
                Some(Style::Removed) if is_mixed => ["[-", "-]"],
                Some(Style::Added) if is_mixed => ["{+", "+}"],
                _ => ["", ""],
            };
            line.push(None, &format!("{}{text}{}", signs[0], signs[1]));
        }
        line
    }

    /// Returns the line with this style on all pieces without one.
    pub fn styled(mut self, style: Style) -> Self {
        for (look, _) in &mut self.pieces {
            look.get_or_insert(style);
        }
        self
    }

    /// Cuts the line to `width` columns and marks the cut with `…`.
    fn cut(&self, width: usize) -> Self {
        if self.width() <= width {
            return self.clone();
        }
        let mut room = width.saturating_sub(1);
        let mut line = Self::default();
        'all: for (style, text) in &self.pieces {
            for c in text.chars() {
                let Some(rest) = room.checked_sub(width_of(c)) else {
                    break 'all;
                };
                room = rest;
                line.push(*style, c.encode_utf8(&mut [0; 4]));
            }
        }
        if width == 0 {
            line
        } else {
            line.and(Style::Faint, "…")
        }
    }

    /// Wraps the line at blanks to rows no wider than `width`.
    ///
    /// Later rows are indented to the first word, after the sign of a diff line if there is one.
    pub fn wrapped(&self, width: usize) -> Vec<Self> {
        let text = self.text();
        let sign = usize::from(text.starts_with(['+', '-', '~']) && text[1..].starts_with(' '));
        let blanks = text[sign..].bytes().take_while(|b| *b == b' ').count();
        self.wrapped_below(sign + blanks, width)
    }

    /// Wraps the line at blanks to rows no wider than `width`; later rows are indented by `blanks`.
    ///
    /// The first `blanks` characters are the indent of the first row and are never a break.
    pub fn wrapped_below(&self, blanks: usize, width: usize) -> Vec<Self> {
        let cells: Vec<(Option<Style>, char)> = self
            .pieces
            .iter()
            .flat_map(|(style, text)| text.chars().map(|c| (*style, c)))
            .collect();
        let width = width.max(MIN_WRAP_WIDTH);
        let indent = blanks.min(width / 2);
        let mut rows: Vec<Self> = Vec::new();
        let (mut start, mut at, mut used, mut after_blank) = (0, 0, 0, None);
        while at <= cells.len() {
            let room = if rows.is_empty() {
                width
            } else {
                width - indent
            };
            let is_over = |c| c != ' ' && used + width_of(c) > room;
            let end = match cells.get(at) {
                None => cells.len(),
                Some((_, c)) if at > start && is_over(*c) => after_blank.unwrap_or(at),
                Some((_, c)) => {
                    used += width_of(*c);
                    at += 1;
                    if *c == ' ' && at > blanks {
                        after_blank = Some(at);
                    }
                    continue;
                }
            };
            let lead = if rows.is_empty() { 0 } else { indent };
            let mut row = Self::of(None, " ".repeat(lead));
            let reversed = cells[start..end].iter().rev();
            let blanks_behind = reversed.take_while(|(_, c)| *c == ' ').count();
            for (style, c) in &cells[start..end - blanks_behind] {
                row.push(*style, c.encode_utf8(&mut [0; 4]));
            }
            rows.push(row);
            if end == cells.len() && at >= cells.len() {
                break;
            }
            (start, at, used, after_blank) = (end, end, 0, None);
        }
        rows
    }
}

/// Returns the width of a character in columns, never too few.
///
/// The emoji variation selector counts one, because it widens the character before it.
fn width_of(c: char) -> usize {
    if c == '\u{fe0f}' {
        1
    } else {
        measure_text_width(c.encode_utf8(&mut [0; 4]))
    }
}

/// Removes lines in the middle so that at most `height` remain; `more` formats the number removed.
pub fn cut_middle(
    mut lines: Vec<Line>,
    height: usize,
    more: impl Fn(usize) -> String,
) -> Vec<Line> {
    let height = height.max(1);
    if lines.len() <= height {
        return lines;
    }
    let left_out = lines.len() - (height - 1);
    let first = height / 2;
    let marker = Line::of(Style::Faint, more(left_out));
    lines.splice(first..first + left_out, [marker]);
    lines
}

impl<T: Into<String>> From<T> for Line {
    fn from(text: T) -> Self {
        Self::of(None, text)
    }
}

impl Output {
    /// Returns foreign `lines` sanitised and wrapped to `width`, ready for [`Self::write_lines`].
    ///
    /// Without colour, styles become textual signs.
    pub fn fitted(&self, lines: &[Line], width: usize) -> Vec<Line> {
        let fitted = lines
            .iter()
            .flat_map(|line| self.drawn(line).wrapped(width));
        fitted.collect()
    }

    /// Returns a foreign line sanitised and cut to `width` columns, with textual signs if there is
    /// no colour.
    pub fn clipped(&self, line: &Line, width: usize) -> Line {
        self.drawn(line).cut(width)
    }

    /// Returns a foreign line sanitised, with textual signs unless colour is on.
    fn drawn(&self, line: &Line) -> Line {
        let clean = self.cleaned(line);
        if self.is_coloured {
            clean
        } else {
            clean.with_signs()
        }
    }

    fn cleaned(&self, line: &Line) -> Line {
        let mut clean = Line::default();
        for (style, text) in &line.pieces {
            clean.push(*style, &self.clean(text).replace('\t', "    "));
        }
        clean
    }

    /// Writes a line of foreign text to stdout, wrapped if that is a terminal.
    pub fn write_wrapped(&self, line: &Line) {
        self.write_in_rows(line, Line::wrapped);
    }

    /// Like [`Self::write_wrapped`], with later rows indented to `column`.
    pub fn write_wrapped_below(&self, line: &Line, column: usize) {
        self.write_in_rows(line, |clean, width| clean.wrapped_below(column, width));
    }

    fn write_in_rows(&self, line: &Line, rows: impl FnOnce(&Line, usize) -> Vec<Line>) {
        if !self.stdout_is_terminal || line.width() == 0 {
            return self.line(&self.painted(line));
        }
        let (_, width) = Term::stdout().size();
        self.write_lines(&rows(&self.cleaned(line), width.into()));
    }

    /// Writes lines to stdout, coloured if colour is on.
    pub fn write_lines(&self, lines: &[Line]) {
        for line in lines {
            self.line(&self.painted(line));
        }
    }

    /// Returns the text of a line, coloured if colour is on.
    pub fn painted(&self, line: &Line) -> String {
        let pieces = line.pieces.iter().map(|(style, text)| match style {
            Some(style) => self.paint(*style, text),
            None => self.clean(text),
        });
        pieces.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(line: &Line, width: usize) -> Vec<String> {
        line.wrapped(width).iter().map(Line::text).collect()
    }

    #[test]
    fn lines_are_wrapped_at_blanks() {
        for (name, text, expected) in [
            (
                "at words",
                "The key hangs behind the water barrel.",
                vec!["The key hangs behind", "the water barrel."],
            ),
            (
                "below the first word",
                "  The key hangs behind the barrel.",
                vec!["  The key hangs", "  behind the barrel."],
            ),
            (
                "below the first word of a diff",
                "+ The key hangs behind the barrel.",
                vec!["+ The key hangs", "  behind the barrel."],
            ),
            (
                "exactly full",
                "abcdefghijklmnopqrst uvw",
                vec!["abcdefghijklmnopqrst", "uvw"],
            ),
            (
                "a word longer than a row",
                "a abcdefghijklmnopqrstuvwxyz",
                vec!["a", "abcdefghijklmnopqrst", "uvwxyz"],
            ),
            (
                "two columns a character",
                "茶茶茶茶茶茶茶茶茶茶茶茶",
                vec!["茶茶茶茶茶茶茶茶茶茶", "茶茶"],
            ),
            (
                "an emoji with its sign",
                "❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f} ❤\u{fe0f}❤\u{fe0f}",
                vec![
                    "❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}",
                    "❤\u{fe0f}❤\u{fe0f}",
                ],
            ),
            ("nothing", "", vec![""]),
            ("blanks at the end", "key   ", vec!["key"]),
        ] {
            assert_eq!(rows(&Line::of(None, text), 20), expected, "{name}");
        }
    }

    #[test]
    fn long_lines_are_cut() {
        let line = Line::of(None, "Green ")
            .and(Style::Match, "茶")
            .and(None, " tea");
        for (width, expected) in [
            (12, "Green 茶 tea"),
            (11, "Green 茶 t…"),
            (9, "Green 茶…"),
            (8, "Green …"),
            (1, "…"),
            (0, ""),
        ] {
            let cut = line.cut(width);
            assert_eq!(cut.text(), expected);
            assert!(cut.width() <= width);
            assert_eq!(cut.has(Style::Match), expected.contains('茶'));
        }
    }

    #[test]
    fn styles_survive_wrapping_and_become_signs() {
        let line = Line::of(None, "  Steep for ")
            .and(Style::Match, "two whole minutes")
            .and(None, " at most.");
        let wrapped = line.wrapped(20);
        assert_eq!(
            wrapped,
            [
                Line::of(None, "  Steep for ").and(Style::Match, "two"),
                Line::of(None, "  ")
                    .and(Style::Match, "whole minutes")
                    .and(None, " at"),
                Line::of(None, "  most."),
            ]
        );
        assert_eq!(
            line.with_signs().text(),
            "  Steep for [two whole minutes] at most."
        );
        let both = Line::of(Style::Removed, "two").and(Style::Added, "three");
        assert_eq!(both.with_signs().text(), "[-two-]{+three+}");
        let whole = Line::of(Style::Removed, "- two");
        assert_eq!(whole.with_signs().text(), "- two");
    }

    #[test]
    fn middle_lines_are_removed() {
        let cut = |count: usize, height| -> Vec<String> {
            let lines = (1..=count).map(|number| Line::of(None, number.to_string()));
            let more = |left_out| format!("{left_out} more");
            let cut = cut_middle(lines.collect(), height, more);
            cut.iter().map(Line::text).collect()
        };
        assert_eq!(cut(3, 3), ["1", "2", "3"]);
        assert_eq!(cut(9, 5), ["1", "2", "5 more", "8", "9"]);
        assert_eq!(cut(9, 4), ["1", "2", "6 more", "9"]);
        assert_eq!(cut(9, 1), ["9 more"]);
    }
}
