//! The daily note: its path and its template.

pub mod options;

use jiff::civil::Date;

use self::options::DailyOptions;
use crate::run::prelude::*;
use crate::run::template::{self, FilledTemplate, moment};

/// Obsidian's settings of daily notes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ObsidianSettings {
    folder: Option<String>,
    /// In the format of Moment.js.
    format: Option<String>,
    template: Option<String>,
}

/// File with Obsidian's settings.
const SETTINGS_FILE: &str = ".obsidian/daily-notes.json";

/// Returns the path of the daily note of `date`, which need not exist.
pub fn path(session: &Session, date: Date) -> Result<VaultPath> {
    let options = session.settings.of::<DailyOptions>();
    let obsidian = obsidian_settings(session);
    let folder = [Some(options.folder), obsidian.folder]
        .into_iter()
        .flatten()
        .find(|folder| !folder.is_empty());
    let format = obsidian.format.filter(|format| !format.is_empty());
    let name = if !options.name.is_empty() {
        jiff::fmt::strtime::format(&options.name, date).map_err(|error| {
            Error::new(format!("`daily.name` cannot name a day: {error}"))
                .hint("`mem config daily.name '%Y-%m-%d'`")
        })?
    } else if let Some(format) = format {
        moment::format(&format, date.into()).map_err(|part| {
            Error::new(format!(
                "`{SETTINGS_FILE}` has the format `{format}`; mem does not support `{part}`"
            ))
            .hint("use a `strftime` pattern: `mem config daily.name '%Y-%m-%d'`")
        })?
    } else {
        date.to_string()
    };
    let folder = folder.unwrap_or_default();
    let path = format!("{}/{name}.md", folder.trim_matches('/'));
    VaultPath::new(path.trim_start_matches('/')).map_err(|error| {
        Error::from(error).hint("set `daily.folder` and `daily.name` to change the path")
    })
}

/// Returns the initial text of a new daily note at `path`.
pub fn template(session: &Session, date: Date, path: &VaultPath) -> Result<FilledTemplate> {
    let options = session.settings.of::<DailyOptions>();
    let named = [Some(options.template), obsidian_settings(session).template];
    let Some(name) = named.into_iter().flatten().find(|name| !name.is_empty()) else {
        return Ok(FilledTemplate::default());
    };
    let text = template::text(session, &name).map_err(|why| {
        Error::new(format!("cannot use the template of daily notes: {why}"))
            .hint("`mem config daily.template` shows which note it is")
    })?;
    let at = date.to_datetime(session.env.now.time());
    Ok(template::fill_for_note(session, &text, path.stem(), at))
}

fn obsidian_settings(session: &Session) -> ObsidianSettings {
    let Ok(path) = VaultPath::new(SETTINGS_FILE) else {
        return ObsidianSettings::default();
    };
    // Without Obsidian the file does not exist.
    if !session.vault.exists(&path) {
        return ObsidianSettings::default();
    }
    let file = session.vault.read(&path).map_err(|error| error.to_string());
    let settings = file.and_then(|file| {
        serde_json::from_str(&file.text)
            .map_err(|error| format!("cannot read `{SETTINGS_FILE}`: {error}"))
    });
    settings.unwrap_or_else(|why| {
        session.env.output.warn(&why);
        ObsidianSettings::default()
    })
}
