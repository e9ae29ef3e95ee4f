//! The sleep that a watch starts when the vault is quiet, as a separate process.
//!
//! A process returns its memory, cannot crash the watch, and runs the installed version after an
//! upgrade.

use std::os::unix::process::CommandExt as _;
use std::process::{self, Command, Stdio};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};

use super::Inbox;
use crate::jobs::views;
use crate::run::plan::open::Counts;
use crate::run::prelude::*;
use crate::run::report::{JobEnd, OpenReport};
use crate::session::upgrade::EncoderState;

/// Pause after a sleep that failed or was locked out by another one.
const RETRY_PAUSE: Duration = Duration::from_secs(300);

/// Interval between checks for due jobs.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// A running sleep.
#[derive(Debug)]
struct SleepProcess {
    pid: Pid,
    /// The thread that reads its output; none after its end.
    output: Option<JoinHandle<io::Result<process::Output>>>,
    since: Instant,
    task: SleepTask,
}

/// The result of a sleep.
#[derive(Debug)]
pub(super) struct SleepResult {
    /// Outcomes of the jobs; none if the output was unreadable.
    pub(super) jobs: Option<Vec<JobSummary>>,
    /// Number of open questions and suggestions.
    pub(super) open: Counts,
    /// The rest of its output.
    pub(super) stderr: String,
    /// Duration of the sleep.
    pub(super) took: Duration,
    /// Whether another sleep held the lock.
    pub(super) is_locked_out: bool,
    /// The task of the sleep.
    pub(super) task: SleepTask,
    /// The state of the sentence encoder, unless it has nothing to do.
    pub(super) encoder: Option<EncoderState>,
}

/// The task of a sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SleepTask {
    /// Run the due jobs.
    Due,
    /// Update the lists in notes, due or not, because listed notes changed.
    Lists,
    /// Compute vectors of the sentence encoder, because no job is due.
    Vectors,
}

impl SleepResult {
    /// Returns the number of changes.
    pub(super) fn changed(&self) -> usize {
        let jobs = self.jobs.iter().flatten();
        jobs.map(|job| job.changed).sum()
    }

    /// Whether lists were checked successfully and none changed.
    pub(super) fn is_unchanged(&self) -> bool {
        let failed = |jobs: &Vec<JobSummary>| jobs.iter().any(|job| job.error.is_some());
        self.task == SleepTask::Lists
            && self.changed() == 0
            && self.jobs.as_ref().is_some_and(|jobs| !failed(jobs))
    }
}

/// One job in the output of `mem sleep --json`.
#[derive(Debug, Deserialize, Serialize)]
pub struct JobSummary {
    #[serde(rename = "job")]
    pub name: String,
    pub outcome: JobEnd,
    pub changed: usize,
    pub needs_answer: usize,
    /// The run id for `mem undo`.
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
    #[serde(default)]
    encoder: Option<EncoderState>,
}

impl SleepProcess {
    /// Starts a sleep of the vault at `root`, limited to the jobs `only` unless empty. It skips
    /// notes saved within
    /// `idle`, and wakes the inbox when it ends.
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
            SleepTask::Vectors => &["--only", "index"],
        };
        let child = Command::new(program)
            .arg("-C")
            .arg(root)
            .args(["-q", "sleep", "--json", "--idle"])
            .arg(format!("{}s", idle.as_secs()))
            .args(which)
            .args(only.iter().flat_map(|step| ["--only", step.name()]))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C goes to the watch, which forwards it.
            .process_group(0)
            .spawn()?;
        let (pid, inbox) = (Pid::from_child(&child), inbox.clone());
        let output = thread::spawn(move || {
            let output = child.wait_with_output();
            inbox.wake();
            output
        });
        Ok(Self {
            pid,
            output: Some(output),
            since: Instant::now(),
            task,
        })
    }

    /// Whether the process has ended.
    fn is_over(&self) -> bool {
        self.output.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Terminates the process and waits for its end.
    fn stop(mut self) -> SleepResult {
        self.terminate();
        self.wait()
    }

    fn terminate(&self) {
        if !self.is_over() {
            let _ = kill_process(self.pid, Signal::TERM);
        }
    }

    /// Waits for the end of the process.
    fn wait(&mut self) -> SleepResult {
        let ended = self
            .output
            .take()
            .and_then(|output| output.join().ok()?.ok());
        let read = ended.as_ref();
        let document = read.and_then(|it| serde_json::from_slice::<SleepDocument>(&it.stdout).ok());
        let stderr = read.map(|it| String::from_utf8_lossy(&it.stderr));
        let code = read.and_then(|it| it.status.code());
        let open = document
            .as_ref()
            .and_then(|document| document.open.as_ref());
        SleepResult {
            is_locked_out: code == Some(1) && document.is_none(),
            open: open.map_or_else(Counts::default, |open| open.tally.all),
            encoder: document.as_ref().and_then(|document| document.encoder),
            jobs: document.map(|document| document.jobs),
            stderr: stderr.unwrap_or_default().trim().to_owned(),
            took: self.since.elapsed(),
            task: self.task,
        }
    }
}

impl Drop for SleepProcess {
    fn drop(&mut self) {
        self.terminate();
        let _ = self.output.take().map(JoinHandle::join);
    }
}

/// Schedules the sleeps of a watch.
#[derive(Debug)]
pub(super) struct SleepScheduler {
    program: PathBuf,
    process: Option<SleepProcess>,
    not_before: Instant,
}

impl SleepScheduler {
    /// Returns a scheduler that runs `program`.
    pub(super) fn new(program: PathBuf) -> Self {
        Self {
            program,
            process: None,
            not_before: Instant::now(),
        }
    }

    /// Whether to check for due jobs: nothing runs, and no event arrived for `quiet` since
    /// `last_event`.
    pub(super) fn is_check_due(
        &mut self,
        now: Instant,
        last_event: Instant,
        quiet: Duration,
    ) -> bool {
        let is_due = self.process.is_none()
            && now >= self.not_before
            && now.duration_since(last_event) >= quiet;
        if is_due {
            self.not_before = now + CHECK_INTERVAL;
        }
        is_due
    }

    /// Starts a sleep.
    pub(super) fn start(
        &mut self,
        root: &Path,
        task: SleepTask,
        only: &[Step],
        idle: Duration,
        inbox: &Arc<Inbox>,
    ) -> io::Result<()> {
        let begun = SleepProcess::start(&self.program, root, task, only, idle, inbox);
        if begun.is_err() {
            self.postpone();
        }
        self.process = Some(begun?);
        Ok(())
    }

    /// Postpones the next sleep.
    pub(super) fn postpone(&mut self) {
        self.not_before = Instant::now() + RETRY_PAUSE;
    }

    /// Returns the result of the running sleep if it has ended.
    pub(super) fn take_result(&mut self) -> Option<SleepResult> {
        let process = self.process.as_mut()?;
        if !process.is_over() {
            return None;
        }
        let result = process.wait();
        self.process = None;
        Some(result)
    }

    /// Terminates the running sleep, if any.
    pub(super) fn stop(&mut self) -> Option<SleepResult> {
        self.process.take().map(SleepProcess::stop)
    }
}
