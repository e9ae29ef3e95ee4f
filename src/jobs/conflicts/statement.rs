//! A statement: a line or a sentence of a note with its analysed words (see [`lexicon`](super::lexicon)).

use super::state_change::StateChange;
use super::token::WordToken;

/// A sentence or line.
#[derive(Clone, Debug)]
pub(super) struct ConflictStatement {
    pub(super) words: Vec<WordToken>,
    /// Byte span in the text of the note.
    pub(super) span: (u32, u32),
    /// Distinct stems of the content words, sorted by hash.
    pub(super) content: Vec<u64>,
    /// Reported changes.
    pub(super) changes: Vec<StateChange>,
    /// Position of the negation if there is exactly one.
    pub(super) negation: Option<usize>,
    /// True if there is any negation.
    pub(super) is_negated: bool,
    /// Positions of numbers.
    pub(super) numbers: Vec<usize>,
    /// Positions of words that belong to value sets.
    pub(super) value_words: Vec<usize>,
    /// True for the title of the note.
    pub(super) is_title: bool,
    /// True for boilerplate that many notes contain.
    pub(super) is_boilerplate: bool,
}

impl ConflictStatement {
    /// Returns true if a content word has this stem.
    pub(super) fn has(&self, stem: u64) -> bool {
        self.content.binary_search(&stem).is_ok()
    }

    /// Returns true if the statement contains this word or a synonym.
    pub(super) fn has_synonym(&self, word: &WordToken) -> bool {
        self.words.iter().any(|other| {
            other.stem == word.stem || word.values.iter().any(|value| other.values.contains(value))
        })
    }
}
