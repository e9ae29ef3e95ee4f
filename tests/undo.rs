//! `mem undo`

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::Undo;

#[test]
fn nothing_to_undo_is_reported() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["undo"])
        .stderr(expect!["error: nothing to undo"])
        .code(2);
    vault
        .run(["undo", "20260401-120000-0000"])
        .stderr(expect![[r#"
            error: no run `20260401-120000-0000`
            hint: list runs with `mem history`
        "#]])
        .code(2);
    let failure = vault.run(["undo", "--json", "../x"]).failure();
    assert_eq!(failure.message, "no run `../x`");
    assert_eq!(failure.hints, ["list runs with `mem history`"]);
}

#[test]
fn undo_can_be_previewed() {
    let vault = TestVault::of([("a.md", "One.\n")]);
    vault
        .run(["-q", "remember", "Tea is ready", "--json"])
        .raw();
    let before = vault.tree();
    let undo: Undo = vault.run(["undo", "--dry-run", "--json"]).json(0);
    assert!(undo.dry_run && undo.run.is_none());
    assert_eq!(undo.groups[0].outcome, "undone");
    let diff = undo.diff.unwrap();
    assert!(
        diff.starts_with("--- a/tea-is-ready.md\n+++ /dev/null\n"),
        "{diff}"
    );
    before.assert_same(&vault.tree());
    let undo: Undo = vault.run(["-q", "undo", "--json"]).json(0);
    assert!(!undo.dry_run && undo.run.is_some() && undo.diff.is_none());
    assert!(!vault.path("tea-is-ready.md").exists());
}

#[test]
fn single_group_is_undone_by_note() {
    let vault = TestVault::indexed("sample");
    let before = vault.tree();
    vault
        .run(["-q", "dedupe", "--apply", "all", "--json"])
        .raw();
    let undo: Undo = vault
        .run([
            "-q",
            "undo",
            "--json",
            "--note",
            "tea/Green tea (conflicted copy 2026-03-02).md",
        ])
        .json(0);
    assert_eq!(undo.undoes, "20260401-120000-757x");
    assert_eq!(undo.groups.len(), 1);
    assert_eq!(undo.groups[0].outcome, "undone");
    assert_eq!(
        before.changes(&vault.tree()),
        [
            "- agents/Anna prefers short release notes 2.md",
            "- agents/Anna prefers short release notes 3.md",
            "~ agents/Anna prefers short release notes.md",
        ]
    );
    vault
        .run(["-q", "undo", "--note", "Anna prefers short release notes"])
        .stdout(expect![[r#"
            undid 1 of 2 changes of dedupe 7 notes (just now)
        "#]])
        .code(0);
    before.assert_same(&vault.tree());
}

#[test]
fn later_edit_survives_or_blocks_the_group() {
    let vault = TestVault::indexed("sample");
    let before = vault.read("Green tea.md");
    vault
        .run(["-q", "dedupe", "--apply", "all", "--json"])
        .raw();
    // An edit elsewhere in the note can be separated.
    vault.edit(
        "Green tea.md",
        "Sencha is forgiving",
        "Sencha is most forgiving",
    );
    vault
        .run(["-q", "undo"])
        .stdout(expect!["undid dedupe 7 notes (just now)"])
        .code(0);
    assert_eq!(
        vault.read("Green tea.md"),
        before.replace("Sencha is forgiving", "Sencha is most forgiving")
    );

    // An edit inside the merged text cannot: the note stays, and so does its whole group.
    let vault = TestVault::indexed("sample");
    vault
        .run(["-q", "dedupe", "--apply", "all", "--json"])
        .raw();
    vault.edit(
        "Green tea.md",
        "well worth the money",
        "not worth the money",
    );
    let edited = vault.tree();
    vault
        .run(["undo"])
        .stdout(expect![[r#"
            undid 1 of 2 changes of dedupe 7 notes (just now)
              kept: merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md (Green tea.md: edited since)
        "#]])
        .stderr(expect!["hint: redo with `mem undo 757y`"])
        .code(1);
    let changes = edited.changes(&vault.tree());
    assert!(
        changes
            .iter()
            .all(|change| change[2..].starts_with("agents/")),
        "{changes:?}"
    );
}

#[test]
fn repeated_undo_and_redo() {
    let vault = TestVault::empty();
    let nothing = vault.tree();
    vault.run(["-q", "remember", "One"]).raw();
    let one = vault.tree();
    vault.run(["-q", "remember", "Two"]).raw();
    let two = vault.tree();
    let takes_back = |arguments: &[&str], told: &str| {
        vault
            .run([&["-q", "undo"], arguments].concat())
            .stdout(format!("{told}\n"))
            .code(0);
    };
    takes_back(&[], "undid remember two.md (just now)");
    one.assert_same(&vault.tree());
    takes_back(&[], "undid remember one.md (just now)");
    nothing.assert_same(&vault.tree());
    vault
        .run(["undo"])
        .stderr(expect!["error: nothing to undo"])
        .code(2);
    let history: crate::support::records::History = vault.run(["history", "--json"]).json(0);
    let runs: Vec<&str> = history.runs.iter().map(|run| run.run.as_str()).collect();
    assert_eq!(runs.len(), 4);
    takes_back(&[runs[0]], "redid remember one.md (just now)");
    takes_back(&[runs[1]], "redid remember two.md (just now)");
    two.assert_same(&vault.tree());
}

#[test]
fn runs_do_not_block_each_other_and_history_counts_remaining_changes() {
    let vault = TestVault::of([("a.md", "One.\n"), ("b.md", "Two.\n")]);
    let before = vault.tree();
    for value in ["1", "2", "1"] {
        vault
            .run(["-q", "edit", "a", "--set", &format!("k={value}")])
            .raw();
    }
    let runs = |vault: &TestVault| -> crate::support::records::History {
        vault.run(["history", "--json"]).json(0)
    };
    let ids: Vec<String> = runs(&vault)
        .runs
        .iter()
        .rev()
        .map(|run| run.run.clone())
        .collect();
    // The older runs name the newest one that can be undone.
    for older in [&ids[0], &ids[1]] {
        let outcome = vault.run(["undo", older]).raw();
        let named = format!("changed since by run {}; undo that first", ids[2]);
        assert!(
            outcome.code == 1 && outcome.stdout.contains(&named),
            "{}",
            outcome.stdout
        );
    }
    for (at, standing) in [(2, 2), (1, 1), (0, 0)] {
        vault.run(["-q", "undo", &ids[at]]).raw();
        let history = runs(&vault);
        let stands = history.runs.iter().filter(|run| ids.contains(&run.run));
        assert_eq!(stands.map(|run| run.standing).sum::<usize>(), standing);
    }
    before.assert_same(&vault.tree());
    let again = vault.run(["undo", &ids[0]]).raw();
    assert!(
        again.code == 1 && again.stdout.contains("undone already by run"),
        "{}",
        again.stdout
    );
    // Of a run of two changes one is undone.
    vault.run(["-q", "edit", "a", "b", "--set", "k=1"]).raw();
    vault.run(["-q", "undo", "--note", "a"]).raw();
    let run = &runs(&vault).runs[1];
    assert_eq!(
        (run.changes, run.standing, run.undone_by.as_ref()),
        (2, 1, None)
    );
    let stands: Vec<bool> = run.groups.iter().map(|group| group.stands).collect();
    assert_eq!(stands, [false, true]);
}

#[test]
fn undo_of_a_restore_removes_the_note_again() {
    let vault = TestVault::of([("a.md", "---\nk: 0\n---\nOne.\n")]);
    let before = vault.tree();
    for args in [
        &["edit", "a", "--set", "k=1"][..],
        &["rm", "a"],
        &["restore", "a"],
    ] {
        vault.run([&["-q"], args].concat()).raw();
    }
    let history: crate::support::records::History = vault.run(["history", "--json"]).json(0);
    let ids: Vec<&str> = history.runs.iter().map(|run| run.run.as_str()).collect();
    let [restored, removed, edited] = ids[..] else {
        panic!("{ids:?}")
    };
    let undo = |id: &str| {
        let outcome = vault.run(["-q", "undo", id]).raw();
        assert_eq!(outcome.code, 0, "{}", outcome.stdout);
    };
    undo(edited);
    vault.assert_text(
        "a.md",
        expect![[r#"
        ---
        k: 0
        ---
        One.
    "#]],
    );
    undo(restored);
    assert!(!vault.path("a.md").exists());
    undo(removed);
    before.assert_same(&vault.tree());
}

#[test]
fn restored_note_is_new_if_another_had_its_path() {
    let vault = TestVault::of([("a.md", "One.\n")]);
    vault.run(["-q", "rm", "a"]).raw();
    let created = vault.command(["-q", "new", "a"]).stdin("Two.\n");
    created.run().raw();
    vault.run(["-q", "mv", "a", "d"]).raw();
    vault.run(["-q", "restore", "a"]).raw();
    let history: crate::support::records::History = vault.run(["history", "--json"]).json(0);
    let ids: Vec<&str> = history.runs.iter().map(|run| run.run.as_str()).collect();
    let outcome = vault.run(["undo", ids[2]]).raw();
    let named = format!("changed since by run {}; undo that first", ids[0]);
    assert!(outcome.stdout.contains(&named), "{}", outcome.stdout);
    for id in &ids[..3] {
        vault.run(["-q", "undo", id]).raw();
    }
    assert!(!vault.path("a.md").exists() && !vault.path("d.md").exists());
    vault.run(["-q", "undo", ids[3]]).raw();
    assert_eq!(vault.read("a.md"), "One.\n");
}

#[test]
fn undo_skips_snapshot_runs() {
    let vault = TestVault::empty();
    let remember = ["-q", "remember", "--by", "x", "The pump needs oil."];
    vault.run(remember).raw();
    vault.run(["-q", "reinforce", "the-pump-needs-oil"]).raw();
    vault.run(["-q", "sleep", "--all"]).raw();
    for what in ["settle", "remember"] {
        let stdout = vault.run(["-q", "undo"]).raw().stdout;
        assert!(stdout.contains(&format!("undid {what}")), "{stdout}");
    }
    assert!(!vault.path("the-pump-needs-oil.md").exists());
}
