//! Wraps messages and lines of data.

use console::measure_text_width;

/// Columns by which later rows of a line of data are indented.
const ROW_INDENT: usize = 2;

/// Wraps a message to rows no wider than `width`, unless a single word is longer.
///
/// Text between backticks, mostly a command, is not broken.
pub(super) fn wrap_message(message: &str, width: usize) -> String {
    let rows = message.lines().flat_map(|line| {
        let mut is_quoted = false;
        let mut pieces: Vec<String> = Vec::new();
        for word in line.split(' ') {
            match pieces.last_mut() {
                Some(piece) if is_quoted => {
                    piece.push(' ');
                    piece.push_str(word);
                }
                _ => pieces.push(word.to_owned()),
            }
            is_quoted ^= word.matches('`').count() % 2 == 1;
        }
        joined(pieces.iter().map(String::as_str), 0, width)
    });
    rows.collect::<Vec<_>>().join("\n")
}

/// Wraps a line of data at blanks, or in text without blanks at wide characters, to rows no wider than `width`,
/// unless a single word is longer.
///
/// Colours and links of the line have no width.
pub(super) fn wrap_row(line: &str, width: usize) -> String {
    let blanks = line.bytes().take_while(|byte| *byte == b' ').count();
    joined(line.split(' '), blanks + ROW_INDENT, width).join("\n")
}

/// Returns `pieces` joined by blanks to rows no wider than `width`, later ones indented.
fn joined<'a>(pieces: impl Iterator<Item = &'a str>, indent: usize, width: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut blank = "";
    for piece in pieces {
        let is_long = indent + measure_text_width(piece) > width;
        let parts = if is_long { parts(piece) } else { vec![piece] };
        for part in parts {
            let row = rows.last_mut().expect("there is one");
            let end = measure_text_width(row) + blank.len() + measure_text_width(part);
            if end <= width || row.is_empty() && blank.is_empty() {
                row.push_str(blank);
                row.push_str(part);
            } else {
                rows.push(" ".repeat(indent) + part);
            }
            blank = "";
        }
        blank = " ";
    }
    rows
}

/// Splits a word before each wide character that may begin a row. Commands and coloured text are one part.
fn parts(word: &str) -> Vec<&str> {
    if word.contains(['`', '\u{1b}']) {
        return vec![word];
    }
    let starts = word.char_indices().filter(|&(at, c)| {
        let is_wide = measure_text_width(&word[at..at + c.len_utf8()]) == 2;
        at == 0 || is_wide && !"、。，．」』）！？：；ー〜…".contains(c)
    });
    let starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([word.len()]);
    let spans = starts.iter().zip(ends);
    spans.map(|(&start, end)| &word[start..end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_wrap_but_commands_do_not() {
        for (message, rows) in [
            (
                "hint: undo with `mem undo 757x`",
                "hint: undo with\n`mem undo 757x`",
            ),
            ("short\nas it is", "short\nas it is"),
            (
                "see `mem review --kind conflict --limit 1`",
                "see\n`mem review --kind conflict --limit 1`",
            ),
        ] {
            assert_eq!(wrap_message(message, 20), rows);
        }
    }

    #[test]
    fn rows_wrap_at_blanks_by_display_width() {
        for (line, rows) in [
            ("short `as it is", "short `as it is"),
            (
                "Todo.md:1  Empty the barrel by winter",
                "Todo.md:1  Empty the\n  barrel by winter",
            ),
            (
                "  a reason with `many words`",
                "  a reason with\n    `many words`",
            ),
            (
                "\u{1b}[35mTodo.md\u{1b}[0m  Empty the tub",
                "\u{1b}[35mTodo.md\u{1b}[0m  Empty the\n  tub",
            ),
            (
                "\u{1b}]8;;file:///a/long/path/Todo.md\u{1b}\\Todo.md\u{1b}]8;;\u{1b}\\  Empty the tub",
                "\u{1b}]8;;file:///a/long/path/Todo.md\u{1b}\\Todo.md\u{1b}]8;;\u{1b}\\  Empty the\n  tub",
            ),
            (
                "日本語 の 文章 を 折り返す",
                "日本語 の 文章 を\n  折り返す",
            ),
            (
                "Todo.md:10  植木鉢を買う、できれば大きい",
                "Todo.md:10  植木鉢を\n  買う、できれば大き\n  い",
            ),
        ] {
            assert_eq!(wrap_row(line, 20), rows);
        }
    }
}
