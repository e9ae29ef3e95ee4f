//! From a question to the notes that answer it.
//!
//! [`search`] takes the text part of a query to the text index, lets the other conditions decide
//! note by note before the cut, scales by what the author said of a note (tier, confidence) and
//! breaks ties by path. Notes that have all of the words come first; where these are fewer than
//! asked for, notes with some of them follow. Forgotten and expired notes are left out unless the
//! query speaks of tiers or ends.

mod condition;
pub mod query;
pub mod snippet;

use self::condition::Conditions;
use self::query::{Expr, Field, Query, State, TimeField};
use self::snippet::{Snippet, Sought, snippet};
use crate::cache::CacheError;
use crate::cache::catalog::folded;
use crate::cache::row::{Details, Row, Slot, Tier};
use crate::cache::search::{Clause, Scored, TextReader, Weights};
use crate::cache::text::TextIndex;
use crate::note;
use crate::note::words::Analyzer;
use crate::view::{Entry, View};

/// What to return.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// At most so many hits.
    pub limit: usize,
    /// Characters of a snippet; 0 for none.
    pub snippet_width: usize,
    /// The constants of the ranking.
    pub weights: Weights,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            limit: 10,
            snippet_width: 160,
            weights: Weights::default(),
        }
    }
}

/// A note that answers.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The note.
    pub entry: Entry,
    /// What else is known of it.
    pub details: Details,
    /// What orders the hits among those that have as many of the words; 0 without a text part.
    pub score: f32,
    /// Where it says so.
    pub snippet: Option<Snippet>,
}

/// The answer to a query.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The best notes.
    pub hits: Vec<Hit>,
    /// Notes that answer, shown or not.
    pub total: usize,
    /// Whether notes with only some of the words are among the hits.
    pub relaxed: bool,
    /// Where nothing was found: notes that have some of the words and fail the other conditions.
    pub without_filters: usize,
}

/// How many candidates are scaled by tier and confidence before the cut, as a multiple of the limit.
const POOL: usize = 4;

/// Finds the notes that answer `query`.
pub fn search(
    view: &View<'_>,
    index: &TextIndex,
    query: &Query,
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    let reader = index.reader()?;
    let conditions = Conditions::new(view, &reader, query)?;
    let wanted = query.text().wanted;
    let mut results = if wanted.is_empty() {
        without_text(view, &conditions, options)?
    } else {
        with_text(view, &reader, &conditions, &wanted, options)?
    };
    if options.snippet_width > 0 {
        add_snippets(view, query, index, options.snippet_width, &mut results.hits);
    }
    Ok(results)
}

/// Reads a query for this vault: a field that is no property of any note is taken as words.
pub fn read_query(view: &View<'_>, text: &str) -> Result<Query, CacheError> {
    let properties = view.reading().meta()?.properties;
    let is_known = |name: &str| {
        properties
            .keys()
            .any(|known| known.eq_ignore_ascii_case(name))
    };
    Ok(query::parse(text, &view.now).with_known_properties(&is_known))
}

/// Returns every note that meets all conditions of `query`, in the order of paths; a word is a
/// condition too.
pub fn matching(
    view: &View<'_>,
    index: &TextIndex,
    query: &Query,
) -> Result<Vec<Entry>, CacheError> {
    let mut entries = view.entries()?;
    if query.expr == Expr::And(Vec::new()) {
        return Ok(entries);
    }
    let conditions = Conditions::new(view, &index.reader()?, query)?;
    let mut failed = None;
    entries.retain(|entry| {
        conditions.hold(entry).unwrap_or_else(|error| {
            failed.get_or_insert(error);
            false
        })
    });
    failed.map_or(Ok(entries), Err)
}

fn with_text(
    view: &View<'_>,
    reader: &TextReader,
    conditions: &Conditions<'_>,
    wanted: &[Clause],
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    // The index asks in the middle of its work: a failure is kept until it is done.
    let failed = std::cell::RefCell::new(None);
    let accept = |key: u64| -> bool {
        conditions.admit(key as Slot).unwrap_or_else(|error| {
            failed.borrow_mut().get_or_insert(error);
            false
        })
    };
    let pool = options.limit.saturating_mul(POOL).saturating_add(20);
    // Most vaults have nothing to hide; then the index need not ask about each of its matches.
    let nothing_to_ask = conditions.are_empty() && view.reading().meta()?.hideable == 0;
    let accept: Option<&dyn Fn(u64) -> bool> = if nothing_to_ask { None } else { Some(&accept) };
    let found = reader.search(wanted, &options.weights, pool, accept)?;
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    let clauses = found.clauses;
    let mut candidates: Vec<(bool, f32, Entry)> = Vec::with_capacity(found.hits.len());
    for Scored {
        key,
        score,
        coverage,
    } in found.hits
    {
        if let Some(entry) = view.entry(key as Slot)? {
            let complete = usize::from(coverage) == clauses;
            candidates.push((complete, score * standing(&entry.row), entry));
        }
    }
    candidates.sort_by(|a, b| {
        b.0.cmp(&a.0)
            .then(b.1.total_cmp(&a.1))
            .then_with(|| a.2.path.cmp(&b.2.path))
    });
    let enough = found.complete >= options.limit;
    candidates.truncate(options.limit);
    if enough {
        candidates.retain(|candidate| candidate.0);
    }
    let without_filters = if candidates.is_empty() {
        reader.search(wanted, &options.weights, 1, None)?.total
    } else {
        0
    };
    let relaxed = candidates.iter().any(|candidate| !candidate.0);
    let mut hits = Vec::with_capacity(candidates.len());
    for (_, score, entry) in candidates {
        hits.push(Hit {
            details: view.details(entry.slot)?,
            entry,
            score,
            snippet: None,
        });
    }
    let total = if relaxed || !enough {
        found.total
    } else {
        found.complete
    };
    Ok(Results {
        hits,
        total,
        relaxed,
        without_filters,
    })
}

/// Notes that are only asked for by conditions: the newest first.
fn without_text(
    view: &View<'_>,
    conditions: &Conditions<'_>,
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    if conditions.are_empty() {
        return Ok(Results::default());
    }
    let mut entries = Vec::new();
    for entry in view.entries()? {
        if conditions.admit(entry.slot)? {
            entries.push(entry);
        }
    }
    let total = entries.len();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.row.created));
    entries.truncate(options.limit);
    let mut hits = Vec::with_capacity(entries.len());
    for entry in entries {
        hits.push(Hit {
            details: view.details(entry.slot)?,
            entry,
            score: 0.0,
            snippet: None,
        });
    }
    Ok(Results {
        hits,
        total,
        ..Results::default()
    })
}

/// What the author's word on a note does to its score: the tier factors and the share of confidence
/// of Ormah's search.
fn standing(row: &Row) -> f32 {
    let tier = match row.flags.tier() {
        Tier::Core => 1.1,
        Tier::Working => 1.0,
        Tier::Archival | Tier::Forgotten => 0.9,
    };
    tier * (0.4 + 0.6 * row.confidence)
}

fn add_snippets(view: &View<'_>, query: &Query, index: &TextIndex, width: usize, hits: &mut [Hit]) {
    let mut analyzer = Analyzer::new(index.language());
    let sought = Sought::new(query.expr.patterns(), &mut analyzer);
    for hit in hits {
        // Without its text a hit is still a hit.
        let Ok(text) = view.text(&hit.entry) else {
            continue;
        };
        let body = note::split::split(&text).body;
        let above = text[..body.start].lines().count();
        hit.snippet = snippet(&text[body], &sought, width, &mut analyzer).map(|mut snippet| {
            snippet.line += above + 1;
            snippet
        });
    }
}

impl Query {
    /// Returns true if some part of the query asks for words.
    #[must_use]
    pub fn asks_for_text(&self) -> bool {
        !self.text().wanted.is_empty()
    }

    /// Returns true if the query names tiers, so that forgotten notes are meant if it says so.
    fn speaks_of_tiers(&self) -> bool {
        self.expr.any(&mut |field| matches!(field, Field::Tier(_)))
    }

    /// Returns true if the query names the end of notes, so that expired ones may be meant.
    fn speaks_of_ends(&self) -> bool {
        self.expr.any(&mut |field| {
            matches!(
                field,
                Field::Is(State::Expired)
                    | Field::Time {
                        field: TimeField::ValidUntil,
                        ..
                    }
            )
        })
    }
}

impl Expr {
    /// Returns true if `test` is true for any field of the expression.
    fn any(&self, test: &mut dyn FnMut(&Field) -> bool) -> bool {
        match self {
            Self::And(members) | Self::Or(members) => members.iter().any(|member| member.any(test)),
            Self::Not(inner) => inner.any(test),
            Self::Text(_) => false,
            Self::Field(field) => test(field),
        }
    }
}

/// Returns true if `value` is `wanted`, whatever the case; `*` in `wanted` stands for anything.
fn is_like(value: &str, wanted: &str) -> bool {
    let (value, wanted) = (folded(value), folded(wanted));
    let mut parts = wanted.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = value.strip_prefix(first) else {
        return false;
    };
    if !wanted.contains('*') {
        return rest.is_empty();
    }
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (value, wanted, expected) in [
            ("Draft", "draft", true),
            ("drafts", "draft", false),
            ("drafts", "draft*", true),
            ("a/b/c", "a*c", true),
            ("a/b/c", "*b*", true),
            ("ac", "a*b*c", false),
            ("ab", "ab*b", false),
            ("", "*", true),
        ] {
            assert_eq!(is_like(value, wanted), expected, "{value} {wanted}");
        }
    }
}
