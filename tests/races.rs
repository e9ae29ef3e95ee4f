//! Editors and several `mem` on the same notes, a short version of `cargo bench --bench races`, and
//! several writers.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::TestVault;
use crate::support::records::{Dedupe, List};

#[path = "../benches/races/race.rs"]
mod race;

#[test]
fn editors_win_and_files_stay_whole() {
    let folder = tempfile::tempdir().unwrap();
    let race = race::Race {
        mem: env!("CARGO_BIN_EXE_mem").as_ref(),
        folder: folder.path(),
        saves: 150,
        pause: Duration::from_millis(15),
        seed: 1,
    };
    let report = race.run().unwrap();
    assert_eq!(report.broken, Vec::<String>::new(), "{report:#?}");
    // Concurrent changes may be refused with a message; nothing else may fail.
    for words in report.failures.keys() {
        let expected = [
            "nothing to undo",
            "no note matches",
            "not found",
            "something is already there",
            "changed since it was",
        ];
        assert!(
            expected.iter().any(|part| words.contains(part)),
            "{report:#?}"
        );
    }
    // They overlapped, however busy the machine is.
    assert!(report.applied > 0 && report.remembered > 0, "{report:#?}");
}

/// Starts all commands at once and waits; each must succeed.
fn at_once(vault: &TestVault, arguments: &[Vec<String>]) {
    let started = Instant::now();
    let children: Vec<_> = arguments
        .iter()
        .map(|arguments| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mem"));
            vault.prepare(&mut command);
            command
                .args(arguments)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for (child, arguments) in children.into_iter().zip(arguments) {
        let output = child.wait_with_output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{arguments:?}: {} {words}",
            output.status
        );
    }
    assert!(
        started.elapsed() < Duration::from_secs(300),
        "they waited for each other"
    );
}

fn words(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn many_writers_lose_nothing() {
    let vault = TestVault::from("sample");
    let mut commands: Vec<Vec<String>> = (0..12)
        .map(|number| {
            let text = format!("Fact number {number}: the {number}th door is green.");
            words(&["remember", "--", &text])
        })
        .collect();
    // The first process builds the index.
    commands.push(words(&["dedupe", "--apply", "all"]));
    commands.push(words(&["sleep", "--all", "--apply", "all"]));
    commands.push(words(&["dedupe", "--apply", "all"]));
    commands.push(words(&["index"]));
    at_once(&vault, &commands);
    // The sleep may have been late enough to write a summary note.
    let list: List = vault
        .run(["list", "--json", "door is green -type:meta"])
        .json(0);
    assert_eq!(list.total, 12);
    let paths: BTreeSet<&str> = list.notes.iter().map(|note| note.path.as_str()).collect();
    assert_eq!(paths.len(), 12);

    // Concurrent undos each revert another run.
    at_once(&vault, &vec![words(&["undo"]); 6]);
    let list: List = vault.run(["list", "--json"]).json(0);
    vault.run(["-q", "index", "--rebuild"]).raw();
    let afresh: List = vault.run(["list", "--json"]).json(0);
    assert_eq!(format!("{list:?}"), format!("{afresh:?}"));
    let left_over = vault
        .whole_tree()
        .paths()
        .filter(|path| path.contains(".~mem-"))
        .count();
    assert_eq!(left_over, 0);
}

#[test]
fn concurrent_answers_about_one_note_are_all_applied() {
    let vault = TestVault::empty();
    let names = ["one", "two", "three", "four", "five", "six"];
    for name in names {
        let older = format!("---\ncreated: 2026-01-10\n---\nThe {name} gate opens at six.\n");
        vault.write(&format!("{name}.md"), &older);
    }
    let claims = names.map(|name| format!("\nCorrects [[{name}]].\n"));
    let newer = "---\ncreated: 2026-03-01\n---\nThe gates open at eight.\n";
    vault.write("newer.md", &format!("{newer}{}", claims.concat()));
    let found: Dedupe = vault.run(["-q", "conflicts", "--json"]).json(0);
    let ids = found.questions.iter().map(|question| &*question.id);
    let accept = |id| words(&["-q", "review", "accept", id]);
    at_once(&vault, &ids.map(accept).collect::<Vec<_>>());
    let text = vault.read("newer.md");
    let is_recorded = |name: &&str| text.contains(&format!("\"[[{name}]]\""));
    assert_eq!(
        names.iter().filter(|name| is_recorded(name)).count(),
        6,
        "{text}"
    );
}

#[test]
fn concurrent_answers_to_one_question_are_applied_once() {
    let vault = TestVault::empty();
    let dated = |day: &str, text: &str| format!("---\ncreated: {day}\n---\n{text}\n");
    vault.write("older.md", &dated("2026-01-10", "The gate opens at six."));
    let claim = dated("2026-03-01", "The gate opens at eight. Corrects [[older]].");
    vault.write("newer.md", &claim);
    let found: Dedupe = vault.run(["-q", "conflicts", "--json"]).json(0);
    let id = &*found.questions[0].id;
    let yes = words(&["-q", "review", "accept", id]);
    let contradicts = words(&["-q", "review", "accept", id, "--as", "contradicts"]);
    at_once(&vault, &[yes.clone(), yes.clone(), contradicts, yes]);
    let text = vault.read("newer.md");
    assert_eq!(text.matches("\"[[older]]\"").count(), 1, "{text}");
}

#[test]
fn concurrent_equal_texts_make_one_note() {
    let vault = TestVault::empty();
    let same = words(&["remember", "--", "The back door is painted green."]);
    at_once(&vault, &vec![same; 8]);
    let list: List = vault.run(["-q", "list", "--json"]).json(0);
    assert_eq!(list.total, 1, "{list:?}");
}
