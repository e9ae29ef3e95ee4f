//! Whether a vault comes to rest: what `mem sleep` changes, how soon it changes nothing more, whether it
//! asks anything twice, and whether all of it can be taken back.
//!
//! ```text
//! cargo bench --bench settle -- VAULT [--mem PATH] [--runs 5]
//! ```
//!
//! `VAULT` is only read: the bench works on a copy with homes of its own. `mem sleep --apply all` runs
//! until it changes nothing; a row per run says what each job changed and left to be asked, and how long
//! the process took. Then every open question is answered with no, the caches are deleted, and another
//! device, with the journal and nothing else of the first, looks at the same vault: neither may find
//! anything to do or to ask. In the end every run is undone, newest first, and the notes must be what
//! they were, byte for byte. The exit code is 1 if any of that fails.
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

const USAGE: &str = "cargo bench --bench settle -- VAULT [--mem PATH] [--runs 5]";

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
    /// What the jobs that change notes did, and what they left open.
    fn sums(&self) -> (usize, usize) {
        let jobs = || self.jobs.iter().filter(|job| job.name != "index");
        (
            jobs().map(|job| job.changed).sum(),
            jobs().map(|job| job.needs_answer).sum(),
        )
    }
}

fn main() -> ExitCode {
    flags::run(USAGE, &["--mem", "--runs"], settle)
}

fn settle(flags: &Flags) -> Outcome<ExitCode> {
    let scratch = tempfile::tempdir()?;
    let vault = scratch.path().join("vault");
    process::copy_folder(&flags.path("vault")?, &vault)?;
    let mem = Mem::new(flags, scratch.path())?;
    let most: usize = flags.number("--runs", 5usize)?;
    mem.run(&vault, &["init"])?;
    mem.run(&vault, &["index"])?;
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
    let mut runs = Vec::new();
    let mut rests = false;
    for run in 1..=most {
        let (sleep, seconds) = sleep(&mem, &vault)?;
        for job in sleep.jobs.iter().filter(|job| job.name != "index") {
            println!(
                "| {run} | {} | {} | {} | {} | {seconds:.2} s |",
                job.name, job.processed, job.changed, job.needs_answer
            );
        }
        runs.extend(sleep.jobs.iter().filter_map(|job| job.run.clone()));
        if sleep.sums().0 == 0 {
            rests = true;
            break;
        }
    }
    let mut failures = Vec::new();
    if !rests {
        failures.push(format!("still changes something in run {most}"));
    }
    let settled = notes(&vault)?;
    mem.run(
        &vault,
        &["-q", "review", "reject", "--all", "--min-chance", "0"],
    )?;
    for what in ["all answered with no", "caches deleted"] {
        if what == "caches deleted" {
            let cache = scratch.path().join("cache");
            fs::remove_dir_all(&cache).at(&cache)?;
        }
        let sums = sleep(&mem, &vault)?.0.sums();
        println!("\n{what}: {} changed, {} asked", sums.0, sums.1);
        if sums != (0, 0) {
            failures.push(format!("{what}: it did or asked something again"));
        }
    }
    let other = Mem::new(flags, &scratch.path().join("other"))?;
    let sums = sleep(&other, &vault)?.0.sums();
    println!("\nanother device: {} changed, {} asked", sums.0, sums.1);
    if sums != (0, 0) {
        failures.push("another device did or asked something again".to_owned());
    }
    if notes(&vault)? != settled {
        failures.push("the notes changed after they had come to rest".to_owned());
    }
    for run in runs.iter().rev() {
        mem.run(&vault, &["-q", "undo", run])?;
    }
    if notes(&vault)? != before {
        failures.push("undoing every run did not bring the notes back".to_owned());
    }
    println!("\nundone: {} runs", runs.len());
    for failure in &failures {
        println!("FAILED: {failure}");
    }
    Ok(ExitCode::from(u8::from(!failures.is_empty())))
}

fn sleep(mem: &Mem, vault: &Path) -> Outcome<(Sleep, f64)> {
    let run = mem.run(vault, &["-q", "sleep", "--all", "--json", "--apply", "all"])?;
    Ok((
        serde_json::from_slice(&run.output.stdout)?,
        run.time.as_secs_f64(),
    ))
}

/// The notes of the vault, by path.
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
