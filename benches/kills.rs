//! Crash safety: kills a command at each of its system calls and checks the result.
//!
//! ```text
//! cargo bench --bench kills -- NOTES_DIR [--mem PATH] [--every 1] [--only OPERATION]
//! ```
//!
//! Each operation (an edit, a merge, a purge, …) first runs to its end under `strace`, which counts
//! the calls that change files. Then it runs repeatedly on the same vault, killed at the first
//! call, the second, and so on (or at each nth, with `--every`). After each kill further commands
//! run as a person would continue, and the bench checks:
//!
//! - Each note has its content from before or after the operation. For an operation of one group,
//!   all notes agree.
//! - Running the operation again gives the same notes as an uninterrupted run. A recorded answer is
//!   no longer an open question, and the next run of the job applies it.
//! - `undo` restores every byte if the operation was applied.
//! - After the next sleep no draft (older than some seconds) and no unfinished run is left.
//! - The caches give the same answers as rebuilt ones.
//!
//! Failures are listed, and the exit code is 1. Without `strace` the bench prints so and exits with
//! 2.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use support::flags::{self, Flags};
use support::process::{self, Mem};
use support::{AtPath, Outcome, rough};
use walkdir::WalkDir;

const USAGE: &str = "cargo bench --bench kills -- \
    NOTES_DIR [--mem PATH] [--every 1] [--only OPERATION]";

/// The clock of every command.
const NOW: &str = "2026-01-01T00:00:00Z";

/// System calls that change files.
const CALLS: &str = "write,pwrite64,writev,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,\
    fsync,fdatasync,ftruncate,fallocate,link,linkat,fchmod,fchmodat,utimensat,msync,sync_file_range,flock";

/// Prefix of temporary files that mem writes.
const DRAFT: &str = ".~mem-";

fn main() -> ExitCode {
    flags::run(USAGE, &["--mem", "--every", "--only"], kills)
}

/// An operation to kill.
struct Operation {
    name: &'static str,
    /// Commands to run to completion first.
    before: Vec<Vec<String>>,
    command: Vec<String>,
    /// Whether its notes change atomically.
    is_one_group: bool,
    /// Whether `undo` reverts it.
    is_undoable: bool,
}

/// Note contents by path.
type Notes = BTreeMap<PathBuf, Vec<u8>>;

/// The folder with vault and homes, and its copies.
struct Bench {
    mem: Mem,
    scratch: PathBuf,
}

fn kills(flags: &Flags) -> Outcome<ExitCode> {
    let notes = flags.path("folder of notes")?;
    let every: usize = flags.number("--every", 1)?;
    if Command::new("strace").arg("-V").output().is_err() {
        return Err("there is no `strace` here".into());
    }
    let folder = tempfile::tempdir()?;
    let scratch = folder.path().join("now");
    fs::create_dir(&scratch).at(&scratch)?;
    let mem = Mem::new(flags, &scratch)?.at_time(NOW);
    let bench = Bench { mem, scratch };
    process::copy_folder(&notes, &bench.vault())?;
    // Two equal notes give an automatic merge.
    let first = rough::read_notes(&bench.vault())?;
    let first = first.first().ok_or("the folder has no notes")?;
    let text = fs::read(bench.vault().join(&first.path))?;
    for name in ["twin one.md", "twin two.md"] {
        let file = bench.vault().join(name);
        let body = [&text[..], b"\n\nOne more line that only these two have.\n"].concat();
        fs::write(&file, body).at(&file)?;
    }
    bench.mem.init_and_index(&bench.vault())?;
    println!("{}", flags::command_line("kills"));
    let (mut runs, mut broken) = (0, 0);
    for operation in bench.operations(&first.path)? {
        if flags
            .text("--only")
            .is_some_and(|only| only != operation.name)
        {
            continue;
        }
        let (done, wrong) = bench.kill_all(&operation, every, folder.path())?;
        println!("{}: {done} kills, {wrong} wrong", operation.name);
        (runs, broken) = (runs + done, broken + wrong);
    }
    println!("{runs} kills, {broken} wrong");
    Ok(ExitCode::from(u8::from(broken > 0)))
}

fn line(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

impl Bench {
    fn vault(&self) -> PathBuf {
        self.scratch.join("vault")
    }

    fn operations(&self, note: &str) -> Outcome<Vec<Operation>> {
        let asked = self.run(&line(&["review", "--json"]))?;
        let asked: Value = serde_json::from_slice(&asked.stdout).unwrap_or_default();
        let questions = asked["questions"].as_array();
        let id = questions.and_then(|questions| questions.first()?["id"].as_str());
        let operation = |name, before: &[&[&str]], command: &[&str], flags: [bool; 2]| Operation {
            name,
            before: before.iter().map(|words| line(words)).collect(),
            command: line(command),
            is_one_group: flags[0],
            is_undoable: flags[1],
        };
        let edit: &[&str] = &["edit", note, "--set", "status=done"];
        let (rm, mv): (&[&str], &[&str]) = (&["rm", note], &["mv", note, "moved/elsewhere.md"]);
        let mut all = vec![
            operation("edit", &[], edit, [true, true]),
            operation("mv", &[], mv, [true, true]),
            operation("rm", &[], rm, [true, true]),
            operation("restore", &[rm], &["restore", note], [true, true]),
            operation("undo", &[edit, mv], &["undo"], [true, false]),
            operation(
                "remember",
                &[],
                &["remember", "The spare key hangs behind the rain barrel"],
                [true, true],
            ),
            operation("dedupe", &[], &["dedupe", "--apply", "all"], [false, true]),
            operation(
                "sleep",
                &[],
                &["sleep", "--all", "--apply", "all"],
                [false, false],
            ),
            operation("index", &[], &["index", "--rebuild"], [true, false]),
            operation("empty", &[rm], &["trash", "empty", "--yes"], [true, false]),
            operation(
                "purge",
                &[edit],
                &["history", "purge", "--note", note, "--yes"],
                [true, false],
            ),
        ];
        if let Some(id) = id {
            all.push(operation(
                "accept",
                &[],
                &["review", "accept", id],
                [true, false],
            ));
        }
        Ok(all)
    }

    fn kill_all(
        &self,
        operation: &Operation,
        every: usize,
        folder: &Path,
    ) -> Outcome<(usize, usize)> {
        let pristine = folder.join("pristine");
        let prepared = folder.join("prepared");
        process::copy_folder(&self.scratch, &pristine)?;
        for command in &operation.before {
            self.run(command)?;
        }
        let before = self.notes()?;
        process::copy_folder(&self.scratch, &prepared)?;
        let log = folder.join("calls");
        self.traced(operation, None, &log)?;
        let after = self.notes()?;
        let calls = most_calls(&log)?;
        let mut done = 0;
        let mut wrong = 0;
        for number in (1..=calls).step_by(every) {
            self.put_back(&prepared)?;
            self.traced(operation, Some(number), &log)?;
            let troubles = self.check_after_kill(operation, &before, &after)?;
            done += 1;
            wrong += usize::from(!troubles.is_empty());
            for trouble in troubles {
                println!(
                    "  {} killed at {number} of {calls}: {trouble}",
                    operation.name
                );
            }
        }
        self.put_back(&pristine)?;
        fs::remove_dir_all(&pristine).at(&pristine)?;
        fs::remove_dir_all(&prepared).at(&prepared)?;
        Ok((done, wrong))
    }

    fn put_back(&self, copy: &Path) -> Outcome<()> {
        fs::remove_dir_all(&self.scratch).at(&self.scratch)?;
        let status = Command::new("cp")
            .arg("-a")
            .arg(copy)
            .arg(&self.scratch)
            .status()?;
        if status.success() {
            Ok(())
        } else {
            Err("cp failed".into())
        }
    }

    fn command(&self, arguments: &[String]) -> Command {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut command = self.mem.command(&self.vault(), &arguments);
        command.env("MEM_SEED", "1");
        command
    }

    fn run(&self, arguments: &[String]) -> Outcome<Output> {
        Ok(self.command(arguments).output()?)
    }

    /// Runs an operation under strace, killed at call `number` if given.
    fn traced(&self, operation: &Operation, number: Option<usize>, log: &Path) -> Outcome<()> {
        let command = self.command(&operation.command);
        let mut traced = Command::new("strace");
        traced.args(["-f", "-qq", "-o"]).arg(log);
        traced.arg("-e").arg(format!("trace={CALLS}"));
        if let Some(number) = number {
            let inject = format!("inject={CALLS}:signal=KILL:when={number}");
            traced.arg("-e").arg(inject);
        }
        traced.arg(command.get_program()).args(command.get_args());
        traced.env_clear();
        for (name, value) in command.get_envs() {
            traced.env(name, value.unwrap_or_default());
        }
        traced.output()?;
        Ok(())
    }

    /// Returns the notes outside hidden folders.
    fn notes(&self) -> Outcome<Notes> {
        let root = self.vault();
        let mut notes = Notes::new();
        for file in rough::markdown_files(&root)? {
            let text = fs::read(&file).at(&file)?;
            notes.insert(file.strip_prefix(&root)?.to_owned(), text);
        }
        Ok(notes)
    }

    /// Runs the commands after a kill; returns the violations.
    fn check_after_kill(
        &self,
        operation: &Operation,
        before: &Notes,
        after: &Notes,
    ) -> Outcome<Vec<String>> {
        let mut troubles = Vec::new();
        self.make_old()?;
        // A writer that touches none of the operation's notes recovers the unfinished run.
        let probe = self.vault().join("probe.md");
        fs::write(&probe, "# Probe\n").at(&probe)?;
        let next = self.run(&line(&["edit", "probe.md", "--set", "seen=yes"]))?;
        if next.status.code() != Some(0) {
            troubles.push(format!("the next command fails: {}", last_words(&next)));
        }
        self.run(&line(&["rm", "probe.md"]))?;
        let now = self.notes()?;
        for path in before.keys().chain(after.keys()).chain(now.keys()) {
            let found = now.get(path);
            if found != before.get(path) && found != after.get(path) {
                troubles.push(format!("{} is neither old nor new", path.display()));
            }
        }
        let is_done = now == *after;
        if operation.is_one_group && !is_done && now != *before {
            troubles.push("it was done in part".to_owned());
        }
        let listed = self.run(&line(&["list", "--json"]))?;
        let caches = self.scratch.join("cache");
        fs::remove_dir_all(&caches).at(&caches)?;
        if listed.stdout != self.run(&line(&["list", "--json"]))?.stdout {
            troubles.push("the caches answer otherwise than fresh ones".to_owned());
        }
        if before != after && !is_done {
            if operation.name == "undo" {
                // Subtract the run of the probe.
                self.run(&line(&["undo"]))?;
                self.run(&line(&["undo"]))?;
            }
            self.run(&operation.command)?;
            if operation.name == "accept" {
                self.run(&line(&["dedupe", "--apply", "none"]))?;
            }
            let mut found = self.notes()?;
            found.remove(Path::new("probe.md"));
            if found != *after {
                troubles.push("run again it comes to other notes".to_owned());
            }
        } else if operation.is_undoable {
            // Undo the run of the probe first.
            for _ in 0..3 {
                self.run(&line(&["undo"]))?;
            }
            let mut found = self.notes()?;
            found.remove(Path::new("probe.md"));
            if found != *before {
                troubles.push("undo does not bring all of it back".to_owned());
            }
        }
        // A write removes drafts in its folder, and this one writes in every folder.
        self.run(&line(&["sleep", "--all", "--apply", "none"]))?;
        troubles.extend(self.leftovers()?);
        Ok(troubles)
    }

    /// Ages drafts beyond the time in which their process may still be running.
    fn make_old(&self) -> Outcome<()> {
        let old = SystemTime::now() - Duration::from_secs(60);
        for entry in WalkDir::new(&self.scratch) {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(DRAFT) && entry.file_type().is_file()
            {
                let file = fs::OpenOptions::new().append(true).open(entry.path());
                file.at(entry.path())?.set_modified(old)?;
            }
        }
        Ok(())
    }

    /// Returns files of a killed command that the next writer did not remove.
    fn leftovers(&self) -> Outcome<Vec<String>> {
        let mut left = Vec::new();
        for entry in WalkDir::new(&self.scratch) {
            let entry = entry?;
            let is_draft = entry.file_name().to_string_lossy().starts_with(DRAFT);
            let above = entry.path().parent();
            let is_run = above.is_some_and(|above| above.ends_with("unfinished"));
            if is_draft || is_run {
                left.push(format!("{} is left over", entry.path().display()));
            }
        }
        Ok(left)
    }
}

/// Returns the number of calls of the busiest thread, which is how strace counts.
fn most_calls(log: &Path) -> Outcome<usize> {
    let text = fs::read_to_string(log).at(log)?;
    let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.contains(" resumed>")) {
        let thread = line.split_whitespace().next().unwrap_or_default();
        if line.contains('(') {
            *calls.entry(thread).or_default() += 1;
        }
    }
    Ok(calls.into_values().max().unwrap_or(0))
}

fn last_words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}
