//! Candidates of a query: retrieved from text index and vectors, each scored by both.

use std::collections::{HashMap, HashSet};
use std::thread;

use super::failure::FirstError;
use super::filters::Filters;
use super::mode::Mode;
use super::names::{NameMatch, NameMatcher};
use super::semantic::SemanticQuery;
use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::cache::text::clause::Clause;
use crate::cache::text::reader::TextReader;
use crate::cache::text::search::TextResults;
use crate::cache::vectors::scan::RoughScan;
use crate::view::View;

/// Minimum cosine of the best note if no note has any query word.
const MIN_COSINE_WITHOUT_WORDS: f32 = 0.25;
/// The same if the model does not know the words either. Random letters reach a cosine of .43 in a garden
/// vault, .51 in standards, .52 in 7,000 pages and .30 in a small vault.
const MIN_COSINE_UNKNOWN_WORDS: f32 = 0.55;

/// A note that could match.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Candidate {
    /// Text score.
    pub(super) text: f32,
    /// Number of matching clauses.
    pub(super) coverage: u16,
    /// Share of the query in the note, weighted by rarity.
    pub(super) share: f32,
    /// Whether the words are adjacent.
    pub(super) is_phrase: bool,
    pub(super) cosine: Option<f32>,
    /// Index of the nearest passage.
    pub(super) passage: Option<u32>,
    /// How a name matches the query.
    pub(super) name_match: Option<NameMatch>,
}

/// Candidates, and the result of the text index.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) found: TextResults,
    pub(super) by_slot: HashMap<Slot, Candidate>,
}

/// Sources of candidates.
pub(super) struct Sources<'s> {
    pub(super) reader: &'s TextReader,
    pub(super) filters: &'s Filters<'s>,
    pub(super) wanted: &'s [Clause],
    /// The words of the query as typed.
    pub(super) question: &'s str,
    pub(super) semantic: Option<&'s SemanticQuery<'s>>,
    pub(super) mode: Mode,
}

impl Sources<'_> {
    /// Returns about `pool` candidates of each source.
    pub(super) fn candidates(
        &self,
        view: &View<'_>,
        mut names: Option<&mut NameMatcher<'_>>,
        pool: usize,
    ) -> Result<Candidates, CacheError> {
        let mut candidates = Candidates::default();
        if let Some(names) = names.as_deref_mut() {
            candidates.add_name_matches(names.matching_in_catalog(self.reader)?);
        }
        let matched: Vec<u64> = candidates.by_slot.keys().map(|&slot| slot.into()).collect();
        let failure = FirstError::default();
        let mut near = Vec::new();
        let mut by_vectors = |scan: Option<RoughScan>| -> HashSet<u64> {
            let found = self
                .semantic
                .map(|semantic| semantic.nearest(view, self.filters, pool, scan));
            near = failure.or_default(found.transpose()).unwrap_or_default();
            let near = near.iter().map(|near| near.slot.into());
            near.chain(matched.iter().copied()).collect()
        };
        let found = if self.semantic.is_some() && self.mode == Mode::Semantic {
            by_vectors(None);
            TextResults::default()
        } else {
            self.by_words(view, pool, &failure, by_vectors)?
        };
        candidates.add_words(&found);
        if let Some(names) = names {
            candidates.add_name_matches(names.matching(candidates.having_all(found.clauses))?);
        }
        for near in failure.or(near)? {
            let candidate = candidates.by_slot.entry(near.slot).or_default();
            candidate.cosine = Some(near.cosine);
            candidate.passage = Some(near.passage);
        }
        candidates.found = found;
        if let Some(semantic) = self.semantic {
            candidates.add_cosines(view, semantic)?;
        }
        Ok(candidates)
    }

    /// Returns the minimum cosine of the best note if no note has any of `words`.
    pub(super) fn min_cosine_without_words(&self, words: &[String]) -> f32 {
        let is_unknown = |semantic: &SemanticQuery<'_>| {
            let mut words = words.iter();
            // Servers cannot report which words they know.
            words.all(|word| semantic.embedder.knows(word) == Some(false))
        };
        if self.semantic.is_some_and(is_unknown) {
            MIN_COSINE_UNKNOWN_WORDS
        } else {
            MIN_COSINE_WITHOUT_WORDS
        }
    }

    /// Searches the text index while another thread compares vectors.
    fn by_words(
        &self,
        view: &View<'_>,
        pool: usize,
        failure: &FirstError,
        by_vectors: impl FnOnce(Option<RoughScan>) -> HashSet<u64>,
    ) -> Result<TextResults, CacheError> {
        let accept = |key: u64| failure.or_default(self.filters.admits(key as Slot));
        // Most vaults have no hidden notes; the index then skips the per-match check.
        let is_open = self.filters.is_empty() && view.reading().meta()?.hideable == 0;
        let accept: Option<&dyn Fn(u64) -> bool> = if is_open { None } else { Some(&accept) };
        let found = thread::scope(|scope| {
            let scan = self
                .semantic
                .and_then(|semantic| semantic.start_scan(scope, pool));
            let asked = || by_vectors(scan.and_then(|scan| scan.join().ok()));
            self.reader
                .search_and_score(self.wanted, pool, accept, asked)
        });
        Ok(found?)
    }

    /// Returns how many notes match the text part, ignoring filters.
    pub(super) fn count_text_matches(&self) -> Result<usize, CacheError> {
        let found = self.reader.search(self.wanted, 1, None)?;
        Ok(found.total)
    }
}

impl Candidates {
    fn add_words(&mut self, found: &TextResults) {
        for scored in found.hits.iter().chain(&found.asked) {
            let candidate = self.by_slot.entry(scored.key as Slot).or_default();
            candidate.text = scored.score;
            candidate.coverage = scored.coverage;
            candidate.share = scored.share;
            candidate.is_phrase = scored.is_phrase;
        }
    }

    /// Returns the candidates with all `clauses`.
    fn having_all(&self, clauses: usize) -> Vec<Slot> {
        let having = self
            .by_slot
            .iter()
            .filter(|(_, candidate)| usize::from(candidate.coverage) == clauses);
        having.map(|(&slot, _)| slot).collect()
    }

    fn add_name_matches(&mut self, name_matches: HashMap<Slot, NameMatch>) {
        for (slot, name_match) in name_matches {
            self.by_slot.entry(slot).or_default().name_match = Some(name_match);
        }
    }

    /// Adds cosines to candidates that only the text index retrieved.
    fn add_cosines(
        &mut self,
        view: &View<'_>,
        semantic: &SemanticQuery<'_>,
    ) -> Result<(), CacheError> {
        for (slot, candidate) in &mut self.by_slot {
            if candidate.cosine.is_none()
                && let Some(near) = semantic.nearest_passage(view, *slot)?
            {
                candidate.cosine = Some(near.cosine);
                candidate.passage = Some(near.passage);
            }
        }
        Ok(())
    }
}
