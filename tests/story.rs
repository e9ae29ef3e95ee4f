//! The manual's walk-through: a vault is tidied, inspected and restored byte for byte.

use std::fs;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{Group, Review, Search, Sleep};
use crate::support::tree::Tree;

#[test]
fn sleep_plans_applies_and_undoes() {
    let vault = TestVault::folder("sample");
    let untouched = vault.tree();
    vault
        .run(["--quiet", "init"])
        .stdout(expect!["created vault $VAULT (41 notes)"])
        .code(0);
    vault
        .run(["--quiet", "index"])
        .stdout(expect!["41 notes: 41 added"])
        .code(0);
    let record: Search = vault.run(["search", "--json", "sencha"]).json(0);
    assert!(record.hits.iter().any(|hit| hit.path == "Green tea.md"));

    let own = Tree::of(&vault.path(".mem"), &[]);
    let planned: Sleep = vault
        .run([
            "-q",
            "sleep",
            "--all",
            "--json",
            "--dry-run",
            "--apply",
            "all",
        ])
        .json(0);
    assert!(planned.dry_run && planned.job("dedupe").run.is_none());
    assert_planned(&planned.groups());
    // A dry run leaves no trace.
    untouched.assert_same(&vault.tree());
    own.assert_same(&Tree::of(&vault.path(".mem"), &[]));
    vault
        .run(["history"])
        .stderr(expect!["no changes yet"])
        .code(1);

    let done: Sleep = vault
        .run(["-q", "sleep", "--all", "--json", "--apply", "all"])
        .json(0);
    let run = done.job("dedupe").run.clone().unwrap();
    let titles = |sleep: &[&Group]| -> Vec<String> {
        let merges = sleep
            .iter()
            .filter(|group| group.title.starts_with("merge"));
        merges.map(|group| group.title.clone()).collect()
    };
    assert_eq!(titles(&done.groups()), titles(&planned.groups()));
    assert!(done.groups().iter().all(|group| group.outcome == "applied"));
    assert_eq!(
        untouched.changes(&vault.tree()),
        [
            "~ Green tea.md",
            "- agents/Anna prefers short release notes 2.md",
            "- agents/Anna prefers short release notes 3.md",
            "~ agents/Anna prefers short release notes.md",
            "~ daily/2026-03-02.md",
            "~ garden/Compost.md",
            "- tea/Green tea (conflicted copy 2026-03-02).md",
        ]
    );

    assert_nothing_is_lost(&vault, &run);

    let after = vault.tree();
    let again: Sleep = vault
        .run(["-q", "sleep", "--all", "--json", "--apply", "all"])
        .json(0);
    assert!(
        again.job("dedupe").run.is_none() && again.groups().is_empty(),
        "{again:?}"
    );
    after.assert_same(&vault.tree());

    // By default similar notes of a person are not related.
    assert_eq!(done.job("link").run, None);
    vault
        .run(["undo"])
        .naming(&run, "$RUN")
        .stdout(expect!["undid dedupe 7 notes (just now)"])
        .stderr(expect!["hint: redo with `mem undo 757y`"])
        .code(0);
    untouched.assert_same(&vault.tree());
    // Restored notes are found; the merged text is not.
    vault
        .run(["search", "\"merged from\""])
        .stderr(expect!["no matches"])
        .code(1);
    vault
        .run(["index"])
        .stdout(expect!["41 notes, no changes"])
        .code(0);

    // The undo is undone.
    vault
        .run(["-q", "undo", "20260401-120000-757y"])
        .stdout(expect!["redid dedupe 7 notes (just now)"])
        .code(0);
    after.assert_same(&vault.tree());
}

/// Checks the dry run of the sample vault's merges.
fn assert_planned(groups: &[&Group]) {
    for group in groups {
        assert_eq!(group.outcome, "planned");
        assert!(
            group.reason.contains("% of the wording is the same"),
            "{}",
            group.reason
        );
        assert!(
            group
                .diff
                .as_ref()
                .is_some_and(|diff| diff.contains("\n+++ /dev/null\n"))
        );
    }
}

/// Checks the results of the sample vault's merges.
fn assert_nothing_is_lost(vault: &TestVault, run: &str) {
    // Links in other notes lead to the keeper.
    let daily = vault.read("daily/2026-03-02.md");
    assert!(
        daily.contains("now there is [[Green tea]] next to [[Green tea]]"),
        "{daily}"
    );
    assert!(!vault.read("garden/Compost.md").contains("conflicted"));
    // Merged notes are in the trash unchanged, with the reason.
    let trash = format!(".mem/trash/{run}");
    let copy = "Green tea (conflicted copy 2026-03-02).md";
    let original = fs::read(
        crate::support::project()
            .join("fixtures/vaults/sample/tea")
            .join(copy),
    );
    assert_eq!(
        fs::read(vault.path(&format!("{trash}/tea/{copy}"))).unwrap(),
        original.unwrap()
    );
    let reasons = vault.read(&format!("{trash}/trash.jsonl"));
    assert!(
        reasons.contains("\"reason\":\"merged into Green tea.md\""),
        "{reasons}"
    );
}

#[test]
fn answers_travel_with_the_vault() {
    let vault = TestVault::indexed("sample");
    let review: Review = vault.run(["review", "--json", "--all"]).json(0);
    let id = &review.questions[0].id;
    vault
        .run(["review", "reject", id])
        .naming(&review.questions[0].question, "$QUESTION")
        .stdout(expect![[r#"
            rejected: merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
        "#]])
        .stderr(expect![[r#"
            hint: ask again with `mem review forget 1e7c3bb3`
        "#]])
        .code(0);
    // All local state is gone, as on another machine.
    fs::remove_dir_all(vault.home(".cache")).unwrap();
    fs::remove_dir_all(vault.home(".local")).unwrap();
    let left: Review = vault
        .run(["review", "--json", "--all"])
        .stderr(expect!["indexed 41 notes"])
        .json(0);
    assert_eq!(left.questions.len(), review.questions.len() - 1);
    assert!(left.questions.iter().all(|question| question.id != *id));
    let slept: Sleep = vault
        .run(["-q", "sleep", "--all", "--json", "--apply", "all"])
        .json(0);
    assert!(
        slept
            .groups()
            .iter()
            .all(|group| group.title != review.questions[0].question)
    );
}
