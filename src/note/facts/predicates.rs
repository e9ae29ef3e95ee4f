//! What joins two names: the verbs that are read in sentences, and what their forms, and properties of the
//! same name, are called.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::note::words::lists::{self, Lists};

const TEXT: &str = include_str!("predicates.txt");

/// The words that facts are told by.
pub(super) static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::of(TEXT));

/// A verb and what may be its object.
pub(super) struct Verb {
    /// As a fact is called by it, from the doer's side.
    pub(super) name: &'static str,
    /// What stands between doer and object: `founded`, `works at`.
    pub(super) active: Vec<&'static str>,
    /// What stands between object and doer, behind a form of `be`: `founded by`; empty for none.
    pub(super) passive: &'static str,
    /// True if any words may be the object, not names alone.
    pub(super) takes_words: bool,
    /// True if what it is done to is no longer what counts: said wherever in a note it holds for all of it.
    pub(super) retires: bool,
}

/// Verbs that say the same of whomever they are said. The first that fits counts.
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
            retires: object == "retired",
        }
    });
    verbs.collect()
});

/// Returns the verbs of which a form begins with `word`.
pub(super) fn beginning(word: &str) -> impl Iterator<Item = &'static Verb> {
    static FIRST: LazyLock<HashMap<&str, Vec<&Verb>>> = LazyLock::new(|| {
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
    FIRST.get(word).into_iter().flatten().copied()
}

/// Returns the predicate that a property or heading of this name states, and whether its values are the
/// doers: `superseded-by` states `supersedes` of them.
pub fn canonical(key: &str) -> (String, bool) {
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

/// Returns whether values of a property of this predicate are other things of the note's own kind, so that
/// a number among them is that of a note.
pub(super) fn joins_notes(predicate: &str) -> bool {
    LISTS.has("joins_notes", predicate)
        || VERBS
            .iter()
            .any(|verb| verb.name == predicate && !verb.takes_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_lists_are_read_whole() {
        let names = "verbs joins_notes modal conditions sure was hearsay participles texts openers cuts household announces \
            beside joins_names relative behind_nouns";
        let names: Vec<&str> = names.split(' ').collect();
        lists::assert_read_whole(TEXT, &names);
        assert_eq!(canonical("superseded-by"), ("supersedes".to_owned(), true));
    }
}
