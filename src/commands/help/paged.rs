//! Help that is longer than the screen.

use crate::commands::settings::SCHEMA;
use crate::error::Error;
use crate::output::{Color, Form, Output};
use crate::session::Environment;

/// Shows a text to a person, through a pager where it does not fit; `text` is told whether it may have colours.
pub fn show_text(
    text: impl FnOnce(bool) -> String,
    no_pager: bool,
    command: String,
) -> Result<(), Error> {
    let output = Output::new(Form::Human, false, Color::Auto);
    let env = Environment {
        no_pager,
        ..Environment::new(output, None, false, command, &SCHEMA)?
    };
    env.page(&env.settings(None))?;
    let text = text(env.output.is_coloured());
    env.output.raw(text.as_bytes())?;
    env.output.close()
}
