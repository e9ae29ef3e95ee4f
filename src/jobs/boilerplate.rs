//! What many notes of the vault say: the questions of a form, the keys of an infobox, navigation, a licence.
//!
//! Of one note it says little. What up to three notes have is theirs; what more have weighs the less, the more
//! pairs of notes it would speak for. Learned from all notes of the vault, whichever a run begins at;
//! copies of one note count once, by their names in its folder.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::Xxh3DefaultBuilder;

use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::note::filename::{telling, without_number};
use crate::note::hash::normal_hash;
use crate::note::segments::{Segment, Weights, each_segment};
use crate::view::{Entry, View};

/// What no more notes than this have is theirs: two versions of a note leave a third behind.
const FEW: usize = 3;

/// In how many notes the segments are.
#[derive(Debug, Default)]
pub(super) struct Boilerplate(HashMap<Segment, u32>);

impl Boilerplate {
    /// Learns of the segments of `bodies` in how many of the notes they are.
    pub(super) fn learn<'b>(
        view: &View<'_>,
        entries: &[Entry],
        bodies: impl Iterator<Item = &'b str>,
    ) -> Result<Self, CacheError> {
        let mut wanted: HashSet<Segment, Xxh3DefaultBuilder> = HashSet::default();
        for body in bodies {
            each_segment(body, |_, segment| {
                wanted.insert(segment);
            });
        }
        if wanted.is_empty() {
            return Ok(Self::default());
        }
        let mut holders: Vec<(Segment, Slot)> = Vec::new();
        view.reading().scan_segments(|slot, segment| {
            if wanted.contains(&segment) {
                holders.push((segment, slot));
            }
        })?;
        holders.sort_unstable();
        let entries: HashMap<Slot, &Entry> =
            entries.iter().map(|entry| (entry.slot, entry)).collect();
        let mut known = HashMap::new();
        let mut counts = HashMap::new();
        for holders in holders.chunk_by(|a, b| a.0 == b.0) {
            if holders.len() <= FEW {
                continue;
            }
            let named = holders.iter().filter_map(|(_, slot)| {
                let entry = entries.get(slot)?;
                Some(*known.entry(*slot).or_insert_with(|| Name::of(entry)))
            });
            let count = count(&named.collect::<Vec<_>>());
            if count > FEW {
                counts.insert(holders[0].0, count as u32);
            }
        }
        Ok(Self(counts))
    }

    /// Returns what a segment weighs that two notes share, 0–1.
    fn weight(&self, segment: Segment) -> f32 {
        let pairs = |notes: u32| notes as f32 * (notes - 1) as f32;
        let notes = self.0.get(&segment);
        notes.map_or(1.0, |notes| pairs(FEW as u32) / pairs(*notes))
    }

    /// Returns what the segments of `body` weigh.
    pub(super) fn weights(&self, body: &str) -> Weights {
        let mut weights = Vec::new();
        each_segment(body, |span, segment| {
            let weight = self.weight(segment);
            if weight < 1.0 {
                weights.push((span, weight));
            }
        });
        Weights(weights)
    }
}

/// What copies of a note have in common: folder and name.
#[derive(Clone, Copy)]
struct Name {
    /// Of folder and name, or else the text.
    hash: u64,
    /// Without a number at its end.
    base: Option<u64>,
}

impl Name {
    fn of(entry: &Entry) -> Self {
        let name = telling(entry.path.stem());
        let path = entry.path.as_str();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let of = |name: &str| normal_hash(&format!("{folder}/{name}"));
        Self {
            hash: if name.is_empty() {
                entry.row.body
            } else {
                of(&name)
            },
            base: without_number(&name).map(of),
        }
    }
}

/// Returns how many notes have these names: `Tea 1` beside `Tea` is a copy.
fn count(names: &[Name]) -> usize {
    let all: HashSet<u64> = names.iter().map(|name| name.hash).collect();
    let is_copy = |name: &&Name| name.base.is_some_and(|base| all.contains(&base));
    let copies: HashSet<u64> = names.iter().filter(is_copy).map(|name| name.hash).collect();
    all.len() - copies.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::scene::Scene;

    #[test]
    fn what_many_notes_share_weighs_little() {
        let weights = |names: &[&str]| {
            let trees = ["Ash", "Elm", "Fir", "Yew", "Oak"];
            let notes = names.iter().zip(trees);
            let notes =
                notes.map(|(name, tree)| (format!("{name}.md"), format!("# Form\n\n{tree}.\n")));
            let scene = Scene::new(notes);
            let view = scene.view(false);
            let entries = view.entries().unwrap();
            let body = "# Form\n\nAsh.\n";
            let learned = Boilerplate::learn(&view, &entries, [body].into_iter()).unwrap();
            let weights = learned.weights(body);
            weights
                .0
                .into_iter()
                .map(|(_, weight)| weight)
                .collect::<Vec<f32>>()
        };
        assert_eq!(weights(&["a", "b", "c"]), Vec::<f32>::new());
        assert_eq!(weights(&["a", "b", "c", "d"]), [0.5]);
        assert_eq!(weights(&["a", "b", "c", "d", "e"]), [0.3]);
        // Copies of one note.
        assert_eq!(
            weights(&["a", "a 1", "a 2", "a (copy)", "b"]),
            Vec::<f32>::new()
        );
        assert_eq!(weights(&["part 1", "part 2", "part 3", "part 4"]), [0.5]);
    }
}
