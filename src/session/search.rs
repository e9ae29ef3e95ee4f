//! Searches in an open vault: updates caches, builds a view, embeds the query, and runs recall.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::Session;
use crate::cache::embedding;
use crate::cache::freshness::changed_since;
use crate::cache::{Cache, CacheError, TextReader, Vectors};
use crate::error::Result;
use crate::note;
use crate::note::VaultPath;
use crate::recall::mode::Mode;
use crate::recall::query::Query;
use crate::recall::related::{Neighbour, neighbours_of_vector, unlinked_neighbours};
use crate::recall::semantic::SemanticQuery;
use crate::recall::spelling::{RespelledQuery, respelled};
use crate::recall::{self, HIDDEN, Hit, Results, SearchOptions};
use crate::view::{Entry, View};

/// Maximum number of repeated searches because hits changed meanwhile.
const MAX_REPEATS: usize = 3;

/// A parsed query and its results.
#[derive(Debug)]
pub struct SearchAnswer {
    pub query: Query,
    pub results: Results,
}

/// The notes that match a query, by path, with the view and cache they come from.
pub struct Selection<'s> {
    pub query: Query,
    pub entries: Vec<Entry>,
    pub view: View<'s>,
    pub cache: Cache,
}

impl Session {
    /// Searches until no hit has changed on disk since it was indexed.
    ///
    /// Changed hits are indexed and the search is repeated.
    pub fn search(&self, text: &str, options: &SearchOptions) -> Result<SearchAnswer> {
        let search = Search {
            session: self,
            text,
            options,
            query_vectors: RefCell::default(),
            has_said: Cell::new(false),
        };
        let mut cache = self.fresh_cache()?;
        if options.mode != Mode::Lexical {
            cache = self.embed_few(cache)?;
        }
        let mut repeats_left = MAX_REPEATS;
        loop {
            let ((answer, changed), asked) = self.ask(cache, |cache| search.answer(cache))?;
            if changed.is_empty() || self.env.no_sync || repeats_left == 0 {
                return Ok(answer);
            }
            cache = self.index_external_changes(asked, &changed)?;
            repeats_left -= 1;
        }
    }

    /// Returns all notes that match the query `text`, or all notes if it is empty.
    pub fn select(&self, text: &str) -> Result<Selection<'_>> {
        Ok(self.select_and(text, |_, _, _| Ok(()))?.0)
    }

    /// Like [`Self::select`], with the result of `read`, which may sort the notes.
    ///
    /// If it finds damage, both steps are repeated on rebuilt caches.
    pub fn select_and<T>(
        &self,
        text: &str,
        read: impl Fn(&View<'_>, &Query, &mut Vec<Entry>) -> Result<T, CacheError>,
    ) -> Result<(Selection<'_>, T)> {
        let ask = |cache: &Cache| -> Result<_, CacheError> {
            let view = self.view(cache)?;
            let query = recall::read_query(&view, text)?;
            let mut entries = recall::matching(&view, || Ok(cache.text.reader()?), &query)?;
            let read = read(&view, &query, &mut entries)?;
            Ok((query, entries, view, read))
        };
        let ((query, entries, view, read), cache) = self.ask(self.fresh_cache()?, ask)?;
        let selection = Selection {
            query,
            entries,
            view,
            cache,
        };
        Ok((selection, read))
    }

    /// Returns semantically similar notes without a link to or from `entry`, best first.
    ///
    /// Only notes with vectors are compared. `least` is a minimum cosine, by default the model's
    /// threshold for related notes.
    pub fn neighbours(
        &self,
        cache: &Cache,
        view: &View<'_>,
        entry: &Entry,
        limit: usize,
        least: Option<f32>,
    ) -> Result<Vec<Neighbour>, CacheError> {
        let meta = view.reading().meta()?;
        let Some(embedder) = self.embedder_of(&meta) else {
            return Ok(Vec::new());
        };
        let model = embedder.model();
        let Some(vectors) = cache.vectors_of(&meta, &model.id)? else {
            return Ok(Vec::new());
        };
        let graph = self.graph(cache, &vectors);
        let least = least.unwrap_or(model.thresholds.related);
        unlinked_neighbours(view, &vectors, graph.as_ref(), entry, limit, least)
    }

    /// Returns notes similar to `text`, best first, with the cache that they come from; `None` if it
    /// or the notes have no vectors.
    pub fn neighbours_of_text(
        &self,
        cache: Cache,
        text: &str,
        limit: usize,
        least: Option<f32>,
    ) -> Result<Option<(Vec<Neighbour>, Cache)>> {
        let Some(embedder) = self.embedder() else {
            return Ok(None);
        };
        let note = note::read(text, "");
        let Some(mean) = embedding::mean(embedder, text, &note)? else {
            return Ok(None);
        };
        let model = embedder.model();
        let least = least.unwrap_or(model.thresholds.related);
        let ask = |cache: &Cache| -> Result<_, CacheError> {
            let view = self.view(cache)?;
            let Some(vectors) = cache.vectors_of(&view.reading().meta()?, &model.id)? else {
                return Ok(None);
            };
            let graph = self.graph(cache, &vectors);
            let own = (&mean[..], None);
            neighbours_of_vector(&view, &vectors, graph.as_ref(), own, limit, least).map(Some)
        };
        let (near, cache) = self.ask(cache, ask)?;
        Ok(near.map(|near| (near, cache)))
    }
}

/// Share of the query's words, weighted by rarity, below which a forgotten note may be the right
/// answer.
const MIN_SHARE_OF_ANSWER: f32 = 0.5;

/// A search that may be repeated; the query is embedded once.
struct Search<'s> {
    session: &'s Session,
    text: &'s str,
    options: &'s SearchOptions,
    /// By the width of the model that computed it.
    query_vectors: RefCell<HashMap<usize, Option<Vec<f32>>>>,
    /// Whether the message about missing vectors was printed.
    has_said: Cell<bool>,
}

impl Search<'_> {
    /// Returns the answer from `cache`, and the hits that changed since it was updated.
    fn answer(&self, cache: &Cache) -> Result<(SearchAnswer, Vec<VaultPath>), CacheError> {
        let view = self.session.view(cache)?;
        let only = recall::read_query(&view, &self.options.only)?;
        let query = recall::read_query(&view, self.text)?.and(only);
        let vectors = self.vectors(cache, &view, &query)?;
        let graph = vectors
            .as_ref()
            .and_then(|vectors| self.session.graph(cache, vectors));
        let reader = cache.text.reader()?;
        let ask = |query: &Query, text: &str, vector: Option<&[f32]>| {
            let words = query.words();
            let semantic = vectors.as_ref().and_then(|vectors| {
                Some(SemanticQuery {
                    vectors,
                    graph: graph.as_ref(),
                    words: &words,
                    vector: vector?,
                    embedder: self.session.embedder()?,
                })
            });
            let asked = (query, text);
            recall::search(&view, &reader, asked, semantic.as_ref(), self.options)
        };
        let dims = vectors.as_ref().map(Vectors::dims);
        let vector = dims.and_then(|dims| self.vector(&query, dims));
        let vector = vector.as_deref();
        let mut results = ask(&query, self.text, vector)?;
        if let Some(meant) = self.respelled(&reader, &view, &query, &results)? {
            let words = meant.query.words();
            let vector = dims.and_then(|dims| self.session.query_vector(&words, dims));
            let again = ask(&meant.query, &meant.typed, vector.as_deref())?;
            if !again.hits.is_empty() {
                results = Results {
                    respelled: meant.words,
                    ..again
                };
            }
        }
        // A user of recall should learn that a hidden note had the answer.
        let is_memory = self.options.learned.is_some();
        let is_strong = |hit: &Hit| hit.is_named || hit.share >= MIN_SHARE_OF_ANSWER;
        let is_answered = results.hits.iter().any(is_strong);
        if is_memory && !is_answered {
            let stated = &view.reading().meta()?.properties;
            for (at, hidden) in HIDDEN.iter().enumerate() {
                if !hidden
                    .properties
                    .iter()
                    .any(|name| stated.contains_key(*name))
                {
                    continue;
                }
                let query = query
                    .clone()
                    .and(recall::read_query(&view, hidden.condition)?);
                let mut hits = ask(&query, self.text, vector)?.hits;
                hits.retain(|hit| results.hits.is_empty() || is_strong(hit));
                results.hidden[at] = hits.len();
            }
        }
        if let Some(vectors) = &vectors {
            vectors.confirm()?;
        }
        let slots = results.hits.iter().map(|hit| hit.entry.slot);
        let changed = changed_since(&self.session.vault, view.reading(), slots)?;
        Ok((SearchAnswer { query, results }, changed))
    }

    /// Returns the query with probable spelling corrections, if no note contains some of its words.
    fn respelled(
        &self,
        reader: &TextReader,
        view: &View<'_>,
        query: &Query,
        results: &Results,
    ) -> Result<Option<RespelledQuery>, CacheError> {
        // A match by name does not depend on words in notes.
        let is_named = results.hits.first().is_some_and(|hit| hit.is_named);
        if results.unknown.is_empty() || is_named {
            return Ok(None);
        }
        let embedder = self.session.embedder();
        let is_word = |word: &str| embedder.and_then(|embedder| embedder.knows(word)) == Some(true);
        let asked = (query, self.text);
        respelled(view, reader, asked, &results.unknown, &is_word)
    }

    /// Returns the vectors to compare the query with; prints a message if the notes have none yet.
    fn vectors(
        &self,
        cache: &Cache,
        view: &View<'_>,
        query: &Query,
    ) -> Result<Option<Vectors>, CacheError> {
        let is_semantic = self.options.mode != Mode::Lexical && query.has_text();
        let meta = view.reading().meta()?;
        let embedder = self.session.embedder_of(&meta);
        let Some(embedder) = embedder.filter(|_| is_semantic) else {
            return Ok(None);
        };
        let model = &embedder.model().id;
        let vectors = cache.vectors_of(&meta, model)?;
        // Notes in languages that the model does not know never get vectors.
        let is_of_another_model = meta.vectors.as_ref().is_some_and(|file| file.rows > 0);
        let is_pending = meta.pending > 0 || is_of_another_model;
        if vectors.is_none() && is_pending && !self.has_said.replace(true) {
            self.session.env.output.say(&format!(
                "searching by words only: no note has vectors of `{model}` yet; \
                 `mem index` creates them"
            ));
        }
        Ok(vectors)
    }

    fn vector(&self, query: &Query, dims: usize) -> Option<Vec<f32>> {
        let mut vectors = self.query_vectors.borrow_mut();
        let ask = || self.session.query_vector(&query.words(), dims);
        vectors.entry(dims).or_insert_with(ask).clone()
    }
}
