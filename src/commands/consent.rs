//! Asks a person before something is done that should not happen by mistake.

use std::io::IsTerminal as _;

use dialoguer::Confirm;

use crate::error::Error;
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

/// Asks at the terminal, Enter being the `default`; none if there is no terminal.
pub(super) fn asked(env: &Environment, prompt: &str, default: bool) -> Option<bool> {
    if !env.output.stderr_is_terminal || !std::io::stdin().is_terminal() {
        return None;
    }
    let confirm = Confirm::new().with_prompt(prompt).default(default);
    Some(matches!(confirm.interact_opt(), Ok(Some(true))))
}
