//! Whether front matter edits can be reverted, on arbitrary notes.
//!
//! ```text
//! cargo bench --bench roundtrip -- FOLDER... [--show 5]
//! ```
//!
//! Reads every file below the folders and tries every kind of edit with values of every type: set
//! and unset, append and remove, new and existing properties, top level and maps. The table counts
//! edits that worked, were not restored byte for byte, were refused, or failed (changed another
//! value or a line of another property). Nothing is written. The last figure is the time to parse
//! all front matter, the best of several passes.
//!
//! The exit code is 1 if an edit failed.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

#[path = "../tests/support/roundtrip.rs"]
mod roundtrip;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mem::note::front_matter::matter;
use walkdir::WalkDir;

use roundtrip::{Tallies, Tally, try_all};
use support::flags::{self, Flags};
use support::{AtPath, Outcome};

const USAGE: &str = "cargo bench --bench roundtrip -- FOLDER... [--show 5]";

fn main() -> ExitCode {
    flags::run(USAGE, &["--show"], bench)
}

/// Contents of the folders.
#[derive(Default)]
struct Notes {
    texts: Vec<(String, String)>,
    not_text: Vec<PathBuf>,
}

fn bench(flags: &Flags) -> Outcome<ExitCode> {
    let show: usize = flags.number("--show", 5)?;
    let mut notes = Notes::default();
    for folder in flags.words() {
        read(Path::new(folder), &mut notes)?;
    }
    let mut tallies = Tallies::new();
    for (name, text) in &notes.texts {
        try_all(name, text, &mut tallies);
    }
    println!("{} notes", notes.texts.len());
    for path in &notes.not_text {
        println!("not UTF-8: {}", path.display());
    }
    println!(
        "\n{:45} {:>8} {:>8} {:>12} {:>8} {:>7}",
        "edits", "tried", "held", "not restored", "refused", "failed"
    );
    for (what, tally) in &tallies {
        row(what, tally);
    }
    for (what, tally) in &tallies {
        report(what, tally, show);
    }
    timing(&notes);
    let failed = tallies.values().any(|tally| !tally.failed.is_empty());
    Ok(ExitCode::from(u8::from(failed)))
}

fn read(folder: &Path, notes: &mut Notes) -> Outcome<()> {
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let bytes = fs::read(entry.path()).at(entry.path())?;
        let name = entry.path().display().to_string();
        match String::from_utf8(bytes) {
            Ok(text) => notes.texts.push((name, text)),
            Err(_) => notes.not_text.push(entry.into_path()),
        }
    }
    Ok(())
}

fn row(what: &str, tally: &Tally) {
    let refused: usize = tally.refused.values().map(Vec::len).sum();
    println!(
        "{what:45} {:>8} {:>8} {:>12} {refused:>8} {:>7}",
        tally.tried,
        tally.held,
        tally.not_restored.len(),
        tally.failed.len()
    );
}

fn report(what: &str, tally: &Tally, show: usize) {
    let mut lists: BTreeMap<String, &[String]> = BTreeMap::new();
    for (reason, names) in &tally.refused {
        lists.insert(format!("refused, {reason}"), names);
    }
    lists.insert("not restored".to_owned(), &tally.not_restored);
    lists.insert("failed".to_owned(), &tally.failed);
    for (fate, names) in lists {
        if names.is_empty() {
            continue;
        }
        println!("\n{what}: {fate}: {}", names.len());
        for name in names.iter().take(show) {
            println!("  {name}");
        }
    }
}

fn timing(notes: &Notes) {
    let mut best = Duration::MAX;
    for _ in 0..10 {
        let start = Instant::now();
        let read = notes
            .texts
            .iter()
            .filter(|(_, text)| matter::properties(text).is_ok());
        std::hint::black_box(read.count());
        best = best.min(start.elapsed());
    }
    let each = best.as_secs_f64() * 1e6 / notes.texts.len().max(1) as f64;
    println!("\nreading the front matter: {each:.1} µs per note");
}
