//! `mem daily`

use jiff::civil::Date;

use crate::commands::args::change_report::create;
use crate::commands::prelude::*;
use crate::recall::query::Period;
use crate::run::daily;

/// Open the note of a day in your editor
///
/// Creates the note if it is missing, from the template `daily.template`, whose `{{title}}`,
/// `{{date}}`, `{{date:dddd}}` and `{{time}}` are filled in. Folder, name and template default to
/// those of Obsidian's daily notes.
#[derive(Debug, clap::Args)]
pub struct DailyRequest {
    /// The day, like `yesterday`, `last monday` or 2026-01-31 [default: today]
    date: Vec<String>,
    /// Print its path; writes nothing
    #[arg(short, long)]
    print: bool,
}

impl Request for DailyRequest {
    type Reply<'s> = NotePath;

    /// Creates a missing note, unless only its path is printed.
    fn answer(&self, session: &Session) -> Result<NotePath> {
        let date = day(&session.env, &self.date.join(" "))?;
        let path = daily::path(session, date)?;
        let (mut line, mut created) = (None, None);
        if !self.print && !session.vault.exists(&path) {
            let begin = daily::template(session, date, &path)?;
            line = begin.line();
            created = Some(create(session, "daily", &path, begin.text)?);
        }
        Ok(NotePath {
            path,
            created,
            line,
        })
    }

    /// Opens the note, or prints its path.
    fn run(&self, env: &Environment) -> Result<Exit> {
        let session = env.open()?;
        day(env, &self.date.join(" "))?;
        if !self.print && !editor::can_open(&env.output) {
            return Err(Error::new("no editor is set in `VISUAL` or `EDITOR`")
                .hint("`export EDITOR=nano`, or print its path: `mem daily --print`"));
        }
        let note = self.answer(&session)?;
        if !self.print {
            return note.edit(&session);
        }
        let relative_paths = RelativePaths::new(&session.vault);
        env.print_as(&note, |note, page| {
            let shown = relative_paths.path(note.path.as_str());
            page.line(&page.place_as(note.path.as_str(), &shown.to_string_lossy()));
        })
    }
}

fn day(env: &Environment, text: &str) -> Result<Date> {
    if text.trim().is_empty() {
        return Ok(env.now.date());
    }
    match Period::parse_of_date(text.trim(), &env.now) {
        Some(Period::Day(date)) => Ok(date),
        _ => Err(Error::new(format!("`{text}` is not a day"))
            .hint("a day is `yesterday`, `last monday`, `3 days ago` or 2026-01-31")),
    }
}
