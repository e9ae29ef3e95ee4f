//! What is longer than the screen is read in a pager.
//!
//! Data is held back until it is known not to fit; what fits is written as ever, and no pager is started. A
//! pager that is not there is no reason for words: the data goes to the terminal.

use std::ffi::OsString;
use std::io::{self, BufWriter, Stdout, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use console::Term;
use signal_hook::consts::SIGINT;

/// Signs of a shell: a command with one of them is the shell's to read.
const SHELL: &str = "|&;<>()$`\\\"'*?[#~=%";

/// Whether a pager was started.
static IS_STARTED: AtomicBool = AtomicBool::new(false);

/// Returns whether a pager was started: Ctrl-C is its key, also if it ends for that.
pub fn is_started() -> bool {
    IS_STARTED.load(Ordering::Relaxed)
}

/// Where data goes.
#[derive(Debug)]
pub(super) enum Sink {
    Stdout(BufWriter<Stdout>),
    /// Held back for the pager of this command.
    Held(Held),
    Paged(Child),
    /// Kept for the caller.
    Buffer(Vec<u8>),
}

/// Data that may fit on the screen.
#[derive(Debug)]
pub(super) struct Held {
    command: String,
    bytes: Vec<u8>,
    /// The rows that it takes at most, those of the line that is not at its end left out.
    rows: usize,
    /// How wide that line is at most.
    line: usize,
    height: usize,
    width: usize,
}

impl Sink {
    pub(super) fn new() -> Self {
        Self::Stdout(BufWriter::new(io::stdout()))
    }

    /// Has what follows read by `command` if it does not fit on the terminal.
    pub(super) fn page(&mut self, command: &str) -> io::Result<()> {
        if let Self::Stdout(stdout) = self {
            stdout.flush()?;
            let (height, width) = Term::stdout().size();
            *self = Self::Held(Held {
                command: command.to_owned(),
                bytes: Vec::new(),
                rows: 0,
                line: 0,
                height: height.into(),
                width: usize::from(width).max(1),
            });
        }
        Ok(())
    }

    /// Returns whether words have to wait for their turn.
    pub(super) fn is_paged(&self) -> bool {
        matches!(self, Self::Held(_) | Self::Paged(_))
    }

    /// Writes out what is held back, and waits for the pager.
    pub(super) fn close(&mut self) -> io::Result<()> {
        if matches!(self, Self::Buffer(_)) {
            return Ok(());
        }
        match std::mem::replace(self, Self::new()) {
            Self::Stdout(mut stdout) => stdout.flush(),
            Self::Held(held) => {
                self.write_all(&held.bytes)?;
                self.flush()
            }
            Self::Paged(mut pager) => {
                drop(pager.stdin.take());
                pager.wait().map(|_| ())
            }
            Self::Buffer(_) => Ok(()),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Buffer(buffer) => buffer.write(bytes),
            Self::Paged(pager) => match &mut pager.stdin {
                Some(stdin) => stdin.write(bytes),
                None => Err(io::ErrorKind::BrokenPipe.into()),
            },
            Self::Held(held) => {
                if held.takes(bytes) {
                    return Ok(bytes.len());
                }
                let Held {
                    command,
                    bytes: data,
                    ..
                } = held;
                let (command, data) = (std::mem::take(command), std::mem::take(data));
                *self = match start(&command) {
                    Some(pager) => Self::Paged(pager),
                    None => Self::new(),
                };
                self.write_all(&data)?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Paged(_) | Self::Held(_) | Self::Buffer(_) => Ok(()),
        }
    }
}

impl Held {
    /// Adds bytes; returns whether all of it still fits, with a row left for the prompt.
    fn takes(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            self.bytes.push(*byte);
            // Never too few: no character of one byte takes two columns.
            match byte {
                b'\n' => {
                    self.rows += 1 + self.line.saturating_sub(1) / self.width;
                    self.line = 0;
                }
                0..0x80 => self.line += 1,
                0xc0.. => self.line += 2,
                _ => {}
            }
        }
        self.rows < self.height
    }
}

/// Starts a pager that reads what is written; none if it is not there.
fn start(command: &str) -> Option<Child> {
    let mut process = if command.contains(|c| SHELL.contains(c)) {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]);
        shell
    } else {
        let mut words = command.split_whitespace();
        let mut program = Command::new(words.next()?);
        program.args(words);
        program
    };
    // It ends by itself where all fits after all, and leaves the text on the screen, unless somebody has other
    // wishes; it shows colours whatever these are.
    let mut less = OsString::from("-R ");
    less.push(std::env::var_os("LESS").unwrap_or_else(|| "-FX".into()));
    process.env("LESS", less);
    // Notes are UTF-8, whatever the locale says.
    if std::env::var_os("LESSCHARSET").is_none() {
        process.env("LESSCHARSET", "utf-8");
    }
    // A Ctrl-C is the pager's: without mem it would read from a terminal that the shell reads from, too.
    let _ = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
    IS_STARTED.store(true, Ordering::Relaxed);
    let started = process.stdin(Stdio::piped()).spawn().ok();
    IS_STARTED.store(started.is_some(), Ordering::Relaxed);
    started
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_known_row_by_row() {
        for (text, height, width, fits) in [
            ("a\nb\n", 3, 10, true),
            ("a\nb\n", 2, 10, false),
            ("a long line of text\n", 3, 10, true),
            ("a long line of text\n", 2, 10, false),
            ("no end", 1, 3, true),
            ("緑茶緑茶緑\n", 2, 10, true),
            ("緑茶緑茶緑茶\n", 2, 10, false),
        ] {
            let mut held = Held {
                command: String::new(),
                bytes: Vec::new(),
                rows: 0,
                line: 0,
                height,
                width,
            };
            let takes: Vec<bool> = text.bytes().map(|byte| held.takes(&[byte])).collect();
            assert_eq!(takes.last(), Some(&fits), "{text:?}");
        }
    }

    #[test]
    fn a_pager_that_is_not_there_is_none() {
        for command in ["", "  ", "/no/such/pager -x"] {
            assert!(start(command).is_none(), "{command}");
        }
    }
}
