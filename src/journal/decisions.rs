//! Answers, "no" included: `decisions.jsonl`, one answer a line.
//!
//! ```json
//! {"key":"9f…","kind":"merge","answer":"no","at":"2026-11-21T05:59:00Z","by":"review","about":["a.md","b.md"]}
//! ```
//!
//! The key says what the notes said, so an answer holds for the same texts under any path and on any
//! device, and lapses when a title or body changes. The later answer wins.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::vault::own;
use crate::view::question::{Answer, Answers, Kind, QuestionKey};

const FILE: &str = "decisions.jsonl";

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The question.
    pub key: QuestionKey,
    /// What it was about.
    pub kind: Kind,
    /// The answer.
    pub answer: Answer,
    /// When it was given.
    pub at: Timestamp,
    /// Who gave it.
    pub by: String,
    /// The notes, for a person who reads the file.
    pub about: Vec<String>,
}

/// Reads the answers of all devices under `journal`; lines that are none are passed over, because
/// a sync tool may be writing one.
pub fn load(journal: &Path) -> io::Result<Answers> {
    let mut decisions: Vec<Decision> = Vec::new();
    for device in folders(journal)? {
        match own::read_bytes(&device.join(FILE)) {
            Ok(bytes) => decisions.extend(
                bytes
                    .split(|byte| *byte == b'\n')
                    .filter_map(|line| serde_json::from_slice(line).ok()),
            ),
            // Something else in its place is nobody's answer.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::InvalidInput
                ) => {}
            Err(error) => return Err(error),
        }
    }
    // Stable: what one device wrote in one moment stays in its order.
    decisions.sort_by_key(|decision| decision.at);
    let mut answers = Answers::default();
    for decision in decisions {
        answers.insert(decision.key, decision.answer);
    }
    Ok(answers)
}

/// The folders of all devices, by name; links are passed over.
fn folders(journal: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::symlink_metadata(journal) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    }
    let mut folders = Vec::new();
    for entry in fs::read_dir(journal)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

/// Appends answers to the file in `folder`, that of this device, durably.
pub fn append(folder: &Path, decisions: &[Decision]) -> io::Result<()> {
    if decisions.is_empty() {
        return Ok(());
    }
    let mut file = own::append(&folder.join(FILE))?;
    let mut lines = Vec::new();
    // A line that a power cut left open must not swallow the next one.
    let length = file.metadata()?.len();
    if length > 0 {
        use std::io::{Read as _, Seek as _, SeekFrom};
        let mut last = [0];
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            lines.push(b'\n');
        }
    }
    for decision in decisions {
        serde_json::to_writer(&mut lines, decision)?;
        lines.push(b'\n');
    }
    file.write_all(&lines)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(meaning: u64, answer: Answer, at: i64) -> Decision {
        Decision {
            key: QuestionKey::new(Kind::Merge, &[meaning, 7]),
            kind: Kind::Merge,
            answer,
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
        for meaning in [1, 2] {
            assert_eq!(
                answers.get(decision(meaning, Answer::No, 0).key),
                Some(Answer::No)
            );
        }
    }
}
