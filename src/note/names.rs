//! The names that notes go by, and where they stand in a text.
//!
//! Words are compared without case and what stands between them as it is, so that many names are looked
//! for at once: the words of a text are hashed one after the other, and where one begins a name, so are
//! the runs of as many words as such names have. What is found is then looked at as it is written.

use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::letters::folded;

/// Letters that a name must have: shorter ones are words like any other.
const LETTERS: usize = 4;

/// Words of so many letters say something by themselves.
const TELLING: usize = 4;

/// Words that a name may have.
const WORDS: usize = 16;

/// A name that a note goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As the note writes it.
    pub text: String,
    /// Whether only what is written like it means it: two telling words in a row are hardly chance, one
    /// is any word.
    literal: bool,
}

impl Name {
    /// Returns a name that can be told from other words: not too short, and if it says little, not all in
    /// small letters, as any words are written.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        let words = words(text);
        let (first, last) = (words.first()?, words.last()?);
        let is_whole = first.start == 0 && last.end == text.len();
        let telling = words
            .iter()
            .filter(|word| is_telling(&text[(*word).clone()]));
        let literal = telling.count() < 2;
        let is_ordinary = literal && !text.chars().any(char::is_uppercase);
        let is_name = letters >= LETTERS
            && words.len() <= WORDS
            && is_whole
            && !is_ordinary
            && !text.contains(['\n', '[', ']', '|']);
        is_name.then(|| Self {
            text: text.to_owned(),
            literal,
        })
    }

    /// Returns true if `written`, a run of its words, means it.
    #[must_use]
    pub fn is_written(&self, written: &str) -> bool {
        !self.literal || written == self.text
    }

    /// Returns true if only what is written like it means it.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.literal
    }
}

/// Returns true for a word that is long, an abbreviation, or has a digit: `Tea` is none, `AI` and `3ds` are.
fn is_telling(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let is_short_form = letters >= 2 && word.chars().all(char::is_uppercase);
    letters >= TELLING || is_short_form || word.contains(|c: char| c.is_ascii_digit())
}

/// Many names, to be looked for at once. Each has a number, that of its place among those given.
#[derive(Debug, Default)]
pub struct Names {
    /// By the hash of all their words.
    whole: HashMap<u64, u32>,
    /// For each first word of a name, how many words such names have: a bit each.
    lengths: HashMap<u64, u32>,
    /// Names that are an earlier one but for case, with that.
    repeated: Vec<(u32, u32)>,
}

impl Names {
    /// Takes names; of two that are the same but for case only the first is looked for.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut all = Self::default();
        for (number, name) in names.into_iter().enumerate() {
            let words = words(name);
            let mut hash = 0;
            let mut begun = None;
            for (at, word) in words.iter().enumerate() {
                let last = at.checked_sub(1).map(|last| words[last].end);
                hash = with_word(
                    hash,
                    last.map(|last| &name[last..word.start]),
                    &name[word.clone()],
                );
                begun.get_or_insert(hash);
            }
            if let Some(first) = begun {
                let known = *all.whole.entry(hash).or_insert(number as u32);
                if known != number as u32 {
                    all.repeated.push((number as u32, known));
                }
                *all.lengths.entry(first).or_default() |= 1 << (words.len() - 1);
            }
        }
        all
    }

    /// Returns the names that are an earlier one but for case, each with that.
    #[must_use]
    pub fn repeated(&self) -> &[(u32, u32)] {
        &self.repeated
    }

    /// Returns the names in `text` and where they stand, the longest where several begin, in the order
    /// of the text. A name ends on its line.
    #[must_use]
    pub fn in_text(&self, text: &str) -> Vec<(u32, Range<usize>)> {
        let words = words(text);
        let mut found = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let mut hash = with_word(0, None, &text[words[at].clone()]);
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
                    hash = with_word(hash, Some(between), &text[word.clone()]);
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
                    if stands_alone(text, &span) {
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

/// Returns whether what stands at `span` is no part of something longer: of an address, a tag, a
/// compound, a file name.
fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let before = text[..span.start].chars().next_back();
    let mut behind = text[span.end..].chars();
    let (next, after) = (behind.next(), behind.next());
    let begins = before.is_none_or(|c| {
        !matches!(
            c,
            '-' | '_'
                | '/'
                | '\\'
                | '@'
                | '#'
                | '.'
                | '^'
                | '='
                | '&'
                | '%'
                | '~'
                | '$'
                | '['
                | '!'
                | '\''
                | '’'
                | '+'
                | '<'
        )
    });
    let ends = next.is_none_or(|c| match c {
        '_' | '@' | '/' | '\\' | ']' | '=' | '#' | '+' | '~' | '>' => false,
        '-' | '.' | ':' => !after.is_some_and(char::is_alphanumeric),
        _ => true,
    });
    begins && ends
}

/// Returns where the words of `text` stand: runs of letters and digits.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::with_capacity(text.len() / 6);
    let mut start = None;
    for (at, c) in text.char_indices() {
        // A sign above a letter belongs to it.
        let is_word = c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36f}');
        match (is_word, start) {
            (true, None) => start = Some(at),
            (false, Some(begun)) => {
                words.push(begun..at);
                start = None;
            }
            _ => {}
        }
    }
    words.extend(start.map(|start| start..text.len()));
    words
}

/// Returns the hash of a run of words with one more, and what stands between.
fn with_word(run: u64, between: Option<&str>, word: &str) -> u64 {
    let run = match between {
        None => run,
        Some(" ") => run ^ 1,
        Some(between) => {
            let parts: Vec<&str> = between.split(char::is_whitespace).collect();
            let parts = parts.iter().filter(|part| !part.is_empty());
            let is_blank = between.trim().is_empty();
            let hash = parts.fold(run, |run, part| xxh3_64_with_seed(part.as_bytes(), run));
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
            return xxh3_64_with_seed(small, run);
        }
    }
    xxh3_64_with_seed(folded(word).as_bytes(), run)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_can_be_a_name() {
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
    }

    #[test]
    fn names_stand_alone() {
        let names = [
            "Green Tea House",
            "Green Tea",
            "Node.js",
            "Café Central",
            "A & B Shop",
            "Anna",
        ];
        let index = Names::of(names);
        for (text, expected) in [
            ("a green tea, please", &["green tea"][..]),
            (
                "The GREEN TEA HOUSE and green tea.",
                &["GREEN TEA HOUSE", "green tea"],
            ),
            ("green  tea\tgreen\ntea", &["green  tea"]),
            ("green-tea greenish tea, evergreen tea", &[]),
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
        let index = Names::of(["Tea House", "tea house", "Other", "TEA  HOUSE"]);
        assert_eq!(index.repeated(), [(1, 0), (3, 0)]);
    }

    proptest! {
        #[test]
        fn a_name_is_found_where_it_stands(
            name in "[A-Za-zäЖ]{1,5}([ .&'-]{1,2}[a-zA-Z0-9]{1,4}){0,6}",
            other in "[A-Za-z]{6,8}",
        ) {
            let all = Names::of([other.as_str(), name.as_str()]);
            let text = format!("ßx {name} ßy");
            let place = "ßx ".len()..text.len() - " ßy".len();
            prop_assert_eq!(all.in_text(&text), [(1, place)]);
        }
    }
}
