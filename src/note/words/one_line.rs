//! Texts on one line, for messages, records and comparison.

/// Returns the words of `text` on one line, with single spaces.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns `text` on one line, cut to `max_chars`.
pub fn shortened(text: &str, max_chars: usize) -> String {
    let line = one_line(text);
    match line.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Returns `line`, cut to `max_chars` at a word if it has several.
pub fn shortened_at_word(line: &str, max_chars: usize) -> String {
    let Some((end, _)) = line.char_indices().nth(max_chars) else {
        return line.to_owned();
    };
    let end = line[..end].rfind(' ').unwrap_or(end);
    format!("{} …", &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_joined_and_cut() {
        assert_eq!(one_line(" a\n\tb "), "a b");
        for (text, max_chars, cut, cut_at_word) in [
            ("one two", 7, "one two", "one two"),
            ("one two", 6, "one tw…", "one …"),
            ("茶茶茶", 2, "茶茶…", "茶茶 …"),
        ] {
            assert_eq!(shortened(text, max_chars), cut);
            assert_eq!(shortened_at_word(text, max_chars), cut_at_word);
        }
    }
}
