//! `mem completions`

use std::io::Write as _;

use clap_complete::Shell;
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, engine};

use super::bash;
use crate::commands::args::candidates::with_completion;
use crate::commands::prelude::*;
use crate::output::reply::Text;

/// Print a shell completion script
///
/// For bash, add `source <(mem completions bash)` to ~/.bashrc; for zsh and fish, write it to a
/// completions directory. TAB then completes commands, options, notes, tags, properties, saved
/// queries, questions, runs and settings.
#[derive(Debug, clap::Args)]
pub struct CompletionsRequest {
    /// The shell
    shell: Shell,
}

/// The environment variable that makes `mem` complete a command line.
const COMPLETION_VARIABLE: &str = "MEM_COMPLETE";

impl Request<Environment> for CompletionsRequest {
    type Reply<'s> = Text;

    fn answer(&self, _: &Environment) -> Result<Text> {
        let text = String::from_utf8_lossy(&script(self.shell)).into_owned();
        Ok(Text { text })
    }
}

/// Returns the completion script for `shell`.
pub fn script(shell: Shell) -> Vec<u8> {
    if shell == Shell::Bash {
        return bash::SCRIPT.into();
    }
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(&shell.to_string()) {
        // Writing to memory cannot fail.
        let _ = completer.write_registration(COMPLETION_VARIABLE, "mem", "mem", "mem", &mut script);
    }
    script
}

/// Completes a command line for a shell, if one calls; returns whether bash did. Other shells exit
/// here.
pub fn answer(arguments: &[OsString], definition: fn() -> clap::Command) -> bool {
    let Some(shell) = std::env::var_os(COMPLETION_VARIABLE) else {
        return false;
    };
    if shell == "bash" {
        // An error message would disturb the command line.
        let _ = complete_in_bash(arguments, definition());
        return true;
    }
    let definition = || with_completion(definition(), arguments);
    let complete = CompleteEnv::with_factory(definition).var(COMPLETION_VARIABLE);
    complete.complete();
    false
}

fn complete_in_bash(arguments: &[OsString], definition: clap::Command) -> io::Result<()> {
    let text = |index| arguments.get(index).and_then(|one: &OsString| one.to_str());
    let line = bash::CommandLine::new(text(1).unwrap_or_default(), text(2).unwrap_or_default());
    let mut definition = with_completion(definition, &line.words);
    let here = std::env::current_dir().ok();
    let last = line.words.len() - 1;
    let candidates = engine::complete(&mut definition, line.words.clone(), last, here.as_deref())?;
    let found = candidates.iter().filter_map(|one| one.get_value().to_str());
    let mut stdout = io::stdout().lock();
    for word in found.filter_map(|word| line.replacing(word)) {
        writeln!(stdout, "{word}")?;
    }
    Ok(())
}
