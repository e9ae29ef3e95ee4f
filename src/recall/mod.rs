//! From a question to the notes that answer it.
//!
//! [`search`] takes the text part of a query to the text index and its meaning to the vectors, lets
//! the other filters decide note by note before the cut, and adds up what the two say (see
//! [`ranking`]). A note that is called what was typed comes first (see [`names`]). By words alone, notes that have all of them come first, and where these are fewer
//! than asked for, notes with some of them follow. Forgotten and expired notes are left out unless
//! the query speaks of tiers or ends.

mod candidates;
pub mod excerpt;
mod failure;
mod filters;
pub mod mode;
mod names;
pub mod order;
pub mod query;
pub mod ranking;
pub mod related;
pub mod semantic;
pub mod snippet;

use self::candidates::{Candidates, Sources};
use self::excerpt::{Excerpt, Excerpts};
use self::failure::Failure;
use self::filters::Filters;
use self::mode::Mode;
use self::names::Names;
use self::query::{Expr, Query};
use self::ranking::{Ranked, Ranking, Score};
use self::semantic::SemanticQuery;
use crate::cache::CacheError;
use crate::cache::row::Details;
use crate::cache::text::bm25::Weights;
use crate::cache::text::clause::Clause;
use crate::cache::text::index::TextIndex;
use crate::note::analyzer::Pattern;
use crate::note::path::VaultPath;
use crate::note::relation::Relation;
use crate::view::{Entry, View};

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
    pub entry: Entry,
    /// What else is known of it.
    pub details: Details,
    /// What orders the hits; nothing without a text part.
    pub score: Score,
    /// How near it is to what the query means; `None` if nothing was compared.
    pub cosine: Option<f32>,
    /// Which of its passages is the nearest, from 0.
    pub passage: Option<u32>,
    /// What of it answers.
    pub excerpt: Excerpt,
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

/// Finds the notes that answer `query`, which was read from `typed`.
pub fn search(
    view: &View<'_>,
    index: &TextIndex,
    (query, typed): (&Query, &str),
    semantic: Option<&SemanticQuery<'_>>,
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    let reader = index.reader()?;
    let filters = Filters::beside_text(view, &reader, query)?;
    let wanted = query.text().wanted;
    let mut results = if wanted.is_empty() {
        without_text(view, &filters, options)?
    } else {
        let sources = Sources {
            reader: &reader,
            filters: &filters,
            wanted: &wanted,
            semantic,
            mode: options.mode,
            weights: &options.weights,
        };
        let mut names = Names::new(view, &filters, (typed, &query.words()), index.language());
        with_text(view, &sources, &mut names, options)?
    };
    if options.wants_successors {
        add_successors(view, &mut results.hits)?;
    }
    if options.snippet_width > 0 {
        let mut excerpts = Excerpts::new(view, query, index.language(), options.snippet_width);
        for hit in &mut results.hits {
            hit.excerpt = excerpts.of(&hit.entry, &hit.details.title, hit.passage);
        }
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
    let failure = Failure::default();
    entries.retain(|entry| failure.or_default(filters.hold(entry)));
    failure.or(entries)
}

fn with_text(
    view: &View<'_>,
    sources: &Sources<'_>,
    names: &mut Names<'_>,
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    let pool = options.limit.saturating_mul(POOL).saturating_add(20);
    let mode = sources.semantic.map_or(Mode::Lexical, |_| options.mode);
    // Meaning alone knows no names.
    let names = (mode != Mode::Semantic).then_some(names);
    let Candidates { found, by_slot } = sources.candidates(view, names, pool)?;
    let ranking = Ranking {
        clauses: found.clauses,
        mode,
        // A phrase, a prefix or a field means the letters.
        is_plain: sources.wanted.iter().all(is_plain),
        asks: found.asks,
    };
    let mut ranked = ranking.ranked(view, by_slot, sources.semantic)?;
    if let Some(least) = options.min_cosine {
        ranked.retain(|candidate| candidate.cosine.is_some_and(|cosine| cosine >= least));
    }
    ranked.truncate(options.limit);
    let is_enough = found.complete >= options.limit;
    if is_enough && ranking.mode == Mode::Lexical {
        ranked.retain(|candidate| candidate.is_complete);
    }
    let without_filters = if ranked.is_empty() {
        sources.count_of_words()?
    } else {
        0
    };
    let relaxed = ranked.iter().any(|candidate| !candidate.is_complete);
    let total = if relaxed || !is_enough {
        found.total
    } else {
        found.complete
    };
    Ok(Results {
        mode: ranking.mode,
        total: total.max(ranked.len()),
        hits: hits(view, ranked)?,
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
    let failure = Failure::default();
    let mut entries = view.entries()?;
    entries.retain(|entry| failure.or_default(filters.admit(entry.slot)));
    let mut entries = failure.or(entries)?;
    let total = entries.len();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.row.created));
    entries.truncate(options.limit);
    Ok(Results {
        hits: hits(view, entries.into_iter().map(Ranked::unscored))?,
        total,
        ..Results::default()
    })
}

fn hits(view: &View<'_>, ranked: impl IntoIterator<Item = Ranked>) -> Result<Vec<Hit>, CacheError> {
    let hit = |ranked: Ranked| -> Result<Hit, CacheError> {
        Ok(Hit {
            details: view.details(ranked.entry.slot)?,
            entry: ranked.entry,
            score: ranked.score,
            cosine: ranked.cosine,
            passage: ranked.passage,
            excerpt: Excerpt::default(),
            replaced_by: Vec::new(),
            contradicts: Vec::new(),
        })
    };
    ranked.into_iter().map(hit).collect()
}

/// Says of each hit what replaced or contradicts it: the reader of an old note should know.
fn add_successors(view: &View<'_>, hits: &mut [Hit]) -> Result<(), CacheError> {
    let paths = |notes: Vec<Entry>| notes.into_iter().map(|note| note.path).collect();
    for hit in hits {
        let newer = view.related_to(&hit.entry, Relation::EvolvedFrom.name())?;
        hit.replaced_by = paths(newer.collect());
        hit.contradicts = paths(view.contradicting(&hit.entry)?);
    }
    Ok(())
}
