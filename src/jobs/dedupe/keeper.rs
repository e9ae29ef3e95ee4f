//! Order of preference for the note that a merge keeps.
//!
//! The order ignores everything that a merge itself changes, such as file time and length after link updates.

use std::cmp::{Ordering, Reverse};

use crate::cache::Flags;
use crate::view::Entry;

/// A candidate keeper.
#[derive(Clone, Copy)]
pub(super) struct KeeperCandidate<'e> {
    pub(super) entry: &'e Entry,
    /// True if the file name marks it as a copy of another.
    pub(super) is_copy: bool,
    /// Number of words, without links.
    pub(super) words: usize,
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
        .then(b.words.cmp(&a.words))
        .then_with(|| x.as_str().len().cmp(&y.as_str().len()))
        .then_with(|| x.cmp(y))
}
