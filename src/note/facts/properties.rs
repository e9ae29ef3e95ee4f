//! Facts stated by properties.

use serde_json::Value;

use super::fact::{Fact, FactSource, FactTerm, LineCounter};
use super::predicates::{LISTS, canonical_predicate, relates_notes};
use super::sentences;
use crate::note::Note;
use crate::note::names::name_forms::NameForms;

/// Maximum bytes of a value; a longer text is prose.
const MAX_VALUE_BYTES: usize = 80;

pub(super) fn facts(text: &str, note: &Note, stem: &str) -> Vec<Fact> {
    let mut facts = Vec::new();
    let own = NameForms::of(stem).number().map(str::to_owned);
    let mut lines = LineCounter::of(text);
    for (key, value) in &note.properties {
        if LISTS.has("household", &key.to_lowercase()) {
            continue;
        }
        let (predicate, is_swapped) = canonical_predicate(key);
        let line = lines.line(key_offset(text, note, key));
        for term in terms(note, key, &predicate, value) {
            // A number equal to the one in the file name adds nothing.
            if matches!(&term, FactTerm::Value(value) if own.as_ref() == Some(value)) {
                continue;
            }
            if let FactTerm::Value(value) = &term {
                facts.extend(sentences::facts_of_text(value, stem, line));
            }
            facts.push(Fact::about_note(
                (&predicate, is_swapped),
                term,
                line,
                FactSource::Property,
            ));
        }
    }
    facts.sort_by_key(|fact| fact.line);
    facts
}

/// Returns the offset of the property's line, or of the block if the key is not written there literally.
fn key_offset(text: &str, note: &Note, key: &str) -> usize {
    let Some(block) = &note.block else {
        return 0;
    };
    let inner = &text[block.inner.clone()];
    let mut at = block.inner.start;
    for line in inner.split_inclusive('\n') {
        let name = line.trim_start_matches(['"', '\'']);
        if name.strip_prefix(key).is_some_and(|rest| {
            rest.trim_start_matches(['"', '\'', ' '])
                .starts_with([':', '='])
        }) {
            return at;
        }
        at += line.len();
    }
    block.inner.start
}

fn terms(note: &Note, key: &str, predicate: &str, value: &Value) -> Vec<FactTerm> {
    match value {
        Value::Array(values) => {
            let each = values.iter().filter(|value| !value.is_array());
            each.flat_map(|value| terms(note, key, predicate, value))
                .collect()
        }
        Value::Object(map) => map
            .get("to")
            .map(|to| terms(note, &format!("{key}.to"), predicate, to))
            .unwrap_or_default(),
        Value::String(value_text) => terms_of_text(note, key, predicate, value_text),
        Value::Number(number) => vec![number_term(predicate, number.to_string())],
        // A boolean is a display option.
        Value::Bool(_) | Value::Null => Vec::new(),
    }
}

fn number_term(predicate: &str, number: String) -> FactTerm {
    if relates_notes(predicate) && number.bytes().all(|byte| byte.is_ascii_digit()) {
        FactTerm::Number(number)
    } else {
        FactTerm::Value(number)
    }
}

fn terms_of_text(note: &Note, key: &str, predicate: &str, value_text: &str) -> Vec<FactTerm> {
    let value_text = value_text.trim();
    if value_text.is_empty() || value_text.len() > MAX_VALUE_BYTES * 8 || value_text.contains('\n')
    {
        return Vec::new();
    }
    let mut links = note.links.iter();
    let link = links.find(|link| {
        link.property.as_deref() == Some(key)
            && value_text.contains(link.target.as_str())
            && value_text.starts_with(['[', '!'])
    });
    if let Some(link) = link {
        return vec![FactTerm::of_link(link)];
    }
    let parts: Vec<&str> = value_text.split(',').map(str::trim).collect();
    let is_number =
        |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty();
    if parts.iter().all(is_number) {
        let each = parts.into_iter();
        return each
            .map(|part| number_term(predicate, part.to_owned()))
            .collect();
    }
    // `Ann Lee (@ann), Bo Ray` is a list, `Paris, France` a single place.
    let is_list = parts.len() > 1 && parts.iter().all(|part| part.contains(' '));
    let parts = if is_list { parts } else { vec![value_text] };
    let each = parts
        .into_iter()
        .map(without_bracketed_suffix)
        .filter(|part| part.contains(char::is_alphanumeric) && part.len() <= MAX_VALUE_BYTES);
    each.map(|part| {
        if is_list && is_name(part) || is_name(part) && part.contains(' ') {
            FactTerm::Name(part.to_owned())
        } else {
            FactTerm::Value(part.to_owned())
        }
    })
    .collect()
}

/// Returns a name without a bracketed suffix: `(@ann)`, `<ann@x.org>`.
fn without_bracketed_suffix(part: &str) -> &str {
    let bracket = part.find([' ', '\t']).and_then(|_| part.find(['(', '<']));
    match bracket {
        Some(at) if at > 0 && part.ends_with([')', '>']) => part[..at].trim_end(),
        _ => part,
    }
}

/// Returns true if each word begins with a capital or a digit.
fn is_name(text: &str) -> bool {
    text.len() <= MAX_VALUE_BYTES / 2
        && text.chars().any(char::is_alphabetic)
        && !text.contains(',')
        && text
            .split_whitespace()
            .all(|word| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()))
}
