//! A person at a terminal, who answers by single keys.
//!
//! The terminal takes single keys only while one is waited for. However the process ends, it is left as it
//! was found.

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
use crate::error::Error;

/// How long the rest of a key of several bytes may take on a slow line.
const REST_OF_KEY: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 20_000_000,
};

/// How long the signal that stops the process may take; where nobody could wake it, it has no effect.
const STOPS_WITHIN: Duration = Duration::from_millis(200);
const STEP: Duration = Duration::from_millis(2);

/// What a person pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// A character, in lower case.
    Char(char),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-Z.
    Suspend,
    /// The end of input: Ctrl-D, or a terminal that was closed.
    End,
    /// A key that means nothing here.
    Other,
}

impl Pressed {
    fn of(key: Key) -> Self {
        match key {
            Key::Char(c) => Self::Char(c.to_lowercase().next().unwrap_or(c)),
            Key::Ctrl('c') => Self::Interrupt,
            Key::Ctrl('d') => Self::End,
            Key::Ctrl('z') => Self::Suspend,
            _ => Self::Other,
        }
    }
}

/// A terminal that takes keys.
#[derive(Clone, Debug)]
pub struct Terminal {
    as_found: Termios,
}

/// Whether the terminal of this process was left for good: the process ends.
static IS_LEFT: Mutex<bool> = Mutex::new(false);

impl Terminal {
    /// Returns the terminal that a person sits at; none if words go elsewhere or come from elsewhere, or if
    /// it can do nothing but print.
    pub fn of(output: &Output) -> Option<Self> {
        let of_words = || Self::of_words(output);
        output.stdout_is_terminal.then(of_words).flatten()
    }

    /// As [`Self::of`], wherever data goes: for questions that stderr shows and stdin answers.
    pub fn of_words(output: &Output) -> Option<Self> {
        let stdin = io::stdin();
        if is_dumb() || !output.stderr_is_terminal || !stdin.is_terminal() {
            return None;
        }
        let as_found = tcgetattr(&stdin).ok()?;
        Some(Self { as_found })
    }

    /// Returns its width and height.
    pub fn size() -> [usize; 2] {
        let (rows, columns) = Term::stdout().size();
        [columns.into(), rows.into()]
    }

    /// Shows a prompt and waits for a key, which is not shown.
    ///
    /// The terminal gives out single keys before the prompt is seen: whoever reads it may press one, and a
    /// Ctrl-C is a key.
    pub fn ask(&self, prompt: impl FnOnce() -> Result<(), Error>) -> Result<Pressed, Error> {
        self.take_keys();
        let pressed = prompt().and_then(|()| {
            key().map_err(|error| Error::new("cannot ask on this terminal").caused_by(&error))
        });
        self.give_back();
        pressed
    }

    /// From here on the terminal gives out single keys, Ctrl-C among them, and does not show them.
    pub fn take_keys(&self) {
        let mut by_keys = self.as_found.clone();
        by_keys.make_raw();
        by_keys.output_modes = self.as_found.output_modes;
        Self::set(&by_keys);
    }

    /// Puts the terminal back as it was found.
    pub fn give_back(&self) {
        Self::set(&self.as_found);
    }

    /// Changes how the terminal takes keys, unless it was left.
    fn set(modes: &Termios) {
        if !*lock() {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, modes);
        }
    }

    /// Stops the process until the shell wakes it; between two keys the terminal is as it was found.
    pub fn suspend(&self) {
        let _ = writeln!(io::stderr());
        stop();
    }

    /// Leaves it for good as it was found, with its cursor, on a line of its own, while a key is waited for.
    pub fn leave(&self) {
        let mut is_left = lock();
        if !std::mem::replace(&mut *is_left, true) {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.as_found);
            let _ = Term::stderr().show_cursor();
            let _ = writeln!(io::stderr());
        }
    }
}

fn lock() -> MutexGuard<'static, bool> {
    IS_LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stops the job that this process is, until the shell wakes it.
///
/// Within a job of others it goes on: who reads what it prints would wait for ever.
pub(super) fn stop() {
    let is_awake = Arc::new(AtomicBool::new(false));
    let Ok(waking) = signal_hook::flag::register(SIGCONT, Arc::clone(&is_awake)) else {
        return;
    };
    if getpgrp() == getpid() && kill_current_process_group(Signal::TSTP).is_ok() {
        // Any thread may take the signal: until it does, this one would go on and take the terminal back.
        let mut patience = STOPS_WITHIN;
        while !is_awake.load(Ordering::Relaxed) && !patience.is_zero() {
            thread::sleep(STEP);
            patience = patience.saturating_sub(STEP);
        }
    }
    signal_hook::low_level::unregister(waking);
}

/// Reads one key, and no byte of the next.
fn key() -> Result<Pressed, Errno> {
    let mut bytes = Vec::new();
    loop {
        let is_all = !bytes.is_empty() && !has_more()?;
        if !is_all {
            match byte() {
                // Pressed before the terminal gave out single keys, Ctrl-D is read as a zero. A terminal that was
                // closed fails.
                Ok(Some(0) | None) | Err(Errno::IO) => return Ok(Pressed::End),
                Ok(Some(byte)) => bytes.push(byte),
                Err(Errno::INTR) => return Ok(Pressed::Other),
                Err(error) => return Err(error),
            }
        }
        if let Some(key) = keys::take(&mut bytes, is_all).first() {
            return Ok(Pressed::of(*key));
        }
    }
}

/// Returns whether there is more of a key that is being read.
fn has_more() -> Result<bool, Errno> {
    let stdin = io::stdin();
    let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
    Ok(poll(&mut waiting, Some(&REST_OF_KEY))? > 0)
}

fn byte() -> Result<Option<u8>, Errno> {
    let mut buffer = [0];
    let count = read(io::stdin(), &mut buffer)?;
    Ok((count > 0).then_some(buffer[0]))
}
