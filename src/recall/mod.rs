//! From a question to the notes that answer it.
//!
//! [`search`] takes the text part of a query to the text index and its meaning to the vectors, lets
//! the other filters decide note by note before the cut, and adds up what the two say (see
//! [`ranking`]). By words alone, notes that have all of them come first, and where these are fewer
//! than asked for, notes with some of them follow. Forgotten and expired notes are left out unless
//! the query speaks of tiers or ends.

mod filters;
pub mod order;
pub mod query;
pub mod ranking;
pub mod related;
pub mod semantic;
pub mod snippet;

use std::ops::Range;
use std::thread;

use self::filters::Filters;
use self::query::{Expr, Filter, Query, State};
use self::ranking::{Candidates, Mode, Ranked, Ranking, Score};
use self::semantic::SemanticQuery;
use self::snippet::{Snippet, Sought, snippet};
use crate::cache::CacheError;
use crate::cache::row::{Details, Slot};
use crate::cache::text::bm25::Weights;
use crate::cache::text::clause::Clause;
use crate::cache::text::index::TextIndex;
use crate::cache::text::reader::TextReader;
use crate::cache::text::search::Found;
use crate::cache::vectors::scan::RoughScan;
use crate::note;
use crate::note::analyzer::{Analyzer, Pattern};
use crate::note::letters::folded;
use crate::note::passages::{Place, places};
use crate::note::path::VaultPath;
use crate::note::relation::Relation;
use crate::signals::fields::Date;
use crate::view::{Entry, View};

/// What to return.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// What to go by, as far as there are vectors.
    pub mode: Mode,
    /// At most so many hits.
    pub limit: usize,
    /// Only notes at least so near to what the query means.
    pub min_cosine: Option<f32>,
    /// Characters of a snippet; 0 for none.
    pub snippet_width: usize,
    /// Whether a hit says what replaced or contradicts it.
    pub wants_successors: bool,
    /// The constants of the ranking.
    pub weights: Weights,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Hybrid,
            limit: 10,
            min_cosine: None,
            snippet_width: 160,
            wants_successors: false,
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
    /// What orders the hits; nothing without a text part.
    pub score: Score,
    /// How near it is to what the query means; `None` if nothing was compared.
    pub cosine: Option<f32>,
    /// Which of its passages is the nearest, from 0.
    pub passage: Option<u32>,
    /// Where it says so.
    pub snippet: Option<Snippet>,
    /// What of it answers: its nearest passage, or the one with the snippet, as it stands in the note.
    pub text: String,
    /// The headings that the snippet stands under, outermost first; empty before the first.
    pub heading: String,
    /// The notes that say they replaced it, if that was asked.
    pub replaced_by: Vec<VaultPath>,
    /// The notes that contradict it, if that was asked.
    pub contradicts: Vec<VaultPath>,
}

/// The answer to a query.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// What the answer comes from.
    pub mode: Mode,
    /// The best notes.
    pub hits: Vec<Hit>,
    /// Notes that answer, shown or not.
    pub total: usize,
    /// Whether notes with only some of the words are among the hits.
    pub relaxed: bool,
    /// Where nothing was found: notes that have some of the words and fail the other filters.
    pub without_filters: usize,
}

/// How many candidates are scaled by tier and confidence before the cut, as a multiple of the limit.
const POOL: usize = 4;

/// Finds the notes that answer `query`.
pub fn search(
    view: &View<'_>,
    index: &TextIndex,
    query: &Query,
    semantic: Option<&SemanticQuery<'_>>,
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    let reader = index.reader()?;
    let filters = Filters::beside_text(view, &reader, query)?;
    let wanted = query.text().wanted;
    let mut results = if wanted.is_empty() {
        without_text(view, &filters, options)?
    } else {
        with_text(view, &reader, &filters, &wanted, semantic, options)?
    };
    if options.wants_successors {
        add_successors(view, &mut results.hits)?;
    }
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

/// Returns every note that meets all filters of `query`, in the order of paths; a word is a
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
    let filters = Filters::whole(view, &index.reader()?, query)?;
    let mut failed = None;
    entries.retain(|entry| {
        filters.hold(entry).unwrap_or_else(|error| {
            failed.get_or_insert(error);
            false
        })
    });
    failed.map_or(Ok(entries), Err)
}

fn with_text(
    view: &View<'_>,
    reader: &TextReader,
    filters: &Filters<'_>,
    wanted: &[Clause],
    semantic: Option<&SemanticQuery<'_>>,
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    let pool = options.limit.saturating_mul(POOL).saturating_add(20);
    // The index asks in the middle of its work: a failure is kept until it is done.
    let failed = std::cell::RefCell::new(None);
    let accept = |key: u64| -> bool {
        filters.admit(key as Slot).unwrap_or_else(|error| {
            failed.borrow_mut().get_or_insert(error);
            false
        })
    };
    // Most vaults have nothing to hide; then the index need not ask about each of its matches.
    let nothing_to_ask = filters.are_empty() && view.reading().meta()?.hideable == 0;
    let accept: Option<&dyn Fn(u64) -> bool> = if nothing_to_ask { None } else { Some(&accept) };
    let mut near = Vec::new();
    let mut by_vectors = |measured: Option<RoughScan>| {
        let found = semantic.map(|semantic| semantic.nearest(view, filters, pool, measured));
        match found {
            Some(Ok(found)) => near = found,
            Some(Err(error)) => {
                failed.borrow_mut().get_or_insert(error);
            }
            None => {}
        }
        near.iter().map(|near| near.slot.into()).collect()
    };
    let found = if semantic.is_some() && options.mode == Mode::Semantic {
        by_vectors(None);
        Found::default()
    } else {
        // The words are looked up while the vectors are compared.
        thread::scope(|scope| {
            let measuring = semantic.and_then(|semantic| semantic.measuring(scope, pool));
            let asked = || by_vectors(measuring.and_then(|measuring| measuring.join().ok()));
            reader.search_and_score(wanted, &options.weights, pool, accept, asked)
        })?
    };
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    let ranking = Ranking {
        clauses: found.clauses,
        mode: if semantic.is_some() {
            options.mode
        } else {
            Mode::Lexical
        },
        // Whoever writes a phrase, a prefix or a field means the letters.
        is_plain: wanted.iter().all(is_plain),
        asks: found.asks,
    };
    let mut candidates = Candidates::default();
    candidates.add_words(&found);
    candidates.add_near(&near);
    if let Some(semantic) = semantic {
        candidates.complete(view, semantic)?;
    }
    let mut ranked = ranking.ranked(view, candidates, semantic)?;
    if let Some(least) = options.min_cosine {
        ranked.retain(|candidate| candidate.cosine.is_some_and(|cosine| cosine >= least));
    }
    let enough = found.complete >= options.limit;
    ranked.truncate(options.limit);
    if enough && ranking.mode == Mode::Lexical {
        ranked.retain(|candidate| candidate.is_complete);
    }
    let without_filters = if ranked.is_empty() {
        reader.search(wanted, &options.weights, 1, None)?.total
    } else {
        0
    };
    let relaxed = ranked.iter().any(|candidate| !candidate.is_complete);
    let total = if relaxed || !enough {
        found.total
    } else {
        found.complete
    };
    let mut hits = Vec::with_capacity(ranked.len());
    for Ranked {
        entry,
        score,
        cosine,
        passage,
        ..
    } in ranked
    {
        hits.push(Hit {
            details: view.details(entry.slot)?,
            entry,
            score,
            cosine,
            passage,
            snippet: None,
            text: String::new(),
            heading: String::new(),
            replaced_by: Vec::new(),
            contradicts: Vec::new(),
        });
    }
    Ok(Results {
        mode: ranking.mode,
        total: total.max(hits.len()),
        hits,
        relaxed,
        without_filters,
    })
}

/// Returns true if a clause is a word to be found anywhere.
fn is_plain(clause: &Clause) -> bool {
    matches!(
        clause,
        Clause::Text {
            pattern: Pattern::Word(_),
            column: None
        }
    )
}

/// Notes that are only asked for by filters: the newest first.
fn without_text(
    view: &View<'_>,
    filters: &Filters<'_>,
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    if filters.are_empty() {
        return Ok(Results::default());
    }
    let mut entries = Vec::new();
    for entry in view.entries()? {
        if filters.admit(entry.slot)? {
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
            score: Score::default(),
            cosine: None,
            passage: None,
            snippet: None,
            text: String::new(),
            heading: String::new(),
            replaced_by: Vec::new(),
            contradicts: Vec::new(),
        });
    }
    Ok(Results {
        hits,
        total,
        ..Results::default()
    })
}

/// Says of each hit what replaced or contradicts it: whoever reads an old note should know.
fn add_successors(view: &View<'_>, hits: &mut [Hit]) -> Result<(), CacheError> {
    let paths = |notes: Vec<Entry>| notes.into_iter().map(|note| note.path).collect();
    for hit in hits {
        let newer = view.related_to(&hit.entry, Relation::EvolvedFrom.name())?;
        hit.replaced_by = paths(newer.collect());
        hit.contradicts = paths(view.contradicting(&hit.entry)?);
    }
    Ok(())
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
        let passages = places(&text, body.clone());
        let mut found = piece(&text, body, &sought, width, &mut analyzer);
        // Where no word of the query stands, its meaning was found.
        let is_without_words = found
            .as_ref()
            .is_none_or(|found| found.highlights.is_empty());
        let nearest = hit.passage.and_then(|number| passages.get(number as usize));
        if is_without_words && let Some(nearest) = nearest {
            let span = below_headings(&text, nearest.span.clone());
            found = piece(&text, span, &sought, width, &mut analyzer);
        }
        let under = found
            .as_ref()
            .and_then(|found| passage_at(&text, &passages, found.line));
        let heading = under.map_or("", |passage| {
            below_title(&passage.heading, &hit.details.title)
        });
        heading.clone_into(&mut hit.heading);
        let line = found.as_ref().map_or(1, |found| found.line);
        let shown = passage_at(&text, &passages, line);
        let mut holds = |passage: &Place| sought.count(&text[passage.span.clone()], &mut analyzer);
        let answering = match (nearest, shown) {
            // Two opinions again: what is near should have some of the words, too.
            (Some(nearest), Some(shown)) if holds(nearest) * 2 < holds(shown) => Some(shown),
            (nearest, shown) => nearest.or(shown),
        };
        hit.text = answering.map_or_else(String::new, |passage| {
            text[passage.span.clone()].trim().to_owned()
        });
        hit.snippet = found;
    }
}

/// Returns `span` without the headings that it begins with, unless that is all.
fn below_headings(text: &str, span: Range<usize>) -> Range<usize> {
    let mut start = span.start;
    for line in text[span.clone()].split_inclusive('\n') {
        if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            return start..span.end;
        }
        start += line.len();
    }
    span
}

/// Returns the line of `span` that shows most, numbered from 1 in the whole text.
fn piece(
    text: &str,
    span: Range<usize>,
    sought: &Sought,
    width: usize,
    analyzer: &mut Analyzer,
) -> Option<Snippet> {
    let above = text[..span.start].lines().count();
    let begins_line = span.start == 0 || text[..span.start].ends_with('\n');
    let mut found = snippet(&text[span], sought, width, analyzer)?;
    found.line += above + usize::from(begins_line);
    Some(found)
}

/// Returns the passage that the line of this number is in, or the one before it.
fn passage_at<'p>(text: &str, passages: &'p [Place], line: usize) -> Option<&'p Place> {
    let lines = text.split_inclusive('\n').take(line).map(str::len);
    let end: usize = lines.sum();
    let before = |passage: &&Place| passage.span.start < end;
    passages.iter().rev().find(before).or(passages.first())
}

/// Returns a path of headings without the title that many notes repeat as the first of them.
fn below_title<'h>(heading: &'h str, title: &str) -> &'h str {
    match heading.strip_prefix(title) {
        Some("") => "",
        Some(rest) => rest.strip_prefix(" > ").unwrap_or(heading),
        None => heading,
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
        self.expr
            .any(&mut |filter| matches!(filter, Filter::Tier(_)))
    }

    /// Returns true if the query names the end of notes, so that expired ones may be meant.
    fn speaks_of_ends(&self) -> bool {
        self.expr.any(&mut |filter| {
            matches!(
                filter,
                Filter::Is(State::Expired)
                    | Filter::Date {
                        field: Date::ValidUntil,
                        ..
                    }
            )
        })
    }
}

impl Expr {
    /// Returns true if `test` is true for any field of the expression.
    fn any(&self, test: &mut dyn FnMut(&Filter) -> bool) -> bool {
        match self {
            Self::And(members) | Self::Or(members) => members.iter().any(|member| member.any(test)),
            Self::Not(inner) => inner.any(test),
            Self::Text(_) => false,
            Self::Filter(filter) => test(filter),
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
