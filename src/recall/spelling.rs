//! Words that no note has, as they were probably meant.
//!
//! The text index knows stems, and a stem has forms that nobody writes: what a note has is read from a
//! note.
//!
//! A vault lacks most words there are, and one of its own is near to most of these: `bake` to `base`. A
//! spelling is taken where it convinces: by how long the word is and how few the slips are, and where more is
//! asked for, by whether it stands with most of that.

use std::collections::HashSet;

use strsim::osa_distance;

use super::query::Query;
use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::cache::text::clause::Clause;
use crate::cache::text::index::TextIndex;
use crate::cache::text::reader::TextReader;
use crate::cache::text::spelling::slips;
use crate::note::words::analyzer::{Analyzer, Pattern, Purpose};
use crate::note::words::letters::folded;
use crate::view::View;

/// Letters that each of two words has at least that are written as one.
const PART: usize = 2;
/// Bytes of such a word.
const LONGEST: usize = 40;
/// How many words are looked up at all.
const WORDS: usize = 8;
/// How many spellings are looked up beside the other words of a query.
const TRIED: usize = 8;
/// How many notes are read for how they write a word.
const READ: usize = 32;
/// Letters of a word for which one slip convinces, or two if it is all that is asked for.
const LONG: usize = 8;
const VERY_LONG: usize = 12;
/// Letters of a word for which only a swap convinces: any change gives another one.
const SHORT: usize = 4;

/// A word that no note has, and the nearest that some have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Respelling {
    pub typed: String,
    pub meant: String,
    /// How many notes have what was meant.
    pub notes: usize,
}

/// A query as it was probably meant.
#[derive(Clone, Debug)]
pub struct Respelled {
    pub query: Query,
    /// The query as it would have been typed.
    pub typed: String,
    pub words: Vec<Respelling>,
}

/// Returns what was probably meant where notes have none of the words `unknown`; `is_word` knows words
/// that are right as they are, whether notes have them or not.
pub fn respelled(
    view: &View<'_>,
    index: &TextIndex,
    (query, typed): (&Query, &str),
    unknown: &[String],
    is_word: &dyn Fn(&str) -> bool,
) -> Result<Option<Respelled>, CacheError> {
    let reader = index.reader()?;
    let mut others = Vec::new();
    let wanted = query.text().wanted;
    for clause in &wanted {
        if reader.is_content(clause, &wanted) {
            let notes = reader.matches(clause)?.into_iter().collect();
            others.push((clause.clone(), notes));
        }
    }
    let mut spelling = Spelling {
        view,
        analyzer: Analyzer::of(&reader.languages),
        reader,
        others,
    };
    let mut words: Vec<Respelling> = Vec::new();
    // What is joined by hyphens is one word of a query.
    let parts = unknown
        .iter()
        .flat_map(|word| word.split(|c: char| !c.is_alphanumeric()));
    let parts = parts.filter(|part| !part.is_empty() && !is_word(part));
    for part in parts.take(WORDS) {
        let clause = Clause::of(Pattern::Word(part.to_owned()));
        if words.iter().all(|known| known.typed != part)
            && spelling.reader.matches(&clause)?.is_empty()
        {
            let meant = match spelling.apart(part)? {
                None => spelling.nearest(part)?,
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
            with_word(&text, &word.typed, &word.meant)
        })
    };
    Ok(Some(Respelled {
        query: query.clone().with_words(&respell),
        typed: respell(typed),
        words,
    }))
}

/// Looks for the nearest spelling.
struct Spelling<'v> {
    view: &'v View<'v>,
    reader: TextReader,
    analyzer: Analyzer,
    /// What says something in the query, with the notes that have it.
    others: Vec<(Clause, HashSet<u64>)>,
}

/// How much of a query a spelling stands with, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Company {
    /// How many of the others one note has.
    others: usize,
    /// Whether the letters are the same: people swap more often than they take another one.
    is_swap: bool,
    /// How many notes have so many of the others.
    notes: usize,
}

impl Spelling<'_> {
    /// Returns the two words that stand beside each other in notes and that `typed` writes as one: of
    /// several, those that most notes have.
    fn apart(&self, typed: &str) -> Result<Option<Respelling>, CacheError> {
        let mut best: Option<Respelling> = None;
        if typed.len() > LONGEST {
            return Ok(best);
        }
        for (at, _) in typed.char_indices() {
            let (before, after) = typed.split_at(at);
            if before.chars().count() < PART || after.chars().count() < PART {
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

    /// Returns the word of the notes that is spelled most like `typed`, if any convinces: of several, one
    /// that stands with most of the others, then the most frequent.
    fn nearest(&mut self, typed: &str) -> Result<Option<Respelling>, CacheError> {
        let is_other =
            |(clause, _): &&(Clause, _)| clause.word().is_none_or(|word| !word.contains(typed));
        let others: Vec<HashSet<u64>> = self
            .others
            .iter()
            .filter(is_other)
            .map(|(_, notes)| notes.clone())
            .collect();
        let mut best: Option<(Company, Respelling)> = None;
        for near in self.reader.near_spellings(typed)?.into_iter().take(TRIED) {
            let clause = Clause::of(Pattern::Word(near.clone()));
            let keys = self.reader.matches(&clause)?;
            let Some((slips, meant)) = self.written(&near, typed, &keys)? else {
                continue;
            };
            let (most, notes) = company(&keys, &others);
            let is_swap = is_swap(&folded(typed), &meant);
            let letters = typed.chars().count();
            let convinces = if letters <= SHORT {
                is_swap
            } else if others.is_empty() {
                convinces_alone(&folded(typed), &meant, slips)
            } else {
                slips == 1 && letters >= LONG || most * 2 > others.len()
            };
            let company = Company {
                others: most,
                is_swap,
                notes,
            };
            if convinces && best.as_ref().is_none_or(|(most, _)| company > *most) {
                let (typed, notes) = (typed.to_owned(), keys.len());
                let respelling = Respelling {
                    typed,
                    meant,
                    notes,
                };
                best = Some((company, respelling));
            }
        }
        Ok(best.map(|(_, respelling)| respelling))
    }

    /// Returns a form of the word `near`, as one of the notes `keys` has it, that may have been meant by
    /// `typed`, and by how many slips.
    fn written(
        &mut self,
        near: &str,
        typed: &str,
        keys: &[u64],
    ) -> Result<Option<(usize, String)>, CacheError> {
        let terms = self.analyzer.terms(near, Purpose::Query);
        let [term] = &terms[..] else {
            return Ok(None);
        };
        let typed = folded(typed);
        let most = slips(typed.chars().count());
        let mut best: Option<(usize, String)> = None;
        for &key in keys.iter().take(READ) {
            let Some(entry) = self.view.entry(key as Slot)? else {
                continue;
            };
            // Its path is no part of its text.
            let text = self.view.text(&entry).unwrap_or_default();
            let text = format!("{} {text}", entry.path.stem());
            let forms = self.analyzer.terms(&text, Purpose::Index);
            let forms = forms.into_iter().filter(|form| form.text == term.text);
            let forms = forms.map(|form| folded(&text[form.range]));
            let near = forms.map(|form| (osa_distance(&form, &typed), form));
            let near = near.filter(|(slips, _)| (1..=most).contains(slips));
            best = best.into_iter().chain(near).min();
            if best.as_ref().is_some_and(|(slips, _)| *slips == 1) {
                break;
            }
        }
        Ok(best)
    }
}

/// Returns with how many of `others` one of the notes `keys` has a word, and how many have it so.
fn company(keys: &[u64], others: &[HashSet<u64>]) -> (usize, usize) {
    let count = |key: &u64| others.iter().filter(|notes| notes.contains(key)).count();
    let counts: Vec<usize> = keys.iter().map(count).collect();
    let most = counts.iter().copied().max().unwrap_or_default();
    (most, counts.iter().filter(|&&count| count == most).count())
}

/// Returns whether `typed` may be `meant` with so many slips, though nothing else is asked for.
fn convinces_alone(typed: &str, meant: &str, slips: usize) -> bool {
    typed.chars().next() == meant.chars().next()
        && (slips == 1 || typed.chars().count() >= VERY_LONG)
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

/// Returns `text` with `new` for `old` wherever that is a whole word.
fn with_word(text: &str, old: &str, new: &str) -> String {
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
    fn a_word_alone_has_few_slips() {
        for (typed, meant, slips, expected) in [
            ("recieve", "receive", 1, true),
            ("jester", "tester", 1, false),
            ("photoshoot", "photoshop", 2, false),
            ("inffrastrucures", "infrastructures", 2, true),
        ] {
            assert_eq!(convinces_alone(typed, meant, slips), expected, "{typed}");
        }
    }

    #[test]
    fn company_is_the_most_that_one_note_has() {
        let others = [HashSet::from([1, 2]), HashSet::from([2, 3])];
        for (keys, expected) in [(&[2, 3, 4][..], (2, 1)), (&[1, 3], (1, 2)), (&[], (0, 0))] {
            let found = company(keys, &others);
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
            assert_eq!(with_word(text, "tae", "tea"), expected);
        }
    }
}
