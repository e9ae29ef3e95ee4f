//! Runs a command of the user's settings, within limits.
//!
//! It runs in `/`, so no file of a vault can become part of it.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::change::stop::Stop;

/// Maximum number of bytes kept of stdout and of stderr; the rest is discarded.
const MAX_OUTPUT_BYTES: usize = 64 << 10;

/// How long to read remaining output after the command has ended.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Interval between checks of the running command.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Returns `sh` with `command`, whose output is read.
pub fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir("/");
    shell.stdout(Stdio::piped());
    shell
}

/// When to end a command, and what.
pub struct CommandLimits<'s> {
    pub timeout: Duration,
    pub stop: &'s Stop,
    /// Whether it leads a process group, which is killed when it ends. Processes that leave the
    /// group survive.
    pub leads_group: bool,
}

/// Waits for the end of a command; returns its status, stdout and stderr, or why it was ended.
/// `waits` is called with the time since the start until it ends.
pub fn finish(
    mut child: Child,
    limits: &CommandLimits<'_>,
    mut waits: impl FnMut(Duration),
) -> Result<(ExitStatus, String, String), String> {
    let stdout = child.stdout.take().map(OutputReader::of);
    let stderr = child.stderr.take().map(OutputReader::of);
    let began = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if limits.stop.is_due() => break Err("it was stopped".to_owned()),
            Ok(None) if began.elapsed() >= limits.timeout => {
                let seconds = limits.timeout.as_secs_f64();
                break Err(format!("it took longer than {seconds} s"));
            }
            Ok(None) => waits(began.elapsed()),
            Err(error) => break Err(error.to_string()),
        }
        thread::sleep(POLL_INTERVAL);
    };
    if limits.leads_group {
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    }
    if ended.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let text = |read: Option<OutputReader>| read.map(OutputReader::text).unwrap_or_default();
    Ok((ended?, text(stdout), text(stderr)))
}

/// Reads the first bytes of a stream while the command runs.
struct OutputReader {
    bytes: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
}

impl OutputReader {
    /// Reads to the end, so that the command never blocks on a full pipe.
    fn of(mut from: impl Read + Send + 'static) -> Self {
        let (end, ended) = mpsc::channel();
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let kept = bytes.clone();
        thread::spawn(move || {
            let mut chunk = [0; 8 << 10];
            while let Ok(length @ 1..) = from.read(&mut chunk) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = MAX_OUTPUT_BYTES.saturating_sub(kept.len());
                kept.extend_from_slice(&chunk[..length.min(room)]);
            }
            let _ = end.send(());
        });
        Self { bytes, ended }
    }

    /// Returns the text read so far. A surviving child process may keep the pipe open for ever.
    fn text(self) -> String {
        let _ = self.ended.recv_timeout(DRAIN_TIMEOUT);
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
