//! Effect of a flipped bit in the caches on answers.
//!
//! ```text
//! cargo bench --bench flips -- NOTES_DIR [--mem PATH] [--flips 1000] [--seed 1] [--only KIND]
//! ```
//!
//! A copy of `NOTES_DIR` is indexed, with a graph over its vectors. Some notes are then changed and
//! removed, so that the index has deleted notes and several segments. Some twenty commands give
//! reference answers. Then one bit or byte of one cache file is changed repeatedly, each kind of
//! file equally often. All commands run in random order until one prints something on stderr.
//!
//! | class | meaning |
//! |---|---|
//! | right | every answer is equal |
//! | repaired | a command reported a rebuild; every answer is equal, or that of a rebuilt index |
//! | refused | a command exited with 2 and a message |
//! | wrong | an answer differs without a message; includes how many of them `mem doctor` detected and repaired |
//! | killed | a signal ended a command; includes how many a second time |
//! | hung | a command took more than half a minute |
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use support::flags::{self, Flags};
use support::process::{self, Mem};
use support::random::Random;
use support::{AtPath, Outcome, rough};
use walkdir::WalkDir;

const USAGE: &str = "cargo bench --bench flips -- \
    NOTES_DIR [--mem PATH] [--flips 1000] [--seed 1] [--only KIND]";

/// The clock of every command.
const NOW: &str = "2026-01-01T00:00:00Z";

const KINDS: [&str; 5] = ["catalog", "text", "vectors", "graph", "small"];

const PATIENCE: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    flags::run(USAGE, &["--mem", "--flips", "--seed", "--only"], flips)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Right,
    Repaired,
    Refused,
    Wrong,
    Killed,
    Hung,
}

/// Outcome of one flip.
struct FlipOutcome {
    class: Class,
    /// The command and what it did.
    words: String,
}

/// The vault, its intact caches, and the reference answers.
struct Bench {
    mem: Mem,
    vault: PathBuf,
    caches: PathBuf,
    whole: PathBuf,
    commands: Vec<Vec<String>>,
    truth: Vec<Answer>,
    /// Answers of a rebuilt index, with a graph and without. An incrementally built graph may miss
    /// other notes than a new one, and a search that repairs the vectors answers without.
    rebuilt: [Vec<Answer>; 2],
}

/// Exit code and stdout.
type Answer = (Option<i32>, Vec<u8>);

fn flips(flags: &Flags) -> Outcome<ExitCode> {
    let notes = flags.path("folder of notes")?;
    let flips: u64 = flags.number("--flips", 1000)?;
    let seed: u64 = flags.number("--seed", 1)?;
    let scratch = tempfile::tempdir()?;
    let bench = Bench::new(flags, &notes, scratch.path())?;
    let mut files: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    for file in bench.files()? {
        files.entry(kind(&file)).or_default().push(file);
    }
    let mut kinds: Vec<&str> = KINDS
        .into_iter()
        .filter(|k| files.contains_key(k))
        .collect();
    if let Some(only) = flags.text("--only") {
        kinds.retain(|kind| *kind == only);
    }
    println!("{}", flags::command_line("flips"));
    for kind in &kinds {
        let sizes = files[kind].iter().map(|file| size(&bench.whole.join(file)));
        println!(
            "{kind}: {} files, {} bytes",
            files[kind].len(),
            sizes.sum::<u64>()
        );
    }
    let mut fates: BTreeMap<(&str, Class), u64> = BTreeMap::new();
    let (mut known, mut again) = (0, 0);
    for number in 0..flips {
        let mut random = Random::new(seed, number);
        let kind = *random.pick(&kinds);
        let (file, at, mask) = flip(&bench.whole, &files[kind], &mut random)?;
        bench.harm(&file, at, mask)?;
        let fate = bench.run_until_outcome(&mut random)?;
        if fate.class > Class::Refused {
            let (file, words) = (file.display(), &fate.words);
            let mut line = format!(
                "{number} {:?} {file} at {at} mask {mask:#04x}: {words}",
                fate.class
            );
            if fate.class == Class::Wrong && bench.is_detected_by_doctor()? {
                known += 1;
                line += " (doctor saw it)";
            }
            if fate.class == Class::Killed
                && bench.run_until_outcome(&mut random)?.class == Class::Killed
            {
                again += 1;
                line += " (and again)";
            }
            println!("{line}");
        }
        *fates.entry((kind, fate.class)).or_default() += 1;
        bench.restore(&file, fate.class)?;
    }
    let classes = [
        Class::Right,
        Class::Repaired,
        Class::Refused,
        Class::Wrong,
        Class::Killed,
        Class::Hung,
    ];
    println!(
        "{:>10} {}",
        "",
        classes
            .map(|class| format!("{class:?}").to_lowercase())
            .join(" ")
    );
    for kind in kinds {
        let counts =
            classes.map(|class| fates.get(&(kind, class)).copied().unwrap_or(0).to_string());
        println!("{kind:>10} {}", counts.join(" "));
    }
    let all = classes.map(|class| {
        let of_class = fates.iter().filter(|((_, found), _)| *found == class);
        of_class.map(|(_, count)| count).sum::<u64>().to_string()
    });
    println!("{:>10} {}", "all", all.join(" "));
    println!("of the wrong ones doctor saw {known}; killed again: {again}");
    Ok(ExitCode::SUCCESS)
}

/// Returns the kind of a cache file by its name.
fn kind(file: &Path) -> &'static str {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let is_list = name.ends_with(".json");
    if name == "catalog.mdb" {
        "catalog"
    } else if file.components().any(|part| part.as_os_str() == "text") && !is_list {
        "text"
    } else if name.starts_with("vectors.") {
        "vectors"
    } else if name.starts_with("graph.") {
        "graph"
    } else {
        "small"
    }
}

fn size(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |found| found.len())
}

/// Chooses a byte of `files` uniformly, and a bit of it.
fn flip(whole: &Path, files: &[PathBuf], random: &mut Random) -> Outcome<(PathBuf, u64, u8)> {
    let sizes: Vec<u64> = files.iter().map(|file| size(&whole.join(file))).collect();
    let mut at = random.below(sizes.iter().sum::<u64>() as usize) as u64;
    let mask = if random.chance(0.5) {
        1 << random.below(8)
    } else {
        1 + random.below(255) as u8
    };
    for (file, size) in files.iter().zip(sizes) {
        if at < size {
            return Ok((file.clone(), at, mask));
        }
        at -= size;
    }
    Err("the files have no bytes".into())
}

impl Bench {
    fn new(flags: &Flags, notes: &Path, scratch: &Path) -> Outcome<Self> {
        let mem = Mem::new(flags, scratch)?.at_time(NOW);
        let vault = scratch.join("vault");
        process::copy_folder(notes, &vault)?;
        let config = scratch.join("config/mem");
        fs::create_dir_all(&config).at(&config)?;
        let file = config.join("config.toml");
        fs::write(&file, "[index]\nhnsw = \"always\"\n").at(&file)?;
        mem.init_and_index(&vault)?;
        let notes = rough::read_notes(&vault)?;
        for note in notes.iter().step_by(97) {
            fs::remove_file(vault.join(&note.path)).at(Path::new(&note.path))?;
        }
        for note in notes.iter().skip(1).step_by(97) {
            let file = vault.join(&note.path);
            let mut text = fs::read(&file).at(&file)?;
            text.extend(b"\n\nA line that came later.\n");
            fs::write(&file, text).at(&file)?;
        }
        mem.run(&vault, &["index", "--hnsw"])?;
        // Files changed a moment ago may be racy.
        thread::sleep(Duration::from_millis(50));
        mem.run(&vault, &["index"])?;
        let commands = commands(&vault)?;
        let mut bench = Self {
            mem,
            vault,
            caches: scratch.join("cache"),
            whole: scratch.join("whole"),
            commands,
            truth: Vec::new(),
            rebuilt: Default::default(),
        };
        bench.truth = bench.answers()?;
        process::copy_folder(&bench.caches, &bench.whole)?;
        for (number, hnsw) in ["never", "always"].into_iter().enumerate() {
            fs::write(&file, format!("[index]\nhnsw = \"{hnsw}\"\n")).at(&file)?;
            fs::remove_dir_all(&bench.caches).at(&bench.caches)?;
            bench.mem.run(&bench.vault, &["index", "--rebuild"])?;
            bench.rebuilt[number] = bench.answers()?;
        }
        fs::remove_dir_all(&bench.caches).at(&bench.caches)?;
        process::copy_folder(&bench.whole, &bench.caches)?;
        Ok(bench)
    }

    /// Returns the answers of all commands, which must print nothing on stderr.
    fn answers(&self) -> Outcome<Vec<Answer>> {
        let answer = |command: &Vec<String>| {
            let output = self.run(command)?.ok_or("a command hangs")?;
            if !output.stderr.is_empty() && output.status.code() != Some(1) {
                let words = String::from_utf8_lossy(&output.stderr);
                return Err(format!("{command:?} says something: {words}").into());
            }
            Ok((output.status.code(), output.stdout))
        };
        self.commands.iter().map(answer).collect()
    }

    /// Returns the non-empty cache files.
    fn files(&self) -> Outcome<Vec<PathBuf>> {
        let mut files = Vec::new();
        for entry in WalkDir::new(&self.whole).sort_by_file_name() {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy();
            // Skip the lock file and unused files.
            let is_lock = name.ends_with("lock") || name == "CACHEDIR.TAG";
            if entry.file_type().is_file() && !is_lock && entry.metadata()?.len() > 0 {
                files.push(entry.path().strip_prefix(&self.whole)?.to_owned());
            }
        }
        Ok(files)
    }

    fn harm(&self, file: &Path, at: u64, mask: u8) -> Outcome<()> {
        let path = self.caches.join(file);
        let mut bytes = fs::read(&path).at(&path)?;
        bytes[at as usize] ^= mask;
        fs::write(&path, bytes).at(&path)
    }

    /// Restores the caches.
    fn restore(&self, file: &Path, class: Class) -> Outcome<()> {
        if class == Class::Right {
            let path = self.caches.join(file);
            fs::copy(self.whole.join(file), &path).at(&path)?;
            return Ok(());
        }
        fs::remove_dir_all(&self.caches).at(&self.caches)?;
        process::copy_folder(&self.whole, &self.caches)
    }

    /// Runs all commands in random order until one shows the outcome of the flip.
    fn run_until_outcome(&self, random: &mut Random) -> Outcome<FlipOutcome> {
        let mut order: Vec<usize> = (0..self.commands.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        for at in order {
            let (command, (code, stdout)) = (&self.commands[at], &self.truth[at]);
            let fate = |class, words: &str| {
                Ok(FlipOutcome {
                    class,
                    words: format!("{command:?}: {words}"),
                })
            };
            let Some(output) = self.run(command)? else {
                return fate(Class::Hung, "");
            };
            let words = String::from_utf8_lossy(&output.stderr);
            if let Some(signal) = output.status.signal() {
                return fate(Class::Killed, &format!("signal {signal}"));
            }
            if output.status.code() == *code && output.stdout == *stdout {
                if !words.is_empty() && *code != Some(1) {
                    return fate(Class::Repaired, &words);
                }
                continue;
            }
            if !words.is_empty() && self.equals_rebuilt(at, &output) {
                return fate(Class::Repaired, &words);
            }
            if output.status.code() == Some(2) && words.contains("error") {
                return fate(Class::Refused, &words);
            }
            let difference = first_difference(stdout, &output.stdout);
            return fate(Class::Wrong, &format!("{difference} ({})", words.trim()));
        }
        Ok(FlipOutcome {
            class: Class::Right,
            words: String::new(),
        })
    }

    /// Whether `mem doctor` detects the damage and the answers are right afterwards.
    fn is_detected_by_doctor(&self) -> Outcome<bool> {
        let doctor = ["doctor".to_owned()];
        if self.run(&doctor)?.is_none() {
            return Ok(false);
        }
        for (at, command) in self.commands.iter().enumerate() {
            let Some(output) = self.run(command)? else {
                return Ok(false);
            };
            let (code, stdout) = &self.truth[at];
            let is_right = output.status.code() == *code && output.stdout == *stdout;
            if !is_right && !self.equals_rebuilt(at, &output) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the output equals that of a rebuilt index for command `at`.
    fn equals_rebuilt(&self, at: usize, output: &Output) -> bool {
        let mut answers = self.rebuilt.iter().map(|answers| &answers[at]);
        answers.any(|(code, stdout)| output.status.code() == *code && output.stdout == *stdout)
    }

    /// Runs a command; `None` on timeout.
    fn run(&self, command: &[String]) -> Outcome<Option<Output>> {
        let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        let mut command: Command = self.mem.command(&self.vault, &arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn()?;
        let id = rustix::process::Pid::from_child(&child);
        let (send, done) = std::sync::mpsc::channel::<()>();
        let watch = thread::spawn(move || {
            let start = Instant::now();
            let is_late = done.recv_timeout(PATIENCE).is_err() && start.elapsed() >= PATIENCE;
            if is_late {
                let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
            }
            is_late
        });
        let output = child.wait_with_output()?;
        drop(send);
        let is_late = watch.join().map_err(|_| "watching a command failed")?;
        Ok((!is_late).then_some(output))
    }
}

/// Returns searches of every kind, lists, and views of single notes across the vault.
fn commands(vault: &Path) -> Outcome<Vec<Vec<String>>> {
    let notes = rough::read_notes(vault)?;
    let mut random = Random::new(7, 7);
    let words = rough::vocabulary(notes.iter().map(|note| note.body.as_str()));
    if notes.is_empty() || words.is_empty() {
        return Err("the folder has no notes to search".into());
    }
    let mut commands: Vec<Vec<String>> = Vec::new();
    let mut add = |words: &[&str]| {
        commands.push(words.iter().map(|word| (*word).to_owned()).collect());
    };
    add(&["list", "--json"]);
    add(&["list", "--json", "created:>2020-01-01"]);
    for mode in ["hybrid", "lexical", "semantic"] {
        for _ in 0..3 {
            let title = random.pick(&notes).title.clone();
            let (one, two) = (random.pick(&words), random.pick(&words));
            let search = ["search", "--json", "--mode", mode, "--"];
            add(&[&search[..], &[title.as_str()]].concat());
            add(&[&search[..], &[format!("{one} {two}").as_str()]].concat());
        }
    }
    for _ in 0..2 {
        let title = random.pick(&notes).title.clone();
        add(&["recall", "--json", "--", &title]);
        let path = random.pick(&notes).path.clone();
        add(&["show", "--json", "--", &path]);
        add(&["related", "--json", "--", &path]);
    }
    Ok(commands)
}

/// Returns the position of the first difference of two outputs, with some context.
fn first_difference(right: &[u8], wrong: &[u8]) -> String {
    let at = right.iter().zip(wrong).take_while(|(a, b)| a == b).count();
    let excerpt = |bytes: &[u8]| {
        let around = &bytes[at.saturating_sub(60)..bytes.len().min(at + 40)];
        String::from_utf8_lossy(around).into_owned()
    };
    format!("{:?}, not {:?}", excerpt(wrong), excerpt(right))
}
