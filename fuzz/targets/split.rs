//! The parts of a note are its text, whatever it holds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mem::note::split::split;

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
            let opening = &text[block.whole.start..block.yaml.start];
            let closing = &text[block.yaml.end..block.whole.end];
            assert_eq!(opening.trim_end(), "---");
            assert!(opening.ends_with('\n'));
            assert!(matches!(closing.trim_end(), "---" | "..."));
            let yaml = &text[block.yaml];
            assert!(yaml.is_empty() || yaml.ends_with('\n'));
            assert!(
                !yaml
                    .lines()
                    .any(|line| matches!(line.trim_end(), "---" | "..."))
            );
        }
    }
});
