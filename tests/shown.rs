//! Terminal output of `list`, `search`, `show` and `history`.

use std::fs;

use expect_test::{Expect, expect};

use crate::support::TestVault;
use crate::support::expected::ExpectedText;
use crate::support::terminal::Terminal;

const SMALL: [u16; 2] = [80, 24];
const COLOURS: (&str, &str) = ("NO_COLOR", "");

/// Compares the final screen.
#[track_caller]
fn shows(vault: &TestVault, variables: &[(&str, &str)], arguments: &[&str], expected: Expect) {
    let mut terminal = Terminal::with(vault, SMALL, arguments, variables);
    assert_eq!(terminal.end(), 0);
    ExpectedText::from(expected).compare("the screen", &terminal.contents());
}

#[test]
fn lists_are_aligned_and_truncated() {
    let vault = TestVault::indexed("sample");
    vault.write(
        "tea/緑茶 and a name that is far too long for the first of the columns.md",
        "---\ncreated: 2026-03-01\n---\n# A title that is not the name of the file, and long\n",
    );
    shows(
        &vault,
        &[],
        &["list", "path:tea OR path:agents", "-n", "6"],
        expect![[r#"
            Green tea.md                                                          2026-01-18
            …prefers short release notes 2.md   Anna prefers short release notes  2026-03-06
            …prefers short release notes 3.md   Anna prefers short release notes  2026-03-15
            …na prefers short release notes.md                                    2026-03-03
            …Reminder job runs at 05.30 UTC.md  Reminder job runs at 05:30 UTC    2026-03-13
            books/The Book of Tea.md                                              2026-04-01
            6 of 10 notes; `-n N` shows more
        "#]],
    );
    shows(
        &vault,
        &[],
        &["list", "path:tea", "--sort", "length", "-r", "-n", "2"],
        expect![[r#"
            …or the first of the columns.md  53   A title that is not the name…   2026-03-01
            books/The Book of Tea.md         240                                  2026-04-01
            2 of 6 notes; `-n N` shows more
        "#]],
    );
}

#[test]
fn search_shows_location_and_count() {
    let vault = TestVault::indexed("sample");
    shows(
        &vault,
        &[],
        &["search", "green", "tea", "-n", "2"],
        expect![[r#"
            Green tea.md:6
              Sencha is forgiving about the leaf and merciless about the water. What works
              in my kitchen:
            tea/Green tea (conflicted copy 2026-03-02).md:6  Green tea
              Sencha is forgiving about the leaf and merciless about the water. What works
              in my kitchen:
            2 of 9 notes; `-n N` shows more
        "#]],
    );
}

#[test]
fn notes_are_rendered() {
    let vault = TestVault::of([
        (
            "a.md",
            "---\ntags: [tea]\n---\n# Green *tea*\n\nSome **bold**, `code`, [[b|a note]] and [a page](https://x.org/).\n\nOne line,\\\nand&nbsp;another: C:\\\\\\\n\n\
             - [ ] open\n- [x] done\n  1. first\n\n> [!tip] Water\n> Not too hot, which is what everybody gets wrong the first \
             time they try it.\n>\n> ```sh\n> a **b**\n> ```\n\n| Tea | Time |\n|---|---|\n| Sencha | **1 min** |\n| 緑茶 | 2 min |\n\n```sh\necho \"**not bold**\"\n\
             ```\n\n---\n\x1b[31mred \x1b]8;;https://evil.org\x07click\n",
        ),
        ("b.md", "A note.\n"),
        (
            "c.md",
            "# Green *tea*\n\n## Cups &amp; pots\n\n### From Kyoto\n\n- so:\n\n  ```sh\n  boil\n  ```\n",
        ),
    ]);
    shows(
        &vault,
        &[COLOURS],
        &["--no-pager", "show", "a"],
        expect![[r#"
            One line,
            and another: C:\\

            [ ] open
            [x] done
              1. first

            │ tip Water
            │ Not too hot, which is what everybody gets wrong the first time they try it.
            │
            │ sh
            │ a **b**

            Tea    │ Time
            ───────┼──────
            Sencha │ 1 min
            緑茶   │ 2 min

            sh
            echo "**not bold**"

            ────────────────────────────────────────
            \u{1b}[31mred \u{1b}]8;;https://evil.org\u{7}click
        "#]],
    );
    shows(
        &vault,
        &[COLOURS],
        &["show", "--raw", "b"],
        expect!["A note."],
    );
    shows(
        &vault,
        &[COLOURS],
        &["show", "c"],
        expect![[r#"
            Green tea

            Cups & pots

            From Kyoto

            • so:

              sh
              boil
        "#]],
    );
    let mut plain = Terminal::start(&vault, SMALL, &["--no-pager", "show", "a"]);
    assert_eq!(plain.end(), 0);
    let screen = plain.contents();
    assert!(screen.contains("| Sencha | **1 min** |"), "{screen}");
}

#[test]
fn long_output_is_paged() {
    let lines: Vec<String> = (1..=60).map(|number| format!("line {number}")).collect();
    let lines = lines.join("\n") + "\n";
    let vault = TestVault::of([("long.md", lines.as_str()), ("short.md", "one line\n")]);
    let pager = vault.path("pager");
    fs::write(&pager, "#!/bin/sh\necho paged by \"$1\"\ntail -n 2\n").unwrap();
    let chmod = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(&pager, chmod).unwrap();
    let command = format!("{} me", pager.display());
    let own = [("MEM_PAGER", command.as_str())];
    let screen = |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut terminal = Terminal::with(&vault, SMALL, arguments, variables);
        assert_eq!(terminal.end(), 0);
        terminal.contents()
    };
    assert_eq!(
        screen(&own, &["show", "long"]),
        "paged by me\nline 59\nline 60\n"
    );
    assert_eq!(screen(&own, &["show", "short"]), "one line\n");
    let whole = screen(&own, &["--no-pager", "show", "long"]);
    assert!(
        whole.starts_with("line 38\n") && whole.ends_with("line 60\n"),
        "{whole}"
    );
    for missing in ["/no/such/pager", "", "cat"] {
        assert_eq!(
            screen(&[("MEM_PAGER", missing)], &["show", "long"]),
            whole,
            "{missing}"
        );
    }
    // Colours are passed through, whatever options the user sets for `less`.
    for (less, expected) in [("-M", "-R -M"), ("", "-R")] {
        let variables = [("MEM_PAGER", "echo $LESS #"), ("LESS", less)];
        assert_eq!(screen(&variables, &["show", "long"]).trim(), expected);
    }
    // A pager that reads nothing is not an error.
    assert_eq!(screen(&[("MEM_PAGER", "true")], &["show", "long"]), "\n");
}
