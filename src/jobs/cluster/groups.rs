//! Which notes form a group: pure.

use std::collections::{HashMap, HashSet, VecDeque};

/// At most so many notes are of one group, unless any two may be of one.
const MOST: usize = 50;

/// Fewer are no group.
pub(super) const FEWEST: usize = 3;

/// Notes by their place in some order, and which of them are near each other.
#[derive(Debug, Default)]
pub(super) struct Nearness {
    near: HashMap<usize, Vec<(usize, f32)>>,
}

impl Nearness {
    pub(super) fn add(&mut self, a: usize, b: usize, cosine: f32) {
        for (from, to) in [(a, b), (b, a)] {
            let near = self.near.entry(from).or_default();
            if !near.iter().any(|(known, _)| *known == to) {
                near.push((to, cosine));
            }
        }
    }

    /// Returns the notes that are near another.
    pub(super) fn notes(&self) -> impl Iterator<Item = usize> {
        self.near.keys().copied()
    }

    /// Returns the groups, each ascending, in the order of their first notes. Any two of one group have
    /// to be `alike`; without that all that a chain of near notes joins is one.
    pub(super) fn groups(
        mut self,
        alike: Option<&dyn Fn(usize, usize) -> bool>,
    ) -> Vec<Vec<usize>> {
        for near in self.near.values_mut() {
            near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        }
        let mut centres: Vec<usize> = self.near.keys().copied().collect();
        // Around whom there are most, there is the middle of a group.
        centres.sort_unstable_by_key(|place| (usize::MAX - self.near[place].len(), *place));
        let mut grouped = HashSet::new();
        let mut groups = Vec::new();
        for centre in centres {
            if grouped.contains(&centre) {
                continue;
            }
            let mut group = self.around(centre, &grouped, alike);
            if group.len() >= FEWEST {
                grouped.extend(group.iter().copied());
                group.sort_unstable();
                groups.push(group);
            }
        }
        groups.sort_unstable();
        groups
    }

    fn around(
        &self,
        centre: usize,
        grouped: &HashSet<usize>,
        alike: Option<&dyn Fn(usize, usize) -> bool>,
    ) -> Vec<usize> {
        let mut group = vec![centre];
        let mut seen = HashSet::from([centre]);
        let mut next = VecDeque::from([centre]);
        while let Some(from) = next.pop_front() {
            for (to, _) in &self.near[&from] {
                if grouped.contains(to) || !seen.insert(*to) {
                    continue;
                }
                let fits = alike.is_none_or(|alike| {
                    group.len() < MOST && group.iter().all(|known| alike(*known, *to))
                });
                if fits {
                    group.push(*to);
                    next.push_back(*to);
                }
            }
        }
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(
        edges: &[(usize, usize)],
        alike: Option<&dyn Fn(usize, usize) -> bool>,
    ) -> Vec<Vec<usize>> {
        let mut nearness = Nearness::default();
        for (a, b) in edges {
            nearness.add(*a, *b, 0.9);
        }
        nearness.groups(alike)
    }

    #[test]
    fn a_chain_is_one_group_unless_its_ends_are_strangers() {
        let chain = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (8, 9)];
        assert_eq!(groups(&chain, None), [vec![0, 1, 2, 3, 4, 5]]);
        let alike = |a: usize, b: usize| a.abs_diff(b) <= 2;
        assert_eq!(groups(&chain, Some(&alike)), [[0, 1, 2], [3, 4, 5]]);
        assert!(groups(&chain, Some(&|_, _| false)).is_empty());
        assert!(groups(&[], None).is_empty());
        let pair = [(0, 1), (1, 0)];
        assert!(groups(&pair, None).is_empty());
    }
}
