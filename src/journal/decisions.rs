//! Answers, "no" included: `decisions.jsonl`, one answer per line.
//!
//! ```json
//! {"n":7,"key":"9f…","kind":"merge","answer":"no","at":"2026-11-21T05:59:00Z","by":"review","about":["a.md","b.md"]}
//! ```
//!
//! The key is a hash of the notes' contents. An answer therefore holds for the same texts under any
//! path and on any device, and lapses when a title or body changes. The later answer wins, by its
//! number and not by the clock; `null` revokes earlier answers. For a pair, the answer refers to
//! the notes in the order of `about`.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::lines::{self, DeviceRecord};
use super::moves;
use crate::finding::question::{Answer, QuestionKind};
use crate::finding::{Answers, QuestionKey};

/// `by` of a person's answer and of changes made because of it.
pub const REVIEW: &str = "review";

/// `by` of judges' answers and of changes made because of them; an answer also names the judges.
pub const JUDGE: &str = "judge";

/// `by` of an answer recorded by an undo.
pub const UNDO: &str = "undo";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub key: QuestionKey,
    /// The kind of question, for a person who reads the file.
    pub kind: QuestionKind,
    /// The answer; `None` revokes an earlier one, so the question is open again.
    pub answer: Option<Answer>,
    pub at: Timestamp,
    pub by: String,
    /// The notes, for a person who reads the file.
    pub about: Vec<String>,
    /// Features of the finding in hundredths, from which `mem` learns.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, i32>,
}

impl Decision {
    /// Whether a person or an agent gave the answer, not a judge or an undo.
    pub fn is_by_hand(&self) -> bool {
        self.by != UNDO && !self.is_by_judge()
    }

    /// Whether `who` is the whole author or one of its words; `judge` matches all judges.
    pub fn is_by(&self, who: &str) -> bool {
        self.by == who || self.by.split(' ').any(|word| word == who)
    }

    pub fn is_by_judge(&self) -> bool {
        self.by.split(' ').next() == Some(JUDGE)
    }
}

/// Reads the answers of all devices under `journal`.
///
/// Skips invalid lines, because a sync tool may be writing one.
pub fn load(journal: &Path) -> io::Result<Answers> {
    fold(&all(journal)?, journal)
}

/// Returns the answers in force after `decisions`, oldest first. `journal` resolves current paths.
pub fn fold(decisions: &[Decision], journal: &Path) -> io::Result<Answers> {
    let mut answers = Answers::default();
    for decision in decisions {
        match decision.answer {
            Some(answer) => answers.insert(decision.key, answer),
            None => answers.forget(decision.key),
        }
    }
    let refused: Vec<&Decision> = decisions
        .iter()
        .filter(|decision| {
            decision.about.len() > 1 && answers.get(decision.key) == Some(Answer::No)
        })
        .collect();
    if refused.is_empty() {
        return Ok(answers);
    }
    let moves = moves::load(journal)?;
    for decision in refused {
        let about = decision.about.iter();
        let now = about.filter_map(|note| Some(moves.find(note, decision.at.as_second())?.note));
        answers.refuse(decision.kind, &now.collect::<Vec<_>>());
    }
    Ok(answers)
}

/// Reads the decisions of all devices, oldest first. A person's answer overrides judges', in any
/// order.
pub fn all(journal: &Path) -> io::Result<Vec<Decision>> {
    let mut decisions: Vec<Decision> = lines::load(journal)?;
    let mut by_hand = HashSet::new();
    decisions.retain(|decision| {
        if decision.is_by_judge() {
            return !by_hand.contains(&decision.key);
        }
        match decision.answer {
            Some(_) => by_hand.insert(decision.key),
            None => by_hand.remove(&decision.key),
        };
        true
    });
    Ok(decisions)
}

impl DeviceRecord for Decision {
    const FILE: &'static str = "decisions.jsonl";
    type Key = (QuestionKey, bool);

    fn key(&self) -> Self::Key {
        (self.key, self.is_by_judge())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn decision(content: u64, answer: Answer, at: i64) -> Decision {
        Decision {
            key: QuestionKey::new(QuestionKind::Merge, &[content, 7]),
            kind: QuestionKind::Merge,
            answer: Some(answer),
            at: Timestamp::from_second(at).unwrap(),
            by: "test".to_owned(),
            about: vec!["a.md".to_owned()],
            features: BTreeMap::new(),
        }
    }

    #[test]
    fn the_later_answer_of_any_device_wins() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path();
        assert_eq!(load(journal).unwrap(), Answers::default());
        let append = |device: &str, decisions: &[Decision]| {
            fs::create_dir_all(journal.join(device)).unwrap();
            lines::append(&journal.join(device), decisions).unwrap();
        };
        append(
            "a",
            &[decision(1, Answer::Yes, 10), decision(2, Answer::No, 10)],
        );
        append(
            "b",
            &[decision(1, Answer::No, 20), decision(2, Answer::Yes, 5)],
        );
        std::os::unix::fs::symlink(journal.join("b"), journal.join("link")).unwrap();
        let answers = load(journal).unwrap();
        assert_eq!(
            answers.get(decision(1, Answer::No, 0).key),
            Some(Answer::No)
        );
        // Regardless of its clock: the device had read the other answer.
        assert_eq!(
            answers.get(decision(2, Answer::No, 0).key),
            Some(Answer::Yes)
        );
    }

    const NO: Answer = Answer::No;

    #[test]
    fn a_person_overrides_judges_in_any_order() {
        let by = |by: &str, answer: Option<Answer>| Decision {
            by: by.to_owned(),
            answer,
            ..decision(1, NO, 5)
        };
        let (yes, no) = (Some(Answer::Yes), Some(NO));
        let key = decision(1, NO, 0).key;
        for (lines, expected) in [
            (vec![by("review", yes), by("judge a-1", no)], yes),
            (vec![by("judge a-1", no), by("review", yes)], yes),
            (vec![by("undo", no), by("judge a-1", yes)], no),
            (
                vec![by("review", yes), by("review", None), by("judge a-1", no)],
                no,
            ),
            (vec![by("judge a-1", no), by("judge b-1", yes)], yes),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let device = append_to(folder.path(), "a", &lines);
            assert_eq!(load(folder.path()).unwrap().get(key), expected, "{lines:?}");
            crate::journal::check::merge_copies(&device).unwrap();
            assert_eq!(load(folder.path()).unwrap().get(key), expected, "{lines:?}");
        }
    }

    fn append_to(journal: &Path, device: &str, decisions: &[Decision]) -> std::path::PathBuf {
        let folder = journal.join(device);
        fs::create_dir_all(&folder).unwrap();
        lines::append(&folder, decisions).unwrap();
        folder
    }

    #[test]
    fn an_answer_dated_in_the_future_can_be_revoked_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path();
        let fast = decision(1, Answer::Yes, 4_000_000_000);
        let key = fast.key;
        append_to(journal, "b", std::slice::from_ref(&fast));
        let forgotten = Decision {
            answer: None,
            ..decision(1, NO, 20)
        };
        append_to(journal, "b", std::slice::from_ref(&forgotten));
        assert_eq!(load(journal).unwrap().get(key), None);
        append_to(journal, "b", &[fast]);
        append_to(journal, "a", &[decision(1, NO, 30)]);
        assert_eq!(load(journal).unwrap().get(key), Some(NO));
    }

    #[test]
    fn a_later_line_of_one_file_wins_without_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let device = folder.path().join("a");
        fs::create_dir(&device).unwrap();
        let lines = [decision(1, Answer::Yes, 99), decision(1, NO, 5)]
            .map(|line| serde_json::to_string(&line).unwrap() + "\n");
        fs::write(device.join(Decision::FILE), lines.concat()).unwrap();
        let key = decision(1, NO, 0).key;
        assert_eq!(load(folder.path()).unwrap().get(key), Some(NO));
        // A numbered line comes after all of them.
        append_to(folder.path(), "b", &[decision(1, Answer::Yes, 1)]);
        assert_eq!(load(folder.path()).unwrap().get(key), Some(Answer::Yes));
    }

    #[test]
    fn copies_of_sync_tools_are_read_reported_and_merged() {
        use crate::journal::check::{JournalProblemKind, check, merge_copies};

        let root = tempfile::tempdir().unwrap();
        let journal = root.path();
        let names = [
            "decisions.sync-conflict-20260401-120000-ABCDEFG.jsonl",
            "decisions (Anna's conflicted copy 2026-04-01).jsonl",
            "decisions (conflicted copy 2026-04-01 120000).jsonl",
            "decisions_conflict-20260401-120000.jsonl",
            "decisions 2.jsonl",
            "decisions (1).jsonl",
            "decisions-laptop.jsonl",
            "decisions.Conflict.jsonl",
        ];
        let device = append_to(journal, "a", &[decision(100, NO, 1)]);
        let both = fs::read(device.join(Decision::FILE)).unwrap();
        for (content, name) in (0..).zip(names) {
            // Two machines with one name continued after the same line.
            append_to(&journal.join("elsewhere"), "a", &[decision(100, NO, 1)]);
            let other = append_to(&journal.join("elsewhere"), "a", &[decision(content, NO, 2)]);
            fs::rename(other.join(Decision::FILE), device.join(name)).unwrap();
        }
        fs::remove_dir_all(journal.join("elsewhere")).unwrap();
        append_to(journal, "a", &[decision(101, NO, 2)]);
        fs::write(device.join("decisionsmine.jsonl"), both).unwrap();
        let all = || {
            let answers = load(journal).unwrap();
            let keys = (0..8)
                .chain([100, 101])
                .map(|content| decision(content, NO, 0).key);
            keys.filter(|key| answers.get(*key) == Some(NO)).count()
        };
        assert_eq!(all(), 10);
        let troubles = check(journal).unwrap();
        let copies = troubles
            .iter()
            .filter(|trouble| trouble.kind == JournalProblemKind::Copy);
        assert_eq!(copies.count(), names.len(), "{troubles:?}");
        let shared = troubles
            .iter()
            .filter(|trouble| trouble.kind == JournalProblemKind::TwoMachines);
        assert_eq!(shared.count(), 1, "{troubles:?}");
        merge_copies(&device).unwrap();
        assert_eq!((all(), check(journal).unwrap()), (10, Vec::new()));
        assert_eq!(fs::read_dir(&device).unwrap().count(), 2);
    }

    #[test]
    fn a_growing_journal_is_compacted_and_an_oversized_one_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        let device = append_to(root.path(), "a", &[decision(0, NO, 1)]);
        let long = Decision {
            by: "x".repeat(1 << 20),
            ..decision(1, Answer::Yes, 1)
        };
        lines::append(&device, &vec![long; 15]).unwrap();
        let length = || device.join(Decision::FILE).metadata().unwrap().len();
        assert!(length() > 15 << 20);
        lines::append(&device, &vec![decision(1, NO, 2); 10_000]).unwrap();
        assert!(length() < 1 << 20, "{}", length());
        let answers = load(root.path()).unwrap();
        for content in [0, 1] {
            assert_eq!(answers.get(decision(content, NO, 0).key), Some(NO));
        }
        // A file of another device.
        let file = fs::File::create(device.join(Decision::FILE)).unwrap();
        file.set_len((64 << 20) + 1).unwrap();
        let error = load(root.path()).unwrap_err();
        assert_eq!(error.to_string(), "`decisions.jsonl` is larger than 64 MiB");
    }

    #[test]
    fn a_torn_line_loses_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        let device = journal.join("a");
        fs::create_dir_all(&device).unwrap();
        lines::append(&device, &[decision(1, Answer::No, 1)]).unwrap();
        let file = device.join(Decision::FILE);
        let mut torn = fs::read(&file).unwrap();
        // Also cut inside a character.
        torn.extend(b"\xff\x00{}\n{\"key\":\"12\xc3");
        fs::write(&file, torn).unwrap();
        lines::append(&device, &[decision(2, Answer::No, 2)]).unwrap();
        let answers = load(&journal).unwrap();
        for content in [1, 2] {
            assert_eq!(
                answers.get(decision(content, Answer::No, 0).key),
                Some(Answer::No)
            );
        }
    }
}
