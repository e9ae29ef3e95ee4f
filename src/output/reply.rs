//! The answer of a command, and the function that prints it in every form.

use std::ops::Deref;

use jiff::{Timestamp, Zoned};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Form, Output};
use crate::change::run_id::short as short_id;
use crate::error::{Error, Exit};

/// The answer of a command. Serialised it is the document of `--json`, and its schema is published.
pub trait Reply: Serialize + JsonSchema {
    /// Writes the text form.
    fn show(&self, page: &Page<'_>) -> Result<(), Error>;

    /// Writes the records of a list with [`Output::record`]: JSON Lines, TSV, or a template. A reply that is not
    /// a list is one record.
    fn rows(&self, output: &Output) -> Result<(), Error>
    where
        Self: Sized,
    {
        output.record(self)
    }

    /// Lines for stderr behind the data, in every form.
    fn messages(&self) -> Vec<Message> {
        Vec::new()
    }

    /// The exit status. An error is reported behind the data and the messages.
    fn exit(&self) -> Result<Exit, Error> {
        Ok(Exit::Done)
    }
}

/// A line on stderr.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    Status(String),
    Hint(String),
    Warning(String),
}

impl Message {
    /// Returns the hint how to undo the run of this id.
    #[must_use]
    pub fn undo(run: &str) -> Self {
        Self::Hint(format!("undo with `mem undo {}`", short_id(run)))
    }
}

/// An output and the clock that times are shown by.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    output: &'a Output,
    pub now: &'a Zoned,
}

impl<'a> Page<'a> {
    #[must_use]
    pub fn new(output: &'a Output, now: &'a Zoned) -> Self {
        Self { output, now }
    }

    /// Returns a moment in the user's zone, to the minute.
    #[must_use]
    pub fn local_time(&self, at: Timestamp) -> String {
        self.local(at, "%Y-%m-%d %H:%M")
    }

    /// Returns the day of a moment in the user's zone.
    #[must_use]
    pub fn local_day(&self, at: Timestamp) -> String {
        self.local(at, "%Y-%m-%d")
    }

    fn local(&self, at: Timestamp, form: &str) -> String {
        let at = at.to_zoned(self.now.time_zone().clone());
        at.strftime(form).to_string()
    }
}

impl Deref for Page<'_> {
    type Target = Output;

    fn deref(&self) -> &Output {
        self.output
    }
}

/// Prints `reply` in the form of the output, with `show` as its text form, and returns its exit status.
pub fn print<R: Reply>(
    page: &Page<'_>,
    reply: &R,
    show: impl FnOnce(&R, &Page<'_>) -> Result<(), Error>,
) -> Result<Exit, Error> {
    match page.form {
        Form::Human => show(reply, page)?,
        Form::Json => page.record(reply)?,
        Form::JsonLines => reply.rows(page)?,
    }
    reply
        .messages()
        .iter()
        .for_each(|message| page.tell(message));
    reply.exit()
}
