//! A person at a terminal, who answers by single keys.
//!
//! The terminal takes single keys only while one is waited for. However the process ends, it is left as it
//! was found.

use std::io::{self, IsTerminal as _, Write as _};

use console::{Key, Term};
use rustix::process::{Signal, getpid, kill_process};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use super::Output;
use crate::error::Error;

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

/// A terminal that takes keys.
#[derive(Clone, Debug)]
pub struct Terminal {
    term: Term,
    as_found: Termios,
}

impl Terminal {
    /// Returns the terminal that a person sits at; none if words go elsewhere or come from elsewhere, or if
    /// it can do nothing but print.
    #[must_use]
    pub fn of(output: &Output) -> Option<Self> {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        let stdin = io::stdin();
        let is_watched =
            output.stdout_is_terminal && output.stderr_is_terminal && stdin.is_terminal();
        if is_dumb || !is_watched {
            return None;
        }
        Some(Self {
            term: Term::stdout(),
            as_found: tcgetattr(&stdin).ok()?,
        })
    }

    /// Returns its width and height.
    #[must_use]
    pub fn size(&self) -> [usize; 2] {
        let (rows, columns) = self.term.size();
        [columns.into(), rows.into()]
    }

    /// Waits for a key; it is not shown.
    pub fn key(&self) -> Result<Pressed, Error> {
        Ok(match self.term.read_key_raw() {
            Ok(Key::CtrlC) => Pressed::Interrupt,
            // Pressed before the terminal gave out single keys, Ctrl-D is read as a zero.
            Ok(Key::Char('\u{4}' | '\0')) => Pressed::End,
            Ok(Key::Char('\u{1a}')) => Pressed::Suspend,
            Ok(Key::Char(c)) => Pressed::Char(c.to_lowercase().next().unwrap_or(c)),
            Ok(_) => Pressed::Other,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Pressed::End,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Pressed::Other,
            Err(error) => {
                return Err(Error::new("cannot ask on this terminal").caused_by(&error));
            }
        })
    }

    /// Stops the process until the shell wakes it; between two keys the terminal is as it was found.
    pub fn suspend(&self) {
        let _ = writeln!(io::stderr());
        let _ = kill_process(getpid(), Signal::TSTP);
    }

    /// Leaves it as it was found, on a line of its own, while a key is waited for.
    pub fn leave(&self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.as_found);
        let _ = writeln!(io::stderr());
    }
}
