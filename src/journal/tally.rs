//! The usage of one note as one device saw it: a line of `usage.jsonl`.
//!
//! ```json
//! {"n":7,"note":"a.md","body":"9f…","since":1763704740,"last":1763791140,"accesses":12,
//!  "uses":[1763704740],"rewards":[{"at":1763704741,"r":1.0,"q":"which port"}]}
//! ```
//!
//! A line contains everything its device saw since `since`, so the last line wins and a lost one
//! costs little. Merging takes the greater count and the union of timed entries, so it is
//! idempotent and commutative. Everything older than the last [`MAX_ENTRIES`] confirmed uses and
//! rewards is summed up in `base`. The `snapshot` that the note had when the tally began stays
//! separate: several devices may have read it, but it counts once.

use serde::{Deserialize, Serialize};

use super::events::TextHash;
use crate::signals::usage::{Parameters, Usage, UsageCounts, earliest};

/// Number of confirmed uses, and of rewards, that a tally keeps individually.
pub const MAX_ENTRIES: usize = 64;

/// One line of `usage.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageTally {
    pub note: String,
    /// Hash of the note's body at that time; identifies a note renamed outside of mem.
    pub body: TextHash,
    /// Start of the tally, in seconds since 1970; earlier moves of the note do not apply to it.
    pub since: i64,
    /// When the note was created; the first interval of use counts from then. Absent in old lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<i64>,
    /// When the note was last used.
    pub last: i64,
    /// When it was last used on an earlier day; applies while `last` is ahead of the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// Number of uses.
    pub accesses: u64,
    /// Number of days with uses.
    pub days: u64,
    /// The first confirmed use of each day.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewards: Vec<Reward>,
    /// When the note was last confirmed as true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<i64>,
    /// The usage stored in the note itself when the tally began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Box<Usage>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Box<SummedEntries>>,
    /// The last batch of events that it contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<TextHash>,
}

/// A reward, from −1 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reward {
    pub at: i64,
    /// Index among the rewards of the same second on this device.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n: u32,
    #[serde(rename = "r")]
    pub reward: f64,
    #[serde(rename = "q", default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// The sum of older entries, which are not kept individually.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummedEntries {
    /// The time of the last entry in it.
    pub until: i64,
    /// Sums cover the tally alone; stability and salience continue those of the snapshot.
    pub usage: Usage,
}

/// The day of a time, in UTC.
fn day(at: i64) -> i64 {
    at.div_euclid(86_400)
}

impl UsageTally {
    /// Returns a tally that starts at `since`, with the note's `snapshot` if it has one.
    pub fn new(note: &str, body: TextHash, since: i64, snapshot: Option<Usage>) -> Self {
        Self {
            note: note.to_owned(),
            body,
            since,
            snapshot: snapshot.map(Box::new),
            ..Self::default()
        }
    }

    /// Returns the tally with numbers limited so that sums cannot overflow; a stranger may have
    /// written it.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        // The year 5138 in seconds; also far above any count of uses.
        const MAX_SECONDS: i64 = 100_000_000_000;
        let count = |count: &mut u64| *count = (*count).min(MAX_SECONDS as u64);
        self.moments(|at| *at = (*at).clamp(-MAX_SECONDS, MAX_SECONDS));
        for reward in &mut self.rewards {
            reward.reward = reward.reward.clamp(-1.0, 1.0);
        }
        count(&mut self.accesses);
        count(&mut self.days);
        let base = self.base.as_deref_mut().map(|base| &mut base.usage);
        for usage in base.into_iter().chain(self.snapshot.as_deref_mut()) {
            count(&mut usage.accesses);
            count(&mut usage.days);
            count(&mut usage.uses);
            usage.rewards = usage.rewards.clamp(-1e9, 1e9);
        }
        self
    }

    /// Calls `each` with every time in the tally.
    pub fn moments(&mut self, mut each: impl FnMut(&mut i64)) {
        each(&mut self.since);
        self.created.iter_mut().for_each(&mut each);
        each(&mut self.last);
        self.before.iter_mut().for_each(&mut each);
        self.confirmed.iter_mut().for_each(&mut each);
        self.uses.iter_mut().for_each(&mut each);
        let rewards = self.rewards.iter_mut();
        rewards.for_each(|reward| each(&mut reward.at));
        if let Some(base) = self.base.as_deref_mut() {
            each(&mut base.until);
        }
        let base = self.base.as_deref_mut().map(|base| &mut base.usage);
        for usage in base.into_iter().chain(self.snapshot.as_deref_mut()) {
            usage.moments().into_iter().flatten().for_each(&mut each);
            usage.helped.iter_mut().for_each(|one| each(&mut one.at));
        }
    }

    /// Records a use.
    pub fn record_use(&mut self, at: i64, is_confirmed: bool) {
        let (last, before) = (day(self.last), self.before.map(day));
        let is_new_day = self.days == 0
            || day(at) > last
            || (day(at) < last && before.map_or(self.days == 1, |before| day(at) > before));
        self.days += u64::from(is_new_day);
        self.update_last(at);
        self.accesses = self.accesses.saturating_add(1);
        let at = self.after_base(at);
        if is_confirmed && !self.uses.iter().any(|known| day(*known) == day(at)) {
            self.uses.push(at);
            self.uses.sort_unstable();
        }
    }

    /// Updates the times of the last two days of use.
    fn update_last(&mut self, at: i64) {
        if self.accesses == 0 {
            self.last = at;
        } else if day(at) == day(self.last) {
            self.last = self.last.max(at);
        } else if at > self.last {
            self.before = Some(std::mem::replace(&mut self.last, at));
        } else {
            self.before = self.before.max(Some(at));
        }
    }

    /// Returns the time of the first use: the start of the tally, unless the clock was ahead.
    fn first(&self) -> i64 {
        let used = self.uses.iter().copied().chain(self.before);
        used.fold(self.since.min(self.last), i64::min)
    }

    /// Returns the time of the last use up to `now`. Later times come from a clock that was ahead.
    pub fn last_use_until(&self, now: i64) -> Option<i64> {
        let used = [Some(self.last), self.before].into_iter().flatten();
        let helped = self.rewards.iter().filter(|reward| reward.reward > 0.0);
        used.chain(self.uses.iter().copied())
            .chain(helped.map(|reward| reward.at))
            .filter(|at| *at <= now)
            .max()
    }

    /// Records a reward.
    pub fn record_reward(&mut self, reward: Reward) {
        let at = self.after_base(reward.at);
        let same_second = self.rewards.iter().filter(|known| known.at == at);
        let n = same_second.map(|known| known.n + 1).max().unwrap_or(0);
        self.rewards.push(Reward { at, n, ..reward });
        self.rewards.sort_by(compare_rewards);
    }

    /// Moves old entries into `base`: half of the limit at once, so that most calls do nothing.
    pub fn trim(&mut self, parameters: &Parameters) {
        let rewards: Vec<i64> = self.rewards.iter().map(|reward| reward.at).collect();
        let cut = |times: &[i64]| {
            let is_long = times.len() > MAX_ENTRIES;
            is_long.then(|| times[times.len() - 1 - MAX_ENTRIES / 2])
        };
        let Some(until) = cut(&self.uses).max(cut(&rewards)) else {
            return;
        };
        let mut old = self.clone();
        old.uses.retain(|at| *at <= until);
        old.rewards.retain(|reward| reward.at <= until);
        // The counts stay in the tally.
        (old.accesses, old.days) = (0, 0);
        let learned = replay(std::slice::from_ref(&old), parameters, i64::MAX);
        old.snapshot = None;
        let usage = Usage {
            stability: learned.stability,
            salience: learned.salience,
            ..replay(&[old], parameters, i64::MAX)
        };
        self.base = Some(Box::new(SummedEntries { until, usage }));
        self.uses.retain(|at| *at > until);
        self.rewards.retain(|reward| reward.at > until);
    }

    /// Merges another line of the same tally.
    pub fn join(&mut self, other: Self) {
        let version = |tally: &Self| (tally.last, tally.accesses, tally.body, tally.taken);
        if version(&other) > version(self) {
            (self.body, self.taken) = (other.body, other.taken);
        }
        if until(&other) > until(self) {
            self.base = other.base;
        }
        self.snapshot = newer_snapshot(self.snapshot.take(), other.snapshot);
        if self.accesses == 0 {
            (self.last, self.before) = (other.last, other.before);
        } else if other.accesses > 0 {
            self.update_last(other.last);
            other.before.into_iter().for_each(|at| self.update_last(at));
        }
        self.created = earliest([self.created, other.created]);
        self.accesses = self.accesses.max(other.accesses);
        self.days = self.days.max(other.days);
        self.confirmed = self.confirmed.max(other.confirmed);
        self.uses.extend(other.uses);
        self.uses.sort_unstable();
        self.uses.dedup_by_key(|at| day(*at));
        self.rewards = multiset_union(std::mem::take(&mut self.rewards), other.rewards);
        if let Some(until) = until(self) {
            self.uses.retain(|at| *at > until);
            self.rewards.retain(|reward| reward.at > until);
        }
    }

    /// Returns `at`, or the first second after `base` if `at` is already summed up.
    fn after_base(&self, at: i64) -> i64 {
        until(self).map_or(at, |until| at.max(until.saturating_add(1)))
    }
}

fn until(tally: &UsageTally) -> Option<i64> {
    tally.base.as_ref().map(|base| base.until)
}

/// Returns the newer snapshot, which includes the older one.
fn newer_snapshot(one: Option<Box<Usage>>, other: Option<Box<Usage>>) -> Option<Box<Usage>> {
    let order = |usage: &Option<Box<Usage>>| {
        usage.as_ref().map(|it| {
            let stability = it.stability.unwrap_or(0.0).to_bits();
            (it.accesses, it.uses, it.last_accessed, stability)
        })
    };
    let is_newer = order(&other) > order(&one);
    if is_newer { other } else { one }
}

/// Orders rewards by time, those of one second as given.
fn compare_rewards(a: &Reward, b: &Reward) -> std::cmp::Ordering {
    let by_time = (a.at, a.n).cmp(&(b.at, b.n));
    by_time
        .then_with(|| a.reward.total_cmp(&b.reward))
        .then_with(|| a.question.cmp(&b.question))
}

/// Returns the multiset union of two lists of rewards.
fn multiset_union(a: Vec<Reward>, b: Vec<Reward>) -> Vec<Reward> {
    let mut all = a.clone();
    let mut rest = a;
    for reward in b {
        match rest.iter().position(|known| *known == reward) {
            Some(at) => drop(rest.swap_remove(at)),
            None => all.push(reward),
        }
    }
    all.sort_by(compare_rewards);
    all
}

/// Returns the usage computed from the tallies of one note on all devices.
///
/// Entries later than `now` come from a clock that was ahead: they count, but their times do not.
pub fn replay(tallies: &[UsageTally], parameters: &Parameters, now: i64) -> Usage {
    // A snapshot that several devices read counts once.
    let snapshots = tallies.iter().map(|tally| tally.snapshot.clone());
    let snapshot = snapshots.fold(None, newer_snapshot);
    let mut usage = snapshot.map(|snapshot| *snapshot).unwrap_or_default();
    let bases = tallies.iter().filter_map(|tally| tally.base.as_ref());
    let base = bases
        .map(|base| base.usage.clone())
        .reduce(|mut all, base| {
            all.merge(&base);
            all
        });
    if let Some(base) = base {
        usage.extend_with(&base);
    }
    usage.forget_after(now);
    let mut uses: Vec<i64> = tallies
        .iter()
        .flat_map(|tally| tally.uses.iter().copied())
        .collect();
    uses.sort_unstable();
    uses.dedup_by_key(|at| day(*at));
    uses.retain(|at| *at <= now);
    let mut rewards: Vec<&Reward> = tallies.iter().flat_map(|it| &it.rewards).collect();
    rewards.sort_by(|a, b| compare_rewards(a, b));
    let rewards = rewards.into_iter().map(|reward| (reward.at, Some(reward)));
    let mut steps: Vec<(i64, Option<&Reward>)> = uses.into_iter().map(|at| (at, None)).collect();
    steps.extend(rewards);
    steps.sort_by_key(|(at, reward)| (*at, reward.is_some()));
    let created = earliest(tallies.iter().map(|tally| tally.created));
    for (at, reward) in steps {
        // A positive reward is also a use, which is among the uses of its day.
        let is_use = |reward: &Reward| reward.reward > 0.0 && usage.last_reviewed != Some(at);
        if at <= now && reward.is_none_or(is_use) {
            usage.reviewed(at, created, parameters);
        }
        if let Some(it) = reward {
            usage.judged(at, it.reward, it.question.as_deref(), parameters);
        }
    }
    let before = usage.last_accessed.filter(|_| usage.days > 0);
    let counted = || tallies.iter().filter(|tally| tally.accesses > 0);
    usage.counted(
        &UsageCounts {
            accesses: counted()
                .map(|tally| tally.accesses)
                .fold(0, u64::saturating_add),
            days: count_days(tallies, before),
            first: counted()
                .map(UsageTally::first)
                .min()
                .filter(|at| *at <= now),
            last: counted()
                .filter_map(|tally| tally.last_use_until(now))
                .max(),
        },
        parameters,
    );
    let confirmed = tallies
        .iter()
        .filter_map(|tally| tally.confirmed)
        .filter(|at| *at <= now)
        .max();
    usage.last_confirmed = usage.last_confirmed.max(confirmed);
    usage
}

/// Returns the number of days on which a note was used.
///
/// A day on which several devices used it, or the day of `before`, counts once as far as the first
/// and last day tell.
fn count_days(tallies: &[UsageTally], before: Option<i64>) -> u64 {
    let used = || tallies.iter().filter(|tally| tally.accesses > 0);
    let first = used().map(|tally| day(tally.first())).min();
    let last = used().map(|tally| day(tally.last)).max();
    let (Some(first), Some(last)) = (first, last) else {
        return 0;
    };
    let span = u64::try_from(last - first + 1).unwrap_or(1);
    let days = used().map(|tally| tally.days).sum::<u64>().min(span);
    days.saturating_sub(u64::from(before.map(day) == Some(first)))
}
