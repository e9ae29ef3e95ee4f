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

use super::analyzer::Language;

/// What a word does in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Words that ask: notes tell what happened and seldom ask, so that `when` and `did` are as rare in them
/// as names, which the text index cannot know.
const ASKS: f32 = 0.1;
/// Words that hold a question together; not `may`, which is a month, too.
const JOINS: f32 = 0.3;
const COUNTS: f32 = 1.0;

#[rustfmt::skip]
const WORDS: &[(Class, Content, f32, &str)] = &[
    (Class::Article, Content::Empty, JOINS, "a an the"),
    (Class::Be, Content::Empty, JOINS, "is are be"),
    (Class::Be, Content::Empty, COUNTS, "am being"),
    (Class::Be, Content::Qualifies, JOINS, "was were been"),
    (Class::Function, Content::Empty, ASKS, "do does"),
    (Class::Function, Content::Qualifies, ASKS, "did"),
    (Class::Function, Content::Empty, JOINS, "has have this it its there any as"),
    (Class::Function, Content::Qualifies, JOINS, "had could should would"),
    (Class::Function, Content::Light, JOINS, "i you he she we they me my your his her our their about"),
    (Class::Function, Content::Light, COUNTS, "them us between over"),
    (Class::Function, Content::Empty, COUNTS, "having these those it's there's here that's through also then too very really such"),
    (Class::Function, Content::Full, ASKS, "what how where whom whose why"),
    (Class::Function, Content::Qualifies, COUNTS, "off out under if"),
    (Class::Function, Content::Full, JOINS, "some"),
    (Class::Function, Content::Full, COUNTS, "mine yours hers ours theirs doing done still yet again during \
        all both each few other another same one ones get gets got getting per via already even ever quite \
        totally definitely actually lot lots bit thing things something anything way let lets make makes made \
        take takes took go goes going come comes came say says said seem seems know knew look looks thank \
        thanks hey hi wow yeah yes ok okay well oh please sure s t d ll re ve m etc else own"),
    (Class::And, Content::Empty, ASKS, "which"),
    (Class::And, Content::Empty, JOINS, "and that"),
    (Class::And, Content::Empty, COUNTS, "so"),
    (Class::And, Content::Full, ASKS, "when who"),
    (Class::And, Content::Full, COUNTS, "because since while although though"),
    (Class::And, Content::Qualifies, COUNTS, "but until after before"),
    (Class::Or, Content::Light, JOINS, "or"),
    (Class::Or, Content::Full, COUNTS, "nor"),
    (Class::Will, Content::Qualifies, JOINS, "will"),
    (Class::Will, Content::Full, JOINS, "can"),
    (Class::Will, Content::Full, COUNTS, "shall"),
    (Class::May, Content::Qualifies, JOINS, "might"),
    (Class::May, Content::Qualifies, COUNTS, "may"),
    (Class::From, Content::Qualifies, JOINS, "from"),
    (Class::To, Content::Empty, JOINS, "to"),
    (Class::To, Content::Empty, COUNTS, "into onto towards"),
    (Class::By, Content::Light, JOINS, "by"),
    (Class::With, Content::Light, JOINS, "with"),
    (Class::For, Content::Light, JOINS, "for"),
    (Class::Of, Content::Empty, JOINS, "of"),
    (Class::At, Content::Empty, JOINS, "at in on"),
    (Class::At, Content::Empty, COUNTS, "near inside"),
    (Class::Than, Content::Full, COUNTS, "than"),
    (Class::Instead, Content::Full, COUNTS, "instead rather"),
    (Class::Longer, Content::Qualifies, COUNTS, "longer anymore"),
    (Class::More, Content::Qualifies, COUNTS, "less just"),
    (Class::More, Content::Full, COUNTS, "more necessarily entirely completely fully enough alone"),
    (Class::Now, Content::Full, COUNTS, "now currently nowadays meanwhile"),
    (Class::Only, Content::Qualifies, COUNTS, "only solely exclusively"),
    (Class::Up, Content::Full, COUNTS, "up down"),
    (Class::Without, Content::Full, COUNTS, "without ohne sans"),
    (Class::No, Content::Full, COUNTS, "no"),
    (Class::Plain, Content::Qualifies, COUNTS, "except unless almost nearly hardly barely rarely seldom \
        sometimes maybe perhaps probably must former formerly previously ex fewer least half against anti \
        fake false wrong stop stopped planned plans wants wanted tried failed nur außer fast vielleicht früher"),
    (Class::Plain, Content::Light, COUNTS, "him among around behind beside"),
    (Class::Plain, Content::Empty, COUNTS, "along across der das ein eine ist sind und le la les un une est et los las"),
];

/// Words that turn a statement around, of several languages; so does what ends in `n't`.
const NEGATIONS: &str = "not no never none nothing neither nor cannot nicht kein keine keinen keiner nie ne \
    pas jamais non nunca mai não nem niet geen nooit inte ikke aldrig не нет никогда 不 没 沒 无 無 未 非 别 別";

/// Words that deny something in passing.
const WITHOUT: &str = "without ohne sans sin senza sem zonder utan uden bez без";

/// Words that deny by what they mean, and do not where they are one of several: `lack`, `the lack`.
const DENYING: &str =
    "zero unable incapable lack lacks lacked refuse refuses refused nobody nowhere hardly";

/// Numbers that are written as words; "one" is more often no number.
const NUMBERS: &str = "two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 \
    twenty=20 thirty=30 fifty=50 hundred=100 thousand=1000";

/// Plurals without an ending, for texts that say the same. With them, and with more prepositions taken for
/// words of grammar, contradictions were told a little worse (SICK: precision .858 → .855).
const PLURALS: [(&str, &str); 4] = [
    ("men", "man"),
    ("women", "woman"),
    ("people", "person"),
    ("children", "child"),
];

/// Returns what is known of a lower-case `word`.
#[must_use]
pub fn word(word: &str) -> Word {
    static KNOWN: LazyLock<HashMap<&str, Word>> = LazyLock::new(|| {
        let rows = WORDS.iter().flat_map(|&(class, content, weight, words)| {
            let known = Word {
                class,
                content,
                weight,
            };
            words.split_whitespace().map(move |word| (word, known))
        });
        rows.collect()
    });
    KNOWN.get(word).copied().unwrap_or(Word {
        class: Class::Plain,
        content: Content::Full,
        weight: COUNTS,
    })
}

/// Returns what a word counts in a query of `language`, of one: `word` is in lower case and without `'s`.
///
/// How rare a word is in the notes is the first measure, and the text index has it; this corrects it for
/// the words that make a question. Only English is known; in any other language every word counts in full.
///
/// Over questions to conversations (`LoCoMo`, one conversation, half of them each) recall at 10 by
/// words alone is .609 and .619 without, .662 and .678 with this; the phrases of a garden and the
/// questions of `memorybench` are found as before.
#[must_use]
pub fn query_weight(language: Language, word: &str) -> f32 {
    if language == Language::ENGLISH {
        self::word(word).weight
    } else {
        COUNTS
    }
}

/// Returns the number that a lower-case `word` says, in digits if it is one of the common ones.
#[must_use]
pub fn number(word: &str) -> Option<&str> {
    static KNOWN: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let numbers = NUMBERS.split_whitespace();
        numbers
            .filter_map(|number| number.split_once('='))
            .collect()
    });
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
        let lists = [
            (DENYING, Denial::ByMeaning),
            (WITHOUT, Denial::InPassing),
            (NEGATIONS, Denial::Statement),
        ];
        let words = |(words, denial): (&'static str, Denial)| {
            words.split_whitespace().map(move |word| (word, denial))
        };
        lists.into_iter().flat_map(words).collect()
    });
    if word.ends_with("n't") {
        return Some(Denial::Statement);
    }
    KNOWN.get(word).copied()
}

/// Returns true if a lower-case `word` turns a statement around, or denies a part of it.
#[must_use]
pub fn is_negation(word: &str) -> bool {
    matches!(denial(word), Some(Denial::Statement | Denial::InPassing))
}

/// Returns true if a lower-case `word` turns a statement around, or denies by what it means.
#[must_use]
pub fn denies(word: &str) -> bool {
    matches!(denial(word), Some(Denial::Statement | Denial::ByMeaning))
}

/// Words that stand for what was named before.
const REFERS: [&str; 16] = [
    "it", "its", "this", "that", "these", "those", "they", "them", "their", "he", "him", "his",
    "she", "her", "hers", "there",
];

/// Returns true if a lower-case `word` stands for what was named before.
#[must_use]
pub fn refers_back(word: &str) -> bool {
    REFERS.contains(&word)
}

/// Takes off the endings that nouns and verbs take on. Rough, and the same on both sides of a comparison:
/// that two words meet matters, not how they are written then.
#[must_use]
pub fn stem(word: &str) -> String {
    stem_of(word, true)
}

/// Returns the [`stem`] of a word whose past is another word than its present: `used`, `use`.
#[must_use]
pub fn stem_keeping_past(word: &str) -> String {
    let bare = word.strip_suffix("'s").unwrap_or(word);
    let irregular = PLURALS.iter().find(|(plural, _)| *plural == bare);
    irregular.map_or_else(
        || stem_of(word, false),
        |(_, singular)| (*singular).to_owned(),
    )
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
    fn words_that_ask_say_least() {
        for (language, word, expected) in [
            (Language::ENGLISH, "when", 0.1),
            (Language::ENGLISH, "a", 0.3),
            (Language::ENGLISH, "your", 0.3),
            (Language::ENGLISH, "may", 1.0),
            (Language::ENGLISH, "tea", 1.0),
            (Language::NONE, "when", 1.0),
        ] {
            assert!(
                (query_weight(language, word) - expected).abs() < 1e-6,
                "{word}"
            );
        }
    }

    #[test]
    fn a_word_is_listed_once() {
        let words = WORDS
            .iter()
            .flat_map(|(.., words)| words.split_whitespace());
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
