//! `mem daily`

use jiff::civil::Date;

use super::edit;
use crate::commands::args::change_report::{NotePath, create};
use crate::commands::prelude::*;
use crate::commands::render::relative_path::RelativePaths;
use crate::recall::query::Period;
use crate::run::daily;

/// Open the note of a day in your editor
///
/// Creates the note if it is missing, from the template `daily.template`, whose `{{title}}`,
/// `{{date}}`, `{{date:dddd}}` and `{{time}}` are filled in. Folder, name and template default to
/// those of Obsidian's daily notes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The day, like `yesterday`, `last monday` or 2026-01-31 [default: today]
    date: Vec<String>,
    /// Print its path instead of opening it
    #[arg(short, long)]
    print: bool,
}

impl Args {
    /// Opens the note, or prints its path.
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        let session = env.open()?;
        let date = day(env, &self.date.join(" "))?;
        let path = daily::path(&session, date)?;
        if !self.print && !editor::can_open(&env.output) {
            return Err(Error::new("no editor is set in `VISUAL` or `EDITOR`")
                .hint("`export EDITOR=nano`, or print its path: `mem daily --print`"));
        }
        let (mut line, mut created) = (None, None);
        if !session.vault.exists(&path) {
            let begin = daily::template(&session, date, &path)?;
            line = begin.line();
            created = Some(create(&session, "daily", &path, begin.text)?);
        }
        if !self.print {
            let run = created.as_ref().and_then(ChangeReport::run);
            return edit::open(&session, &[path], line, run);
        }
        let relative_paths = RelativePaths::new(&session.vault);
        session.env.print_as(
            &session.settings,
            &NotePath { path, created },
            |note, page| {
                let shown = relative_paths.path(&note.path);
                page.line(&page.place_as(note.path.as_str(), &shown.to_string_lossy()))
            },
        )
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
