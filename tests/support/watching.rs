//! A running `mem watch`. Tests wait for its events and never sleep.

use std::cell::Cell;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::records::WatchLine;
use super::{MEM, TestVault};

/// Timeout for all waiting.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A watch of a vault; killed on drop.
pub(crate) struct Watch<'v> {
    vault: &'v TestVault,
    child: Child,
    lines: Receiver<String>,
    words: Arc<Mutex<String>>,
    listener: Option<JoinHandle<()>>,
    fences: Cell<usize>,
}

/// Result of a watch.
#[derive(Debug)]
pub(crate) struct WatchResult {
    pub(crate) code: Option<i32>,
    /// Lines after the expected events.
    pub(crate) lines: Vec<String>,
    pub(crate) stderr: String,
}

/// Changes of notes reported by several events.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ReportedChanges {
    pub(crate) added: Vec<String>,
    pub(crate) changed: Vec<String>,
    pub(crate) moved: Vec<(String, String)>,
    pub(crate) removed: Vec<String>,
}

impl ReportedChanges {
    fn add(&mut self, event: WatchLine) {
        if let WatchLine::Indexed {
            added,
            changed,
            moved,
            removed,
            ..
        } = event
        {
            self.added.extend(added);
            self.changed.extend(changed);
            self.moved.extend(moved);
            self.removed.extend(removed);
        }
    }
}

impl<'v> Watch<'v> {
    /// Starts a watch with `--jsonl` and waits until it follows the vault.
    pub(crate) fn start(vault: &'v TestVault) -> Self {
        let watch = Self::begin(vault, &["watch", "--jsonl"]);
        loop {
            if let WatchLine::Started { how, .. } = watch.next() {
                assert_eq!(how, "events");
                return watch;
            }
        }
    }

    /// Starts a watch without waiting.
    pub(crate) fn begin(vault: &'v TestVault, arguments: &[&str]) -> Self {
        let mut command = Command::new(MEM);
        command.args(arguments);
        vault.prepare(&mut command);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines() {
                // Without a receiver the pipe is closed.
                if line.is_ok_and(|line| sender.send(line).is_err()) {
                    break;
                }
            }
        });
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let words = Arc::<Mutex<String>>::default();
        let heard = words.clone();
        let listener = thread::spawn(move || {
            for line in stderr.lines() {
                let line = line.unwrap();
                heard.lock().unwrap().extend([&line, "\n"]);
            }
        });
        Self {
            vault,
            child,
            lines,
            words,
            listener: Some(listener),
            fences: Cell::new(0),
        }
    }

    /// Returns its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes its output pipe after the next line.
    pub(crate) fn read_no_more(&mut self) {
        self.lines = channel().1;
    }

    /// Sends a signal to it.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the next line.
    #[track_caller]
    pub(crate) fn line(&self) -> String {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("no line for {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => panic!("the watch ended"),
        }
    }

    /// Waits for the next event.
    #[track_caller]
    pub(crate) fn next(&self) -> WatchLine {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Waits until the reported changes satisfy `is_enough`.
    #[track_caller]
    pub(crate) fn until(&self, is_enough: impl Fn(&ReportedChanges) -> bool) -> ReportedChanges {
        let mut told = ReportedChanges::default();
        while !is_enough(&told) {
            told.add(self.next());
        }
        told
    }

    /// Adds a note and waits for its event; returns all changes up to it.
    #[track_caller]
    pub(crate) fn fence(&mut self) -> ReportedChanges {
        let fence = self.write_fence();
        let mut told = self.until(|told| told.added.contains(&fence));
        told.added.retain(|added| *added != fence);
        told
    }

    /// Adds a note and returns its path.
    fn write_fence(&self) -> String {
        self.fences.set(self.fences.get() + 1);
        // The name contains the process id, because the index may contain notes of an earlier
        // watch.
        let fence = format!("fence {} {}.md", self.child.id(), self.fences.get());
        // Renamed whole: an empty file may be indexed before its text is written.
        self.vault.write(".fence", &fence);
        fs::rename(self.vault.path(".fence"), self.vault.path(&fence)).unwrap();
        fence
    }

    /// Waits for a certain warning.
    #[track_caller]
    pub(crate) fn until_warned(&self, of: &str) {
        let began = Instant::now();
        while !self.words.lock().unwrap().contains(of) {
            assert!(began.elapsed() < PATIENCE, "it does not warn of {of}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Adds a note and waits until it is indexed.
    #[track_caller]
    pub(crate) fn settle(&self) {
        let began = Instant::now();
        let fence = self.write_fence();
        while !self.is_in_index(&fence) {
            assert!(began.elapsed() < PATIENCE, "it never catches up");
        }
    }

    /// Adds a note and waits until it is indexed or the watch ends.
    pub(crate) fn settle_or_end(&mut self) {
        let began = Instant::now();
        let fence = self.write_fence();
        while self.child.try_wait().unwrap().is_none() && !self.is_in_index(&fence) {
            assert!(began.elapsed() < PATIENCE, "it never catches up");
        }
    }

    fn is_in_index(&self, path: &str) -> bool {
        let listed = self.vault.run(["--no-sync", "list", "--json"]).raw();
        listed.stdout.contains(path)
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> WatchResult {
        let began = Instant::now();
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code();
            }
            assert!(began.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(5));
        };
        self.listener.take().unwrap().join().unwrap();
        let stderr = std::mem::take(&mut *self.words.lock().unwrap());
        WatchResult {
            code,
            lines: self.lines.iter().collect(),
            stderr: self.vault.shown(stderr.into_bytes()),
        }
    }

    /// Ends it, compares its index with a new one, and its messages with `stderr`.
    #[track_caller]
    pub(crate) fn end(mut self, stderr: &str) {
        self.fence();
        let vault = self.vault;
        self.signal(Signal::TERM);
        let ended = self.wait();
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), stderr));
        assert_eq!(
            ended.lines.last().map(String::as_str),
            Some(r#"{"event":"stopped"}"#)
        );
        assert_like_new(vault);
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asserts that the current index answers like a rebuilt one.
#[track_caller]
pub(crate) fn assert_like_new(vault: &TestVault) {
    let ask = |cache: &str, arguments: &[&str]| {
        let command = vault.command([&["--no-sync"], arguments].concat());
        let command = command.env("XDG_CACHE_HOME", vault.home(cache));
        let outcome = command.run().raw();
        (outcome.code, outcome.stdout)
    };
    let made = vault
        .command(["-q", "index", "--rebuild"])
        .env("XDG_CACHE_HOME", vault.home("afresh"))
        .run()
        .raw();
    assert_eq!(made.code, 0, "{}", made.stderr);
    for arguments in [
        &["list", "--json"][..],
        &["search", "--json", "-n", "50", "tea"],
        &["search", "--json", "-n", "50", "zucchini"],
        &["search", "--json", "-n", "50", "the garden in spring"],
        &[
            "search",
            "--json",
            "-n",
            "50",
            "--mode",
            "lexical",
            "new words",
        ],
        &["graph", "--json"],
    ] {
        let [found, afresh] = [".cache", "afresh"].map(|cache| ask(cache, arguments));
        assert_eq!(found, afresh, "{arguments:?}");
    }
}
