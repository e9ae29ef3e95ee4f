//! Which of several notes that say the same is kept.

use std::cmp::Reverse;

use crate::cache::row::Flags;
use crate::view::Entry;

/// Orders notes, each with whether it is named like a copy of another, by who is kept: the better
/// one first.
pub(super) fn better(
    (a, a_is_copy): (&Entry, bool),
    (b, b_is_copy): (&Entry, bool),
) -> std::cmp::Ordering {
    let keep = |entry: &Entry| Reverse(entry.row.flags.has(Flags::KEEP));
    let tier = |entry: &Entry| Reverse(entry.row.flags.tier());
    let words = |entry: &Entry| Reverse(entry.row.words);
    let time = |entry: &Entry| Reverse(entry.row.stat.mtime_ns);
    keep(a)
        .cmp(&keep(b))
        .then_with(|| tier(a).cmp(&tier(b)))
        .then(a_is_copy.cmp(&b_is_copy))
        .then_with(|| words(a).cmp(&words(b)))
        .then_with(|| time(a).cmp(&time(b)))
        .then_with(|| a.path.as_str().len().cmp(&b.path.as_str().len()))
        .then_with(|| a.path.cmp(&b.path))
}

/// Returns true if `a` is named like a copy of `b`: `Tea (conflicted copy …)`, `Tea 1`, `Tea copy`.
pub(super) fn is_copy_of(a: &Entry, b: &Entry) -> bool {
    a.path
        .stem()
        .strip_prefix(b.path.stem())
        .is_some_and(|rest| {
            rest.starts_with([' ', '(', '-', '.', '_', '~']) && !rest.trim().is_empty()
        })
}
