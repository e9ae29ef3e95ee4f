//! Whether editors and `mem` can write the same notes concurrently.
//!
//! ```text
//! cargo bench --bench races -- SAVES [--mem PATH] [--pause-us 4000] [--seed 1]
//! ```
//!
//! Five editors save SAVES texts each to their own notes: three in place (truncate and write, at
//! once or in two halves; overwrite and truncate), two by rename (a new file over the note; vim's
//! backup). Some of those notes are copies of each other, some link to them, some are sealed as an
//! agent's. Concurrent loops run `sleep --apply all`, `dedupe --apply all`, `undo`, `remember`,
//! `search`, and a user who applies `edit` and `mv` to the same notes. `--pause-us` is the mean
//! pause of an editor.
//!
//! Afterwards the bench checks: each editor's last save is at its path, or is the base of mem's
//! edit or merge of that note. Every file is a whole text that an editor saved or mem wrote. Every
//! text that mem replaced is in the images or in the trash. No hidden file or unfinished run is
//! left. Remembered texts exist. The index answers like a rebuilt one. Violations are listed, and
//! the exit code is 1.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod race;
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::Duration;

use race::{Race, Report};
use support::flags::{self, Flags};
use support::{Outcome, process};

const USAGE: &str = "cargo bench --bench races -- SAVES [--mem PATH] [--pause-us 4000] [--seed 1]";

fn main() -> ExitCode {
    flags::run(USAGE, &["--mem", "--pause-us", "--seed"], races)
}

fn races(flags: &Flags) -> Outcome<ExitCode> {
    let saves = flags.path("number of saves")?;
    let saves = saves.to_str().and_then(|saves| saves.parse().ok());
    let folder = tempfile::tempdir()?;
    let race = Race {
        mem: &process::binary(flags)?,
        folder: folder.path(),
        saves: saves.ok_or("how many saves is a number")?,
        pause: Duration::from_micros(flags.number("--pause-us", 4000)?),
        seed: flags.number("--seed", 1)?,
    };
    println!("{}", flags::command_line("races"));
    let report = race.run().map_err(|error| error.to_string())?;
    show(&report);
    if report.broken.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("kept to be looked at: {}", folder.keep().display());
    Ok(ExitCode::FAILURE)
}

fn show(report: &Report) {
    println!("seconds: {:.0}", report.time.as_secs_f64());
    for (saving, saves) in &report.saves {
        println!("saves {saving:?}: {saves}");
    }
    for (name, (runs, longest)) in &report.runs {
        println!("runs {name}: {runs}, longest {} ms", longest.as_millis());
    }
    println!("groups applied: {}", report.applied);
    for (why, groups) in &report.dropped {
        println!("groups dropped: {groups}, {why}");
    }
    let [edited, made, trashed] = report.writes;
    println!("files edited {edited}, made or brought back {made}, taken away {trashed}");
    println!("saves that mem built on: {}", report.taken_over);
    println!(
        "saves that came after the note was taken away, in the trash: {}",
        report.late
    );
    let [untouched, built_on] = report.last;
    println!("last saves: {untouched} stand, {built_on} were edited or merged since");
    println!("remembered: {}", report.remembered);
    for (words, times) in &report.failures {
        println!("failed {times} times: {words}");
    }
    for words in &report.broken {
        println!("BROKEN: {words}");
    }
}
