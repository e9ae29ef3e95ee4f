//! Snapshots of learned usage in the `mem` property of a note.
//!
//! ```yaml
//! mem: {by: claude, seal: 9f…, accesses: 12, last: 2026-11-21T05:59:00Z, stability: 8.22, salience: 0.775}
//! ```
//!
//! A snapshot counts if the journal has no entry for the note. Numbers are rounded for readers, and
//! values of an unused note are omitted.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::activity;
use super::helped::HelpedQuestion;
use super::salience::Salience;
use super::usage::Usage;
use crate::note::words::one_line::one_line;

/// Keys of `mem` that belong to a snapshot, in writing order.
const KEYS: &str = "accesses days last reviewed confirmed stability salience activity helped";

/// Returns all keys of `mem` that a snapshot may write.
pub fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.split(' ').chain([USES, REWARDS])
}

/// Number of feedbacks; without it salience cannot be separated from importance.
const USES: &str = "uses";
/// Sum of all rewards.
const REWARDS: &str = "rewards";

/// Returns the snapshot in the property `mem`, if there is one.
pub fn read(mem: &Value) -> Option<Usage> {
    let mem = mem.as_object()?;
    if !KEYS.split(' ').any(|key| mem.contains_key(key)) {
        return None;
    }
    // Values may come from a stranger; this limit keeps sums from overflowing.
    let most = 100_000_000_000;
    let count = |key: &str| mem.get(key).and_then(Value::as_u64).unwrap_or(0).min(most);
    let number = |key: &str| {
        let number = mem.get(key).and_then(Value::as_f64);
        number.filter(|number| number.is_finite() && *number >= 0.0)
    };
    let moment = |key: &str| mem.get(key).and_then(Value::as_str).and_then(second);
    let salience = number("salience").map(|salience| Salience::fixed(salience.min(1e6)));
    let helped = mem.get("helped").and_then(Value::as_array);
    Some(Usage {
        accesses: count("accesses"),
        days: count("days"),
        first_accessed: None,
        last_accessed: moment("last"),
        last_reviewed: moment("reviewed"),
        last_confirmed: moment("confirmed"),
        stability: number("stability").filter(|days| *days > 0.0),
        salience: salience.unwrap_or_default(),
        activity: number("activity").unwrap_or(activity::INITIAL),
        uses: count(USES),
        rewards: mem
            .get(REWARDS)
            .and_then(Value::as_f64)
            .filter(|sum| sum.is_finite())
            .map_or(0.0, |sum| sum.clamp(-1e9, 1e9)),
        helped: helped.into_iter().flatten().filter_map(question).collect(),
    })
}

/// Parses a timestamp into seconds since 1970.
fn second(text: &str) -> Option<i64> {
    Some(text.parse::<Timestamp>().ok()?.as_second())
}

/// Parses `2026-11-21T05:59:00Z 0.5 the question`.
fn question(helped: &Value) -> Option<HelpedQuestion> {
    let mut parts = helped.as_str()?.splitn(3, ' ');
    let (at, weight) = (second(parts.next()?)?, parts.next()?.parse::<f64>().ok()?);
    let question = parts.next()?.to_owned();
    (0.0..=1.0).contains(&weight).then_some(HelpedQuestion {
        question,
        weight,
        at,
    })
}

/// Returns the snapshot entries of a note with this importance.
pub fn write(usage: &Usage, importance: f64) -> Map<String, Value> {
    let mut entries = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            entries.insert(key.to_owned(), value);
        }
    };
    let count = |count: u64| (count > 0).then(|| json!(count));
    let moment = |at: Option<i64>| {
        let at = at.and_then(|at| Timestamp::from_second(at).ok());
        at.map(|at| json!(at.to_string()))
    };
    put("accesses", count(usage.accesses));
    put("days", count(usage.days));
    put("last", moment(usage.last_accessed));
    put("reviewed", moment(usage.last_reviewed));
    put("confirmed", moment(usage.last_confirmed));
    put(
        "stability",
        usage.stability.map(|days| json!(rounded(days))),
    );
    if usage.uses > 0 || usage.salience != Salience::default() {
        put(
            "salience",
            Some(json!(rounded(usage.salience.of(importance)))),
        );
    }
    let has_moved = (usage.activity - activity::INITIAL).abs() > 1e-9;
    put(
        "activity",
        has_moved.then(|| json!(rounded(usage.activity))),
    );
    put(USES, count(usage.uses));
    let has_sum = rounded(usage.rewards).abs() > 0.0;
    put(REWARDS, has_sum.then(|| json!(rounded(usage.rewards))));
    let helped: Vec<Value> = usage
        .helped
        .iter()
        .filter_map(|helped| {
            let at = Timestamp::from_second(helped.at).ok()?;
            let (weight, question) = (rounded(helped.weight), one_line(&helped.question));
            Some(json!(format!("{at} {weight} {question}")))
        })
        .collect();
    put("helped", (!helped.is_empty()).then(|| json!(helped)));
    entries
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// Whether `new` differs enough from the snapshot in the note to be worth a write. Every recall
/// moves some values, so small changes accumulate first.
pub fn is_significant_change(known: Option<&Usage>, new: &Usage, importance: f64) -> bool {
    /// Minimum growth of a count, as a logarithm: about a fifth.
    const MIN_LOG_GROWTH: f64 = 0.2;
    /// One week in seconds.
    const MIN_SECONDS_BETWEEN: i64 = 7 * 86_400;
    let nothing = Usage::default();
    let known = known.unwrap_or(&nothing);
    let differs = |a: f64, b: f64| (a - b).abs() >= 0.01 * b.abs().max(1.0);
    let growth = ((1 + new.accesses) as f64 / (1 + known.accesses) as f64)
        .ln()
        .abs();
    let later = |new: Option<i64>, known: Option<i64>| match (new, known) {
        (Some(new), Some(known)) => (new - known).abs() >= MIN_SECONDS_BETWEEN,
        (new, known) => new != known,
    };
    let questions = |usage: &Usage| -> Vec<String> {
        let helped = usage.helped.iter();
        helped.map(|helped| one_line(&helped.question)).collect()
    };
    growth >= MIN_LOG_GROWTH
        || later(new.last_accessed, known.last_accessed)
        || new.last_confirmed != known.last_confirmed
        || differs(new.stability.unwrap_or(0.0), known.stability.unwrap_or(0.0))
        || (new.uses > 0 && differs(new.salience.of(importance), known.salience.of(importance)))
        || questions(new) != questions(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::usage::Parameters;

    const NOON: i64 = 1_763_726_400;

    fn used() -> Usage {
        let mut usage = Usage::default();
        let parameters = Parameters::default();
        usage.accessed(NOON, true, &parameters);
        usage.reinforced(NOON + 60, 0.5, Some("which  port?\nhow"), &parameters);
        usage
    }

    #[test]
    fn snapshots_round_trip() {
        let usage = used();
        let entries = write(&usage, 0.5);
        let keys: Vec<&String> = entries.keys().collect();
        assert!(
            keys.iter()
                .all(|key| super::keys().any(|known| known == key.as_str())),
            "{keys:?}"
        );
        let value = Value::Object(entries.clone());
        let read_back = read(&value).unwrap();
        assert_eq!(write(&read_back, 0.5), entries);
        assert_eq!(read_back.helped[0].question, "which port? how");
        assert!(!is_significant_change(Some(&read_back), &usage, 0.5));
        assert!(write(&Usage::default(), 0.5).is_empty());
        assert_eq!(read(&json!({"by": "claude", "seal": "9f"})), None);
    }

    #[test]
    fn invalid_snapshot_values_are_ignored() {
        let strange = json!({
            "accesses": -3, "last": "soon", "stability": 0, "salience": 1e300, "activity": "x",
            "helped": ["no time", "2026-01-01T00:00:00Z 7 q", 5],
        });
        let read = read(&strange).unwrap();
        assert_eq!(
            (read.accesses, read.last_accessed, read.stability),
            (0, None, None)
        );
        assert!(read.helped.is_empty() && read.salience.of(0.5).is_finite());
    }

    #[test]
    fn small_changes_are_not_worth_a_write() {
        let known = Usage {
            accesses: 100,
            last_accessed: Some(NOON),
            ..used()
        };
        let parameters = Parameters::default();
        let after = |change: &dyn Fn(&mut Usage)| {
            let mut usage = known.clone();
            change(&mut usage);
            is_significant_change(Some(&known), &usage, 0.5)
        };
        for (name, change, expected) in [
            (
                "nothing",
                &(|_: &mut Usage| ()) as &dyn Fn(&mut Usage),
                false,
            ),
            (
                "a recall",
                &|usage| usage.accessed(NOON + 90, false, &parameters),
                false,
            ),
            ("thirty recalls", &|usage| usage.accesses += 30, true),
            (
                "a week later",
                &|usage| usage.last_accessed = Some(NOON + 7 * 86_400),
                true,
            ),
            (
                "a person read it the next day",
                &|usage| usage.accessed(NOON + 86_400, true, &parameters),
                true,
            ),
            (
                "it helped",
                &|usage| usage.reinforced(NOON, 1.0, None, &parameters),
                true,
            ),
            (
                "it is still true",
                &|usage| usage.last_confirmed = Some(NOON),
                true,
            ),
        ] {
            assert_eq!(after(change), expected, "{name}");
        }
        assert!(!is_significant_change(None, &Usage::default(), 0.5));
        assert!(is_significant_change(None, &used(), 0.5));
    }
}
