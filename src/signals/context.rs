//! What stands in the same folder speaks for a note.
//!
//! A session, a project, a topic has a folder of its own in most vaults, and a question is mostly
//! about one of them: a turn of a conversation that says little by itself is the answer because of
//! the turns around it. Where all notes stand in one folder nothing changes. For keywords it is not asked: over phrases of a garden they gain nothing by it.
//!
//! Only candidates are looked at: a folder has as much to say as its best notes.

use std::collections::HashMap;

/// What the folder's best notes count beside the note itself.
const SHARE: f32 = 0.6;

/// Returns what its folder says for each candidate, given the folder and the score of each.
pub fn contexts(candidates: &[(&str, f32)]) -> Vec<f32> {
    let mut best: HashMap<&str, [f32; 2]> = HashMap::new();
    for &(folder, score) in candidates {
        let [first, second] = best.entry(folder).or_default();
        if score > *first {
            *second = std::mem::replace(first, score);
        } else if score > *second {
            *second = score;
        }
    }
    let context = |&(folder, _): &(&str, f32)| SHARE * best[folder].iter().sum::<f32>() / 2.0;
    candidates.iter().map(context).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_best_speak_for_all() {
        for (candidates, expected) in [
            (&[("a", 0.5), ("b", 0.6)][..], &[0.15, 0.18][..]),
            (
                &[("a", 0.5), ("b", 0.6), ("a", 0.4), ("a", 0.5)],
                &[0.3, 0.18, 0.3, 0.3],
            ),
            (&[], &[]),
        ] {
            let found = contexts(candidates);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6, "{candidates:?}");
            }
        }
    }
}
