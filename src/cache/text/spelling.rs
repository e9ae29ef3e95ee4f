//! Words of the index with a similar spelling.

use std::collections::{BTreeMap, BTreeSet};

use strsim::osa_distance;

use super::error::{Result, guard};
use super::reader::TextReader;
use super::schema::Column;
use crate::note::{AnalysisPurpose, Analyzer, Language, folded};

/// Minimum letters of a word; shorter words are too similar to each other.
const MIN_LETTERS: usize = 4;
/// Minimum notes with a correction of a word of minimum length.
const MIN_NOTES_IF_SHORT: u32 = 3;
/// Maximum letters; longer strings are seldom words, and have too many variants.
const MAX_LETTERS: usize = 32;
/// Maximum letters of a word that can only have one typo.
const MAX_LETTERS_ONE_TYPO: usize = 7;

/// Returns the maximum number of typos in a word with this many letters.
pub fn max_typos(letters: usize) -> usize {
    if letters > MAX_LETTERS_ONE_TYPO { 2 } else { 1 }
}

/// Columns with prose, without paths and values.
const COLUMNS: [Column; 5] = [
    Column::Title,
    Column::Aliases,
    Column::Headings,
    Column::Tags,
    Column::Body,
];

impl TextReader {
    /// Returns indexed words with a spelling similar to `word`, or with the stem of such a word, likeliest
    /// first. Each insertion, deletion, substitution and transposition counts as one typo.
    ///
    /// Numbers, ids and short words are never corrected: a variant is a different thing.
    pub fn near_spellings(&self, word: &str) -> Result<Vec<String>> {
        let word = folded(word);
        let letters: Vec<char> = word.chars().take(MAX_LETTERS + 1).collect();
        let is_word = (MIN_LETTERS..=MAX_LETTERS).contains(&letters.len());
        if !is_word || !letters.iter().all(|c| c.is_alphabetic()) {
            return Ok(Vec::new());
        }
        let mut near = guard(&self.path, || self.known(one_typo(&letters)))?;
        if near.is_empty() && max_typos(letters.len()) > 1 {
            for &language in &self.languages {
                near.extend(guard(&self.path, || self.two_typos(&word, language))?);
            }
        }
        let first = letters.first();
        // Most strings of minimum length are similar to some rare word.
        let is_likely = |of: u32| letters.len() > MIN_LETTERS || of >= MIN_NOTES_IF_SHORT;
        near.retain(|(word, of)| word.chars().count() >= MIN_LETTERS && is_likely(*of));
        near.sort_by(|(a, of_a), (b, of_b)| {
            let begins = |word: &str| word.chars().next().as_ref() == first;
            let order = begins(b).cmp(&begins(a)).then(of_b.cmp(of_a));
            order.then_with(|| a.cmp(b))
        });
        near.dedup_by(|(a, _), (b, _)| a == b);
        Ok(near.into_iter().map(|(word, _)| word).collect())
    }

    /// Returns those of `words` in the index with their document frequency, one per stem.
    fn known(&self, words: BTreeSet<String>) -> tantivy::Result<Vec<(String, u32)>> {
        let mut analyzer = Analyzer::of(&self.languages);
        let mut by_term: BTreeMap<String, String> = BTreeMap::new();
        for word in words {
            if let [term] = &analyzer.terms(&word, AnalysisPurpose::Query)[..] {
                for stem in term.stems() {
                    let known = by_term.entry(stem.to_owned());
                    known.or_insert_with(|| word.clone());
                }
            }
        }
        let mut known: BTreeMap<&str, u32> = BTreeMap::new();
        for segment in &self.segments {
            for column in COLUMNS {
                let index = segment.reader.inverted_index(column.field())?;
                for (term, word) in &by_term {
                    if let Some(info) = index.terms().get(term)? {
                        *known.entry(word).or_default() += info.doc_freq;
                    }
                }
            }
        }
        let known = known.into_iter();
        Ok(known.map(|(word, of)| (word.to_owned(), of)).collect())
    }

    /// Returns the indexed words with two typos that share the beginning of `word`.
    ///
    /// The index holds stems. The typed ending is appended if the result has the same stem.
    fn two_typos(&self, word: &str, language: Language) -> tantivy::Result<Vec<(String, u32)>> {
        let mut analyzer = Analyzer::new(language);
        let stem = match &analyzer.terms(word, AnalysisPurpose::Query)[..] {
            [term] => term.text.clone(),
            _ => return Ok(Vec::new()),
        };
        let begin: String = stem.chars().take(1).collect();
        let length = stem.chars().count();
        let mut near: BTreeMap<String, u32> = BTreeMap::new();
        for segment in &self.segments {
            for column in COLUMNS {
                let index = segment.reader.inverted_index(column.field())?;
                let mut terms = index.terms().range().ge(&begin).into_stream()?;
                while let Some((term, info)) = terms.next() {
                    if !term.starts_with(begin.as_bytes()) {
                        break;
                    }
                    let Ok(term) = std::str::from_utf8(term) else {
                        continue;
                    };
                    if term.len().abs_diff(stem.len()) <= 8
                        && term.chars().count().abs_diff(length) <= 2
                        && osa_distance(term, &stem) <= 2
                    {
                        *near.entry(term.to_owned()).or_default() += info.doc_freq;
                    }
                }
            }
        }
        let ending = word.strip_prefix(&*stem).unwrap_or_default();
        let written = |term: String| {
            let whole = format!("{term}{ending}");
            match &analyzer.terms(&whole, AnalysisPurpose::Query)[..] {
                [of_whole] if of_whole.text == term => whole,
                _ => term,
            }
        };
        let mut written = written;
        Ok(near
            .into_iter()
            .map(|(term, of)| (written(term), of))
            .collect())
    }
}

/// Returns every spelling with one typo in `letters`.
fn one_typo(letters: &[char]) -> BTreeSet<String> {
    let mut spellings = BTreeSet::new();
    let mut add = |spelling: Vec<char>| {
        if spelling != letters {
            spellings.insert(spelling.into_iter().collect());
        }
    };
    let alphabet = alphabet(letters);
    for at in 0..=letters.len() {
        let (before, after) = letters.split_at(at);
        if let [lost, rest @ ..] = after {
            add([before, rest].concat());
            if let [second, rest @ ..] = rest {
                add([before, &[*second, *lost], rest].concat());
            }
        }
        for &letter in &alphabet {
            add([before, &[letter], after].concat());
            if let [_, rest @ ..] = after {
                add([before, &[letter], rest].concat());
            }
        }
    }
    spellings
}

/// Returns the letters that the word may contain: those of its script, folded.
fn alphabet(letters: &[char]) -> Vec<char> {
    let scripts = ['a'..='z', 'а'..='я', 'α'..='ω', 'א'..='ת', 'ء'..='ي'];
    let script = scripts
        .into_iter()
        .find(|script| letters.iter().any(|letter| script.contains(letter)));
    script.map_or_else(|| letters.to_vec(), Iterator::collect)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::text::index::TextIndex;
    use crate::cache::text::schema::TextIndexEntry;
    use crate::cache::text::writer::Load;
    use crate::note::words::language::Language;

    #[test]
    fn finds_words_one_or_two_typos_away() {
        let folder = tempfile::tempdir().unwrap();
        let index = TextIndex::create(folder.path(), Language::ENGLISH).unwrap();
        let mut writer = index.writer(Load::Few).unwrap();
        let texts = [
            "we receive parcels",
            "receiving is believing",
            "a formal former form",
            "the farmer ploughs",
            "infrastructures of the state",
            "база данных",
            "eip 1559",
        ];
        for (key, text) in (0..).zip(texts) {
            let mut entry = TextIndexEntry::new(key, Language::ENGLISH);
            entry.add(Column::Body, text);
            writer.insert(entry).unwrap();
        }
        writer.commit("").unwrap();
        let reader = index.reader().unwrap();
        for (word, expected) in [
            ("recieve", Some("receive")),
            ("Recieving", Some("receiving")),
            ("beleiving", Some("believing")),
            ("parcls", Some("parcels")),
            ("inffrastrucures", Some("infrastructures")),
            ("formr", Some("form")),
            ("данныхх", Some("данных")),
            // Too short, too far, not a word.
            ("ei", None),
            ("eit", None),
            ("eipt", None),
            ("reclaim", None),
            ("1558", None),
            ("eip1559", None),
            ("xqzvk", None),
            (&*"x".repeat(1 << 20), None),
        ] {
            let found = reader.near_spellings(word).unwrap();
            assert_eq!(found.first().map(String::as_str), expected, "{word}");
        }
    }
}
