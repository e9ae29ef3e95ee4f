//! Merges front matter of two notes and reports values that the result cannot keep.
//!
//! Merges use it property by property. `dedupe` asks before a merge that would drop a value.

use serde_json::{Map, Value};

use super::dates::moment_of;
use super::fields::{Field, MergeRule};
use crate::note::front_matter::items::items;
use crate::note::front_matter::property;
use crate::note::{list_of, number_of, text_of, whole_wikilink};

/// One property of two notes after their merge.
#[derive(Debug, Default, PartialEq)]
pub struct MergedProperty {
    /// Value in the merged note.
    pub value: Option<Value>,
    /// Value that the merged note no longer contains.
    pub aside: Option<Value>,
    /// Whether the two values distinguish the notes; dates of writing do not.
    pub is_difference: bool,
}

/// Returns the values that merging `other` into `keeper` drops, as `key: value`.
///
/// Titles, ids and aliases become names of the merged note and are never dropped. Learned usage
/// (`mem`) does not count.
pub fn dropped_values(keeper: &Map<String, Value>, other: &Map<String, Value>) -> Vec<String> {
    let other = &*property::spelled_as(other, keeper);
    let aside = all(keeper, other).filter_map(|(key, both)| Some(value_line(key, &both.aside?)));
    let mut differing: Vec<String> = aside.collect();
    differing.sort_unstable();
    differing.dedup();
    differing
}

/// Returns the merge of every property, without names and `mem`.
fn all<'p>(
    keeper: &'p Map<String, Value>,
    other: &'p Map<String, Value>,
) -> impl Iterator<Item = (&'p String, MergedProperty)> {
    let of_keeper = keeper.keys().filter(|key| !other.contains_key(*key));
    let keys = other.keys().chain(of_keeper);
    keys.filter(|key| !is_name(key, other) && *key != "mem")
        .map(|key| (key, merge_property(key, keeper, other)))
}

/// Whether the front matter of two notes is equivalent: no value differs, no key is spelled
/// differently, and only lists of tags, names and links differ in items or order.
pub fn are_equivalent(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    let is_set = |key: &str, value: &Value| {
        let is_link = |item: &Value| item.as_str().is_some_and(|item| item.contains("[["));
        ["tags", "aliases"].contains(&property::standard_name(key))
            || value
                .as_array()
                .is_some_and(|items| items.iter().all(is_link))
    };
    let mut pairs = a.iter().flat_map(|ours| {
        let theirs = b.iter();
        theirs
            .filter(|theirs| theirs.0.eq_ignore_ascii_case(ours.0))
            .map(move |theirs| (ours, theirs))
    });
    let fits = pairs.all(|((key, ours), (name, theirs))| {
        let is_list = ours.is_array() || theirs.is_array();
        key == name && (!is_list || ours == theirs || is_set(key, ours) && is_set(key, theirs))
    });
    fits && all(a, b).all(|(_, both)| !both.is_difference)
}

/// Whether the property is a name, which the merged note keeps.
pub fn is_name(key: &str, properties: &Map<String, Value>) -> bool {
    match property::standard_name(key) {
        "title" | "id" => text_of(properties, key).is_some(),
        "aliases" => match properties.get(key) {
            Some(Value::Array(items)) => items.len() == list_of(properties, key).len(),
            Some(one) => one.is_null() || text_of(properties, key).is_some(),
            None => true,
        },
        _ => false,
    }
}

/// Returns the merge of the property `key`.
pub fn merge_property(
    key: &str,
    keeper: &Map<String, Value>,
    other: &Map<String, Value>,
) -> MergedProperty {
    let rule = Field::merge_of(key);
    let of = |properties: &Map<String, Value>| {
        let mut value = properties.get(key);
        if rule == MergeRule::LatestEnd && value.is_none() {
            let mut ends = ["valid_until", "expires"].into_iter();
            value = ends.find_map(|key| properties.get(key));
        }
        value.filter(|value| !value.is_null()).cloned()
    };
    let kept = |value| MergedProperty {
        value,
        ..MergedProperty::default()
    };
    if !keeper.contains_key(key) && other.get(key) == Some(&Value::Null) {
        return kept(Some(Value::Null));
    }
    // A note without `created` was written on its `date`.
    let dated = other.get("date").filter(|_| key == "created");
    let theirs = of(other).or_else(|| dated.filter(|date| moment_of(date).is_some()).cloned());
    let (ours, theirs) = match (of(keeper), theirs) {
        (Some(ours), Some(theirs)) if ours != theirs => (ours, theirs),
        // It would hide a note that is always valid.
        (aside, None) | (None, aside)
            if matches!(rule, MergeRule::LatestEnd | MergeRule::EarliestStart) =>
        {
            return MergedProperty {
                value: None,
                is_difference: aside.is_some(),
                aside,
            };
        }
        (value, None) | (None | Some(_), value) => return kept(value),
    };
    let takes = match rule {
        MergeRule::Earliest | MergeRule::EarliestStart => {
            moment_of(&ours).zip(moment_of(&theirs)).map(|(a, b)| b < a)
        }
        MergeRule::Own if key == "date" => {
            moment_of(&ours).zip(moment_of(&theirs)).map(|(a, b)| b > a)
        }
        MergeRule::Latest | MergeRule::LatestEnd => {
            moment_of(&ours).zip(moment_of(&theirs)).map(|(a, b)| b > a)
        }
        MergeRule::Largest => number_of(&ours).zip(number_of(&theirs)).map(|(a, b)| b > a),
        MergeRule::Any => ours.as_bool().zip(theirs.as_bool()).map(|(_, b)| b),
        MergeRule::Own if ours.is_array() || theirs.is_array() || is_tags(key) => {
            return kept(Some(union(key, &ours, &theirs)));
        }
        // In `merged` a link would be text.
        MergeRule::Own if is_wikilink(&ours) || is_wikilink(&theirs) => {
            return MergedProperty {
                is_difference: true,
                ..kept(Some(union(key, &ours, &theirs)))
            };
        }
        MergeRule::Own => None,
    };
    let is_difference = takes.is_none() || !matches!(rule, MergeRule::Earliest | MergeRule::Latest);
    let (value, aside) = if takes == Some(true) {
        (theirs, ours)
    } else {
        (ours, theirs)
    };
    MergedProperty {
        value: Some(value),
        aside: Some(aside),
        is_difference,
    }
}

/// Returns the items of `ours`, then those that only `theirs` contains.
pub fn union(key: &str, ours: &Value, theirs: &Value) -> Value {
    let mut all = items(key, ours);
    let more = items(key, theirs);
    for item in more {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    Value::Array(all)
}

/// Whether `value` is a wikilink and nothing else.
pub fn is_wikilink(value: &Value) -> bool {
    value.as_str().and_then(whole_wikilink).is_some()
}

fn is_tags(key: &str) -> bool {
    property::standard_name(key) == "tags"
}

/// Returns a property as one line of text.
pub fn value_line(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) => format!("{key}: {text}"),
        other => format!("{key}: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_dropped_by_a_merge_are_reported() {
        for (name, ours, theirs, expected) in [
            ("the same", json!({"a": 1}), json!({"a": 1}), &[][..]),
            ("on one side", json!({"a": 1}), json!({"b": 2}), &[]),
            ("nothing said", json!({"a": null}), json!({"a": 2}), &[]),
            (
                "scalars",
                json!({"status": "open"}),
                json!({"status": "done"}),
                &["status: done"],
            ),
            ("lists", json!({"a": [1]}), json!({"a": [2]}), &[]),
            ("links", json!({"a": "[[B]]"}), json!({"a": "[[C]]"}), &[]),
            ("a link", json!({"a": "B"}), json!({"a": "[[B]]"}), &[]),
            (
                "maps",
                json!({"a": {"b": 1}}),
                json!({"a": {"b": 2}}),
                &["a: {\"b\":2}"],
            ),
            (
                "names",
                json!({"title": "A", "id": "1"}),
                json!({"title": "B", "id": "2"}),
                &[],
            ),
            ("no name", json!({}), json!({"title": ["B"]}), &[]),
            (
                "values that are not names",
                json!({"title": "A"}),
                json!({"title": {"b": 1}}),
                &["title: {\"b\":1}"],
            ),
            (
                "learned",
                json!({"mem": {"by": "a"}}),
                json!({"mem": {"by": "b"}}),
                &[],
            ),
            (
                "an end of theirs",
                json!({}),
                json!({"expires": "2026-01-01"}),
                &["expires: 2026-01-01"],
            ),
            (
                "two ends",
                json!({"valid_until": "2026-01-01"}),
                json!({"valid_until": "2027-01-01"}),
                &["valid_until: 2026-01-01"],
            ),
            (
                "one end, named in two ways",
                json!({"valid_until": "2026-01-01"}),
                json!({"expires": "2026-01-01"}),
                &[],
            ),
            (
                "dates of the file",
                json!({"date created": "2026-01-01", "updated": "2026-01-02", "lastmod": "2026-02-02"}),
                json!({"date created": "2026-01-03", "updated": "2026-01-04", "lastmod": "2026-02-01"}),
                &[
                    "date created: 2026-01-03",
                    "lastmod: 2026-02-01",
                    "updated: 2026-01-02",
                ],
            ),
            (
                "ratings",
                json!({"importance": 0.2}),
                json!({"importance": 0.9}),
                &["importance: 0.2"],
            ),
            (
                "no date",
                json!({"created": "2026-01-01"}),
                json!({"created": "once"}),
                &["created: once"],
            ),
            (
                "no number",
                json!({"importance": 0.5}),
                json!({"importance": "much"}),
                &["importance: much"],
            ),
            (
                "neither yes nor no",
                json!({"keep": true}),
                json!({"keep": "maybe"}),
                &["keep: maybe"],
            ),
        ] {
            let (ours, theirs) = (ours.as_object().unwrap(), theirs.as_object().unwrap());
            assert_eq!(dropped_values(ours, theirs), expected, "{name}");
        }
    }

    #[test]
    fn dates_dropped_by_a_merge_are_reported() {
        for (name, ours, theirs, expected) in [
            (
                "a later date under another name",
                json!({"created": "2026-05-01"}),
                json!({"date": "2026-07-01"}),
                &["created: 2026-05-01"],
            ),
            (
                "an end of ours",
                json!({"valid_until": "2026-01-01"}),
                json!({}),
                &["valid_until: 2026-01-01"],
            ),
            (
                "two dates",
                json!({"date": "2026-05-01"}),
                json!({"date": "2026-07-01"}),
                &["date: 2026-05-01"],
            ),
            (
                "two starts",
                json!({"valid_from": "2027-01-01"}),
                json!({"valid_from": "2026-01-01"}),
                &["valid_from: 2027-01-01"],
            ),
            (
                "a start on one side",
                json!({"valid_from": "2027-01-01"}),
                json!({}),
                &["valid_from: 2027-01-01"],
            ),
        ] {
            let (ours, theirs) = (ours.as_object().unwrap(), theirs.as_object().unwrap());
            assert_eq!(dropped_values(ours, theirs), expected, "{name}");
        }
    }

    #[test]
    fn equivalent_front_matter() {
        for (ours, theirs, expected) in [
            (json!({"a": [1, 2]}), json!({"a": [1, 2]}), true),
            (json!({"a": [1, 2]}), json!({"a": [2, 1]}), false),
            (json!({"a": [1]}), json!({"a": [1, 1]}), false),
            (json!({"a": ["007"]}), json!({"a": [7]}), false),
            (json!({"Status": "open"}), json!({"status": "open"}), false),
            (json!({"tags": ["a"]}), json!({"tags": ["b"]}), true),
            (json!({"see": ["[[a]]"]}), json!({"see": ["[[b]]"]}), true),
            (json!({"see": "[[a]]"}), json!({"see": "[[b]]"}), false),
            (json!({"a": 1}), json!({"b": 1}), true),
            (json!({"a": 1}), json!({"a": 2}), false),
            (
                json!({"created": "2026-01-01"}),
                json!({"created": "2026-01-02"}),
                true,
            ),
            (
                json!({"created": "2026-01-01"}),
                json!({"created": "once"}),
                false,
            ),
            (
                json!({"importance": 0.2}),
                json!({"importance": 0.9}),
                false,
            ),
            (json!({"keep": true}), json!({"keep": false}), false),
            (json!({"expires": "2026-01-01"}), json!({}), false),
            (json!({"valid_from": "2026-01-01"}), json!({}), false),
        ] {
            let [a, b] = [&ours, &theirs].map(|value| value.as_object().unwrap());
            assert_eq!(are_equivalent(a, b), expected, "{ours} {theirs}");
        }
    }
}
