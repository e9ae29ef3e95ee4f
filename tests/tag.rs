//! `mem tag`

use expect_test::expect;
use serde_json::Value;

use crate::support::TestVault;

fn vault() -> TestVault {
    TestVault::of([
        (
            "a.md",
            "---\ntags:\n  - Tea/green # the best\n  - work\n---\nA #tea. `#tea`\r\n",
        ),
        ("b.md", "#drink and #tea/black #teapot\n"),
        ("c.md", "Nothing.\n"),
    ])
}

#[test]
fn tag_counts_include_nested_tags() {
    let vault = vault();
    vault
        .run(["tag"])
        .stdout(expect![[r#"
            1  #drink
            2  #Tea
            1  #tea/black
            1  #Tea/green
            1  #teapot
            1  #work
        "#]])
        .stderr(expect![""])
        .code(0);
    let record: Value = vault.run(["tag", "ls", "--json"]).json(0);
    assert_eq!(record["tags"][1]["tag"], "Tea");
    assert_eq!(record["tags"][1]["notes"], 2);
    let nothing = TestVault::of([("c.md", "Nothing.\n")]);
    nothing
        .run(["tag", "ls"])
        .stderr(expect!["no tags"])
        .code(1);
}

#[test]
fn tag_is_renamed_and_undone() {
    let vault = vault();
    let before = vault.tree();
    vault
        .run(["tag", "mv", "tea", "drink", "--dry-run"])
        .stdout(expect![[r#"
            would rename #tea to #drink in a.md
            --- a/a.md
            +++ b/a.md
            @@ -1,6 +1,6 @@
             ---
             tags:
            -  - Tea/green # the best
            +  - drink/green # the best
               - work
             ---
            -A #tea. `#tea`
            +A #drink. `#tea`
            would rename #tea to #drink in b.md
            --- a/b.md
            +++ b/b.md
            @@ -1 +1 @@
            -#drink and #tea/black #teapot
            +#drink and #drink/black #teapot
        "#]])
        .stderr(expect![[r#"
            `#drink` is already a tag of 1 note; both become one
        "#]])
        .code(0);
    assert_eq!(vault.tree(), before);
    vault
        .run(["tag", "mv", "#tea", "#food/tea"])
        .stdout(expect![[r#"
            renamed #tea to #food/tea in a.md
            renamed #tea to #food/tea in b.md
        "#]])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    assert_eq!(
        vault.read("a.md"),
        "---\ntags:\n  - food/tea/green # the best\n  - work\n---\nA #food/tea. `#tea`\r\n"
    );
    assert_eq!(vault.read("b.md"), "#drink and #food/tea/black #teapot\n");
    vault
        .run(["tag", "mv", "food/tea", "tea"])
        .stdout(expect![[r#"
            renamed #food/tea to #tea in a.md
            renamed #food/tea to #tea in b.md
        "#]])
        .stderr(expect!["hint: undo with `mem undo 757y`"])
        .code(0);
    for _ in 0..2 {
        assert_eq!(vault.run(["undo"]).raw().code, 0);
    }
    assert_eq!(vault.tree(), before);
    for (old, new) in [("none", "x"), ("tea", "two words"), ("tea", "2026")] {
        let refused = vault.run(["tag", "mv", old, new]).raw();
        assert_eq!(refused.code, 2, "{old} {new}");
    }
    assert_eq!(vault.tree(), before);
}

#[test]
fn renaming_to_the_same_name_is_refused() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["tag", "mv", "tea", "tea"])
        .stderr(expect![[r#"
            error: `#tea` already has this name
            hint: give the current name, then the new one: `mem tag mv tea drink/tea`
        "#]])
        .code(2);
}

#[test]
fn tag_case_can_change() {
    let vault = TestVault::of([
        ("a.md", "---\ntags: [tea, work]\n---\n"),
        ("b.md", "#Tea\n"),
        ("c.md", "---\ntags: [Tea]\n---\n#tea\n"),
    ]);
    vault
        .run(["tag", "mv", "tea", "Tea"])
        .stdout(expect![[r#"
            renamed #tea to #Tea in a.md
            renamed #tea to #Tea in c.md
        "#]])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    assert_eq!(vault.read("a.md"), "---\ntags: [Tea, work]\n---\n");
    assert_eq!(vault.read("c.md"), "---\ntags: [Tea]\n---\n#Tea\n");
    vault
        .run(["tag", "mv", "TEA", "Tea"])
        .stderr(expect![[r#"
            error: `#Tea` already has this name
            hint: give the current name, then the new one: `mem tag mv tea drink/tea`
        "#]])
        .code(2);
}
