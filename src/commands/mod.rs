//! One file per subcommand: its request, whose doc comments are the help, and its reply.

pub mod agents;
pub(crate) mod args;
pub mod lsp;
pub(crate) mod prelude;
pub mod reading;
pub(crate) mod render;
pub mod setup;
#[cfg(test)]
mod tests;
pub mod upkeep;
pub mod writing;

use args::output_rows::keys;

use crate::commands::prelude::*;

/// The arguments of a command, as plain data.
///
/// A surface parses a request, calls `reply`, and shows the reply and the messages. `answer`
/// ignores flags that only affect printing. Commands without a request need a terminal or stream
/// their output; see their `NameArgs`.
pub trait Request<C: Context = Session> {
    type Reply<'s>: Reply
    where
        C: 's;

    /// Computes the reply. Messages are written as they occur; [`Self::reply`] collects them.
    fn answer<'s>(&self, context: &'s C) -> Result<Self::Reply<'s>>;

    /// Computes the reply and prints nothing: messages are returned, also those of a failure.
    fn reply<'s>(&self, context: &'s C) -> (Result<Self::Reply<'s>>, Vec<Message>) {
        let output = &context.environment().output;
        let (reply, mut messages) = output.collect(|| self.answer(context));
        messages.extend(reply.iter().flat_map(Reply::messages));
        (reply, messages)
    }

    /// The options for printing records as rows, and all keys of a record.
    fn rows(&self) -> Option<(&RowArgs, &'static str)> {
        None
    }

    /// Opens the context of this command.
    fn open(&self, env: &Environment) -> Result<C> {
        C::open(env)
    }

    /// Runs the command on the command line.
    fn run(&self, env: &Environment) -> Result<Exit> {
        let env = match self.rows() {
            Some((rows, names)) => &rows.environment(env, keys(names))?,
            None => env,
        };
        let context = self.open(env)?;
        context.environment().print(&self.answer(&context)?)
    }
}

/// What a request is answered in: an open vault, or only the environment of the process.
pub trait Context: Sized {
    fn open(env: &Environment) -> Result<Self>;

    fn environment(&self) -> &Environment;
}

impl Context for Session {
    fn open(env: &Environment) -> Result<Self> {
        env.open()
    }

    fn environment(&self) -> &Environment {
        &self.env
    }
}

impl Context for Environment {
    fn open(env: &Environment) -> Result<Self> {
        Ok(env.clone())
    }

    fn environment(&self) -> &Environment {
        self
    }
}
