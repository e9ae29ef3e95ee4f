//! The best of many candidates, without keeping all of them.

use std::cmp::Ordering;

use tantivy::DocId;

/// A note on its way into the answer.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) is_complete: bool,
    pub(super) score: f32,
    pub(super) coverage: u16,
    pub(super) segment: u32,
    pub(super) doc: DocId,
}

impl Candidate {
    /// Orders the better one first.
    fn order(&self, other: &Self) -> Ordering {
        other
            .is_complete
            .cmp(&self.is_complete)
            .then(other.score.total_cmp(&self.score))
    }
}

/// The best candidates seen so far and all that equal the last of them.
pub(super) struct Best {
    limit: usize,
    kept: Vec<Candidate>,
    /// The worst that still counts, once there are enough.
    bar: Option<Candidate>,
    /// How many are kept before the superfluous are dropped.
    room: usize,
}

impl Best {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            kept: Vec::new(),
            bar: None,
            room: limit.saturating_mul(4).max(1024),
        }
    }

    pub(super) fn offer(&mut self, candidate: Candidate) {
        let is_below = |bar: &Candidate| candidate.order(bar) == Ordering::Greater;
        if self.bar.as_ref().is_some_and(is_below) {
            return;
        }
        self.kept.push(candidate);
        if self.kept.len() == self.room {
            self.prune();
            self.room = self.room.max(self.kept.len() * 2);
        }
    }

    fn prune(&mut self) {
        let Some(last) = self.limit.checked_sub(1) else {
            return self.kept.clear();
        };
        if last < self.kept.len() {
            let (_, &mut bar, _) = self.kept.select_nth_unstable_by(last, Candidate::order);
            self.kept
                .retain(|candidate| candidate.order(&bar) != Ordering::Greater);
            self.bar = Some(bar);
        }
    }

    pub(super) fn finish(mut self) -> Vec<Candidate> {
        self.prune();
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keeps_what_sorting_would_keep(
            scores in prop::collection::vec((any::<bool>(), 0..40_u8), 0..4000),
            limit in 0..50_usize,
        ) {
            let candidate = |(doc, &(is_complete, score)): (usize, &(bool, u8))| Candidate {
                is_complete,
                score: f32::from(score),
                coverage: 1,
                segment: 0,
                doc: doc as DocId,
            };
            let mut sorted: Vec<_> = scores.iter().enumerate().map(candidate).collect();
            let mut best = Best::new(limit);
            for &one in &sorted {
                best.offer(one);
            }
            sorted.sort_by(Candidate::order);
            let is_kept = |one: &Candidate| {
                sorted.get(limit.wrapping_sub(1)).is_none_or(|bar| one.order(bar) != Ordering::Greater)
            };
            let expected = sorted.iter().filter(|one| limit > 0 && is_kept(one));
            let mut expected: Vec<_> = expected.map(|one| one.doc).collect();
            let mut kept: Vec<_> = best.finish().iter().map(|one| one.doc).collect();
            expected.sort_unstable();
            kept.sort_unstable();
            prop_assert_eq!(kept, expected);
        }
    }
}
