//! What is known of English words: their grammar, endings, numbers and negations.
//!
//! One table for all that compares texts by their words: how much a word counts in a query
//! ([`query_weight`]), what it says in a text ([`content_words`](super::content_words), for duplicates),
//! what it does in a sentence (`jobs::conflicts`). What is not listed is a word that says something of its
//! own: the lists need not be complete, they only must not be wrong.
//!
//! The terms of the text index are stemmed by [`analyzer`](super::analyzer), in many languages. Its stemmer
//! makes one of `used` and `use`, `general` and `generation`: right for finding, too rough for saying that
//! two texts say the same. [`stem`] takes off inflections only.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::lists::{self, Lists};

/// The lists of words.
const LISTS: &str = include_str!("english.txt");

/// The words of each section.
pub(crate) static WORDS: LazyLock<Lists> = LazyLock::new(|| Lists::of(LISTS));

/// What a word does in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Says something of its own.
    Plain,
    /// Holds others together, as none of the following.
    Function,
    Article,
    Be,
    /// Another thought begins.
    And,
    /// One of several.
    Or,
    /// Not yet, or not always.
    Will,
    /// Perhaps not.
    May,
    From,
    To,
    By,
    With,
    For,
    Of,
    /// Before a place or a time.
    At,
    Than,
    Instead,
    Longer,
    /// Less than a plain yes or no.
    More,
    Now,
    Only,
    Up,
    /// A denial in passing.
    Without,
    No,
}

/// What a word says where another text lacks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Something of its own.
    Full,
    /// How others belong together: one for another matters, one more or less hardly.
    Light,
    /// Nothing alone. A past, a direction or a reason is not of this kind.
    Empty,
    /// It changes what the others say.
    Qualifies,
}

/// What is known of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Word {
    /// What it does in a sentence.
    pub class: Class,
    /// What it says where another text lacks it.
    pub content: Content,
    /// What it counts in a query, of one.
    weight: f32,
}

/// Returns what is known of a lower-case `word`.
pub fn word(word: &str) -> Word {
    static KNOWN: LazyLock<HashMap<&str, Word>> = LazyLock::new(|| {
        let rows = lists::rows(LISTS, "words").flat_map(|row| {
            let [class, content, weight, words] = lists::columns(row);
            let known = Word {
                class: lists::variant(class),
                content: lists::variant(content),
                weight: match weight {
                    "asks" => 0.1,
                    "joins" => 0.3,
                    _ => 1.0,
                },
            };
            words.split(' ').map(move |word| (word, known))
        });
        rows.collect()
    });
    KNOWN.get(word).copied().unwrap_or(Word {
        class: Class::Plain,
        content: Content::Full,
        weight: 1.0,
    })
}

/// Returns the weight of a word of an English query, of one: `word` is in lower case and without `'s`.
///
/// How rare a word is in the notes is the first measure, and the text index has it; this corrects it for
/// the words that make a question.
///
/// Over questions to conversations (`LoCoMo`, one conversation, half of them each) recall at 10 by
/// words alone is .609 and .619 without, .662 and .678 with this; the phrases of a garden and the
/// questions of `memorybench` are found as before.
pub fn query_weight(word: &str) -> f32 {
    self::word(word).weight
}

/// Returns the number that a lower-case `word` says, in digits if it is one of the common ones.
pub fn number(word: &str) -> Option<&str> {
    static KNOWN: LazyLock<HashMap<&str, &str>> =
        LazyLock::new(|| lists::pairs(LISTS, "numbers").collect());
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        return Some(word);
    }
    KNOWN.get(word).copied()
}

/// How a word denies.
#[derive(Clone, Copy)]
enum Denial {
    Statement,
    InPassing,
    ByMeaning,
}

fn denial(word: &str) -> Option<Denial> {
    // Looked up for every word of every text that is compared.
    static KNOWN: LazyLock<HashMap<&str, Denial>> = LazyLock::new(|| {
        let kinds = [
            ("by_meaning", Denial::ByMeaning),
            ("in_passing", Denial::InPassing),
            ("statement", Denial::Statement),
        ];
        let words =
            |(section, denial)| lists::words(LISTS, section).map(move |word| (word, denial));
        kinds.into_iter().flat_map(words).collect()
    });
    if word.ends_with("n't") {
        return Some(Denial::Statement);
    }
    KNOWN.get(word).copied()
}

/// Returns true if a lower-case `word` turns a statement around, or denies a part of it.
pub fn is_negation(word: &str) -> bool {
    matches!(denial(word), Some(Denial::Statement | Denial::InPassing))
}

/// Returns true if a lower-case `word` turns a statement around, or denies by what it means.
pub fn denies(word: &str) -> bool {
    matches!(denial(word), Some(Denial::Statement | Denial::ByMeaning))
}

/// Returns true if a lower-case `word` stands for what was named before.
pub fn refers_back(word: &str) -> bool {
    WORDS.has("refers_back", word)
}

/// Takes off the endings that nouns and verbs take on. Rough, and the same on both sides of a comparison:
/// that two words meet matters, not how they are written then.
pub fn stem(word: &str) -> String {
    stem_of(word, true)
}

/// Returns the [`stem`] of a word whose past is another word than its present: `used`, `use`.
pub fn stem_keeping_past(word: &str) -> String {
    static PLURALS: LazyLock<HashMap<&str, &str>> =
        LazyLock::new(|| lists::pairs(LISTS, "plurals").collect());
    let bare = word.strip_suffix("'s").unwrap_or(word);
    let irregular = PLURALS.get(bare).copied();
    irregular.map_or_else(|| stem_of(word, false), str::to_owned)
}

fn stem_of(word: &str, cut_past: bool) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if !word.is_ascii() || word.len() < 3 {
        return word.to_owned();
    }
    if let Some(base) = word.strip_suffix("ies").filter(|base| base.len() > 1) {
        return format!("{base}i");
    }
    let singular = without_s(word);
    let verb = without_ending(singular, cut_past);
    let base = match verb.strip_suffix('e') {
        Some(base) if base.len() > 1 => base,
        _ => verb,
    };
    match base.strip_suffix('y') {
        Some(stem) if stem.len() > 1 => format!("{stem}i"),
        _ => base.to_owned(),
    }
}

fn without_s(word: &str) -> &str {
    let is_plural = word.len() > 3 && !word.ends_with("ss") && !word.ends_with("us");
    word.strip_suffix('s').filter(|_| is_plural).unwrap_or(word)
}

/// Takes off `ing` and perhaps `ed`, and the consonant that was doubled before it.
fn without_ending(word: &str, cut_past: bool) -> &str {
    let has_vowel = |base: &str| base.bytes().any(|byte| b"aeiouy".contains(&byte));
    let past = |word: &'_ str| {
        word.strip_suffix("ed")
            .filter(|base| !base.ends_with('e'))
            .map(str::len)
    };
    let base = word
        .strip_suffix("ing")
        .map(str::len)
        .or_else(|| past(word).filter(|_| cut_past))
        .map(|length| &word[..length])
        .filter(|base| base.len() > 1 && has_vowel(base));
    match base.map(str::as_bytes) {
        Some([.., a, b]) if a == b && !b"aeioulsz".contains(a) => {
            base.map_or(word, |base| &base[..base.len() - 1])
        }
        _ => base.unwrap_or(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_lists_are_read_whole() {
        let names = "words statement in_passing by_meaning numbers plurals refers_back stubs any_name determiners";
        let names: Vec<&str> = names.split(' ').collect();
        lists::assert_read_whole(LISTS, &names);
    }

    #[test]
    fn words_that_ask_say_least() {
        for (word, expected) in [
            ("when", 0.1),
            ("a", 0.3),
            ("your", 0.3),
            ("may", 1.0),
            ("tea", 1.0),
        ] {
            assert!((query_weight(word) - expected).abs() < 1e-6, "{word}");
        }
    }

    #[test]
    fn a_word_is_listed_once() {
        let rows = lists::rows(LISTS, "words");
        let words = rows.flat_map(|row| lists::columns::<4>(row)[3].split(' '));
        let mut seen = std::collections::HashSet::new();
        assert_eq!(
            words.filter(|word| !seen.insert(*word)).collect::<Vec<_>>(),
            [""; 0]
        );
    }

    #[test]
    fn stems() {
        for (word, with_past, without) in [
            ("dogs", "dog", "dog"),
            ("boxes", "box", "box"),
            ("cities", "citi", "citi"),
            ("city", "citi", "citi"),
            ("running", "run", "run"),
            ("filling", "fill", "fill"),
            ("switched", "switch", "switched"),
            ("used", "us", "used"),
            ("use", "us", "us"),
            ("hundreds", "hundr", "hundred"),
            ("women", "women", "woman"),
            ("anna's", "anna", "anna"),
            ("bus", "bus", "bus"),
            ("need", "need", "need"),
            ("thing", "thing", "thing"),
            ("mp3s", "mp3", "mp3"),
        ] {
            assert_eq!(
                (stem(word).as_str(), stem_keeping_past(word).as_str()),
                (with_past, without),
                "{word}"
            );
        }
    }
}
