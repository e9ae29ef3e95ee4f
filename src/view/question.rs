//! What a job cannot or may not decide alone, and what was answered.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_64;

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Are these notes the same? Yes merges them.
    Merge,
}

/// Names a question by what it asks: the kind and what the notes say.
///
/// The same question about the same texts has the same key on every machine, so an answer is never
/// asked for twice; a changed title or body makes another question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionKey(u64);

impl QuestionKey {
    /// Returns the key of a question about notes with these [meanings](super::View::meaning).
    #[must_use]
    pub fn new(kind: Kind, meanings: &[u64]) -> Self {
        let mut sorted = meanings.to_vec();
        sorted.sort_unstable();
        let mut bytes = vec![kind as u8];
        bytes.extend(sorted.iter().flat_map(|meaning| meaning.to_le_bytes()));
        Self(xxh3_64(&bytes))
    }
}

impl fmt::Display for QuestionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for QuestionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QuestionKey({self})")
    }
}

impl FromStr for QuestionKey {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Self)
    }
}

impl Serialize for QuestionKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for QuestionKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// The closed set of answers to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Do what the question proposes.
    Yes,
    /// Leave it, and do not ask again.
    No,
}

/// Everything that was answered so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers(HashMap<QuestionKey, Answer>);

impl Answers {
    /// Returns the answer to `key`.
    #[must_use]
    pub fn get(&self, key: QuestionKey) -> Option<Answer> {
        self.0.get(&key).copied()
    }

    /// Notes an answer, forgetting an earlier one.
    pub fn insert(&mut self, key: QuestionKey, answer: Answer) {
        self.0.insert(key, answer);
    }
}
