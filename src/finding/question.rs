//! Questions to a person or judge, and their answers.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_64;

pub use super::answer::Answer;
pub use super::kind::QuestionKind;
use crate::note::VaultPath;
use crate::note::front_matter::as_text::serde_as_text;

/// Identifies a question by its kind and the contents of its notes.
///
/// The same question about the same texts has the same key on every machine, so it is answered only
/// once. A changed title or body, or another set of answers, makes a new question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionKey {
    kind: QuestionKind,
    /// The lower [`HASH_BITS`] bits; the written key has the kind above them.
    hash: u64,
}

/// Number of bits below the digit of the kind.
const HASH_BITS: u32 = 60;

impl QuestionKey {
    /// Returns the key of a question about notes with these content keys, in any order.
    pub fn new(kind: QuestionKind, content_keys: &[u64]) -> Self {
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

    /// Returns the key of the question whether to repeat a change that a person reverted by hand,
    /// at `at` in seconds since 1970.
    #[must_use]
    pub fn again(self, at: i64) -> Self {
        let mut bytes = self.bits().to_le_bytes().to_vec();
        bytes.extend(at.to_le_bytes());
        Self::of(self.kind, &bytes)
    }

    /// Returns the key of a question that combines `keys`, all of one kind.
    ///
    /// # Panics
    ///
    /// If `keys` is empty.
    pub fn of_all(keys: &[Self]) -> Self {
        let mut bits: Vec<u64> = keys.iter().map(|key| key.bits()).collect();
        bits.sort_unstable();
        let bytes: Vec<u8> = bits.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        Self::of(keys[0].kind, &bytes)
    }

    fn of(kind: QuestionKind, bytes: &[u8]) -> Self {
        let hash = xxh3_64(bytes) & ((1 << HASH_BITS) - 1);
        Self { kind, hash }
    }

    /// Returns the kind of the question.
    pub fn kind(self) -> QuestionKind {
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
                kind: *QuestionKind::ALL.get(index)?,
                hash: bits & ((1 << HASH_BITS) - 1),
            })
        });
        key.ok_or_else(|| format!("`{text}` is not the id of a question"))
    }
}

serde_as_text!(QuestionKey);

/// Maximum number of notes in a question about their relation; larger ones apply one change to each
/// note.
const MAX_RELATED_NOTES: usize = 16;

/// All answers so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    by_question: HashMap<QuestionKey, Answer>,
    forgotten: usize,
    /// Pairs of notes with a "no", by path.
    refused: HashSet<(QuestionKind, String, String)>,
}

impl Answers {
    /// Returns the answer to `key`. For a pair, the note with the smaller content key comes first.
    pub fn get(&self, key: QuestionKey) -> Option<Answer> {
        self.by_question.get(&key).copied()
    }

    /// Stores an answer in place of an earlier one.
    pub fn insert(&mut self, key: QuestionKey, answer: Answer) {
        self.by_question.insert(key, answer);
    }

    /// Removes an answer, which reopens the question.
    pub fn forget(&mut self, key: QuestionKey) {
        self.by_question.remove(&key);
        self.forgotten += 1;
    }

    /// Records a "no" about these notes under their current paths. Questions about one note or many
    /// are ignored: what a rule does to each note is a separate question.
    pub fn refuse(&mut self, kind: QuestionKind, notes: &[String]) {
        for (at, a) in notes
            .iter()
            .enumerate()
            .filter(|_| notes.len() <= MAX_RELATED_NOTES)
        {
            for b in &notes[at + 1..] {
                let (a, b) = (a.min(b).clone(), a.max(b).clone());
                self.refused.insert((kind, a, b));
            }
        }
    }

    /// Whether a "no" of this kind concerned two of these notes, whatever their current content.
    /// mem's own edits of a note change the question and must not void the "no".
    pub fn were_refused(&self, kind: QuestionKind, notes: &[VaultPath]) -> bool {
        let mut pairs = notes.iter().enumerate().flat_map(|(at, a)| {
            let others = notes[at + 1..].iter();
            others.map(move |b| (a.min(b).to_string(), a.max(b).to_string()))
        });
        !self.refused.is_empty() && pairs.any(|(a, b)| self.refused.contains(&(kind, a, b)))
    }

    /// Returns the number of removed answers. When it changes, jobs search again for findings that
    /// those answers excluded.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_round_trip_and_swap_twice_to_themselves() {
        for kind in QuestionKind::ALL {
            for answer in kind.answers() {
                assert_eq!(answer.to_string().parse(), Ok(*answer));
                assert_eq!(answer.swapped().swapped(), *answer);
            }
        }
        assert_eq!(
            "maybe".parse::<Answer>(),
            Err("expected yes, no, ours, theirs or a relation; see `mem help answers`".to_owned())
        );
    }

    #[test]
    fn keys_encode_kind_and_ignore_order() {
        for kind in QuestionKind::ALL {
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
