//! `mem completions`

use clap_complete::{Shell, generate};

use crate::error::{Error, Exit};
use crate::session::Environment;

/// Print a shell completion script
///
/// For bash, add `source <(mem completions bash)` to ~/.bashrc; for zsh and fish, write it to a
/// completions directory.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the script for the command line of this `definition`.
pub fn run(env: &Environment, args: &Args, definition: clap::Command) -> Result<Exit, Error> {
    env.output.raw(&script(args.shell, definition))?;
    Ok(Exit::Done)
}

/// Returns the completion script for `shell`.
#[must_use]
pub fn script(shell: Shell, mut definition: clap::Command) -> Vec<u8> {
    let mut script = Vec::new();
    generate(shell, &mut definition, "mem", &mut script);
    script
}
