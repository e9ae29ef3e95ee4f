//! A line or a sentence of a note, as words with what they do (see [`lexicon`](super::lexicon)).

use super::attribute::Attribute;
use super::token::Word;
use super::turn::Turn;

/// A sentence or line.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) words: Vec<Word>,
    /// Where it stands in the text that was read.
    pub(super) span: (u32, u32),
    /// What it says of things that have one value at a time.
    pub(super) attributes: Vec<Attribute>,
    /// Stems of the words that say something, each once, in order of their hashes.
    pub(super) content: Vec<u64>,
    /// What it says to have changed.
    pub(super) turns: Vec<Turn>,
    /// Where its negation stands, if it has exactly one.
    pub(super) negation: Option<usize>,
    /// True if it has any.
    pub(super) is_negated: bool,
    /// Where its numbers stand.
    pub(super) numbers: Vec<usize>,
    /// Where words of sets of values stand.
    pub(super) valued: Vec<usize>,
    /// True for the title of the note.
    pub(super) is_title: bool,
    /// True if many notes say it: a form that they fill in.
    pub(super) is_form: bool,
}

impl Statement {
    /// Returns true if a word of this stem says something in it.
    pub(super) fn has(&self, stem: u64) -> bool {
        self.content.binary_search(&stem).is_ok()
    }

    /// Returns true if it has this word or one that means the same.
    pub(super) fn has_like(&self, word: &Word) -> bool {
        self.words.iter().any(|other| {
            other.stem == word.stem || word.values.iter().any(|value| other.values.contains(value))
        })
    }
}
