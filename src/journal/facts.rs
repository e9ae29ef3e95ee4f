//! Facts that judges extracted: `facts.jsonl`, one line per judge and note, or part of a long note.
//!
//! ```json
//! {"n":3,"key":"00b5…","judge":"small-1c09","facts":[{"subject":"Anna","predicate":"works for","object":"Acme","quote":"Anna works for Acme"}],"at":"2026-11-21T05:59:00Z","about":"anna.md"}
//! ```
//!
//! The key is a hash of the note's content, so facts lapse when the content changes. Every read
//! checks each fact against the words of the note, whichever device wrote the line.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::lines::{self, DeviceRecord};
use crate::note::facts::JudgedFact;

/// Facts of one note, as extracted by one judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFacts {
    /// Hash of the note's content, 16 hex digits.
    pub key: String,
    /// Hash of this part, if the note was read in parts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    pub judge: String,
    pub facts: Vec<JudgedFact>,
    /// Why the call failed; `None` if it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub at: Timestamp,
    /// The note, for a person who reads the file.
    pub about: String,
    /// Number of failures of this judge on this note so far.
    #[serde(default)]
    pub failures: u32,
}

/// The known facts by content hash.
#[derive(Clone, Debug, Default)]
pub struct KnownFacts(HashMap<String, Vec<ReadFacts>>);

impl KnownFacts {
    /// Reads the facts of all devices.
    pub fn load(journal: &Path) -> io::Result<Self> {
        let mut known = Self::default();
        for read in lines::load(journal)? {
            known.add(read);
        }
        Ok(known)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds facts, replacing earlier ones of the same judge; a failure never replaces facts.
    pub fn add(&mut self, read: ReadFacts) {
        let known = self.0.entry(read.key.clone()).or_default();
        let is_same = |known: &ReadFacts| known.judge == read.judge && known.part == read.part;
        if read.why.is_some() && known.iter().any(|one| is_same(one) && one.why.is_none()) {
            return;
        }
        known.retain(|known| !is_same(known));
        known.push(read);
    }

    /// Returns the facts of the text with the hash `key`.
    pub fn of(&self, key: u64) -> &[ReadFacts] {
        self.0.get(&hash_text(key)).map_or(&[], Vec::as_slice)
    }
}

/// Returns a hash as written in the file.
pub fn hash_text(key: u64) -> String {
    format!("{key:016x}")
}

impl DeviceRecord for ReadFacts {
    const FILE: &'static str = "facts.jsonl";
    type Key = ([String; 3], bool);

    fn key(&self) -> Self::Key {
        let names = [&self.key, &self.part, &self.judge].map(Clone::clone);
        (names, self.why.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_does_not_replace_facts() {
        let read = |why: Option<&str>, failures| ReadFacts {
            key: hash_text(7),
            part: String::new(),
            judge: "small".to_owned(),
            facts: Vec::new(),
            why: why.map(str::to_owned),
            at: Timestamp::UNIX_EPOCH,
            about: "a.md".to_owned(),
            failures,
        };
        let (first, answer, later) = (read(Some("no"), 1), read(None, 1), read(Some("no"), 2));
        for lines in [
            [&first, &answer, &later],
            [&answer, &first, &later],
            [&first, &later, &answer],
        ] {
            let mut known = KnownFacts::default();
            for line in lines {
                known.add(line.clone());
            }
            assert_eq!(known.of(7), std::slice::from_ref(&answer));
            // Compaction keeps them, too.
            assert!(answer.key() != later.key() && first.key() == later.key());
        }
    }
}
