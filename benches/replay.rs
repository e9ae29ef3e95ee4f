//! Whether following changes one by one gives the same answers as starting afresh.
//!
//! ```text
//! cargo bench --bench replay -- HISTORY_DIR [--mem PATH] [--steps N] [--searches 20] [--seed 1]
//! ```
//!
//! `HISTORY_DIR` holds `base/` (a vault) and `steps.jsonl`: one line per step,
//! `{"n", "commit", "at", "changes": [{"op": "add" | "modify" | "delete" | "rename", "path",
//! "old_path", "content"}]}` with whole texts. After each step one set of caches is brought up to
//! date with `mem index`, another is built with `mem index --rebuild` from the same vault; then
//! `mem list --json` and the searches (drawn from the titles and words of the vault) must give the
//! same bytes and exit codes with both. Clock and vault path are the same for both.
//!
//! Per step: how many notes changed, milliseconds of the incremental pass and of the rebuild, and
//! `ok` or what differs first. The exit code is 1 when anything differed.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use serde::Deserialize;

use support::flags::{self, Flags};
use support::process::{self, Mem};
use support::random::Random;
use support::{AtPath, Outcome, rough};

const USAGE: &str = "cargo bench --bench replay -- \
    HISTORY_DIR [--mem PATH] [--steps N] [--searches 20] [--seed 1]";

/// The time at which every command of the replay runs.
const NOW: &str = "2026-01-01T00:00:00Z";

/// One step of a history.
#[derive(Deserialize)]
struct Step {
    n: usize,
    changes: Vec<Change>,
}

/// One file's change; `content` is its whole text afterwards.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Change {
    Add {
        path: String,
        content: String,
    },
    Modify {
        path: String,
        content: String,
    },
    Delete {
        path: String,
    },
    Rename {
        path: String,
        old_path: String,
        content: String,
    },
}

fn main() -> ExitCode {
    flags::run(USAGE, &["--mem", "--steps", "--searches", "--seed"], replay)
}

fn replay(flags: &Flags) -> Outcome<ExitCode> {
    let history = flags.path("history folder")?;
    let most: usize = flags.number("--steps", usize::MAX)?;
    let searches: usize = flags.number("--searches", 20)?;
    let seed: u64 = flags.number("--seed", 1)?;
    let scratch = tempfile::tempdir()?;
    let followed = Mem::new(flags, scratch.path())?
        .at_time(NOW)
        .with_cache_home("followed");
    let afresh = followed.with_cache_home("afresh");
    let vault = scratch.path().join("vault");
    process::copy_folder(&history.join("base"), &vault)?;
    followed.init_and_index(&vault)?;

    let file = history.join("steps.jsonl");
    let text = fs::read_to_string(&file).at(&file)?;
    let (mut steps, mut differing, mut compared) = (0, 0, 0);
    let (mut passes, mut rebuilds) = (Vec::new(), Vec::new());
    for line in text.lines().take(most) {
        let step: Step = serde_json::from_str(line)
            .map_err(|error| format!("{}: step {steps}: {error}", file.display()))?;
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

/// Makes one change in the vault.
fn make(change: &Change, vault: &Path) -> Outcome<()> {
    let write = |path: &str, content: &str| {
        let file = inside(vault, path)?;
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).at(folder)?;
        }
        fs::write(&file, content).at(&file)
    };
    match change {
        Change::Add { path, content } | Change::Modify { path, content } => write(path, content),
        Change::Delete { path } => {
            let file = inside(vault, path)?;
            fs::remove_file(&file).at(&file)
        }
        Change::Rename {
            path,
            old_path,
            content,
        } => {
            let (old, new) = (inside(vault, old_path)?, inside(vault, path)?);
            if let Some(folder) = new.parent() {
                fs::create_dir_all(folder).at(folder)?;
            }
            fs::rename(&old, &new).at(&old)?;
            // A rename without an edit keeps its modification time, as `mv` does.
            if fs::read(&new).at(&new)? == content.as_bytes() {
                return Ok(());
            }
            write(path, content)
        }
    }
}

/// Returns where a step's path lies; a path that leaves the vault is refused.
fn inside(vault: &Path, path: &str) -> Outcome<PathBuf> {
    let plain = Path::new(path)
        .components()
        .all(|component| matches!(component, std::path::Component::Normal(_)));
    if plain {
        Ok(vault.join(path))
    } else {
        Err(format!("`{path}` leaves the vault").into())
    }
}

/// Returns the command lines whose answers are compared.
fn commands(vault: &Path, searches: usize, random: &mut Random) -> Outcome<Vec<Vec<String>>> {
    let notes = rough::read_notes(vault)?;
    let titles: Vec<&str> = notes.iter().map(|note| note.title.as_str()).collect();
    let words = rough::vocabulary(notes.iter().map(|note| note.body.as_str()));
    if titles.is_empty() || words.is_empty() {
        return Err("the vault has no words to search for".into());
    }
    let mut commands = vec![vec!["list".to_owned(), "--json".to_owned()]];
    for at in 0..searches {
        let query = match at % 4 {
            0 => (*random.pick(&titles)).to_owned(),
            1 => random.pick(&words).clone(),
            2 => format!("{} {}", random.pick(&words), random.pick(&words)),
            _ => {
                let title = *random.pick(&titles);
                let first = title.split_whitespace().next().unwrap_or(title);
                format!("{first} {}", random.pick(&words))
            }
        };
        let search = ["search", "--json", "--limit", "50", "--", &query].map(str::to_owned);
        commands.push(search.to_vec());
    }
    Ok(commands)
}

/// Runs every command with both caches and says which answers are not the same.
fn differences(
    followed: &Mem,
    afresh: &Mem,
    vault: &Path,
    commands: &[Vec<String>],
) -> Outcome<Vec<String>> {
    let mut differences = BTreeMap::new();
    for (at, command) in commands.iter().enumerate() {
        let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        let one = followed.run(vault, &arguments)?.output;
        let other = afresh.run(vault, &arguments)?.output;
        if one.status.code() != other.status.code() {
            let text = format!("{arguments:?}: {} and {}", one.status, other.status);
            differences.insert(at, text);
        } else if one.stdout != other.stdout {
            let place = first_difference(&one.stdout, &other.stdout);
            differences.insert(at, format!("{arguments:?}: {place}"));
        }
    }
    Ok(differences.into_values().collect())
}

/// Returns the place where two outputs part, with some text of each.
fn first_difference(one: &[u8], other: &[u8]) -> String {
    let at = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let excerpt = |bytes: &[u8]| {
        let around = &bytes[at.saturating_sub(40)..bytes.len().min(at + 60)];
        String::from_utf8_lossy(around).into_owned()
    };
    format!(
        "at byte {at}: followed {:?}, afresh {:?}",
        excerpt(one),
        excerpt(other)
    )
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
