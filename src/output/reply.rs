//! The reply of a command, and the function that prints it in every form.

use std::ops::Deref;

use jiff::{Timestamp, Zoned};
use schemars::JsonSchema;
use serde::Serialize;

pub use super::message::Message;
use super::{DAY_FORMAT, Form, MINUTE_FORMAT, Output, format_time};
use crate::error::{Exit, Result};

/// The reply of a command. Its serialised form is the `--json` document, whose schema is published.
pub trait Reply: Serialize + JsonSchema {
    /// Writes the text form.
    fn show(&self, page: &Page<'_>);

    /// The records of a list, one per line of JSON Lines, TSV or a template. Other replies are one
    /// record.
    fn records(&self) -> Option<Records<'_>> {
        None
    }

    /// The status message for a list without records, in every form.
    fn empty_message(&self) -> &'static str {
        ""
    }

    /// Messages for stderr after the data, in every form.
    fn messages(&self) -> Vec<Message> {
        let is_none = self.records().is_some_and(|records| records.is_empty());
        let words = Some(self.empty_message()).filter(|words| is_none && !words.is_empty());
        words.map(Message::status).into_iter().collect()
    }

    /// The exit status: 1 for a list without records. An error is reported after the data and the
    /// messages.
    fn exit(&self) -> Result<Exit> {
        let records = self.records();
        Ok(Exit::found(
            records.is_none_or(|records| !records.is_empty()),
        ))
    }
}

/// The records of a list.
pub type Records<'r> = Vec<Box<dyn Record + 'r>>;

/// A value that can be written as a record.
pub trait Record {
    fn write(&self, output: &Output);
}

impl<T: Serialize> Record for T {
    fn write(&self, output: &Output) {
        output.record(self);
    }
}

/// Returns the items of a list as records.
pub fn records<'r, T: Record + 'r>(list: impl IntoIterator<Item = T>) -> Option<Records<'r>> {
    let boxed = |record| -> Box<dyn Record + 'r> { Box::new(record) };
    Some(list.into_iter().map(boxed).collect())
}

/// Implements `Reply::records` with a field that holds the list, and `Reply::empty_message`.
macro_rules! list {
    ($field:ident, $message:literal) => {
        $crate::output::reply::list!($field);

        fn empty_message(&self) -> &'static str {
            $message
        }
    };
    ($field:ident) => {
        fn records(&self) -> Option<$crate::output::reply::Records<'_>> {
            $crate::output::reply::records(&self.$field)
        }
    };
}
pub(crate) use list;

/// A text that is printed as it is.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Text {
    pub text: String,
}

impl Reply for Text {
    fn show(&self, page: &Page<'_>) {
        page.raw(self.text.as_bytes());
    }
}

/// A reply of one of two types.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Either<L, R> {
    Left(L),
    Right(R),
}

macro_rules! either {
    ($self:ident.$method:ident($($argument:ident)?)) => {
        match $self {
            Self::Left(reply) => reply.$method($($argument)?),
            Self::Right(reply) => reply.$method($($argument)?),
        }
    };
}

impl<L: Reply, R: Reply> Reply for Either<L, R> {
    fn show(&self, page: &Page<'_>) {
        either!(self.show(page));
    }

    fn records(&self) -> Option<Records<'_>> {
        either!(self.records())
    }

    fn messages(&self) -> Vec<Message> {
        either!(self.messages())
    }

    fn exit(&self) -> Result<Exit> {
        either!(self.exit())
    }
}

/// An output and the current time, which relative times need.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    output: &'a Output,
    pub now: &'a Zoned,
}

impl<'a> Page<'a> {
    pub fn new(output: &'a Output, now: &'a Zoned) -> Self {
        Self { output, now }
    }

    /// Returns a time in the user's zone, to the minute.
    pub fn local_time(&self, at: Timestamp) -> String {
        format_time(at, self.now, MINUTE_FORMAT)
    }

    /// Returns the date of a time in the user's zone.
    pub fn local_day(&self, at: Timestamp) -> String {
        format_time(at, self.now, DAY_FORMAT)
    }
}

impl Deref for Page<'_> {
    type Target = Output;

    fn deref(&self) -> &Output {
        self.output
    }
}

/// Prints `reply` in the form of the output, with `show` as text form; returns its exit status.
pub fn print<R: Reply>(
    page: &Page<'_>,
    reply: &R,
    show: impl FnOnce(&R, &Page<'_>),
) -> Result<Exit> {
    match page.form {
        Form::Human => show(reply, page),
        Form::Json => page.record(reply),
        Form::JsonLines => match reply.records() {
            Some(records) => records.iter().for_each(|record| record.write(page)),
            None => page.record(reply),
        },
    }
    page.check()?;
    reply
        .messages()
        .iter()
        .for_each(|message| page.print_message(message));
    reply.exit()
}
