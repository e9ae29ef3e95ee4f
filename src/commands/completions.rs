//! `mem completions`

use clap_complete::Shell;
use clap_complete::env::Shells;

use crate::error::{Error, Exit};
use crate::session::Environment;

/// Print a shell completion script
///
/// For bash, add `source <(mem completions bash)` to ~/.bashrc; for zsh and fish, write it to a
/// completions directory. It asks mem itself: for commands and options, and for the notes, tags,
/// properties, runs and settings that there are.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// In whose presence `mem` completes the command line that it is given.
pub const VARIABLE: &str = "MEM_COMPLETE";

/// Prints the script.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    env.output.raw(&script(args.shell))?;
    Ok(Exit::Done)
}

/// Returns the completion script for `shell`.
#[must_use]
pub fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(&shell.to_string()) {
        // Nothing fails that is written to memory.
        let _ = completer.write_registration(VARIABLE, "mem", "mem", "mem", &mut script);
    }
    if shell == Shell::Bash {
        // As of file names, bash quotes the spaces of titles.
        let script = String::from_utf8_lossy(&script);
        return script
            .replace("-o bashdefault", "-o bashdefault -o filenames")
            .into_bytes();
    }
    script
}
