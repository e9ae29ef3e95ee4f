//! Cost of recording the use of notes for a year, day by day.
//!
//! ```text
//! cargo bench --bench usage -- [--notes 10000] [--days 365] [--recalls 200] [--devices 2]
//! ```
//!
//! Needs no vault, because it measures the journal. Each day `--recalls` recalls print 8 notes each
//! (the note of rank r is drawn with weight 1/r). A tenth as many notes are read by a person, and a
//! fortieth are reinforced with a question. At night one of the devices, in turn, adds the events
//! to the journal. The table shows what one command appends, the cost of a night, the size of the
//! journal, and its cost for a cold process. The last row is the same for 100,000 notes that were
//! all used once.
#![allow(clippy::print_stdout, reason = "a bench talks on its streams")]
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mem::cache::learned::LearnedFile;
use mem::journal::events::{EventKind, Events, UsageEvent};
use mem::journal::usage::{self, TallyBaseline, UsageOptions};
use mem::note::path::VaultPath;
use mem::signals::usage::Parameters;

const SHOWN: usize = 8;
const DAY: i64 = 86_400;

/// A small deterministic random number generator.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Draws the number of a note; popular ones are low.
    fn note(&mut self, notes: usize) -> usize {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ((notes as f64 + 1.0).powf(share) - 1.0) as usize
    }
}

fn note(number: usize) -> VaultPath {
    VaultPath::new(&format!("notes/a-note-of-average-length-{number}.md")).unwrap()
}

fn how() -> UsageOptions {
    UsageOptions {
        is_listed_enough: false,
        parameters: Parameters::default(),
    }
}

fn main() {
    let argument = |name: &str, default: usize| {
        let arguments: Vec<String> = std::env::args().collect();
        let at = arguments.iter().position(|one| one == name);
        at.map_or(default, |at| arguments[at + 1].parse().unwrap())
    };
    let notes = argument("--notes", 10_000);
    let (days, recalls) = (argument("--days", 365), argument("--recalls", 200));
    let devices = argument("--devices", 2).max(1);
    let home = tempfile::tempdir().unwrap();
    let journal = home.path().join("journal");
    let mut chance = Rng(0x9e37_79b9_7f4a_7c15);
    let (mut appends, mut nights) = (Vec::new(), Vec::new());
    for day in 0..days {
        let device = day % devices;
        let (folder, events) = machine(home.path(), device);
        let mut append = |event: UsageEvent| {
            let started = Instant::now();
            events.append(&[event]).unwrap();
            appends.push(started.elapsed());
        };
        for number in 0..recalls {
            let at = day as i64 * DAY + number as i64;
            let shown: Vec<VaultPath> = (0..SHOWN).map(|_| note(chance.note(notes))).collect();
            append(UsageEvent::new(EventKind::Recalled, at, &shown));
            if number % 10 == 0 {
                append(UsageEvent::new(EventKind::Shown, at, &shown[..1]));
            }
            if number % 40 == 0 {
                append(UsageEvent {
                    reward: Some(1.0),
                    question: Some(format!(
                        "what was asked on day {day} for the {number}th time"
                    )),
                    ..UsageEvent::new(EventKind::Reinforced, at, &shown[..1])
                });
            }
        }
        nights.push(reindex(&folder, &events));
    }
    println!("{notes} notes, {days} days of {recalls} recalls, {devices} devices\n");
    println!("| what | figure |\n|---|---:|");
    println!("| an event appended, median | {} |", micros(&mut appends));
    nights.sort_unstable();
    println!(
        "| a night takes the day in, median and longest | {} and {} |",
        millis(nights[nights.len() / 2]),
        millis(nights[nights.len() - 1])
    );
    cold(home.path(), &journal, notes);
    let home = tempfile::tempdir().unwrap();
    let (folder, events) = machine(home.path(), 0);
    let all: Vec<VaultPath> = (0..100_000).map(note).collect();
    for some in all.chunks(SHOWN) {
        events
            .append(&[UsageEvent::new(EventKind::Shown, DAY, some)])
            .unwrap();
    }
    println!("\n100,000 notes, each used once\n\n| what | figure |\n|---|---:|");
    println!(
        "| added to the journal at once | {} |",
        millis(reindex(&folder, &events))
    );
    cold(home.path(), &home.path().join("journal"), 100_000);
}

fn machine(home: &Path, device: usize) -> (PathBuf, Events) {
    let folder = home.join("journal").join(format!("device{device}"));
    fs::create_dir_all(&folder).unwrap();
    (folder, Events::of(&home.join(format!("state{device}"))))
}

fn reindex(folder: &Path, events: &Events) -> Duration {
    let started = Instant::now();
    usage::update_tallies(folder, events, &how(), 0, &|_| TallyBaseline::default()).unwrap();
    started.elapsed()
}

/// Measures the cost of a journal for a cold process.
fn cold(home: &Path, journal: &Path, notes: usize) {
    let mut bytes = 0;
    for device in fs::read_dir(journal).unwrap() {
        for file in fs::read_dir(device.unwrap().path()).unwrap() {
            bytes += file.unwrap().metadata().unwrap().len();
        }
    }
    println!("| the journal | {:.1} MB |", bytes as f64 / 1e6);
    let started = Instant::now();
    let learned = usage::load(journal, &Parameters::default(), i64::MAX).unwrap();
    println!(
        "| folded, {} notes | {} |",
        learned.notes.len(),
        millis(started.elapsed())
    );
    let started = Instant::now();
    let stamp = usage::stamp(journal);
    let usages = learned.notes.iter();
    let usages = usages.map(|(path, known)| (path.as_str(), known.body.0, &known.usage));
    let file = home.join("learned");
    LearnedFile::encode(stamp, &learned.holds, usages)
        .write(&file)
        .unwrap();
    let bytes = fs::metadata(&file).unwrap().len();
    println!(
        "| fold written, {:.1} MB | {} |",
        bytes as f64 / 1e6,
        millis(started.elapsed())
    );
    let mut times: Vec<Duration> = Vec::new();
    for round in 0..100 {
        let started = Instant::now();
        let learned = LearnedFile::open(&file, usage::stamp(journal), i64::MAX).unwrap();
        for number in 0..20 {
            let path = note((number * 997 + round) % notes);
            learned.get(path.as_str(), 0).unwrap();
        }
        times.push(started.elapsed());
    }
    println!(
        "| opened and 20 notes looked up, median | {} |",
        micros(&mut times)
    );
    let started = Instant::now();
    let learned = LearnedFile::open(&file, stamp, i64::MAX).unwrap();
    for number in 0..notes {
        learned.get(note(number).as_str(), 0).unwrap();
    }
    println!(
        "| all {notes} notes looked up | {} |",
        millis(started.elapsed())
    );
}

fn micros(times: &mut [Duration]) -> String {
    times.sort_unstable();
    format!("{:.0} µs", times[times.len() / 2].as_secs_f64() * 1e6)
}

fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
