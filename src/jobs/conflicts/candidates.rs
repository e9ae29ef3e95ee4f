//! Candidate pairs: notes that may have the same subject, found without comparing all pairs.
//!
//! With vectors these are the nearest notes. Notes without vectors, such as those in a language that the model
//! does not support, have notes as candidates that share rare words of titles or tags.

use super::lexicon::{LEXICON, Role};
use super::options::ConflictsOptions;
use crate::jobs::pool::Pool;
use crate::jobs::prelude::*;
use crate::note::words::tokens::runs;

/// Longer notes are compared only by nearly identical sentences.
const MAX_SHORT_NOTE_WORDS: u32 = super::parsed_note::MAX_SHORT_NOTE_WORDS as u32;
/// Below this cosine two notes share no such sentences if one of them is long.
const MIN_COSINE_OF_LONG: f32 = 0.5;
/// Words in more titles than this are ignored.
const MAX_NOTES_PER_WORD: usize = 64;

/// Finds notes that may have the same subject.
pub(super) struct CandidateSearch<'c, 'v, 'w> {
    pool: &'c Pool<'v, 'w>,
    options: &'c ConflictsOptions,
    /// Set only if notes have no vectors.
    words: Option<WordIndex>,
}

/// Words of titles and tags.
struct WordIndex {
    /// Word hashes of each note.
    words_of: Vec<Vec<u64>>,
    /// Note positions by word hash.
    notes_by_word: HashMap<u64, Vec<usize>>,
}

impl<'c, 'v, 'w> CandidateSearch<'c, 'v, 'w> {
    /// Builds the index of titles and tags if notes have no vectors.
    pub(super) fn new(pool: &'c Pool<'v, 'w>, options: &'c ConflictsOptions) -> Result<Self> {
        let needs_words = pool.view.near().is_none() || pool.iter().any(is_foreign_memory);
        let index = needs_words.then(|| WordIndex::of(pool.view, pool));
        let words = index.transpose()?;
        Ok(Self {
            pool,
            options,
            words,
        })
    }

    /// Returns the candidates of each seed, best first; seeds without candidates are omitted.
    pub(super) fn near(&self, seeds: &[usize]) -> HashMap<usize, Vec<usize>> {
        let by_words = |seed: usize| {
            let words = self.words.as_ref();
            words.map_or_else(Vec::new, |words| words.near(seed, self.options.near))
        };
        if self.pool.view.near().is_none() {
            return seeds.iter().map(|seed| (*seed, by_words(*seed))).collect();
        }
        let is_long = |at: usize| self.pool[at].row.words > MAX_SHORT_NOTE_WORDS;
        let mut all: HashMap<usize, Vec<usize>> = self
            .pool
            .neighbours(seeds, self.options.near, self.options.min_cosine)
            .into_iter()
            .map(|(seed, others)| {
                let is_near = |(other, cosine): &(usize, f32)| {
                    *cosine >= MIN_COSINE_OF_LONG || !is_long(seed) && !is_long(*other)
                };
                let others = others.into_iter().filter(is_near);
                (seed, others.map(|(other, _)| other).collect())
            })
            .collect();
        for &seed in seeds {
            let is_foreign = |at: usize| is_foreign_memory(&self.pool[at]);
            let mut others = by_words(seed);
            others.retain(|other| is_foreign(seed) || is_foreign(*other));
            if !others.is_empty() {
                all.entry(seed).or_default().extend(others);
            }
        }
        all
    }
}

/// Returns whether an agent wrote the note in a language without vectors.
fn is_foreign_memory(entry: &Entry) -> bool {
    entry.is_managed() && !entry.row.flags.language().is_english()
}

impl WordIndex {
    fn of(view: &View<'_>, entries: &[Entry]) -> Result<Self> {
        let mut words_of = Vec::with_capacity(entries.len());
        let mut notes_by_word: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            let details = view.details(entry.slot)?;
            let mut words = Vec::new();
            for run in runs(&details.title, |_, _, _| false) {
                let lower = details.title[run].to_lowercase();
                let stem = stem(&lower);
                let role = LEXICON.get(&lower, &stem).role;
                if !matches!(role, Role::Function | Role::Negation) {
                    words.push(xxh3_64(stem.as_bytes()));
                }
            }
            let tags = details.tags.iter();
            words.extend(tags.map(|tag| xxh3_64(format!("#{}", tag.to_lowercase()).as_bytes())));
            words.sort_unstable();
            words.dedup();
            for word in &words {
                notes_by_word.entry(*word).or_default().push(at);
            }
            words_of.push(words);
        }
        Ok(Self {
            words_of,
            notes_by_word,
        })
    }

    /// Returns the `k` notes with the highest overlap with `seed`, weighted by rarity of the words.
    fn near(&self, seed: usize, k: usize) -> Vec<usize> {
        let mut shared: HashMap<usize, f32> = HashMap::new();
        for word in &self.words_of[seed] {
            let others = self.notes_by_word.get(word).map_or(&[][..], Vec::as_slice);
            if others.len() <= MAX_NOTES_PER_WORD {
                for other in others.iter().filter(|other| **other != seed) {
                    *shared.entry(*other).or_default() += 1.0 / others.len() as f32;
                }
            }
        }
        let mut others: Vec<(usize, f32)> = shared.into_iter().collect();
        others.sort_unstable_by(|(a, x), (b, y)| y.total_cmp(x).then(a.cmp(b)));
        others.truncate(k);
        others.into_iter().map(|(other, _)| other).collect()
    }
}
