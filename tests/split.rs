//! `mem split`: a note of several facts becomes one note per fact on a yes; an undo restores it.

use expect_test::expect;

use crate::support::TestVault;

#[test]
fn note_is_split_and_undone() {
    let vault = TestVault::of([(
        "Mine.md",
        "Tea at four, as [[the-user-drinks-green-tea-at-four]] says.\n",
    )]);
    let facts = "The user drinks green tea at four.\n\nPostgres listens on port 5432.\n\nAda was born in Basel.";
    let title = "The user drinks green tea at four";
    vault
        .run(["-q", "remember", "--tag", "home", "--title", title, facts])
        .raw();
    let before = vault.tree();
    vault
        .run(["split"])
        .stdout(expect![[r#"
            c3261293 Split the-user-drinks-green-tea-at-four.md into the-user-drinks-green-tea-at-four-2.md, postgres-listens-on-port-5432.md and ada-was-born-in-basel.md? (3 facts without a common content word)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind split`
        "#]])
        .code(0);
    before.assert_same(&vault.tree());
    vault
        .run(["sleep", "--all"])
        .stdout(expect![[r#"
        ran 12 jobs: 0 changes, 1 open; `mem sleep --report` lists them
    "#]])
        .code(0);
    vault
        .run(["review", "accept", "c3261293"])
        .stdout(expect!["created 3 notes"])
        .stderr(expect!["hint: undo with `mem undo 757y`"])
        .code(0);
    vault
        .run(["show", "--no-touch", "postgres-listens-on-port-5432"])
        .stdout(expect![[r#"
            ---
            title: Postgres listens on port 5432
            tags: [home]
            part_of: ["[[the-user-drinks-green-tea-at-four]]"]
            created: 2026-04-01T12:00:00Z
            mem:
              by: split
              seal: "83124749e2629dac"
            ---
            Postgres listens on port 5432.
        "#]])
        .code(0);
    vault
        .run(["list", "tier:archival"])
        .stdout(expect!["the-user-drinks-green-tea-at-four.md"])
        .code(0);
    // The vault is at a fixpoint, and links keep their targets.
    let after = vault.tree();
    for _ in 0..2 {
        vault.run(["-q", "sleep", "--all"]).raw();
        vault.run(["-q", "index", "--rebuild"]).raw();
        after.assert_same(&vault.tree());
    }
    vault
        .run(["split", "--full"])
        .stdout(expect![[r#"
            nothing to split: no note by mem or an agent has several unrelated facts
        "#]])
        .code(0);
    vault.run(["doctor"]).stdout(expect!["no problems"]).code(0);
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
}
