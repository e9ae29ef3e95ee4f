//! Reciprocal rank fusion, which Ormah uses to combine lexical and semantic results.
//!
//! Σ wᵢ / (k + rankᵢ) over the lists that contain the item, with ranks from 1. `mem` adds scores
//! instead, which finds more on every set measured (`benches/RESULTS.md`). `recall.fusion =
//! "ranks"` selects rank fusion.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// Lexical and semantic scores.
    #[default]
    Scores,
    /// Reciprocal ranks.
    Ranks,
}

/// Returns the fused score of each item in the weighted `lists`.
pub fn by_places<T: Ord + Copy>(lists: &[(&[T], f64)], k: f64) -> BTreeMap<T, f64> {
    let mut all = BTreeMap::new();
    for (list, weight) in lists {
        for (rank, &item) in (1..).zip(*list) {
            *all.entry(item).or_default() += weight / (k + f64::from(rank));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::tests::cases;

    /// As computed by Ormah's own code (fixtures/README.txt).
    #[test]
    fn fusion_equals_ormah() {
        let all = cases(include_str!("../../fixtures/signals/ormah_rrf.tsv"));
        assert_eq!(all.len(), 60);
        for case in all {
            let lists: Vec<Vec<&str>> = case
                .text("lists")
                .split(' ')
                .map(|list| list.split(',').filter(|name| *name != "-").collect())
                .collect();
            let weighed: Vec<(&[&str], f64)> = lists
                .iter()
                .map(Vec::as_slice)
                .zip(case.numbers("weights"))
                .collect();
            let expected: BTreeMap<&str, f64> = case
                .text("expected")
                .split(' ')
                .filter_map(|pair| pair.split_once('='))
                .map(|(name, score)| (name, score.parse().unwrap()))
                .collect();
            let found = by_places(&weighed, case.of("k"));
            assert!(found.keys().eq(expected.keys()), "{case:?}: {found:?}");
            for (name, score) in found {
                assert!(
                    (score - expected[name]).abs() <= 1e-12,
                    "{case:?}: {name} {score}"
                );
            }
        }
    }
}
