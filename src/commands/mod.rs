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

use args::row_args::{RowArgs, keys};

use crate::commands::prelude::*;

/// What a command is asked, as plain data. A surface parses it, has it answered, and prints the reply; flags that
/// decide only about printing are not looked at by `answer`.
pub trait Request {
    type Reply<'s>: Reply;

    /// Answers in an open vault, and prints nothing but messages about what is unusual there.
    fn answer<'s>(&self, session: &'s Session) -> Result<Self::Reply<'s>>;

    /// How its records are printed as rows, and all keys that they may have.
    fn rows(&self) -> Option<(&RowArgs, &'static str)> {
        None
    }

    /// Opens the vault for it.
    fn open(&self, env: &Environment) -> Result<Session> {
        env.open()
    }

    /// Answers on the command line.
    fn run(&self, env: &Environment) -> Result<Exit> {
        let env = match self.rows() {
            Some((rows, names)) => &rows.environment(env, keys(names))?,
            None => env,
        };
        let session = self.open(env)?;
        session.print(&self.answer(&session)?)
    }
}
