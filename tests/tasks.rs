//! `mem tasks` and `mem outline`

use expect_test::expect;
use serde_json::Value;

use crate::support::TestVault;

fn vault() -> TestVault {
    TestVault::of([
        (
            "plan.md",
            "---\ntags: [work]\n---\n# Plan\n\n- [ ] Write **it** \u{1b}[31m\r\n- [x] Think\n\n## Later ##\n\n* [ ] Rest 📅 2026-02-01\n",
        ),
        ("home.md", "1. [ ] Clean [due:: 2026-01-31]\n"),
        ("none.md", "Nothing [ ] to do.\n"),
    ])
}

#[test]
fn tasks_are_listed_by_date_and_ticked() {
    let vault = vault();
    vault
        .run(["tasks"])
        .stdout(expect![[r#"
            home.md:1  Clean [due:: 2026-01-31]
            plan.md:11  Rest 📅 2026-02-01
            plan.md:6  Write **it** \u{1b}[31m
        "#]])
        .stderr(expect![""])
        .code(0);
    vault
        .run(["tasks", "-n", "1"])
        .stdout(expect!["home.md:1  Clean [due:: 2026-01-31]"])
        .code(0);
    vault
        .run(["tasks", "--done"])
        .stdout(expect!["plan.md:7  [x] Think"])
        .code(0);
    vault
        .run(["tasks", "--all", "--tag", "work", "-Rest"])
        .stderr(expect!["no tasks"])
        .code(1);
    vault
        .run(["list", "is:open", "-is:done"])
        .stdout(expect!["home.md"])
        .code(0);
    let record: Value = vault.run(["tasks", "--json", "title:home"]).json(0);
    assert_eq!(record["tasks"][0]["due"], "2026-01-31");
    let before = vault.read("plan.md");
    for (place, more) in [
        ("plan.md", &[][..]),
        ("plan.md:5", &[]),
        ("plan.md:6", &["--text", "Write"]),
    ] {
        let refused = vault
            .run([&["tasks", "--toggle", place], more].concat())
            .raw();
        assert_eq!(refused.code, 2, "{place}");
        assert_eq!(vault.read("plan.md"), before);
    }
    vault
        .run([
            "tasks",
            "--toggle",
            "Plan:11",
            "--text",
            "Rest 📅 2026-02-01",
        ])
        .stdout(expect!["ticked line 11 of plan.md"])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    assert_eq!(vault.read("plan.md"), before.replace("* [ ]", "* [x]"));
    vault
        .run(["tasks", "--toggle", "plan.md:7"])
        .stdout(expect!["unticked line 7 of plan.md"])
        .stderr(expect!["hint: undo with `mem undo 757y`"])
        .code(0);
    assert_eq!(
        vault.read("plan.md"),
        before.replace("* [ ]", "* [x]").replace("- [x]", "- [ ]")
    );
    for _ in 0..2 {
        assert_eq!(vault.run(["undo"]).raw().code, 0);
    }
    assert_eq!(vault.read("plan.md"), before);
}

#[test]
fn headings_have_lines() {
    let vault = vault();
    vault
        .run(["outline", "plan"])
        .stdout(expect![[r#"
        4  Plan
        9    Later
    "#]])
        .code(0);
    vault
        .run(["outline", "home"])
        .stderr(expect!["the note has no headings"])
        .code(1);
    let record: Value = vault.run(["outline", "plan", "--json"]).json(0);
    assert_eq!(record["headings"][1]["line"], 9);
}
