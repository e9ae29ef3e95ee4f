//! A separate vault for every test, and runs whose results must be checked.
//!
//! [`TestVault::run`] starts the built `mem` without the environment of the tests: home, clock,
//! seed, time zone and width belong to the vault. The result must be compared completely.
//! [`Run::code`] ends the chain and compares exit code, stdout and stderr, which must be empty
//! unless [`Run::stdout`] and [`Run::stderr`] give other texts. Dropping an unchecked run fails the
//! test. `UPDATE_EXPECT=1 cargo test` writes actual texts into the sources.

pub(crate) mod endpoint;
pub(crate) mod expected;
pub(crate) mod imports;
pub(crate) mod records;
pub(crate) mod roundtrip;
pub(crate) mod server;
pub(crate) mod terminal;
pub(crate) mod tree;
pub(crate) mod watching;

use std::cell::{Cell, RefCell};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileTimes};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once};
use std::time::{Duration, SystemTime};

use expect_test::Expect;
use mem::config::Interval;
use regex::Regex;
use serde::de::DeserializeOwned;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use tempfile::TempDir;

use expected::ExpectedText;
use records::{Failure, FailureRecord};
use tree::Tree;

/// The default time of runs.
pub(crate) const NOW: &str = "2026-04-01T12:00:00Z";

/// Modification time of all fixture files: an hour before [`NOW`].
const CHANGED: Duration = Duration::from_secs(1_775_041_200);

/// Makes children react to signals that the tests inherited as ignored. `nohup` ignores HUP, and
/// shells ignore INT for background jobs. A signal with a handler has its default action in a
/// child.
fn heed_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            let always = Arc::new(AtomicBool::new(true));
            flag::register_conditional_default(signal, always).unwrap();
        }
    });
}

/// The binary under test.
pub(crate) const MEM: &str = env!("CARGO_BIN_EXE_mem");

/// Returns the jobs that run by default, in the order of a sleep.
pub(crate) fn job_names() -> Vec<&'static str> {
    let jobs = mem::jobs::JOBS.iter();
    let jobs = jobs.filter(|job| job.every != Interval::Never && **job != &mem::jobs::rules::JOB);
    let jobs = jobs.map(|job| job.name);
    jobs.chain([mem::change::SETTLE_JOB]).collect()
}

/// Returns the project folder.
pub(crate) fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A copy of a vault with its own home folder.
pub(crate) struct TestVault {
    temp: TempDir,
    /// The canonical path of `temp`.
    base: PathBuf,
    now: RefCell<String>,
    /// The setting `embed.encoder` of later runs: off, because a debug build takes seconds for a passage. Not set if empty.
    pub(crate) encoder: Cell<&'static str>,
}

impl TestVault {
    /// Copies `fixtures/vaults/<name>` as a vault without an index.
    pub(crate) fn from(name: &str) -> Self {
        let vault = Self::folder(name);
        fs::create_dir(vault.path(".mem")).unwrap();
        set_changed(&vault.path(""));
        vault
    }

    /// Copies `fixtures/vaults/<name>` as an indexed vault.
    pub(crate) fn indexed(name: &str) -> Self {
        let vault = Self::from(name);
        let outcome = vault.run(["--quiet", "index"]).raw();
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        vault
    }

    /// Copies `fixtures/vaults/<name>` as a plain folder.
    pub(crate) fn folder(name: &str) -> Self {
        let vault = Self::nothing();
        let from = project().join("fixtures/vaults").join(name);
        for entry in walkdir::WalkDir::new(&from).min_depth(1) {
            let entry = entry.unwrap();
            let to = vault
                .path("")
                .join(entry.path().strip_prefix(&from).unwrap());
            if entry.file_type().is_dir() {
                fs::create_dir(&to).unwrap();
            } else {
                fs::copy(entry.path(), &to).unwrap();
                set_changed(&to);
            }
        }
        // Writing files changes their folder, so set times last.
        for entry in walkdir::WalkDir::new(vault.path("")) {
            let entry = entry.unwrap();
            if entry.file_type().is_dir() {
                set_changed(entry.path());
            }
        }
        vault
    }

    /// Creates a vault without notes.
    pub(crate) fn empty() -> Self {
        let vault = Self::nothing();
        fs::create_dir(vault.path(".mem")).unwrap();
        vault
    }

    /// Creates an indexed vault with these notes.
    pub(crate) fn of<const N: usize>(notes: [(&str, &str); N]) -> Self {
        let vault = Self::empty();
        for (path, text) in notes {
            vault.write(path, text);
        }
        let outcome = vault.run(["--quiet", "index"]).raw();
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        vault
    }

    fn nothing() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        for folder in ["vault", "home", "tmp"] {
            fs::create_dir(base.join(folder)).unwrap();
        }
        Self {
            temp,
            base,
            now: RefCell::new(NOW.to_owned()),
            encoder: Cell::new("off"),
        }
    }

    /// Sets the clock of later runs to `now`.
    pub(crate) fn at(&self, now: &str) {
        now.clone_into(&mut self.now.borrow_mut());
    }

    /// Returns the absolute path of `path` in the vault.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.base.join("vault").join(path)
    }

    /// Returns the absolute path of `path` in the home folder.
    pub(crate) fn home(&self, path: &str) -> PathBuf {
        self.base.join("home").join(path)
    }

    /// Returns the folder of the vault's caches.
    pub(crate) fn cache(&self) -> PathBuf {
        only(&self.home(".cache/mem"))
    }

    /// Returns the folder of the current index.
    pub(crate) fn index(&self) -> PathBuf {
        let name = fs::read_to_string(self.cache().join("current")).unwrap();
        self.cache().join(name)
    }

    /// Reads a file of the vault.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Compares the text of a file of the vault.
    #[track_caller]
    pub(crate) fn assert_text(&self, path: &str, text: Expect) {
        ExpectedText::from(text).compare(path, &self.read(path));
    }

    /// Writes a file of the vault in place, like a plain editor.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces the only occurrence of `from` in a file of the vault.
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert_eq!(text.matches(from).count(), 1, "`{from}` in {path}");
        self.write(path, &text.replace(from, to));
    }

    /// Returns the vault's files without mem's own folder.
    pub(crate) fn tree(&self) -> Tree {
        Tree::of(&self.path(""), &[".mem"])
    }

    /// Returns the vault's files with mem's own folder.
    pub(crate) fn whole_tree(&self) -> Tree {
        Tree::of(&self.path(""), &[])
    }

    /// Runs `mem` with `arguments` in the vault.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        self.command(arguments).run()
    }

    /// Prepares such a run.
    pub(crate) fn command<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> PreparedCommand {
        let mut command = Command::new(MEM);
        let arguments: Vec<OsString> = arguments
            .into_iter()
            .map(|argument| argument.as_ref().to_owned())
            .collect();
        command.args(&arguments);
        self.prepare(&mut command);
        PreparedCommand {
            command,
            stdin: Vec::new(),
            names: self.names(),
            arguments,
        }
    }

    /// Sets the environment of a run.
    pub(crate) fn prepare(&self, command: &mut Command) {
        heed_signals();
        command
            .env_clear()
            .current_dir(self.path(""))
            .env("HOME", self.home(""))
            .env("TMPDIR", self.base.join("tmp"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_CACHE_HOME", self.home(".cache"))
            .env("XDG_CONFIG_HOME", self.home(".config"))
            .env("XDG_STATE_HOME", self.home(".local/state"))
            .env("COLUMNS", "100")
            .env("MEM_NOW", self.now.borrow().as_str())
            .env("MEM_SEED", "1")
            .env("TZ", "UTC");
        if !self.encoder.get().is_empty() {
            command.env("MEM_EMBED_ENCODER", self.encoder.get());
        }
    }

    /// Returns output as text, with this vault's paths normalised.
    pub(crate) fn shown(&self, bytes: Vec<u8>) -> String {
        normalised(bytes, &self.names())
    }

    /// Returns the replacements of this vault's paths, the longest first.
    fn names(&self) -> Vec<(String, &'static str)> {
        [
            (self.path(""), "$VAULT"),
            (self.home(".cache/mem"), "$CACHE"),
            (self.home(".local/state/mem"), "$STATE"),
            (self.home(""), "$HOME"),
            (self.base.clone(), "$TEMP"),
            (self.temp.path().to_owned(), "$TEMP"),
        ]
        .map(|(path, name)| {
            (
                path.to_str().unwrap().trim_end_matches('/').to_owned(),
                name,
            )
        })
        .to_vec()
    }
}

/// Sets the modification time of the fixtures on a file or folder.
fn set_changed(path: &Path) {
    let changed = FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + CHANGED);
    File::open(path).unwrap().set_times(changed).unwrap();
}

/// Returns the only folder in `folder`.
fn only(folder: &Path) -> PathBuf {
    let mut entries = fs::read_dir(folder).unwrap();
    let entry = entries.next().unwrap().unwrap().path();
    assert!(
        entries.next().is_none(),
        "more than one entry in {}",
        folder.display()
    );
    entry
}

/// A run before its start.
pub(crate) struct PreparedCommand {
    command: Command,
    stdin: Vec<u8>,
    names: Vec<(String, &'static str)>,
    arguments: Vec<OsString>,
}

impl PreparedCommand {
    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts in another folder.
    pub(crate) fn in_folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Passes `text` on stdin, which is empty by default.
    pub(crate) fn stdin(mut self, text: &str) -> Self {
        self.stdin = text.as_bytes().to_vec();
        self
    }

    /// Runs it to its end.
    pub(crate) fn run(mut self) -> Run {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        // A program that does not read stdin closes it.
        let _ = child.stdin.take().unwrap().write_all(&self.stdin);
        let output = child.wait_with_output().unwrap();
        let arguments: Vec<String> = self
            .arguments
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let shown = |bytes| normalised(bytes, &self.names);
        Run {
            command: format!(
                "mem {}",
                arguments.join(" ").chars().take(200).collect::<String>()
            ),
            outcome: Outcome {
                code: output
                    .status
                    .code()
                    .unwrap_or_else(|| panic!("{}", output.status)),
                stdout: shown(output.stdout),
                stderr: shown(output.stderr),
            },
            stdout: ExpectedText::default(),
            stderr: ExpectedText::default(),
            compared: false,
        }
    }
}

/// Returns `bytes` as text, with paths of this test and durations normalised.
fn normalised(bytes: Vec<u8>, names: &[(String, &'static str)]) -> String {
    let mut text = String::from_utf8(bytes).expect("mem writes UTF-8 when notes are UTF-8");
    for (path, name) in names {
        text = text.replace(path, name);
    }
    let seconds = Regex::new(r#""(duration_seconds|seconds)": ?[0-9.e-]+"#).unwrap();
    let text = seconds.replace_all(&text, r#""$1": 0.0"#);
    let took = Regex::new(r"\([0-9.]+ s\)").unwrap();
    let text = took.replace_all(&text, "($$SECONDS s)");
    let time = Regex::new(r"(?m)^\d\d:\d\d:\d\d (\w+ (?:started|finished))").unwrap();
    let text = time.replace_all(&text, "$$TIME $1");
    let vault = Regex::new(r"\$(CACHE|STATE)/[^/`\s]*-[0-9a-f]{16}").unwrap();
    vault.replace_all(&text, "$$$1/vault").into_owned()
}

/// Result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A completed run that was not compared yet.
#[must_use = "end the chain with `code`, `json`, `jsonl`, `failure` or `raw`"]
pub(crate) struct Run {
    command: String,
    outcome: Outcome,
    stdout: ExpectedText,
    stderr: ExpectedText,
    compared: bool,
}

impl Run {
    /// Expects exactly this on stdout, as [`expected::shown`] prints it.
    pub(crate) fn stdout(mut self, expected: impl Into<ExpectedText>) -> Self {
        self.stdout = expected.into();
        self
    }

    /// Expects exactly this on stderr, as [`expected::shown`] prints it.
    pub(crate) fn stderr(mut self, expected: impl Into<ExpectedText>) -> Self {
        self.stderr = expected.into();
        self
    }

    /// Replaces `value`, which differs between runs, by `name` in the output.
    pub(crate) fn naming<V: ToString + ?Sized>(mut self, value: &V, name: &str) -> Self {
        let value = value.to_string();
        for text in [&mut self.outcome.stdout, &mut self.outcome.stderr] {
            *text = text.replace(&value, name);
        }
        self
    }

    /// Compares exit code, stdout and stderr.
    #[track_caller]
    pub(crate) fn code(mut self, code: i32) {
        self.stdout.compare("stdout", &self.outcome.stdout);
        self.compare_rest(code);
    }

    /// Compares exit code and stderr; returns the JSON on stdout.
    #[track_caller]
    pub(crate) fn json<T: DeserializeOwned>(mut self, code: i32) -> T {
        self.compare_rest(code);
        parse(&self.outcome.stdout)
    }

    /// Compares exit code and stderr; returns the JSON lines on stdout.
    #[track_caller]
    pub(crate) fn jsonl<T: DeserializeOwned>(mut self, code: i32) -> Vec<T> {
        self.compare_rest(code);
        let lines = self.outcome.stdout.lines();
        lines.map(parse).collect()
    }

    /// Expects exit code 2 and no stdout; returns the JSON error on stderr.
    #[track_caller]
    pub(crate) fn failure(mut self) -> FailureRecord {
        self.compared = true;
        self.stdout.compare("stdout", &self.outcome.stdout);
        assert_eq!(self.outcome.code, 2, "exit code");
        let failure: Failure = parse(&self.outcome.stderr);
        failure.error
    }

    /// Returns the result unchecked, for output without a fixed text.
    pub(crate) fn raw(mut self) -> Outcome {
        self.compared = true;
        std::mem::take(&mut self.outcome)
    }

    /// Compares texts first: they can be updated even if the exit code is wrong.
    #[track_caller]
    fn compare_rest(&mut self, code: i32) {
        self.compared = true;
        self.stderr.compare("stderr", &self.outcome.stderr);
        assert_eq!(self.outcome.code, code, "exit code");
    }
}

#[track_caller]
fn parse<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// A failing test prints the whole run, not only the first difference.
#[expect(
    clippy::print_stderr,
    reason = "the test harness shows it with the failure"
)]
impl Drop for Run {
    fn drop(&mut self) {
        let Outcome {
            code,
            stdout,
            stderr,
        } = &self.outcome;
        if std::thread::panicking() {
            eprintln!(
                "{}\n[stdout]\n{stdout}[stderr]\n{stderr}[code {code}]",
                self.command
            );
        } else {
            assert!(
                self.compared,
                "{}: nobody compared the outcome",
                self.command
            );
        }
    }
}

#[test]
#[should_panic(expected = "nobody compared the outcome")]
fn uncompared_run_fails() {
    drop(TestVault::empty().run(["--version"]));
}

#[test]
fn code_stdout_and_stderr_are_compared() {
    fn version() -> String {
        concat!("mem ", env!("CARGO_PKG_VERSION"), "\n").to_owned()
    }
    let vault = TestVault::empty();
    vault.run(["--version"]).stdout(version()).code(0);
    let wrong: [fn(Run); 4] = [
        |run| run.code(0),
        |run| run.stdout("mem".to_owned()).code(0),
        |run| run.stdout(version()).stderr("x".to_owned()).code(0),
        |run| run.stdout(version()).code(1),
    ];
    for (number, compare) in wrong.into_iter().enumerate() {
        let run = vault.run(["--version"]);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| compare(run)));
        assert!(caught.is_err(), "case {number}");
    }
}
