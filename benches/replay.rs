//! Whether incremental indexing gives the same answers as a rebuild.
//!
//! ```text
//! cargo bench --bench replay -- HISTORY_DIR [--mem PATH] [--steps N] [--searches 20] [--seed 1]
//! ```
//!
//! `HISTORY_DIR` contains `base/` (a vault) and `steps.jsonl`, one step per line: `{"n", "commit",
//! "at", "changes": [{"op": "add" | "modify" | "delete" | "rename", "path", "old_path",
//! "content"}]}` with whole texts. After each step `mem index` updates one set of caches, and `mem
//! index --rebuild` builds another from the same vault. `mem list --json` and the searches (drawn
//! from titles and words of the vault) must give the same bytes and exit codes with both. Clock and
//! vault path are equal.
//!
//! Each step prints the number of changed notes, milliseconds of the incremental pass and of the
//! rebuild, and `ok` or the first difference. The exit code is 1 if anything differed.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::process::ExitCode;
use std::time::Duration;

use support::Outcome;
use support::flags::{self, Flags};
use support::history::{self, commands, differences, make};
use support::process::{self, Mem};
use support::random::Random;

const USAGE: &str = "cargo bench --bench replay -- \
    HISTORY_DIR [--mem PATH] [--steps N] [--searches 20] [--seed 1]";

/// The clock of every command.
const NOW: &str = "2026-01-01T00:00:00Z";

fn main() -> ExitCode {
    flags::run(USAGE, &["--mem", "--steps", "--searches", "--seed"], replay)
}

fn replay(flags: &Flags) -> Outcome<ExitCode> {
    let folder = flags.path("history folder")?;
    let most: usize = flags.number("--steps", usize::MAX)?;
    let searches: usize = flags.number("--searches", 20)?;
    let seed: u64 = flags.number("--seed", 1)?;
    let scratch = tempfile::tempdir()?;
    let followed = Mem::new(flags, scratch.path())?
        .at_time(NOW)
        .with_cache_home("followed");
    let afresh = followed.with_cache_home("afresh");
    let vault = scratch.path().join("vault");
    process::copy_folder(&folder.join("base"), &vault)?;
    followed.init_and_index(&vault)?;

    let (mut steps, mut differing, mut compared) = (0, 0, 0);
    let (mut passes, mut rebuilds) = (Vec::new(), Vec::new());
    for step in history::steps(&folder)?.into_iter().take(most) {
        for change in &step.changes {
            make(change, &vault).map_err(|error| format!("step {}: {error}", step.n))?;
        }
        let pass = followed.run(&vault, &["index"])?.time;
        let rebuild = afresh.run(&vault, &["index", "--rebuild"])?.time;
        let mut random = Random::new(seed, step.n as u64);
        let commands = commands(&vault, searches, &mut random)?;
        compared += commands.len();
        let differences = differences(&followed, &afresh, &vault, &commands)?;
        println!(
            "step {:>3}: {:>3} changes, pass {:>6.1} ms, rebuild {:>7.1} ms: {}",
            step.n,
            step.changes.len(),
            milliseconds(pass),
            milliseconds(rebuild),
            if differences.is_empty() {
                "ok"
            } else {
                "DIFFERS"
            },
        );
        for difference in differences.iter().take(3) {
            println!("    {difference}");
        }
        steps += 1;
        differing += usize::from(!differences.is_empty());
        passes.push(pass);
        rebuilds.push(rebuild);
    }
    println!(
        "{steps} steps, {compared} answers compared, {differing} steps differ; \
         median pass {:.1} ms, median rebuild {:.1} ms",
        milliseconds(median(&mut passes)),
        milliseconds(median(&mut rebuilds)),
    );
    Ok(ExitCode::from(u8::from(differing > 0)))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
