//! Pairs of notes that may be about the same, without comparing every note with every other.
//!
//! With vectors these are the nearest notes; without, those that share words of titles or tags that few
//! have.

use std::cell::OnceCell;
use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::lexicon::{LEXICON, Role};
use super::options::Options;
use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::cache::vectors::neighbours::Neighbourhood;
use crate::note::words::english::stem;
use crate::note::words::tokens::runs;
use crate::view::near::Near;
use crate::view::{Entry, View};

/// Of a note of more words only sentences count that are nearly the same in the other.
const BRIEF: u32 = super::account::BRIEF as u32;
/// Two notes of which one is long share no such sentences below this cosine.
const LEAST_LONG: f32 = 0.5;
/// A word of so many titles says little about any of them.
const COMMON: usize = 64;

/// Tells which notes may be about the same.
pub(super) struct Candidates<'c> {
    entries: &'c [Entry],
    options: &'c Options,
    /// Where the note of a slot stands in `entries`.
    positions: HashMap<Slot, usize>,
    near: Option<&'c Near>,
    /// The entries as vectors, read when the first is looked for.
    among: OnceCell<Neighbourhood>,
    /// Only without vectors.
    words: Option<Words>,
}

/// The words of titles and tags.
struct Words {
    /// Those of each note.
    of: Vec<Vec<u64>>,
    /// The notes that have each.
    having: HashMap<u64, Vec<usize>>,
}

impl<'c> Candidates<'c> {
    /// Reads what is needed to look among `entries`.
    pub(super) fn new(
        view: &'c View<'_>,
        entries: &'c [Entry],
        options: &'c Options,
    ) -> Result<Self, CacheError> {
        let positions = entries.iter().enumerate();
        Ok(Self {
            entries,
            options,
            near: view.near(),
            among: OnceCell::new(),
            positions: positions.map(|(at, entry)| (entry.slot, at)).collect(),
            words: match view.near() {
                Some(_) => None,
                None => Some(Words::of(view, entries)?),
            },
        })
    }

    /// Returns where the note of `slot` stands among the entries.
    pub(super) fn position(&self, slot: Slot) -> Option<usize> {
        self.positions.get(&slot).copied()
    }

    /// Returns, for each of `seeds`, the notes that it may be about the same as, the likeliest first;
    /// seeds without any are left out.
    pub(super) fn near(&self, seeds: &[usize]) -> HashMap<usize, Vec<usize>> {
        if let Some(words) = &self.words {
            let near = seeds
                .iter()
                .map(|seed| (*seed, words.near(*seed, self.options.near)));
            return near.collect();
        }
        let Some(near) = self.near else {
            return HashMap::new();
        };
        let among = self.among.get_or_init(|| near.among(self.entries));
        let mut slots: Vec<Slot> = seeds.iter().map(|at| self.entries[*at].slot).collect();
        slots.sort_unstable();
        let is_long = |at: usize| self.entries[at].row.words > BRIEF;
        among
            .neighbours(&slots, self.options.near, self.options.least)
            .into_iter()
            .filter_map(|neighbours| {
                let seed = self.position(neighbours.slot)?;
                let others = neighbours.near.iter().filter_map(|near| {
                    let other = self.position(near.slot)?;
                    let is_near = near.cosine >= LEAST_LONG || !is_long(seed) && !is_long(other);
                    is_near.then_some(other)
                });
                Some((seed, others.collect()))
            })
            .collect()
    }
}

impl Words {
    fn of(view: &View<'_>, entries: &[Entry]) -> Result<Self, CacheError> {
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

    /// Returns the `k` notes that share most with the one at `seed`, rare words counting more.
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
