//! Wraps messages.

use console::measure_text_width;

/// Wraps a message to rows no wider than `width`, unless a single word is longer.
///
/// Text between backticks, mostly a command, is not broken.
pub(super) fn wrap_message(message: &str, width: usize) -> String {
    let rows = message.lines().flat_map(|line| {
        let mut rows = vec![String::new()];
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
        for (at, piece) in pieces.iter().enumerate() {
            let row = rows.last_mut().expect("there is one");
            if at == 0 {
                row.push_str(piece);
            } else if measure_text_width(row) + 1 + measure_text_width(piece) <= width {
                row.push(' ');
                row.push_str(piece);
            } else {
                rows.push(piece.clone());
            }
        }
        rows
    });
    rows.collect::<Vec<_>>().join("\n")
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
}
