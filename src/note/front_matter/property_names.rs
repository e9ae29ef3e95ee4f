//! Spellings of a property's name: Obsidian reads some in any case, and in the singular, too.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// Properties whose key Obsidian reads in any case, and in the singular, too.
const STANDARD: [(&str, &str); 3] = [
    ("aliases", "alias"),
    ("tags", "tag"),
    ("cssclasses", "cssclass"),
];

/// Returns the usual spelling of `key`: `aliases` for `Alias`. A key of the user's own is its only one.
#[must_use]
pub fn standard_name(key: &str) -> &str {
    standard(key).unwrap_or(key)
}

fn standard(key: &str) -> Option<&'static str> {
    let is = |name: &str| key.eq_ignore_ascii_case(name);
    let mut names = STANDARD.into_iter();
    let (plural, _) = names.find(|(plural, singular)| is(plural) || is(singular))?;
    Some(plural)
}

/// Returns the values of the property `key` under all of its spellings, that of `key` first.
pub fn spelled<'p>(
    properties: &'p Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = (&'p String, &'p Value)> + use<'p> {
    let exact = properties.get_key_value(key);
    let name = standard(key);
    let others = name.is_some().then_some(properties).into_iter().flatten();
    let is_other = move |(other, _): &(&String, &Value)| {
        standard(other) == name && exact.is_none_or(|(exact, _)| exact != *other)
    };
    exact.into_iter().chain(others.filter(is_other))
}

/// Returns how `properties` spell `key`; as `key` itself if they do not have it.
#[must_use]
pub fn spelling<'p>(properties: &'p Map<String, Value>, key: &'p str) -> &'p str {
    spelled(properties, key).next().map_or(key, |(key, _)| key)
}

/// Returns `properties` with their keys as `model` spells them.
#[must_use]
pub fn spelled_as<'p>(
    properties: &'p Map<String, Value>,
    model: &Map<String, Value>,
) -> Cow<'p, Map<String, Value>> {
    let is_as_is = |key: &String| properties.contains_key(spelling(model, key));
    if properties.keys().all(is_as_is) {
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
