//! Tables of terms and meanings for a terminal.

use std::fmt::Write as _;

/// Maximum width of help in columns.
pub(super) const MAX_WIDTH: usize = 80;

/// Returns a table whose meanings begin at column `width`, or on the next line after a long term.
///
/// Lines are wrapped at [`MAX_WIDTH`].
pub(super) fn table<M: AsRef<str>>(
    rows: impl IntoIterator<Item = (String, M)>,
    width: usize,
) -> String {
    let mut table = String::new();
    for (term, meaning) in rows {
        let mut line = format!("  {term}");
        if line.len() + 2 > width + 2 {
            let _ = writeln!(table, "{line}");
            line.clear();
        }
        for word in meaning.as_ref().split(' ') {
            if line.chars().count() + 1 + word.chars().count() > MAX_WIDTH {
                let _ = writeln!(table, "{line}");
                line.clear();
            }
            if line.chars().count() < width + 2 {
                line = format!("{line:at$}{word}", at = width + 2);
            } else {
                line.push(' ');
                line.push_str(word);
            }
        }
        let _ = writeln!(table, "{line}");
    }
    table.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_begin_at_their_column_or_on_the_next_line() {
        let rows = [
            ("a:b".to_owned(), "one two"),
            ("a:long:term".to_owned(), "three"),
        ];
        assert_eq!(
            table(rows, 6),
            "  a:b   one two\n  a:long:term\n        three"
        );
    }
}
