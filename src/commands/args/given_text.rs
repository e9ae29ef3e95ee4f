//! The text of a note that is given: in the arguments, on stdin, or in an editor.

use crate::commands::prelude::*;
use std::io::{IsTerminal as _, Read as _};

/// The variable in which an agent says who it is.
pub(crate) const AUTHOR: &str = "MEM_BY";

#[derive(Debug)]
pub(crate) struct GivenText {
    pub(crate) text: String,
    /// Whether a person typed it: what they typed is theirs, and no job's to change unasked.
    pub(crate) by_hand: bool,
    pub(crate) from_editor: bool,
}

impl GivenText {
    /// Takes the text from `words`, or from stdin where they are `-`. Without words it takes what is piped, else
    /// what is written in an editor, which opens on `begun`. What is typed at a terminal is a person's unless an
    /// `author` is given.
    pub(crate) fn take(
        env: &Environment,
        words: &[String],
        begun: &str,
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
            return Ok(Self::new(editor::text("mem-", begun)?, true, true));
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

    /// Says beside a failure where the text is kept that would be lost.
    pub(crate) fn or_keep(&self, written: Result<Exit>) -> Result<Exit> {
        written.map_err(|error| {
            if self.from_editor {
                editor::keeping(error, &self.text)
            } else {
                error
            }
        })
    }
}
