//! Lists of phrases, found by their first words.

use std::collections::HashMap;
use std::ops::Range;

/// Phrases as words. A part `*` and an ending matches every word with the ending.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    all: Vec<Vec<&'static str>>,
    /// Indices of phrases by first word, and of those that begin with an ending.
    by_first: HashMap<&'static str, Vec<usize>>,
    by_ending: Vec<usize>,
}

impl Phrases {
    /// Returns the phrases of `rows`. An apostrophe separates two words.
    pub(super) fn of(rows: impl Iterator<Item = &'static str>) -> Self {
        let mut phrases = Self::default();
        for (at, row) in rows.enumerate() {
            let parts: Vec<&str> = row.split([' ', '\'']).collect();
            if parts[0].starts_with('*') {
                phrases.by_ending.push(at);
            } else {
                phrases.by_first.entry(parts[0]).or_default().push(at);
            }
            phrases.all.push(parts);
        }
        phrases
    }

    /// Returns the positions of phrases in `words`: the first listed one at each word.
    pub(super) fn positions(&self, words: &[&str]) -> impl Iterator<Item = Range<usize>> {
        (0..words.len()).filter_map(|at| {
            let first = self.by_first.get(words[at]).into_iter().flatten();
            let candidates = first.chain(&self.by_ending);
            let begins = |one: &&usize| {
                let phrase = &self.all[**one];
                let mut parts = words[at..].iter().zip(phrase);
                words.len() - at >= phrase.len()
                    && parts.all(|(word, part)| matches_part(part, word))
            };
            let found = candidates.filter(begins).min()?;
            Some(at..at + self.all[*found].len())
        })
    }

    /// Returns whether any phrase is in `words`.
    pub(super) fn are_in(&self, words: &[&str]) -> bool {
        self.positions(words).next().is_some()
    }

    /// Returns whether `word` is a part of a phrase.
    pub(super) fn contain(&self, word: &str) -> bool {
        self.all.iter().flatten().any(|part| *part == word)
    }
}

/// Returns whether `word` matches a part of a phrase: a word, or `*` and an ending.
pub(super) fn matches_part(part: &str, word: &str) -> bool {
    part.strip_prefix('*')
        .map_or(word == part, |ending| word.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_phrases_by_words_and_endings() {
        let phrases = Phrases::of(["no longer", "*ed to", "no", "n'est plus"].into_iter());
        for (text, expected) in [
            ("we no longer go", "no longer"),
            ("no we switched to no", "no|switched to|no"),
            ("il n est plus la", "n est plus"),
            ("not here", ""),
        ] {
            let words: Vec<&str> = text.split(' ').collect();
            let found = phrases.positions(&words).map(|at| words[at].join(" "));
            assert_eq!(found.collect::<Vec<_>>().join("|"), expected, "{text}");
        }
    }
}
