//! Replies of judges to open questions: `opinions.jsonl`, one call per line.
//!
//! ```json
//! {"n":3,"key":"9f…","judge":"llm-1c09","answer":"no","why":"two teas","at":"2026-11-21T05:59:00Z","about":["a.md","b.md"],"failures":0}
//! ```
//!
//! An opinion decides nothing; `decisions.jsonl` records the answer that follows from several
//! opinions. Opinions are kept so that no judge gets the same question twice. Failed calls are
//! recorded and counted, too. Opinions of other devices are shown and affect which questions a
//! person gets, but decide nothing, because a vault may come from a stranger.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::lines::{self, DeviceRecord};
use crate::finding::QuestionKey;
use crate::finding::question::Answer;

/// A judge gets no further calls for a question after this many failures.
pub const MAX_FAILURES: u32 = 3;

/// One call of a judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    pub key: QuestionKey,
    pub judge: String,
    /// The answer; for a pair it refers to the notes in the order of `about`. `None` if the call
    /// failed.
    pub answer: Option<Answer>,
    /// The judge's reason, or why the call failed.
    pub why: String,
    /// The body that the judge wrote for a merge of notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub at: Timestamp,
    /// The notes, for a person who reads the file.
    pub about: Vec<String>,
    /// Number of failures of this judge on this question so far.
    #[serde(default)]
    pub failures: u32,
}

/// The last opinion of each judge on each question, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Opinions(HashMap<QuestionKey, Vec<Opinion>>);

impl Opinions {
    /// Reads the opinions of all devices under `journal`.
    pub fn load(journal: &Path) -> io::Result<Self> {
        Ok(Self::of(lines::load(journal)?))
    }

    fn of(all: Vec<Opinion>) -> Self {
        let mut opinions = Self::default();
        for opinion in all {
            opinions.add(opinion);
        }
        opinions
    }

    /// Reads the opinions in `device`, the folder of one device; those of others decide nothing.
    pub fn of_device(device: &Path) -> io::Result<Self> {
        if !device.is_dir() {
            return Ok(Self::default());
        }
        Ok(Self::of(lines::load_own(device)?))
    }

    /// Adds an opinion, replacing an earlier one of the same judge.
    pub fn add(&mut self, opinion: Opinion) {
        let known = self.0.entry(opinion.key).or_default();
        known.retain(|known| known.judge != opinion.judge);
        known.push(opinion);
    }

    pub fn retain(&mut self, counts: impl Fn(&Opinion) -> bool) {
        for opinions in self.0.values_mut() {
            opinions.retain(&counts);
        }
    }

    /// Returns the opinions by question, unordered.
    pub fn all(&self) -> impl Iterator<Item = (QuestionKey, &[Opinion])> {
        let all = self.0.iter();
        all.map(|(key, opinions)| (*key, opinions.as_slice()))
    }

    /// Returns the opinions on one question.
    pub fn on(&self, question: QuestionKey) -> &[Opinion] {
        self.0.get(&question).map_or(&[], Vec::as_slice)
    }
}

impl DeviceRecord for Opinion {
    const FILE: &'static str = "opinions.jsonl";
    type Key = (QuestionKey, String);

    fn key(&self) -> Self::Key {
        (self.key, self.judge.clone())
    }
}
