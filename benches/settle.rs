//! Whether a vault reaches a fixpoint: what `mem sleep` changes, after how many runs it changes
//! nothing, whether it repeats questions, and whether everything can be undone.
//!
//! ```text
//! cargo bench --bench settle -- VAULT [--mem PATH] [--runs 2] [--least 0] [--set KEY=VALUE]… [--yes KIND]…
//! ```
//!
//! `VAULT` is only read: the bench works on a copy with its own homes and the settings of `--set`.
//! `mem sleep --apply all` runs, and every question of a kind in `--yes` is accepted, until neither
//! changes anything, within `--runs` runs. The first run must change at least `--least`. A row per
//! job shows its changes, open questions and time. Then every open question is rejected, the caches
//! are deleted, and another device, which shares only the journal, processes the same vault.
//! Neither may find or ask anything.
//!
//! If there is a summary, one of its notes gets another sentence, and a similar note is added. The
//! vault must reach a fixpoint equally fast, and undoing that must restore the previous state.
//! Finally every run is undone, newest first, and the notes must equal the originals byte for byte.
//! The exit code is 1 if any of that fails.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use serde::Deserialize;

use support::flags::{self, Flags};
use support::process::{self, Mem};
use support::{AtPath, Outcome, rough};

const USAGE: &str = "cargo bench --bench settle -- VAULT [--mem PATH] [--runs 2] [--least 0] \
                     [--set KEY=VALUE]… [--yes KIND]…";

#[derive(Deserialize)]
struct Sleep {
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    #[serde(rename = "job")]
    name: String,
    processed: usize,
    changed: usize,
    needs_answer: usize,
    run: Option<String>,
}

impl Sleep {
    /// Returns the numbers of changes and open questions of the jobs that change notes.
    fn sums(&self) -> (usize, usize) {
        let jobs = || self.jobs.iter().filter(|job| job.name != "index");
        (
            jobs().map(|job| job.changed).sum(),
            jobs().map(|job| job.needs_answer).sum(),
        )
    }
}

/// Reply of `review accept` for a question.
#[derive(Deserialize)]
struct AcceptReply {
    outcome: String,
    run: Option<String>,
}

/// The vault and the parameters of the run.
struct Vault<'a> {
    mem: Mem,
    folder: &'a Path,
    yes: &'a [String],
    most: usize,
    /// Runs that changed notes, oldest first.
    runs: Vec<String>,
}

fn main() -> ExitCode {
    let known = ["--mem", "--runs", "--least", "--set", "--yes"];
    flags::run(USAGE, &known, settle)
}

fn settle(flags: &Flags) -> Outcome<ExitCode> {
    let scratch = tempfile::tempdir()?;
    let vault = scratch.path().join("vault");
    process::copy_folder(&flags.path("vault")?, &vault)?;
    let mut rest = Vault {
        mem: Mem::new(flags, scratch.path())?,
        folder: &vault,
        yes: flags.all("--yes"),
        most: flags.number("--runs", 2usize)?,
        runs: Vec::new(),
    };
    rest.mem.run(&vault, &["init"])?;
    set(&rest.mem, &vault, flags)?;
    rest.mem.run(&vault, &["index"])?;
    let before = notes(&vault)?;
    println!(
        "{}, `{}`",
        jiff::Zoned::now().date(),
        flags::command_line("settle")
    );
    println!("{} notes\n", before.len());
    println!(
        "| run | job | compared | changed | open | whole run |\n|---|---|---:|---:|---:|---:|"
    );
    let mut failures = Vec::new();
    let first = rest.run_to_fixpoint(&mut failures)?;
    if first < flags.number("--least", 0usize)? {
        failures.push(format!("the first run changed only {first}"));
    }
    let settled = notes(&vault)?;
    rest.reject()?;
    for what in ["all answered with no", "caches deleted"] {
        if what == "caches deleted" {
            let cache = scratch.path().join("cache");
            fs::remove_dir_all(&cache).at(&cache)?;
        }
        let sums = rest.sleep()?.0.sums();
        println!("\n{what}: {} changed, {} asked", sums.0, sums.1);
        if sums != (0, 0) {
            failures.push(format!("{what}: it did or asked something again"));
        }
    }
    let other = Vault {
        mem: Mem::new(flags, &scratch.path().join("other"))?,
        runs: Vec::new(),
        ..rest
    };
    set(&other.mem, &vault, flags)?;
    let sums = other.sleep()?.0.sums();
    println!("\nanother device: {} changed, {} asked", sums.0, sums.1);
    if sums != (0, 0) {
        failures.push("another device did or asked something again".to_owned());
    }
    if notes(&vault)? != settled {
        failures.push("the notes changed after they had come to rest".to_owned());
    }
    rest.change_members(&settled, &mut failures)?;
    println!("\nundone: {} runs", rest.runs.len());
    rest.undo(0)?;
    if notes(&vault)? != before {
        failures.push("undoing every run did not bring the notes back".to_owned());
    }
    for failure in &failures {
        println!("FAILED: {failure}");
    }
    Ok(ExitCode::from(u8::from(!failures.is_empty())))
}

/// Sets the settings of `--set`.
fn set(mem: &Mem, vault: &Path, flags: &Flags) -> Outcome<()> {
    for setting in flags.all("--set") {
        let (key, value) = setting
            .split_once('=')
            .ok_or(format!("`--set {setting}` has no `=`"))?;
        mem.run(vault, &["config", key, value])?;
    }
    Ok(())
}

impl Vault<'_> {
    /// Runs until nothing changes and returns the changes of the first run.
    fn run_to_fixpoint(&mut self, failures: &mut Vec<String>) -> Outcome<usize> {
        let mut first = 0;
        for run in 1..=self.most + 1 {
            let (sleep, seconds) = self.sleep()?;
            for job in sleep.jobs.iter().filter(|job| job.name != "index") {
                println!(
                    "| {run} | {} | {} | {} | {} | {seconds:.2} s |",
                    job.name, job.processed, job.changed, job.needs_answer
                );
            }
            self.runs
                .extend(sleep.jobs.iter().filter_map(|job| job.run.clone()));
            let accepted = self.accept()?;
            println!("| {run} | answered with yes | | {accepted} | | |");
            let changed = sleep.sums().0 + accepted;
            if run == 1 {
                first = changed;
            }
            if changed == 0 {
                return Ok(first);
            }
        }
        failures.push(format!("still changes something after {} runs", self.most));
        Ok(first)
    }

    fn sleep(&self) -> Outcome<(Sleep, f64)> {
        let arguments = ["-q", "sleep", "--all", "--json", "--apply", "all"];
        let run = self.mem.run(self.folder, &arguments)?;
        Ok((
            serde_json::from_slice(&run.output.stdout)?,
            run.time.as_secs_f64(),
        ))
    }

    /// Accepts the questions of these kinds and returns how many led to a change.
    fn accept(&mut self) -> Outcome<usize> {
        let mut applied = 0;
        for kind in self.yes {
            let asked = ["--all", "--min-chance", "0", "--kind", kind, "--jsonl"];
            let arguments = [&["-q", "review", "accept"][..], &asked].concat();
            let run = self.mem.run(self.folder, &arguments)?;
            for line in String::from_utf8(run.output.stdout)?.lines() {
                let accepted: AcceptReply = serde_json::from_str(line)?;
                if accepted.outcome == "applied" {
                    applied += 1;
                    let run = accepted.run.ok_or("what was applied is of a run")?;
                    if !self.runs.contains(&run) {
                        self.runs.push(run);
                    }
                }
            }
        }
        Ok(applied)
    }

    fn reject(&self) -> Outcome<()> {
        let arguments = ["-q", "review", "reject", "--all", "--min-chance", "0"];
        self.mem.run(self.folder, &arguments)?;
        Ok(())
    }

    /// Undoes all runs except the oldest `kept`.
    fn undo(&mut self, kept: usize) -> Outcome<()> {
        for run in self.runs.drain(kept..).rev() {
            self.mem.run(self.folder, &["-q", "undo", &run])?;
        }
        Ok(())
    }

    /// Changes a note of a summary and adds another, waits for the fixpoint, and undoes all of it.
    fn change_members(
        &mut self,
        settled: &BTreeMap<String, Vec<u8>>,
        failures: &mut Vec<String>,
    ) -> Outcome<()> {
        let Some(member) = settled.values().find_map(|text| member(text, settled)) else {
            println!("\nno summary");
            return Ok(());
        };
        println!("\n{member} gets a sentence, and a note like it\n");
        let runs = self.runs.len();
        let path = self.folder.join(member);
        let was = &settled[member];
        let edited = [was, &b"\nThis was looked at again later.\n"[..]].concat();
        fs::write(&path, &edited).at(&path)?;
        let added = path.with_extension("also.md");
        let body = rough::read_note(member, &String::from_utf8_lossy(was)).body;
        fs::write(&added, format!("{body}\nAnother one of the kind.\n")).at(&added)?;
        if self.run_to_fixpoint(failures)? == 0 {
            failures.push("the summary did not follow its notes".to_owned());
        }
        self.undo(runs)?;
        fs::write(&path, was).at(&path)?;
        fs::remove_file(&added).at(&added)?;
        if notes(self.folder)? != *settled {
            failures.push("undoing what followed the notes did not bring them back".to_owned());
        }
        Ok(())
    }
}

/// Returns a note that the summary `text` covers.
fn member<'a>(text: &[u8], notes: &'a BTreeMap<String, Vec<u8>>) -> Option<&'a str> {
    let text = std::str::from_utf8(text).ok()?;
    let (_, list) = text.split_once("\nsummarizes:")?;
    let (_, target) = list.split_once("[[")?;
    let target = target.split(['|', '#', ']']).next()?;
    let is_meant = |path: &&String| {
        let stem = path.strip_suffix(".md").unwrap_or(path);
        stem == target || stem.ends_with(&format!("/{target}"))
    };
    notes.keys().find(is_meant).map(String::as_str)
}

/// Returns the notes of the vault by path.
fn notes(vault: &Path) -> Outcome<BTreeMap<String, Vec<u8>>> {
    let mut notes = BTreeMap::new();
    for file in rough::markdown_files(vault)? {
        let path = file.strip_prefix(vault)?.to_string_lossy().into_owned();
        if !path.starts_with(".mem/") {
            notes.insert(path, fs::read(&file).at(&file)?);
        }
    }
    Ok(notes)
}
