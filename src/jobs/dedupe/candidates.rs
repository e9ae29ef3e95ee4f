//! Pairs of notes worth comparing, without comparing every note with every other.

use std::collections::{BTreeMap, BTreeSet};

use crate::cache::row::Flags;
use crate::note::wording::BANDS;
use crate::view::Entry;

/// In a crowd of look-alikes each note is compared with so many others: enough to find a copy next
/// to it in the order of bodies, and never all pairs of a thousand notes from one template.
const NEIGHBOURS: usize = 8;

/// Returns pairs of indices into `entries`, the smaller first, in order, each once.
///
/// Two notes are a pair if they share a given title or a band of their sketch. Within a crowd that
/// shares one, notes are ordered by the hash of the body, so that equal bodies stand together.
pub(super) fn pairs(entries: &[Entry]) -> Vec<(usize, usize)> {
    let mut crowds: BTreeMap<(usize, u64), Vec<usize>> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        if entry.row.flags.has(Flags::UNREADABLE) {
            continue;
        }
        if entry.row.title != 0 {
            crowds.entry((BANDS, entry.row.title)).or_default().push(at);
        }
        for (band, value) in entry
            .row
            .bands
            .iter()
            .enumerate()
            .filter(|(_, value)| **value != 0)
        {
            crowds.entry((band, (*value).into())).or_default().push(at);
        }
    }
    let mut pairs = BTreeSet::new();
    for crowd in crowds.values_mut().filter(|crowd| crowd.len() > 1) {
        crowd.sort_unstable_by_key(|at| (entries[*at].row.body, *at));
        for (place, a) in crowd.iter().enumerate() {
            for b in crowd.iter().skip(place + 1).take(NEIGHBOURS) {
                pairs.insert((*a.min(b), *a.max(b)));
            }
        }
    }
    pairs.into_iter().collect()
}
