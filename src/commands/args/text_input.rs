//! The text of a note from arguments, stdin or an editor.

use crate::commands::prelude::*;
use std::io::{IsTerminal as _, Read as _};

/// The environment variable with the name of an agent.
pub(crate) const AUTHOR: &str = "MEM_BY";

#[derive(Debug)]
pub(crate) struct TextInput {
    pub(crate) text: String,
    /// Whether a person typed it; jobs do not change such notes unasked.
    pub(crate) by_hand: bool,
    pub(crate) from_editor: bool,
}

impl TextInput {
    /// Reads the text from `words`, or from stdin if they are `-`.
    ///
    /// Without words it reads piped input, or else opens an editor with the content `begun` at `place`. Text
    /// typed at a terminal is a person's unless there is an `author`.
    pub(crate) fn take(
        env: &Environment,
        words: &[String],
        (place, begun): (Option<(&Vault, &str)>, &str),
        author: Option<&str>,
    ) -> Result<Self> {
        let stdin = std::io::stdin();
        let at_terminal = stdin.is_terminal();
        let written = words.join(" ");
        if written == "-" || words.is_empty() && !at_terminal {
            let mut text = String::new();
            stdin
                .lock()
                .read_to_string(&mut text)
                .map_err(|error| Error::io("read", Path::new("stdin"), &error))?;
            return Ok(Self::new(text, false, false));
        }
        if words.is_empty() && env.output.stderr_is_terminal {
            return Ok(Self::new(editor::text(env, place, begun)?, true, true));
        }
        Ok(Self::new(written, at_terminal && author.is_none(), false))
    }

    fn new(text: String, by_hand: bool, from_editor: bool) -> Self {
        Self {
            text,
            by_hand,
            from_editor,
        }
    }

    /// On failure, saves text from the editor to a file and adds its path to the error.
    pub(crate) fn or_save_text(&self, written: Result<Exit>) -> Result<Exit> {
        written.map_err(|error| {
            if self.from_editor {
                editor::with_saved_text(error, &self.text)
            } else {
                error
            }
        })
    }
}
