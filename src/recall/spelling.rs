//! Corrects query words that occur in no note.
//!
//! The text index contains stems, and some stems are not words. The correction is therefore read from a
//! note.
//!
//! A vault lacks most words of a language, and most of these are near to one it has: `bake` to `base`. A
//! correction is accepted by the length of the word, the number of typos, and how many of the other query
//! words occur with it.

use std::collections::HashSet;

use strsim::osa_distance;

use super::query::Query;
use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::cache::text::clause::Clause;
use crate::cache::text::reader::TextReader;
use crate::cache::text::spelling::max_typos;
use crate::note::words::analyzer::{AnalysisPurpose, Analyzer, Pattern};
use crate::note::words::letters::folded;
use crate::view::View;

/// Minimum letters of each of two words written as one.
const MIN_PART_LETTERS: usize = 2;
/// Maximum bytes of two words written as one.
const MAX_JOINED_BYTES: usize = 40;
/// Maximum number of words to correct.
const MAX_WORDS: usize = 8;
/// Maximum number of candidate spellings per word.
const MAX_SPELLINGS: usize = 8;
/// Maximum number of notes to read for the written form of a word.
const MAX_NOTES_READ: usize = 32;
/// Minimum letters at which one typo is accepted; in a single-word query, for the longer, two.
const MIN_LETTERS_ONE_TYPO: usize = 8;
const MIN_LETTERS_TWO_TYPOS: usize = 12;
/// Maximum letters at which only a swap is accepted: any other change gives another word.
const MAX_LETTERS_SWAP_ONLY: usize = 4;

/// A word that occurs in no note, and its correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Respelling {
    pub typed: String,
    pub meant: String,
    /// Number of notes with the corrected word.
    pub notes: usize,
}

/// A query with corrected words.
#[derive(Clone, Debug)]
pub struct RespelledQuery {
    pub query: Query,
    /// The corrected query as text.
    pub typed: String,
    pub words: Vec<Respelling>,
}

/// Returns the query with the words `unknown` corrected, if possible. `is_word` recognises words that are
/// correct although they occur in no note.
pub fn respelled(
    view: &View<'_>,
    reader: &TextReader,
    (query, typed): (&Query, &str),
    unknown: &[String],
    is_word: &dyn Fn(&str) -> bool,
) -> Result<Option<RespelledQuery>, CacheError> {
    let mut others = Vec::new();
    let wanted = query.text().wanted;
    for clause in &wanted {
        if reader.is_content(clause, &wanted) {
            let notes = reader.matches(clause)?.into_iter().collect();
            others.push((clause.clone(), notes));
        }
    }
    let mut corrector = Corrector {
        view,
        analyzer: Analyzer::of(&reader.languages),
        reader,
        others,
    };
    let mut words: Vec<Respelling> = Vec::new();
    // A query word can have several parts joined by hyphens.
    let parts = unknown
        .iter()
        .flat_map(|word| word.split(|c: char| !c.is_alphanumeric()))
        .filter(|part| !part.is_empty() && !is_word(part));
    for part in parts.take(MAX_WORDS) {
        let clause = Clause::of(Pattern::Word(part.to_owned()));
        if words.iter().all(|known| known.typed != part)
            && corrector.reader.matches(&clause)?.is_empty()
        {
            let meant = match corrector.split_word(part)? {
                None => corrector.nearest(part)?,
                meant => meant,
            };
            words.extend(meant);
        }
    }
    if words.is_empty() {
        return Ok(None);
    }
    let respell = |text: &str| {
        words.iter().fold(text.to_owned(), |text, word| {
            replace_word(&text, &word.typed, &word.meant)
        })
    };
    Ok(Some(RespelledQuery {
        query: query.clone().with_words(&respell),
        typed: respell(typed),
        words,
    }))
}

/// State of the search for corrections.
struct Corrector<'v> {
    view: &'v View<'v>,
    reader: &'v TextReader,
    analyzer: Analyzer,
    /// Content words of the query, with the notes that have them.
    others: Vec<(Clause, HashSet<u64>)>,
}

/// How well a correction fits the rest of the query, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cooccurrence {
    /// Largest number of other query words in one note.
    others: usize,
    /// Whether only the order of letters differs: swaps are more frequent than substitutions.
    is_swap: bool,
    /// Number of notes with that many of the other words.
    notes: usize,
}

impl Corrector<'_> {
    /// Returns the two adjacent words that `typed` writes as one; among several, the most frequent.
    fn split_word(&self, typed: &str) -> Result<Option<Respelling>, CacheError> {
        let mut best: Option<Respelling> = None;
        if typed.len() > MAX_JOINED_BYTES {
            return Ok(best);
        }
        for (at, _) in typed.char_indices() {
            let (before, after) = typed.split_at(at);
            if before.chars().count() < MIN_PART_LETTERS || after.chars().count() < MIN_PART_LETTERS
            {
                continue;
            }
            let meant = format!("{before}-{after}");
            let clause = Clause::of(Pattern::Phrase(meant.clone()));
            let notes = self.reader.matches(&clause)?.len();
            if notes > best.as_ref().map_or(0, |best| best.notes) {
                let typed = typed.to_owned();
                best = Some(Respelling {
                    typed,
                    meant,
                    notes,
                });
            }
        }
        Ok(best)
    }

    /// Returns the acceptable correction that occurs with most of the other words, then the most frequent
    /// one.
    fn nearest(&mut self, typed: &str) -> Result<Option<Respelling>, CacheError> {
        let is_other =
            |(clause, _): &&(Clause, _)| clause.word().is_none_or(|word| !word.contains(typed));
        let others: Vec<HashSet<u64>> = self
            .others
            .iter()
            .filter(is_other)
            .map(|(_, notes)| notes.clone())
            .collect();
        let mut best: Option<(Cooccurrence, Respelling)> = None;
        for near in self
            .reader
            .near_spellings(typed)?
            .into_iter()
            .take(MAX_SPELLINGS)
        {
            let clause = Clause::of(Pattern::Word(near.clone()));
            let keys = self.reader.matches(&clause)?;
            let Some((typos, meant)) = self.written_form(&near, typed, &keys)? else {
                continue;
            };
            let (most, notes) = cooccurrence(&keys, &others);
            let is_swap = is_swap(&folded(typed), &meant);
            let letters = typed.chars().count();
            let is_acceptable = if letters <= MAX_LETTERS_SWAP_ONLY {
                is_swap
            } else if others.is_empty() {
                is_acceptable_alone(&folded(typed), &meant, typos)
            } else {
                typos == 1 && letters >= MIN_LETTERS_ONE_TYPO || most * 2 > others.len()
            };
            let cooccurrence = Cooccurrence {
                others: most,
                is_swap,
                notes,
            };
            if is_acceptable && best.as_ref().is_none_or(|(most, _)| cooccurrence > *most) {
                let (typed, notes) = (typed.to_owned(), keys.len());
                let respelling = Respelling {
                    typed,
                    meant,
                    notes,
                };
                best = Some((cooccurrence, respelling));
            }
        }
        Ok(best.map(|(_, respelling)| respelling))
    }

    /// Returns the number of typos and the form of the word `near` in the notes `keys` that is closest to
    /// `typed`.
    fn written_form(
        &mut self,
        near: &str,
        typed: &str,
        keys: &[u64],
    ) -> Result<Option<(usize, String)>, CacheError> {
        let terms = self.analyzer.terms(near, AnalysisPurpose::Query);
        let [term] = &terms[..] else {
            return Ok(None);
        };
        let typed = folded(typed);
        let most = max_typos(typed.chars().count());
        let mut best: Option<(usize, String)> = None;
        for &key in keys.iter().take(MAX_NOTES_READ) {
            let Some(entry) = self.view.entry(key as Slot)? else {
                continue;
            };
            // The text does not include the path.
            let note_text = self.view.text(&entry).unwrap_or_default();
            let text = format!("{} {note_text}", entry.path.stem());
            let note_terms = self.analyzer.terms(&text, AnalysisPurpose::Index);
            let occurrences = note_terms.into_iter().filter(|form| form.text == term.text);
            let forms = occurrences.map(|form| folded(&text[form.range]));
            let distances = forms.map(|form| (osa_distance(&form, &typed), form));
            let near = distances.filter(|(typos, _)| (1..=most).contains(typos));
            best = best.into_iter().chain(near).min();
            if best.as_ref().is_some_and(|(typos, _)| *typos == 1) {
                break;
            }
        }
        Ok(best)
    }
}

/// Returns how many of `others` one of the notes `keys` has at most, and how many notes have that many.
fn cooccurrence(keys: &[u64], others: &[HashSet<u64>]) -> (usize, usize) {
    let count = |key: &u64| others.iter().filter(|notes| notes.contains(key)).count();
    let counts: Vec<usize> = keys.iter().map(count).collect();
    let most = counts.iter().copied().max().unwrap_or_default();
    (most, counts.iter().filter(|&&count| count == most).count())
}

/// Returns whether the correction is acceptable in a query without other words.
fn is_acceptable_alone(typed: &str, meant: &str, typos: usize) -> bool {
    typed.chars().next() == meant.chars().next()
        && (typos == 1 || typed.chars().count() >= MIN_LETTERS_TWO_TYPOS)
}

/// Returns whether both have the same letters.
fn is_swap(typed: &str, meant: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(typed) == sorted(meant)
}

/// Replaces whole words `old` in `text` by `new`.
fn replace_word(text: &str, old: &str, new: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(old) {
        let (before, after) = (&rest[..at], &rest[at + old.len()..]);
        let is_whole =
            !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
        replaced.push_str(before);
        replaced.push_str(if is_whole { new } else { old });
        rest = after;
    }
    replaced.push_str(rest);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_alone_allows_few_typos() {
        for (typed, meant, typos, expected) in [
            ("recieve", "receive", 1, true),
            ("jester", "tester", 1, false),
            ("photoshoot", "photoshop", 2, false),
            ("inffrastrucures", "infrastructures", 2, true),
        ] {
            assert_eq!(
                is_acceptable_alone(typed, meant, typos),
                expected,
                "{typed}"
            );
        }
    }

    #[test]
    fn counts_the_most_words_in_one_note() {
        let others = [HashSet::from([1, 2]), HashSet::from([2, 3])];
        for (keys, expected) in [(&[2, 3, 4][..], (2, 1)), (&[1, 3], (1, 2)), (&[], (0, 0))] {
            let found = cooccurrence(keys, &others);
            assert_eq!(found, expected, "{keys:?}");
        }
        assert!(is_swap("taes", "teas") && !is_swap("bake", "base"));
    }

    #[test]
    fn only_whole_words_are_replaced() {
        for (text, expected) in [
            ("tae", "tea"),
            ("green tae, tae-pot", "green tea, tea-pot"),
            ("taekwondo metae", "taekwondo metae"),
        ] {
            assert_eq!(replace_word(text, "tae", "tea"), expected);
        }
    }
}
