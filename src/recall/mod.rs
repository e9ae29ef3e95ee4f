//! From a question to the notes that answer it.
//!
//! [`search`] takes the text part of a query to the text index and its meaning to the vectors, lets
//! the other filters decide note by note before the cut, and adds up what the two say (see
//! [`ranking`]). A note that is called what was typed comes first (see [`names`]). By words alone,
//! notes that have all of them come first, and where these are fewer than asked for, notes with some
//! of them follow. A word that no note has can be taken for the nearest that some have (see
//! [`spelling`]). Forgotten and expired notes are left out unless the query speaks of tiers or ends.
//!
//! For who asks a memory, [`relevance`] leaves out what does not belong, what helped before comes earlier
//! (see [`learning`]), a replaced note is answered by its successor (see [`succession`]) and the best bring
//! those along that are related to them (see [`activation`]).

mod activation;
mod adjacent;
pub mod budget;
mod candidates;
pub mod excerpt;
mod failure;
mod filters;
mod learning;
pub mod mode;
mod names;
pub mod nothing;
pub mod order;
pub mod query;
pub mod ranking;
pub mod related;
mod relevance;
pub mod resurface;
pub mod semantic;
pub mod snippet;
pub mod space;
pub mod spelling;
mod succession;
pub mod unknown;
mod voice;

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;

use self::candidates::{Candidates, Sources};
use self::excerpt::{Excerpt, Excerpts};
use self::failure::Failure;
use self::filters::Filters;
use self::mode::Mode;
use self::names::Names;
use self::nothing::{Nothing, says_nothing};
use self::query::{Expr, Hint, Query, Saved, TextParts, base};
use self::ranking::{Ranked, Ranking, Score};
use self::relevance::Asked;
use self::semantic::SemanticQuery;
use self::space::Space;
use self::spelling::Respelling;
use crate::cache::CacheError;
use crate::cache::row::Details;
use crate::cache::text::bm25::Weights;
use crate::cache::text::clause::Clause;
use crate::cache::text::index::TextIndex;
use crate::cache::text::reader::TextReader;
use crate::note::front_matter::relation::Relation;
use crate::note::path::VaultPath;
use crate::note::words::english;
use crate::note::words::english::Content;
use crate::signals::fusion::Fusion;
use crate::signals::learned::RecallOptions;
use crate::view::{Entry, View};

#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// What to go by, as far as there are vectors.
    pub mode: Mode,
    /// At most so many hits.
    pub limit: usize,
    /// Conditions in the grammar of queries that each hit meets, too.
    pub only: String,
    /// Only notes at least so near to what the query means.
    pub min_cosine: Option<f32>,
    /// Characters of a snippet; 0 for none.
    pub snippet_width: usize,
    /// Whether only what belongs to the query is wanted, as it stands now: no note that is hardly about
    /// it, and for a replaced one its successor.
    pub only_relevant: bool,
    /// What feedback counts, if the order is to go by it.
    pub learned: Option<RecallOptions>,
    /// The project that is asked from, if it is known.
    pub space: Option<Space>,
    /// The constants of the ranking.
    pub weights: Weights,
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
    /// The share of the words that it has, each by how rare it is.
    pub share: f32,
    /// Whether it is called what was typed.
    pub is_named: bool,
    /// What of it answers.
    pub excerpt: Excerpt,
    /// The note that it replaced, if it is shown for that or for one before it.
    pub replaces: Option<VaultPath>,
    /// The notes that contradict it, if only relevant ones were asked for.
    pub contradicts: Vec<VaultPath>,
}

impl Hit {
    /// Returns whether it answers by what it means alone: no more of the words is there than any text
    /// has.
    pub fn is_by_meaning(&self) -> bool {
        self.cosine.is_some() && !self.is_named && self.share < LEAST_SHARE
    }
}

/// What share of the words by rarity says nothing: `what` and `the` of a question.
const LEAST_SHARE: f32 = 0.1;

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
    /// Words that no note has.
    pub unknown: Vec<String>,
    /// How they were spelled instead.
    pub respelled: Vec<Respelling>,
    /// Notes that have all of the words and that only a `-` leaves out.
    pub excluded: usize,
    /// Whether it is asked in a sentence, not in keywords.
    pub asks: bool,
    /// Why nothing was found, where that lies in what was asked.
    pub nothing: Option<Nothing>,
    /// Where nothing was found: notes that have some of the words and fail the other filters.
    pub without_filters: usize,
    /// Where a recall found nothing, or nothing with half of the words: forgotten notes that answer, or that do better.
    pub forgotten: usize,
}

/// How many candidates are scaled by tier and confidence before the cut, as a multiple of the limit.
const POOL: usize = 4;
/// And so many more; in a question what neighbours or a voice raise need not be among the nearest.
const BESIDE: usize = 20;
const ASKED_BESIDE: usize = 60;

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
    let TextParts { wanted, unwanted } = query.text();
    // A cosine with a question in a language that the model does not know is noise.
    let language = reader.language_of(&wanted);
    let semantic = semantic.filter(|semantic| semantic.embedder.knows_language(language));
    let mut results = if wanted.is_empty() {
        without_text(view, &filters, options)?
    } else {
        let words = query.words();
        let sources = Sources {
            reader: &reader,
            filters: &filters,
            wanted: &wanted,
            question: &words,
            semantic,
            mode: options.mode,
            weights: &options.weights,
        };
        // A name that was typed as it stands passes by what is a condition in it, not by a flag.
        let typed = format!("{typed} {}", options.only);
        let mut names = Names::new(view, &filters, (&typed, &words), reader.languages[0]);
        with_text(view, &sources, &unwanted, &mut names, options)?
    };
    // Where a name was typed as it stands, nothing in it is a condition.
    let is_named = results.hits.first().is_some_and(|hit| hit.is_named);
    if !is_named && results.nothing.is_none() {
        results.excluded = excluded(&reader, query)?;
    }
    let contradicts = Relation::Contradicts.name();
    if options.only_relevant && view.reading().meta()?.properties.contains_key(contradicts) {
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

/// Reads a query for this vault: a field that is no property of any note is taken as words.
pub fn read_query(view: &View<'_>, text: &str) -> Result<Query, CacheError> {
    read_query_knowing(view, text, &[])
}

/// As [`read_query`], where these properties are known, too.
pub fn read_query_knowing(view: &View<'_>, text: &str, more: &[&str]) -> Result<Query, CacheError> {
    let properties = view.reading().meta()?.properties;
    let known: Vec<&str> = properties
        .keys()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect();
    let (saved, unread) = with_bases(view, text);
    let mut query = query::parse_with(text, &view.now, &saved).with_known_properties(&known);
    for hint in &mut query.hints {
        if let Hint::UnreadBase { name, why } = hint
            && let Some(reason) = unread.get(name)
        {
            why.clone_from(reason);
        }
    }
    Ok(query)
}

/// Returns what is saved, with the bases that `text` or something saved names, and why some of these say nothing.
fn with_bases<'v>(view: &'v View<'_>, text: &str) -> (Cow<'v, Saved>, BTreeMap<String, String>) {
    let mut saved = Cow::Borrowed(&view.saved);
    let mut unread = BTreeMap::new();
    let texts = view.saved.values().map(String::as_str).chain([text]);
    for name in texts.flat_map(base::names) {
        let (file, of_view) = base::parts_of(name);
        let Some(base) = VaultPath::new(file)
            .ok()
            .and_then(|path| view.file(&path).ok())
        else {
            continue;
        };
        match base::query_of(&base.text, of_view) {
            Ok(query) => {
                saved.to_mut().insert(name.to_owned(), query);
            }
            Err(why) => {
                unread.insert(name.to_owned(), why);
            }
        }
    }
    (saved, unread)
}

/// A query made ready to be asked of one note after the other.
pub struct Matcher<'q>(Filters<'q>);

impl<'q> Matcher<'q> {
    /// Returns `query` made ready, by the text index that the view knows; `None` without it.
    pub fn new(view: &'q View<'q>, query: &'q Query) -> Result<Option<Self>, CacheError> {
        let reader = view.text_reader();
        if query.asks_of_use() {
            view.read_usages();
        }
        let filters = reader.map(|reader| Filters::whole(view, reader, query));
        Ok(filters.transpose()?.map(Self))
    }

    /// Returns true if the note meets all of it.
    pub fn holds(&self, entry: &Entry) -> Result<bool, CacheError> {
        Ok(self.0.shows(&entry.row) && self.0.hold(entry, None)?)
    }

    /// As [`Self::holds`], of a note whose properties are not what the catalog knows.
    pub fn holds_as(&self, entry: &Entry, details: Details) -> Result<bool, CacheError> {
        Ok(self.0.shows(&entry.row) && self.0.hold(entry, Some(details))?)
    }
}

/// Returns every note that meets all filters of `query`, in the order of paths; a word is a
/// condition too.
pub fn matching(
    view: &View<'_>,
    index: &TextIndex,
    query: &Query,
) -> Result<Vec<Entry>, CacheError> {
    all_of(view, || Ok(index.reader()?), query)
}

/// As [`matching`], by the text index that the view knows; none without it.
pub fn matching_now(view: &View<'_>, query: &Query) -> Result<Vec<Entry>, CacheError> {
    match view.text_reader() {
        Some(reader) => all_of(view, || Ok(reader), query),
        None => Ok(Vec::new()),
    }
}

fn all_of<R: Borrow<TextReader>>(
    view: &View<'_>,
    reader: impl Fn() -> Result<R, CacheError>,
    query: &Query,
) -> Result<Vec<Entry>, CacheError> {
    let mut entries = view.entries()?;
    if query.expr == Expr::And(Vec::new()) {
        return Ok(entries);
    }
    let filters = Filters::whole(view, reader()?.borrow(), query)?;
    if query.asks_of_use() {
        view.read_usages();
    }
    let failure = Failure::default();
    entries.retain(|entry| failure.or_default(filters.hold(entry, None)));
    failure.or(entries)
}

/// Returns a word of a query without the marks of the sentence that it stands in: the question mark at its end.
fn bare(word: &str) -> &str {
    let bare = word.trim_matches(|c| "?!.,;:()\"".contains(c));
    if bare.is_empty() { word } else { bare }
}

fn with_text(
    view: &View<'_>,
    sources: &Sources<'_>,
    unwanted: &[Clause],
    names: &mut Names<'_>,
    options: &SearchOptions,
) -> Result<Results, CacheError> {
    let beside = if sources.reader.asks(sources.wanted) {
        ASKED_BESIDE
    } else {
        BESIDE
    };
    let pool = options.limit.saturating_mul(POOL).saturating_add(beside);
    let mode = sources.semantic.map_or(Mode::Lexical, |_| options.mode);
    // Meaning alone knows no names.
    let names = (mode != Mode::Semantic).then_some(names);
    let Candidates { found, by_slot } = sources.candidates(view, names, pool)?;
    let ranking = Ranking {
        clauses: found.clauses,
        mode,
        // A phrase, a prefix or a field means the letters.
        is_plain: sources.wanted.iter().all(|clause| clause.word().is_some()),
        asks: found.asks,
        wants_replies: voice::asks_for_replies(sources.question),
        space: options.space.as_ref(),
        bound: found.bound,
        complete: found.complete,
    };
    let mut ranked = ranking.ranked(view, by_slot, sources.semantic)?;
    if let Some(least) = options.min_cosine {
        ranked.retain(|candidate| candidate.cosine.is_some_and(|cosine| cosine >= least));
    }
    let unmatched = found.unmatched.iter();
    let unmatched = unmatched.filter_map(|&at| sources.wanted[at].word());
    let mut unknown: Vec<String> = unmatched.map(str::to_owned).collect();
    if mode == Mode::Hybrid && is_far(sources, &unknown, &ranked) {
        ranked.clear();
    }
    // What only asks is not looked for.
    unknown.retain(|word| english::query_weight(&word.to_lowercase()) >= 1.0);
    let mut nothing = says_nothing(
        sources.reader,
        (sources.wanted, unwanted),
        options.only_relevant,
    );
    if nothing.is_some() {
        ranked.retain(|candidate| candidate.call.is_some());
    } else if options.only_relevant && !ranked.is_empty() {
        let asked = Asked {
            mode,
            notes: view.reading().meta()?.notes,
            is_unheard: relevance::is_unheard(sources.question, &unknown, ranking.asks),
        };
        relevance::keep_relevant(&mut ranked, asked);
        nothing = Some(Nothing::Irrelevant);
    }
    nothing = nothing.filter(|_| ranked.is_empty());
    // After the cut, which knows scores.
    if let Some(options) = options
        .learned
        .filter(|options| options.fusion == Fusion::Ranks)
        && mode == Mode::Hybrid
    {
        ranking.by_places(&options, &mut ranked);
    }
    if let Some(weights) = options.learned.filter(RecallOptions::learns)
        && learning::add_learned(view, sources.semantic, &weights, &mut ranked)?
    {
        ranking.sort_again(&mut ranked);
    }
    if options.only_relevant {
        let meta = view.reading().meta()?;
        // To ask for the relations of a note takes a look at all that link to it.
        let is_stated = |relation: Relation| meta.properties.contains_key(relation.name());
        if is_stated(Relation::EvolvedFrom) {
            ranked.truncate(options.limit.saturating_mul(2));
            ranked = succession::with_heads(view, sources.filters, sources.semantic, ranked)?;
        }
        if mode == Mode::Hybrid && ranking.is_plain && Relation::all().any(is_stated) {
            activation::spread(view, sources.filters, sources.semantic, &mut ranked)?;
        }
    }
    if !options.only_relevant {
        ranking.put_words_before(&mut ranked);
    }
    ranked.truncate(options.limit);
    let is_enough = found.complete >= options.limit;
    if is_enough && ranking.mode == Mode::Lexical {
        ranked.retain(|candidate| candidate.is_complete);
    }
    // What filters let through and was dropped since did not fail them.
    let is_nothing = ranked.is_empty() && found.total == 0;
    let without_filters = is_nothing.then(|| sources.count_of_words());
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
        unknown: unknown.iter().map(|word| bare(word).to_owned()).collect(),
        nothing,
        asks: ranking.asks,
        without_filters: without_filters.transpose()?.unwrap_or_default(),
        ..Results::default()
    })
}

/// Returns whether no note has a word that says something, of which `unknown` are those that none has, and none
/// is near enough to answer in others.
fn is_far(sources: &Sources<'_>, unknown: &[String], ranked: &[Ranked]) -> bool {
    // Words that hold a sentence together say nothing by themselves.
    let says_something = |clause: &Clause| {
        clause.word().is_none_or(|word| {
            !unknown.iter().any(|unknown| unknown == word)
                && english::word(&word.to_lowercase()).content == Content::Full
        })
    };
    if unknown.is_empty() || sources.wanted.iter().any(says_something) {
        return false;
    }
    let least = sources.least_cosine(unknown);
    let is_near = |candidate: &Ranked| {
        candidate.call.is_some() || candidate.cosine.is_some_and(|cosine| cosine >= least)
    };
    !ranked.iter().any(is_near)
}

/// Returns how many notes have all of the words and are left out for what they have beside, if nothing
/// else could leave them out.
fn excluded(reader: &TextReader, query: &Query) -> Result<usize, CacheError> {
    let TextParts { wanted, unwanted } = query.text();
    let is_text_alone = wanted.len() + unwanted.len() == query.members().len();
    if wanted.is_empty() || unwanted.is_empty() || !is_text_alone {
        return Ok(0);
    }
    let both = wanted.into_iter().chain([Clause::Any(unwanted)]);
    Ok(reader.matches(&Clause::All(both.collect()))?.len())
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
            share: ranked.share,
            is_named: ranked.call.is_some(),
            excerpt: Excerpt::default(),
            replaces: ranked.replaces,
            contradicts: Vec::new(),
        })
    };
    ranked.into_iter().map(hit).collect()
}
