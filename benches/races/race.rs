//! Runs editors that save notes as fast as they can, concurrently with several `mem` that merge,
//! undo and write the same notes, and checks the result.
//!
//! Every saved text is unique and reproducible, and mem records before- and after-images. Each file
//! can therefore be traced to its save, byte for byte.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use mem::note::front_matter::seal;
use serde_json::Value;

#[path = "trace.rs"]
mod trace;

/// Timeout after which a process counts as hung.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Sets of notes on one subject per editor.
const SUBJECTS: usize = 3;

/// Notes that only mem edits, by linking them.
const OTHERS: usize = 60;

/// How an editor saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Saving {
    /// In place: truncate, then write.
    Truncate,
    /// In place: overwrite, then truncate to length.
    WriteOver,
    /// In place: truncate, then write two halves with a pause, like a large note.
    Halves,
    /// Write a new file and rename it over the note.
    Rename,
    /// Rename the note to a backup, write it again, remove the backup, like vim.
    Backup,
}

impl Saving {
    pub(crate) const ALL: [Self; 5] = [
        Self::Truncate,
        Self::WriteOver,
        Self::Halves,
        Self::Rename,
        Self::Backup,
    ];

    fn save(self, note: &Path, text: &str) -> std::io::Result<()> {
        let beside = |name: &str| {
            let mut beside = note.as_os_str().to_owned();
            beside.push(name);
            PathBuf::from(beside)
        };
        match self {
            Self::Truncate => File::create(note)?.write_all(text.as_bytes()),
            Self::WriteOver => {
                let mut file = OpenOptions::new()
                    .write(true)
                    .create(true)
                    .truncate(false)
                    .open(note)?;
                file.write_all(text.as_bytes())?;
                file.set_len(text.len() as u64)
            }
            Self::Halves => {
                let mut file = File::create(note)?;
                let (first, second) = text.as_bytes().split_at(text.len() / 2);
                file.write_all(first)?;
                thread::sleep(Duration::from_millis(1));
                file.write_all(second)
            }
            Self::Rename => {
                let new = beside(".new");
                fs::write(&new, text)?;
                fs::rename(new, note)
            }
            Self::Backup => {
                let backup = beside("~");
                match fs::rename(note, &backup) {
                    // mem removed it.
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    done => done?,
                }
                fs::write(note, text)?;
                match fs::remove_file(backup) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
                    done => done,
                }
            }
        }
    }
}

/// Parameters of a race.
pub(crate) struct Race<'a> {
    /// The program.
    pub(crate) mem: &'a Path,
    /// An empty folder for the vault and its homes.
    pub(crate) folder: &'a Path,
    /// Number of saves per editor.
    pub(crate) saves: usize,
    /// Mean pause of an editor.
    pub(crate) pause: Duration,
    /// Random seed.
    pub(crate) seed: u64,
}

/// Results of a race.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Saves of each editor.
    pub(crate) saves: BTreeMap<Saving, usize>,
    /// Runs of each command, and the longest.
    pub(crate) runs: BTreeMap<&'static str, (usize, Duration)>,
    /// Failures by message.
    pub(crate) failures: BTreeMap<String, usize>,
    /// Applied groups, including undone ones.
    pub(crate) applied: usize,
    /// Dropped groups by reason.
    pub(crate) dropped: BTreeMap<String, usize>,
    /// Files that mem exchanged, created, removed.
    pub(crate) writes: [usize; 3],
    /// Saves that mem processed: they are an image of a run.
    pub(crate) taken_over: usize,
    /// Saves to a file that was already removed, which are in the trash.
    pub(crate) late: usize,
    /// Last saves that are unchanged; that mem edited or merged since.
    pub(crate) last: [usize; 2],
    /// Texts remembered.
    pub(crate) remembered: usize,
    /// Total time.
    pub(crate) time: Duration,
    /// Violations.
    pub(crate) broken: Vec<String>,
}

type Failure = Box<dyn Error + Send + Sync>;

/// Exit code and stdout.
type Answer = (Option<i32>, Vec<u8>);

/// A pseudo-random number generator.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % bound.max(1)
    }
}

/// Spells a number without digits: mem never treats texts with different numbers as equal.
fn spelled(number: usize) -> String {
    let mut word = String::from("q");
    let mut rest = number;
    loop {
        word.push(char::from(b'a' + (rest % 26) as u8));
        rest /= 26;
        if rest == 0 {
            return word;
        }
    }
}

/// A note that an editor keeps saving.
#[derive(Clone, Copy)]
struct EditedNote {
    editor: usize,
    subject: usize,
    /// 0 the note, 1 its copy, 2 a note that links to both.
    role: usize,
}

impl EditedNote {
    const ROLES: usize = 3;

    fn path(self) -> String {
        let name = format!("{} {}", spelled(self.editor), spelled(self.subject));
        match self.role {
            0 => format!("notes/Key {name}.md"),
            1 => format!("notes/Key {name} copy.md"),
            _ => format!("links/Near {name}.md"),
        }
    }

    /// Returns save number `save`; the notes of every second subject are sealed as an agent's.
    fn text(self, save: usize) -> String {
        let name = format!("{} {}", spelled(self.editor), spelled(self.subject));
        let serial = spelled(save);
        let (matter, body) = if self.role == 2 {
            let matter = format!("related_to: [\"[[Key {name} copy]]\"]\n");
            let body = format!(
                "Near [[Key {name}]] and [[Key {name} copy|its copy]].\nLast saved as {serial}, end of {serial}.\n"
            );
            (matter, body)
        } else {
            let matter = format!("title: Key {name}\ntags: [race]\n");
            let mut chance = Rng((self.editor * SUBJECTS + self.subject) as u64);
            let words: Vec<String> = (0..150)
                .map(|_| format!("word{}", spelled(chance.below(400) as usize)))
                .collect();
            let body = format!("{}\nEnd of {serial}.\n", words.join(" "));
            (matter, body)
        };
        let mem = if self.subject.is_multiple_of(2) {
            "mem: {by: agent, seal: 0000000000000000}\n"
        } else {
            ""
        };
        seal::reseal(&format!("---\n{matter}{mem}---\n{body}"))
    }
}

impl Race<'_> {
    fn vault(&self) -> PathBuf {
        self.folder.join("vault")
    }

    fn home(&self, name: &str) -> PathBuf {
        self.folder.join("homes").join(name)
    }

    fn places(editor: usize) -> Vec<EditedNote> {
        let roles = |subject| (0..EditedNote::ROLES).map(move |role| (subject, role));
        (0..SUBJECTS)
            .flat_map(roles)
            .map(|(subject, role)| EditedNote {
                editor,
                subject,
                role,
            })
            .collect()
    }

    /// Returns the text of a note without an editor.
    fn other(number: usize) -> String {
        let (name, words) = (spelled(number), spelled(number * 7919));
        format!("Note {name} stays as it is: {words}.\n")
    }

    /// Runs the race.
    pub(crate) fn run(&self) -> Result<Report, Failure> {
        let started = Instant::now();
        let vault = self.vault();
        for folder in ["notes", "links", "others", "moved"] {
            fs::create_dir_all(vault.join(folder))?;
        }
        for number in 0..OTHERS {
            let name = spelled(number);
            fs::write(vault.join(format!("others/{name}.md")), Self::other(number))?;
        }
        for place in (0..Saving::ALL.len()).flat_map(Self::places) {
            fs::write(vault.join(place.path()), place.text(0))?;
        }
        let report = Mutex::new(Report::default());
        self.mem(&["init"], &report)?;
        self.mem(&["index"], &report)?;

        let stop = AtomicBool::new(false);
        let remembered = AtomicU64::new(0);
        let last: Vec<Vec<usize>> = thread::scope(|scope| {
            let editors: Vec<_> = Saving::ALL
                .iter()
                .enumerate()
                .map(|(editor, saving)| scope.spawn(move || self.edit(editor, *saving)))
                .collect();
            let commands: Vec<_> = [
                self.sleep(
                    &report,
                    &stop,
                    &["sleep", "--all", "--json", "--apply", "all"],
                    0,
                ),
                self.sleep(&report, &stop, &["dedupe", "--json", "--apply", "all"], 30),
                self.sleep(&report, &stop, &["undo", "--json"], 400),
                self.sleep(&report, &stop, &["search", "--json", "word*"], 100),
            ]
            .into_iter()
            .map(|command| scope.spawn(command))
            .collect();
            let writer = scope.spawn(|| self.remember(&report, &stop, &remembered));
            let hand = scope.spawn(|| self.edit_as_user(&report, &stop));
            let last = editors
                .into_iter()
                .map(|editor| editor.join().unwrap_or_else(|_| Err("panicked".into())))
                .collect::<Result<_, _>>();
            // Run each command once more after the last saves.
            thread::sleep(self.pause * 100);
            stop.store(true, Ordering::Relaxed);
            for command in commands {
                command.join().unwrap_or_else(|_| Err("panicked".into()))?;
            }
            writer.join().unwrap_or_else(|_| Err("panicked".into()))?;
            hand.join().unwrap_or_else(|_| Err("panicked".into()))?;
            last
        })?;
        let mut report = report.into_inner().unwrap_or_default();
        report.remembered = remembered.into_inner() as usize;
        for saving in Saving::ALL {
            report.saves.insert(saving, self.saves);
        }
        self.check(&last, &mut report)?;
        self.compare_index(&mut report)?;
        report.time = started.elapsed();
        Ok(report)
    }

    /// Saves the notes of one editor repeatedly; returns the number of each note's last save.
    fn edit(&self, editor: usize, saving: Saving) -> Result<Vec<usize>, Failure> {
        let places = Self::places(editor);
        let mut last = vec![0; places.len()];
        let mut chance = Rng(self.seed ^ (editor as u64) << 32);
        for save in 1..=self.saves {
            let chosen = chance.below(places.len() as u64) as usize;
            let place = places[chosen];
            saving
                .save(&self.vault().join(place.path()), &place.text(save))
                .map_err(|error| format!("{saving:?} {}: {error}", place.path()))?;
            last[chosen] = save;
            // Mostly bursts, sometimes a pause that lets mem run in between.
            let pause = match chance.below(100) {
                0 => self.pause * 60,
                1..5 => self.pause * 5,
                5..25 => self.pause,
                _ => Duration::ZERO,
            };
            thread::sleep(pause);
        }
        Ok(last)
    }

    /// Runs a command repeatedly.
    fn sleep<'r>(
        &'r self,
        report: &'r Mutex<Report>,
        stop: &'r AtomicBool,
        arguments: &'static [&'static str],
        pause: u64,
    ) -> impl FnOnce() -> Result<(), Failure> + Send + 'r {
        move || {
            while !stop.load(Ordering::Relaxed) {
                self.mem(arguments, report)?;
                thread::sleep(Duration::from_millis(pause));
            }
            self.mem(arguments, report).map(|_| ())
        }
    }

    /// Edits notes that editors save, and moves them away and back, like a user.
    fn edit_as_user(&self, report: &Mutex<Report>, stop: &AtomicBool) -> Result<(), Failure> {
        let mut chance = Rng(self.seed);
        let mut number = 0_u32;
        while !stop.load(Ordering::Relaxed) {
            let editor = chance.below(Saving::ALL.len() as u64) as usize;
            let places = Self::places(editor);
            let place = places[chance.below(places.len() as u64) as usize];
            let path = place.path();
            number += 1;
            if number.is_multiple_of(2) {
                let set = format!("seen={number}");
                self.mem(&["edit", "--json", "--set", &set, "--", &path], report)?;
            } else {
                let away = format!("moved/{}", path.rsplit('/').next().unwrap_or(&path));
                self.mem(&["mv", "--json", "--", &path, &away], report)?;
                self.mem(&["mv", "--json", "--", &away, &path], report)?;
            }
            thread::sleep(Duration::from_millis(60));
        }
        Ok(())
    }

    /// Remembers unique texts, every fourth one twice, and every fifth similar to a note.
    fn remember(
        &self,
        report: &Mutex<Report>,
        stop: &AtomicBool,
        remembered: &AtomicU64,
    ) -> Result<(), Failure> {
        while !stop.load(Ordering::Relaxed) {
            let number = remembered.load(Ordering::Relaxed) as usize;
            let mut text = Self::remembered(number);
            if number.is_multiple_of(5) {
                let like = EditedNote {
                    editor: number % Saving::ALL.len(),
                    subject: number % SUBJECTS,
                    role: 0,
                };
                text.push_str(&like.text(0)[40..]);
            }
            self.mem(
                &["remember", "--json", "--tag", "race", "--", &text],
                report,
            )?;
            if number.is_multiple_of(4) {
                self.mem(&["remember", "--json", "--", &text], report)?;
            }
            remembered.store(number as u64 + 1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn remembered(number: usize) -> String {
        format!("Remembered{} for good. ", spelled(number))
    }

    /// Runs `mem` to its end and counts the results.
    fn mem(&self, arguments: &[&str], report: &Mutex<Report>) -> Result<Answer, Failure> {
        let started = Instant::now();
        let mut stdout = tempfile::tempfile()?;
        let mut stderr = tempfile::tempfile()?;
        let mut child = Command::new(self.mem)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home("home"))
            .env("XDG_CACHE_HOME", self.home("cache"))
            .env("XDG_STATE_HOME", self.home("state"))
            .env("XDG_CONFIG_HOME", self.home("config"))
            .env("MEM_EMBED_ENCODER", "off")
            .arg("-C")
            .arg(self.vault())
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(stdout.try_clone()?)
            .stderr(stderr.try_clone()?)
            .spawn()?;
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if started.elapsed() > TIMEOUT => {
                    child.kill()?;
                    child.wait()?;
                    return Err(format!("`mem {}` hangs", arguments.join(" ")).into());
                }
                None => thread::sleep(Duration::from_millis(2)),
            }
        };
        let [said, failed] = [&mut stdout, &mut stderr].map(read_again);
        let (said, failed) = (said?, failed?);
        let name = match arguments[0] {
            "sleep" => "sleep",
            "dedupe" => "dedupe",
            "undo" => "undo",
            "remember" => "remember",
            "search" => "search",
            "edit" => "edit",
            "mv" => "mv",
            _ => "other",
        };
        let mut report = report.lock().map_err(|_| "a thread panicked")?;
        let (runs, longest) = report.runs.entry(name).or_default();
        *runs += 1;
        *longest = (*longest).max(started.elapsed());
        if !matches!(status.code(), Some(0 | 1)) {
            let failed = String::from_utf8_lossy(&failed);
            let last = failed.lines().last().unwrap_or_default();
            let record: Value = serde_json::from_str(last).unwrap_or_default();
            // Ignore which note the message names.
            let words = record["error"]["message"].as_str().unwrap_or(last);
            let words: Vec<&str> = words.split('`').step_by(2).collect();
            let words = format!("{name}: {}", words.join("…"));
            *report.failures.entry(words).or_default() += 1;
        } else if let Ok(record) = serde_json::from_slice::<Value>(&said) {
            // A sleep reports per job.
            let jobs = record["jobs"].as_array().into_iter().flatten();
            let groups = jobs.map(|job| &job["groups"]).chain([&record["groups"]]);
            for group in groups.filter_map(Value::as_array).flatten() {
                if group["outcome"] == "dropped" {
                    let why = group["why"].as_str().unwrap_or("unknown");
                    let why = why.rsplit_once(": ").map_or(why, |(_, why)| why);
                    *report.dropped.entry(why.to_owned()).or_default() += 1;
                }
            }
        }
        Ok((status.code(), said))
    }

    /// Checks that the incrementally updated index answers like a rebuilt one.
    fn compare_index(&self, report: &mut Report) -> Result<(), Failure> {
        let unused = Mutex::new(Report::default());
        let answers = || -> Result<Vec<Answer>, Failure> {
            [
                &["list", "--json", "--limit", "100000"][..],
                &["search", "--json", "--limit", "1000", "key"],
                &["search", "--json", "--limit", "1000", "word*"],
                &["search", "--json", "--limit", "1000", "remembered* good"],
                &["search", "--json", "--limit", "1000", "end near tag:race"],
            ]
            .iter()
            .map(|arguments| self.mem(arguments, &unused))
            .collect()
        };
        self.mem(&["index"], &unused)?;
        let followed = answers()?;
        self.mem(&["index", "--rebuild"], &unused)?;
        for (number, (followed, afresh)) in followed.iter().zip(answers()?).enumerate() {
            let lines = |bytes: &[u8]| -> BTreeSet<String> {
                let text = String::from_utf8_lossy(bytes);
                let timed = |line: &&str| !line.contains("seconds");
                text.lines().filter(timed).map(str::to_owned).collect()
            };
            if followed.0 != afresh.0 || lines(&followed.1) != lines(&afresh.1) {
                report.broken.push(format!(
                    "question {number}: the index and a fresh one differ"
                ));
            }
        }
        Ok(())
    }
}

fn read_again(file: &mut File) -> std::io::Result<Vec<u8>> {
    use std::io::{Read as _, Seek as _};
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
