//! Shows help in a pager.

use crate::commands::prelude::*;
use crate::output::Color;

/// Prints a help text, paged if it is longer than the screen. `text` gets whether it may be
/// coloured.
pub fn show_text(text: impl FnOnce(bool) -> String, no_pager: bool, command: String) -> Result<()> {
    let output = Output::new(Form::Human, false, Color::Auto);
    let env = Environment {
        no_pager,
        ..Environment::new(output, None, false, command, &SCHEMA)?
    };
    env.page()?;
    let text = text(env.output.is_coloured());
    env.output.raw(text.as_bytes());
    env.output.close()
}
