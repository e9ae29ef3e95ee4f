//! What changed between two sorted lists of notes.
//!
//! Pure: the index pass walks the vault and lists the catalog, and this says what to do.

use std::cmp::Ordering;

/// The difference of one name in two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference<O, N> {
    Added(N),
    /// In both, and not the same.
    Changed(O, N),
    Removed(O),
    Same(O),
}

/// Compares two lists sorted by `name` of each item, without repeats.
///
/// `same` decides for a name in both. The result is in the order of names.
pub fn diff<'n, O: Copy, N: Copy>(
    old: impl IntoIterator<Item = O>,
    new: impl IntoIterator<Item = N>,
    old_name: impl Fn(O) -> &'n str,
    new_name: impl Fn(N) -> &'n str,
    same: impl Fn(O, N) -> bool,
) -> Vec<Difference<O, N>> {
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    let mut differences = Vec::new();
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return differences,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(o), Some(n)) => old_name(*o).cmp(new_name(*n)),
        };
        differences.push(match order {
            Ordering::Less => Difference::Removed(old.next().expect("was peeked")),
            Ordering::Greater => Difference::Added(new.next().expect("was peeked")),
            Ordering::Equal => {
                let (o, n) = (
                    old.next().expect("was peeked"),
                    new.next().expect("was peeked"),
                );
                if same(o, n) {
                    Difference::Same(o)
                } else {
                    Difference::Changed(o, n)
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Few names and few values, so that every kind of difference happens often.
        #[test]
        fn following_the_differences_turns_old_into_new(
            old in prop::collection::btree_map("[a-d]{1,2}", 0..3u8, 0..12),
            new in prop::collection::btree_map("[a-d]{1,2}", 0..3u8, 0..12),
        ) {
            let mut followed = old.clone();
            let name = |entry: (&'static str, u8)| entry.0;
            let leak = |map: &BTreeMap<String, u8>| -> Vec<(&'static str, u8)> {
                map.iter().map(|(k, v)| (&*k.clone().leak(), *v)).collect()
            };
            for difference in diff(leak(&old), leak(&new), name, name, |o, n| o == n) {
                match difference {
                    Difference::Added((k, v)) => {
                        prop_assert!(followed.insert(k.to_owned(), v).is_none());
                    }
                    Difference::Changed((k, before), (_, v)) => {
                        prop_assert_eq!(followed.insert(k.to_owned(), v), Some(before));
                        prop_assert_ne!(before, v);
                    }
                    Difference::Removed((k, v)) => {
                        prop_assert_eq!(followed.remove(k), Some(v));
                    }
                    Difference::Same((k, v)) => prop_assert_eq!(followed.get(k), Some(&v)),
                }
            }
            prop_assert_eq!(followed, new);
        }
    }
}
