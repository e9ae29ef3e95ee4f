//! Topic of a note, derived from its title.
//!
//! Notes with different topics do not contradict each other, however similar their sentences are.

use super::lexicon::Role;
use super::statement::ConflictStatement;
use super::token::{Number, WordToken, words};
use crate::note::words::english::Class;

/// Minimum share of a statement's content words for a title that restates it.
/// WHOLE applies to titles without a verb, PART to titles with a verb.
const MIN_SHARE_WITHOUT_VERB: f32 = 0.8;
const MIN_SHARE_WITH_VERB: f32 = 0.3;

/// The content words and numbers of a title.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TitleTopic {
    /// Stems of the content words.
    words: Vec<u64>,
    /// Numbers, which distinguish the notes of a series.
    pub(super) numbers: Vec<String>,
}

impl TitleTopic {
    /// Derives the topic from a title; `is_titled` is false if the title is only the file name.
    ///
    /// A title that restates one of the `statements` does not name a topic: `Uses SQLite`.
    pub(super) fn of(title: &str, is_titled: bool, statements: &[ConflictStatement]) -> Self {
        let spaced = title.replace(['-', '_'], " ");
        let words = words(if is_titled { title } else { &spaced }, 0);
        // A file name that is an id has no meaning: `n0017`, `b`.
        let has_meaning = |word: &&WordToken| {
            let written = &spaced[word.span.0 as usize..word.span.1 as usize];
            let is_id = written.len() < 3 || written.contains(|c: char| c.is_ascii_digit());
            word.is_content() && (is_titled || word.role == Role::Plain && !is_id)
        };
        let content: Vec<&WordToken> = words.iter().filter(has_meaning).collect();
        let numbers: Vec<&Number> = words
            .iter()
            .filter_map(|word| word.number.as_deref())
            .collect();
        let least = if words.iter().any(is_statement_verb) {
            MIN_SHARE_WITH_VERB
        } else {
            MIN_SHARE_WITHOUT_VERB
        };
        let is_stated = statements.iter().any(|statement| {
            let found = content.iter().filter(|word| statement.has(word.stem));
            let plain = content.iter().filter(|word| word.role == Role::Plain);
            !statement.is_title
                && plain.clone().all(|word| statement.has(word.stem))
                && found.count() as f32 >= least * statement.content.len() as f32
        });
        if is_stated {
            return Self::default();
        }
        let counts =
            is_titled || !is_mostly_digits(title) || numbers.iter().any(|number| number.is_year);
        let mut words: Vec<u64> = content.iter().map(|word| word.stem).collect();
        words.sort_unstable();
        words.dedup();
        Self {
            words,
            numbers: numbers
                .into_iter()
                .filter(|_| counts)
                .map(|number| number.digits.clone())
                .collect(),
        }
    }

    /// Returns true if the title has content words.
    pub(super) fn is_named(&self) -> bool {
        !self.words.is_empty()
    }

    /// Returns true if the title has content words and all of them satisfy `within`.
    pub(super) fn is_within(&self, within: impl Fn(u64) -> bool) -> bool {
        self.is_named() && self.words.iter().all(|stem| within(*stem))
    }

    /// Returns true if two titles may denote the same subject.
    pub(super) fn is_compatible(&self, other: &Self) -> bool {
        let is_open = self.words.is_empty() || other.words.is_empty();
        self.numbers == other.numbers && (is_open || self.words == other.words)
    }
}

/// Returns true for a verb that makes a title a statement: `Chose SQLite`.
fn is_statement_verb(word: &WordToken) -> bool {
    let is_name = matches!(
        word.role,
        Role::Plain | Role::Function | Role::Negation | Role::Hedge | Role::Measure
    );
    word.class == Class::Be || !is_name
}

/// Returns true for a file name with at least as many digits as letters, such as a generated id.
fn is_mostly_digits(stem: &str) -> bool {
    let count = |is: fn(char) -> bool| stem.chars().filter(|c| is(*c)).count();
    count(|c| c.is_ascii_digit()) >= count(char::is_alphabetic)
}
