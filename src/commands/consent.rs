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
    if !env.output.stderr_is_terminal || !std::io::stdin().is_terminal() {
        let hint = "pass `--yes` to confirm, or `--dry-run` to preview";
        let error = Error::new(format!("refusing to {what} without confirmation"));
        return Err(match consequence {
            Some(consequence) => error.hint(format!("{consequence}; {hint}")),
            None => error.hint(hint),
        });
    }
    let prompt = match consequence {
        Some(consequence) => format!("{what}? ({consequence})"),
        None => format!("{what}?"),
    };
    let asked = Confirm::new()
        .with_prompt(prompt)
        .default(consequence.is_none())
        .interact_opt();
    Ok(matches!(asked, Ok(Some(true))))
}
