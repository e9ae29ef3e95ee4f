//! Latency, correctness and memory of `mem watch` with real editors and tools.
//!
//! ```text
//! cargo bench --bench watch -- VAULT [--mem PATH] [--rounds 5] [--burst 10000]
//!     [--history HISTORY_DIR] [--steps 60] [--soak MINUTES] [--rate 200] [--seed 1]
//! ```
//!
//! A copy of `VAULT` is watched while editors (`vim`, `nvim`, `sed -i`), `git checkout`, `rsync -a`
//! and `mv` change notes in it, `--rounds` times each if installed. "Found" is the time from the
//! end of the tool to the first `mem --no-sync search` that finds the change. The search runs every
//! few milliseconds, and its own time counts. The burst writes `--burst` notes and counts as found
//! with the last. `--soak` changes random notes for that many minutes, about `--rate` per second,
//! and prints the resident memory of the watch. Afterwards the list and 40 searches must give the
//! same bytes as with a rebuilt index.
//!
//! With `--history` (layout as in `replay`) a watch follows the steps instead, each once it reports
//! that it is up to date, and is compared after each.
//!
//! The exit code is 1 if anything differed.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use support::flags::{self, Flags};
use support::history;
use support::process::{self, Mem};
use support::random::Random;
use support::{AtPath, Outcome, rough};

const USAGE: &str = "cargo bench --bench watch -- VAULT [--mem PATH] [--rounds 5] [--burst 10000] \
    [--history HISTORY_DIR] [--steps 60] [--soak MINUTES] [--rate 200] [--seed 1]";

/// The clock of every command.
const NOW: &str = "2026-01-01T00:00:00Z";

/// Timeout for all waiting.
const TIMEOUT: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let known = [
        "--mem",
        "--rounds",
        "--burst",
        "--history",
        "--steps",
        "--soak",
        "--rate",
        "--seed",
    ];
    flags::run(USAGE, &known, bench)
}

fn bench(flags: &Flags) -> Outcome<ExitCode> {
    let scratch = tempfile::tempdir()?;
    let mem = Mem::new(flags, scratch.path())?.at_time(NOW);
    let vault = scratch.path().join("vault");
    let is_right = if let Some(history) = flags.text("--history") {
        follow(flags, &mem, Path::new(history), &vault)?
    } else {
        let from = flags.path("vault")?;
        process::copy_folder(&from, &vault)?;
        mem.init_and_index(&vault)?;
        let watch = Watch::start(&mem, &vault)?;
        println!(
            "{} notes in {} folders; resident {:.1} MB at the start",
            watch.started["notes"],
            watch.started["folders"],
            watch.resident()?
        );
        tools(flags, &watch)?;
        burst(flags, &watch)?;
        soak(flags, &watch)?;
        let is_right = compare(&mem, &vault, &watch, 40, 0)?;
        println!("resident {:.1} MB at the end", watch.resident()?);
        is_right
    };
    println!(
        "index afterwards against one built afresh: {}",
        if is_right { "same" } else { "DIFFERS" }
    );
    Ok(ExitCode::from(u8::from(!is_right)))
}

/// A running watch.
struct Watch<'m> {
    mem: &'m Mem,
    vault: &'m Path,
    child: Child,
    started: Value,
}

impl<'m> Watch<'m> {
    fn start(mem: &'m Mem, vault: &'m Path) -> Outcome<Self> {
        let mut child = mem
            .command(vault, &["watch", "--jsonl", "--no-sleep"])
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().ok_or("stdout was piped")?;
        let mut lines = BufReader::new(stdout).lines();
        let line = lines.next().ok_or("the watch ended at once")??;
        // Drain the rest of its output.
        thread::spawn(move || lines.for_each(drop));
        Ok(Self {
            mem,
            vault,
            child,
            started: serde_json::from_str(&line)?,
        })
    }

    /// Resident memory in megabytes, without mapped files.
    fn resident(&self) -> Outcome<f64> {
        let file = PathBuf::from(format!("/proc/{}/status", self.child.id()));
        let status = fs::read_to_string(&file).at(&file)?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = line.map(|line| line.trim().trim_end_matches(" kB").trim());
        Ok(kilobytes.unwrap_or_default().parse::<f64>()? / 1000.0)
    }

    /// Waits until the watch reports that it is up to date.
    fn settle(&self) -> Outcome<()> {
        let began = Instant::now();
        while began.elapsed() < TIMEOUT {
            let status = self.mem.run(self.vault, &["status", "--json"])?.output;
            let status: Value = serde_json::from_slice(&status.stdout)?;
            if status["watch"]["current"] == true {
                return Ok(());
            }
        }
        Err("the watch never reports that it is up to date".into())
    }

    /// Waits until the index has `word` in `notes` notes; returns the time.
    fn wait_until_found(&self, word: &str, notes: usize) -> Outcome<Duration> {
        let began = Instant::now();
        let arguments = [
            "--no-sync",
            "search",
            "--mode",
            "lexical",
            "--json",
            "-n",
            "1",
            word,
        ];
        while began.elapsed() < TIMEOUT {
            let output = self.mem.run(self.vault, &arguments)?.output;
            let answer: Value = serde_json::from_slice(&output.stdout)?;
            if answer["total"].as_u64() == Some(notes as u64) {
                return Ok(began.elapsed());
            }
        }
        Err(format!("`{word}` is never found in {notes} notes").into())
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Compares the watch's index with a rebuilt one.
fn compare(
    mem: &Mem,
    vault: &Path,
    watch: &Watch<'_>,
    searches: usize,
    stream: u64,
) -> Outcome<bool> {
    watch.settle()?;
    let afresh = mem.with_cache_home("afresh");
    afresh.run(vault, &["index", "--rebuild"])?;
    let mut random = Random::new(1, stream);
    let mut commands = history::commands(vault, searches, &mut random)?;
    for command in &mut commands {
        command.insert(0, "--no-sync".to_owned());
    }
    let differences = history::differences(mem, &afresh, vault, &commands)?;
    for difference in differences.iter().take(3) {
        println!("    {difference}");
    }
    Ok(differences.is_empty())
}

/// Runs a watch over a history.
fn follow(flags: &Flags, mem: &Mem, folder: &Path, vault: &Path) -> Outcome<bool> {
    let most: usize = flags.number("--steps", 60)?;
    process::copy_folder(&folder.join("base"), vault)?;
    mem.init_and_index(vault)?;
    let watch = Watch::start(mem, vault)?;
    let (mut steps, mut differing, mut times) = (0, 0, Vec::new());
    for step in history::steps(folder)?.into_iter().take(most) {
        for change in &step.changes {
            history::make(change, vault).map_err(|error| format!("step {}: {error}", step.n))?;
        }
        // Events of the step arrive before this one.
        let word = format!("zz{}zz", step.n);
        let fence = vault.join("fence.md");
        fs::write(&fence, &word).at(&fence)?;
        times.push(watch.wait_until_found(&word, 1)?);
        let is_right = compare(mem, vault, &watch, 20, step.n as u64)?;
        println!(
            "step {:>3}: {:>3} changes: {}",
            step.n,
            step.changes.len(),
            if is_right { "ok" } else { "DIFFERS" }
        );
        steps += 1;
        differing += usize::from(!is_right);
    }
    println!(
        "{steps} steps, {differing} differ; found after {}",
        median_and_max(&mut times)
    );
    Ok(differing == 0)
}

/// A tool that changes a note: name and shell script. The script gets `$NOTE`, `$WORD`, `$ROUND`,
/// `$OUT` (a folder outside the vault) and `$VAULT`, and leaves the word in one note.
const TOOLS: [(&str, &str, &str); 8] = [
    (
        "sh",
        "written in place",
        "printf '\\n%s\\n' $WORD >> \"$NOTE\"",
    ),
    (
        "sh",
        "new file renamed over",
        "(cat \"$NOTE\"; echo; echo $WORD) > \"$OUT/n\" && mv \"$OUT/n\" \"$NOTE\"",
    ),
    ("sed", "sed -i", "sed -i \"\\$a $WORD\" \"$NOTE\""),
    (
        "vim",
        "vim -es",
        "vim -Nu NONE -es -c 'set backup writebackup' -c \"normal Go$WORD\" -c 'wq!' \"$NOTE\"; grep -q $WORD \"$NOTE\"",
    ),
    (
        "nvim",
        "nvim -es",
        "nvim -u NONE -es -c \"normal Go$WORD\" -c 'wq!' \"$NOTE\"; grep -q $WORD \"$NOTE\"",
    ),
    (
        "rsync",
        "rsync -a of one note",
        "mkdir -p \"$OUT/r\" && (cat \"$NOTE\"; echo; echo $WORD) > \"$OUT/r/$(basename \"$NOTE\")\" && rsync -a \"$OUT/r/\" \"$(dirname \"$NOTE\")/\" && rm -r \"$OUT/r\"",
    ),
    (
        "mv",
        "folder with 100 notes moved in",
        "mkdir -p \"$OUT/f/deep\" && for i in $(seq 100); do echo \"note $i\" > \"$OUT/f/deep/$i.md\"; done; echo $WORD > \"$OUT/f/deep/last.md\"; mv \"$OUT/f\" \"$VAULT/in $ROUND\"",
    ),
    (
        "mv",
        "that folder renamed, then saved to",
        "mv \"$VAULT/in $ROUND\" \"$VAULT/out $ROUND\" && echo $WORD >> \"$VAULT/out $ROUND/deep/1.md\"",
    ),
];

fn tools(flags: &Flags, watch: &Watch<'_>) -> Outcome<()> {
    let rounds: usize = flags.number("--rounds", 5)?;
    let mut random = Random::new(flags.number("--seed", 1)?, 0);
    let notes = rough::markdown_files(watch.vault)?;
    let out = watch.vault.with_file_name("out");
    fs::create_dir_all(&out).at(&out)?;
    for (number, (tool, name, script)) in TOOLS.iter().enumerate() {
        if !is_installed(tool) {
            println!("{name:<40} not installed");
            continue;
        }
        let mut times = Vec::new();
        for round in 0..rounds {
            let word = format!("zz{number}x{round}zz");
            let status = Command::new("sh")
                .args(["-c", script])
                .env("NOTE", random.pick(&notes))
                .env("WORD", &word)
                .env("ROUND", round.to_string())
                .env("OUT", &out)
                .env("VAULT", watch.vault)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()?;
            if !status.success() {
                return Err(format!("{name}: {status}").into());
            }
            times.push(watch.wait_until_found(&word, 1)?);
            watch.settle()?;
        }
        println!("{name:<40} {}", median_and_max(&mut times));
    }
    if is_installed("git") {
        checkout(watch, rounds)?;
    }
    Ok(())
}

/// Switches between branches that differ in a thousand notes.
fn checkout(watch: &Watch<'_>, rounds: usize) -> Outcome<()> {
    let git = |arguments: &[&str]| -> Outcome<()> {
        let output = Command::new("git")
            .arg("-C")
            .arg(watch.vault)
            .args(["-c", "user.name=bench", "-c", "user.email=bench@localhost"])
            .args(arguments)
            .output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!(
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into())
    };
    git(&["init", "-q", "-b", "one"])?;
    git(&["add", "-A"])?;
    git(&["commit", "-q", "-m", "one"])?;
    git(&["checkout", "-q", "-b", "two"])?;
    let notes = rough::markdown_files(watch.vault)?;
    let step = (notes.len() / 1000).max(1);
    let mut changed = 0;
    for note in notes.iter().step_by(step).take(1000) {
        let mut text = fs::read(note).at(note)?;
        text.extend(b"\nzzbranchzz\n");
        fs::write(note, text).at(note)?;
        changed += 1;
    }
    git(&["commit", "-q", "-a", "-m", "two"])?;
    watch.wait_until_found("zzbranchzz", changed)?;
    let mut times = Vec::new();
    for _ in 0..rounds {
        git(&["checkout", "-q", "one"])?;
        times.push(watch.wait_until_found("zzbranchzz", 0)?);
        git(&["checkout", "-q", "two"])?;
        times.push(watch.wait_until_found("zzbranchzz", changed)?);
    }
    let name = format!("git checkout of {changed} notes");
    println!("{name:<40} {}", median_and_max(&mut times));
    Ok(())
}

/// Writes many notes at once.
fn burst(flags: &Flags, watch: &Watch<'_>) -> Outcome<()> {
    let burst: usize = flags.number("--burst", 10_000)?;
    if burst == 0 {
        return Ok(());
    }
    let began = Instant::now();
    for number in 0..burst {
        let folder = watch.vault.join(format!("burst {}", number % 20));
        if number < 20 {
            fs::create_dir_all(&folder).at(&folder)?;
        }
        let note = folder.join(format!("{number}.md"));
        fs::write(
            &note,
            format!("# Burst {number}\n\nA zzburstzz note, number {number}.\n"),
        )
        .at(&note)?;
    }
    let wrote = began.elapsed();
    let took = watch.wait_until_found("zzburstzz", burst)?;
    println!(
        "burst of {burst} notes, written in {:.2} s: all found {:.2} s later",
        wrote.as_secs_f64(),
        took.as_secs_f64()
    );
    Ok(())
}

/// Changes random notes for some minutes.
fn soak(flags: &Flags, watch: &Watch<'_>) -> Outcome<()> {
    let minutes: f64 = flags.number("--soak", 0.0)?;
    let rate: f64 = flags.number("--rate", 200.0)?;
    if minutes <= 0.0 {
        return Ok(());
    }
    let mut random = Random::new(flags.number("--seed", 1)?, 7);
    let folder = watch.vault.join("soak");
    fs::create_dir_all(&folder).at(&folder)?;
    let (began, end) = (Instant::now(), Duration::from_secs_f64(minutes * 60.0));
    let (mut changes, mut told) = (0_usize, 0);
    while began.elapsed() < end {
        let place = |number: usize| folder.join(format!("{}/{number}.md", number % 9));
        let note = place(random.below(400));
        let parent = note
            .parent()
            .ok_or("a note has a parent folder")?
            .to_owned();
        fs::create_dir_all(&parent).at(&parent)?;
        let text = format!(
            "# Soak\n\nChanged {changes} times, zz{}zz.\n",
            random.below(1000)
        );
        match random.below(20) {
            0..8 => fs::write(&note, text).at(&note)?,
            8..14 => {
                let temp = parent.join(".temp");
                fs::write(&temp, text).at(&temp)?;
                fs::rename(&temp, &note).at(&note)?;
            }
            14..16 => {
                let backup = note.with_extension("md~");
                let _ = fs::rename(&note, &backup);
                fs::write(&note, text).at(&note)?;
                let _ = fs::remove_file(&backup);
            }
            16..18 => drop(fs::remove_file(&note)),
            18 => {
                let to = place(random.below(400));
                if to.parent().is_some_and(Path::exists) {
                    let _ = fs::rename(&note, &to);
                }
            }
            _ if random.chance(0.1) => {
                let aside = folder.join("aside");
                fs::rename(&parent, &aside).at(&parent)?;
                fs::rename(&aside, &parent).at(&aside)?;
            }
            _ => {}
        }
        changes += 1;
        let ahead = changes as f64 / rate - began.elapsed().as_secs_f64();
        if ahead > 0.0 {
            thread::sleep(Duration::from_secs_f64(ahead));
        }
        let minute = (began.elapsed().as_secs_f64() / 30.0) as usize;
        if minute > told {
            told = minute;
            println!(
                "soak {:>4} s: {changes} changes, resident {:.1} MB",
                minute * 30,
                watch.resident()?
            );
        }
    }
    watch.settle()?;
    println!(
        "soak: {changes} changes in {minutes} min, resident {:.1} MB",
        watch.resident()?
    );
    Ok(())
}

fn is_installed(tool: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {tool}")])
        .stdout(Stdio::null())
        .status();
    found.is_ok_and(|status| status.success())
}

/// Formats median and maximum of some times.
fn median_and_max(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |place: usize| times.get(place).copied().unwrap_or_default().as_secs_f64();
    format!(
        "median {:.2} s, longest {:.2} s",
        at(times.len() / 2),
        at(times.len().saturating_sub(1))
    )
}
