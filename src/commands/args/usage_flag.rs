//! The flag that decides whether a command counts as a use of notes.

use crate::commands::prelude::*;

#[derive(Debug, Default, clap::Args)]
pub(crate) struct UsageFlag {
    /// Do not count this as a use of the notes
    #[arg(long)]
    no_touch: bool,
}

impl UsageFlag {
    /// Opens the vault, with usage counting disabled if requested.
    pub(crate) fn open(&self, env: &Environment) -> Result<Session> {
        let mut session = env.open()?;
        session.env.no_touch |= self.no_touch;
        Ok(session)
    }
}
