//! The predicates: verbs read in sentences, with canonical names for their forms and for equal property names.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::note::words::lists::{self, Lists};

const TEXT: &str = include_str!("predicates.txt");

/// Word lists used to extract facts.
pub(super) static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::of(TEXT));

/// A verb and the objects it takes.
pub(super) struct Verb {
    /// Name of the predicate, in the active voice.
    pub(super) name: &'static str,
    /// Active forms, between subject and object: `founded`, `works at`.
    pub(super) active: Vec<&'static str>,
    /// Passive form after `be`, between object and subject: `founded by`; empty if none.
    pub(super) passive: &'static str,
    /// Whether any words may be the object, not only names.
    pub(super) takes_words: bool,
    /// Whether it invalidates its object. Such a statement concerns the whole note wherever it occurs.
    pub(super) invalidates_object: bool,
}

/// Verbs whose meaning does not depend on their arguments. The first match wins.
static VERBS: LazyLock<Vec<Verb>> = LazyLock::new(|| {
    let rows = lists::rows(TEXT, "verbs");
    let verbs = rows.map(|row| {
        let [active, passive, object] = lists::columns(row);
        let (name, active) = active.split_once(" = ").unwrap_or(("", active));
        let active: Vec<&str> = active.split(", ").collect();
        Verb {
            name: if name.is_empty() { active[0] } else { name },
            active,
            passive,
            takes_words: object == "words",
            invalidates_object: object == "retired",
        }
    });
    verbs.collect()
});

/// Returns the verbs with a form whose first word is `word`.
pub(super) fn verbs_starting_with(word: &str) -> impl Iterator<Item = &'static Verb> {
    static BY_FIRST_WORD: LazyLock<HashMap<&str, Vec<&Verb>>> = LazyLock::new(|| {
        let mut first: HashMap<&str, Vec<&Verb>> = HashMap::new();
        for verb in VERBS.iter() {
            let forms = verb.active.iter().chain([&verb.passive]);
            for word in forms.filter_map(|form| form.split(' ').next()) {
                let verbs = first.entry(word).or_default();
                if !verbs.iter().any(|other| other.name == verb.name) {
                    verbs.push(verb);
                }
            }
        }
        first
    });
    BY_FIRST_WORD.get(word).into_iter().flatten().copied()
}

/// Returns the canonical predicate of a property or heading, and whether its values are the subjects: `superseded-by`
/// maps to `supersedes`, swapped.
pub fn canonical_predicate(key: &str) -> (String, bool) {
    let words: Vec<String> = key
        .split(|c: char| c.is_whitespace() || matches!(c, '-' | '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name = words.join(" ");
    for verb in VERBS.iter() {
        if verb.passive == name {
            return (verb.name.to_owned(), true);
        }
        if verb.active.contains(&name.as_str()) {
            return (verb.name.to_owned(), false);
        }
    }
    (name, false)
}

/// Returns whether values of this predicate are entities like the note itself, so that a number is the number of a
/// note.
pub(super) fn relates_notes(predicate: &str) -> bool {
    LISTS.has("joins_notes", predicate)
        || VERBS
            .iter()
            .any(|verb| verb.name == predicate && !verb.takes_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_lists_are_complete() {
        let lists = "verbs joins_notes modal conditions sure was hearsay participles texts openers cuts household \
            announces beside joins_names relative behind_nouns";
        let names: Vec<&str> = lists.split(' ').collect();
        lists::assert_read_whole(TEXT, &names);
        assert_eq!(
            canonical_predicate("superseded-by"),
            ("supersedes".to_owned(), true)
        );
    }
}
