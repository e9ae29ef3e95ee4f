//! What judges read out of notes: `facts.jsonl`, one note, or a part of a long one, and one judge a line.
//!
//! ```json
//! {"n":3,"key":"00b5…","judge":"small-1c09","facts":[{"subject":"Anna","predicate":"works for","object":"Acme","quote":"Anna works for Acme"}],"at":"2026-11-21T05:59:00Z","about":"anna.md"}
//! ```
//!
//! They are kept under the hash of what the note says: of a note that says something else they say nothing. Each is
//! checked against the words of the note whenever it is read, whoever wrote the line.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::lines::{self, Record};
use crate::note::facts::Judged;

/// What one judge read out of one note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFacts {
    /// The hash of what the note says, in 16 digits.
    pub key: String,
    /// Of a note that was read in parts, the hash of this one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    pub judge: String,
    pub facts: Vec<Judged>,
    /// Why it failed; none of a call that was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub at: Timestamp,
    /// The note, for a person who reads the file.
    pub about: String,
    /// How often this judge has failed at this note so far.
    #[serde(default)]
    pub failures: u32,
}

/// What is known of each text.
#[derive(Clone, Debug, Default)]
pub struct KnownFacts(HashMap<String, Vec<ReadFacts>>);

impl KnownFacts {
    /// Reads what judges of all devices found.
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

    /// Adds one, which replaces an earlier one of the same judge; a failure never replaces what was read.
    pub fn add(&mut self, read: ReadFacts) {
        let known = self.0.entry(read.key.clone()).or_default();
        let is_same = |known: &ReadFacts| known.judge == read.judge && known.part == read.part;
        if read.why.is_some() && known.iter().any(|one| is_same(one) && one.why.is_none()) {
            return;
        }
        known.retain(|known| !is_same(known));
        known.push(read);
    }

    /// Returns what was read out of the text with the hash `key`.
    pub fn of(&self, key: u64) -> &[ReadFacts] {
        self.0.get(&written(key)).map_or(&[], Vec::as_slice)
    }
}

/// Returns a hash as it stands in the file.
pub fn written(key: u64) -> String {
    format!("{key:016x}")
}

impl Record for ReadFacts {
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
    fn a_failure_replaces_no_facts() {
        let read = |why: Option<&str>, failures| ReadFacts {
            key: written(7),
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
            // Nor where the file is compacted.
            assert!(answer.key() != later.key() && first.key() == later.key());
        }
    }
}
