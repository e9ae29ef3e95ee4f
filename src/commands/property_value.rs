//! A property as it is typed on a command line: `key=value`.

use serde_json::Value;

/// Reads `key=value`.
pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it like key=value".to_owned()),
    }
}

/// Returns the value that a text means: what is a number, a truth, a list or a map in JSON is one in
/// the note too; `"7"` in quotes is a text, and so is everything else.
pub(super) fn value(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Null) | Err(_) => Value::from(text),
        Ok(value) => value,
    }
}
