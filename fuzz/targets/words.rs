//! Words of any script are cut at character boundaries, in order, in bounded time.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mem::note::words::hash::normal_hash;
use mem::note::words::minhash;
use mem::note::words::shingles::Shingles;
use mem::note::words::analyzer::{Analyzer, Language, Purpose};

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
    let shingles = Shingles::of(text);
    let all = shingles.overlap(&shingles);
    assert!((0.0..=1.0).contains(&all));
    let _ = (
        minhash::bands(text),
        normal_hash(text),
        shingles.agrees_on_facts(&shingles),
    );
});
