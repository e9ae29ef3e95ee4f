//! Learned usage of a note: the state into which usage events are folded.
//!
//! The journal sorts confirmed uses and feedback of all devices by time and applies each; then it
//! adds plain counts. The same events always give the same state. Exact and approximate fields:
//!
//! | field | |
//! |---|---|
//! | `accesses`, `uses`, `rewards`, `first_accessed`, the `last_…` | exact, in any order and after any merge |
//! | `days` | exact over events in order; a sum after a merge |
//! | `stability`, `salience`, `activity` | exact over events in order; a merge keeps the larger |
//! | `helped` | the last 16 different questions |
//!
//! Stability grows at most once per `[stability] pause` (a day): a burst of uses counts once.

use serde::{Deserialize, Serialize};

use super::activity::{self, ActivityOptions};
use super::helped::{self, ContextOptions, HelpedQuestion};
use super::salience::{Salience, SalienceOptions};
use super::stability::{self, DAY, StabilityOptions};

/// Settings that the steps use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    pub stability: StabilityOptions,
    pub salience: SalienceOptions,
    pub activity: ActivityOptions,
    pub context: ContextOptions,
}

/// Learned usage of one note. Times are seconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Number of times it was listed, read, edited or confirmed.
    pub accesses: u64,
    /// Number of days with a use.
    pub days: u64,
    pub first_accessed: Option<i64>,
    pub last_accessed: Option<i64>,
    /// When stability last grew.
    pub last_reviewed: Option<i64>,
    pub last_confirmed: Option<i64>,
    /// In days; `None` until a use was confirmed.
    pub stability: Option<f64>,
    pub salience: Salience,
    pub activity: f64,
    /// Number of feedbacks.
    pub uses: u64,
    /// Sum of all rewards.
    pub rewards: f64,
    pub helped: Vec<HelpedQuestion>,
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            accesses: 0,
            days: 0,
            first_accessed: None,
            last_accessed: None,
            last_reviewed: None,
            last_confirmed: None,
            stability: None,
            salience: Salience::default(),
            activity: activity::INITIAL,
            uses: 0,
            rewards: 0.0,
            helped: Vec::new(),
        }
    }
}

/// Counted uses of a note.
#[derive(Clone, Copy, Debug, Default)]
pub struct UsageCounts {
    pub accesses: u64,
    /// Number of days not counted before.
    pub days: u64,
    pub first: Option<i64>,
    pub last: Option<i64>,
}

impl Usage {
    /// Applies a confirmed use: reading, editing, a manual link, or usefulness. The first use
    /// counts from when the note was `created`.
    pub fn reviewed(&mut self, at: i64, created: Option<i64>, parameters: &Parameters) {
        let options = &parameters.stability;
        let days = self
            .last_reviewed
            .or(self.last_accessed)
            .or(created)
            .map_or(0.0, |last| (at - last) as f64 / DAY);
        if self.last_reviewed.is_some() && days < options.pause {
            return;
        }
        let stability = self.stability.unwrap_or(options.initial);
        self.stability = Some(stability::after_use(stability, days, options));
        self.last_reviewed = Some(at);
    }

    /// Applies a reward of −1 to 1. A positive reward stores its question, if given.
    pub fn judged(
        &mut self,
        at: i64,
        reward: f64,
        question: Option<&str>,
        parameters: &Parameters,
    ) {
        let reward = reward.clamp(-1.0, 1.0);
        self.uses += 1;
        self.rewards += reward;
        self.salience.rewarded(reward, &parameters.salience);
        self.activity = activity::after_feedback(self.activity, reward, &parameters.activity);
        if let Some(question) = question.filter(|_| reward > 0.0 && parameters.context.keep) {
            self.helped.push(HelpedQuestion {
                question: question.to_owned(),
                weight: reward,
                at,
            });
            helped::keep_newest(&mut self.helped);
        }
    }

    /// Adds uses, confirmed or not.
    pub fn counted(&mut self, counted: &UsageCounts, parameters: &Parameters) {
        self.accesses = self.accesses.saturating_add(counted.accesses);
        self.days += counted.days;
        self.first_accessed = earliest([self.first_accessed, counted.first]);
        self.last_accessed = self.last_accessed.max(counted.last);
        self.activity = activity::after_uses(self.activity, counted.accesses, &parameters.activity);
    }

    /// Adds later usage of the same note. Counts and rewards are summed; stability and salience are
    /// taken from `later`, which continued them.
    pub fn extend_with(&mut self, later: &Self) {
        let activity = self.activity + later.activity - activity::INITIAL;
        self.merge(later);
        self.stability = later.stability.or(self.stability);
        self.salience = later.salience;
        self.activity = activity.max(0.0);
    }

    /// Adds usage of a note merged into this one, or of this one on another device. The order of
    /// several merges does not matter.
    pub fn merge(&mut self, other: &Self) {
        self.accesses += other.accesses;
        self.days += other.days;
        self.first_accessed = earliest([self.first_accessed, other.first_accessed]);
        self.last_accessed = self.last_accessed.max(other.last_accessed);
        self.last_reviewed = self.last_reviewed.max(other.last_reviewed);
        self.last_confirmed = self.last_confirmed.max(other.last_confirmed);
        let stability = [self.stability, other.stability].into_iter().flatten();
        self.stability = stability.reduce(f64::max);
        self.salience = self.salience.merged(other.salience);
        self.activity = self.activity.max(other.activity);
        self.uses += other.uses;
        self.rewards += other.rewards;
        self.helped.extend_from_slice(&other.helped);
        helped::keep_newest(&mut self.helped);
    }

    /// Returns all times.
    pub fn moments(&mut self) -> [&mut Option<i64>; 4] {
        [
            &mut self.first_accessed,
            &mut self.last_accessed,
            &mut self.last_reviewed,
            &mut self.last_confirmed,
        ]
    }

    /// Removes times later than `now`: a clock that was ahead does not show when a use happened.
    pub fn forget_after(&mut self, now: i64) {
        for moment in self.moments() {
            *moment = moment.filter(|at| *at <= now);
        }
    }

    /// Returns when the note was last used according to events; retrievability counts from there.
    pub fn anchor(&self) -> Option<i64> {
        self.last_accessed.max(self.last_reviewed)
    }
}

/// Applies single uses, with the same result as the tallies of a journal.
#[cfg(test)]
impl Usage {
    pub(crate) fn accessed(&mut self, at: i64, confirmed: bool, parameters: &Parameters) {
        if confirmed {
            self.reviewed(at, None, parameters);
        }
        let day = |at: i64| at.div_euclid(DAY as i64);
        let is_new_day = self.last_accessed.is_none_or(|last| day(at) > day(last));
        let counted = UsageCounts {
            accesses: 1,
            days: u64::from(is_new_day),
            first: Some(at),
            last: Some(at),
        };
        self.counted(&counted, parameters);
    }

    pub(crate) fn reinforced(
        &mut self,
        at: i64,
        reward: f64,
        question: Option<&str>,
        parameters: &Parameters,
    ) {
        if reward > 0.0 {
            self.accessed(at, true, parameters);
        }
        self.judged(at, reward, question, parameters);
    }
}

/// Returns the earliest of those `moments` that are known.
pub fn earliest(moments: impl IntoIterator<Item = Option<i64>>) -> Option<i64> {
    moments.into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3600;

    #[test]
    fn stability_grows_on_confirmed_use_once_a_day() {
        let parameters = Parameters::default();
        let mut usage = Usage::default();
        usage.accessed(0, false, &parameters);
        assert_eq!((usage.accesses, usage.stability), (1, None));
        for hour in 1..=48 {
            usage.accessed(hour * HOUR, true, &parameters);
        }
        // At hours 1 and 25.
        assert_eq!((usage.accesses, usage.days), (49, 3));
        assert_eq!(usage.last_reviewed, Some(25 * HOUR));
        let first = stability::after_use(5.814, 1.0 / 24.0, &parameters.stability);
        let second = stability::after_use(first, 1.0, &parameters.stability);
        assert_eq!(usage.stability, Some(second));
    }

    #[test]
    fn feedback_changes_salience_and_only_positive_counts_as_use() {
        let parameters = Parameters::default();
        let mut usage = Usage::default();
        usage.reinforced(0, -1.0, Some("what is tea?"), &parameters);
        assert_eq!((usage.accesses, usage.uses, usage.helped.len()), (0, 1, 0));
        assert!((usage.salience.of(0.5) - 0.175).abs() < 1e-9);
        assert!((usage.activity - 0.9).abs() < 1e-9);
        usage.reinforced(HOUR, 5.0, Some("what is tea?"), &parameters);
        assert_eq!((usage.accesses, usage.rewards), (1, 0.0));
        assert!((usage.helped[0].weight - 1.0).abs() < 1e-9);
        let published = Parameters {
            context: ContextOptions {
                keep: false,
                ..ContextOptions::default()
            },
            ..parameters
        };
        usage.reinforced(HOUR, 1.0, Some("what is coffee?"), &published);
        assert_eq!(usage.helped.len(), 1);
    }

    #[test]
    fn merge_is_lossless_and_commutative() {
        let parameters = Parameters::default();
        let used = |times: &[i64], question: &str| {
            let mut usage = Usage::default();
            for &at in times {
                usage.reinforced(at * 24 * HOUR, 0.5, Some(question), &parameters);
            }
            usage
        };
        let all = [used(&[1, 2, 9], "a"), used(&[3], "b"), used(&[2, 4], "a")];
        let merge = |order: [usize; 3]| {
            let mut merged = Usage::default();
            for at in order {
                merged.merge(&all[at]);
            }
            merged
        };
        let merged = merge([0, 1, 2]);
        for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            assert_eq!(merge(order), merged, "{order:?}");
        }
        assert_eq!((merged.accesses, merged.rewards), (6, 3.0));
        assert_eq!(merged.first_accessed, Some(24 * HOUR));
        assert_eq!(merged.stability, all[0].stability);
        let helped: Vec<_> = merged
            .helped
            .iter()
            .map(|helped| (&*helped.question, helped.at))
            .collect();
        assert_eq!(helped, [("b", 3 * 24 * HOUR), ("a", 9 * 24 * HOUR)]);
    }

    #[test]
    fn only_newest_questions_are_stored() {
        let parameters = Parameters::default();
        let mut usage = Usage::default();
        for at in 0..40 {
            usage.reinforced(at, 1.0, Some(&at.to_string()), &parameters);
        }
        let questions: Vec<&str> = usage
            .helped
            .iter()
            .map(|helped| &*helped.question)
            .collect();
        assert_eq!(questions.len(), helped::MAX_QUESTIONS_PER_NOTE);
        assert_eq!((questions[0], questions[15]), ("24", "39"));
    }
}
