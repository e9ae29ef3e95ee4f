//! The sleep that a watch starts when it is quiet: a process of its own.
//!
//! So its memory is given back, its crash ends nothing else, and it is the program that lies there now,
//! not the one from before an upgrade.

use std::io::{self, Read};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::jobs::views;
use crate::run::plan::open::Counts;
use crate::run::report::OpenReport;
use crate::run::sleep::step::Step;
use crate::run::watch::Inbox;

/// How long to wait after a sleep that another one kept from its work, or that came to nothing.
const PAUSE: Duration = Duration::from_secs(300);

/// How often to look whether something is due.
const LOOK: Duration = Duration::from_secs(10);

/// A sleep at work.
#[derive(Debug)]
struct Asleep {
    child: Child,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    since: Instant,
    work: Work,
}

/// How a sleep ended.
#[derive(Debug)]
pub(super) struct Slept {
    /// How its jobs ended; none if it did not say.
    pub(super) jobs: Option<Vec<Job>>,
    /// What waits for an answer.
    pub(super) open: Counts,
    /// What it said beside that.
    pub(super) words: String,
    /// How long it took.
    pub(super) took: Duration,
    /// Whether another sleep kept it from its work.
    pub(super) is_kept_out: bool,
    /// What it was to do.
    pub(super) work: Work,
}

/// What a sleep is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// The jobs that are due.
    Due,
    /// The lists in notes, due or not: the notes that they list have changed.
    Lists,
}

impl Slept {
    /// Returns how many changes it made.
    pub(super) fn changed(&self) -> usize {
        let jobs = self.jobs.iter().flatten();
        jobs.map(|job| job.changed).sum()
    }

    /// Returns true if lists were looked at and stood as they should.
    pub(super) fn is_no_news(&self) -> bool {
        let failed = |jobs: &Vec<Job>| jobs.iter().any(|job| job.error.is_some());
        self.work == Work::Lists
            && self.changed() == 0
            && self.jobs.as_ref().is_some_and(|jobs| !failed(jobs))
    }
}

/// One job of a sleep, of what `mem sleep --json` says about it.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Job {
    #[serde(rename = "job")]
    pub(super) name: String,
    pub(super) outcome: String,
    pub(super) changed: usize,
    pub(super) needs_answer: usize,
    /// The id by which it is undone.
    #[serde(default)]
    pub(super) run: Option<String>,
    #[serde(default)]
    pub(super) error: Option<String>,
}

#[derive(Deserialize)]
struct Night {
    jobs: Vec<Job>,
    #[serde(default)]
    open: Option<OpenReport>,
}

impl Asleep {
    /// Starts one for the vault at `root`, of `only` these jobs if there are any, that leaves alone what was saved within `idle`; the inbox is
    /// told when it ends.
    fn start(
        program: &Path,
        root: &Path,
        work: Work,
        only: &[Step],
        idle: Duration,
        inbox: &Arc<Inbox>,
    ) -> io::Result<Self> {
        let which: &[&str] = match work {
            Work::Due => &[],
            Work::Lists => &["--all", "--only", views::JOB.name],
        };
        let mut child = Command::new(program)
            .arg("-C")
            .arg(root)
            .args(["-q", "sleep", "--json", "--idle"])
            .arg(format!("{}s", idle.as_secs()))
            .args(which)
            .args(only.iter().flat_map(|step| ["--only", step.name()]))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is for the watch, which passes it on.
            .process_group(0)
            .spawn()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let inbox = inbox.clone();
        Ok(Self {
            child,
            stdout: stdout.map(|stdout| reading(stdout, move || inbox.wake())),
            stderr: stderr.map(|stderr| reading(stderr, || ())),
            since: Instant::now(),
            work,
        })
    }

    /// Returns true when it has ended.
    fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks it to end, and waits until it has.
    fn stop(mut self) -> Slept {
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        self.wait()
    }

    /// Waits for its end.
    fn wait(&mut self) -> Slept {
        let status = self.child.wait();
        let read = |stream: Option<JoinHandle<Vec<u8>>>| {
            let read = stream.and_then(|stream| stream.join().ok());
            read.unwrap_or_default()
        };
        let (stdout, stderr) = (read(self.stdout.take()), read(self.stderr.take()));
        let night: Option<Night> = serde_json::from_slice(&stdout).ok();
        let code = status.ok().and_then(|status| status.code());
        let open = night.as_ref().and_then(|night| night.open.as_ref());
        Slept {
            is_kept_out: code == Some(1) && night.is_none(),
            open: open.map_or_else(Counts::default, |open| open.tally.all),
            jobs: night.map(|night| night.jobs),
            words: String::from_utf8_lossy(&stderr).trim().to_owned(),
            took: self.since.elapsed(),
            work: self.work,
        }
    }
}

impl Drop for Asleep {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

/// Reads a stream to its end on a thread of its own, so that whoever writes never waits.
fn reading(
    mut stream: impl Read + Send + 'static,
    ended: impl FnOnce() + Send + 'static,
) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What is missing is no JSON.
        let _ = stream.read_to_end(&mut bytes);
        ended();
        bytes
    })
}

/// When a watch sleeps.
#[derive(Debug)]
pub(super) struct Nights {
    program: PathBuf,
    asleep: Option<Asleep>,
    not_before: Instant,
}

impl Nights {
    /// Returns those of the program at `program`.
    pub(super) fn new(program: PathBuf) -> Self {
        Self {
            program,
            asleep: None,
            not_before: Instant::now(),
        }
    }

    /// Returns true if it is time to look whether something is due, after `quiet` without a change
    /// since `stirred`.
    pub(super) fn is_time(&mut self, now: Instant, stirred: Instant, quiet: Duration) -> bool {
        let is_time =
            self.asleep.is_none() && now >= self.not_before && now.duration_since(stirred) >= quiet;
        if is_time {
            self.not_before = now + LOOK;
        }
        is_time
    }

    /// Begins one.
    pub(super) fn begin(
        &mut self,
        root: &Path,
        work: Work,
        only: &[Step],
        idle: Duration,
        inbox: &Arc<Inbox>,
    ) -> io::Result<()> {
        let begun = Asleep::start(&self.program, root, work, only, idle, inbox);
        if begun.is_err() {
            self.rest();
        }
        self.asleep = Some(begun?);
        Ok(())
    }

    /// Begins none for a while.
    pub(super) fn rest(&mut self) {
        self.not_before = Instant::now() + PAUSE;
    }

    /// Returns how the one at work ended, if it has.
    pub(super) fn ended(&mut self) -> Option<Slept> {
        let asleep = self.asleep.as_mut()?;
        if !asleep.is_over() {
            return None;
        }
        let slept = asleep.wait();
        self.asleep = None;
        Some(slept)
    }

    /// Ends the one at work, if one is.
    pub(super) fn end(&mut self) -> Option<Slept> {
        self.asleep.take().map(Asleep::stop)
    }
}
