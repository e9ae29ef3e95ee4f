//! `mem history purge` leaves no copy of the purged text.

use std::fs;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::PurgeReply;

/// Returns the files of the vault and home folder with `word`, outside notes.
fn holding(vault: &TestVault, word: &str) -> Vec<String> {
    let mut holding = Vec::new();
    for root in [vault.path(".mem"), vault.home("")] {
        for file in walkdir::WalkDir::new(root).into_iter().map(Result::unwrap) {
            let is_file = file.file_type().is_file();
            if is_file
                && fs::read(file.path())
                    .unwrap()
                    .windows(word.len())
                    .any(|part| part == word.as_bytes())
            {
                holding.push(file.path().display().to_string());
            }
        }
    }
    holding
}

#[test]
fn secret_is_purged_and_the_note_stays() {
    let vault = TestVault::of([
        ("Other.md", "Tea.\n"),
        ("house/Tomasz Kowalski.md", "A friend.\n"),
    ]);
    vault
        .run([
            "-q",
            "remember",
            "Tell Tomasz Kowalski: xyzzyhunter stops the alarm",
            "--title",
            "Alarm",
        ])
        .raw();
    vault
        .run(["-q", "edit", "Alarm", "Other", "--tag", "home"])
        .raw();
    vault.run(["-q", "mv", "Alarm", "house/Alarm system"]).raw();
    // A sleep's questions quote the note.
    vault.run(["-q", "sleep"]).raw();
    let quoted = |path: &String| path.contains("/sleeps/");
    assert!(holding(&vault, "xyzzyhunter").iter().any(quoted));
    let hide = vault
        .command(["-q", "edit", "Alarm"])
        .env("EDITOR", "sed -i s/xyzzyhunter/…/");
    hide.run().raw();
    assert!(!holding(&vault, "xyzzyhunter").is_empty());
    let before = vault.tree();
    vault
        .run(["history", "purge", "--note", "Alarm"])
        .stderr(expect![[r#"
            error: refusing to delete 6 texts of `house/Alarm system.md` from 4 runs without confirmation
            hint: this cannot be undone; pass `--yes` to confirm, or `--dry-run` to preview
        "#]])
        .code(2);
    vault
        .run(["history", "purge", "--note", "Alarm", "--yes"])
        .stdout(expect![[r#"
            deleted 6 texts of `house/Alarm system.md` from 4 runs
        "#]])
        .stderr(expect![[r#"
            rebuilt the index
            hint: `house/Alarm system.md` itself was not changed
        "#]])
        .code(0);
    assert_eq!(holding(&vault, "xyzzyhunter"), [""; 0]);
    before.assert_same(&vault.tree());
    // Changes of the runs to other notes can still be undone.
    vault
        .run(["-q", "undo", "20260401-120000-757y"])
        .stdout(expect![[r#"
            undid 1 of 2 changes of edit 2 notes (just now)
              kept: edit Alarm.md (Alarm.md: its text was purged)
        "#]])
        .code(1);
    vault.assert_text("Other.md", expect!["Tea."]);
}

#[test]
fn removed_note_is_purged_by_path() {
    let vault = TestVault::of([("a.md", "xyzzyhunter\n")]);
    vault.run(["-q", "rm", "a"]).raw();
    vault
        .run(["history", "purge", "-y"])
        .stderr(expect![[r#"
            error: specify what to delete
            hint: name runs, or an age (`--older-than 1y`), or a note (`--note NOTE`)
        "#]])
        .code(2);
    let shown: PurgeReply = vault
        .run(["history", "purge", "--note", "a", "--dry-run", "--json"])
        .json(0);
    assert!(shown.dry_run);
    assert_eq!(shown.trashed, ["20260401-120000-757x/a.md"]);
    assert_eq!((shown.texts.len(), shown.texts[0].texts), (1, 1));
    vault
        .run(["-q", "history", "purge", "--note", "a.md", "-y"])
        .raw();
    assert_eq!(holding(&vault, "xyzzyhunter"), [""; 0]);
    vault
        .run(["undo"])
        .stdout(expect![[r#"
            undid nothing of rm a.md (just now)
              kept: remove a.md (a.md: its text was purged)
        "#]])
        .code(1);
}

#[test]
fn runs_are_purged_by_name_and_by_age() {
    let vault = TestVault::of([("a.md", "Tea.\n")]);
    vault.run(["-q", "edit", "a", "--set", "x=1"]).raw();
    vault.at("2026-06-01T12:00:00Z");
    vault.run(["-q", "edit", "a", "--set", "x=2"]).raw();
    vault
        .run(["history", "purge", "--older-than", "30d", "-y"])
        .stdout(expect!["20260401-120000-757x"])
        .stderr(expect![[r#"
            deleted the records of 1 run; they can no longer be undone
        "#]])
        .code(0);
    vault
        .run(["history"])
        .stdout(expect!["757y  just now  edit a.md"])
        .code(0);
    vault
        .run(["history", "purge", "20260401-120000-757x", "-y"])
        .stderr(expect![[r#"
            error: no run `20260401-120000-757x`
            hint: list runs with `mem history`
        "#]])
        .code(2);
    vault
        .run(["-q", "history", "purge", "20260601-120000-757y", "-y"])
        .stdout(expect!["20260601-120000-757y"])
        .code(0);
    vault
        .run(["undo"])
        .stderr(expect!["error: nothing to undo"])
        .code(2);
}

#[test]
fn purge_without_copies_is_reported() {
    let vault = TestVault::of([("a.md", "Tea.\n")]);
    vault
        .run(["history", "purge", "--note", "a"])
        .stderr(expect![[r#"
            no run or trash entry contains text of `a.md`
            error: refusing to delete the reports of sleeps without confirmation
            hint: this cannot be undone; pass `--yes` to confirm, or `--dry-run` to preview
        "#]])
        .code(2);
    vault
        .run(["history", "purge", "--note", "a", "--dry-run"])
        .stdout(expect!["would delete the reports of sleeps"])
        .stderr(expect![[r#"
            no run or trash entry contains text of `a.md`
        "#]])
        .code(0);
    vault
        .run(["history", "purge", "--note", "a", "-y"])
        .stdout(expect!["deleted the reports of sleeps"])
        .stderr(expect![[r#"
            no run or trash entry contains text of `a.md`
            rebuilt the index
            hint: `a.md` itself was not changed
        "#]])
        .code(0);
}
