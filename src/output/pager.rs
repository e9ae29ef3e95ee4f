//! Shows output that is longer than the screen in a pager.
//!
//! Data is held back until it exceeds the screen; if it fits, no pager is started. If the pager
//! cannot be started, the data goes to the terminal without a message.

use std::ffi::OsString;
use std::io::{self, BufWriter, Stdout, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use console::Term;
use signal_hook::consts::SIGINT;

/// Characters of shell syntax; a pager command with one of them is run by `sh`.
const SHELL_CHARACTERS: &str = "|&;<>()$`\\\"'*?[#~=%";

/// Whether a pager was started.
static IS_STARTED: AtomicBool = AtomicBool::new(false);

/// Returns whether a pager was started. It then handles Ctrl-C, even after it has ended.
pub fn is_started() -> bool {
    IS_STARTED.load(Ordering::Relaxed)
}

/// The destination of data.
#[derive(Debug)]
pub(super) enum Sink {
    Stdout(BufWriter<Stdout>),
    /// Data held back until it exceeds the screen, and the pager for it.
    Held(Vec<u8>, String),
    Paged(Child),
    /// Kept until the caller takes it.
    Buffer(Vec<u8>),
}

impl Sink {
    pub(super) fn new() -> Self {
        Self::Stdout(BufWriter::new(io::stdout()))
    }

    /// Pages later data with `command` if it does not fit on the terminal.
    pub(super) fn page(&mut self, command: &str) -> io::Result<()> {
        if let Self::Stdout(stdout) = self {
            stdout.flush()?;
            *self = Self::Held(Vec::new(), command.to_owned());
        }
        Ok(())
    }

    /// Returns whether messages must be held back.
    pub(super) fn is_paged(&self) -> bool {
        matches!(self, Self::Held(..) | Self::Paged(_))
    }

    /// Writes data that is held back, and waits for the pager.
    pub(super) fn close(&mut self) -> io::Result<()> {
        if matches!(self, Self::Buffer(_)) {
            return Ok(());
        }
        match std::mem::replace(self, Self::new()) {
            Self::Stdout(mut stdout) => stdout.flush(),
            Self::Held(data, _) => {
                self.write_all(&data)?;
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
            Self::Held(data, command) => {
                data.extend(bytes);
                if !bytes.contains(&b'\n') || fits(data, Term::stdout().size()) {
                    return Ok(bytes.len());
                }
                let data = std::mem::take(data);
                *self = start(command).map_or_else(Self::new, Self::Paged);
                self.write_all(&data)?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Paged(_) | Self::Held(..) | Self::Buffer(_) => Ok(()),
        }
    }
}

/// Returns whether data fits on a terminal of this height and width, with a row left for the prompt.
fn fits(data: &[u8], (height, width): (u16, u16)) -> bool {
    let rows = String::from_utf8_lossy(data)
        .lines()
        .map(|line| console::measure_text_width(line).div_ceil(usize::from(width).max(1)))
        .map(|rows| rows.max(1))
        .sum::<usize>();
    rows < height.into()
}

/// Starts a pager that reads from a pipe; none if it cannot be started.
fn start(command: &str) -> Option<Child> {
    let mut process = if command.contains(|c| SHELL_CHARACTERS.contains(c)) {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]);
        shell
    } else {
        let mut words = command.split_whitespace();
        let mut program = Command::new(words.next()?);
        program.args(words);
        program
    };
    // -F: less quits if everything fits; -X: the text stays on the screen. `LESS` overrides both.
    // -R shows colours and is always set.
    let mut less = OsString::from("-R ");
    less.push(std::env::var_os("LESS").unwrap_or_else(|| "-FX".into()));
    process.env("LESS", less);
    // Notes are UTF-8, whatever the locale.
    if std::env::var_os("LESSCHARSET").is_none() {
        process.env("LESSCHARSET", "utf-8");
    }
    // Ctrl-C belongs to the pager. If mem ended, the pager and the shell would both read the
    // terminal.
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
    fn rows_are_counted_until_the_screen_is_full() {
        for (text, height, width, fits) in [
            ("a\nb\n", 3, 10, true),
            ("a\nb\n", 2, 10, false),
            ("a long line of text\n", 3, 10, true),
            ("a long line of text\n", 2, 10, false),
            ("no end", 3, 3, true),
            ("緑茶緑茶緑\n", 2, 10, true),
            ("緑茶緑茶緑茶\n", 2, 10, false),
        ] {
            assert_eq!(
                super::fits(text.as_bytes(), (height, width)),
                fits,
                "{text:?}"
            );
        }
    }

    #[test]
    fn missing_pager_is_not_started() {
        for command in ["", "  ", "/no/such/pager -x"] {
            assert!(start(command).is_none(), "{command}");
        }
    }
}
