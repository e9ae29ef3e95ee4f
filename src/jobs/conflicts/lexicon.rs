//! The words by which two statements are told to disagree: verbs of change, and values that exclude each other.
//!
//! `lexicon.txt` lists them, and [`frame`](super::frame) the verbs of attributes there. Words of grammar and denials
//! are those of [`english`].

use std::sync::LazyLock;

use super::frame::{Frames, LISTS};
use crate::jobs::prelude::*;
use crate::note::words::english::Content;
use crate::note::words::lists;

/// What a word does in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Says something of its own.
    Plain,
    /// Holds others together.
    Function,
    /// Turns the statement around.
    Negation,
    /// Says that it may be otherwise: a plan, a wish, a condition.
    Hedge,
    /// `switch`: one thing gives way to another, named by `from` and `to`.
    Switch,
    /// `move`: the same, if `from` or `to` say so.
    Change,
    /// `went`: the same, if `from` and `to` say so.
    Passage,
    /// `grow`: a quantity gives way to another.
    Measure,
    /// `stop`: what follows is over.
    End,
    /// `deprecated`: what went before is over.
    Over,
    /// `replace`: what follows gives way; with `by` before what comes.
    Replace,
    /// `choose`: a decision for what follows.
    Choose,
    /// `use`: what follows is so.
    Use,
    /// `join`: a new place or post.
    Start,
}

/// What a word of grammar is to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Part {
    /// Nothing that matters here.
    None,
    /// Who writes, or is written for: `I`, `the user`.
    Writer,
    /// Whose it is: `my`.
    Owner,
    /// What a verb goes on in: `off`.
    Particle,
    Over,
    Never,
    /// That it is past: `was`.
    Was,
    /// What makes a fact hold at times only: `sometimes`.
    AtTimes,
}

/// One of several values of which a thing has one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value {
    /// Which set of values.
    pub(super) group: u16,
    /// Which of them; synonyms share a number.
    pub(super) member: u16,
    /// True if the set only says that two things are of a kind, not that one excludes the other.
    pub(super) is_kind: bool,
}

impl Value {
    /// Returns true for a day of the week and a month.
    pub(super) fn is_calendar(self) -> bool {
        self.group < 2
    }
}

/// The only one there is.
pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);

/// Verbs and values, by word and by stem.
#[derive(Debug)]
pub(super) struct Lexicon {
    words: HashMap<String, Listed>,
    stems: HashMap<String, Listed>,
    parts: HashMap<&'static str, Part>,
    german: HashMap<&'static str, Class>,
    pub(super) frames: Frames,
}

/// What is listed of a word.
#[derive(Clone, Debug, Default)]
struct Listed {
    role: Option<Role>,
    values: Vec<Value>,
}

/// What is known of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) role: Role,
    pub(super) class: Class,
    pub(super) part: Part,
    pub(super) values: &'static [Value],
}

impl Lexicon {
    fn new() -> Self {
        let mut words: HashMap<String, Listed> = HashMap::new();
        let mut stems: HashMap<String, Listed> = HashMap::new();
        for (role, section) in [
            (Role::Hedge, "hedge"),
            (Role::Use, "use"),
            (Role::Choose, "choose"),
            (Role::Start, "start"),
            (Role::Replace, "replace"),
            (Role::Measure, "measure"),
            (Role::Change, "change"),
            (Role::Passage, "passage"),
            (Role::Switch, "switch"),
            (Role::End, "end"),
            (Role::Over, "over"),
        ] {
            for word in lists::words(LISTS, section) {
                words.entry(word.to_owned()).or_default().role = Some(role);
                // What is over has no endings to take off: `gone`.
                if role != Role::Over {
                    stems.entry(stem(word)).or_default().role = Some(role);
                }
            }
        }
        for (word, value) in values() {
            words.entry(word.to_owned()).or_default().values.push(value);
            stems.entry(stem(word)).or_default().values.push(value);
        }
        for (word, listed) in &mut words {
            let stemmed = stems.get(&stem(word)).and_then(|stem| stem.role);
            listed.role = listed.role.or(stemmed);
        }
        Self {
            words,
            stems,
            parts: by_word("parts"),
            german: by_word("german"),
            frames: Frames::new(),
        }
    }

    /// Returns what is known of a lower-case word with this stem.
    pub(super) fn get(&'static self, word: &str, stem: &str) -> Lexeme {
        let known = english::word(word.strip_suffix("n't").unwrap_or(word));
        let class = self.german.get(word).copied().unwrap_or(known.class);
        let denies = english::denies(word);
        let exact = self.words.get(word);
        // A word of grammar is none of the verbs that it looks like.
        let is_open = class == Class::Plain && !denies;
        let listed = exact.or_else(|| self.stems.get(stem).filter(|_| is_open));
        let role = match listed.and_then(|listed| listed.role) {
            _ if denies => Role::Negation,
            Some(role) => role,
            None if class == Class::Plain && known.content != Content::Light => Role::Plain,
            None => Role::Function,
        };
        Lexeme {
            role,
            class,
            part: self.parts.get(word).copied().unwrap_or(Part::None),
            values: listed.map_or(&[], |listed| &listed.values),
        }
    }
}

fn by_word<T: Copy + Deserialize<'static>>(section: &str) -> HashMap<&'static str, T> {
    let rows = lists::rows(LISTS, section).flat_map(|row| {
        let [name, words] = lists::columns(row);
        let value: T = lists::variant(name);
        words.split(' ').map(move |word| (word, value))
    });
    rows.collect()
}

/// Returns the words that are values, group by group.
fn values() -> impl Iterator<Item = (&'static str, Value)> {
    let sets = lists::rows(LISTS, "exclusive").map(|set| (set, false));
    let sets = sets.chain(lists::rows(LISTS, "kinds").map(|set| (set, true)));
    sets.enumerate().flat_map(|(group, (set, is_kind))| {
        let members = set.split_whitespace().enumerate();
        members.flat_map(move |(member, synonyms)| {
            let value = Value {
                group: group as u16,
                member: member as u16,
                is_kind,
            };
            synonyms.split('=').map(move |word| (word, value))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_lists_are_read_whole() {
        let names = "hedge switch change passage measure end over replace choose use start parts german exclusive kinds frames nouns single sole several event one_of tooled asks posts series past";
        let names: Vec<&str> = names.split(' ').collect();
        lists::assert_read_whole(LISTS, &names);
        assert_eq!(LEXICON.get("might", "might").role, Role::Hedge);
    }
}
