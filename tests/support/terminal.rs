//! Runs `mem` in a terminal of a fixed size and reads its screen.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rexpect::process::{PtyProcess, Signal, WaitStatus};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::{MEM, TestVault};

/// Timeout for expected screen contents.
const PATIENCE: Duration = Duration::from_secs(60);

/// Rows of scrollback to keep.
const SCROLLBACK: usize = 1000;

pub(crate) struct Terminal<'v> {
    vault: &'v TestVault,
    process: PtyProcess,
    file: File,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

impl<'v> Terminal<'v> {
    /// Starts `mem` in a terminal of this many columns and rows without colour.
    pub(crate) fn start(vault: &'v TestVault, size: [u16; 2], arguments: &[&str]) -> Self {
        Self::with(vault, size, arguments, &[("NO_COLOR", "1")])
    }

    /// Starts `mem` with these environment variables.
    pub(crate) fn with(
        vault: &'v TestVault,
        size: [u16; 2],
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        Self::program(vault, size, &[&[MEM], arguments].concat(), variables)
    }

    /// Starts a program.
    pub(crate) fn program(
        vault: &'v TestVault,
        [columns, rows]: [u16; 2],
        words: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        // Set the size before mem reads it.
        let start = format!("stty cols {columns} rows {rows} echo && exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &start, "sh"]).args(words);
        vault.prepare(&mut command);
        command.env_remove("COLUMNS").env("TERM", "xterm");
        command.envs(variables.iter().copied());
        let mut process = PtyProcess::new(command).unwrap();
        // An interactive shell ends on no other signal.
        process.set_kill_timeout(Some(1000));
        let file = process.get_file_handle().unwrap();
        let mut from = file.try_clone().unwrap();
        let (to, output) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The end of the process is reported as an error of the terminal.
            while let Ok(read @ 1..) = from.read(&mut buffer) {
                if to.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        let size = |number| NonZero::new(number).unwrap();
        Self {
            vault,
            process,
            file,
            output,
            screen: vt100::Parser::new(size(rows), size(columns), SCROLLBACK),
        }
    }

    /// Waits until the screen ends with `text`: an unanswered prompt.
    #[track_caller]
    pub(crate) fn wait(&mut self, text: &str) {
        while !self.contents().trim_end().ends_with(text) {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(error) => panic!("no `{text}` ({error}) on\n{}", self.contents()),
            }
        }
    }

    /// Waits until a prompt hides the cursor.
    #[track_caller]
    pub(crate) fn wait_without_cursor(&mut self) {
        while !self.screen.screen().hide_cursor() {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(error) => panic!("a cursor ({error}) on\n{}", self.contents()),
            }
        }
    }

    /// Waits until `text` is on the screen.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        while !self.contents().contains(text) {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(error) => panic!("no `{text}` ({error}) on\n{}", self.contents()),
            }
        }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.file.write_all(keys.as_bytes()).unwrap();
    }

    /// Resizes the terminal.
    pub(crate) fn resize(&mut self, [columns, rows]: [u16; 2]) {
        let size = |number| NonZero::new(number).unwrap();
        self.screen.screen_mut().set_size(size(rows), size(columns));
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&self.file, size).unwrap();
    }

    /// Presses a key and waits for the next prompt.
    #[track_caller]
    pub(crate) fn answer(&mut self, key: &str, then: &str) {
        let before = self.screen.screen().contents();
        self.press(key);
        while self.screen.screen().contents() == before {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(error) => panic!("`{key}` changes nothing ({error}) on\n{before}"),
            }
        }
        self.wait(then);
    }

    /// Returns the screen as text, with the vault's paths normalised.
    pub(crate) fn contents(&self) -> String {
        let screen = self.screen.screen();
        let (_, columns) = screen.size();
        let rows: Vec<String> = screen.rows(0, columns.get()).collect();
        let rows: Vec<&str> = rows.iter().map(|row| row.trim_end()).collect();
        let shown = self.vault.shown(rows.join("\n").into_bytes());
        shown.trim_matches('\n').to_owned() + "\n"
    }

    /// Returns the bold yellow text on the screen.
    pub(crate) fn marked(&self) -> String {
        let screen = self.screen.screen();
        let (rows, columns) = screen.size();
        let columns = 0..columns.get();
        let cells = (0..rows.get()).flat_map(|row| columns.clone().map(move |at| (row, at)));
        let cells = cells.filter_map(|(row, column)| screen.cell(row, column));
        let marked = cells.filter(|cell| cell.bold() && cell.fgcolor() == vt100::Color::Idx(3));
        marked.map(vt100::Cell::contents).collect()
    }

    /// Whether any text on the screen is bold or faint.
    pub(crate) fn is_styled(&self) -> bool {
        let screen = self.screen.screen();
        let (rows, columns) = screen.size();
        let columns = 0..columns.get();
        let mut cells = (0..rows.get()).flat_map(|row| columns.clone().map(move |at| (row, at)));
        cells.any(|(row, column)| {
            let cell = screen.cell(row, column);
            cell.is_some_and(|cell| cell.bold() || cell.dim())
        })
    }

    pub(crate) fn signal(&mut self, signal: Signal) {
        self.process.signal(signal).unwrap();
    }

    /// Waits for the end and returns the exit code; checks that the terminal is restored.
    #[track_caller]
    pub(crate) fn end(&mut self) -> i32 {
        loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("no end at\n{}", self.contents()),
            }
        }
        let ended = self.process.wait().unwrap();
        let modes = tcgetattr(&self.file).unwrap().local_modes;
        let usual = LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        assert!(modes.contains(usual), "{modes:?}");
        assert!(!self.screen.screen().hide_cursor(), "no cursor");
        match ended {
            WaitStatus::Exited(_, code) => code,
            other => panic!("{other:?}"),
        }
    }
}
