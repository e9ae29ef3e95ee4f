//! Prompts that a person at a terminal answers with single keys.
//!
//! The terminal is in raw mode only while a key is awaited. It is restored however the process
//! ends.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use console::Term;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::process::{Signal, getpgrp, getpid, kill_current_process_group};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::SIGCONT;

use super::keys::{self, Key};
use super::{Output, is_dumb};
use crate::error::{Error, Result};

/// Maximum wait for the rest of a multi-byte key on a slow line.
const KEY_TIMEOUT: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 20_000_000,
};

/// Maximum wait for the stop signal to take effect; it has none if no shell could resume the
/// process.
const MAX_STOP_WAIT: Duration = Duration::from_millis(200);
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A terminal that can read single keys.
#[derive(Clone, Debug)]
pub struct Terminal {
    original_modes: Termios,
}

/// Whether the terminal was restored for good because the process ends.
static IS_LEFT: Mutex<bool> = Mutex::new(false);

impl Terminal {
    /// Returns the terminal of the process; none if a stream is redirected or the terminal is dumb.
    pub fn of(output: &Output) -> Option<Self> {
        let of_prompts = || Self::of_prompts(output);
        output.stdout_is_terminal.then(of_prompts).flatten()
    }

    /// Like [`Self::of`], but stdout may be redirected: stderr shows the question, stdin answers
    /// it.
    pub fn of_prompts(output: &Output) -> Option<Self> {
        let stdin = io::stdin();
        if is_dumb() || !output.stderr_is_terminal || !stdin.is_terminal() {
            return None;
        }
        let original_modes = tcgetattr(&stdin).ok()?;
        Some(Self { original_modes })
    }

    /// Returns the width and height in cells.
    pub fn size() -> [usize; 2] {
        let (rows, columns) = Term::stdout().size();
        [columns.into(), rows.into()]
    }

    /// Shows a prompt and waits for a key, without echo. Letters are returned in lower case, a closed terminal as
    /// Ctrl-D.
    ///
    /// Raw mode starts before the prompt is shown, so a fast key or Ctrl-C is not lost.
    pub fn ask(&self, prompt: impl FnOnce() -> Result<()>) -> Result<Key> {
        self.enter_raw_mode();
        let pressed = prompt().and_then(|()| {
            key().map_err(|error| Error::new("cannot ask on this terminal").caused_by(&error))
        });
        self.restore();
        pressed
    }

    /// Switches to single keys without echo; Ctrl-C is then a key, too.
    pub fn enter_raw_mode(&self) {
        let mut raw_modes = self.original_modes.clone();
        raw_modes.make_raw();
        raw_modes.output_modes = self.original_modes.output_modes;
        Self::set(&raw_modes);
    }

    /// Restores the terminal.
    pub fn restore(&self) {
        Self::set(&self.original_modes);
    }

    /// Sets the terminal modes, unless the terminal was restored for good.
    fn set(modes: &Termios) {
        if !*lock() {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, modes);
        }
    }

    /// Stops the process until the shell resumes it. Between two keys the terminal is already
    /// restored.
    pub fn suspend(&self) {
        let _ = writeln!(io::stderr());
        stop();
    }

    /// Restores the terminal and its cursor for good and starts a new line; used while a key is
    /// awaited.
    pub fn leave(&self) {
        let mut is_left = lock();
        if !std::mem::replace(&mut *is_left, true) {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.original_modes);
            let _ = Term::stderr().show_cursor();
            let _ = writeln!(io::stderr());
        }
    }
}

fn lock() -> MutexGuard<'static, bool> {
    IS_LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stops the process group until the shell resumes it.
///
/// Does nothing if the process does not lead its group: readers of a pipeline would wait for ever.
pub(super) fn stop() {
    let is_awake = Arc::new(AtomicBool::new(false));
    let Ok(waking) = signal_hook::flag::register(SIGCONT, Arc::clone(&is_awake)) else {
        return;
    };
    if getpgrp() == getpid() && kill_current_process_group(Signal::TSTP).is_ok() {
        // Another thread may receive the signal. Until then this one would go on and set raw mode
        // again.
        let mut wait_left = MAX_STOP_WAIT;
        while !is_awake.load(Ordering::Relaxed) && !wait_left.is_zero() {
            thread::sleep(STOP_POLL_INTERVAL);
            wait_left = wait_left.saturating_sub(STOP_POLL_INTERVAL);
        }
    }
    signal_hook::low_level::unregister(waking);
}

/// Reads one key and no byte of the next.
fn key() -> Result<Key, Errno> {
    let mut bytes = Vec::new();
    loop {
        let is_complete = !bytes.is_empty() && !has_more()?;
        if !is_complete {
            match byte() {
                // Ctrl-D before raw mode is read as zero. A read from a closed terminal fails.
                Ok(Some(0) | None) | Err(Errno::IO) => return Ok(Key::Ctrl('d')),
                Ok(Some(byte)) => bytes.push(byte),
                Err(Errno::INTR) => return Ok(Key::Other),
                Err(error) => return Err(error),
            }
        }
        if let Some(key) = keys::take_keys(&mut bytes, is_complete).first() {
            return Ok(match key {
                Key::Char(c) => Key::Char(c.to_lowercase().next().unwrap_or(*c)),
                key => *key,
            });
        }
    }
}

/// Returns whether more bytes of the current key are available.
fn has_more() -> Result<bool, Errno> {
    let stdin = io::stdin();
    let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
    Ok(poll(&mut waiting, Some(&KEY_TIMEOUT))? > 0)
}

fn byte() -> Result<Option<u8>, Errno> {
    let mut buffer = [0];
    let count = read(io::stdin(), &mut buffer)?;
    Ok((count > 0).then_some(buffer[0]))
}
