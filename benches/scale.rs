//! Time and memory of `mem` processes on a large vault, next to lower bounds.
//!
//! ```text
//! cargo bench --bench scale -- VAULT [--mem PATH] [--rg PATH] [--runs 5] [--queries 40] [--seed 1]
//! ```
//!
//! `VAULT` is only read: the bench works on a copy with its own homes. Figures to compare are
//! measured alternately in the same run, since a machine's speed varies. The page cache is warm.
//! The rows of the table:
//!
//! * full index: `mem index --rebuild`, total time and peak resident memory;
//! * nothing changed: `mem index` again, a parallel stat of the same files, and the ratio of the
//!   medians;
//! * one note changed: a new word is appended to a note (alternately in place and by rename), and a
//!   cold `mem search WORD` must find it;
//! * cold search: one process per query of 1 to 4 words from the vault, p50 and p95, `rg -l -i
//!   WORD` over the same notes, and the ratio of the medians;
//! * signals: `mem list --sort importance`, which counts the links of all notes, next to the list
//!   by path;
//! * start: `mem --version`;
//! * each job with `--apply none`: the first run over all notes with its peak memory, a run without
//!   changes, and one after 100 edited notes were indexed; then the same for `mem sleep`.
//!
//! The exit code is 1 if a changed note was not found.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ignore::{WalkBuilder, WalkState};

use support::flags::{self, Flags};
use support::process::{self, Mem};
use support::random::Random;
use support::{AtPath, Outcome, rough};

const USAGE: &str = "cargo bench --bench scale -- \
    VAULT [--mem PATH] [--rg PATH] [--runs 5] [--queries 40] [--seed 1]";

fn main() -> ExitCode {
    flags::run(
        USAGE,
        &["--mem", "--rg", "--runs", "--queries", "--seed"],
        scale,
    )
}

/// Vault, homes and parameters.
struct Bench {
    mem: Mem,
    vault: PathBuf,
    runs: usize,
    random: Random,
}

fn scale(flags: &Flags) -> Outcome<ExitCode> {
    let scratch = tempfile::tempdir()?;
    let vault = scratch.path().join("vault");
    process::copy_folder(&flags.path("vault")?, &vault)?;
    let mut bench = Bench {
        mem: Mem::new(flags, scratch.path())?,
        vault,
        runs: flags.number("--runs", 5usize)?.max(1),
        random: Random::new(flags.number("--seed", 1)?, 0),
    };
    let rg = flags
        .text("--rg")
        .map_or_else(|| on_path("rg"), |path| Some(PathBuf::from(path)));
    let queries: usize = flags.number("--queries", 40)?;

    let files = rough::markdown_files(&bench.vault)?;
    println!(
        "{}, `{}`",
        jiff::Zoned::now().date(),
        flags::command_line("scale")
    );
    println!("{} notes, medians of {} runs\n", files.len(), bench.runs);
    println!("| what | figure | beside | ratio |\n|---|---:|---:|---:|");
    bench.mem.run(&bench.vault, &["init"])?;
    bench.full_index(files.len())?;
    bench.nothing_changed()?;
    let found = bench.one_note_changed(&files)?;
    bench.cold_search(&files, queries, rg.as_deref())?;
    bench.signals()?;
    bench.start()?;
    bench.jobs(&files)?;
    Ok(ExitCode::from(u8::from(!found)))
}

impl Bench {
    fn full_index(&self, notes: usize) -> Outcome<()> {
        // Runs are long; three suffice for a median.
        let mut times = Vec::new();
        let mut peak = 0;
        for _ in 0..self.runs.min(3) {
            let (run, memory) = self
                .mem
                .run_measuring_memory(&self.vault, &["index", "--rebuild"])?;
            times.push(run.time);
            peak = peak.max(memory);
        }
        let median = percentile(&mut times, 0.5);
        let rate = notes as f64 / median.as_secs_f64();
        row(
            "full index",
            &seconds(median),
            &format!("{rate:.0} notes/s"),
            None,
        );
        row(
            "full index, peak memory",
            &format!("{:.0} MB", peak as f64 / 1e6),
            "",
            None,
        );
        Ok(())
    }

    fn nothing_changed(&self) -> Outcome<()> {
        let (mut passes, mut walks) = (Vec::new(), Vec::new());
        // The first run warms the page cache.
        for run in 0..=self.runs {
            let (walk, _) = stat_walk(&self.vault);
            let pass = self.mem.run(&self.vault, &["index"])?.time;
            if run > 0 {
                passes.push(pass);
                walks.push(walk);
            }
        }
        let (pass, walk) = (percentile(&mut passes, 0.5), percentile(&mut walks, 0.5));
        let beside = format!("stat walk {}", milliseconds(walk));
        row(
            "nothing changed, `mem index`",
            &milliseconds(pass),
            &beside,
            Some(ratio(pass, walk)),
        );
        Ok(())
    }

    /// Returns whether every changed note was found.
    fn one_note_changed(&mut self, files: &[PathBuf]) -> Outcome<bool> {
        let mut all_found = true;
        for (name, replaced) in [("saved by rename", true), ("saved in place", false)] {
            let mut times = Vec::new();
            let mut found = 0;
            for run in 0..self.runs {
                // In-place saves are detected at once only for recent notes or hits, so choose a
                // note that an earlier run just changed.
                let at = if replaced {
                    self.random.below(files.len())
                } else {
                    run % files.len()
                };
                let file = &files[at];
                let word = format!("xq{}{run}", if replaced { "renamed" } else { "inplace" });
                if !replaced {
                    append(file, "touched", true)?;
                    self.mem.run(&self.vault, &["index"])?;
                }
                append(file, &word, replaced)?;
                let (hits, time) = self.mem.search(&self.vault, &word, 10)?;
                times.push(time);
                let path = file.strip_prefix(&self.vault)?.to_string_lossy();
                found += usize::from(hits.iter().any(|hit| *hit == path));
            }
            let what = format!("one note {name}, found {found} of {}", self.runs);
            row(&what, &milliseconds(percentile(&mut times, 0.5)), "", None);
            all_found &= found == self.runs;
        }
        self.mem.run(&self.vault, &["index"])?;
        Ok(all_found)
    }

    fn cold_search(&mut self, files: &[PathBuf], queries: usize, rg: Option<&Path>) -> Outcome<()> {
        let (mut searches, mut scans) = (Vec::new(), Vec::new());
        let mut with_hits = 0;
        for _ in 0..queries {
            let words = self.query(files)?;
            let (hits, time) = self.mem.search(&self.vault, &words.join(" "), 10)?;
            with_hits += usize::from(!hits.is_empty());
            searches.push(time);
            if let Some(rg) = rg {
                let start = Instant::now();
                Command::new(rg)
                    .args(["-l", "-i", "-e", &words[0]])
                    .arg(&self.vault)
                    .stdin(Stdio::null())
                    .output()
                    .at(rg)?;
                scans.push(start.elapsed());
            }
        }
        let p50 = percentile(&mut searches, 0.5);
        let (beside, ratio) = if scans.is_empty() {
            ("no rg".to_owned(), None)
        } else {
            let scan = percentile(&mut scans, 0.5);
            (format!("rg {}", milliseconds(scan)), Some(ratio(scan, p50)))
        };
        let what = format!("cold search p50, {with_hits} of {queries} with hits");
        row(&what, &milliseconds(p50), &beside, ratio);
        row(
            "cold search p95",
            &milliseconds(percentile(&mut searches, 0.95)),
            "",
            None,
        );
        Ok(())
    }

    /// Draws one to four adjacent words from a note.
    fn query(&mut self, files: &[PathBuf]) -> Outcome<Vec<String>> {
        for _ in 0..1000 {
            let file = self.random.pick(files);
            let text = String::from_utf8_lossy(&fs::read(file).at(file)?).into_owned();
            let note = rough::read_note("", &text);
            let words: Vec<String> = rough::words(&note.body)
                .filter(|word| word.len() >= 3 && word.chars().all(char::is_alphabetic))
                .collect();
            let count = 1 + self.random.below(4);
            if words.len() > count {
                let first = self.random.below(words.len() - count);
                return Ok(words[first..first + count].to_vec());
            }
        }
        Err("the vault's notes have no words to search for".into())
    }

    fn signals(&self) -> Outcome<()> {
        let mut times = [const { Vec::new() }; 2];
        for _ in 0..self.runs {
            for (times, key) in times.iter_mut().zip(["importance", "path"]) {
                let list = ["list", "-n", "5", "--sort", key];
                times.push(self.mem.run(&self.vault, &list)?.time);
            }
        }
        let [by_importance, by_path] = times.map(|mut times| percentile(&mut times, 0.5));
        row(
            "`mem list --sort importance`",
            &milliseconds(by_importance),
            &format!("by path {}", milliseconds(by_path)),
            Some(ratio(by_importance, by_path)),
        );
        Ok(())
    }

    fn start(&self) -> Outcome<()> {
        let mut times = Vec::new();
        for _ in 0..self.runs * 10 {
            times.push(self.mem.run(&self.vault, &["--version"])?.time);
        }
        let p50 = milliseconds(percentile(&mut times, 0.5));
        row("start, `mem --version`", &p50, "", None);
        Ok(())
    }

    fn jobs(&mut self, files: &[PathBuf]) -> Outcome<()> {
        // Findings of a sleep are cached, so each job starts with a fresh index.
        for job in ["dedupe", "conflicts", "link", "sleep"] {
            self.mem.run(&self.vault, &["index", "--rebuild"])?;
            let all: &[&str] = if job == "sleep" { &["--all"] } else { &[] };
            let arguments: Vec<&str> = [&[job, "--apply", "none"], all].concat();
            let (run, memory) = self.mem.run_measuring_memory(&self.vault, &arguments)?;
            let memory = format!("{:.0} MB", memory as f64 / 1e6);
            row(
                &format!("`mem {job}`, all notes"),
                &seconds(run.time),
                &memory,
                None,
            );
            let mut times = Vec::new();
            for _ in 0..self.runs {
                times.push(self.mem.run(&self.vault, &arguments)?.time);
            }
            let again = milliseconds(percentile(&mut times, 0.5));
            row(&format!("`mem {job}`, nothing new"), &again, "", None);
            for edit in 0..100 {
                let file = self.random.pick(files).clone();
                append(&file, &format!("One more line of edit {edit}."), true)?;
            }
            self.mem.run(&self.vault, &["index"])?;
            let run = self.mem.run(&self.vault, &arguments)?;
            row(
                &format!("`mem {job}`, 100 edits"),
                &milliseconds(run.time),
                "",
                None,
            );
        }
        Ok(())
    }
}

/// Stats every note on all cores: the lower bound for a pass over the files.
fn stat_walk(vault: &Path) -> (Duration, usize) {
    let start = Instant::now();
    let count = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    WalkBuilder::new(vault)
        .threads(threads)
        .build_parallel()
        .run(|| {
            Box::new(|entry| {
                if let Ok(entry) = entry
                    && entry
                        .path()
                        .extension()
                        .is_some_and(|ending| ending == "md")
                    && entry.metadata().is_ok_and(|data| data.is_file())
                {
                    count.fetch_add(1, Ordering::Relaxed);
                }
                WalkState::Continue
            })
        });
    (start.elapsed(), count.into_inner())
}

/// Adds a line to a note, in place or by writing a new file and renaming it.
fn append(file: &Path, word: &str, replace: bool) -> Outcome<()> {
    if !replace {
        let mut open = OpenOptions::new().append(true).open(file).at(file)?;
        return writeln!(open, "\n{word}").at(file);
    }
    let mut text = fs::read(file).at(file)?;
    text.extend_from_slice(format!("\n{word}\n").as_bytes());
    let new = file.with_extension("md.new");
    fs::write(&new, text).at(&new)?;
    fs::rename(&new, file).at(file)
}

/// Returns the first program with that name on `PATH`.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

fn row(what: &str, figure: &str, beside: &str, ratio: Option<f64>) {
    let ratio = ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
    println!("| {what} | {figure} | {beside} | {ratio} |");
}

fn percentile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    let at = (times.len() as f64 * share) as usize;
    times
        .get(at.min(times.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

fn ratio(over: Duration, under: Duration) -> f64 {
    over.as_secs_f64() / under.as_secs_f64()
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}
