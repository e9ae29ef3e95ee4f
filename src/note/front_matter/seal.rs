//! The seal: detects edits by a person to a note that mem wrote.
//!
//! `remember` adds `mem: {by: …, seal: …}` to a note. The seal is a hash of the note without that `mem` entry, so
//! edits are detected on any machine without a journal. A note with a wrong seal belongs to a person, and no job
//! changes it unattended.

use std::ops::Range;

use serde_json::{Value, json};
use xxhash_rust::xxh3::Xxh3;

use super::key::KeyPath;
use super::split::{self, FrontMatterLanguage};

/// Returns the seal of a note's text: 16 hex digits.
pub fn seal(text: &str) -> String {
    let mut hash = Xxh3::new();
    for part in parts_without_mem(text) {
        hash.update(part.as_bytes());
    }
    format!("{:016x}", hash.digest())
}

/// Returns true if `text` contains a correct seal.
pub fn is_sealed(text: &str) -> bool {
    seal_span(text).is_some_and(|digits| text[digits] == seal(text))
}

/// Returns the `mem` property of a note written by `by`, with a placeholder that [`reseal`] replaces.
pub fn placeholder_property(by: &str) -> (String, Value) {
    (
        "mem".to_owned(),
        json!({"by": by, "seal": "0000000000000000"}),
    )
}

/// Returns the path of the seal; a note without it belongs to a person.
pub fn key() -> KeyPath {
    KeyPath::from("mem").below("seal")
}

/// Replaces the seal in `text` by the correct one; a text without a seal is returned unchanged.
///
/// Only for notes that mem wrote or edited itself: its own edits keep a note managed.
pub fn reseal(text: &str) -> String {
    match seal_span(text) {
        Some(digits) => {
            format!(
                "{}{}{}",
                &text[..digits.start],
                seal(text),
                &text[digits.end..]
            )
        }
        None => text.to_owned(),
    }
}

/// Returns the span of the seal's digits.
fn seal_span(text: &str) -> Option<Range<usize>> {
    let entry = mem_entry(text)?;
    let value = text[entry.clone()][text[entry.clone()].find("seal:")? + "seal:".len()..]
        .trim_start_matches([' ', '"', '\'']);
    let start = entry.end - value.len();
    let length = value.bytes().take_while(u8::is_ascii_hexdigit).count();
    (length == 16).then_some(start..start + length)
}

/// Returns the text without the `mem` entry of the front matter, in one or two pieces.
fn parts_without_mem(text: &str) -> [&str; 2] {
    match mem_entry(text) {
        Some(entry) => [&text[..entry.start], &text[entry.end..]],
        None => [text, ""],
    }
}

/// Returns the span of the top-level `mem` entry: its line and the indented or empty lines below.
fn mem_entry(text: &str) -> Option<Range<usize>> {
    let block = split::split(text).block?;
    if block.language != FrontMatterLanguage::Yaml {
        return None;
    }
    let yaml = block.inner;
    let mut start = None;
    let mut at = yaml.start;
    for line in text[yaml.clone()].split_inclusive('\n') {
        let indented = line.starts_with([' ', '\t', '\r', '\n', '#']);
        match start {
            None if line.starts_with("mem:") => start = Some(at),
            Some(start) if !indented => return Some(start..at),
            _ => {}
        }
        at += line.len();
    }
    start.map(|start| start..yaml.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str =
        "---\ntitle: Tea\nmem: {by: claude, seal: 0000000000000000}\ntags: [a]\n---\nGreen.\n";

    #[test]
    fn a_seal_covers_all_but_the_mem_entry() {
        let plain = "---\ntitle: Tea\ntags: [a]\n---\nGreen.\n";
        assert_eq!(seal(NOTE), seal(plain));
        for other in [
            NOTE.replace("Green", "Black"),
            NOTE.replace("[a]", "[b]"),
            NOTE.replace("Tea", "tea"),
            NOTE.replace(".\n", "."),
        ] {
            assert_ne!(seal(NOTE), seal(&other), "{other}");
        }
    }

    #[test]
    fn resealing_makes_the_seal_valid() {
        for text in [
            NOTE.to_owned(),
            NOTE.replace('\n', "\r\n"),
            NOTE.replace(
                "{by: claude, seal: 0000000000000000}",
                "\n  by: x\n  seal: \"0000000000000000\"",
            ),
        ] {
            let sealed = reseal(&text);
            assert!(is_sealed(&sealed), "{sealed}");
            assert!(!is_sealed(&sealed.replace("Green", "Red")));
            assert_eq!(reseal(&sealed), sealed);
        }
    }

    #[test]
    fn notes_without_a_seal_are_unchanged() {
        for text in ["Body.", "---\ntitle: x\n---\n", "---\nmem: {by: me}\n---\n"] {
            assert_eq!(reseal(text), text);
        }
    }
}
