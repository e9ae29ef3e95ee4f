//! Words that indicate a contradiction: verbs of change, and mutually exclusive values.
//!
//! The words are in `lexicon.txt`. Function words and negations come from [`english`].

use std::sync::LazyLock;

use crate::jobs::prelude::*;
use crate::note::words::english::WordEffect;
use crate::note::words::lists::{self, Lists};

const LEXICON_TEXT: &str = include_str!("lexicon.txt");

/// The sections of `lexicon.txt` for membership tests.
pub(super) static LEXICON_LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::of(LEXICON_TEXT));

/// Stem hashes of the predicates of a version.
pub(super) static VERSION_PREDICATES: LazyLock<HashSet<u64>> = LazyLock::new(|| {
    lists::words(LEXICON_TEXT, "requires")
        .map(stem_hash)
        .collect()
});

/// Function of a word in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A content word.
    Plain,
    /// A function word.
    Function,
    /// Negates the statement.
    Negation,
    /// Marks a plan, a wish or a condition.
    Hedge,
    /// `switch`: one thing replaces another; `from` and `to` name them.
    Switch,
    /// `move`: the same, with at least one of `from` and `to`.
    Change,
    /// `went`: the same, with both `from` and `to`.
    Passage,
    /// `grow`: one quantity replaces another.
    Measure,
    /// `stop`: the phrase after it has ended.
    End,
    /// `deprecated`: the phrase before it has ended.
    Over,
    /// `replace`: the phrase after it is the old value; `by` introduces the new one.
    Replace,
    /// `choose`: decides for the phrase after it.
    Choose,
    /// `use`: states the phrase after it as current.
    Use,
    /// `join`: a new place or post.
    Start,
}

/// Grammatical marker that a word carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Marker {
    /// No relevant marker.
    None,
    /// The writer or the person written about: `I`, `the user`.
    Writer,
    /// A possessive: `my`.
    Owner,
    /// A verb particle: `off`.
    Particle,
    Over,
    Never,
    /// Past tense: `was`.
    Was,
    /// Limits a fact to some occasions: `sometimes`.
    AtTimes,
}

/// One of a set of mutually exclusive values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ExclusiveValue {
    /// Number of the set.
    pub(super) group: u16,
    /// Number within the set; synonyms share it.
    pub(super) member: u16,
    /// True if the set only lists things of the same kind, which do not exclude each other.
    pub(super) is_kind: bool,
}

impl ExclusiveValue {
    /// Returns true for weekdays and months.
    pub(super) fn is_calendar(self) -> bool {
        self.group < 2
    }
}

/// The parsed word lists.
pub(super) static LEXICON: LazyLock<ConflictLexicon> = LazyLock::new(ConflictLexicon::new);

/// Verbs and values, by word and by stem.
#[derive(Debug)]
pub(super) struct ConflictLexicon {
    words: HashMap<String, ListedWord>,
    stems: HashMap<String, ListedWord>,
    parts: HashMap<&'static str, Marker>,
    foreign: HashMap<&'static str, Class>,
}

/// Entry of a word in the lists.
#[derive(Clone, Debug, Default)]
struct ListedWord {
    role: Option<Role>,
    values: Vec<ExclusiveValue>,
}

/// Properties of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) role: Role,
    pub(super) class: Class,
    pub(super) marker: Marker,
    pub(super) values: &'static [ExclusiveValue],
}

impl ConflictLexicon {
    fn new() -> Self {
        let mut words: HashMap<String, ListedWord> = HashMap::new();
        let mut stems: HashMap<String, ListedWord> = HashMap::new();
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
            for word in lists::words(LEXICON_TEXT, section) {
                words.entry(word.to_owned()).or_default().role = Some(role);
                // Words with `Role::Over` are not inflected: `gone`.
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
            foreign: by_word("foreign"),
        }
    }

    /// Looks up a lower-case word with its stem.
    pub(super) fn get(&'static self, word: &str, stem: &str) -> Lexeme {
        let known = english::word(word.strip_suffix("n't").unwrap_or(word));
        let class = self.foreign.get(word).copied().unwrap_or(known.class);
        let denies = english::denies(word) || word.starts_with("n'");
        let exact = self.words.get(word);
        // A function word never matches a verb by its stem.
        let is_open = class == Class::Plain && !denies;
        let listed = exact.or_else(|| self.stems.get(stem).filter(|_| is_open));
        let role = match listed.and_then(|listed| listed.role) {
            _ if denies => Role::Negation,
            Some(role) => role,
            None if class == Class::Plain && known.content != WordEffect::Light => Role::Plain,
            None => Role::Function,
        };
        Lexeme {
            role,
            class,
            marker: self.parts.get(word).copied().unwrap_or(Marker::None),
            values: listed.map_or(&[], |listed| &listed.values),
        }
    }
}

/// Returns the hash of the stem of a lower-case word.
pub(super) fn stem_hash(word: &str) -> u64 {
    xxh3_64(stem(word).as_bytes())
}

fn by_word<T: Copy + Deserialize<'static>>(section: &str) -> HashMap<&'static str, T> {
    let rows = lists::rows(LEXICON_TEXT, section).flat_map(|row| {
        let [name, words] = lists::columns(row);
        let value: T = lists::variant(name);
        words.split(' ').map(move |word| (word, value))
    });
    rows.collect()
}

/// Returns the value words of all sets.
fn values() -> impl Iterator<Item = (&'static str, ExclusiveValue)> {
    let exclusive = lists::rows(LEXICON_TEXT, "exclusive").map(|set| (set, false));
    let sets = exclusive.chain(lists::rows(LEXICON_TEXT, "kinds").map(|set| (set, true)));
    sets.enumerate().flat_map(|(group, (set, is_kind))| {
        let members = set.split_whitespace().enumerate();
        members.flat_map(move |(member, synonyms)| {
            let value = ExclusiveValue {
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
    fn word_lists_parse_completely() {
        let list = "hedge switch change passage measure end over replace choose use start parts languages foreign exclusive kinds single several requires asks series copula past";
        let names: Vec<&str> = list.split(' ').collect();
        lists::assert_read_whole(LEXICON_TEXT, &names);
        assert_eq!(LEXICON.get("might", "might").role, Role::Hedge);
    }
}
