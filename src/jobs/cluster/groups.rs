//! Forms groups of similar notes; pure.

use std::collections::{HashMap, HashSet, VecDeque};

/// Maximum number of notes per group, if any two must be similar.
const MAX_GROUP_SIZE: usize = 50;

/// Minimum number of notes per group.
pub(super) const MIN_GROUP_SIZE: usize = 3;

/// Similarity graph over note positions.
#[derive(Debug, Default)]
pub(super) struct SimilarityGraph {
    near: HashMap<usize, Vec<(usize, f32)>>,
}

impl SimilarityGraph {
    /// Adds an edge; repeated edges keep one cosine.
    pub(super) fn add(&mut self, a: usize, b: usize, cosine: f32) {
        for (from, to) in [(a, b), (b, a)] {
            self.near.entry(from).or_default().push((to, cosine));
        }
    }

    /// Returns the notes with at least one neighbour.
    pub(super) fn notes(&self) -> impl Iterator<Item = usize> {
        self.near.keys().copied()
    }

    /// Returns the groups, each ascending, ordered by their first notes. Any two notes of a group must be `alike`;
    /// without that condition a group is a connected component.
    pub(super) fn groups(
        mut self,
        alike: Option<&dyn Fn(usize, usize) -> bool>,
    ) -> Vec<Vec<usize>> {
        for near in self.near.values_mut() {
            // A note may be near all others: deduplicate by sorting instead of a search per pair.
            near.sort_by_key(|(to, _)| *to);
            near.dedup_by_key(|(to, _)| *to);
            near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        }
        let mut centres: Vec<usize> = self.near.keys().copied().collect();
        // Notes with the most neighbours are the centres of groups.
        centres.sort_unstable_by_key(|place| (usize::MAX - self.near[place].len(), *place));
        let mut grouped = HashSet::new();
        let mut groups = Vec::new();
        for centre in centres {
            if grouped.contains(&centre) {
                continue;
            }
            let mut group = self.grow_group(centre, &grouped, alike);
            if group.len() >= MIN_GROUP_SIZE {
                grouped.extend(group.iter().copied());
                group.sort_unstable();
                groups.push(group);
            }
        }
        groups.sort_unstable();
        groups
    }

    fn grow_group(
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
                if alike.is_some() && group.len() == MAX_GROUP_SIZE {
                    return group;
                }
                if grouped.contains(to) || !seen.insert(*to) {
                    continue;
                }
                let fits = alike.is_none_or(|alike| group.iter().all(|known| alike(*known, *to)));
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
    use proptest::prelude::*;

    use super::*;

    fn groups(
        edges: &[(usize, usize)],
        alike: Option<&dyn Fn(usize, usize) -> bool>,
    ) -> Vec<Vec<usize>> {
        let mut similarity_graph = SimilarityGraph::default();
        for (a, b) in edges {
            similarity_graph.add(*a, *b, 0.9);
        }
        similarity_graph.groups(alike)
    }

    #[test]
    fn chains_split_if_their_ends_are_dissimilar() {
        let chain = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (8, 9)];
        assert_eq!(groups(&chain, None), [vec![0, 1, 2, 3, 4, 5]]);
        let alike = |a: usize, b: usize| a.abs_diff(b) <= 2;
        assert_eq!(groups(&chain, Some(&alike)), [[0, 1, 2], [3, 4, 5]]);
        assert!(groups(&chain, Some(&|_, _| false)).is_empty());
        assert!(groups(&[], None).is_empty());
        let pair = [(0, 1), (1, 0)];
        assert!(groups(&pair, None).is_empty());
    }

    #[test]
    fn thousands_of_similar_notes_take_linear_time() {
        let started = std::time::Instant::now();
        let edges: Vec<(usize, usize)> = (1..100_000).map(|at| (0, at)).collect();
        let alike = |_: usize, _: usize| true;
        let largest = groups(&edges, Some(&alike)).into_iter().next().unwrap();
        assert_eq!(largest.len(), MAX_GROUP_SIZE);
        // Seconds in a debug build, minutes were it quadratic.
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }

    /// Reference implementation: checks each pair before adding it, and never stops early.
    fn groups_by_definition(
        edges: &[(usize, usize, f32)],
        alike: Option<&dyn Fn(usize, usize) -> bool>,
    ) -> Vec<Vec<usize>> {
        let mut near: HashMap<usize, Vec<(usize, f32)>> = HashMap::new();
        for (a, b, cosine) in edges {
            for (from, to) in [(*a, *b), (*b, *a)] {
                let known = near.entry(from).or_default();
                if !known.iter().any(|(known, _)| *known == to) {
                    known.push((to, *cosine));
                }
            }
        }
        for near in near.values_mut() {
            near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        }
        let mut centres: Vec<usize> = near.keys().copied().collect();
        centres.sort_unstable_by_key(|place| (usize::MAX - near[place].len(), *place));
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for centre in centres {
            let grouped = |at: &usize| groups.iter().any(|group| group.contains(at));
            if grouped(&centre) {
                continue;
            }
            let (mut group, mut seen) = (vec![centre], vec![centre]);
            let mut at = 0;
            while at < group.len() {
                for (to, _) in &near[&group[at]] {
                    if grouped(to) || seen.contains(to) {
                        continue;
                    }
                    seen.push(*to);
                    let fits = alike.is_none_or(|alike| {
                        group.len() < MAX_GROUP_SIZE && group.iter().all(|known| alike(*known, *to))
                    });
                    if fits {
                        group.push(*to);
                    }
                }
                at += 1;
            }
            if group.len() >= MIN_GROUP_SIZE {
                group.sort_unstable();
                groups.push(group);
            }
        }
        groups.sort_unstable();
        groups
    }

    proptest! {
        #[test]
        fn groups_match_the_reference_implementation(
            edges in prop::collection::vec((0..90_usize, 0..90_usize, 0..9_u8), 0..400),
            hub in prop::option::of(0..90_usize),
            apart in 1..90_usize,
        ) {
            let non_loops = edges.into_iter().filter(|(a, b, _)| a != b);
            let edges = non_loops.map(|(a, b, cosine)| (a, b, f32::from(cosine) / 10.0));
            let of_hub = hub.into_iter().flat_map(|hub| {
                let others = (0..90).filter(move |other| *other != hub);
                others.map(move |other| (other, hub, 0.95))
            });
            let edges: Vec<(usize, usize, f32)> = edges.chain(of_hub).collect();
            let alike = |a: usize, b: usize| a.abs_diff(b) < apart;
            for alike in [None, Some(&alike as &dyn Fn(usize, usize) -> bool)] {
                let mut similarity_graph = SimilarityGraph::default();
                for (a, b, cosine) in &edges {
                    similarity_graph.add(*a, *b, *cosine);
                }
                prop_assert_eq!(similarity_graph.groups(alike), groups_by_definition(&edges, alike));
            }
        }
    }
}
