//! The best of many: keys that sort by cosine and then by row, and a sieve that keeps the largest.

use std::collections::BinaryHeap;

/// A row with its cosine as one number: larger is better, and of two equal cosines the lower row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64);

impl Key {
    pub(super) const LAST: Self = Self(0);

    pub(super) fn new(cosine: f32, row: u32) -> Self {
        Self(u64::from(ascending(cosine)) << 32 | u64::from(!row))
    }

    pub(super) fn row(self) -> u32 {
        !(self.0 as u32)
    }

    pub(super) fn cosine(self) -> f32 {
        let bits = (self.0 >> 32) as u32;
        f32::from_bits(if bits >> 31 == 1 {
            bits ^ 1 << 31
        } else {
            !bits
        })
    }
}

/// Returns a number that grows with `x`.
fn ascending(x: f32) -> u32 {
    // Zero has two forms, which are equal.
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    }
}

/// Keeps the `size` largest of the keys it is offered.
#[derive(Debug)]
pub(super) struct Sieve {
    /// Up to twice as many, so that they are looked through only now and then.
    keys: Vec<Key>,
    size: usize,
    floor: Key,
}

impl Sieve {
    /// Keeps the largest `size`, at least one.
    pub(super) fn new(size: usize) -> Self {
        Self {
            keys: Vec::new(),
            size: size.max(1),
            floor: Key::LAST,
        }
    }

    pub(super) fn offer(&mut self, key: Key) {
        if key > self.floor {
            self.keys.push(key);
            if self.keys.len() >= self.size * 2 {
                self.shrink();
            }
        }
    }

    /// Takes in the keys of another.
    pub(super) fn join(&mut self, other: Self) {
        for key in other.keys {
            self.offer(key);
        }
    }

    /// Returns the largest keys, the best of them on top.
    pub(super) fn into_heap(mut self) -> BinaryHeap<Key> {
        if self.keys.len() > self.size {
            self.shrink();
        }
        self.keys.into()
    }

    /// Returns the largest keys, best first.
    pub(super) fn into_best(self) -> Vec<Key> {
        let mut keys = self.into_heap().into_vec();
        keys.sort_unstable_by(|a, b| b.cmp(a));
        keys
    }

    fn shrink(&mut self) {
        let (_, last, _) = self
            .keys
            .select_nth_unstable_by(self.size - 1, |a, b| b.cmp(a));
        self.floor = *last;
        self.keys.truncate(self.size);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_key_keeps_what_it_was_made_of() {
        for cosine in [-1.0, -0.5, -f32::MIN_POSITIVE, 0.0, 0.25, 1.0] {
            for row in [0, 1, 7_000_000, u32::MAX] {
                let key = Key::new(cosine, row);
                assert_eq!((key.cosine(), key.row()), (cosine, row));
                assert!(Key::LAST < key);
            }
        }
        assert_eq!(Key::new(0.0, 1), Key::new(-0.0, 1));
    }

    proptest! {
        #[test]
        fn keys_sort_by_cosine_and_then_by_row(a in -1.0f32..1.0, b in -1.0f32..1.0, i: u32, j: u32) {
            let expected = a.total_cmp(&b).then(j.cmp(&i));
            prop_assert_eq!(Key::new(a, i).cmp(&Key::new(b, j)), expected);
        }

        #[test]
        fn a_sieve_keeps_the_largest(
            cosines in proptest::collection::vec((0u8..5).prop_map(f32::from), 0..200),
            size in 1usize..40,
            cut in 0usize..200,
        ) {
            let keys: Vec<Key> = (0u32..).zip(&cosines).map(|(row, x)| Key::new(*x, row)).collect();
            let (mut first, mut second) = (Sieve::new(size), Sieve::new(size));
            for (place, key) in keys.iter().enumerate() {
                let sieve = if place < cut { &mut first } else { &mut second };
                sieve.offer(*key);
            }
            first.join(second);
            let mut expected = keys;
            expected.sort_unstable_by(|a, b| b.cmp(a));
            expected.truncate(size);
            expected.reverse();
            prop_assert_eq!(first.into_heap().into_sorted_vec(), expected);
        }
    }
}
