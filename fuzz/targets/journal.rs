//! Damaged, truncated or forged records are skipped without a panic, and later answers are kept.

#![no_main]

use std::fs;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use mem::change::{history::History, trash};
use mem::journal::decisions::{self, Decision};
use mem::journal::device::Device;
use mem::run::sleep::state::State;
use mem::vault::{Homes, Vault};
use mem::finding::question::{Answer, QuestionKind, QuestionKey};

const RUN: &str = "20261121-055900-k3f9";

fuzz_target!(|bytes: &[u8]| {
    let temp = tempfile::tempdir().expect("room in the temporary folder");
    let root = temp.path();
    let put = |path: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap_or(root)).expect("a folder");
        fs::write(path, bytes).expect("a file");
    };
    // Answers: appended records read back.
    put("v/.mem/journal/0badcafe/decisions.jsonl");
    let journal = root.join("v/.mem/journal");
    let before = decisions::load(&journal).expect("no line is an error");
    let decision = decision(bytes.len() as u64);
    decisions::append(&journal.join("0badcafe"), &[decision.clone()]).expect("appending");
    let after = decisions::load(&journal).expect("no line is an error");
    assert!(after.get(decision.key).is_some());
    if before.get(decision.key).is_none() {
        assert_eq!(after.get(decision.key), Some(decision.answer));
    }
    // A record of a run that mem did not write.
    for folder in ["history", "unfinished"] {
        put(&format!("s/{folder}/{RUN}/run.json"));
        put(&format!("s/{folder}/{RUN}/outcome.json"));
        put(&format!("s/{folder}/{RUN}/images"));
    }
    put(&format!("v/.mem/trash/{RUN}/trash.jsonl"));
    put(&format!("v/.mem/trash/{RUN}/a.md"));
    let vault = Vault::open(&root.join("v")).expect("a vault");
    let homes = Homes {
        state: root.join("s"),
        cache: root.join("c"),
    };
    let history = History::new(vault.fs(), &homes);
    let (entries, _) = history.list().expect("damaged records are passed over");
    for entry in entries {
        let _ = entry.applied().count();
        for file in entry.run.groups.iter().flat_map(|group| &group.files) {
            for image in [file.before, file.after].into_iter().flatten() {
                let _ = history.image(&entry.run.id, image);
            }
        }
    }
    assert_eq!(trash::list(&vault).expect("the trash is listed").len(), 1);
    // The state of the jobs.
    put("d/device");
    let device = Device::of(&root.join("d"), 1).expect("a device");
    put(&format!("v/.mem/state/{}.json", device.name()));
    let state = State::load(&root.join("v/.mem/state"), &device);
    state
        .save(&root.join("v/.mem/state"), &device)
        .expect("saving");
    assert_eq!(State::load(&root.join("v/.mem/state"), &device), state);
    assert!(Path::new(device.name()).components().count() == 1);
});

fn decision(meaning: u64) -> Decision {
    Decision {
        key: QuestionKey::new(QuestionKind::Merge, &[meaning, 7]),
        kind: QuestionKind::Merge,
        answer: Answer::No,
        at: jiff::Timestamp::from_second(1_800_000_000).expect("a moment that exists"),
        by: "fuzz".to_owned(),
        about: vec!["a.md".to_owned()],
    }
}
