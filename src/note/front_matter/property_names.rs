//! Spellings of property names. Names known to mem or Obsidian are read in any case, some of Obsidian's in the
//! singular as well. Edits keep the author's spelling.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::relation::Relation;

/// Obsidian properties with plural and singular names.
const OBSIDIAN_PROPERTIES: [(&str, &str); 3] = [
    ("aliases", "alias"),
    ("tags", "tag"),
    ("cssclasses", "cssclass"),
];

/// Properties that mem reads, apart from relations.
const MEM_PROPERTIES: &str = "confidence created date expires id importance keep space space_locked tier title type \
    updated valid_from valid_until";

/// Returns the standard spelling of `key`: `aliases` for `Alias`, `keep` for `Keep`. A user-defined key is returned
/// unchanged.
pub fn standard_name(key: &str) -> &str {
    standard_spelling(key).unwrap_or(key)
}

fn standard_spelling(key: &str) -> Option<&'static str> {
    let is = |name: &str| key.eq_ignore_ascii_case(name);
    let mut names = OBSIDIAN_PROPERTIES.into_iter();
    if let Some((plural, _)) = names.find(|(plural, singular)| is(plural) || is(singular)) {
        return Some(plural);
    }
    let own = MEM_PROPERTIES.split(' ').find(|name| is(name));
    own.or_else(|| Relation::named(key).map(Relation::name))
}

/// Returns the value of the property `key` in its first spelling.
pub fn property<'p>(properties: &'p Map<String, Value>, key: &str) -> Option<&'p Value> {
    spelled(properties, key).next().map(|(_, value)| value)
}

/// Whether a boolean property like `keep` is set: `true`, or one of the words for it in YAML 1.1, or 1.
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => *yes,
        Value::String(text) => {
            let text = text.trim().to_lowercase();
            ["true", "yes", "on", "y", "1"].contains(&&*text)
        }
        Value::Number(number) => number.as_u64() == Some(1),
        _ => false,
    }
}

/// Returns the values of the property `key` in all spellings, the exact one first.
pub fn spelled<'p>(
    properties: &'p Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = (&'p String, &'p Value)> + use<'p> {
    let exact = properties.get_key_value(key);
    let name = standard_spelling(key);
    let others = name.is_some().then_some(properties).into_iter().flatten();
    let is_other = move |(other, _): &(&String, &Value)| {
        standard_spelling(other) == name && exact.is_none_or(|(exact, _)| exact != *other)
    };
    exact.into_iter().chain(others.filter(is_other))
}

/// Returns the spelling of `key` in `properties`, or `key` itself if absent.
pub fn spelling<'p>(properties: &'p Map<String, Value>, key: &'p str) -> &'p str {
    spelled(properties, key).next().map_or(key, |(key, _)| key)
}

/// Returns `properties` with keys spelled as in `model`.
pub fn spelled_as<'p>(
    properties: &'p Map<String, Value>,
    model: &Map<String, Value>,
) -> Cow<'p, Map<String, Value>> {
    let is_spelled_equally = |key: &String| properties.contains_key(spelling(model, key));
    if properties.keys().all(is_spelled_equally) {
        return Cow::Borrowed(properties);
    }
    let entries = properties.iter().map(|(key, value)| {
        let new = spelling(model, key);
        let key = if properties.contains_key(new) {
            key
        } else {
            new
        };
        (key.to_owned(), value.clone())
    });
    Cow::Owned(entries.collect())
}
