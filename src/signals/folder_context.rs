//! Scores a note by the best notes in its folder.
//!
//! In most vaults a session, project or topic has its own folder, and a question concerns one of
//! them. A short turn of a conversation is often the answer because of its neighbours. In a vault
//! with one folder nothing changes. Keyword queries do not use it: phrases of a garden gained
//! nothing.
//!
//! Only candidates count, because a folder is as relevant as its best notes.

use std::collections::HashMap;

/// Weight of the folder's best notes relative to the note itself.
const FOLDER_WEIGHT: f32 = 0.6;

/// Returns the folder's contribution for each candidate, given as folder and score.
pub fn folder_scores(candidates: &[(&str, f32)]) -> Vec<f32> {
    let mut best: HashMap<&str, [f32; 2]> = HashMap::new();
    for &(folder, score) in candidates {
        let [first, second] = best.entry(folder).or_default();
        if score > *first {
            *second = std::mem::replace(first, score);
        } else if score > *second {
            *second = score;
        }
    }
    let context =
        |&(folder, _): &(&str, f32)| FOLDER_WEIGHT * best[folder].iter().sum::<f32>() / 2.0;
    candidates.iter().map(context).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_score_is_mean_of_its_two_best() {
        for (candidates, expected) in [
            (&[("a", 0.5), ("b", 0.6)][..], &[0.15, 0.18][..]),
            (
                &[("a", 0.5), ("b", 0.6), ("a", 0.4), ("a", 0.5)],
                &[0.3, 0.18, 0.3, 0.3],
            ),
            (&[], &[]),
        ] {
            let found = folder_scores(candidates);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6, "{candidates:?}");
            }
        }
    }
}
