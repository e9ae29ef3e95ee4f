//! `mem views`: generated lists between marks in handwritten notes

use expect_test::expect;

use crate::support::TestVault;

const HOME: &str = "# Home\n\n<!-- mem list tag:open -->\n<!-- /mem -->\n\nBetween.\n\n\
    <!-- mem list tag:open -->\n<!-- /mem -->\n<!-- mem count tag:open -->\nmine\n<!-- /mem -->\n";

fn vault() -> TestVault {
    TestVault::of([
        ("Home.md", HOME),
        ("a/Buy tea.md", "#open\n"),
        ("b/Mend the cup.md", "#open, see [[Buy tea]].\n"),
    ])
}

#[test]
fn marked_lists_are_kept_up_to_date() {
    let vault = vault();
    vault.run(["-q", "sleep", "--all"]).raw();
    let written = vault.read("Home.md");
    expect![[r#"
        # Home

        <!-- mem list tag:open -->
        - [[Buy tea]]
        - [[Mend the cup]]
        <!-- /mem 1b019324 -->

        Between.

        <!-- mem list tag:open -->
        - [[Buy tea]]
        - [[Mend the cup]]
        <!-- /mem 1b019324 -->
        <!-- mem count tag:open -->
        mine
        <!-- /mem -->
    "#]]
    .assert_eq(&written);
    vault
        .run(["views"])
        .stdout(expect![""])
        .stderr(expect![[r#"
            warning: skipped `Home.md`, line 14: the lines of `count tag:open` were edited by hand
        "#]])
        .code(0);
    let outcome = vault.run(["status"]).raw();
    assert!(
        outcome.stdout.ends_with(
            "lists       1 list not updated\n  \
             `Home.md`, line 14: the lines of `count tag:open` were edited by hand\n"
        ),
        "{}",
        outcome.stdout
    );
    // A generated list adds no links or hits.
    vault
        .run(["graph", "Home"])
        .stdout(expect!["Home.md"])
        .stderr(expect!["no links or relations"])
        .code(1);
    vault
        .run(["search", "mend"])
        .stdout(expect![[r#"
            b/Mend the cup.md:1
              #open, see Buy tea.
        "#]])
        .code(0);
    // Renaming a note leaves the copy to the next run, which updates it.
    vault
        .run(["-q", "mv", "a/Buy tea.md", "a/Buy coffee.md"])
        .raw();
    assert_eq!(vault.read("Home.md"), written);
    vault
        .run(["views"])
        .stdout(expect![[r#"
            updated `list tag:open` in Home.md
              reason: 2 lines now
        "#]])
        .stderr(expect![[r#"
            warning: skipped `Home.md`, line 14: the lines of `count tag:open` were edited by hand
            hint: undo with `mem undo 757z`
        "#]])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    assert_eq!(vault.read("Home.md"), written);
}

#[test]
fn unmarked_text_is_never_written() {
    let vault = vault();
    vault.run(["-q", "views", "--apply", "none"]).raw();
    assert_eq!(vault.read("Home.md"), HOME);
    vault.write(".mem/config.toml", "[views]\nnotes = \"managed\"\n");
    vault
        .run(["views"])
        .stdout(expect!["all lists are up to date"])
        .code(0);
    assert_eq!(vault.read("Home.md"), HOME);
}

#[test]
fn marks_are_read_with_and_without_spaces() {
    let vault = TestVault::of([
        ("a.md", "#open\n"),
        ("tight.md", "<!--mem list tag:open-->\n<!--/mem-->\n"),
        (
            "loud.md",
            "<!-- MEM LIST tag:open -->\n<!--MEM COUNT tag:open-->\n",
        ),
    ]);
    vault
        .run(["views"])
        .stdout(expect![[r#"
            updated `list tag:open` in tight.md
              reason: 1 line now
        "#]])
        .stderr(expect![[r#"
            warning: skipped `loud.md`, line 1: a mark must be in lower case
            warning: skipped `loud.md`, line 2: a mark must be in lower case
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault
        .run(["views"])
        .stdout(expect![[r#""#]])
        .stderr(expect![[r#"
            warning: skipped `loud.md`, line 1: a mark must be in lower case
            warning: skipped `loud.md`, line 2: a mark must be in lower case
        "#]])
        .code(0);
    vault.assert_text(
        "tight.md",
        expect![[r#"
        <!--mem list tag:open-->
        - [[a]]
        <!-- /mem c2daf66e -->
    "#]],
    );
}
