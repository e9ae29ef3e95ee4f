//! Grammar of English words: classes, endings, numbers and negations.
//!
//! One table for all word comparisons. Columns are the weight in a query ([`query_weight`]), the content in a
//! text ([`content_words`](super::content_words), for duplicates), and the class in a sentence
//! (`jobs::conflicts`). Unlisted words are content words: the lists may be incomplete, but not wrong.
//!
//! [`analyzer`](super::analyzer) stems the terms of the text index in many languages. Its stemmer conflates
//! `used` with `use`, and `general` with `generation`. That is right for retrieval, but too coarse to decide
//! that two texts are equal. [`stem`] removes inflections only.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::lists::{self, Lists};

/// The lists of words.
const LISTS: &str = include_str!("english.txt");

/// The words of each section.
pub(crate) static WORDS: LazyLock<Lists> = LazyLock::new(|| Lists::of(LISTS));

/// Grammatical class of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A content word.
    Plain,
    /// Any other function word.
    Function,
    Article,
    Be,
    /// Begins another clause.
    And,
    /// Begins an alternative.
    Or,
    /// Future or condition.
    Will,
    /// Possibility.
    May,
    From,
    To,
    By,
    With,
    For,
    Of,
    /// Precedes a place or a time.
    At,
    Than,
    Instead,
    Longer,
    /// Qualifies a plain yes or no.
    More,
    Now,
    Only,
    Up,
    /// An incidental denial.
    Without,
    No,
}

/// Effect on the meaning if another text lacks the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordEffect {
    /// A content word.
    Full,
    /// Relates other words: a replacement matters, an addition or omission hardly.
    Light,
    /// No effect. Past tenses, directions and reasons are not in this class.
    Empty,
    /// Changes the meaning of other words.
    Qualifies,
}

/// Grammar of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordGrammar {
    /// Class in a sentence.
    pub class: Class,
    /// Effect on the meaning if another text lacks the word.
    pub content: WordEffect,
    /// Weight in a query, at most 1.
    weight: f32,
}

/// Returns the grammar of a lower-case `word`.
pub fn word(word: &str) -> WordGrammar {
    static KNOWN: LazyLock<HashMap<&str, WordGrammar>> = LazyLock::new(|| {
        let rows = lists::rows(LISTS, "words").flat_map(|row| {
            let [class, content, weight, words] = lists::columns(row);
            let known = WordGrammar {
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
    KNOWN.get(word).copied().unwrap_or(WordGrammar {
        class: Class::Plain,
        content: WordEffect::Full,
        weight: 1.0,
    })
}

/// Returns the weight of a word of an English query, at most 1. `word` is in lower case and without `'s`.
///
/// The text index already weights words by rarity; this corrects the weight of question words.
///
/// On questions to conversations (`LoCoMo`, two halves of one conversation) lexical recall at 10 is .609 and
/// .619 without, .662 and .678 with this. Phrases from a garden and the questions of `memorybench` are
/// unaffected.
pub fn query_weight(word: &str) -> f32 {
    self::word(word).weight
}

/// Returns the number denoted by a lower-case `word`, in digits for the common ones.
pub fn number(word: &str) -> Option<&str> {
    static KNOWN: LazyLock<HashMap<&str, &str>> =
        LazyLock::new(|| lists::pairs(LISTS, "numbers").collect());
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        return Some(word);
    }
    KNOWN.get(word).copied()
}

/// Kind of negation.
#[derive(Clone, Copy)]
enum Denial {
    Statement,
    InPassing,
    ByMeaning,
}

fn denial(word: &str) -> Option<Denial> {
    // Looked up for every word of every compared text.
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

/// Returns whether a lower-case `word` negates a statement or a part of it.
pub fn is_negation(word: &str) -> bool {
    matches!(denial(word), Some(Denial::Statement | Denial::InPassing))
}

/// Returns whether a lower-case `word` negates, or denies by its meaning.
pub fn denies(word: &str) -> bool {
    matches!(denial(word), Some(Denial::Statement | Denial::ByMeaning))
}

/// Returns whether a lower-case `word` refers to something named before.
pub fn refers_back(word: &str) -> bool {
    WORDS.has("refers_back", word)
}

/// Returns whether a lower-case `word` names a weekday or month.
pub fn is_calendar_word(word: &str) -> bool {
    WORDS.has("calendar", word)
}

/// Removes inflections of nouns and verbs. The result is approximate and only for comparison with other
/// stems.
pub fn stem(word: &str) -> String {
    stem_of(word, true)
}

/// As [`stem`], but keeps a past tense that differs from the present: `used`, `use`.
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

/// Removes `ing`, with `cut_past` also `ed`, and undoubles the consonant before it.
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
    fn uses_every_word_list() {
        let list = "words statement in_passing by_meaning numbers plurals refers_back stubs any_name determiners \
            calendar";
        let names: Vec<&str> = list.split(' ').collect();
        lists::assert_read_whole(LISTS, &names);
    }

    #[test]
    fn question_words_weigh_least() {
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
