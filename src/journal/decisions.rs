//! Answers, "no" included: `decisions.jsonl`, one answer a line.
//!
//! ```json
//! {"key":"9f…","kind":"merge","answer":"no","at":"2026-11-21T05:59:00Z","by":"review","about":["a.md","b.md"]}
//! ```
//!
//! The key says what the notes said, so an answer holds for the same texts under any path and on any
//! device, and lapses when a title or body changes. The later answer wins; one of `null` forgets those
//! before it. Of a pair, the answer speaks of the notes in the order of `about`.

use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::lines;
use crate::finding::question::{Answer, Answers, Kind, QuestionKey};

const FILE: &str = "decisions.jsonl";

/// By whom a person's answer, and what was done on it, is recorded.
pub const REVIEW: &str = "review";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub key: QuestionKey,
    /// What it was about, for a person who reads the file.
    pub kind: Kind,
    /// The answer; none if an earlier one was forgotten, so that the question is asked again.
    pub answer: Option<Answer>,
    pub at: Timestamp,
    pub by: String,
    /// The notes, for a person who reads the file.
    pub about: Vec<String>,
}

/// Reads the answers of all devices under `journal`; lines that are none are passed over, because
/// a sync tool may be writing one.
pub fn load(journal: &Path) -> io::Result<Answers> {
    let mut answers = Answers::default();
    for decision in all(journal)? {
        match decision.answer {
            Some(answer) => answers.insert(decision.key, answer),
            None => answers.forget(decision.key),
        }
    }
    Ok(answers)
}

/// Reads what all devices decided, the oldest first.
pub fn all(journal: &Path) -> io::Result<Vec<Decision>> {
    let mut decisions: Vec<Decision> = lines::load(journal, FILE)?;
    // Stable: what one device wrote in one moment stays in its order.
    decisions.sort_by_key(|decision| decision.at);
    Ok(decisions)
}

/// Appends answers to the file in `folder`, that of this device, durably.
pub fn append(folder: &Path, decisions: &[Decision]) -> io::Result<()> {
    lines::append(&folder.join(FILE), decisions)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn decision(content: u64, answer: Answer, at: i64) -> Decision {
        Decision {
            key: QuestionKey::new(Kind::Merge, &[content, 7]),
            kind: Kind::Merge,
            answer: Some(answer),
            at: Timestamp::from_second(at).unwrap(),
            by: "test".to_owned(),
            about: vec!["a.md".to_owned()],
        }
    }

    #[test]
    fn the_later_answer_of_any_device_holds() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path();
        assert_eq!(load(journal).unwrap(), Answers::default());
        let answered = |device: &str, decisions: &[Decision]| {
            fs::create_dir_all(journal.join(device)).unwrap();
            append(&journal.join(device), decisions).unwrap();
        };
        answered(
            "a",
            &[decision(1, Answer::Yes, 10), decision(2, Answer::No, 10)],
        );
        answered(
            "b",
            &[decision(1, Answer::No, 20), decision(2, Answer::Yes, 5)],
        );
        std::os::unix::fs::symlink(journal.join("b"), journal.join("link")).unwrap();
        let answers = load(journal).unwrap();
        assert_eq!(
            answers.get(decision(1, Answer::No, 0).key),
            Some(Answer::No)
        );
        assert_eq!(
            answers.get(decision(2, Answer::No, 0).key),
            Some(Answer::No)
        );
    }

    #[test]
    fn a_torn_line_costs_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        let device = journal.join("a");
        fs::create_dir_all(&device).unwrap();
        append(&device, &[decision(1, Answer::No, 1)]).unwrap();
        let file = device.join(FILE);
        let mut torn = fs::read(&file).unwrap();
        // Cut inside a character, too.
        torn.extend(b"\xff\x00{}\n{\"key\":\"12\xc3");
        fs::write(&file, torn).unwrap();
        append(&device, &[decision(2, Answer::No, 2)]).unwrap();
        let answers = load(&journal).unwrap();
        for content in [1, 2] {
            assert_eq!(
                answers.get(decision(content, Answer::No, 0).key),
                Some(Answer::No)
            );
        }
    }
}
