//! Sanitises untrusted text for terminals.
//!
//! Titles and names must not move the cursor, colour what follows, change the reading direction or
//! imitate another name.

use std::fmt::Write as _;

/// Returns `text` with control, escape, direction and invisible characters shown as `\u{…}`.
///
/// Joiners stay: Persian words and composed emoji need them.
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

/// Escapes the same characters in a JSON document as JSON escapes, so that the document stays
/// equal.
///
/// Characters below `\u{7f}` are already escaped in JSON.
pub fn sanitised_json(document: &str) -> String {
    if document.is_ascii() && !document.contains('\u{7f}') {
        return document.to_owned();
    }
    let mut clean = String::with_capacity(document.len());
    for c in document.chars() {
        if c >= '\u{7f}' && is_hostile(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(clean, "\\u{unit:04x}");
            }
        } else {
            clean.push(c);
        }
    }
    clean
}

fn is_hostile(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{feff}'
            | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_characters_are_escaped() {
        for (text, expected) in [
            ("Green tea", "Green tea"),
            ("緑茶 é 🍵", "緑茶 é 🍵"),
            ("\x1b[31mred", "\\u{1b}[31mred"),
            ("a\rb\tc", "a\\u{d}b\tc"),
            ("\u{202e}dm.exe", "\\u{202e}dm.exe"),
            ("a\u{9b}31mb\u{7f}", "a\\u{9b}31mb\\u{7f}"),
            ("no\u{200b}te\u{e0041}", "no\\u{200b}te\\u{e0041}"),
            (
                "می\u{200c}خواهم 👩\u{200d}💻",
                "می\u{200c}خواهم 👩\u{200d}💻",
            ),
        ] {
            assert_eq!(sanitised(text), expected);
        }
    }

    #[test]
    fn sanitised_json_is_equal() {
        let value = serde_json::json!({
            "plain": "緑茶 \n\t\u{1b}", "bidi\u{202e}": "\u{9b}\u{7f}", "tag": "\u{e0041}",
        });
        let document = serde_json::to_string_pretty(&value).unwrap();
        let clean = sanitised_json(&document);
        assert!(
            !clean.chars().any(|c| c != '\n' && is_hostile(c)),
            "{clean}"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&clean).unwrap(),
            value
        );
        assert!(clean.contains("緑茶"));
    }
}
