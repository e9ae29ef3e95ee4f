//! Creates missing vectors, repairs damaged ones, and embeds queries.

use super::Session;
use crate::cache::embedding::backfill::{self, BackfillError, BackfillResult};
use crate::cache::embedding::graph;
use crate::cache::options::Hnsw;
use crate::cache::vectors::hnsw::graph::HnswGraph;
use crate::cache::{self, Cache, CacheError, Vectors};
use crate::embed::{self, Embedder, EmbeddingPurpose};
use crate::error::{Error, Result};
use crate::output::count;
use crate::output::progress::Progress;
use crate::view::{NoteSimilarity, View};

/// Maximum number of notes without vectors at which a search embeds some with a slow local model.
const MAX_NOTES_BEFORE_ANSWER: u32 = 16;

/// Maximum number of passages that it embeds: a quarter of a second of work, at 25 to 50 ms each.
const MAX_PASSAGES_BEFORE_ANSWER: usize = 6;

impl Session {
    /// Returns the graph over `vectors`, if it exists and is enabled.
    pub fn graph(&self, cache: &Cache, vectors: &Vectors) -> Option<HnswGraph> {
        (self.index.hnsw != Hnsw::Never)
            .then(|| cache.graph(vectors))
            .flatten()
    }

    /// Returns a view with the text index and, as far as notes have vectors, nearest neighbours.
    pub fn view_with_near(&self, cache: &Cache) -> Result<View<'_>, CacheError> {
        let view = self.view(cache)?.with_text_index(cache.text.reader()?);
        let meta = view.reading().meta()?;
        let Some(embedder) = self.embedder_of(&meta) else {
            return Ok(view);
        };
        let model = embedder.model();
        let vectors = cache.vectors_of(&meta, &model.id)?;
        // Jobs compare all of them.
        vectors.as_ref().map_or(Ok(()), Vectors::verify)?;
        // Always from the same start, so that a dry run shows what the next run does.
        let near = vectors.map(|vectors| NoteSimilarity::new(vectors, model.thresholds, 0));
        Ok(view.with_near(near))
    }

    /// Embeds notes without vectors, as far as the model responds, and drops unused vectors.
    ///
    /// Releases the lock between batches, because an endpoint may take hours for all notes.
    pub fn embed(&self, cache: Cache) -> Result<Cache> {
        let cache = self.step_back_if_needed(cache)?;
        self.embed_in_place(cache)
    }

    /// Like [`Self::embed`], but never changes the model.
    pub fn embed_in_place(&self, cache: Cache) -> Result<Cache> {
        self.embed_up_to(cache, None)
    }

    /// Like [`Self::embed_in_place`]; with a `limit`, embeds at most this number of passages.
    fn embed_up_to(&self, cache: Cache, limit: Option<usize>) -> Result<Cache> {
        if self.embedder().is_none() {
            return Ok(cache);
        }
        let mut cache = self.discard_damaged_vectors(cache)?;
        if self.unembedded_notes(&cache)? == 0 {
            let _lock = cache::lock(&self.homes.cache, &self.env.holder())?;
            cache = self.current_cache(cache)?;
            backfill::compact(&cache)?;
            return Ok(cache);
        }
        let progress = Progress::new(&self.env.output, "embedding");
        let mut total = 0;
        loop {
            let Some(_lock) = self.lock_unless_read_only()? else {
                return Ok(cache);
            };
            cache = self.current_cache(cache)?;
            let Some(embedder) = self.embedder() else {
                return Ok(cache);
            };
            match backfill::backfill(&self.vault, &cache, embedder, limit) {
                Ok(BackfillResult { done, left }) => {
                    total += done;
                    progress.at(total, total + left);
                    if done == 0 || left == 0 || limit.is_some() || self.env.stop.is_due() {
                        backfill::compact(&cache)?;
                        return Ok(cache);
                    }
                }
                Err(BackfillError::Cache(CacheError::Vectors(error))) if error.is_damage() => {
                    backfill::forget(&cache)?;
                }
                Err(BackfillError::Cache(error)) => return Err(error.into()),
                Err(BackfillError::Embed(error)) => {
                    let left = cache.read()?.meta()?.pending;
                    let notes = count(left as usize, "note");
                    let output = &self.env.output;
                    output.warn(&format!(
                        "{notes} not embedded yet, found by words only: {error}"
                    ));
                    output.hint(error.hint());
                    return Ok(cache);
                }
                Err(error @ BackfillError::Width { .. }) => {
                    return Err(Error::new(error.to_string())
                        .hint("`mem index --rebuild` embeds all notes again"));
                }
            }
        }
    }

    /// Rebuilds the graph over the vectors if it is due, or with `at_once` if it lacks any vector.
    pub fn maintain_graph(&self, cache: &Cache, at_once: bool) -> Result<()> {
        let from = match self.index.hnsw {
            Hnsw::Never => return Ok(()),
            Hnsw::Auto if !at_once => graph::MIN_ROWS_FOR_GRAPH,
            Hnsw::Auto | Hnsw::Always => 1,
        };
        if !graph::is_due(cache, from, at_once)? {
            return Ok(());
        }
        // This takes minutes for a large vault, so progress is shown even without a terminal.
        let progress = Progress::new(&self.env.output, "building the HNSW graph");
        progress.at(0, 1);
        let built = graph::build(cache, self.env.seed);
        drop(progress);
        match built {
            Err(CacheError::Vectors(error)) => {
                self.env.output.warn(&format!(
                    "no HNSW graph; searches scan all vectors: {error}"
                ));
                Ok(())
            }
            built => Ok(built?),
        }
    }

    /// Like [`Self::embed`], but only if the model is local and a note lacks vectors.
    ///
    /// For commands that are about to compare vectors.
    pub fn embed_at_once(&self, cache: Cache) -> Result<Cache> {
        let Some(embedder) = self.embedder() else {
            return Ok(cache);
        };
        if self.env.no_sync || !embedder.is_local() || self.unembedded_notes(&cache)? == 0 {
            return Ok(cache);
        }
        self.embed(cache)
    }

    /// Like [`Self::embed_at_once`], but leaves much text to `mem index` if the model is slow.
    ///
    /// For commands that should answer within a second.
    pub fn embed_few(&self, cache: Cache) -> Result<Cache> {
        let is_slow_and_local =
            |embedder: &dyn Embedder| embedder.is_local() && !embedder.is_immediate();
        if self.env.no_sync || !self.embedder().is_some_and(is_slow_and_local) {
            return self.embed_at_once(cache);
        }
        let pending = self.unembedded_notes(&cache)?;
        if pending == 0 {
            Ok(cache)
        } else if pending <= MAX_NOTES_BEFORE_ANSWER {
            self.embed_up_to(cache, Some(MAX_PASSAGES_BEFORE_ANSWER))
        } else {
            let cache = self.step_back_if_needed(cache)?;
            if self.uses_encoder() {
                Ok(cache)
            } else {
                self.embed_at_once(cache)
            }
        }
    }

    /// Returns the number of notes without vectors of the embedder.
    fn unembedded_notes(&self, cache: &Cache) -> Result<u32, CacheError> {
        let meta = cache.read()?.meta()?;
        let Some(embedder) = self.embedder_of(&meta) else {
            return Ok(0);
        };
        let model = meta.vectors.map(|file| file.model);
        let is_other = model.is_some_and(|model| model != embedder.model().id);
        Ok(if is_other { meta.notes } else { meta.pending })
    }

    /// Recreates vectors that a search found damaged, unless another process already did.
    ///
    /// A slow model may take hours, so this is left to `mem index`.
    pub(super) fn repair_vectors(&self, cache: Cache) -> Result<Cache> {
        let cache = self.discard_damaged_vectors(cache)?;
        self.embed_few(cache)
    }

    /// Discards damaged vectors with a message.
    fn discard_damaged_vectors(&self, cache: Cache) -> Result<Cache> {
        if vector_damage(&cache)?.is_none() {
            return Ok(cache);
        }
        let _lock = cache::lock(&self.homes.cache, &self.env.holder())?;
        // Another process may have recreated them meanwhile.
        let cache = self.current_cache(cache)?;
        if let Some(why) = vector_damage(&cache)? {
            self.env.output.say(&format!(
                "the vectors are unusable ({why}); embedding again"
            ));
            backfill::forget(&cache)?;
        }
        Ok(cache)
    }

    /// Returns the embedding of `text` with `dims` dimensions; on failure warns and returns `None`.
    pub fn query_vector(&self, text: &str, dims: usize) -> Option<Vec<f32>> {
        let embedder = self.embedder()?;
        let (why, hint) = match embedder.embed(&[text], EmbeddingPurpose::Query) {
            Ok(vectors) => {
                let vector = vectors.into_iter().next()?;
                if vector.len() == dims {
                    return Some(vector);
                }
                let (model, found) = (&embedder.model().id, vector.len());
                (
                    format!(
                        "`{model}` returns vectors of {found} dimensions, the index has {dims}"
                    ),
                    "`mem index --rebuild` embeds all notes again",
                )
            }
            Err(error) => {
                let options: embed::EmbedOptions = self.settings.of();
                self.env.failures().record(&options.url, &error);
                (error.to_string(), error.hint())
            }
        };
        let output = &self.env.output;
        output.warn(&format!("semantic search is off: {why}"));
        output.hint(hint);
        None
    }
}

/// Returns the damage of the vectors, if any, after checking all of them.
fn vector_damage(cache: &Cache) -> Result<Option<CacheError>, CacheError> {
    let file = cache.read()?.meta()?.vectors.filter(|file| file.rows > 0);
    let opened = file.map(|file| cache.vectors(&file));
    let error = match opened {
        Some(Ok(vectors)) => vectors.verify().err().map(CacheError::from),
        Some(Err(error)) => Some(error),
        None => None,
    };
    Ok(error.filter(CacheError::is_damage))
}
