//! The notes that a job compares, with neighbours and texts by position.

use std::cell::OnceCell;
use std::ops::Deref;

use crate::cache::vectors::neighbours::Neighbourhood;
use crate::jobs::prelude::*;

/// Notes ordered by path. A position is an index into them.
pub(super) struct Pool<'v, 'w> {
    pub(super) view: &'v View<'w>,
    entries: Vec<Entry>,
    positions: HashMap<Slot, usize>,
    /// Vectors, loaded by the first search.
    neighbourhood: OnceCell<Neighbourhood>,
}

impl<'v, 'w> Pool<'v, 'w> {
    pub(super) fn new(view: &'v View<'w>, entries: Vec<Entry>) -> Self {
        let positions = entries.iter().enumerate();
        Self {
            view,
            positions: positions.map(|(at, entry)| (entry.slot, at)).collect(),
            entries,
            neighbourhood: OnceCell::new(),
        }
    }

    /// Returns the position of a note; `None` if it is not in the pool.
    pub(super) fn position(&self, slot: Slot) -> Option<usize> {
        self.positions.get(&slot).copied()
    }

    /// Returns the positions of the seeds, ascending.
    pub(super) fn seeds(&self, seeds: &Seeds) -> Vec<usize> {
        let entries = self.entries.iter().enumerate();
        let seeds = entries.filter(|(_, entry)| seeds.has(entry.slot));
        seeds.map(|(at, _)| at).collect()
    }

    /// Returns the `k` nearest notes with at least `min_cosine` for each of `positions` that has a vector, nearest
    /// first. Empty without vectors.
    pub(super) fn neighbours(
        &self,
        positions: &[usize],
        k: usize,
        min_cosine: f32,
    ) -> Vec<(usize, Vec<(usize, f32)>)> {
        let Some(near) = self.view.near() else {
            return Vec::new();
        };
        let mut slots: Vec<Slot> = positions.iter().map(|at| self[*at].slot).collect();
        slots.sort_unstable();
        let all = self.neighbourhood.get_or_init(|| near.among(&self.entries));
        let neighbours = all.neighbours(&slots, k, min_cosine).into_iter();
        let found = neighbours.map(|found| {
            let others = found
                .near
                .iter()
                .map(|other| (self.positions[&other.slot], other.cosine));
            (self.positions[&found.slot], others.collect())
        });
        found.collect()
    }

    /// Reads the notes at `positions` in parallel and maps their texts through `each`. Adds the reasons for
    /// unreadable notes to `skipped`.
    pub(super) fn texts<T: Send>(
        &self,
        positions: impl IntoIterator<Item = usize>,
        skipped: &mut Vec<String>,
        each: impl Fn(usize, &Entry, &str) -> T + Sync,
    ) -> BTreeMap<usize, T> {
        let positions: BTreeSet<usize> = positions.into_iter().collect();
        let notes: Vec<Entry> = positions.iter().map(|at| self[*at].clone()).collect();
        let at = &self.positions;
        let each = |entry: &Entry, text: &str| each(at[&entry.slot], entry, text);
        let mut read = BTreeMap::new();
        for (at, text) in positions.into_iter().zip(self.view.each_text(&notes, each)) {
            match text {
                Ok(text) => drop(read.insert(at, text)),
                Err(error) => {
                    let why = error.skipped().filter(|why| !skipped.contains(why));
                    skipped.extend(why);
                }
            }
        }
        read
    }

    /// Returns the bodies of the readable notes at `positions`.
    pub(super) fn bodies(
        &self,
        positions: impl IntoIterator<Item = usize>,
        skipped: &mut Vec<String>,
    ) -> BTreeMap<usize, String> {
        self.texts(positions, skipped, |_, _, text| {
            text[split::split(text).body].to_owned()
        })
    }
}

impl Deref for Pool<'_, '_> {
    type Target = [Entry];

    fn deref(&self) -> &[Entry] {
        &self.entries
    }
}
