//! One vault on several machines with different clocks: an answer on one holds on all.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::TestVault;

/// Names of conflict copies by sync tools.
const COPIES: [&str; 6] = [
    "decisions.sync-conflict-20260401-120000-ABCDEFG.jsonl",
    "decisions (Anna's conflicted copy 2026-04-01).jsonl",
    "decisions (conflicted copy 2026-04-01 120000).jsonl",
    "decisions 2.jsonl",
    "decisions-LAPTOP.jsonl",
    "decisions (1).jsonl",
];

/// Returns a machine with its own copy of the vault and clock.
fn machine(name: &str, now: &str) -> TestVault {
    let vault = TestVault::indexed("sample");
    vault.at(now);
    let state = vault.home(".local/state/mem");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("device"), name).unwrap();
    vault
}

/// Returns the ids of open or decided questions.
fn ids(vault: &TestVault, which: &str, list: &str) -> Vec<String> {
    let outcome = vault.run(["-q", "review", which, "--json"]).raw();
    let record: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let asked = record[list].as_array().unwrap().iter();
    // Clusters depend on the age of notes and thus on the clock.
    asked
        .filter(|asked| asked["kind"] != "cluster")
        .map(|asked| asked["id"].as_str().unwrap().to_owned())
        .collect()
}

fn open(vault: &TestVault) -> Vec<String> {
    ids(vault, "--all", "questions")
}

fn answer(vault: &TestVault, verb: &str, id: &str) {
    let outcome = vault.run(["-q", "review", verb, id]).raw();
    assert_eq!(outcome.code, 0, "{verb} {id}: {}", outcome.stderr);
}

/// Copies the journal of `from` to `to`, like a sync tool.
fn sync(from: &TestVault, to: &TestVault) {
    let name = fs::read_to_string(from.home(".local/state/mem/device")).unwrap();
    for entry in walkdir::WalkDir::new(from.path(&format!(".mem/journal/{name}"))) {
        let entry = entry.unwrap();
        let below = entry.path().strip_prefix(from.path("")).unwrap();
        let target = to.path(below.to_str().unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn answers_hold_across_machines_and_clocks() {
    for [early, late] in [
        ["2026-03-30T12:00:00Z", "2026-04-03T12:00:00Z"],
        ["2019-01-01T00:00:00Z", "2033-01-01T00:00:00Z"],
    ] {
        for [of_first, of_second] in [[early, late], [late, early]] {
            let first = machine("aaaaaaaa", of_first);
            let second = machine("bbbbbbbb", of_second);
            let both = || {
                sync(&first, &second);
                sync(&second, &first);
                let asked = open(&first);
                assert_eq!(asked, open(&second), "{of_first} {of_second}");
                asked
            };
            let asked = open(&first);
            let [one, other] = [&asked[0], &asked[1]];
            // Each answers a question whose answer the other does not have.
            answer(&first, "reject", one);
            answer(&second, "reject", other);
            let left = both();
            assert_eq!(left.len(), asked.len() - 2);
            assert!(!left.contains(one) && !left.contains(other));
            // An answer of one machine is forgotten on the other and given again there.
            answer(&second, "forget", one);
            assert!(both().contains(one), "{of_first} {of_second}");
            answer(&second, "reject", one);
            answer(&first, "forget", other);
            let left = both();
            assert!(
                !left.contains(one) && left.contains(other),
                "{of_first} {of_second}"
            );
            answer(&first, "reject", other);
            assert_eq!(both().len(), asked.len() - 2);
        }
    }
}

#[test]
fn copied_homes_and_sync_conflicts_lose_no_answer() {
    for copy in COPIES {
        // The home folder was copied, so both machines write under one name.
        let first = machine("aaaaaaaa", "2026-04-03T12:00:00Z");
        let second = machine("aaaaaaaa", "2026-03-30T12:00:00Z");
        let asked = open(&first);
        answer(&first, "reject", &asked[0]);
        sync(&first, &second);
        answer(&first, "reject", &asked[1]);
        answer(&second, "reject", &asked[2]);
        let journal = Path::new(".mem/journal/aaaaaaaa");
        let at = |vault: &TestVault, name: &str| vault.path(journal.join(name).to_str().unwrap());
        fs::copy(at(&second, "decisions.jsonl"), at(&first, copy)).unwrap();
        let answered = || {
            let mut decided = ids(&first, "--decided", "decisions");
            decided.sort_unstable();
            let mut expected = asked[..3].to_vec();
            expected.sort_unstable();
            assert_eq!(decided, expected, "{copy}");
            let left = open(&first);
            assert!(asked[..3].iter().all(|id| !left.contains(id)), "{copy}");
        };
        answered();
        first.run(["-q", "doctor", "--fix"]).raw();
        assert!(!at(&first, copy).exists(), "{copy}");
        answered();
    }
}
