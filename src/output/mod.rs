//! Writes data to stdout and messages to stderr. No other module decides where output goes.

pub mod columns;
pub mod diff;
pub mod keys;
pub mod lines;
mod links;
pub mod markdown;
mod message;
pub mod pager;
pub mod progress;
pub mod reply;
pub mod rows;
pub mod sanitise;
pub mod screen;
pub mod template;
pub mod terminal;
pub mod word_diff;
mod wrap;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use console::Term;
use indicatif::HumanCount;
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use message::Message;
use pager::Sink;
use rows::{RowFormat, RowFormatter};
use sanitise::{sanitised, sanitised_json};
use wrap::{wrap_message, wrap_row};

/// The form of the data on stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Text for a person.
    #[default]
    Human,
    /// One JSON document.
    Json,
    /// One JSON document per line.
    JsonLines,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// Returns whether to use colour, given whether the output is a terminal.
    fn is_wanted(self, on_terminal: bool) -> bool {
        let is_disabled = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match self {
            Self::Auto => on_terminal && !is_disabled(),
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// The style of a piece of text; without colour it is plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The main item, e.g. the title of a note.
    Title,
    /// A path or a line number.
    Place,
    /// Text that matches the query.
    Match,
    /// Secondary text.
    Faint,
    /// Removed text.
    Removed,
    /// Added text.
    Added,
    /// Text that needs attention.
    Warning,
    TopHeading,
    Heading,
    Emphasis,
    Struck,
    Code,
    /// A clickable link; the number is the one-based index of its target.
    Link(u16),
}

/// The SGR code of each style except links, which have code 4.
const CODES: [(Style, &str); 12] = [
    (Style::Title, "1"),
    (Style::Place, "36"),
    (Style::Match, "1;33"),
    (Style::Faint, "2"),
    (Style::Removed, "31"),
    (Style::Added, "32"),
    (Style::Warning, "33"),
    (Style::TopHeading, "1;4;34"),
    (Style::Heading, "1;34"),
    (Style::Emphasis, "3"),
    (Style::Struck, "9"),
    (Style::Code, "35"),
];

impl Style {
    fn code(self) -> &'static str {
        let mut codes = CODES.into_iter();
        codes
            .find(|(style, _)| *style == self)
            .map_or("4", |(_, code)| code)
    }

    fn of_code(code: &str) -> Option<Self> {
        let mut codes = CODES.into_iter();
        codes
            .find(|(_, known)| *known == code)
            .map(|(style, _)| style)
    }
}

/// The two streams and their settings; clones share the streams.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts of two terminals, not a state"
)]
pub struct Output {
    stdout: Rc<RefCell<Sink>>,
    /// Messages held back until the pager closes.
    held_messages: Rc<RefCell<Vec<String>>>,
    /// Formats records as lines of text; none for JSON.
    rows: Option<Rc<RefCell<RowFormatter>>>,
    /// The folder that hyperlinks to notes point into; none if notes are not linked.
    linked_folder: Rc<RefCell<Option<PathBuf>>>,
    /// The form of the data.
    pub form: Form,
    /// Whether to leave out status messages and hints.
    pub quiet: bool,
    /// Whether stdout is a terminal.
    pub stdout_is_terminal: bool,
    /// Whether stderr is a terminal.
    pub stderr_is_terminal: bool,
    color: Color,
    is_coloured: bool,
    hushed: Rc<Cell<bool>>,
    /// The first error of writing to stdout.
    failure: Rc<RefCell<Option<Error>>>,
    /// Messages of the request in progress; none unless they are collected.
    collected: Rc<RefCell<Option<Vec<Message>>>>,
}

impl Output {
    /// Returns an output to the streams of the process.
    pub fn new(form: Form, quiet: bool, color: Color) -> Self {
        let stdout_is_terminal = io::stdout().is_terminal();
        Self {
            stdout: Rc::new(RefCell::new(Sink::new())),
            held_messages: Rc::default(),
            rows: None,
            linked_folder: Rc::default(),
            form,
            quiet,
            stdout_is_terminal,
            stderr_is_terminal: io::stderr().is_terminal(),
            is_coloured: color.is_wanted(stdout_is_terminal),
            color,
            hushed: Rc::default(),
            failure: Rc::default(),
            collected: Rc::default(),
        }
    }

    /// Returns an output that keeps data and messages until they are [taken](Self::take).
    ///
    /// Surfaces other than the command line use it.
    pub fn buffered(form: Form) -> Self {
        Self {
            stdout: Rc::new(RefCell::new(Sink::Buffer(Vec::new()))),
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            is_coloured: false,
            ..Self::new(form, false, Color::Never)
        }
    }

    /// Removes and returns the data and messages of a [buffered](Self::buffered) output.
    pub fn take(&self) -> (String, Vec<String>) {
        let bytes = match &mut *self.stdout.borrow_mut() {
            Sink::Buffer(bytes) => std::mem::take(bytes),
            _ => Vec::new(),
        };
        let data = String::from_utf8_lossy(&bytes).into_owned();
        (data, self.held_messages.take())
    }

    /// Returns whether data and messages are kept for the caller.
    pub fn is_buffered(&self) -> bool {
        matches!(&*self.stdout.borrow(), Sink::Buffer(_))
    }

    /// Returns an output coloured as for a terminal, even if stdout is redirected.
    #[must_use]
    pub fn for_screen(&self) -> Self {
        Self {
            is_coloured: self.color.is_wanted(true),
            ..self.clone()
        }
    }

    /// Returns whether a person may see the messages: one of the streams is a terminal.
    pub fn is_watched(&self) -> bool {
        self.stdout_is_terminal || self.stderr_is_terminal || io::stdin().is_terminal()
    }

    /// Returns whether data is coloured; if so, styles need no textual signs.
    pub fn is_coloured(&self) -> bool {
        self.is_coloured
    }

    /// Sends later human-readable data to `pager` if it does not fit on the terminal.
    pub fn page(&self, pager: &str) -> Result<()> {
        if !self.stdout_is_terminal || self.form != Form::Human || is_dumb() {
            return Ok(());
        }
        // Only less is known to pass hyperlinks through.
        if pager.split_whitespace().next() != Some("less") {
            self.linked_folder.take();
        }
        Ok(self.stdout.borrow_mut().page(pager)?)
    }

    /// Turns later paths of notes into hyperlinks to the files in `folder`.
    ///
    /// Does so on a coloured terminal that is known to support links, or on any with `always`.
    pub fn link_notes(&self, folder: &Path, always: bool) {
        let can_link = self.stdout_is_terminal && self.is_coloured;
        if can_link && (always || links::are_supported(|name| std::env::var(name).ok())) {
            // Paths of further vaults are absolute.
            let mut linked = self.linked_folder.borrow_mut();
            linked.get_or_insert_with(|| folder.to_owned());
        }
    }

    /// Suppresses later data lines, status messages and hints; warnings and failures remain.
    pub fn mute(&self) {
        self.hushed.set(true);
    }

    /// Writes bytes to stdout unchanged. Like all methods that write, it keeps the first error for
    /// [`Self::check`].
    pub fn raw(&self, bytes: &[u8]) {
        if self.failure.borrow().is_none() {
            let written = self.stdout.borrow_mut().write_all(bytes);
            self.keep(written.map_err(Error::from));
        }
    }

    /// Keeps the error of an operation that writes unless there is one already.
    pub fn keep<T>(&self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.failure.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    /// Writes a line of data to stdout. Foreign text in it must have passed [`Self::paint`] or
    /// [`Self::clean`].
    pub fn line(&self, line: &str) {
        if !self.hushed.get() {
            self.raw(line.as_bytes());
            self.raw(b"\n");
        }
    }

    /// Like [`Self::line`], but wrapped at blanks if stdout is a terminal.
    pub fn row(&self, line: &str) {
        if self.stdout_is_terminal {
            let (_, width) = Term::stdout().size();
            self.line(&wrap_row(line, width.into()));
        } else {
            self.line(line);
        }
    }

    /// Returns an output to the same streams that writes each record as a `row`.
    ///
    /// `keys` are all keys that a record may have.
    pub fn with_rows(&self, row: RowFormat, keys: Vec<&'static str>) -> Result<Self> {
        let rows = RowFormatter::new(row, keys)?;
        Ok(Self {
            form: Form::JsonLines,
            rows: Some(Rc::new(RefCell::new(rows))),
            ..self.clone()
        })
    }

    /// Writes a record to stdout: one line of text, or a JSON document.
    ///
    /// On a terminal, control characters in JSON are written as JSON escapes.
    pub fn record(&self, record: &impl Serialize) {
        if let Some(text) = self.keep(self.record_text(record)) {
            self.raw(text.as_bytes());
        }
    }

    fn record_text(&self, record: &impl Serialize) -> Result<String> {
        if let Some(rows) = &self.rows {
            let record = serde_json::to_value(record).map_err(io::Error::from)?;
            return rows.borrow_mut().lines(&record);
        }
        let is_one_line = self.form == Form::JsonLines;
        let json = if is_one_line {
            serde_json::to_string(record)
        } else {
            serde_json::to_string_pretty(record)
        };
        let document = json.map_err(io::Error::from)? + "\n";
        Ok(if self.stdout_is_terminal {
            sanitised_json(&document)
        } else {
            document
        })
    }

    /// Writes records to stdout: one per line, or one document with the list under `name`.
    pub fn records(&self, name: &str, records: &[impl Serialize]) {
        match self.form {
            Form::JsonLines => records.iter().for_each(|record| self.record(record)),
            _ => self.record(&BTreeMap::from([(name, records)])),
        }
    }

    /// Returns foreign text in a style, without characters that control a terminal.
    ///
    /// It is sanitised even in a pipe, which may end at a terminal.
    pub fn paint(&self, style: Style, text: &str) -> String {
        let text = self.clean(text);
        if self.is_coloured && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", style.code())
        } else {
            text
        }
    }

    /// Returns the path of a note for stdout, as a hyperlink if links are enabled.
    pub fn place(&self, path: &str) -> String {
        self.place_as(path, path)
    }

    /// Like [`Self::place`], but shows `text`, e.g. a shortened path.
    pub fn place_as(&self, path: &str, text: &str) -> String {
        self.link_to_note(path, self.paint(Style::Place, text))
    }

    /// Returns a line of a note for stdout as `path:line`, which editors and terminals recognise.
    pub fn place_at(&self, path: &str, line: usize) -> String {
        let text = self.paint(Style::Place, path) + &self.paint(Style::Faint, &format!(":{line}"));
        self.link_to_note(path, text)
    }

    /// Returns `text` as a hyperlink to the note at `path`, if links are enabled. `text` must be
    /// ready for stdout.
    fn link_to_note(&self, path: &str, text: String) -> String {
        match &*self.linked_folder.borrow() {
            Some(folder) => links::link(&links::file(&folder.join(path)), &text),
            None => text,
        }
    }

    /// Returns foreign text without colour, on one line and harmless on a terminal.
    ///
    /// A line break in a title must not look like the next record.
    pub fn clean(&self, text: &str) -> String {
        sanitised(&text.replace(['\n', '\r'], " "))
    }

    /// Writes a status message.
    pub fn say(&self, message: &str) {
        self.print_message(&Message::status(message));
    }

    /// Writes a warning.
    pub fn warn(&self, message: &str) {
        self.print_message(&Message::Warning(message.to_owned()));
    }

    /// Writes a hint.
    pub fn hint(&self, message: &str) {
        self.print_message(&Message::Hint(message.to_owned()));
    }

    /// Writes a message to stderr, on one line, unless messages are collected.
    ///
    /// A name in it must not look like the next warning on a terminal or in a log.
    pub fn print_message(&self, message: &Message) {
        if let Some(collected) = &mut *self.collected.borrow_mut() {
            return collected.push(message.clone());
        }
        let (prefix, text) = match message {
            Message::Warning(text) => ("warning: ", text),
            _ if self.quiet || self.hushed.get() => return,
            Message::Status(text) => ("", text),
            Message::Hint(text) => ("hint: ", text),
        };
        self.stderr_line(&sanitised(&format!("{prefix}{text}")));
    }

    /// Returns the result of `run` and its messages, which are not written.
    pub fn collect<T>(&self, run: impl FnOnce() -> T) -> (T, Vec<Message>) {
        let outer = self.collected.replace(Some(Vec::new()));
        let result = run();
        (result, self.collected.replace(outer).unwrap_or_default())
    }

    /// Prints a failure after the data written so far.
    pub fn fail(&self, error: &Error) {
        let _ = self.close();
        self.stderr_line(&self.failure(error));
    }

    /// Returns the text of a failure.
    pub fn failure(&self, error: &Error) -> String {
        let shown = match self.form {
            Form::Human => {
                let lines: Vec<String> = error.lines().map(|line| sanitised(&line)).collect();
                lines.join("\n")
            }
            Form::Json | Form::JsonLines if self.stderr_is_terminal => {
                sanitised_json(&error.to_json())
            }
            Form::Json | Form::JsonLines => error.to_json(),
        };
        shown.trim_end().to_owned()
    }

    /// Flushes buffered data; fails if anything could not be written.
    pub fn flush(&self) -> Result<()> {
        let flushed = self.stdout.borrow_mut().flush();
        self.keep(flushed.map_err(Error::from));
        self.check()
    }

    /// Fails if anything could not be written.
    pub fn check(&self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Flushes buffered data, waits for the pager, then writes the messages held back. Fails if anything could not be
    /// written.
    pub fn close(&self) -> Result<()> {
        let closed = self.stdout.borrow_mut().close();
        self.keep(closed.map_err(Error::from));
        for message in self.held_messages.take() {
            self.stderr_line(&message);
        }
        self.check()
    }

    fn stderr_line(&self, message: &str) {
        if self.is_buffered() || self.stderr_is_terminal && self.stdout.borrow().is_paged() {
            self.held_messages.borrow_mut().push(message.to_owned());
            return;
        }
        // Data written before this message must appear before it.
        let _ = self.stdout.borrow_mut().flush();
        // A message that cannot be written does not stop the command.
        let _ = if self.stderr_is_terminal && self.form == Form::Human {
            writeln!(io::stderr(), "{}", wrapped(message))
        } else {
            writeln!(io::stderr(), "{message}")
        };
    }
}

/// Returns whether the terminal cannot move the cursor.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// Returns `count` with its noun: `1 note`, `2,000 notes`.
pub fn count(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", HumanCount(count as u64))
}

/// Returns `text` quoted as one word for a shell.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// Returns a number of bytes in a human-readable unit: `812 B`, `1.2 kB`, `34 MB`.
pub fn size(bytes: u64) -> String {
    let mut rest = bytes as f64;
    for unit in ["B", "kB", "MB"] {
        if rest < 999.5 {
            return if unit == "B" || rest >= 9.95 {
                format!("{rest:.0} {unit}")
            } else {
                format!("{rest:.1} {unit}")
            };
        }
        rest /= 1000.0;
    }
    format!("{rest:.1} GB")
}

/// Minimum age in days from which a date is shown instead of a relative time.
const MAX_RELATIVE_DAYS: i64 = 30;

/// Time formats: to the day and to the minute.
pub const DAY_FORMAT: &str = "%Y-%m-%d";
pub const MINUTE_FORMAT: &str = "%Y-%m-%d %H:%M";

/// Formats a time in the zone of `now`.
pub fn format_time(at: Timestamp, now: &Zoned, form: &str) -> String {
    let at = at.to_zoned(now.time_zone().clone());
    at.strftime(form).to_string()
}

/// Returns a relative time such as `5 min ago`, or the date if it is older than [`MAX_RELATIVE_DAYS`].
pub fn time_ago(at: Timestamp, now: &Zoned) -> String {
    let seconds = now.timestamp().as_second() - at.as_second();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        -60..60 => "just now".to_owned(),
        _ if (1..60).contains(&minutes) => format!("{minutes} min ago"),
        _ if (1..24).contains(&hours) => format!("{hours} h ago"),
        _ if (1..2).contains(&days) => "a day ago".to_owned(),
        _ if (2..MAX_RELATIVE_DAYS).contains(&days) => format!("{days} days ago"),
        _ => format_time(at, now, DAY_FORMAT),
    }
}

/// Returns a message wrapped to the width of the terminal on stderr.
pub fn wrapped(message: &str) -> String {
    let (_, width) = Term::stderr().size();
    wrap_message(message, width.into())
}

/// Writes `words` to stderr in one system call, so that a signal handler may use it.
pub fn write_to_stderr(words: &str) {
    let _ = rustix::io::write(io::stderr(), words.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{Zoned, count, size, time_ago};

    #[test]
    fn sizes_have_units() {
        for (bytes, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (9_960, "10 kB"),
            (999_499, "999 kB"),
            (999_500, "1.0 MB"),
            (7_400_000_000, "7.4 GB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn times_are_relative_or_dates() {
        let now: Zoned = "2026-04-02T12:00:00Z[UTC]".parse().unwrap();
        for (at, expected) in [
            ("2026-04-02T12:00:30Z", "just now"),
            ("2026-04-02T11:59:01Z", "just now"),
            ("2026-04-02T11:58:00Z", "2 min ago"),
            ("2026-04-02T11:00:00Z", "1 h ago"),
            ("2026-04-01T12:00:01Z", "23 h ago"),
            ("2026-04-01T12:00:00Z", "a day ago"),
            ("2026-03-29T12:00:00Z", "4 days ago"),
            ("2026-02-01T12:00:00Z", "2026-02-01"),
            ("2027-01-01T00:00:00Z", "2027-01-01"),
        ] {
            assert_eq!(time_ago(at.parse().unwrap(), &now), expected, "{at}");
        }
    }

    #[test]
    fn counts_have_separators_and_plurals() {
        for (number, expected) in [
            (0, "0 notes"),
            (1, "1 note"),
            (1000, "1,000 notes"),
            (1_234_567, "1,234,567 notes"),
        ] {
            assert_eq!(count(number, "note"), expected);
        }
    }
}
