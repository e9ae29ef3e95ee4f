//! The note of a day: where it is, and what it begins with.

pub mod moment;
pub mod options;

use jiff::civil::{Date, DateTime};
use serde::Deserialize;

use self::options::DailyOptions;
use crate::error::Error;
use crate::note::path::{VaultPath, without_ending};
use crate::session::Session;

/// What Obsidian is told of its daily notes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Told {
    folder: Option<String>,
    /// In the language of Moment.js.
    format: Option<String>,
    template: Option<String>,
}

/// Where Obsidian is told.
const TOLD: &str = ".obsidian/daily-notes.json";

/// Returns the path of the note of `date`, whether it is there or not.
pub fn path(session: &Session, date: Date) -> Result<VaultPath, Error> {
    let options = session.settings.of::<DailyOptions>();
    let told = told(session);
    let folder = [Some(options.folder), told.folder];
    let folder = folder
        .into_iter()
        .flatten()
        .find(|folder| !folder.is_empty());
    let format = told.format.filter(|format| !format.is_empty());
    let name = if !options.name.is_empty() {
        jiff::fmt::strtime::format(&options.name, date).map_err(|error| {
            Error::new(format!("`daily.name` is no name of a date: {error}"))
                .hint("`mem config daily.name '%Y-%m-%d'`")
        })?
    } else if let Some(format) = format {
        moment::format(&format, date.into()).map_err(|part| {
            Error::new(format!(
                "`{TOLD}` names daily notes `{format}`; mem does not know `{part}`"
            ))
            .hint("say it as `strftime` does: `mem config daily.name '%Y-%m-%d'`")
        })?
    } else {
        date.to_string()
    };
    let folder = folder.unwrap_or_default();
    let path = format!("{}/{name}.md", folder.trim_matches('/'));
    VaultPath::new(path.trim_start_matches('/')).map_err(|error| {
        Error::new(error.to_string())
            .hint("`daily.folder` and `daily.name` say where the note goes")
    })
}

/// Returns what a new note of `date` at `path` begins with.
pub fn template(session: &Session, date: Date, path: &VaultPath) -> Result<String, Error> {
    let options = session.settings.of::<DailyOptions>();
    let named = [Some(options.template), told(session).template];
    let Some(name) = named.into_iter().flatten().find(|name| !name.is_empty()) else {
        return Ok(String::new());
    };
    let text = VaultPath::new(&format!(
        "{}.md",
        without_ending(name.trim_start_matches('/'))
    ))
    .map_err(|error| error.to_string())
    .and_then(|template| {
        let file = session.vault.read(&template);
        file.map_err(|error| error.to_string())
    })
    .map_err(|why| {
        Error::new(format!("cannot use the template of daily notes: {why}"))
            .hint("`mem config daily.template` says which note it is")
    })?
    .text;
    let at = date.to_datetime(session.env.now.time());
    let (filled, unknown) = fill(&text, path.stem(), at);
    for mark in unknown {
        let output = &session.env.output;
        output.warn(&format!("`{mark}` of the template was left as it stands"));
    }
    Ok(filled)
}

fn told(session: &Session) -> Told {
    let Ok(path) = VaultPath::new(TOLD) else {
        return Told::default();
    };
    // A vault that Obsidian never opened has none.
    if session.vault.absolute(&path).symlink_metadata().is_err() {
        return Told::default();
    }
    let file = session.vault.read(&path).map_err(|error| error.to_string());
    let told = file.and_then(|file| {
        serde_json::from_str(&file.text).map_err(|error| format!("cannot read `{TOLD}`: {error}"))
    });
    told.unwrap_or_else(|why| {
        session.env.output.warn(&why);
        Told::default()
    })
}

/// Sets title, date and time in, as Obsidian does; returns the text, and the marks whose format is not
/// understood.
fn fill(template: &str, title: &str, at: DateTime) -> (String, Vec<String>) {
    let mut filled = String::new();
    let mut unknown = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find("{{") {
        filled.push_str(&rest[..open]);
        let Some(close) = rest[open..].find("}}") else {
            rest = &rest[open..];
            break;
        };
        let mark = &rest[open..open + close + 2];
        let inner = &mark[2..mark.len() - 2];
        let (name, format) = match inner.split_once(':') {
            Some((name, format)) => (name, Some(format.trim())),
            None => (inner, None),
        };
        let value = match (name.trim().to_ascii_lowercase().as_str(), format) {
            ("title", None) => Ok(title.to_owned()),
            ("date", format) => moment::format(format.unwrap_or("YYYY-MM-DD"), at),
            ("time", format) => moment::format(format.unwrap_or("HH:mm"), at),
            // Of a plugin, or of the text itself.
            _ => Ok(mark.to_owned()),
        };
        filled.push_str(&value.unwrap_or_else(|_| {
            unknown.push(mark.to_owned());
            mark.to_owned()
        }));
        rest = &rest[open + close + 2..];
    }
    filled.push_str(rest);
    (filled, unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled() {
        let at = jiff::civil::date(2026, 1, 3).at(16, 5, 9, 0);
        for (template, expected, unknown) in [
            ("# {{title}}\n", "# Note\n", 0),
            ("{{date}} {{ Time }}", "2026-01-03 16:05", 0),
            ("{{date: dddd}}, {{time:HH[h]}}", "Saturday, 16h", 0),
            ("{{date:gggg}}", "{{date:gggg}}", 1),
            ("{{other}} {{title:x}} {{", "{{other}} {{title:x}} {{", 0),
            ("{{{title}}}", "{{{title}}}", 0),
            ("", "", 0),
        ] {
            let (filled, marks) = fill(template, "Note", at);
            assert_eq!((filled.as_str(), marks.len()), (expected, unknown));
        }
    }
}
