//! Order of preference for the note that a merge keeps.
//!
//! The order ignores everything that a merge itself changes, such as file time and length after link updates.

use std::cmp::{Ordering, Reverse};

use crate::jobs::pool::Pool;
use crate::jobs::prelude::*;
use crate::note;

/// A candidate keeper.
#[derive(Clone, Copy)]
pub(super) struct KeeperCandidate<'e> {
    pub(super) entry: &'e Entry,
    /// True if the file name marks it as a copy of another.
    pub(super) is_copy: bool,
    pub(super) measure: KeeperMeasure,
}

/// What a note contributes, and how much others need it.
#[derive(Clone, Copy, Default)]
pub(super) struct KeeperMeasure {
    /// Number of words, without links.
    pub(super) words: usize,
    /// Number of notes that link to it. A merge only adds to those of the keeper.
    pub(super) linking: usize,
}

/// Compares candidates; the better keeper comes first.
pub(super) fn compare_keepers(a: KeeperCandidate<'_>, b: KeeperCandidate<'_>) -> Ordering {
    let keep = |note: KeeperCandidate<'_>| Reverse(note.entry.row.flags.has(Flags::KEEP));
    let tier = |note: KeeperCandidate<'_>| Reverse(note.entry.row.flags.tier());
    let (x, y) = (&a.entry.path, &b.entry.path);
    keep(a)
        .cmp(&keep(b))
        .then_with(|| tier(a).cmp(&tier(b)))
        .then(a.is_copy.cmp(&b.is_copy))
        .then(b.measure.words.cmp(&a.measure.words))
        .then(b.measure.linking.cmp(&a.measure.linking))
        .then_with(|| x.as_str().len().cmp(&y.as_str().len()))
        .then_with(|| x.cmp(y))
}

/// Measures the notes at `places`. Words of links do not count: a merge may rewrite them.
pub(super) fn measures(
    pool: &Pool<'_, '_>,
    places: impl IntoIterator<Item = usize>,
) -> Result<BTreeMap<usize, KeeperMeasure>> {
    // Unreadable notes were already reported.
    let words = pool.texts(places, &mut Vec::new(), |_, entry, text| {
        words_beside_links(text, entry.path.stem())
    });
    let measure = |(at, words)| {
        let linking = pool.view.linking_to(&pool[at])?.len();
        Ok((at, KeeperMeasure { words, linking }))
    };
    words.into_iter().map(measure).collect()
}

/// Returns the number of words in the body, without links.
fn words_beside_links(text: &str, stem: &str) -> usize {
    let note = note::read(text, stem);
    let count = |text: &str| {
        let mut words = 0;
        each_word(text, |_, _| words += 1);
        words
    };
    let links = note.links.iter().filter(|link| link.property.is_none());
    let of_links: usize = links.map(|link| count(&text[link.span.clone()])).sum();
    count(&text[note.body]).saturating_sub(of_links)
}
