//! Saved queries: show, save, remove.

use crate::commands::prelude::*;
use crate::session::settings::SAVED_QUERIES;

#[derive(Debug, Serialize, JsonSchema)]
pub struct SavedQueries {
    queries: Vec<SavedQuery>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SavedQuery {
    name: String,
    query: String,
    /// The file or preset that sets it.
    origin: String,
}

impl SavedQueries {
    pub(crate) fn of(settings: &Settings) -> Self {
        let saved = settings.texts(SAVED_QUERIES);
        let queries = saved.map(|(name, query, origin)| SavedQuery {
            name: name.to_owned(),
            query: query.to_owned(),
            origin: origin.to_string(),
        });
        Self {
            queries: queries.collect(),
        }
    }

    /// Returns the query saved under `name`.
    pub(crate) fn named(self, name: &str) -> Result<SavedQuery> {
        let mut queries = self.queries.into_iter();
        queries.find(|query| query.name == name).ok_or_else(|| {
            Error::new(format!("no saved query `{name}`")).hint("`mem list @` lists saved queries")
        })
    }
}

impl Reply for SavedQueries {
    fn show(&self, page: &Page<'_>) {
        let widest = |of: fn(&SavedQuery) -> usize| self.queries.iter().map(of).max().unwrap_or(0);
        let names = widest(|query| width(&query.name));
        let queries = widest(|query| width(&query.query)).min(40);
        for saved in &self.queries {
            let (name, query, origin) = (&saved.name, &saved.query, &saved.origin);
            page.line(&format!(
                "{}{}{GAP}{}{}{GAP}{}",
                page.paint(Style::Title, &format!("@{name}")),
                fill(name, names),
                page.clean(query),
                fill(query, queries),
                page.paint(Style::Faint, origin)
            ));
        }
    }

    list!(
        queries,
        "no query is saved; `mem config queries.NAME 'QUERY'` saves one"
    );
}

impl Reply for SavedQuery {
    fn show(&self, page: &Page<'_>) {
        page.line(&page.clean(&self.query));
    }
}

/// Returns the name of the saved query in the setting key `key`.
pub(crate) fn named(key: &str) -> Option<&str> {
    key.strip_prefix(SAVED_QUERIES)?.strip_prefix('.')
}

/// Fails if `query` cannot be saved under `name`.
pub(crate) fn check(name: &str, query: &str) -> Result<()> {
    let texts = SCHEMA.texts_of(SAVED_QUERIES).expect("it is declared");
    if (texts.is_taken)(name, query) {
        return Ok(());
    }
    let takes = &texts.takes;
    let why = format!("`{query}` cannot be saved as `{name}`; it takes {takes}");
    Err(Error::new(why))
}

/// Returns the message after the file `written` was written.
pub(crate) fn outcome(now: &Settings, name: &str, written: &Origin, changed: bool) -> String {
    let mut saved = now.texts(SAVED_QUERIES);
    match saved.find(|(known, ..)| *known == name) {
        None if changed => format!("removed the saved query `{name}`"),
        None => format!("no saved query `{name}`"),
        Some((_, query, by)) if by == written => {
            format!("saved `{query}` as `@{name}` in {by}")
        }
        Some((_, query, by)) => {
            format!("wrote {written}, but `@{name}` is `{query}`: {by} overrides it")
        }
    }
}
