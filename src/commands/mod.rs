//! One file per subcommand: its request, whose doc comments are the help, and its reply.

pub(crate) mod args;
pub(crate) mod prelude;
pub mod reading;
pub(crate) mod render;
pub mod setup;
#[cfg(test)]
mod tests;
pub mod upkeep;
pub mod writing;

use args::output_rows::{RowArgs, keys};

use crate::commands::prelude::*;

/// The arguments of a command, as plain data.
///
/// A surface parses a request, calls `answer`, and prints the reply. `answer` ignores flags that
/// only affect printing.
pub trait Request {
    type Reply<'s>: Reply;

    /// Computes the reply in an open vault. Prints nothing but warnings about the vault.
    fn answer<'s>(&self, session: &'s Session) -> Result<Self::Reply<'s>>;

    /// The options for printing records as rows, and all keys of a record.
    fn rows(&self) -> Option<(&RowArgs, &'static str)> {
        None
    }

    /// Opens the vault for this command.
    fn open(&self, env: &Environment) -> Result<Session> {
        env.open()
    }

    /// Runs the command on the command line.
    fn run(&self, env: &Environment) -> Result<Exit> {
        let env = match self.rows() {
            Some((rows, names)) => &rows.environment(env, keys(names))?,
            None => env,
        };
        let session = self.open(env)?;
        session.print(&self.answer(&session)?)
    }
}
