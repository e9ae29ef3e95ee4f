//! Preserves numbers whose spelling a number cannot represent.
//!
//! A YAML parser reads `01234` as 1234, `3.10` as 3.1, `0x1F` as 31, rounds `12345678901234567890`, and JSON has no
//! `.inf`. Authors mean a postal code, a version or an id. Such values are read as strings: [`yaml`](super::yaml)
//! quotes them, parses again, and replaces the numbers by the strings.

use std::ops::Range;

use serde_json::Value;

use crate::note::splice::spliced;

/// Returns the spans of texts that may be such values; the parser decides.
pub(crate) fn number_candidates(yaml: &str) -> Vec<Range<usize>> {
    let bytes = yaml.as_bytes();
    let mut found = Vec::new();
    let mut before = b' ';
    for (at, &byte) in bytes.iter().enumerate() {
        // They start with a digit or a dot, optionally after a sign.
        if matches!(byte, b'0'..=b'9' | b'.') && (matches!(before, b'+' | b'-') || !is_part(before))
        {
            let start = at - usize::from(at > 0 && matches!(before, b'+' | b'-'));
            let rest = &bytes[at..];
            let end = at + rest.iter().position(|b| !is_part(*b)).unwrap_or(rest.len());
            if loses_spelling(&yaml[start..end]) && can_be_value(bytes, start..end) {
                found.push(start..end);
            }
        }
        before = byte;
    }
    found
}

/// Returns `yaml` with quotes around these texts.
pub(crate) fn quoted(yaml: &str, texts: &[Range<usize>]) -> String {
    let quoted = |text: &Range<usize>| (text.clone(), format!("\"{}\"", &yaml[text.clone()]));
    spliced(yaml, 0..yaml.len(), texts.iter().map(quoted).collect())
}

/// Replaces numbers, and nulls that JSON cannot represent, by the strings in `spelled`.
pub(crate) fn restore_spellings(value: &mut Value, spelled: Value) {
    match (value, spelled) {
        (value @ (Value::Number(_) | Value::Null), Value::String(text))
            if loses_spelling(&text) =>
        {
            *value = Value::String(text);
        }
        (Value::Array(items), Value::Array(spelled)) if items.len() == spelled.len() => {
            for (item, spelled) in items.iter_mut().zip(spelled) {
                restore_spellings(item, spelled);
            }
        }
        (Value::Object(entries), Value::Object(spelled)) => {
            for (key, spelled) in spelled {
                if let Some(value) = entries.get_mut(&key) {
                    restore_spellings(value, spelled);
                }
            }
        }
        _ => {}
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-' | b'_') || byte >= 0x80
}

/// Whether `text` is a number that would not keep its spelling.
pub(crate) fn loses_spelling(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_whole = || {
        text.parse::<i64>()
            .is_ok_and(|number| number.to_string() == text)
    };
    match digits.as_bytes() {
        [b'0', b'x' | b'o', rest @ ..] => rest.iter().all(u8::is_ascii_hexdigit),
        [b'.', ..]
            if digits.eq_ignore_ascii_case(".inf") || digits.eq_ignore_ascii_case(".nan") =>
        {
            true
        }
        [b'0'..=b'9' | b'.', ..] => match digits.parse::<f64>() {
            // A version, an id, a commit hash like `12e4567`, too many digits.
            Ok(_) if digits.bytes().all(|byte| byte.is_ascii_digit()) => !is_whole(),
            Ok(number) => serde_json::to_string(&number).is_ok_and(|back| back != digits),
            Err(_) => false,
        },
        _ => false,
    }
}

/// Whether a value can start and end here, judging by its line.
fn can_be_value(bytes: &[u8], span: Range<usize>) -> bool {
    let blank = |byte: &&u8| !matches!(byte, b' ' | b'\t');
    let before = bytes[..span.start].iter().rev().find(blank);
    let after = bytes[span.end..].iter().find(blank);
    matches!(
        before,
        None | Some(b':' | b'-' | b'[' | b'{' | b',' | b'?' | b'\n')
    ) && matches!(
        after,
        None | Some(b'\r' | b'\n' | b'#' | b',' | b']' | b'}')
    )
}
