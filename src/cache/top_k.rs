//! Selects the best of many items without sorting or keeping all.

/// Keeps the `k` largest items, and all that equal the last of these.
#[derive(Debug)]
pub(super) struct TopK<T> {
    k: usize,
    items: Vec<T>,
    /// Number of items at which those below the `k` largest are dropped.
    capacity: usize,
    /// The `k`th largest item, once there are enough.
    floor: Option<T>,
}

impl<T: Ord + Copy> TopK<T> {
    pub(super) fn new(k: usize) -> Self {
        Self {
            k,
            items: Vec::new(),
            capacity: k.saturating_mul(2).max(1),
            floor: None,
        }
    }

    pub(super) fn offer(&mut self, item: T) {
        if self.floor.is_some_and(|floor| item < floor) {
            return;
        }
        self.items.push(item);
        if self.items.len() >= self.capacity {
            self.prune();
            self.capacity = self.capacity.max(self.items.len() * 2);
        }
    }

    /// Adds the items of another.
    pub(super) fn merge(&mut self, other: Self) {
        for item in other.items {
            self.offer(item);
        }
    }

    /// Returns the largest items, unordered.
    pub(super) fn into_vec(mut self) -> Vec<T> {
        self.prune();
        self.items
    }

    /// Returns the largest items, best first.
    pub(super) fn into_sorted(self) -> Vec<T> {
        let mut sorted = self.into_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        sorted
    }

    fn prune(&mut self) {
        let Some(last) = self.k.checked_sub(1) else {
            return self.items.clear();
        };
        if last < self.items.len() {
            let (_, &mut floor, _) = self.items.select_nth_unstable_by(last, |a, b| b.cmp(a));
            self.items.retain(|item| *item >= floor);
            self.floor = Some(floor);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::*;

    /// Compares by its first field only.
    #[derive(Clone, Copy, Debug)]
    struct ScoredItem(u8, usize);

    impl Ord for ScoredItem {
        fn cmp(&self, other: &Self) -> Ordering {
            self.0.cmp(&other.0)
        }
    }

    impl PartialOrd for ScoredItem {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl PartialEq for ScoredItem {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other) == Ordering::Equal
        }
    }

    impl Eq for ScoredItem {}

    proptest! {
        #[test]
        fn keeps_the_same_items_as_sorting(
            scores in prop::collection::vec(0..40_u8, 0..4000),
            k in 0..50_usize,
            cut in 0..4000_usize,
        ) {
            let mut sorted: Vec<ScoredItem> = (0..).zip(&scores).map(|(at, score)| ScoredItem(*score, at)).collect();
            let (mut first, mut second) = (TopK::new(k), TopK::new(k));
            for item in &sorted {
                let part = if item.1 < cut { &mut first } else { &mut second };
                part.offer(*item);
            }
            first.merge(second);
            sorted.sort_by(|a, b| b.cmp(a));
            let floor = k.checked_sub(1).and_then(|last| sorted.get(last)).copied();
            let is_kept = |item: &&ScoredItem| k > 0 && floor.is_none_or(|floor| **item >= floor);
            let numbers = |items: &mut dyn Iterator<Item = ScoredItem>| {
                let mut numbers: Vec<usize> = items.map(|item| item.1).collect();
                numbers.sort_unstable();
                numbers
            };
            let expected = numbers(&mut sorted.iter().filter(is_kept).copied());
            prop_assert_eq!(numbers(&mut first.into_vec().into_iter()), expected);
        }

        #[test]
        fn keeps_exactly_k_without_ties(
            items in prop::collection::btree_set(any::<u32>(), 0..300), k in 1..40_usize,
        ) {
            let mut top = TopK::new(k);
            for item in &items {
                top.offer(*item);
            }
            let expected: Vec<u32> = items.into_iter().rev().take(k).collect();
            prop_assert_eq!(top.into_sorted(), expected);
        }
    }
}
