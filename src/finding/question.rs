//! What a job cannot or may not decide alone, and what was answered.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_64;

pub use super::answer::Answer;
pub use super::kind::Kind;
use crate::note::front_matter::as_text::serde_as_text;
use crate::note::path::VaultPath;

/// Names a question by what it asks: the kind and what the notes say.
///
/// The same question about the same texts has the same key on every machine, so an answer is never
/// asked for twice; a changed title or body, or another set of answers, makes another question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionKey {
    kind: Kind,
    /// Without its first digit, which says the kind when the key is written.
    hash: u64,
}

/// How many bits follow the digit of the kind.
const HASH_BITS: u32 = 60;

impl QuestionKey {
    /// Returns the key of a question about notes with these content keys, in any order.
    #[must_use]
    pub fn new(kind: Kind, content_keys: &[u64]) -> Self {
        let mut sorted = content_keys.to_vec();
        sorted.sort_unstable();
        let mut bytes = Vec::new();
        for answer in kind.answers() {
            bytes.extend(answer.to_string().as_bytes());
            bytes.push(b'\n');
        }
        bytes.extend(sorted.iter().flat_map(|key| key.to_le_bytes()));
        Self::of(kind, &bytes)
    }

    /// Returns the key of the question whether to do again, in spite of an answer to this one, what
    /// a person took back by hand since `at`, in seconds since 1970.
    #[must_use]
    pub fn again(self, at: i64) -> Self {
        let mut bytes = self.bits().to_le_bytes().to_vec();
        bytes.extend(at.to_le_bytes());
        Self::of(self.kind, &bytes)
    }

    /// Returns the key of the question that stands for these, which are of one kind.
    ///
    /// # Panics
    ///
    /// If there are none.
    #[must_use]
    pub fn of_all(keys: &[Self]) -> Self {
        let mut bits: Vec<u64> = keys.iter().map(|key| key.bits()).collect();
        bits.sort_unstable();
        let bytes: Vec<u8> = bits.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        Self::of(keys[0].kind, &bytes)
    }

    fn of(kind: Kind, bytes: &[u8]) -> Self {
        let hash = xxh3_64(bytes) & ((1 << HASH_BITS) - 1);
        Self { kind, hash }
    }

    /// Returns what the question is about.
    pub fn kind(self) -> Kind {
        self.kind
    }

    fn bits(self) -> u64 {
        ((self.kind as u64 + 1) << HASH_BITS) | self.hash
    }
}

impl fmt::Display for QuestionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.bits())
    }
}

impl fmt::Debug for QuestionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QuestionKey({self})")
    }
}

impl FromStr for QuestionKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bits = u64::from_str_radix(text, 16).ok();
        let key = bits.and_then(|bits| {
            let index = ((bits >> HASH_BITS) as usize).checked_sub(1)?;
            Some(Self {
                kind: *Kind::ALL.get(index)?,
                hash: bits & ((1 << HASH_BITS) - 1),
            })
        });
        key.ok_or_else(|| format!("`{text}` is not the id of a question"))
    }
}

serde_as_text!(QuestionKey);

/// More notes than this are in one question for what is done to each of them.
const MOST_TOGETHER: usize = 16;

/// Everything that was answered so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    given: HashMap<QuestionKey, Answer>,
    forgotten: usize,
    /// Pairs of notes that a "no" was about, by their names.
    refused: HashSet<(Kind, String, String)>,
}

impl Answers {
    /// Returns the answer to `key`; of a pair, the note with the smaller content key first.
    pub fn get(&self, key: QuestionKey) -> Option<Answer> {
        self.given.get(&key).copied()
    }

    /// Notes an answer, forgetting an earlier one.
    pub fn insert(&mut self, key: QuestionKey, answer: Answer) {
        self.given.insert(key, answer);
    }

    /// Forgets an answer, so that the question is asked again.
    pub fn forget(&mut self, key: QuestionKey) {
        self.given.remove(&key);
        self.forgotten += 1;
    }

    /// Notes that a "no" was about these notes, as they are called now. Of one note and of many at once nothing is
    /// noted: what a rule would do to each is a question of its own.
    pub fn refuse(&mut self, kind: Kind, notes: &[String]) {
        for (at, a) in notes
            .iter()
            .enumerate()
            .filter(|_| notes.len() <= MOST_TOGETHER)
        {
            for b in &notes[at + 1..] {
                let (a, b) = (a.min(b).clone(), a.max(b).clone());
                self.refused.insert((kind, a, b));
            }
        }
    }

    /// Returns true if a "no" of this kind was about two of these notes, whatever they say by now: what mem itself
    /// writes into a note makes another question of it, and must not make a "no" void.
    pub fn were_refused(&self, kind: Kind, notes: &[VaultPath]) -> bool {
        let mut pairs = notes.iter().enumerate().flat_map(|(at, a)| {
            let others = notes[at + 1..].iter();
            others.map(move |b| (a.min(b).to_string(), a.max(b).to_string()))
        });
        !self.refused.is_empty() && pairs.any(|(a, b)| self.refused.contains(&(kind, a, b)))
    }

    /// Returns how often an answer was forgotten: what was left out because of one may be found again
    /// when this has changed.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_words_and_turn_twice_into_themselves() {
        for kind in Kind::ALL {
            for answer in kind.answers() {
                assert_eq!(answer.to_string().parse(), Ok(*answer));
                assert_eq!(answer.turned().turned(), *answer);
            }
        }
        assert_eq!(
            "maybe".parse::<Answer>(),
            Err("`maybe` is not an answer".to_owned())
        );
    }

    #[test]
    fn a_key_knows_its_kind_and_no_order() {
        for kind in Kind::ALL {
            let key = QuestionKey::new(kind, &[1, 2]);
            assert_eq!(key, QuestionKey::new(kind, &[2, 1]));
            assert_ne!(key, QuestionKey::new(kind, &[1, 3]));
            assert_ne!(key, key.again(5));
            assert_eq!((key.kind(), key.again(5).kind()), (kind, kind));
            assert_eq!(key.to_string().parse(), Ok(key));
        }
        for text in ["0123456789abcdef", "f123456789abcdef", "x"] {
            assert_eq!(
                text.parse::<QuestionKey>(),
                Err(format!("`{text}` is not the id of a question"))
            );
        }
    }
}
