//! Full-screen mode of a terminal: redraws after every key and restores the terminal at the end.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use signal_hook::consts::SIGWINCH;

use super::keys::{self, Key};
use super::{is_dumb, terminal};
use crate::error::{Error, Result};

/// Maximum wait for the rest of a multi-byte key on a slow line.
const KEY_TIMEOUT: Duration = Duration::from_millis(20);

/// Switches to the alternate screen, hides the cursor, disables line wrapping, enables bracketed
/// paste.
///
/// Terminals disagree about the width of some characters. Without wrapping, a row that is too wide
/// is cut instead of shifting the rows below.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h";
const LEAVE: &str = "\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l";

/// A terminal in full-screen mode, until it is dropped.
#[derive(Debug)]
pub struct Screen {
    keys: File,
    guard: ScreenGuard,
    wake: UnixStream,
    waker: UnixStream,
    resized: signal_hook::SigId,
    /// Bytes of an incomplete key.
    read: Vec<u8>,
}

/// Restores the terminal; clones share the state, so it is restored once.
#[derive(Clone, Debug)]
pub struct ScreenGuard {
    terminal: Arc<File>,
    original_modes: Termios,
    is_left: Arc<Mutex<bool>>,
}

/// Ends [`Screen::wait`] from another thread.
#[derive(Debug)]
pub struct Waker(UnixStream);

impl Waker {
    /// Ends the wait.
    pub fn wake(&self) {
        // A full pipe wakes it as well.
        let _ = (&self.0).write(&[0]);
    }
}

impl ScreenGuard {
    /// Restores the terminal for good.
    pub fn leave(&self) {
        let mut is_left = self.is_left.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_left {
            *is_left = true;
            self.restore();
        }
    }

    fn restore(&self) {
        let _ = (&*self.terminal).write_all(LEAVE.as_bytes());
        let _ = tcsetattr(&*self.terminal, OptionalActions::Now, &self.original_modes);
    }

    fn prepare(&self) {
        let mut raw = self.original_modes.clone();
        raw.make_raw();
        let _ = tcsetattr(&*self.terminal, OptionalActions::Now, &raw);
        let _ = (&*self.terminal).write_all(ENTER.as_bytes());
    }
}

impl Screen {
    /// Opens the controlling terminal of the process; none if there is none, or a dumb one.
    pub fn take() -> Option<Self> {
        if is_dumb() {
            return None;
        }
        let open = || File::options().read(true).write(true).open("/dev/tty").ok();
        let terminal = open()?;
        // Not every system can poll `/dev/tty`, so prefer stdin.
        let keys = if io::stdin().is_terminal() {
            File::from(io::stdin().as_fd().try_clone_to_owned().ok()?)
        } else {
            open()?
        };
        let original_modes = tcgetattr(&terminal).ok()?;
        let (wake, waker) = UnixStream::pair().ok()?;
        wake.set_nonblocking(true).ok()?;
        waker.set_nonblocking(true).ok()?;
        let resized = signal_hook::low_level::pipe::register(SIGWINCH, waker.try_clone().ok()?);
        let screen = Self {
            keys,
            guard: ScreenGuard {
                terminal: Arc::new(terminal),
                original_modes,
                is_left: Arc::default(),
            },
            wake,
            waker,
            resized: resized.ok()?,
            read: Vec::new(),
        };
        screen.guard.prepare();
        Some(screen)
    }

    /// Returns a guard that restores the terminal when a signal ends the process.
    pub fn guard(&self) -> ScreenGuard {
        self.guard.clone()
    }

    /// Returns a waker for another thread.
    pub fn waker(&self) -> Result<Waker> {
        let waker = self.waker.try_clone();
        Ok(Waker(waker.map_err(|error| failure(&error))?))
    }

    /// Returns the width and height in cells.
    pub fn size(&self) -> [usize; 2] {
        match tcgetwinsize(&*self.guard.terminal) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
                [size.ws_col.into(), size.ws_row.into()]
            }
            _ => [80, 24],
        }
    }

    /// Draws rows no wider than the screen and puts the cursor at a column of the first.
    pub fn draw(&self, rows: &[String], cursor: usize) -> Result<()> {
        let mut drawn = String::from("\x1b[?25l\x1b[H");
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                drawn.push_str("\r\n");
            }
            // After a full row this would erase its last character.
            let is_last = index + 1 == rows.len();
            drawn.push_str(if is_last { "\x1b[J" } else { "\x1b[K" });
            drawn.push_str(row);
        }
        let _ = write!(drawn, "\x1b[1;{}H\x1b[?25h", cursor + 1);
        let written = (&*self.guard.terminal).write_all(drawn.as_bytes());
        written.map_err(|error| failure(&error))
    }

    /// Sends an escape sequence that shows nothing.
    pub fn send(&self, bytes: &[u8]) -> Result<()> {
        let written = (&*self.guard.terminal).write_all(bytes);
        written.map_err(|error| failure(&error))
    }

    /// Waits for keys, a waker or a resize, at most `timeout`.
    pub fn wait(&mut self, timeout: Option<Duration>) -> Result<Vec<Key>> {
        let duration = if self.read.is_empty() {
            timeout
        } else {
            Some(KEY_TIMEOUT)
        };
        let timespec = duration.map(|duration| Timespec {
            tv_sec: duration.as_secs().cast_signed(),
            tv_nsec: duration.subsec_nanos().into(),
        });
        let mut waiting = [
            PollFd::new(&self.keys, PollFlags::IN),
            PollFd::new(&self.wake, PollFlags::IN),
        ];
        match poll(&mut waiting, timespec.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(failure(&error.into())),
        }
        let [pressed, woken] = [0, 1].map(|index| !waiting[index].revents().is_empty());
        if woken {
            let mut bytes = [0; 64];
            while let Ok(1..) = (&self.wake).read(&mut bytes) {}
        }
        if pressed {
            let mut bytes = [0; 1024];
            match (&self.keys).read(&mut bytes) {
                // A read from a closed terminal fails.
                Ok(0) | Err(_) => return Ok(vec![Key::Ctrl('c')]),
                Ok(read) => self.read.extend(&bytes[..read]),
            }
        }
        let is_complete = !pressed && !woken;
        Ok(keys::take_keys(&mut self.read, is_complete))
    }

    /// Stops the process until the shell wakes it.
    pub fn suspend(&self) {
        self.guard.restore();
        terminal::stop();
        self.guard.prepare();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        signal_hook::low_level::unregister(self.resized);
        self.guard.leave();
    }
}

fn failure(error: &io::Error) -> Error {
    Error::new("cannot use this terminal").caused_by(error)
}
