//! The words of a sentence, with what each does in it and how it is written.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::lexicon::{Lexicon, Part, Role, Value};
use crate::note::english::{self, Class, stem};
use crate::note::tokens::runs;

/// A sentence is read up to so many words: a longer one is a list or no prose.
const WORDS: usize = 80;

#[derive(Clone, Debug)]
pub(super) struct Word<'l> {
    /// Where it stands in the text that was read.
    pub(super) span: (u32, u32),
    /// Hash of its stem.
    pub(super) stem: u64,
    pub(super) role: Role,
    pub(super) class: Class,
    pub(super) part: Part,
    pub(super) values: &'l [Value],
    /// Written like a name: with a capital in the middle of a sentence, or within.
    pub(super) is_name: bool,
    pub(super) noun: Noun,
    /// Begins a sentence with a capital: a name perhaps.
    pub(super) may_be_name: bool,
    /// The number it is, and the unit that is written with it.
    pub(super) number: Option<Box<Number>>,
    /// True if a comma, a bracket or the like stands before it.
    pub(super) breaks: bool,
    pub(super) form: Form,
}

/// What a word is if it is a noun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noun {
    Other,
    /// What somebody may be by profession: `engineer`.
    Post,
    /// What is counted through: `chapter 3`.
    Series,
}

impl Noun {
    fn of(word: &str, stem: &str) -> Self {
        if SERIES.split_whitespace().any(|noun| noun == stem) {
            Self::Series
        } else if POSTS.iter().any(|ending| word.ends_with(ending)) {
            Self::Post
        } else {
            Self::Other
        }
    }
}

/// What the ending of a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Nothing.
    Bare,
    /// It is under way: `switching`.
    UnderWay,
    /// It is done: `replaced`.
    Past,
    /// It is said of something: `is`, `were`.
    Finite,
}

impl Form {
    fn of(word: &str) -> Self {
        if matches!(word, "is" | "are" | "was" | "were" | "ist" | "sind") {
            Self::Finite
        } else if word.ends_with("ing") {
            Self::UnderWay
        } else if word.ends_with("ed") || PAST.split_whitespace().any(|past| past == word) {
            Self::Past
        } else {
            Self::Bare
        }
    }
}

/// A number as it is written in a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// The digits, without separators of thousands.
    pub(super) digits: String,
    /// What is written with it: `ms`, `%`, `$`; empty if nothing is.
    pub(super) unit: String,
    /// True for what reads as a year.
    pub(super) is_year: bool,
}

impl Word<'_> {
    /// Returns true for a month and a day of the week.
    pub(super) fn is_date(&self) -> bool {
        self.values.iter().any(|value| value.is_calendar())
    }

    /// Returns true if it says something of its own.
    pub(super) fn is_content(&self) -> bool {
        !matches!(self.role, Role::Function | Role::Negation) && self.number.is_none()
    }
}

/// Reads the words of `sentence`, which begins at byte `base` of the text that was read.
pub(super) fn words<'l>(lexicon: &'l Lexicon, sentence: &str, base: u32) -> Vec<Word<'l>> {
    let mut words: Vec<Word<'l>> = Vec::new();
    let mut end = 0;
    let mut breaks = false;
    for run in runs(sentence, joins) {
        if words.len() == WORDS {
            break;
        }
        // Where a link leads says nothing.
        if let Some(link) = sentence[end..run.start.max(end)].find("](") {
            let target = &sentence[end + link..];
            end += link + target.find(')').map_or(target.len(), |close| close + 1);
            breaks = true;
        }
        if run.start < end {
            continue;
        }
        let written = &sentence[run.clone()];
        if written.starts_with("http") || written.starts_with("www.") {
            let address = &sentence[run.start..];
            end = run.start + address.find(char::is_whitespace).unwrap_or(address.len());
            breaks = true;
            continue;
        }
        let before = &sentence[end..run.start];
        end = run.end;
        breaks |= before.contains(BREAKS);
        let mut word = Word::of(lexicon, sentence, run, words.is_empty());
        word.breaks = breaks;
        word.span = (word.span.0 + base, word.span.1 + base);
        words.push(word);
        breaks = false;
    }
    words
}

/// How nouns end that say what somebody is by profession.
const POSTS: [&str; 12] = [
    "er", "or", "ist", "ian", "ant", "student", "lead", "head", "nurse", "intern", "chef", "ceo",
];

/// Stems of nouns that a number makes a name.
const SERIES: &str = "chapter part issu ticket task session episod week dai step phas level pag volum \
    lectur lesson room unit round season sprint mileston exercis figur tabl section appendix question \
    problem bug pr case row lin grad clas";

/// Irregular pasts of what people do.
const PAST: &str = "ran slept bought met took gave saw ate drank wrote won lost sold paid spent held told \
    made had swam flew drove rode sang threw caught taught brought sent came";

/// What ends a breath.
const BREAKS: [char; 13] = [
    ',', '(', ')', ':', ';', '"', '“', '”', '—', '–', '/', '|', '→',
];

/// `turn-based` and `3.5` are one word each, `2024-01-05` is one number.
fn joins(before: char, sign: char, behind: Option<char>) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let is_inner = behind.is_some_and(char::is_alphanumeric);
    match sign {
        '\'' | '’' | '-' | '_' | '+' | '&' => is_inner,
        ',' | ':' => is_digit(before) && behind.is_some_and(is_digit),
        '.' => {
            is_digit(before) && behind.is_some_and(is_digit)
                || behind.is_some_and(char::is_lowercase)
        }
        _ => false,
    }
}

impl<'l> Word<'l> {
    fn of(lexicon: &'l Lexicon, sentence: &str, run: Range<usize>, is_first: bool) -> Self {
        let unit = unit(sentence, &run);
        let text = sentence[run.clone()].trim_end_matches("'s");
        let text = text.trim_end_matches("’s");
        let end = run.start + text.len();
        let end = end + usize::from(sentence[end..].starts_with('%'));
        let lower = text.to_lowercase().replace('’', "'");
        let plain = ["'m", "'re", "'ve", "'ll", "'d"]
            .iter()
            .fold(lower.as_str(), |word, ending| {
                word.strip_suffix(ending).unwrap_or(word)
            });
        let stem = stem(plain);
        let known = lexicon.get(plain, &stem);
        let is_function = known.role == Role::Function;
        let is_capital = text.starts_with(char::is_uppercase);
        let has_inner_capital = text.chars().skip(1).any(char::is_uppercase);
        let number = Number::parse(text, unit);
        Self {
            span: (run.start as u32, end as u32),
            stem: xxh3_64(stem.as_bytes()),
            role: known.role,
            class: known.class,
            part: known.part,
            values: known.values,
            is_name: number.is_none()
                && (is_capital && !is_first && !is_function || has_inner_capital),
            noun: match known.role {
                Role::Function => Noun::Other,
                _ => Noun::of(&lower, &stem),
            },
            may_be_name: is_capital && is_first && !is_function,
            number: number.map(Box::new),
            breaks: false,
            form: Form::of(&lower),
        }
    }
}

/// Returns the sign of a unit before or behind a number.
fn unit(sentence: &str, run: &Range<usize>) -> &'static str {
    let behind = &sentence[run.end..];
    if behind.starts_with('%') || behind.starts_with(" %") {
        "%"
    } else if sentence[..run.start].ends_with(['$', '€', '£']) {
        "$"
    } else {
        ""
    }
}

impl Number {
    /// Reads a number with the sign beside it.
    fn parse(text: &str, sign: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        if let Some(digits) = english::number(&lower).filter(|digits| **digits != lower) {
            return Some(Self {
                digits: digits.to_owned(),
                unit: sign.to_owned(),
                is_year: false,
            });
        }
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '-');
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        let digits = text[..end].trim_end_matches(['.', ',', ':', '-']);
        let suffix = text[digits.len()..].to_lowercase();
        if digits.is_empty()
            || !suffix.chars().all(|c| c.is_alphabetic() || c == '+')
            || suffix.len() > 3
        {
            return None;
        }
        let is_ordinal = matches!(suffix.as_str(), "st" | "nd" | "rd" | "th");
        Some(Self {
            is_year: is_year(digits) && suffix.is_empty() && sign.is_empty(),
            digits: digits.replace(',', ""),
            unit: if sign.is_empty() && !is_ordinal {
                suffix
            } else {
                sign.to_owned()
            },
        })
    }
}

fn is_year(digits: &str) -> bool {
    digits.len() == 4
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && matches!(&digits[..2], "17" | "18" | "19" | "20")
}
