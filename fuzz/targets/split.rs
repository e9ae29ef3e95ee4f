//! The parts of a note concatenate to its text, for any input.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mem::note::front_matter::split::{Language, split};

fuzz_target!(|text: &str| {
    let parts = split(text);
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    assert_eq!(parts.body.end, text.len());
    assert!(text.is_char_boundary(parts.body.start));
    match parts.block {
        None => assert_eq!(parts.body.start, start),
        Some(block) => {
            assert!(!parts.unclosed);
            assert_eq!(
                (block.whole.start, block.whole.end),
                (start, parts.body.start)
            );
            let opening = &text[block.whole.start..block.inner.start];
            let closing = &text[block.inner.end..block.whole.end];
            let inner = &text[block.inner];
            if opening.is_empty() {
                assert_eq!(block.language, Language::Json);
                assert!(inner.starts_with('{') && inner.ends_with('}'));
                assert!(closing.trim().is_empty());
                return;
            }
            let fence = &opening[..3];
            assert!(matches!(fence, "---" | "+++"));
            assert!(opening.ends_with('\n'));
            let closes = |line: &str| {
                let line = line.trim_end();
                line == fence || (block.language == Language::Yaml && line == "...")
            };
            assert!(closes(closing));
            assert!(inner.is_empty() || inner.ends_with('\n'));
            assert!(!inner.lines().any(closes));
        }
    }
});
