//! `mem spaces`: notes get the space of their neighbours.

use expect_test::expect;

use crate::support::TestVault;

#[test]
fn spaces_are_set_on_managed_notes_only() {
    let vault = TestVault::of([
        ("Plan.md", "---\nspace: harbour\n---\nBuild the quay.\n"),
        ("Mine.md", "Look at [[Plan]].\n"),
    ]);
    for (text, title) in [
        ("The quay of [[Plan]] needs forty piles.", "Piles"),
        ("Oak for the [[Piles]] is cut in winter.", "Oak"),
        ("Opposes [[Plan]].", "Letter"),
    ] {
        vault.run(["-q", "remember", "--title", title, text]).raw();
    }
    vault
        .run(["-q", "edit", "letter", "--set", "space=global"])
        .raw();
    let before = vault.tree();
    vault
        .run(["spaces"])
        .stdout(expect![[r#"
            set space of oak.md to harbour
              reason: its only link is with a note of harbour
            set space of piles.md to harbour
              reason: 1 of its 2 links is with a note of harbour
        "#]])
        .stderr(expect!["hint: undo with `mem undo 7581`"])
        .code(0);
    vault
        .run(["spaces"])
        .stdout(expect!["nothing to assign"])
        .code(0);
    vault
        .run(["spaces", "--full"])
        .stdout(expect!["nothing to assign"])
        .code(0);
    vault
        .run(["list", "space:harbour"])
        .stdout(expect![[r#"
            Plan.md
            oak.md
            piles.md
        "#]])
        .code(0);
    vault.run(["-q", "config", "spaces.notes", "all"]).raw();
    vault
        .run(["spaces"])
        .stdout(expect![[r#"
            5be0e749 Set space of Mine.md to harbour? (its only link is with a note of harbour)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind space`
        "#]])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
}
