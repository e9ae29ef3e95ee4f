//! Numbers that a number does not keep.
//!
//! To a YAML parser `01234` is 1234, `3.10` is 3.1, `0x1F` is 31, `12345678901234567890` is rounded and
//! `.inf` is what JSON has no value for; to the person who wrote it, it is a postal code, a version, an id,
//! and not zero. Such values
//! are read as the text that stands there: [`yaml`](super::yaml) has them put in quotes before
//! it parses again, and takes over what turned from a number into text.

use std::ops::Range;

use serde_json::Value;

use crate::note::splice::spliced;

/// Returns where texts stand that look like values of this kind; the parser decides.
pub(crate) fn suspects(yaml: &str) -> Vec<Range<usize>> {
    let bytes = yaml.as_bytes();
    let mut found = Vec::new();
    let mut before = b' ';
    for (at, &byte) in bytes.iter().enumerate() {
        // They start with a digit or a dot, behind a sign or nothing.
        if matches!(byte, b'0'..=b'9' | b'.') && (matches!(before, b'+' | b'-') || !is_part(before))
        {
            let start = at - usize::from(at > 0 && matches!(before, b'+' | b'-'));
            let rest = &bytes[at..];
            let end = at + rest.iter().position(|b| !is_part(*b)).unwrap_or(rest.len());
            if is_unsafe(&yaml[start..end]) && stands_alone(bytes, start..end) {
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

/// Takes over from `spelled` each text that is a number here, or none where JSON has no number.
pub(crate) fn take_over(value: &mut Value, spelled: Value) {
    match (value, spelled) {
        (value @ (Value::Number(_) | Value::Null), Value::String(text)) if is_unsafe(&text) => {
            *value = Value::String(text);
        }
        (Value::Array(items), Value::Array(spelled)) if items.len() == spelled.len() => {
            for (item, spelled) in items.iter_mut().zip(spelled) {
                take_over(item, spelled);
            }
        }
        (Value::Object(entries), Value::Object(spelled)) => {
            for (key, spelled) in spelled {
                if let Some(value) = entries.get_mut(&key) {
                    take_over(value, spelled);
                }
            }
        }
        _ => {}
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-' | b'_') || byte >= 0x80
}

/// Whether `text` is a number that would not come back as it is.
pub(crate) fn is_unsafe(text: &str) -> bool {
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
            // A version, an id, `12e4567` of a commit's name, more digits than a number has.
            Ok(_) if digits.bytes().all(|byte| byte.is_ascii_digit()) => !is_whole(),
            Ok(number) => serde_json::to_string(&number).is_ok_and(|back| back != digits),
            Err(_) => false,
        },
        _ => false,
    }
}

/// Whether a value may start and end here, as far as the line shows.
fn stands_alone(bytes: &[u8], span: Range<usize>) -> bool {
    let blank = |byte: &&u8| !matches!(byte, b' ' | b'\t');
    let before = bytes[..span.start].iter().rev().find(blank);
    let behind = bytes[span.end..].iter().find(blank);
    matches!(
        before,
        None | Some(b':' | b'-' | b'[' | b'{' | b',' | b'?' | b'\n')
    ) && matches!(
        behind,
        None | Some(b'\r' | b'\n' | b'#' | b',' | b']' | b'}')
    )
}
