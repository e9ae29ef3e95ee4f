//! Wraps messages.

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

/// Wraps a line of data at blanks to rows no wider than `width`, unless a single word is longer.
///
/// Colours and links of the line have no width.
pub(super) fn wrap_row(line: &str, width: usize) -> String {
    let blanks = line.bytes().take_while(|byte| *byte == b' ').count();
    joined(line.split(' '), blanks + ROW_INDENT, width).join("\n")
}

/// Returns `pieces` joined by blanks to rows no wider than `width`, later ones indented.
fn joined<'a>(pieces: impl Iterator<Item = &'a str>, indent: usize, width: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    for (at, piece) in pieces.enumerate() {
        let row = rows.last_mut().expect("there is one");
        if at == 0 {
            row.push_str(piece);
        } else if measure_text_width(row) + 1 + measure_text_width(piece) <= width {
            row.push(' ');
            row.push_str(piece);
        } else {
            rows.push(" ".repeat(indent) + piece);
        }
    }
    rows
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
        ] {
            assert_eq!(wrap_row(line, 20), rows);
        }
    }
}
