//! Asks a person what must not be done, or taken, by mistake.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use crate::error::Error;
use crate::note::path::VaultPath;
use crate::session::Environment;

/// Asks whether to do `what`, telling the `consequence` if it is a grave one; without a terminal `yes`
/// has to say it.
pub(super) fn confirmed(
    env: &Environment,
    yes: bool,
    what: &str,
    consequence: Option<&str>,
) -> Result<bool, Error> {
    if yes {
        return Ok(true);
    }
    let prompt = match consequence {
        Some(consequence) => format!("{what}? ({consequence})"),
        None => format!("{what}?"),
    };
    asked(env, &prompt, consequence.is_none()).ok_or_else(|| {
        let hint = "pass `--yes` to confirm, or `--dry-run` to preview";
        let error = Error::new(format!("refusing to {what} without confirmation"));
        match consequence {
            Some(consequence) => error.hint(format!("{consequence}; {hint}")),
            None => error.hint(hint),
        }
    })
}

/// Asks at the terminal: Enter gives the `default`, any answer but yes is a no. None without a terminal.
pub(super) fn asked(env: &Environment, prompt: &str, default: bool) -> Option<bool> {
    let choices = if default { "[Y/n]" } else { "[y/N]" };
    let line = typed(env, &format!("{prompt} {choices}"))?;
    // Enter ends a line, Ctrl-D an empty one without.
    Some(match line.trim() {
        "" => default && !line.is_empty(),
        answer => answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes"),
    })
}

/// From how many to choose by number.
const MOST: usize = 20;

/// Asks at the terminal which of `all` is meant by `name`; none if there is no terminal,
/// none is chosen, or the list would be too long or not be said.
pub(super) fn chosen(env: &Environment, name: &str, all: &[VaultPath]) -> Option<usize> {
    if all.len() > MOST || !env.output.stdout_is_terminal || env.output.quiet {
        return None;
    }
    for (at, path) in all.iter().enumerate() {
        env.output.say(&format!("{:>3}  {path}", at + 1));
    }
    let line = typed(env, &format!("which `{name}`? [1-{}]", all.len()))?;
    let number: usize = line.trim().parse().ok()?;
    (1..=all.len()).contains(&number).then(|| number - 1)
}

/// The line that a person types, with its end; none if there is no terminal.
pub(super) fn typed(env: &Environment, prompt: &str) -> Option<String> {
    let stdin = std::io::stdin();
    if !env.output.stderr_is_terminal || !stdin.is_terminal() {
        return None;
    }
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "{prompt} ").and_then(|()| stderr.flush());
    let mut line = String::new();
    let _ = stdin.lock().read_line(&mut line);
    if !line.ends_with('\n') {
        let _ = writeln!(stderr);
    }
    Some(line)
}
