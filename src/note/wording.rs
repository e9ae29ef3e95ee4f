//! What a note says, for comparing it with others: words in order, numbers, negations.
//!
//! Cosine similarity is blind to word order and to "not"; two notes are the same only if their
//! ordered words, their numbers and their negations say so. The cache keeps a [`sketch`] of every
//! note to find candidates; `jobs::dedupe` compares the candidates by [`Wording`].

use std::ops::Range;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// How many bands a [`sketch`] has.
pub const BANDS: usize = 8;

/// Minimum hashes in one band: notes whose shingles overlap by 0.9 share a band with
/// probability 0.9999, by 0.8 with 0.997, by 0.6 with 0.86, by 0.3 with 0.2.
const ROWS: usize = 3;

/// Words that turn a statement around, of several languages.
const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "without",
    "none",
    "nothing",
    "neither",
    "nor",
    "cannot",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "nie",
    "ohne",
    "ne",
    "pas",
    "jamais",
    "sans",
    "non",
    "nunca",
    "sin",
    "mai",
    "senza",
    "não",
    "nem",
    "sem",
    "niet",
    "geen",
    "nooit",
    "zonder",
    "inte",
    "ikke",
    "aldrig",
    "utan",
    "uden",
    "bez",
    "не",
    "нет",
    "без",
    "никогда",
    "不",
    "没",
    "沒",
    "无",
    "無",
    "未",
    "非",
    "别",
    "別",
];

/// Numbers that are written as words; "one" is more often no number.
const NUMBERS: &[(&str, &str)] = &[
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("fifty", "50"),
    ("hundred", "100"),
    ("thousand", "1000"),
];

/// How many first words of a text are kept as they are.
const OPENING: usize = 40;

/// Words that two texts hardly have in a row by chance.
const PHRASE: usize = 3;

/// A text as ordered lower-case words, with what may never differ between duplicates.
#[derive(Clone, Debug, Default)]
pub struct Wording {
    shingles: Vec<u64>,
    /// Every word with a digit in it and every number that is written as a word, in order.
    numbers: Vec<String>,
    negations: usize,
    /// Hashes of the first words.
    opening: Vec<u64>,
    /// Number of words.
    pub words: usize,
}

impl Wording {
    /// Reads the words of `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut hashes = Vec::new();
        let mut numbers = Vec::new();
        let mut negations = 0;
        each_word(text, |word, _| {
            hashes.push(xxh3_64(word.as_bytes()));
            numbers.extend(number(word).map(str::to_owned));
            negations += usize::from(is_negation(word));
        });
        Self {
            shingles: shingles(&hashes),
            numbers,
            negations,
            words: hashes.len(),
            opening: {
                hashes.truncate(OPENING);
                hashes
            },
        }
    }

    /// Returns true if the text begins with the words of `phrase`, or has all of a longer one among
    /// its first words.
    #[must_use]
    pub fn opens_with(&self, phrase: &str) -> bool {
        let mut words = Vec::new();
        each_word(phrase, |word, _| words.push(xxh3_64(word.as_bytes())));
        !words.is_empty()
            && (self.opening.starts_with(&words)
                || words.len() >= PHRASE
                    && self.opening.windows(words.len()).any(|run| run == words))
    }

    /// Returns true if the text has numbers.
    #[must_use]
    pub fn has_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Returns the share of ordered three-word runs that both have, of all that either has: 0–1.
    #[must_use]
    pub fn overlap(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        let all = self.shingles.len() + other.shingles.len() - shared;
        if all == 0 {
            1.0
        } else {
            shared as f64 / all as f64
        }
    }

    /// Returns the share of the shorter text's runs that the longer one has too: 0–1.
    #[must_use]
    pub fn containment(&self, other: &Self) -> f64 {
        let least = self.shingles.len().min(other.shingles.len());
        if least == 0 {
            1.0
        } else {
            self.shared(other) as f64 / least as f64
        }
    }

    /// Returns true if both name the same numbers in the same order and negate equally often.
    #[must_use]
    pub fn agrees_on_facts(&self, other: &Self) -> bool {
        self.numbers == other.numbers && self.negations == other.negations
    }

    /// Returns true if both negate equally often and one names all the numbers of the other, in order.
    #[must_use]
    pub fn nests_facts(&self, other: &Self) -> bool {
        let (fewer, more) = if self.numbers.len() <= other.numbers.len() {
            (&self.numbers, &other.numbers)
        } else {
            (&other.numbers, &self.numbers)
        };
        // Each of the fewer is looked for behind where the last one was found.
        let mut rest = more.iter();
        self.negations == other.negations
            && fewer.iter().all(|number| rest.any(|other| other == number))
    }

    fn shared(&self, other: &Self) -> usize {
        let (mut i, mut j, mut shared) = (0, 0, 0);
        while let (Some(a), Some(b)) = (self.shingles.get(i), other.shingles.get(j)) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    shared += 1;
                    i += 1;
                    j += 1;
                }
            }
        }
        shared
    }
}

/// Returns a sketch by which near-identical texts find each other, and the number of words.
///
/// Two texts are worth comparing if any band is equal. A text without words has bands of zero,
/// which equal nothing.
#[must_use]
pub fn sketch(text: &str) -> ([u32; BANDS], u32) {
    let mut hashes = Vec::new();
    each_word(text, |word, _| hashes.push(xxh3_64(word.as_bytes())));
    let shingles = shingles(&hashes);
    let mut bands = [0; BANDS];
    if shingles.is_empty() {
        return (bands, 0);
    }
    let mut least = [u64::MAX; BANDS * ROWS];
    for shingle in shingles {
        for (row, slot) in least.iter_mut().enumerate() {
            // An odd multiplier and a shift per row: enough mixing for already hashed input.
            let mixed = (shingle ^ (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .wrapping_mul(0xd6e8_feb8_6659_fd93 | ((row as u64) << 32));
            *slot = (*slot).min(mixed ^ (mixed >> 29));
        }
    }
    for (band, rows) in bands.iter_mut().zip(least.chunks_exact(ROWS)) {
        let bytes: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        *band = (xxh3_64(&bytes) as u32).max(1);
    }
    (bands, hashes.len() as u32)
}

/// Returns the hash of `text` with case and white space evened out; 0 for a blank text.
#[must_use]
pub fn normal_hash(text: &str) -> u64 {
    let mut normal = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        if word.is_ascii() {
            normal.extend(
                word.bytes()
                    .map(|byte| char::from(byte.to_ascii_lowercase())),
            );
        } else {
            normal.extend(word.chars().flat_map(char::to_lowercase));
        }
    }
    if normal.is_empty() {
        0
    } else {
        xxh3_64(normal.as_bytes()).max(1)
    }
}

/// Sorted distinct hashes of runs of three words; a shorter text is one run.
fn shingles(words: &[u64]) -> Vec<u64> {
    let hash = |run: &[u64]| {
        run.iter().fold(run.len() as u64, |seed, word| {
            xxh3_64_with_seed(&word.to_le_bytes(), seed)
        })
    };
    let mut shingles: Vec<u64> = match words.len() {
        0 => Vec::new(),
        1 | 2 => vec![hash(words)],
        _ => words.windows(3).map(hash).collect(),
    };
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

/// Returns the number that a lower-case `word` says, in digits if it is one of the common ones.
pub(super) fn number(word: &str) -> Option<&str> {
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        return Some(word);
    }
    let named = NUMBERS.iter().find(|(name, _)| *name == word);
    named.map(|(_, digits)| *digits)
}

/// Returns true if the word at `span` is the number of an item of a list: `2.` at the start of a line.
pub(super) fn is_list_number(text: &str, span: &Range<usize>) -> bool {
    let is_number = text[span.clone()].bytes().all(|byte| byte.is_ascii_digit());
    let line = text[..span.start].rsplit('\n').next().unwrap_or_default();
    is_number
        && line.chars().all(char::is_whitespace)
        && [". ", ") "]
            .iter()
            .any(|end| text[span.end..].starts_with(end))
}

/// Returns true if a lower-case `word` turns a statement around.
pub(super) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't")
}

/// Calls `each` with the lower-case words of `text` and where they stand.
///
/// A word is a run of letters, digits and inner apostrophes, dots or commas between digits
/// (`don't`, `3.14`); a character of a script without spaces is a word of its own.
pub(super) fn each_word(text: &str, mut each: impl FnMut(&str, Range<usize>)) {
    let mut word = String::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    let mut flush = |word: &mut String, start: usize, end: usize| {
        if !word.is_empty() {
            each(word, start..end);
            word.clear();
        }
    };
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let before_digit = next.is_some_and(|next| next.is_ascii_digit());
        if stands_alone(c) {
            flush(&mut word, start, at);
            word.push(c);
            flush(&mut word, at, at + c.len_utf8());
        } else if c.is_alphanumeric() {
            if word.is_empty() {
                start = at;
            }
            word.extend(c.to_lowercase());
        } else if word.is_empty() {
            // A minus sign belongs to its number: -3 is not 3.
            if c == '-' && before_digit {
                start = at;
                word.push(c);
            }
        } else {
            let after_digit = word.ends_with(|last: char| last.is_ascii_digit());
            match c {
                '\'' | '’' if next.is_some_and(char::is_alphabetic) => word.push('\''),
                '.' | ',' | ':' | '/' if before_digit && after_digit => word.push(c),
                _ => flush(&mut word, start, at),
            }
        }
    }
    flush(&mut word, start, text.len());
}

/// True for characters of scripts that put no spaces between words.
pub(super) fn stands_alone(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2fdf}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' | '\u{e00}'..='\u{eff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (text, expected) in [
            ("Don't stop, now", "don't|stop|now"),
            ("port 8080, π≈3.14 at 12:30", "port|8080|π|3.14|at|12:30"),
            ("from -3 to 3", "from|-3|to|3"),
            ("緑茶 tea", "緑|茶|tea"),
            ("- [ ] a_b", "a|b"),
            ("", ""),
        ] {
            let mut words = Vec::new();
            each_word(text, |word, span| {
                assert_eq!(text[span].to_lowercase().replace('’', "'"), word);
                words.push(word.to_owned());
            });
            assert_eq!(words.join("|"), expected, "{text}");
        }
    }

    #[test]
    fn facts_tell_lookalikes_apart() {
        for (a, b, agree) in [
            ("we use port 8080 here", "we use port 8080 here.", true),
            ("we use port 8080 here", "we use port 9090 here", false),
            (
                "we use Postgres for billing",
                "we do not use Postgres for billing",
                false,
            ),
            ("it is enabled", "it isn't enabled", false),
            ("from 8080 to 9090", "from 9090 to 8080", false),
            ("in 2024", "in 2025", false),
        ] {
            let (x, y) = (Wording::of(a), Wording::of(b));
            assert_eq!(x.agrees_on_facts(&y), agree, "{a} / {b}");
            assert_eq!(x.nests_facts(&y), agree, "{a} / {b}");
        }
        let (less, more) = (Wording::of("on 1 and 3"), Wording::of("on 1 and 2 and 3"));
        assert!(less.nests_facts(&more) && more.nests_facts(&less) && !less.agrees_on_facts(&more));
    }

    #[test]
    fn overlap_sees_word_order() {
        let forward = Wording::of("Alice manages Bob and Carol in the office");
        let backward = Wording::of("Bob manages Alice and Carol in the office");
        assert!(forward.overlap(&backward) < 0.6);
        assert!((forward.overlap(&forward) - 1.0).abs() < f64::EPSILON);
        let part = Wording::of("Alice manages Bob");
        assert!((forward.containment(&part) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn sketches_of_near_copies_share_a_band() {
        let text_of = |prefix: &str, step: usize| {
            let words: Vec<String> = (0..200)
                .map(|n| format!("{prefix}{}", n * step % 101))
                .collect();
            words.join(" ")
        };
        let text = text_of("word", 7);
        let (bands, words) = sketch(&text);
        assert_eq!(words, 200);
        let copy = text.replacen("word7 ", "wort7 ", 1);
        assert!(sketch(&copy).0.iter().zip(bands).any(|(a, b)| *a == b));
        assert!(
            sketch(&text_of("other", 3))
                .0
                .iter()
                .zip(bands)
                .all(|(a, b)| *a != b)
        );
        assert_eq!(sketch("").0, [0; BANDS]);
    }

    #[test]
    fn normal_hash_evens_out_case_and_space() {
        assert_eq!(normal_hash(" Green\n tea "), normal_hash("green TEA"));
        assert_ne!(normal_hash("green tea"), normal_hash("greentea"));
        assert_eq!(normal_hash(" \n"), 0);
    }
}
