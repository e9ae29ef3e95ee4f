//! Properties of a word that depend only on its spelling, cached per thread.

use std::cell::RefCell;

use super::lexicon::{LEXICON, LEXICON_LISTS, Lexeme};
use crate::jobs::prelude::*;
use crate::note::words::hash::ByHash;

/// Maximum number of cached spellings per thread, enough for most vaults; a full cache is cleared.
const MAX_CACHED_SPELLINGS: usize = 1 << 16;

/// A word as it is spelled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelling {
    /// Length in bytes without a trailing `'s`.
    pub(super) length: usize,
    /// Hash of the stem.
    pub(super) stem: u64,
    pub(super) lexeme: Lexeme,
    pub(super) noun: Noun,
    pub(super) form: VerbForm,
    /// True if the first letter is a capital.
    pub(super) is_capital: bool,
    /// True if a later letter is a capital.
    pub(super) has_inner_capital: bool,
    pub(super) is_number: bool,
}

impl Spelling {
    /// Returns the cached properties of a spelling.
    pub(super) fn of(written: &str) -> Self {
        thread_local! {
            static CACHE: RefCell<ByHash<Spelling>> = RefCell::default();
        }
        CACHE.with_borrow_mut(|known| {
            let key = xxh3_64(written.as_bytes());
            if let Some(known) = known.get(&key) {
                return *known;
            }
            if known.len() >= MAX_CACHED_SPELLINGS {
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
            noun: Noun::of(&lower, &stem),
            form: VerbForm::of(&lower),
            is_capital: text.starts_with(char::is_uppercase),
            has_inner_capital: text.chars().skip(1).any(char::is_uppercase),
            is_number: Number::parse(text, "").is_some(),
        }
    }
}

/// Kind of noun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noun {
    Other,
    /// A noun that a holder has one of: `deadline`.
    Single,
    /// A noun or article of one of several things: `guest`, `a`.
    Several,
    /// A numbered series: `chapter 3`.
    Series,
}

impl Noun {
    pub(super) fn of(word: &str, stem: &str) -> Self {
        if LEXICON_LISTS.has("series", stem) {
            Self::Series
        } else if LEXICON_LISTS.has("single", word) {
            Self::Single
        } else if LEXICON_LISTS.has("several", word) {
            Self::Several
        } else {
            Self::Other
        }
    }
}

/// Verb form by the ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VerbForm {
    /// No known ending.
    Bare,
    /// Present participle: `switching`.
    UnderWay,
    /// Past form: `replaced`.
    Past,
    /// A finite form of `be`: `is`, `were`.
    Finite,
}

impl VerbForm {
    pub(super) fn of(word: &str) -> Self {
        if LEXICON_LISTS.has("copula", word) {
            Self::Finite
        } else if word.ends_with("ing") {
            Self::UnderWay
        } else if word.ends_with("ed") || LEXICON_LISTS.has("past", word) {
            Self::Past
        } else {
            Self::Bare
        }
    }
}

/// A number in a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// Digits without thousands separators.
    pub(super) digits: String,
    /// Unit, such as `ms`, `%`, `$`; empty if there is none.
    pub(super) unit: String,
    /// True for a plausible year.
    pub(super) is_year: bool,
}

impl Number {
    /// Parses a number with the unit sign next to it.
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
