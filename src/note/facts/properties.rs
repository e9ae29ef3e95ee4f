//! Facts stated by properties.

use serde_json::Value;

use super::fact::{Fact, Lines, Rule, Term};
use super::predicates::{LISTS, canonical, joins_notes};
use super::sentences;
use crate::note::Note;
use crate::note::names::name_forms::NameForms;

/// Maximum bytes of a value; a longer text is prose.
const LONGEST: usize = 80;

pub(super) fn facts(text: &str, note: &Note, stem: &str) -> Vec<Fact> {
    let mut facts = Vec::new();
    let own = NameForms::of(stem).number().map(str::to_owned);
    let mut lines = Lines::of(text);
    for (key, value) in &note.properties {
        if LISTS.has("household", &key.to_lowercase()) {
            continue;
        }
        let (predicate, turned) = canonical(key);
        let line = lines.line(place(text, note, key));
        for term in terms(note, key, &predicate, value) {
            // A number equal to the one in the file name adds nothing.
            if matches!(&term, Term::Value(value) if own.as_ref() == Some(value)) {
                continue;
            }
            if let Term::Value(value) = &term {
                facts.extend(sentences::of_text(value, stem, line));
            }
            facts.push(Fact::of_note(
                (&predicate, turned),
                term,
                line,
                Rule::Property,
            ));
        }
    }
    facts.sort_by_key(|fact| fact.line);
    facts
}

/// Returns the offset of the property's line, or of the block if the key is not written there literally.
fn place(text: &str, note: &Note, key: &str) -> usize {
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

fn terms(note: &Note, key: &str, predicate: &str, value: &Value) -> Vec<Term> {
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
        Value::String(said) => of_text(note, key, predicate, said),
        Value::Number(number) => vec![numbered(predicate, number.to_string())],
        // A boolean is a display option.
        Value::Bool(_) | Value::Null => Vec::new(),
    }
}

fn numbered(predicate: &str, number: String) -> Term {
    if joins_notes(predicate) && number.bytes().all(|byte| byte.is_ascii_digit()) {
        Term::Number(number)
    } else {
        Term::Value(number)
    }
}

fn of_text(note: &Note, key: &str, predicate: &str, said: &str) -> Vec<Term> {
    let said = said.trim();
    if said.is_empty() || said.len() > LONGEST * 8 || said.contains('\n') {
        return Vec::new();
    }
    let mut links = note.links.iter();
    let link = links.find(|link| {
        link.property.as_deref() == Some(key)
            && said.contains(link.target.as_str())
            && said.starts_with(['[', '!'])
    });
    if let Some(link) = link {
        return vec![Term::of_link(link)];
    }
    let parts: Vec<&str> = said.split(',').map(str::trim).collect();
    let is_number =
        |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty();
    if parts.iter().all(is_number) {
        let each = parts.into_iter();
        return each
            .map(|part| numbered(predicate, part.to_owned()))
            .collect();
    }
    // `Ann Lee (@ann), Bo Ray` is a list, `Paris, France` a single place.
    let is_list = parts.len() > 1 && parts.iter().all(|part| part.contains(' '));
    let parts = if is_list { parts } else { vec![said] };
    let each = parts
        .into_iter()
        .map(bare)
        .filter(|part| part.contains(char::is_alphanumeric) && part.len() <= LONGEST);
    each.map(|part| {
        if is_list && is_name(part) || is_name(part) && part.contains(' ') {
            Term::Name(part.to_owned())
        } else {
            Term::Value(part.to_owned())
        }
    })
    .collect()
}

/// Returns a name without a bracketed suffix: `(@ann)`, `<ann@x.org>`.
fn bare(part: &str) -> &str {
    let bracket = part.find([' ', '\t']).and_then(|_| part.find(['(', '<']));
    match bracket {
        Some(at) if at > 0 && part.ends_with([')', '>']) => part[..at].trim_end(),
        _ => part,
    }
}

/// Returns true if each word begins with a capital or a digit.
fn is_name(text: &str) -> bool {
    text.len() <= LONGEST / 2
        && text.chars().any(char::is_alphabetic)
        && !text.contains(',')
        && text
            .split_whitespace()
            .all(|word| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()))
}
