//! Notes that may answer: what the text index and the vectors bring, each asked about what the other
//! found.

use std::collections::{HashMap, HashSet};
use std::thread;

use super::failure::Failure;
use super::filters::Filters;
use super::mode::Mode;
use super::names::{Call, Names};
use super::semantic::SemanticQuery;
use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::cache::text::bm25::Weights;
use crate::cache::text::clause::Clause;
use crate::cache::text::reader::TextReader;
use crate::cache::text::search::Found;
use crate::cache::vectors::scan::RoughScan;
use crate::view::View;

/// How near one note has to be where no note has a word of the query.
const NEAR_IN_OTHER_WORDS: f32 = 0.25;
/// And where they are no words to the model, either: letters typed at random come as near as .43 to a
/// note of a garden, .51 of standards, .52 of 7,000 pages and .30 of a small vault.
const NEAR_LETTERS: f32 = 0.55;

/// A note that may answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Candidate {
    /// What its words score.
    pub(super) text: f32,
    /// How many clauses it has.
    pub(super) coverage: u16,
    /// The share of the query that it has, by rarity.
    pub(super) share: f32,
    /// Whether it has the words beside each other.
    pub(super) is_phrase: bool,
    pub(super) cosine: Option<f32>,
    /// Which of its passages is the nearest.
    pub(super) passage: Option<u32>,
    /// How it is called what was typed.
    pub(super) call: Option<Call>,
}

/// Notes that may answer, and what the text index said of its own.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) found: Found,
    pub(super) by_slot: HashMap<Slot, Candidate>,
}

/// Where candidates come from.
pub(super) struct Sources<'s> {
    pub(super) reader: &'s TextReader,
    pub(super) filters: &'s Filters<'s>,
    pub(super) wanted: &'s [Clause],
    /// The words asked for, as they were typed.
    pub(super) question: &'s str,
    pub(super) semantic: Option<&'s SemanticQuery<'s>>,
    pub(super) mode: Mode,
    pub(super) weights: &'s Weights,
}

impl Sources<'_> {
    /// Returns about `pool` candidates of each source.
    pub(super) fn candidates(
        &self,
        view: &View<'_>,
        mut names: Option<&mut Names<'_>>,
        pool: usize,
    ) -> Result<Candidates, CacheError> {
        let mut candidates = Candidates::default();
        if let Some(names) = names.as_deref_mut() {
            candidates.add_calls(names.known(self.reader)?);
        }
        let known: Vec<u64> = candidates.by_slot.keys().map(|&slot| slot.into()).collect();
        let failure = Failure::default();
        let mut near = Vec::new();
        let mut by_vectors = |scan: Option<RoughScan>| -> HashSet<u64> {
            let found = self
                .semantic
                .map(|semantic| semantic.nearest(view, self.filters, pool, scan));
            near = failure.or_default(found.transpose()).unwrap_or_default();
            let near = near.iter().map(|near| near.slot.into());
            near.chain(known.iter().copied()).collect()
        };
        let found = if self.semantic.is_some() && self.mode == Mode::Semantic {
            by_vectors(None);
            Found::default()
        } else {
            self.by_words(view, pool, &failure, by_vectors)?
        };
        candidates.add_words(&found);
        if let Some(names) = names {
            candidates.add_calls(names.among(candidates.having_all(found.clauses))?);
        }
        for near in failure.or(near)? {
            let candidate = candidates.by_slot.entry(near.slot).or_default();
            candidate.cosine = Some(near.cosine);
            candidate.passage = Some(near.passage);
        }
        candidates.found = found;
        if let Some(semantic) = self.semantic {
            candidates.complete(view, semantic)?;
        }
        Ok(candidates)
    }

    /// Returns how near one note has to be where no note has any of `words`.
    pub(super) fn least_cosine(&self, words: &[String]) -> f32 {
        let knows = |semantic: &SemanticQuery<'_>| {
            let mut words = words.iter();
            words.any(|word| semantic.embedder.knows(word))
        };
        match self.semantic {
            // What a server knows is not asked.
            Some(semantic) if semantic.embedder.is_immediate() && !knows(semantic) => NEAR_LETTERS,
            _ => NEAR_IN_OTHER_WORDS,
        }
    }

    /// Looks the words up while the vectors are compared.
    fn by_words(
        &self,
        view: &View<'_>,
        pool: usize,
        failure: &Failure,
        by_vectors: impl FnOnce(Option<RoughScan>) -> HashSet<u64>,
    ) -> Result<Found, CacheError> {
        let accept = |key: u64| failure.or_default(self.filters.admit(key as Slot));
        // Most vaults have nothing to hide; then the index need not ask about each of its matches.
        let is_open = self.filters.are_empty() && view.reading().meta()?.hideable == 0;
        let accept: Option<&dyn Fn(u64) -> bool> = if is_open { None } else { Some(&accept) };
        let found = thread::scope(|scope| {
            let scan = self
                .semantic
                .and_then(|semantic| semantic.measuring(scope, pool));
            let asked = || by_vectors(scan.and_then(|scan| scan.join().ok()));
            self.reader
                .search_and_score(self.wanted, self.weights, pool, accept, asked)
        });
        Ok(found?)
    }

    /// Returns how many notes have the words, regardless of the filters.
    pub(super) fn count_of_words(&self) -> Result<usize, CacheError> {
        let found = self.reader.search(self.wanted, self.weights, 1, None)?;
        Ok(found.total)
    }
}

impl Candidates {
    fn add_words(&mut self, found: &Found) {
        for scored in found.hits.iter().chain(&found.asked) {
            let candidate = self.by_slot.entry(scored.key as Slot).or_default();
            candidate.text = scored.score;
            candidate.coverage = scored.coverage;
            candidate.share = scored.share;
            candidate.is_phrase = scored.is_phrase;
        }
    }

    /// Returns those that have all `clauses` of the words.
    fn having_all(&self, clauses: usize) -> Vec<Slot> {
        let having = self
            .by_slot
            .iter()
            .filter(|(_, candidate)| usize::from(candidate.coverage) == clauses);
        having.map(|(&slot, _)| slot).collect()
    }

    fn add_calls(&mut self, calls: HashMap<Slot, Call>) {
        for (slot, call) in calls {
            self.by_slot.entry(slot).or_default().call = Some(call);
        }
    }

    /// Adds how near those are that have the words.
    fn complete(
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
