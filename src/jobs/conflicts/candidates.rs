//! Candidate pairs: notes that may have the same subject, found without comparing all pairs.
//!
//! With vectors these are the nearest notes. Without, they are notes that share rare words of titles or tags.

use super::lexicon::{LEXICON, Role};
use super::options::Options;
use crate::jobs::pool::Pool;
use crate::jobs::prelude::*;
use crate::note::words::tokens::runs;

/// Longer notes are compared only by nearly identical sentences.
const BRIEF: u32 = super::account::BRIEF as u32;
/// Below this cosine two notes share no such sentences if one of them is long.
const LEAST_LONG: f32 = 0.5;
/// Words in more titles than this are ignored.
const COMMON: usize = 64;

/// Finds notes that may have the same subject.
pub(super) struct Candidates<'c, 'v, 'w> {
    pool: &'c Pool<'v, 'w>,
    options: &'c Options,
    /// Set only without vectors.
    words: Option<Words>,
}

/// Words of titles and tags.
struct Words {
    /// Word hashes of each note.
    of: Vec<Vec<u64>>,
    /// Note positions by word hash.
    having: HashMap<u64, Vec<usize>>,
}

impl<'c, 'v, 'w> Candidates<'c, 'v, 'w> {
    /// Builds the index of titles and tags if vectors are missing.
    pub(super) fn new(pool: &'c Pool<'v, 'w>, options: &'c Options) -> Result<Self> {
        let words = match pool.view.near() {
            Some(_) => None,
            None => Some(Words::of(pool.view, pool)?),
        };
        Ok(Self {
            pool,
            options,
            words,
        })
    }

    /// Returns the candidates of each seed, best first; seeds without candidates are omitted.
    pub(super) fn near(&self, seeds: &[usize]) -> HashMap<usize, Vec<usize>> {
        if let Some(words) = &self.words {
            let near = seeds
                .iter()
                .map(|seed| (*seed, words.near(*seed, self.options.near)));
            return near.collect();
        }
        let is_long = |at: usize| self.pool[at].row.words > BRIEF;
        let all = self
            .pool
            .neighbours(seeds, self.options.near, self.options.least);
        let all = all.into_iter().map(|(seed, others)| {
            let is_near = |(other, cosine): &(usize, f32)| {
                *cosine >= LEAST_LONG || !is_long(seed) && !is_long(*other)
            };
            let others = others.into_iter().filter(is_near);
            (seed, others.map(|(other, _)| other).collect())
        });
        all.collect()
    }
}

impl Words {
    fn of(view: &View<'_>, entries: &[Entry]) -> Result<Self> {
        let mut of = Vec::with_capacity(entries.len());
        let mut having: HashMap<u64, Vec<usize>> = HashMap::new();
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
                having.entry(*word).or_default().push(at);
            }
            of.push(words);
        }
        Ok(Self { of, having })
    }

    /// Returns the `k` notes with the highest overlap with `seed`, weighted by rarity of the words.
    fn near(&self, seed: usize, k: usize) -> Vec<usize> {
        let mut shared: HashMap<usize, f32> = HashMap::new();
        for word in &self.of[seed] {
            let others = self.having.get(word).map_or(&[][..], Vec::as_slice);
            if others.len() <= COMMON {
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
