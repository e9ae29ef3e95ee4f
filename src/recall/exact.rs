//! Quoted phrases, compared with the text of notes.
//!
//! The text index finds stems in sequence. A quoted phrase means its letters and signs: `"operator=="`,
//! `"0.1 + 0.2"`, `"teas"`. Case, accents, line breaks and, in a phrase without signs, Markdown are ignored.

use std::collections::{HashMap, HashSet};

use crate::note::words::analyzer::{AnalysisPurpose, Analyzer, Term};
use crate::note::words::language::Language;
use crate::note::words::letters::folded;
use crate::note::words::one_line::one_line;

/// A quoted phrase, prepared for comparison.
pub(super) struct ExactPhrase {
    /// Its words, not stemmed.
    words: Vec<Term>,
    /// The phrase with its signs; `None` if it has none.
    literal: Option<String>,
}

impl ExactPhrase {
    pub(super) fn new(phrase: &str) -> Self {
        let has_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        Self {
            words: Analyzer::new(Language::NONE).terms(phrase, AnalysisPurpose::Query),
            literal: phrase.contains(has_sign).then(|| normalized(phrase)),
        }
    }

    /// Returns whether it has words, by which the text index finds candidates.
    pub(super) fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// Returns whether it occurs in `text`.
    pub(super) fn occurs_in(&self, text: &str) -> bool {
        let has_literal = |literal: &String| normalized(text).contains(literal.as_str());
        self.has_words_in_sequence(text) && self.literal.as_ref().is_none_or(has_literal)
    }

    fn has_words_in_sequence(&self, text: &str) -> bool {
        let Some(first) = self.words.first() else {
            return true;
        };
        let mut positions: HashMap<String, HashSet<usize>> = HashMap::new();
        for term in Analyzer::new(Language::NONE).terms(text, AnalysisPurpose::Index) {
            positions
                .entry(term.text)
                .or_default()
                .insert(term.position);
        }
        let starts = positions.get(&first.text).into_iter().flatten();
        starts.into_iter().any(|start| {
            self.words.iter().all(|word| {
                let position = start + word.position - first.position;
                let found = positions.get(&word.text);
                found.is_some_and(|positions| positions.contains(&position))
            })
        })
    }
}

/// Returns `text` folded, with single spaces and straight quotes.
fn normalized(text: &str) -> String {
    let single_quotes = text.replace(['\u{2018}', '\u{2019}'], "'");
    let straight = single_quotes.replace(['\u{201C}', '\u{201D}'], "\"");
    folded(&one_line(&straight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_match_letters_and_signs() {
        for (phrase, text, expected) in [
            ("tea", "Green Tea.", true),
            ("tea", "green teas", false),
            ("tea", "steam", false),
            ("teas", "green teas", true),
            ("green tea", "green **tea**", true),
            ("green tea", "green\ntea", true),
            ("green tea", "green, tea", true),
            ("green tea", "tea, green", false),
            ("green, tea", "green tea", false),
            ("operator==", "bool operator==(A, B)", true),
            ("operator==", "the operator is here", false),
            ("#[derive", "#[Derive(Debug)]", true),
            ("#[derive", "derive it", false),
            ("0.1 + 0.2", "`0.1 + 0.2` is not 0.3", true),
            ("0.1 + 0.2", "0.1 and 0.2", false),
            ("std::exchange", "std::exchange(a, b)", true),
            ("std::exchange", "std exchange", false),
            ("==", "a == b", true),
            ("==", "a = b", false),
            ("don't", "I don’t", true),
            ("cafe", "Café", true),
            ("東京", "東京都", true),
        ] {
            let found = ExactPhrase::new(phrase).occurs_in(text);
            assert_eq!(found, expected, "{phrase} in {text}");
        }
    }
}
