//! Context match: whether a question is like those that a note helped with.
//!
//! OwnSona keeps a vector per note: the first question's, then .7·old + .3·new. Here the questions are kept,
//! so that a person can read them and a change of the model loses nothing, and their centroid is computed.

use serde::{Deserialize, Serialize};

use crate::config::{Key, Section, Trust, values};

/// So many questions are kept of a note, the newest.
pub const KEPT: usize = 16;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextOptions {
    pub keep: bool,
    #[serde(deserialize_with = "values::any_case")]
    pub blend: Blend,
    #[serde(deserialize_with = "values::share")]
    pub newest: f64,
}

/// What a question counts for beside the others that a note helped with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Blend {
    /// As much as it was rewarded.
    #[default]
    Reward,
    /// The newest one `newest`, all before it the rest.
    Newest,
}

impl Default for ContextOptions {
    fn default() -> Self {
        Self {
            keep: true,
            blend: Blend::default(),
            newest: 0.3,
        }
    }
}

impl Section for ContextOptions {
    const NAME: &'static str = "context";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "keep",
                Trust::Sets,
                "true or false",
                "whether the questions given to `mem reinforce` are kept; false for notes that are published",
            ),
            Key::new(
                "blend",
                Trust::Sets,
                "\"reward\" or \"newest\"",
                "what a question counts for that a note helped with: its reward, or more the newer it is",
            ),
            Key::new(
                "newest",
                Trust::Sets,
                values::SHARE,
                "share of the newest question, by `newest`",
            ),
        ]
    }
}

/// A question that a note helped with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Helped {
    pub question: String,
    /// The reward.
    pub weight: f64,
    /// When, in seconds since 1970.
    pub at: i64,
}

/// Keeps the newest of `helped`, oldest first. One that was asked again counts as asked then.
pub fn keep_newest(helped: &mut Vec<Helped>) {
    let order = |a: &Helped, b: &Helped| {
        let by_time = a.at.cmp(&b.at).then_with(|| a.question.cmp(&b.question));
        by_time.then_with(|| a.weight.total_cmp(&b.weight))
    };
    helped.sort_by(order);
    let mut seen = std::collections::HashSet::new();
    let mut newest: Vec<Helped> = std::mem::take(helped)
        .into_iter()
        .rev()
        .filter(|helped| seen.insert(helped.question.clone()))
        .take(KEPT)
        .collect();
    newest.reverse();
    *helped = newest;
}
