//! Titles and names come from strangers: on a terminal they must not move the cursor, colour what
//! follows or turn the reading direction.

/// Returns `text` with control, escape and direction characters shown as `\u{…}`.
#[must_use]
pub fn sanitised(text: &str) -> String {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return text.to_owned();
    }
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hostile(c) {
            clean.extend(c.escape_unicode());
        } else {
            clean.push(c);
        }
    }
    clean
}

fn is_hostile(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_characters_are_shown() {
        for (text, expected) in [
            ("Green tea", "Green tea"),
            ("緑茶 é 🍵", "緑茶 é 🍵"),
            ("\x1b[31mred", "\\u{1b}[31mred"),
            ("a\rb\tc", "a\\u{d}b\tc"),
            ("\u{202e}dm.exe", "\\u{202e}dm.exe"),
        ] {
            assert_eq!(sanitised(text), expected);
        }
    }
}
