//! Which of several notes that say the same is kept.
//!
//! By nothing that merging changes: what rewriting a link does to a file, its time and its length, does not
//! turn a merge around.

use std::cmp::{Ordering, Reverse};

use crate::cache::row::Flags;
use crate::view::Entry;

/// A note that may be kept.
#[derive(Clone, Copy)]
pub(super) struct Standing<'e> {
    pub(super) entry: &'e Entry,
    /// Whether it is named like a copy of another.
    pub(super) is_copy: bool,
    /// How many words it has, links aside.
    pub(super) words: usize,
}

/// Orders notes by who is kept: the better one first.
pub(super) fn better(a: Standing<'_>, b: Standing<'_>) -> Ordering {
    let keep = |note: Standing<'_>| Reverse(note.entry.row.flags.has(Flags::KEEP));
    let tier = |note: Standing<'_>| Reverse(note.entry.row.flags.tier());
    let (x, y) = (&a.entry.path, &b.entry.path);
    keep(a)
        .cmp(&keep(b))
        .then_with(|| tier(a).cmp(&tier(b)))
        .then(a.is_copy.cmp(&b.is_copy))
        .then(b.words.cmp(&a.words))
        .then_with(|| x.as_str().len().cmp(&y.as_str().len()))
        .then_with(|| x.cmp(y))
}
