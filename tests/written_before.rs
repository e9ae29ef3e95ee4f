//! This version reads a vault of mem 0.1.0, from before its internals were rebuilt.
//!
//! `fixtures/vaults/written-by-0.1.0` contains the notes, mem's own files and the local state of
//! that binary. It had merged, settled and linked notes, received "no", "yes" and a relation as
//! answers, removed a note, and undone an edit.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use expect_test::expect;
use mem::vault::Vault;

use crate::support::records::{DecisionList, History, Question};
use crate::support::{TestVault, project};

fn vault() -> TestVault {
    let vault = TestVault::folder("written-by-0.1.0/vault");
    // Local state is found by the vault's path, which differs between runs.
    let key = Vault::open(&vault.path("")).unwrap().key();
    let from = project().join("fixtures/vaults/written-by-0.1.0/state");
    let state = vault.home(".local/state/mem");
    fs::create_dir_all(&state).unwrap();
    fs::copy(from.join("device"), state.join("device")).unwrap();
    copy(&from.join("vault"), &state.join(key));
    vault.run(["--quiet", "index"]).raw();
    vault
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let to = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir(to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Reads a fixture file.
fn fixture(path: &str) -> String {
    let folder = project().join("fixtures/vaults/written-by-0.1.0/vault");
    fs::read_to_string(folder.join(path)).unwrap()
}

#[test]
fn old_answers_are_kept() {
    let vault = vault();
    // That version also related similar notes of people. A mention is no longer likely enough.
    vault.run(["-q", "config", "link.similar", "all"]).raw();
    let open: Vec<Question> = vault.run(["review", "--jsonl", "--all"]).jsonl(0);
    let ids: BTreeSet<&str> = open.iter().map(|question| question.id.as_str()).collect();
    let expected = [
        "1a19a335104b49d6",
        "3f41d45a262fc8ea",
        "39926475b2e4d9f1",
        "3edc7f508a62d6f7",
        "367d9f6b90a228c2",
    ];
    assert_eq!(ids, BTreeSet::from(expected));
    let DecisionList { decisions } = vault.run(["review", "--decided", "--json"]).json(0);
    let decisions: Vec<_> = decisions
        .iter()
        .map(|decision| [decision.id.as_str(), &decision.kind, &decision.answer])
        .collect();
    assert_eq!(
        decisions,
        [
            ["2bec8431908dbfe6", "conflict", "contradicts"],
            ["4b974b59aa545159", "mention", "yes"],
            ["1ebb180e1dbde28d", "merge", "no"],
        ]
    );
    // Nothing is done again.
    let before = vault.tree();
    vault.run(["sleep", "--all"]).raw();
    assert_eq!(before.changes(&vault.tree()), [""; 0]);
    // An old question is answered now.
    vault.run(["review", "accept", "1a19a335"]).raw();
    let changes = before.changes(&vault.tree());
    assert_eq!(changes, ["- Shed tools 2.md", "~ Shed tools.md"]);
}

#[test]
fn old_runs_can_be_undone() {
    let vault = vault();
    let History { runs, .. } = vault.run(["history", "--json"]).json(0);
    let jobs: Vec<&str> = runs.iter().map(|run| run.job.as_str()).collect();
    let mut expected = vec![
        "undo",
        "edit",
        "rm",
        "review",
        "review",
        "link",
        "conflicts",
        "dedupe",
    ];
    expected.extend(["remember"; 7]);
    assert_eq!(jobs, expected);
    // The merge: both notes are restored, and the merged note is kept.
    let merged = vault.tree();
    vault.run(["undo", "20260309-120000-7kfc"]).raw();
    let trashed = fixture(".mem/trash/20260309-120000-7kfc/green-tea-2.md");
    assert_eq!(vault.read("green-tea-2.md"), trashed);
    vault.assert_text(
        "green-tea.md",
        expect![[r#"
        ---
        id: 01KJQ6PSG0KSG6BB3DBJ40E12M
        title: Green tea
        tags: [tea]
        created: 2026-03-02T12:00:00Z
        mem:
          by: mem
          seal: "cd72331e85fac736"
        ---
        Green tea wants water of 80 degrees and two minutes of patience, no more.
    "#]],
    );
    let changes = merged.changes(&vault.tree());
    assert_eq!(changes, ["+ green-tea-2.md", "~ green-tea.md"]);
    vault.run(["dedupe", "--apply", "all"]).raw();
    assert_eq!(
        merged.changes(&vault.tree()),
        ["+ green-tea-2.md", "~ green-tea.md"],
        "an undo is a no"
    );
}

#[test]
fn old_trash_can_be_restored() {
    let vault = vault();
    let listed = vault.run(["trash", "--json"]).raw();
    for note in ["green-tea-2.md", "violin.md", "sold the violin"] {
        assert!(listed.stdout.contains(note), "{}", listed.stdout);
    }
    vault.run(["restore", "violin.md"]).raw();
    let trashed = fixture(".mem/trash/20260316-120000-0kcf/violin.md");
    assert_eq!(vault.read("violin.md"), trashed);
}

#[test]
fn old_sleep_reports_are_shown() {
    let vault = vault();
    let outcome = vault.run(["sleep", "--report", "--json"]).raw();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stdout.contains("15629d9770404ba5"));
}
