//! Answers, "no" included: `decisions.jsonl`, one answer a line.
//!
//! ```json
//! {"key":"9f…","kind":"merge","answer":"no","at":"2026-11-21T05:59:00Z","by":"review","about":["a.md","b.md"]}
//! ```
//!
//! The key says what the notes said, so an answer holds for the same texts under any path and on any
//! device, and lapses when a title or body changes. The later answer wins.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::device::Device;
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
    let devices = match fs::read_dir(journal) {
        Ok(devices) => devices.collect::<io::Result<Vec<_>>>(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Answers::default()),
        Err(error) => return Err(error),
    };
    let mut devices: Vec<_> = devices?.iter().map(fs::DirEntry::path).collect();
    devices.sort();
    for device in devices {
        let file = device.join(FILE);
        match fs::read_to_string(&file) {
            Ok(text) => decisions.extend(
                text.lines()
                    .filter_map(|line| serde_json::from_str(line).ok()),
            ),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
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

/// Appends answers to this device's file under `journal`, durably.
pub fn append(journal: &Path, device: &Device, decisions: &[Decision]) -> io::Result<()> {
    if decisions.is_empty() {
        return Ok(());
    }
    let folder = journal.join(device.name());
    fs::create_dir_all(&folder)?;
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .read(true)
        .open(folder.join(FILE))?;
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
        let (a, b) = tempfile::tempdir()
            .map(|home| {
                let device = |seed| Device::of(&home.path().join(format!("{seed}")), seed).unwrap();
                (device(1), device(2))
            })
            .unwrap();
        append(
            journal,
            &a,
            &[decision(1, Answer::Yes, 10), decision(2, Answer::No, 10)],
        )
        .unwrap();
        append(
            journal,
            &b,
            &[decision(1, Answer::No, 20), decision(2, Answer::Yes, 5)],
        )
        .unwrap();
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
        let device = Device::of(folder.path(), 1).unwrap();
        let journal = folder.path().join("journal");
        append(&journal, &device, &[decision(1, Answer::No, 1)]).unwrap();
        let file = journal.join(device.name()).join(FILE);
        fs::write(&file, fs::read_to_string(&file).unwrap() + "{\"key\":\"12").unwrap();
        append(&journal, &device, &[decision(2, Answer::No, 2)]).unwrap();
        let answers = load(&journal).unwrap();
        for meaning in [1, 2] {
            assert_eq!(
                answers.get(decision(meaning, Answer::No, 0).key),
                Some(Answer::No)
            );
        }
    }
}
