//! The sleep that a watch starts when it is quiet: a process of its own.
//!
//! So its memory is given back, its crash ends nothing else, and it is the program that lies there now,
//! not the one from before an upgrade.

use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rustix::process::{Pid, Signal, kill_process};

use super::Inbox;
use crate::jobs::views;
use crate::run::plan::open::Counts;
use crate::run::prelude::*;
use crate::run::report::OpenReport;
use crate::run::sleep::step::Step;

/// How long to wait after a sleep that another one kept from its task, or that came to nothing.
const PAUSE: Duration = Duration::from_secs(300);

/// How often to look whether something is due.
const LOOK: Duration = Duration::from_secs(10);

/// A sleep at work.
#[derive(Debug)]
struct SleepProcess {
    child: Child,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    since: Instant,
    task: SleepTask,
}

/// How a sleep ended.
#[derive(Debug)]
pub(super) struct SleepResult {
    /// How its jobs ended; none if it did not say.
    pub(super) jobs: Option<Vec<JobSummary>>,
    /// What waits for an answer.
    pub(super) open: Counts,
    /// What it said beside that.
    pub(super) stderr: String,
    /// How long it took.
    pub(super) took: Duration,
    /// Whether another sleep kept it from its work.
    pub(super) is_kept_out: bool,
    /// What it was to do.
    pub(super) task: SleepTask,
}

/// What a sleep is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SleepTask {
    /// The jobs that are due.
    Due,
    /// The lists in notes, due or not: the notes that they list have changed.
    Lists,
}

impl SleepResult {
    /// Returns how many changes it made.
    pub(super) fn changed(&self) -> usize {
        let jobs = self.jobs.iter().flatten();
        jobs.map(|job| job.changed).sum()
    }

    /// Returns true if lists were looked at and stood as they should.
    pub(super) fn is_unchanged(&self) -> bool {
        let failed = |jobs: &Vec<JobSummary>| jobs.iter().any(|job| job.error.is_some());
        self.task == SleepTask::Lists
            && self.changed() == 0
            && self.jobs.as_ref().is_some_and(|jobs| !failed(jobs))
    }
}

/// One job of a sleep, of what `mem sleep --json` says about it.
#[derive(Debug, Deserialize, Serialize)]
pub struct JobSummary {
    #[serde(rename = "job")]
    pub name: String,
    pub outcome: String,
    pub changed: usize,
    pub needs_answer: usize,
    /// The id by which it is undone.
    #[serde(default)]
    pub run: Option<String>,
    #[serde(default)]
    pub error: Option<String>,
}

#[derive(Deserialize)]
struct SleepDocument {
    jobs: Vec<JobSummary>,
    #[serde(default)]
    open: Option<OpenReport>,
}

impl SleepProcess {
    /// Starts one for the vault at `root`, of `only` these jobs if there are any, that leaves alone what was saved within `idle`; the inbox is
    /// told when it ends.
    fn start(
        program: &Path,
        root: &Path,
        task: SleepTask,
        only: &[Step],
        idle: Duration,
        inbox: &Arc<Inbox>,
    ) -> io::Result<Self> {
        let which: &[&str] = match task {
            SleepTask::Due => &[],
            SleepTask::Lists => &["--all", "--only", views::JOB.name],
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
            task,
        })
    }

    /// Returns true when it has ended.
    fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks it to end, and waits until it has.
    fn stop(mut self) -> SleepResult {
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        self.wait()
    }

    /// Waits for its end.
    fn wait(&mut self) -> SleepResult {
        let status = self.child.wait();
        let read = |stream: Option<JoinHandle<Vec<u8>>>| {
            let read = stream.and_then(|stream| stream.join().ok());
            read.unwrap_or_default()
        };
        let (stdout, stderr) = (read(self.stdout.take()), read(self.stderr.take()));
        let document: Option<SleepDocument> = serde_json::from_slice(&stdout).ok();
        let code = status.ok().and_then(|status| status.code());
        let open = document
            .as_ref()
            .and_then(|document| document.open.as_ref());
        SleepResult {
            is_kept_out: code == Some(1) && document.is_none(),
            open: open.map_or_else(Counts::default, |open| open.tally.all),
            jobs: document.map(|document| document.jobs),
            stderr: String::from_utf8_lossy(&stderr).trim().to_owned(),
            took: self.since.elapsed(),
            task: self.task,
        }
    }
}

impl Drop for SleepProcess {
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
pub(super) struct SleepScheduler {
    program: PathBuf,
    process: Option<SleepProcess>,
    not_before: Instant,
}

impl SleepScheduler {
    /// Returns those of the program at `program`.
    pub(super) fn new(program: PathBuf) -> Self {
        Self {
            program,
            process: None,
            not_before: Instant::now(),
        }
    }

    /// Returns true if it is time to look whether something is due, after `quiet` without a change
    /// since `stirred`.
    pub(super) fn is_time(&mut self, now: Instant, stirred: Instant, quiet: Duration) -> bool {
        let is_time = self.process.is_none()
            && now >= self.not_before
            && now.duration_since(stirred) >= quiet;
        if is_time {
            self.not_before = now + LOOK;
        }
        is_time
    }

    /// Begins one.
    pub(super) fn begin(
        &mut self,
        root: &Path,
        task: SleepTask,
        only: &[Step],
        idle: Duration,
        inbox: &Arc<Inbox>,
    ) -> io::Result<()> {
        let begun = SleepProcess::start(&self.program, root, task, only, idle, inbox);
        if begun.is_err() {
            self.rest();
        }
        self.process = Some(begun?);
        Ok(())
    }

    /// Begins none for a while.
    pub(super) fn rest(&mut self) {
        self.not_before = Instant::now() + PAUSE;
    }

    /// Returns how the one at work ended, if it has.
    pub(super) fn ended(&mut self) -> Option<SleepResult> {
        let process = self.process.as_mut()?;
        if !process.is_over() {
            return None;
        }
        let slept = process.wait();
        self.process = None;
        Some(slept)
    }

    /// Ends the one at task, if one is.
    pub(super) fn end(&mut self) -> Option<SleepResult> {
        self.process.take().map(SleepProcess::stop)
    }
}
