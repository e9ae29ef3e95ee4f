//! Query to ranked notes.
//!
//! [`search`] sends the text part of a query to the text index and its embedding to the vectors. It applies
//! the other filters per note before the cut and sums both scores (see [`ranking`]).
//! A note whose name equals the query comes first (see [`names`]). Notes with some of the
//! words match as well.
//! A word that occurs in no note can be respelled as the nearest word that does (see [`spelling`]). Forgotten
//! and expired notes are left out unless the query filters by tier or end date.
//!
//! For a recall, [`relevance`] drops notes that do not belong to the question, and [`learning`] adds
//! feedback. [`succession`] replaces superseded notes by their successors, [`activation`] adds notes related
//! to the best, and [`statements`] puts the newest of several statements about one subject first.

mod activation;
pub mod budget;
mod candidates;
mod exact;
pub mod excerpt;
mod failure;
mod filters;
mod learning;
pub mod mode;
mod names;
pub mod no_results;
mod numbered;
pub mod order;
pub mod outdated;
pub mod query;
pub mod ranking;
pub mod related;
mod relevance;
pub mod resurface;
pub mod semantic;
pub mod snippet;
pub mod space;
mod speaker;
pub mod spelling;
pub mod statements;
mod succession;
pub mod unknown;

use std::borrow::Borrow;
use std::collections::HashMap;

use self::candidates::{Candidates, Sources};
use self::excerpt::{Excerpt, Excerpts};
use self::failure::FirstError;
use self::filters::Filters;
use self::mode::Mode;
use self::names::NameMatcher;
use self::no_results::{NoResults, no_results_reason};
use self::outdated::OutdatedReason;
use self::query::{Expr, Query, TextParts};
use self::ranking::{RankedHit, Ranking, Score};
use self::relevance::RelevanceInput;
use self::semantic::SemanticQuery;
use self::space::Space;
use self::spelling::Respelling;
use self::statements::StatementGroups;
use crate::cache::CacheError;
use crate::cache::row::{Details, Slot};
use crate::cache::text::clause::Clause;
use crate::cache::text::reader::TextReader;
use crate::embed::{DEFAULT_SEARCH_WEIGHT, TokenQuery};
use crate::note::front_matter::relation::Relation;
use crate::note::path::VaultPath;
use crate::note::words::analyzer::Pattern;
use crate::note::words::english;
use crate::note::words::english::WordEffect;
use crate::note::words::language::{Language, is_common_word};
use crate::signals::fusion::Fusion;
use crate::signals::recall_options::RecallOptions;
use crate::view::{Entry, View};

#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Search mode; falls back to lexical without vectors.
    pub mode: Mode,
    /// Maximum number of hits.
    pub limit: usize,
    /// Additional filters that each hit meets, in query syntax.
    pub only: String,
    /// Minimum cosine between a note and the query.
    pub min_cosine: Option<f32>,
    /// Width of a snippet in characters; 0 for none.
    pub snippet_width: usize,
    /// Whether to return only relevant, current notes: no weak matches, and the successor of a superseded
    /// note.
    pub only_relevant: bool,
    /// Weights of the feedback terms; `None` ignores feedback.
    pub learned: Option<RecallOptions>,
    /// The project of the caller, if known.
    pub space: Option<Space>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Hybrid,
            limit: 10,
            only: String::new(),
            min_cosine: None,
            snippet_width: 160,
            only_relevant: false,
            learned: None,
            space: None,
        }
    }
}

/// A note that matches a query.
#[derive(Clone, Debug)]
pub struct Hit {
    pub entry: Entry,
    /// Indexed details of the note.
    pub details: Details,
    /// The score that orders the hits; zero without a text part.
    pub score: Score,
    /// Cosine with the query; `None` if no vectors were compared.
    pub cosine: Option<f32>,
    /// Index of the passage nearest to the query, from 0.
    pub passage: Option<u32>,
    /// Share of the query's words in the note, weighted by rarity.
    pub share: f32,
    /// Whether a name of the note equals the query.
    pub is_named: bool,
    /// Whether it has all words of the query.
    pub is_complete: bool,
    /// The snippet and passage that match.
    pub excerpt: Excerpt,
    /// The superseded note that this one replaces in the results, directly or through a chain.
    pub replaces: Option<VaultPath>,
    /// The last note that replaces it; filled only without `only_relevant`.
    pub replaced_by: Option<VaultPath>,
    /// Notes that contradict it; filled only with `only_relevant`.
    pub contradicts: Vec<VaultPath>,
    /// Why its statement may not be valid any more; filled only with `only_relevant`.
    pub outdated: Option<OutdatedReason>,
}

impl Hit {
    /// Returns whether the note matches by meaning alone. It has only query words that occur in any text.
    pub fn is_by_meaning(&self) -> bool {
        self.cosine.is_some() && !self.is_named && self.share < MIN_WORD_SHARE
    }
}

/// Share of the query, by rarity, below which only words such as `what` and `the` match.
const MIN_WORD_SHARE: f32 = 0.1;

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The mode that was used.
    pub mode: Mode,
    pub hits: Vec<Hit>,
    /// Number of matching notes, shown or not.
    pub total: usize,
    /// Whether some hits have only some of the words.
    pub relaxed: bool,
    /// Query words that occur in no note.
    pub unknown: Vec<String>,
    /// How these were respelled.
    pub respelled: Vec<Respelling>,
    /// Number of notes that have all words and that only a `-` excludes.
    pub excluded: usize,
    /// Whether the query is a question and not keywords.
    pub asks: bool,
    /// Why the query itself cannot match, if that is the cause.
    pub nothing: Option<NoResults>,
    /// Without hits: number of notes that have some of the words but fail the other filters.
    pub without_filters: usize,
    /// Numbers of notes of each [`HIDDEN`] kind that match. Counted if a recall finds nothing, or nothing
    /// with half of the words.
    pub hidden: [usize; HIDDEN.len()],
}

/// A kind of notes that searches leave out unless the query asks for them.
#[derive(Debug)]
pub struct HiddenKind {
    pub adjective: &'static str,
    /// The condition that finds them.
    pub condition: &'static str,
    /// The properties that make a note one of them.
    pub properties: &'static [&'static str],
}

/// The kinds of hidden notes.
pub const HIDDEN: [HiddenKind; 3] = [
    HiddenKind {
        adjective: "forgotten",
        condition: "tier:forgotten",
        properties: &["tier"],
    },
    HiddenKind {
        adjective: "expired",
        condition: "is:expired",
        properties: &["valid_until", "expires"],
    },
    HiddenKind {
        adjective: "upcoming",
        condition: "is:upcoming",
        properties: &["valid_from"],
    },
];

/// Candidates of each source that are ranked before the cut, or the limit if that is larger. A number that does
/// not grow with smaller limits gives a note the same rank for all of them.
const POOL: usize = 100;

/// Notes that are looked at to find the language of a word.
const MAX_NOTES_OF_WORD: usize = 256;

/// Returns the language of a question: that of its stop words, or else that of most notes with its rarest word.
fn question_language(
    view: &View<'_>,
    reader: &TextReader,
    wanted: &[Clause],
) -> Result<Language, CacheError> {
    let language = reader.language_of(wanted);
    let stop_words = |language: Language| {
        let words = wanted.iter().filter_map(Clause::word);
        let words = words.filter(|word| language.is_stop_word(&word.to_lowercase()));
        words.count()
    };
    let mut others = reader.languages.iter().filter(|&&other| other != language);
    if others.all(|&other| stop_words(other) < stop_words(language)) {
        return Ok(language);
    }
    let mut rarest: Vec<u64> = Vec::new();
    for clause in wanted {
        let keys = reader.matches(clause)?;
        if !keys.is_empty() && (rarest.is_empty() || keys.len() < rarest.len()) {
            rarest = keys;
        }
    }
    let mut notes: HashMap<Language, usize> = HashMap::new();
    for key in rarest.into_iter().take(MAX_NOTES_OF_WORD) {
        if let Some((row, _)) = view.reading().row(key as Slot)? {
            *notes.entry(row.flags.language()).or_default() += 1;
        }
    }
    let most = notes
        .into_iter()
        .max_by_key(|&(of, notes)| (notes, of == language, of));
    Ok(most.map_or(language, |(language, _)| language))
}

/// Returns the notes that match `query`, which was parsed from `typed`.
pub fn search(
    view: &View<'_>,
    reader: &TextReader,
    (query, typed): (&Query, &str),
    semantic: Option<&SemanticQuery<'_>>,
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    let filters = Filters::without_text(view, reader, query)?;
    let TextParts { wanted, unwanted } = query.text();
    // In a language that the model does not support, cosines are noise. Words alone are then ranked like words
    // with cosines: on Italian questions this raises the MRR from .559 to .583 and `recall` stays silent on 21
    // of 30 unanswerable ones instead of 6.
    let language = question_language(view, reader, &wanted)?;
    let is_foreign = !semantic.map_or(language.is_english(), |semantic| {
        semantic.embedder.knows_language(language)
    });
    let semantic = semantic.filter(|_| !is_foreign);
    let mode = match options.mode {
        Mode::Hybrid if is_foreign => Mode::Hybrid,
        mode => semantic.map_or(Mode::Lexical, |_| mode),
    };
    let words = query.words();
    // If the whole query is a name, conditions in the query do not filter; those of a flag do.
    let typed = format!("{typed} {}", options.only);
    let mut names = NameMatcher::new(view, &filters, (&typed, &words), reader.languages[0]);
    let mut results = if !wanted.is_empty() {
        let sources = Sources {
            reader,
            filters: &filters,
            wanted: &wanted,
            question: &words,
            semantic,
            mode,
        };
        with_text(view, &sources, &unwanted, &mut names, options)?
    } else if filters.is_empty() {
        with_name_of_signs(view, reader, &mut names)?
    } else {
        without_text(view, &filters, options)?
    };
    // If the whole query is a name, nothing in it is a condition.
    let is_named = results.hits.first().is_some_and(|hit| hit.is_named);
    if !is_named && results.nothing.is_none() {
        results.excluded = count_excluded(reader, query)?;
    }
    let properties = view.reading().meta()?.properties;
    let is_stated = |relation: Relation| properties.contains_key(relation.name());
    if !options.only_relevant && is_stated(Relation::EvolvedFrom) {
        for hit in &mut results.hits {
            let newest = view.last_replacement(&hit.entry)?;
            hit.replaced_by = newest.map(|newest| newest.path);
        }
    }
    if options.only_relevant && is_stated(Relation::Contradicts) {
        for hit in &mut results.hits {
            let notes = view.contradicting(&hit.entry)?;
            hit.contradicts = notes.into_iter().map(|note| note.path).collect();
        }
    }
    if options.snippet_width > 0 {
        let mut excerpts = Excerpts::new(view, query, &reader.languages, options.snippet_width);
        for hit in &mut results.hits {
            hit.excerpt = excerpts.of(&hit.entry, &hit.details.title, hit.passage);
        }
    }
    Ok(results)
}

/// Parses a query for this vault. A field that no note has as a property becomes words.
pub fn read_query(view: &View<'_>, text: &str) -> Result<Query, CacheError> {
    read_query_with_properties(view, text, &[])
}

/// As [`read_query`], with additional known properties.
pub fn read_query_with_properties(
    view: &View<'_>,
    text: &str,
    more: &[&str],
) -> Result<Query, CacheError> {
    let properties = view.reading().meta()?.properties;
    let known: Vec<&str> = properties
        .keys()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect();
    let query = query::parse_with(text, &view.now, &view.saved);
    Ok(query.with_known_properties(&known))
}

/// A query prepared for matching notes one by one.
pub struct Matcher<'q>(Filters<'q>);

impl<'q> Matcher<'q> {
    /// Prepares `query` with the text index of the view; `None` without one.
    pub fn new(view: &'q View<'q>, query: &'q Query) -> Result<Option<Self>, CacheError> {
        let reader = view.text_reader();
        let filters = reader.map(|reader| Filters::with_text(view, reader, query));
        Ok(filters.transpose()?.map(Self))
    }

    /// Returns whether the note matches the query.
    pub fn holds(&self, entry: &Entry) -> Result<bool, CacheError> {
        Ok(self.0.is_visible(&entry.row) && self.0.matches_note(entry, None)?)
    }

    /// As [`Self::holds`], for a note whose properties differ from the catalog.
    pub fn holds_as(&self, entry: &Entry, details: Details) -> Result<bool, CacheError> {
        Ok(self.0.is_visible(&entry.row) && self.0.matches_note(entry, Some(details))?)
    }
}

/// Returns every note that matches `query`, sorted by path. Words are conditions too, for which `reader`
/// returns the text index.
pub fn matching<R: Borrow<TextReader>>(
    view: &View<'_>,
    reader: impl Fn() -> Result<R, CacheError>,
    query: &Query,
) -> Result<Vec<Entry>, CacheError> {
    if query.expr == Expr::And(Vec::new()) {
        return view.entries();
    }
    let filters = Filters::with_text(view, reader()?.borrow(), query)?;
    let failure = FirstError::default();
    let matches = |entry: &Entry| failure.or_default(filters.matches_note(entry, None));
    let entries = view.entries_where(matches)?;
    failure.or(entries)
}

/// Returns a query word without surrounding punctuation, such as a question mark.
fn trim_punctuation(word: &str) -> &str {
    let trimmed = word.trim_matches(|c| "?!¿¡.,;:()\"".contains(c));
    if trimmed.is_empty() { word } else { trimmed }
}

/// Whether a name in the query is in none of the best notes. Of a name of several words one is enough: `Mr Smith`.
fn lacks_name(sources: &Sources<'_>, ranked: &[RankedHit]) -> Result<bool, CacheError> {
    let words: Vec<&str> = sources.wanted.iter().filter_map(Clause::word).collect();
    let names = relevance::names(&words, sources.reader.language_of(sources.wanted));
    // Whether the name that continues was found.
    let mut is_found = None;
    for clause in sources.wanted {
        if clause.word().is_some_and(|word| names.contains(&word)) {
            let notes = sources.reader.matches(clause)?;
            let has = |hit: &RankedHit| notes.binary_search(&hit.entry.slot.into()).is_ok();
            let is_word_found = ranked.iter().take(relevance::BEST).any(has);
            is_found = Some(is_word_found || is_found == Some(true));
        } else if is_found.take() == Some(false) {
            return Ok(true);
        }
    }
    Ok(is_found == Some(false))
}

#[expect(
    clippy::too_many_lines,
    reason = "each step needs the results of the steps before"
)]
fn with_text(
    view: &View<'_>,
    sources: &Sources<'_>,
    unwanted: &[Clause],
    names: &mut NameMatcher<'_>,
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    let pool = options.limit.max(POOL);
    let mode = sources.mode;
    // A purely semantic search does not match names.
    let names = (mode != Mode::Semantic).then_some(names);
    let Candidates { found, by_slot } = sources.candidates(view, names, pool)?;
    let semantic_weight = sources.semantic.map_or(DEFAULT_SEARCH_WEIGHT, |semantic| {
        let model = semantic.embedder.model();
        if found.asks {
            model.question_weight
        } else {
            model.search_weight
        }
    });
    let ranking = Ranking {
        clauses: found.clauses,
        mode,
        semantic_weight,
        // Phrases, prefixes and fields match literally.
        is_plain: sources.wanted.iter().all(|clause| clause.word().is_some()),
        asks: found.asks,
        includes_replies: speaker::asks_for_replies(sources.question),
        space: options.space.as_ref(),
        bound: found.bound,
        complete: found.complete,
    };
    // The tokens of the table are English. Keywords name what they look for: their near words are noise.
    let is_english = sources.reader.language_of(sources.wanted).is_english();
    let tokens = (is_english && found.asks).then(|| {
        let words = found.rarities.iter().filter_map(|&(at, rarity)| {
            let word = sources.wanted[at].word()?;
            Some((word, rarity))
        });
        TokenQuery::new(words)
    });
    let mut ranked = ranking.ranked(view, by_slot, sources.semantic, tokens)?;
    if let Some(least) = options.min_cosine {
        ranked.retain(|candidate| candidate.cosine.is_some_and(|cosine| cosine >= least));
    }
    let positions = found.unmatched.iter();
    let unmatched = positions.filter_map(|&at| sources.wanted[at].word());
    let mut unknown: Vec<String> = unmatched.map(str::to_owned).collect();
    if mode == Mode::Hybrid && is_nothing_near(sources, &unknown, &ranked) {
        ranked.clear();
    }
    // Question words are not search terms.
    unknown.retain(|word| english::query_weight(&word.to_lowercase()) >= 1.0);
    let mut dropped = Vec::new();
    let mut nothing = no_results_reason(
        sources.reader,
        (sources.wanted, unwanted),
        options.only_relevant,
    );
    if nothing.is_some() {
        ranked.retain(|candidate| candidate.name_match.is_some());
    } else if options.only_relevant && !ranked.is_empty() {
        let input = RelevanceInput {
            lacks_name: lacks_name(sources, &ranked)?,
            mode,
            notes: view.reading().meta()?.notes,
            // A purely semantic search does not weigh the cosine.
            semantic_factor: match mode {
                Mode::Hybrid => DEFAULT_SEARCH_WEIGHT / semantic_weight,
                Mode::Lexical | Mode::Semantic => 1.0,
            },
            is_subject_unknown: relevance::is_subject_unknown(
                sources.question,
                &unknown,
                ranking.asks,
                sources.reader.language_of(sources.wanted),
            ),
        };
        dropped = relevance::keep_relevant(&mut ranked, input);
        nothing = Some(NoResults::Irrelevant);
    }
    nothing = nothing.filter(|_| ranked.is_empty());
    // After the relevance cut, which needs absolute scores.
    if let Some(options) = options
        .learned
        .filter(|options| options.fusion == Fusion::Ranks)
        && mode == Mode::Hybrid
    {
        ranking.by_ranks(&options, &mut ranked);
    }
    if let Some(weights) = options.learned.filter(RecallOptions::learns)
        && learning::add_learned(view, sources.semantic, &weights, &mut ranked)?
    {
        ranking.resort(&mut ranked);
    }
    if options.only_relevant {
        let meta = view.reading().meta()?;
        // Reading the relations of a note reads every note that links to it.
        let is_stated = |relation: Relation| meta.properties.contains_key(relation.name());
        if is_stated(Relation::EvolvedFrom) {
            ranked.truncate(options.limit.saturating_mul(2));
            ranked = succession::with_heads(view, sources.filters, sources.semantic, ranked)?;
        }
        if is_stated(Relation::Summarizes) || is_stated(Relation::DerivedFrom) {
            ranked.truncate(options.limit.saturating_mul(2));
            succession::mark_quotes(view, &mut ranked)?;
        }
        if mode == Mode::Hybrid && ranking.is_plain && Relation::all().any(is_stated) {
            activation::spread(view, sources.filters, sources.semantic, &mut ranked)?;
        }
        let mut groups = StatementGroups::new(view, sources);
        ranked = groups.newest_first(ranked, dropped)?;
    }
    ranked.truncate(options.limit);
    let is_enough = found.complete >= options.limit;
    // Notes that passed the filters and were dropped later did not fail them.
    let is_nothing = ranked.is_empty() && found.total == 0;
    let without_filters = is_nothing.then(|| sources.count_text_matches());
    let is_question = ranking.asks || sources.question.trim_end().ends_with('?');
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
        unknown: unknown
            .iter()
            .filter(|word| {
                let clause = Clause::of(Pattern::Word((*word).clone()));
                sources.reader.is_content(&clause, sources.wanted)
            })
            .map(|word| trim_punctuation(word).to_owned())
            // Common words of a question, such as `use`, are not subjects.
            .filter(|word| !is_question || !is_common_word(&word.to_lowercase()))
            .collect(),
        nothing,
        asks: ranking.asks,
        // The text index counts the stems of a phrase.
        without_filters: without_filters
            .transpose()?
            .unwrap_or_default()
            .min(sources.filters.phrase_matches().unwrap_or(usize::MAX)),
        ..Results::default()
    })
}

/// Returns whether no content word occurs in any note and no note is near enough in meaning. `unknown` are
/// the words that occur in none.
fn is_nothing_near(sources: &Sources<'_>, unknown: &[String], ranked: &[RankedHit]) -> bool {
    // Function words carry no meaning by themselves. English ones have a list of their own.
    let is_english = sources.reader.language_of(sources.wanted).is_english();
    let says_something = |clause: &Clause| {
        clause.word().is_none_or(|word| {
            !unknown.iter().any(|unknown| unknown == word)
                && (is_english || sources.reader.is_content(clause, sources.wanted))
                && english::word(&word.to_lowercase()).content == WordEffect::Full
        })
    };
    if unknown.is_empty() || sources.wanted.iter().any(says_something) {
        return false;
    }
    let least = sources.min_cosine_without_words(unknown);
    let is_near = |candidate: &RankedHit| {
        candidate.name_match.is_some() || candidate.cosine.is_some_and(|cosine| cosine >= least)
    };
    !ranked.iter().any(is_near)
}

/// Returns how many notes have all words and are excluded only by unwanted words. 0 if other filters exist.
fn count_excluded(reader: &TextReader, query: &Query) -> Result<usize, CacheError> {
    let TextParts { wanted, unwanted } = query.text();
    let is_text_alone = wanted.len() + unwanted.len() == query.members().len();
    if wanted.is_empty() || unwanted.is_empty() || !is_text_alone {
        return Ok(0);
    }
    let both = wanted.into_iter().chain([Clause::Any(unwanted)]);
    Ok(reader.matches(&Clause::All(both.collect()))?.len())
}

/// Returns the notes whose name is a query without words, such as `()`.
fn with_name_of_signs(
    view: &View<'_>,
    reader: &TextReader,
    names: &mut NameMatcher<'_>,
) -> Result<Results, CacheError> {
    let mut ranked = Vec::new();
    for (slot, name_match) in names.matching_in_catalog(reader)? {
        ranked.extend(view.entry(slot)?.map(|entry| RankedHit {
            name_match: Some(name_match),
            ..RankedHit::unscored(entry)
        }));
    }
    ranked.sort_by(|a, b| (a.name_match, &a.entry.path).cmp(&(b.name_match, &b.entry.path)));
    Ok(Results {
        total: ranked.len(),
        hits: hits(view, ranked)?,
        ..Results::default()
    })
}

/// Returns the newest notes that meet the filters of a query without text.
fn without_text(
    view: &View<'_>,
    filters: &Filters<'_>,
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    let failure = FirstError::default();
    let mut entries = view.entries()?;
    entries.retain(|entry| failure.or_default(filters.admits(entry.slot)));
    let mut entries = failure.or(entries)?;
    let total = entries.len();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.row.created));
    entries.truncate(options.limit);
    Ok(Results {
        hits: hits(view, entries.into_iter().map(RankedHit::unscored))?,
        total,
        ..Results::default()
    })
}

fn hits(
    view: &View<'_>,
    ranked: impl IntoIterator<Item = RankedHit>,
) -> Result<Vec<Hit>, CacheError> {
    let hit = |ranked: RankedHit| -> Result<Hit, CacheError> {
        Ok(Hit {
            details: view.details(ranked.entry.slot)?,
            entry: ranked.entry,
            score: ranked.score,
            cosine: ranked.cosine,
            passage: ranked.passage,
            share: ranked.share,
            is_named: ranked.name_match.is_some(),
            is_complete: ranked.is_complete,
            excerpt: Excerpt::default(),
            replaces: ranked.replaces,
            replaced_by: None,
            contradicts: Vec::new(),
            outdated: ranked.outdated,
        })
    };
    ranked.into_iter().map(hit).collect()
}
