//! What is known of a word by how it is written: worked out once, however often it stands in a vault.

use std::cell::RefCell;

use super::frame::WORDS;
use super::lexicon::{LEXICON, Lexeme, Role};
use crate::jobs::prelude::*;
use crate::note::words::hash::ByHash;

/// Spellings that a thread keeps before it begins anew: those of most vaults.
const KEPT: usize = 1 << 16;

/// A word as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelling {
    /// Bytes without `'s` behind it.
    pub(super) length: usize,
    /// Hash of its stem.
    pub(super) stem: u64,
    pub(super) lexeme: Lexeme,
    pub(super) noun: Noun,
    pub(super) form: Form,
    /// True if it begins with a capital.
    pub(super) is_capital: bool,
    /// True if there is one behind that.
    pub(super) has_inner_capital: bool,
    pub(super) is_number: bool,
}

impl Spelling {
    /// Returns what is known of `written`.
    pub(super) fn of(written: &str) -> Self {
        thread_local! {
            static KNOWN: RefCell<ByHash<Spelling>> = RefCell::default();
        }
        KNOWN.with_borrow_mut(|known| {
            let key = xxh3_64(written.as_bytes());
            if let Some(known) = known.get(&key) {
                return *known;
            }
            if known.len() >= KEPT {
                known.clear();
            }
            *known.entry(key).or_insert(Self::read(written))
        })
    }

    fn read(written: &str) -> Self {
        let text = written.trim_end_matches("'s").trim_end_matches("’s");
        let lower = text.to_lowercase().replace('’', "'");
        let plain = ["'m", "'re", "'ve", "'ll", "'d"]
            .iter()
            .fold(lower.as_str(), |word, ending| {
                word.strip_suffix(ending).unwrap_or(word)
            });
        let stem = stem(plain);
        let lexeme = LEXICON.get(plain, &stem);
        Self {
            length: text.len(),
            stem: xxh3_64(stem.as_bytes()),
            lexeme,
            noun: match lexeme.role {
                Role::Function => Noun::Other,
                _ => Noun::of(&lower, &stem),
            },
            form: Form::of(&lower),
            is_capital: text.starts_with(char::is_uppercase),
            has_inner_capital: text.chars().skip(1).any(char::is_uppercase),
            is_number: Number::parse(text, "").is_some(),
        }
    }
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
    pub(super) fn of(word: &str, stem: &str) -> Self {
        if WORDS.has("series", stem) {
            Self::Series
        } else if WORDS
            .words("posts")
            .iter()
            .any(|ending| word.ends_with(ending))
        {
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
    pub(super) fn of(word: &str) -> Self {
        if matches!(word, "is" | "are" | "was" | "were" | "ist" | "sind") {
            Self::Finite
        } else if word.ends_with("ing") {
            Self::UnderWay
        } else if word.ends_with("ed") || WORDS.has("past", word) {
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

impl Number {
    /// Reads a number with the sign beside it.
    pub(super) fn parse(text: &str, sign: &str) -> Option<Self> {
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
