//! Names of notes, and their occurrences in a text.
//!
//! Matching ignores case and plural endings, and treats a hyphen like a blank. To find many names at once, the words
//! of a text are hashed in sequence. At the first word of a name, longer runs are hashed, up to the lengths of such
//! names. Matches are then compared with the original spelling.

pub mod filename;
pub mod mention;
pub mod name_forms;
pub mod naming;
pub mod title;
use std::iter;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::words::hash::ByHash;
use super::words::letters::folded;

/// Minimum letters of a name; shorter ones are ordinary words.
const MIN_LETTERS: usize = 4;

/// Minimum letters and digits of a name that the author is known to use.
const MIN_LETTERS_OF_USED_NAME: usize = 3;

/// Minimum letters of a distinctive word.
const MIN_LETTERS_OF_DISTINCTIVE_WORD: usize = 4;

/// Maximum words of a name.
const MAX_WORDS: usize = 16;

/// A name of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As written in the note.
    pub text: String,
    /// Whether only the exact spelling matches. Two distinctive words in a row are hardly a coincidence; a single one
    /// is.
    literal: bool,
    run: WordRun,
}

/// Hashes that identify a run of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordRun {
    /// Hash of the first word.
    first: u64,
    /// Hash of all words.
    whole: u64,
    words: usize,
}

impl Name {
    /// Returns the name if it is distinctive: long enough, with an upper-case letter or two distinctive words.
    pub fn of(text: &str) -> Option<Self> {
        let name = Self::used(text)?;
        if is_number_form(&name.text) {
            return Some(name);
        }
        let text = name.text.as_str();
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let distinctive = words_of(text).filter(|word| is_distinctive(&text[word.clone()]));
        let literal = distinctive.take(2).count() < 2;
        let is_ordinary = literal && !text.chars().any(char::is_uppercase);
        (letters >= MIN_LETTERS && !is_ordinary).then_some(Self { literal, ..name })
    }

    /// Returns a name that the author is known to use, even if it is a common word; numbers and very short names are
    /// excluded.
    pub fn used(text: &str) -> Option<Self> {
        let text = text.trim().trim_matches(['*', '_', '`', '"', '\'']);
        let words = words(text);
        let (first, last) = (words.first()?, words.last()?);
        let is_whole = first.start == 0 && last.end == text.len();
        let signs = text.chars().filter(|c| c.is_alphanumeric()).count();
        let is_name = is_whole
            && signs >= MIN_LETTERS_OF_USED_NAME
            && text.chars().any(char::is_alphabetic)
            && words.len() <= MAX_WORDS
            && !text.contains(['\n', '[', ']', '|']);
        if !is_name {
            return None;
        }
        Some(Self {
            text: text.to_owned(),
            literal: false,
            run: WordRun::of_words(text, &words)?,
        })
    }

    /// Returns a key, equal for names that match the same text.
    pub fn key(&self) -> u64 {
        self.run.whole
    }

    pub fn run(&self) -> WordRun {
        self.run
    }

    /// Returns other spellings of a name with letters and a number: `EIP 1559` and `EIP1559` for `eip-1559`, `RFC
    /// 2119` for `RFC 2119: Key words`.
    pub fn number_forms(text: &str) -> Vec<String> {
        let text = text.trim();
        let head = text
            .find([':', '–', '—'])
            .map_or(text, |end| text[..end].trim());
        if !is_number_form(head) {
            return Vec::new();
        }
        let letters = head.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = head[letters.len()..].trim_start_matches('0');
        let letters = letters.trim_end_matches(['-', '_', ' ']);
        vec![format!("{letters} {number}"), format!("{letters}{number}")]
    }

    /// Returns true if `written`, a match of its words, has an acceptable spelling.
    pub fn is_written(&self, written: &str) -> bool {
        !self.literal || written == self.text
    }

    /// Returns true if only the exact spelling matches.
    pub fn is_literal(&self) -> bool {
        self.literal
    }
}

/// Returns true for a few letters and a number: `EIP-1559`, `rfc2119`.
fn is_number_form(text: &str) -> bool {
    let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &text[letters.len()..];
    let letters = letters.strip_suffix(['-', '_', ' ']).unwrap_or(letters);
    (2..=8).contains(&letters.len())
        && letters.chars().all(|c| c.is_ascii_alphabetic())
        && (1..=6).contains(&number.len())
        && number.bytes().any(|digit| digit != b'0')
        && letters.len() + number.len() > MIN_LETTERS_OF_USED_NAME
}

/// Returns true for a distinctive word: long, an abbreviation, or with a digit. `AI` and `3ds` qualify, `Tea` does
/// not.
fn is_distinctive(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let is_short_form = letters >= 2 && word.chars().all(char::is_uppercase);
    letters >= MIN_LETTERS_OF_DISTINCTIVE_WORD
        || is_short_form
        || word.contains(|c: char| c.is_ascii_digit())
}

/// A set of names to search for at once. Each is identified by its index in the input.
#[derive(Debug, Default)]
pub struct Names {
    /// Index by the hash of all words.
    whole: ByHash<u32>,
    /// Bit set of word counts by the hash of the first word.
    lengths: ByHash<u32>,
}

impl Names {
    /// Builds the set; of names with equal keys only the first is kept.
    pub fn of(names: impl IntoIterator<Item = WordRun>) -> Self {
        let mut all = Self::default();
        for (number, name) in names.into_iter().enumerate() {
            all.whole.entry(name.whole).or_insert(number as u32);
            *all.lengths.entry(name.first).or_default() |= 1 << (name.words - 1);
        }
        all
    }

    /// Returns the names in `text` with their spans in document order. The longest match wins; a name does not span
    /// lines.
    pub fn in_text(&self, text: &str) -> Vec<(u32, Range<usize>)> {
        let words = words(text);
        let mut found = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let mut hash = extended_hash(0, None, &text[words[at].clone()]);
            let Some(lengths) = self.lengths.get(&hash) else {
                at += 1;
                continue;
            };
            let mut longest = None;
            for length in 1..=(32 - lengths.leading_zeros()) as usize {
                if length > 1 {
                    let Some(word) = words.get(at + length - 1) else {
                        break;
                    };
                    let between = &text[words[at + length - 2].end..word.start];
                    if between.contains('\n') {
                        break;
                    }
                    hash = extended_hash(hash, Some(between), &text[word.clone()]);
                }
                if lengths & (1 << (length - 1)) != 0
                    && let Some(number) = self.whole.get(&hash)
                {
                    longest = Some((*number, length));
                }
            }
            match longest {
                Some((number, length)) => {
                    let span = words[at].start..words[at + length - 1].end;
                    if is_separate(text, &span) {
                        found.push((number, span));
                        at += length;
                    } else {
                        at += 1;
                    }
                }
                None => at += 1,
            }
        }
        found
    }
}

/// Returns whether `span` is not part of something longer: an address, a tag, a compound, a file name.
fn is_separate(text: &str, span: &Range<usize>) -> bool {
    let before = text[..span.start].chars().next_back();
    let mut following = text[span.end..].chars();
    let (next, after) = (following.next(), following.next());
    let begins = before.is_none_or(|c| !"-_/\\@#.^=&%~$[!'’+<".contains(c));
    let ends = next.is_none_or(|c| match c {
        '_' | '@' | '/' | '\\' | ']' | '=' | '#' | '+' | '~' | '>' => false,
        '-' | '.' | ':' => !after.is_some_and(char::is_alphanumeric),
        _ => true,
    });
    begins && ends
}

/// Returns the spans of words: runs of letters and digits.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::with_capacity(text.len() / 6);
    words.extend(words_of(text));
    words
}

fn words_of(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut chars = text.char_indices();
    iter::from_fn(move || {
        // A combining mark belongs to its letter.
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36f}');
        let (start, _) = chars.find(|(_, c)| is_word(*c))?;
        let end = chars.find(|(_, c)| !is_word(*c));
        Some(start..end.map_or(text.len(), |(end, _)| end))
    })
}

impl WordRun {
    /// Returns the run of all words of `text`; `None` if there are none.
    pub fn of(text: &str) -> Option<Self> {
        Self::of_words(text, &words(text))
    }

    /// Returns the run of `words`, which must not be empty.
    fn of_words(text: &str, words: &[Range<usize>]) -> Option<Self> {
        let mut hash = 0;
        let mut first = None;
        for (at, word) in words.iter().enumerate() {
            let last = at.checked_sub(1).map(|last| words[last].end);
            let between = last.map(|last| &text[last..word.start]);
            hash = extended_hash(hash, between, &text[word.clone()]);
            first.get_or_insert(hash);
        }
        Some(Self {
            first: first?,
            whole: hash,
            words: words.len(),
        })
    }
}

/// Extends the hash of a run by a separator and a word.
fn extended_hash(run: u64, between: Option<&str>, word: &str) -> u64 {
    let run = match between {
        None => run,
        Some(" " | "-" | "_") => run ^ 1,
        Some(between) => {
            let is_blank = between.trim().is_empty();
            let hash = between
                .split_whitespace()
                .fold(run, |run, part| xxh3_64_with_seed(part.as_bytes(), run));
            // `A & B` is not `A&B`.
            let begins = u64::from(between.starts_with(char::is_whitespace));
            if is_blank {
                run ^ 1
            } else {
                hash ^ (begins << 1)
            }
        }
    };
    if word.is_ascii() {
        let mut small = [0; 32];
        if word.len() <= small.len() {
            let small = &mut small[..word.len()];
            small.copy_from_slice(word.as_bytes());
            small.make_ascii_lowercase();
            return xxh3_64_with_seed(singular(small), run);
        }
    }
    xxh3_64_with_seed(singular(&mut folded(word).into_bytes()), run)
}

/// Removes a plural ending from a lower-case word: `chains` and `chain` are equal, `glass` stays.
fn singular(word: &mut [u8]) -> &[u8] {
    let length = word.len();
    match word {
        [_, _, .., third @ b'i', b'e', b's'] => {
            *third = b'y';
            &word[..length - 2]
        }
        [_, _, .., last, b's'] if !matches!(last, b's' | b'u' | b'i') => &word[..length - 1],
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn run(name: &str) -> WordRun {
        WordRun::of(name).unwrap()
    }

    #[test]
    fn distinctive_names_are_accepted() {
        for (text, expected) in [
            ("Postgres", Some(true)),
            ("Green tea", Some(true)),
            ("Machine Learning", Some(false)),
            ("machine learning", Some(false)),
            ("AI Tools", Some(false)),
            ("3D modeling", Some(false)),
            ("The self", Some(true)),
            (" Padded Title ", Some(false)),
            ("Node.js", Some(true)),
            ("Überraschung", Some(true)),
            ("EIP-1559", Some(false)),
            ("rfc2119", Some(false)),
            ("v2", None),
            ("**Green tea**", Some(true)),
            ("postgres", None),
            ("to do", None),
            ("Tea", None),
            ("2026-04-01", None),
            ("C++", None),
            ("«Quoted Title»", None),
            ("a | b with words", None),
            ("", None),
            ("Two\nLines here", None),
        ] {
            let name = Name::of(text);
            assert_eq!(name.map(|name| name.literal), expected, "{text:?}");
        }
        assert_eq!(Name::of(&"Long ".repeat(17)), None);
        for (text, expected) in [
            ("postgres", true),
            ("nft", true),
            ("go", false),
            ("1559", false),
        ] {
            assert_eq!(Name::used(text).is_some(), expected, "{text:?}");
        }
    }

    #[test]
    fn numbers_have_several_spellings() {
        for (text, expected) in [
            ("eip-1559", &["eip 1559", "eip1559"][..]),
            ("PEP 0008", &["PEP 8", "PEP8"]),
            ("RFC 2119: Key words", &["RFC 2119", "RFC2119"]),
            ("2026-04-01", &[]),
            ("Tea", &[]),
            ("Version 000", &[]),
        ] {
            assert_eq!(Name::number_forms(text), expected, "{text:?}");
        }
    }

    #[test]
    fn names_match_separate_words() {
        let names = [
            "Green Tea House",
            "Green Tea",
            "Node.js",
            "Café Central",
            "A & B Shop",
            "Anna",
        ];
        let index = Names::of(names.map(run));
        for (text, expected) in [
            ("a green tea, please", &["green tea"][..]),
            (
                "The GREEN TEA HOUSE and green tea.",
                &["GREEN TEA HOUSE", "green tea"],
            ),
            ("green  tea\tgreen\ntea", &["green  tea"]),
            (
                "green-tea green-tea-house greenish tea",
                &["green-tea", "green-tea-house"],
            ),
            ("evergreen tea green-tea-pot Annas", &["Annas"]),
            ("node.js node js node.json", &["node.js"]),
            ("at cafe\u{301} central", &["cafe\u{301} central"]),
            ("A & B shop, A&B shop, A & C shop", &["A & B shop"]),
            (
                "Anna's and (Anna), **Anna**; Anna. Anna: Anna!",
                &["Anna"; 6],
            ),
            (
                "Anna-Lena #Anna @Anna a/Anna Anna/b Anna@b.c Anna.de www.anna.de",
                &[],
            ),
            (
                "[Anna] x=Anna $Anna _Anna_ ~Anna~ Anna_ anna:8080 Anna+1",
                &[],
            ),
            ("green tea hou", &["green tea"]),
        ] {
            let found: Vec<&str> = index
                .in_text(text)
                .into_iter()
                .map(|(_, span)| &text[span])
                .collect();
            assert_eq!(found, expected, "{text}");
        }
        for (one, other, expected) in [
            ("Tea House", "TEA  HOUSE", true),
            ("peer to peer", "Peer-to-Peer", true),
            ("Green teas", "green tea", true),
            ("Stories", "story", true),
            ("Glass", "glas", false),
            ("Tea", "Teahouse", false),
        ] {
            assert_eq!(
                run(one).whole == run(other).whole,
                expected,
                "{one} {other}"
            );
        }
    }

    proptest! {
        #[test]
        fn names_are_found_at_their_position(
            name in "[A-Za-zäЖ]{1,5}([ .&'-]{1,2}[a-zA-Z0-9]{1,4}){0,6}",
            other in "[A-Za-z]{6,8}",
        ) {
            let all = Names::of([other.as_str(), name.as_str()].map(run));
            let text = format!("ßx {name} ßy");
            let place = "ßx ".len()..text.len() - " ßy".len();
            prop_assert_eq!(all.in_text(&text), [(1, place)]);
        }
    }
}
