//! Words of any script are cut at the borders of characters, in order, in bounded time.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mem::note::wording::{Wording, normal_hash, sketch};
use mem::note::words::{Analyzer, Language, Purpose};

fuzz_target!(|text: &str| {
    for language in [Language::NONE, Language::ENGLISH] {
        let mut analyzer = Analyzer::new(language);
        for purpose in [Purpose::Index, Purpose::Query] {
            let mut word = String::new();
            let mut scan = analyzer.scan(text, purpose);
            while let Some(place) = scan.advance(&mut word) {
                assert!(!word.is_empty());
                assert!(text.get(place.range.clone()).is_some(), "{place:?}");
            }
        }
    }
    let wording = Wording::of(text);
    let all = wording.overlap(&wording);
    assert!((0.0..=1.0).contains(&all));
    let _ = (
        sketch(text),
        normal_hash(text),
        wording.agrees_on_facts(&wording),
    );
});
