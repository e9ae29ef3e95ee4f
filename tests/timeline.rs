//! `mem timeline`

use expect_test::expect;

use crate::support::TestVault;

#[test]
fn a_longer_note_is_listed_with_its_answer() {
    let vault = TestVault::of([(
        "shop.md",
        "---\ncreated: 2026-01-10\n---\n# Shop\n\nWe met on Monday and talked about many things, among them the summer \
         party and the new coffee machine that nobody likes so far. It was a long day with many guests and a lot of \
         noise in the yard behind the house.\n\n## Stack\n\n- Cache in Redis\n- The shop runs on Postgres 16\n",
    )]);
    vault
        .run(["timeline", "What does the shop run on?"])
        .stdout(expect![[r#"
            2026-01-10 shop.md
              The shop runs on Postgres 16
        "#]])
        .code(0);
}

#[test]
fn a_note_renamed_by_another_program_keeps_what_replaced_it() {
    let newer =
        "---\ncreated: 2026-02-10\nevolved_from: [\"[[Base]]\"]\n---\nThe shop runs on Go.\n";
    let vault = TestVault::of([
        (
            "Base.md",
            "---\ntitle: Base\ncreated: 2026-01-10\n---\nThe shop runs on Perl.\n",
        ),
        ("newer.md", newer),
    ]);
    vault.write("old/moved.md", &vault.read("Base.md"));
    std::fs::remove_file(vault.path("Base.md")).unwrap();
    vault
        .run(["-q", "timeline", "What does the shop run on?"])
        .stdout(expect![[r#"
            2026-01-10 old/moved.md (replaced by newer.md)
              The shop runs on Perl.
            2026-02-10 newer.md
              The shop runs on Go.
        "#]])
        .code(0);
    let recalled = vault
        .run(["-q", "recall", "What does the shop run on?"])
        .raw();
    assert!(!recalled.stdout.contains("Perl"), "{recalled:?}");
}

#[test]
fn statements_are_listed_oldest_first_with_what_replaced_them() {
    let vault = TestVault::empty();
    let remember = |day: &str, title: &str, text: &str, more: &[&str]| {
        let dated = ["-q", "remember", "--by", "agent", "--created", day];
        let titled = ["--title", title, text];
        assert_eq!(
            vault.run([&dated[..], more, &titled].concat()).raw().code,
            0
        );
    };
    remember("2026-01-10", "a", "The shop runs on Postgres 14.", &[]);
    remember(
        "2026-02-10",
        "b",
        "The shop runs on Postgres 15.",
        &["--replaces", "a"],
    );
    remember(
        "2026-03-10",
        "c",
        "The shop runs on Postgres 16.",
        &["--corrects", "b"],
    );
    remember("2026-03-20", "d", "The shop runs on Postgres 17.", &[]);
    remember("2026-03-30", "d", "The shop runs on Postgres 17.", &[]);
    remember("2026-03-31", "e", "Anna likes tulips.", &[]);
    vault
        .run(["timeline", "What does the shop run on?"])
        .stdout(expect![[r#"
            2026-01-10 a.md (replaced by b.md)
              The shop runs on Postgres 14.
            2026-02-10 b.md (corrected by c.md)
              The shop runs on Postgres 15.
            2026-03-10 c.md (newer statement: d.md)
              The shop runs on Postgres 16.
            2026-03-30 d.md (first stated 2026-03-20)
              The shop runs on Postgres 17.
        "#]])
        .stderr(expect![""])
        .code(0);
    remember(
        "2026-04-01",
        "f",
        "The shop runs on Postgres 18.",
        &["--replaces", "d", "--valid-from", "2099-01-01"],
    );
    let lines = vault.run(["timeline", "What does the shop run on?"]).raw();
    let last: Vec<&str> = lines.stdout.lines().rev().take(4).collect();
    assert_eq!(
        last[3],
        "2026-03-30 d.md (first stated 2026-03-20) (replaced by f.md)"
    );
    assert_eq!(last[1], "2026-04-01 f.md (valid from 2099-01-01)");
    let nothing = vault.run(["timeline", "zeppelin propellers"]);
    nothing
        .stdout(expect![""])
        .stderr(expect![[r#"
        no matches: no note contains `zeppelin`, `propellers`
    "#]])
        .code(1);
}
