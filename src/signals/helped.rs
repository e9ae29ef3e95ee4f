//! Context match: similarity of a question to those that a note helped with.
//!
//! OwnSona stores one vector per note: the first question's, then .7·old + .3·new. mem stores the
//! questions and computes the centroid, so that people can read them and a change of model loses
//! nothing.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{section, values};

/// Maximum questions stored per note; the newest are kept.
pub const MAX_QUESTIONS_PER_NOTE: usize = 16;

section! {
    #[derive(Copy)]
    pub struct ContextOptions: "context" {
        /// whether to store the questions given to `mem reinforce`; use false if the vault is
        /// published
        keep: bool = true, values::BOOLEAN;
        /// how to weight the questions that a note helped with: by reward, or newer ones more
        blend: QuestionWeighting, "\"reward\" or \"newest\"";
        /// weight of the newest question, with `blend = "newest"`
        newest: f64 = 0.3, 0.0..=1.0;
    }
}

/// Weighting of the questions that a note helped with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionWeighting {
    /// By reward.
    #[default]
    Reward,
    /// The newest weighs `newest`, all earlier ones together the rest.
    Newest,
}

/// A question that a note helped with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HelpedQuestion {
    pub question: String,
    /// The reward.
    pub weight: f64,
    /// When, in seconds since 1970.
    pub at: i64,
}

/// Keeps the newest [`MAX_QUESTIONS_PER_NOTE`] of `helped`, oldest first.
///
/// A repeated question counts once, at its latest time.
pub fn keep_newest(helped: &mut Vec<HelpedQuestion>) {
    let order = |a: &HelpedQuestion, b: &HelpedQuestion| {
        let by_time = a.at.cmp(&b.at).then_with(|| a.question.cmp(&b.question));
        by_time.then_with(|| a.weight.total_cmp(&b.weight))
    };
    helped.sort_by(order);
    let mut seen = HashSet::new();
    let mut newest: Vec<HelpedQuestion> = std::mem::take(helped)
        .into_iter()
        .rev()
        .filter(|helped| seen.insert(helped.question.clone()))
        .take(MAX_QUESTIONS_PER_NOTE)
        .collect();
    newest.reverse();
    *helped = newest;
}

/// Returns the similarity of a question to those that a note helped with, 0–1, given their vectors
/// and weights, oldest first. A negative cosine counts as 0, like no information.
pub fn context_match(
    question: &[f32],
    helped: &[(Vec<f32>, f64)],
    options: &ContextOptions,
) -> f64 {
    let centroid = centroid(helped, options);
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let question: Vec<f64> = question.iter().copied().map(f64::from).collect();
    let norms = (dot(&question, &question) * dot(&centroid, &centroid)).sqrt();
    if norms > 0.0 {
        (dot(&question, &centroid) / norms).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

fn centroid(helped: &[(Vec<f32>, f64)], options: &ContextOptions) -> Vec<f64> {
    let width = helped.first().map_or(0, |(vector, _)| vector.len());
    let mut centroid = vec![0.0; width];
    for (at, (vector, weight)) in helped.iter().enumerate() {
        let share = match options.blend {
            QuestionWeighting::Reward => *weight,
            // Each later question reduced the weight of this one by `1 - newest`.
            QuestionWeighting::Newest => {
                let since = helped.len() - 1 - at;
                let own = if at == 0 { 1.0 } else { options.newest };
                own * (1.0 - options.newest).powi(i32::try_from(since).unwrap_or(i32::MAX))
            }
        };
        for (sum, value) in centroid.iter_mut().zip(vector) {
            *sum += share * f64::from(*value);
        }
    }
    centroid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_weighting_equals_ownsona() {
        let options = ContextOptions {
            blend: QuestionWeighting::Newest,
            ..ContextOptions::default()
        };
        let vectors = [
            [1.0, 0.0, 0.5],
            [0.0, 1.0, -0.5],
            [0.3, 0.3, 0.1],
            [-1.0, 0.2, 0.0],
        ];
        let mut sequential = vectors[0].map(f64::from);
        let mut helped = vec![(vectors[0].to_vec(), 1.0)];
        for vector in &vectors[1..] {
            for (old, new) in sequential.iter_mut().zip(vector) {
                *old = 0.7 * *old + 0.3 * f64::from(*new);
            }
            helped.push((vector.to_vec(), 0.1));
            for (found, expected) in centroid(&helped, &options).iter().zip(sequential) {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }
        let faster = ContextOptions {
            newest: 0.9,
            ..options
        };
        assert!(centroid(&helped, &faster)[0] < -0.8);
    }

    #[test]
    fn reward_weighting_prefers_higher_rewards() {
        let options = ContextOptions::default();
        let helped = [(vec![1.0, 0.0], 0.2), (vec![0.0, 1.0], 0.8)];
        for (question, expected) in [
            ([0.0, 2.0], 0.970_143),
            ([1.0, 0.0], 0.242_536),
            ([0.0, -1.0], 0.0),
            ([0.0, 0.0], 0.0),
        ] {
            let found = context_match(&question, &helped, &options);
            assert!((found - expected).abs() < 1e-5, "{question:?}: {found}");
        }
        assert!(context_match(&[1.0, 0.0], &[], &options).abs() < 1e-9);
    }
}
