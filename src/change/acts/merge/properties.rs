//! Which value of a property a merged note has: one rule per attribute, so that nothing learned is
//! lost.
//!
//! | property | merged |
//! |---|---|
//! | `aliases` | union, with the lost titles and ids |
//! | `tags`, any list, relations | union, the keeper's first |
//! | a field of [`crate::signals::fields`] | as it says |
//! | `mem` | counts added, times the latest, strengths the largest |
//! | `updated` | set when the body changes |
//! | any other | the keeper's; one it lacks is copied; one that differs is listed in the body |

use serde_json::{Map, Value};

use crate::note;
use crate::note::edit::Edit;
use crate::note::matter::number_of;
use crate::signals::dates::moment;
use crate::signals::fields::{Field, Merge};

type Properties = Map<String, Value>;

/// What merging one note's properties into the keeper's takes.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// The keeper's properties afterwards.
    pub(super) properties: Properties,
    /// Properties of the other note whose value is not the keeper's, as `key: value`.
    pub(super) differing: Vec<String>,
}

/// Merges the properties of `other`, called `other_title` by its author, into the `keeper`'s.
pub(super) fn merge(
    keeper: &Properties,
    keeper_title: &str,
    other: &Properties,
    other_title: Option<&str>,
) -> Merged {
    let mut merged = Merged {
        properties: keeper.clone(),
        differing: Vec::new(),
    };
    for (key, theirs) in other {
        let ours = keeper.get(key).filter(|value| !value.is_null());
        match key.as_str() {
            "title" | "updated" => {}
            "id" if ours.is_some() => {
                add_aliases(
                    &mut merged.properties,
                    keeper_title,
                    [text(theirs)].into_iter(),
                );
            }
            "alias" | "aliases" => {
                let names = note::list_of(other, key);
                add_aliases(&mut merged.properties, keeper_title, names.into_iter());
            }
            "mem" => {
                if let Some(state) = learned(ours, theirs) {
                    merged.properties.insert(key.clone(), state);
                }
            }
            _ => one(&mut merged, key, ours, theirs),
        }
    }
    let stays = |key: &str| Field::merge_of(key) != Merge::LatestEnd || other.contains_key(key);
    merged.properties.retain(|key, _| stays(key));
    add_aliases(
        &mut merged.properties,
        keeper_title,
        other_title.into_iter().map(str::to_owned),
    );
    merged
}

fn one(merged: &mut Merged, key: &str, ours: Option<&Value>, theirs: &Value) {
    let Some(ours) = ours else {
        // A date of expiry that the keeper lacks would end a note that has no end.
        if Field::merge_of(key) != Merge::LatestEnd && !theirs.is_null() {
            merged.properties.insert(key.to_owned(), theirs.clone());
        }
        return;
    };
    let take = match Field::merge_of(key) {
        Merge::Earliest => seconds(theirs) < seconds(ours) && seconds(theirs).is_some(),
        Merge::Largest => number_of(theirs) > number_of(ours),
        Merge::LatestEnd => seconds(theirs) > seconds(ours),
        Merge::Any => theirs == &Value::Bool(true),
        Merge::Own if ours.is_array() || theirs.is_array() || key == "tags" => {
            if let Some(union) = union(key, ours, theirs) {
                merged.properties.insert(key.to_owned(), union);
            }
            return;
        }
        Merge::Own => {
            if !theirs.is_null() && ours != theirs {
                merged.differing.push(format!("{key}: {}", text(theirs)));
            }
            return;
        }
    };
    if take {
        merged.properties.insert(key.to_owned(), theirs.clone());
    }
}

/// The keeper's values and then those it lacks; `None` if it lacks none.
fn union(key: &str, ours: &Value, theirs: &Value) -> Option<Value> {
    let items = |value: &Value| match value {
        Value::Array(items) => items.clone(),
        Value::Null => Vec::new(),
        Value::String(text) if key == "tags" => {
            let parts = text
                .split([',', ' '])
                .map(str::trim)
                .filter(|part| !part.is_empty());
            parts
                .map(|part| Value::from(part.trim_start_matches('#')))
                .collect()
        }
        other => vec![other.clone()],
    };
    let mut all = items(ours);
    let before = all.len();
    for item in items(theirs) {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    (all.len() > before).then_some(Value::Array(all))
}

fn add_aliases(
    properties: &mut Properties,
    keeper_title: &str,
    names: impl Iterator<Item = String>,
) {
    let key = if properties.contains_key("alias") {
        "alias"
    } else {
        "aliases"
    };
    let mut aliases = note::list_of(properties, key);
    let before = aliases.len();
    for name in names {
        let known = aliases.iter().map(String::as_str).chain([keeper_title]);
        if !known
            .into_iter()
            .any(|known| known.eq_ignore_ascii_case(&name))
        {
            aliases.push(name);
        }
    }
    if aliases.len() > before {
        properties.insert(key.to_owned(), aliases.into());
    }
}

/// Merges learned state: `None` if the keeper's stays as it is.
fn learned(ours: Option<&Value>, theirs: &Value) -> Option<Value> {
    let theirs = theirs.as_object()?;
    let ours = match ours {
        // Who wrote the other note, and that nobody edited it, says nothing of the keeper.
        None => {
            let mut learned = theirs.clone();
            learned.retain(|key, _| !matches!(key.as_str(), "by" | "seal"));
            return (!learned.is_empty()).then_some(Value::Object(learned));
        }
        Some(ours) => ours.as_object()?,
    };
    let mut merged = ours.clone();
    for (key, value) in theirs {
        let Some(mine) = ours.get(key) else {
            merged.insert(key.clone(), value.clone());
            continue;
        };
        let better = match key.as_str() {
            "by" | "seal" => None,
            "accesses" => match (mine.as_i64(), value.as_i64()) {
                (Some(mine), Some(theirs)) => Some((mine + theirs).into()),
                _ => None,
            },
            "last" | "reviewed" => (seconds(value) > seconds(mine)).then(|| value.clone()),
            _ if mine.is_array() => union(key, mine, value),
            _ => (number_of(value) > number_of(mine)).then(|| value.clone()),
        };
        if let Some(better) = better {
            merged.insert(key.clone(), better);
        }
    }
    (merged != *ours).then_some(Value::Object(merged))
}

/// Returns the edits that turn properties `before` into `after`.
pub(super) fn edits(before: &Properties, after: &Properties) -> Vec<Edit> {
    let mut edits = Vec::new();
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        edits.push(Edit::Unset { key: key.into() });
    }
    for (key, value) in after {
        match (before.get(key), value) {
            (Some(old), new) if old == new => {}
            (Some(Value::Array(old)), Value::Array(new)) if new.starts_with(old) => {
                let added = new[old.len()..].iter();
                edits.extend(added.map(|value| Edit::Append {
                    key: key.into(),
                    value: value.clone(),
                }));
            }
            _ => edits.push(Edit::Set {
                key: key.into(),
                value: value.clone(),
            }),
        }
    }
    edits
}

fn seconds(value: &Value) -> Option<i64> {
    value.as_str().and_then(moment)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn every_attribute_has_its_rule() {
        for (name, ours, theirs, expected, differing) in [
            (
                "lists unite",
                json!({"tags": ["a"]}),
                json!({"tags": ["b", "a"]}),
                json!({"tags": ["a", "b"]}),
                "",
            ),
            (
                "a scalar joins a list",
                json!({"tags": "a"}),
                json!({"tags": ["b"]}),
                json!({"tags": ["a", "b"]}),
                "",
            ),
            (
                "unknown is copied",
                json!({}),
                json!({"mood": "calm"}),
                json!({"mood": "calm"}),
                "",
            ),
            (
                "unknown differs",
                json!({"mood": "calm"}),
                json!({"mood": "wild"}),
                json!({"mood": "calm"}),
                "mood: wild",
            ),
            (
                "earliest",
                json!({"created": "2026-02-02"}),
                json!({"created": "2026-01-01"}),
                json!({"created": "2026-01-01"}),
                "",
            ),
            (
                "earlier stays",
                json!({"created": "2026-01-01"}),
                json!({"created": "2026-02-02"}),
                json!({"created": "2026-01-01"}),
                "",
            ),
            (
                "largest",
                json!({"importance": 0.2}),
                json!({"importance": 0.9}),
                json!({"importance": 0.9}),
                "",
            ),
            (
                "keep wins",
                json!({"keep": false}),
                json!({"keep": true}),
                json!({"keep": true}),
                "",
            ),
            (
                "no end wins",
                json!({"expires": "2026-01-01"}),
                json!({}),
                json!({}),
                "",
            ),
            (
                "no end stays",
                json!({}),
                json!({"expires": "2026-01-01"}),
                json!({}),
                "",
            ),
            (
                "later end",
                json!({"expires": "2026-01-01"}),
                json!({"expires": "2027-01-01"}),
                json!({"expires": "2027-01-01"}),
                "",
            ),
            (
                "a second id is a name",
                json!({"id": "A"}),
                json!({"id": "B"}),
                json!({"id": "A", "aliases": ["B"]}),
                "",
            ),
            (
                "learned",
                json!({"mem": {"by": "x", "accesses": 2, "stability": 3.0}}),
                json!({"mem": {"by": "y", "accesses": 5, "stability": 1.0}}),
                json!({"mem": {"by": "x", "accesses": 7, "stability": 3.0}}),
                "",
            ),
            (
                "a person's note is not sealed",
                json!({}),
                json!({"mem": {"by": "x", "seal": "0", "accesses": 2}}),
                json!({"mem": {"accesses": 2}}),
                "",
            ),
            (
                "nothing learned",
                json!({}),
                json!({"mem": {"by": "x", "seal": "0"}}),
                json!({}),
                "",
            ),
            (
                "aliases",
                json!({"aliases": ["T"]}),
                json!({"aliases": ["t", "U"]}),
                json!({"aliases": ["T", "U"]}),
                "",
            ),
        ] {
            let (ours, theirs) = (ours.as_object().unwrap(), theirs.as_object().unwrap());
            let merged = merge(ours, "Keeper", theirs, Some("keeper"));
            assert_eq!(Value::Object(merged.properties), expected, "{name}");
            assert_eq!(merged.differing.join(";"), differing, "{name}");
        }
        let renamed = merge(&Map::new(), "Keeper", &Map::new(), Some("Old name")).properties;
        assert_eq!(Value::Object(renamed), json!({"aliases": ["Old name"]}));
    }
}
