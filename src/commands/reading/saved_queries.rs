//! Queries that are saved under a name: shown, written, removed.

use serde::Serialize;

use crate::commands::setup::settings::SCHEMA;
use crate::config::{Origin, Settings};
use crate::error::{Error, Exit};
use crate::output::columns::{GAP, fill, width};
use crate::output::{Form, Style};
use crate::session::Environment;
use crate::session::settings::SAVED_QUERIES;

#[derive(Debug, Serialize)]
struct Record<'a> {
    name: &'a str,
    query: &'a str,
    /// The file or preset that says so.
    origin: String,
}

/// Shows them.
pub(crate) fn list(env: &Environment, settings: &Settings) -> Result<Exit, Error> {
    let output = &env.output;
    let saved = settings.texts(SAVED_QUERIES);
    let records: Vec<Record<'_>> = saved
        .map(|(name, query, origin)| Record {
            name,
            query,
            origin: origin.to_string(),
        })
        .collect();
    if output.form != Form::Human {
        output.records("queries", &records)?;
        return Ok(Exit::found(!records.is_empty()));
    }
    let widest = |of: fn(&Record<'_>) -> usize| records.iter().map(of).max().unwrap_or(0);
    let names = widest(|record| width(record.name));
    let queries = widest(|record| width(record.query)).min(40);
    for Record {
        name,
        query,
        origin,
    } in &records
    {
        output.line(&format!(
            "{}{}{GAP}{}{}{GAP}{}",
            output.paint(Style::Title, &format!("@{name}")),
            fill(name, names),
            output.clean(query),
            fill(query, queries),
            output.paint(Style::Faint, origin)
        ))?;
    }
    if records.is_empty() {
        output.say("no query is saved; `mem config queries.NAME 'QUERY'` saves one");
    }
    Ok(Exit::found(!records.is_empty()))
}

/// Returns the name of the saved query that the setting `key` is.
pub(crate) fn named(key: &str) -> Option<&str> {
    key.strip_prefix(SAVED_QUERIES)?.strip_prefix('.')
}

/// Prints what is saved under a name.
pub(crate) fn get(env: &Environment, settings: &Settings, name: &str) -> Result<Exit, Error> {
    let found = settings
        .texts(SAVED_QUERIES)
        .find(|(known, ..)| *known == name);
    let Some((name, query, origin)) = found else {
        return Err(Error::new(format!("no query is saved as `{name}`"))
            .hint("`mem list @` shows those that are"));
    };
    let output = &env.output;
    if output.form == Form::Human {
        output.line(&output.clean(query))?;
    } else {
        output.record(&Record {
            name,
            query,
            origin: origin.to_string(),
        })?;
    }
    Ok(Exit::Done)
}

/// Refuses what cannot be saved under a name.
pub(crate) fn check(name: &str, query: &str) -> Result<(), Error> {
    let texts = SCHEMA.texts_of(SAVED_QUERIES).expect("it is declared");
    if (texts.is_taken)(name, query) {
        return Ok(());
    }
    Err(Error::new(format!(
        "`{query}` cannot be saved as `{name}`; it takes {}",
        texts.takes
    )))
}

/// Says what holds after the file of `written` was written.
pub(crate) fn outcome(now: &Settings, name: &str, written: &Origin, changed: bool) -> String {
    let mut saved = now.texts(SAVED_QUERIES);
    match saved.find(|(known, ..)| *known == name) {
        None if changed => format!("no query is saved as `{name}` any more"),
        None => format!("no query was saved as `{name}`"),
        Some((_, query, by)) if by == written => {
            format!("`@{name}` is `{query}` now, in {by}")
        }
        Some((_, query, by)) => {
            format!("{written} is written, but `@{name}` is `{query}`: {by} says so")
        }
    }
}
