//! Any front matter is parsed or refused within a second, and recovered properties are bounded by
//! its size.

#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use mem::note::front_matter::matter;
use mem::note::front_matter::matter::{parse, salvage};

fuzz_target!(|yaml: &str| {
    // The machine may be busy, so only three slow attempts count.
    let slow = (0..3).all(|_| {
        let started = Instant::now();
        let parsed = parse(yaml);
        let salvaged = salvage(yaml);
        let enough = Duration::from_secs(1);
        let slow = started.elapsed() > enough;
        if yaml.len() > matter::LARGEST {
            assert!(parsed.is_err() || parsed.is_ok_and(|properties| properties.is_empty()));
        }
        drop(salvaged);
        slow
    });
    assert!(!slow, "{} bytes took more than a second", yaml.len());
});
