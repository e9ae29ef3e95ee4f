//! The content words of a text in order, as stems.
//!
//! Articles, copulas, other empty words, punctuation and Markdown syntax are left out. Each word records its
//! sentence, and whether it is a name, a number, code or a negation. `jobs::dedupe` compares texts by content
//! words; for equality it requires the same [`wording`](super::wording).

use std::collections::BTreeMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::english::{self, WordEffect};
use super::segments::TextWeights;
use super::tokens::each_word;
use crate::note::markdown::document::Document;

#[derive(Clone, Copy, Debug)]
struct Word {
    stem: u64,
    sentence: u32,
    marks: u8,
}

/// A name: with a capital inside a sentence or a word.
const NAME: u8 = 1;
const NUMBER: u8 = 1 << 1;
/// Part of code, of an address or of a command-line option.
const CODE: u8 = 1 << 2;
/// Negates its context.
const NEGATES: u8 = 1 << 3;
/// Relates other words; see [`WordEffect::Light`].
const LIGHT: u8 = 1 << 4;

/// The content words of a text.
#[derive(Clone, Debug, Default)]
pub struct ContentWords {
    words: Vec<Word>,
    /// Number of words that are not light.
    full: usize,
    /// Total weight of these.
    weight: f64,
    /// Distinct stems, ascending.
    stems: Vec<u64>,
    /// Weight of each stem, unless all are equal.
    weights: Vec<f32>,
    /// Whether most words are capitalised, so that capitals mark no names.
    is_headline: bool,
}

/// Differences between two texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Share of the longer text's content words that both have in order: 0–1.
    pub shared: f64,
    /// Whether two of their sentences differ only by a number, a name or a negation.
    pub contradicts: bool,
}

impl ContentWords {
    pub fn of(text: &str) -> Self {
        Self::read(text, code(text), &TextWeights::default())
    }

    /// Reads a body with weighted parts.
    pub fn weighted(document: &Document<'_>, parts: &TextWeights) -> Self {
        Self::read(document.text(), document.code().collect(), parts)
    }

    fn read(text: &str, code: Vec<Range<usize>>, parts: &TextWeights) -> Self {
        let mut content = Self::default();
        let mut of_words = Vec::new();
        let mut reader = ReaderState {
            code,
            ..ReaderState::default()
        };
        let (mut capitals, mut inner) = (0, 0);
        each_word(text, |word, span| {
            let starts = reader.advance(&text[reader.end..span.start]);
            reader.end = span.end;
            reader.find_code(&span);
            let written = &text[span.clone()];
            let is_capital = written.starts_with(char::is_uppercase) && word != "i";
            inner += usize::from(!starts);
            capitals += usize::from(!starts && is_capital);
            let is_name = is_capital && !starts
                || written.chars().skip(1).any(char::is_uppercase) && !word.starts_with("i'");
            if !is_list_number(text, &span) {
                content.push(word, is_name, &reader);
                if !parts.is_empty() {
                    of_words.resize(content.words.len(), parts.at(span.start));
                }
            }
        });
        content.is_headline = capitals * 2 > inner;
        content.full = content.full_words(0..content.words.len());
        content.weight = content.full as f64;
        content.stems = content.words.iter().map(|word| word.stem).collect();
        if !parts.is_empty() {
            let words = content.words.iter().zip(&of_words);
            let full = words.clone().filter(|(word, _)| word.marks & LIGHT == 0);
            content.weight = full.map(|(_, weight)| f64::from(*weight)).sum();
            let mut stems: Vec<(u64, f32)> =
                words.map(|(word, weight)| (word.stem, *weight)).collect();
            stems.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
            stems.dedup_by_key(|(stem, _)| *stem);
            (content.stems, content.weights) = stems.into_iter().unzip();
        }
        content.stems.sort_unstable();
        content.stems.dedup();
        content
    }

    fn push(&mut self, word: &str, is_name: bool, reader: &ReaderState) {
        // In code a single letter can be significant, as in an option.
        let content = if reader.in_code() {
            WordEffect::Full
        } else {
            english::word(word).content
        };
        if content == WordEffect::Empty {
            return;
        }
        let number = english::number(word);
        let mark = |mark, yes| if yes { mark } else { 0 };
        self.words.push(Word {
            stem: number.map_or_else(
                || xxh3_64(english::stem_keeping_past(word).as_bytes()),
                |number| xxh3_64(number.as_bytes()),
            ),
            sentence: reader.sentence,
            marks: mark(NAME, is_name)
                | mark(NUMBER, number.is_some())
                | mark(CODE, reader.in_code())
                | mark(LIGHT, content == WordEffect::Light)
                | mark(NEGATES, english::is_negation(word)),
        });
    }

    /// Returns the number of words that are not light.
    pub fn len(&self) -> usize {
        self.full
    }

    pub fn is_empty(&self) -> bool {
        self.full == 0
    }

    /// Returns the total weight of the words that are not light; their number if weights are equal.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    fn full_words(&self, words: Range<usize>) -> usize {
        let words = self.words[words].iter();
        words.filter(|word| word.marks & LIGHT == 0).count()
    }

    /// Returns the weighted Jaccard similarity of the stems: 0–1.
    pub fn in_common(&self, other: &Self) -> f64 {
        let weight = |text: &Self, at: usize| {
            let weight = text.weights.get(at).copied();
            f64::from(weight.unwrap_or(1.0))
        };
        let total = |text: &Self| -> f64 { (0..text.stems.len()).map(|at| weight(text, at)).sum() };
        let stems = self.stems.iter().enumerate();
        let shared = stems.filter_map(|(at, stem)| {
            let there = other.stems.binary_search(stem).ok()?;
            Some(weight(self, at).min(weight(other, there)))
        });
        let shared: f64 = shared.sum();
        let all = total(self) + total(other) - shared;
        if all == 0.0 { 0.0 } else { shared / all }
    }

    /// Returns whether each text has a name that the other lacks: two instances of a template.
    pub fn names_others(&self, other: &Self) -> bool {
        let names = if self.is_headline || other.is_headline {
            CODE
        } else {
            NAME | CODE
        };
        let names_more = |text: &Self, than: &Self| {
            let mut words = text.words.iter();
            words.any(|word| word.marks & names != 0 && !than.has_stem(word.stem))
        };
        names_more(self, other) && names_more(other, self)
    }

    /// Returns whether it has a word that none of the others has.
    pub fn has_word_beyond(&self, others: &[&Self]) -> bool {
        let mut stems = self.stems.iter();
        stems.any(|stem| !others.iter().any(|other| other.has_stem(*stem)))
    }

    /// Returns the stems that the other does not have.
    pub fn beyond(&self, other: &Self) -> Vec<u64> {
        let stems = self.stems.iter().copied();
        stems.filter(|stem| !other.has_stem(*stem)).collect()
    }

    /// Returns whether it has a word with this stem.
    pub fn has_stem(&self, stem: u64) -> bool {
        self.stems.binary_search(&stem).is_ok()
    }

    /// Compares the words in order.
    pub fn difference(&self, other: &Self) -> Difference {
        let alignment = self.align(other);
        let longer = self.len().max(other.len());
        let (ours, theirs) = (self.added(&alignment.ours), other.added(&alignment.theirs));
        let is_denied = |added: &BTreeMap<u32, AddedWords>| {
            let mut kept = added
                .values()
                .filter(|added| added.share <= MAX_MISSING_SHARE);
            kept.any(|added| added.marks & NEGATES != 0)
        };
        let is_kept = |added: &BTreeMap<u32, AddedWords>, sentence: &u32| {
            added
                .get(sentence)
                .is_some_and(|added| added.share <= MAX_MISSING_SHARE)
        };
        let mut values = alignment.values.iter();
        Difference {
            shared: if longer == 0 {
                1.0
            } else {
                alignment.shared as f64 / longer as f64
            },
            contradicts: is_denied(&ours)
                || is_denied(&theirs)
                || values.any(|[a, b]| is_kept(&ours, a) && is_kept(&theirs, b)),
        }
    }

    fn align(&self, other: &Self) -> Alignment {
        let stems = |text: &Self| text.words.iter().map(|word| word.stem).collect::<Vec<_>>();
        let ops =
            similar::capture_diff_slices(similar::Algorithm::Myers, &stems(self), &stems(other));
        let mut alignment = Alignment::default();
        for op in ops {
            let (old, new) = (op.old_range(), op.new_range());
            if op.tag() == similar::DiffTag::Equal {
                alignment.shared += self.full_words(old);
                continue;
            }
            if op.tag() == similar::DiffTag::Replace {
                let (ours, theirs) = (self.marks(&old), other.marks(&new));
                if (ours | theirs) & NUMBER | ours & theirs & NAME != 0 {
                    let sentences = [self.words[old.start], other.words[new.start]];
                    alignment.values.push(sentences.map(|word| word.sentence));
                }
            }
            alignment.ours.extend(old);
            alignment.theirs.extend(new);
        }
        alignment
    }

    /// Returns, per sentence, the share and kinds of `words`, which the other text lacks.
    fn added(&self, words: &[usize]) -> BTreeMap<u32, AddedWords> {
        let sentences = words.chunk_by(|a, b| self.words[*a].sentence == self.words[*b].sentence);
        let added = sentences.map(|added| {
            let sentence = self.words[added[0]].sentence;
            let first = self.words.partition_point(|word| word.sentence < sentence);
            let end = self.words.partition_point(|word| word.sentence <= sentence);
            let marks = added.iter().map(|word| self.words[*word].marks);
            (
                sentence,
                AddedWords {
                    share: added.len() as f64 / (end - first) as f64,
                    marks: marks.fold(0, |all, marks| all | marks),
                },
            )
        });
        added.collect()
    }

    /// Returns the marks of any of `words`; names are unknown in a headline.
    fn marks(&self, words: &Range<usize>) -> u8 {
        let words = self.words[words.clone()].iter();
        let marks = words.fold(0, |all, word| all | word.marks);
        if self.is_headline {
            marks & !NAME
        } else {
            marks
        }
    }
}

/// A word-by-word alignment of two texts.
#[derive(Debug, Default)]
struct Alignment {
    /// Number of common words, without the light ones.
    shared: usize,
    /// Words that the other text lacks.
    ours: Vec<usize>,
    theirs: Vec<usize>,
    /// Pairs of sentences with different numbers or names at the same place.
    values: Vec<[u32; 2]>,
}

/// The words of a sentence that another text lacks.
#[derive(Clone, Copy, Debug)]
struct AddedWords {
    /// Their share of the sentence.
    share: f64,
    marks: u8,
}

/// Maximum share of missing words at which a sentence still counts as the same.
const MAX_MISSING_SHARE: f64 = 0.5;

/// State of the reader.
#[derive(Debug, Default)]
struct ReaderState {
    /// End of the last word.
    end: usize,
    sentence: u32,
    /// Ranges of code, and how many of them were passed.
    code: Vec<Range<usize>>,
    passed: usize,
    /// Whether the last word is code.
    is_code: bool,
    /// Whether the word is part of an address or option.
    attached: bool,
}

impl ReaderState {
    /// Processes the text between two words; returns whether a sentence begins after it.
    fn advance(&mut self, gap: &str) -> bool {
        let is_first = self.end == 0;
        let is_apart = gap.contains(char::is_whitespace);
        let is_block = gap.contains("\n\n") || gap.contains("\n\r\n");
        let ends = is_block
            || is_apart && gap.contains(['.', '!', '?', ';', ':', '|'])
            || gap.split_once('\n').is_some_and(|(_, next)| {
                next.trim_start()
                    .starts_with(['-', '*', '+', '#', '>', '`', '['])
            });
        self.sentence += u32::from(ends && !is_first);
        self.attached = gap.ends_with("://")
            || gap.ends_with('-') && is_apart && !gap.contains('\n')
            || self.attached && !is_apart;
        ends || is_first
    }

    fn in_code(&self) -> bool {
        self.is_code || self.attached
    }

    fn find_code(&mut self, word: &Range<usize>) {
        let rest = self.code[self.passed..].iter();
        self.passed += rest.take_while(|code| code.end <= word.start).count();
        let next = self.code.get(self.passed);
        self.is_code = next.is_some_and(|code| code.start < word.end);
    }
}

/// Returns the ranges of code in `text`.
fn code(text: &str) -> Vec<Range<usize>> {
    // Fast path for text without any code marker.
    let marks = ["`", "~~~", "    ", "\t"];
    if marks.iter().any(|mark| text.contains(mark)) {
        Document::of_body(text).code().collect()
    } else {
        Vec::new()
    }
}

/// Returns whether the word at `span` is the number of a list item: `2.` at the start of a line.
fn is_list_number(text: &str, span: &Range<usize>) -> bool {
    let is_number = text[span.clone()].bytes().all(|byte| byte.is_ascii_digit());
    let line = text[..span.start].rsplit('\n').next().unwrap_or_default();
    is_number
        && line.chars().all(char::is_whitespace)
        && [". ", ") "]
            .iter()
            .any(|end| text[span.end..].starts_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_contradictions() {
        for (a, b, shared, contradicts) in [
            (
                "The key is in the shed.",
                "- **key**: in that shed",
                1.0,
                false,
            ),
            ("A black dog runs", "the black dogs are running", 1.0, false),
            ("Two women wait", "2 women wait", 1.0, false),
            ("Port 8080 is open", "Port 9090 is open", 2.0 / 3.0, true),
            (
                "The password is hunter2",
                "The password is swordfish",
                0.5,
                true,
            ),
            (
                "The key is with Ann Lee",
                "The key is with Tom Lee",
                2.0 / 3.0,
                true,
            ),
            ("We use Postgres", "We never use Postgres", 2.0 / 3.0, true),
            ("Oil the key.", "Oil the key. Anna never does.", 0.5, false),
        ] {
            let (x, y) = (ContentWords::of(a), ContentWords::of(b));
            let there = x.difference(&y);
            assert_eq!(y.difference(&x), there);
            assert!((there.shared - shared).abs() < 1e-9, "{a} / {b}: {there:?}");
            assert_eq!(there.contradicts, contradicts, "{a} / {b}: {there:?}");
        }
    }

    #[test]
    fn detects_different_names_in_templates() {
        for (a, b, others) in [
            ("Import notes from Bear.", "Import notes from Roam.", true),
            (
                "Import notes from Bear.",
                "Import your notes from Bear.",
                false,
            ),
            (
                "Import notes from Bear.",
                "Import notes from Bear or Roam.",
                false,
            ),
            (
                "Show help:\n\n`git add -h`",
                "Show help:\n\n`git rm -h`",
                true,
            ),
            ("See https://a.org/x", "See https://a.org/y", true),
            ("Pope Calls For Action", "Pontiff Asks For Action", false),
        ] {
            assert_eq!(
                ContentWords::of(a).names_others(&ContentWords::of(b)),
                others,
                "{a} / {b}"
            );
        }
    }
}
