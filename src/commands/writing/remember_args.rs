//! The arguments of `mem remember`: a text, a template, or one note per line.

use std::io::IsTerminal as _;

use super::remember::RememberRequest;
use super::remember_lines::remember_lines;
use crate::commands::args::text_input::TextInput;
use crate::commands::prelude::*;

/// Save a text as a new note
///
/// Reads the text from the arguments, stdin or your editor, and prints the path; --json adds the
/// id. Jobs ask before they change text that you typed; they maintain text from a pipe or with an
/// author. A text that a note already contains is not saved twice, unless title, tags or other
/// properties are new; see `mem help agents`. `--jsonl -` saves one note per line of stdin, a JSON
/// object with `text` and these options as fields, in one run.
#[derive(Debug, Default, clap::Args)]
pub struct RememberArgs {
    /// The text; `-` or a pipe reads stdin; without TEXT, your editor opens
    pub(crate) text: Vec<String>,
    #[command(flatten)]
    pub(crate) request: RememberRequest,
}

impl RememberArgs {
    /// Reads the text and writes the note.
    pub fn run(mut self, env: &Environment) -> Result<Exit> {
        let session = env.open()?;
        let is_lines = env.output.form == Form::JsonLines && self.text == ["-"];
        if self.request.template.is_some() {
            if is_lines {
                return Err(Error::new("`--template` does not apply to `--jsonl -`"));
            }
            return self.begin_with_template(&session);
        }
        if let (Form::JsonLines, [file]) = (env.output.form, self.text.as_slice())
            && Path::new(file).is_file()
        {
            let error = Error::new(format!(
                "`--jsonl` reads notes from stdin, not from `{file}`"
            ));
            return Err(error.hint(format!("`mem remember --jsonl - < {}`", shell_word(file))));
        }
        if is_lines {
            let text = self.take_text(&session)?.text;
            return env.print(&remember_lines(&session, &self.request, &text)?);
        }
        let given = self.take_text(&session)?;
        if given.text.trim().is_empty() {
            return Err(if given.from_editor {
                Error::new("nothing was saved in the editor; no note was written")
            } else {
                Error::new("the text is empty; no note was written").hint(
                    "pipe a text, give it to `mem remember`, or use a terminal to open your editor",
                )
            });
        }
        self.request.text.clone_from(&given.text);
        self.request.by_hand = given.by_hand;
        let note = self.request.answer(&session);
        given.or_save_text(note.and_then(|note| session.env.print(&note)))
    }

    /// Reads the text of the note.
    fn take_text(&self, session: &Session) -> Result<TextInput> {
        let title = self.request.title.as_ref();
        let begun = title.map(|title| format!("# {title}\n\n"));
        let author = self.request.by.as_deref();
        let path = self.request.folder(session)?;
        let folder = path.as_ref().map_or("", VaultPath::as_str);
        let begun = begun.unwrap_or_default();
        let place = Some((&session.vault, folder));
        TextInput::take(&session.env, &self.text, (place, &begun), author)
    }

    /// Creates a note from a template and the text from the arguments or a pipe; opens an editor if there is none.
    fn begin_with_template(mut self, session: &Session) -> Result<Exit> {
        if self.request.title.is_none() {
            self.request.title = Some(std::mem::take(&mut self.text).join(" "));
        }
        let is_typed = std::io::stdin().is_terminal();
        if !self.text.is_empty() || !is_typed {
            self.request.text = self.take_text(session)?.text;
        }
        let output = &session.env.output;
        let is_watched = is_typed && output.stderr_is_terminal;
        let opens = is_watched && self.request.text.trim().is_empty() && editor::can_open(output);
        match self.request.answer(session)? {
            Either::Right(note) if opens => note.edit(session),
            reply => session.env.print(&reply),
        }
    }
}
