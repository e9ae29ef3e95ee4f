//! `mem append`

use std::process::{Command, Stdio};

use std::fs;
use std::path::Path;

use expect_test::expect;
use serde_json::Value;

use crate::support::terminal::Terminal;
use crate::support::{MEM, TestVault};

const PLAN: &str = "---\r\ntitle: Release plan\r\n---\r\n# Release plan\r\n\r\n## Tasks\r\n- [ ] Build\r\n\r\n## Notes\r\nOld.";

fn vault() -> TestVault {
    TestVault::of([
        ("work/plan.md", PLAN),
        ("twice.md", "## A\n\n## B\n\n## A\n"),
        ("open.md", "Text.\n\n```\ncode\n"),
    ])
}

#[test]
fn text_is_appended_and_undone() {
    let vault = vault();
    vault
        .run([
            "append",
            "Release plan",
            "- [ ] Tell support",
            "--under",
            "tasks",
        ])
        .stdout(expect!["added to work/plan.md under `tasks`"])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    vault
        .run(["append", "work/plan", "New", "words."])
        .stdout(expect!["added to work/plan.md"])
        .stderr(expect!["hint: undo with `mem undo 757y`"])
        .code(0);
    let after = PLAN
        .replace("Build\r\n", "Build\r\n- [ ] Tell support\r\n")
        .replace("Old.", "Old.\r\n\r\nNew words.");
    assert_eq!(vault.read("work/plan.md"), after);
    vault
        .run(["search", "support", "--mode", "lexical"])
        .stdout(expect![[r#"
            work/plan.md:8  Release plan
              Tell support
        "#]])
        .code(0);
    vault
        .run(["history"])
        .stdout(expect![[r#"
        757y  just now  append work/plan.md
        757x  just now  append work/plan.md
    "#]])
        .code(0);
    for _ in 0..2 {
        assert_eq!(vault.run(["undo"]).raw().code, 0);
    }
    assert_eq!(vault.read("work/plan.md"), PLAN);
}

#[test]
fn missing_heading_is_created_and_preview_writes_nothing() {
    let vault = vault();
    vault
        .run(["append", "--dry-run", "twice", "text", "--under", "C"])
        .stdout(expect![[r#"
            would add to twice.md under the new heading `## C`
            --- a/twice.md
            +++ b/twice.md
            @@ -4,2 +4,6 @@
            ␠
             ## A
            +
            +## C
            +
            +text
        "#]])
        .stderr(expect![""])
        .code(0);
    let record: Value = vault
        .run(["append", "twice", "text", "--under", "## C", "--json", "-q"])
        .json(0);
    assert_eq!(record["groups"][0]["outcome"], "applied");
    assert_eq!(
        vault.read("twice.md"),
        "## A\n\n## B\n\n## A\n\n## C\n\ntext\n"
    );
}

#[test]
fn ambiguous_or_missing_headings_are_refused() {
    let vault = vault();
    vault
        .run(["append", "twice", "text", "--under", "A"])
        .stderr(expect![[r#"
            error: `twice.md` has 2 headings `A`: lines 1, 5
            hint: if their levels differ, add the level: `--under '## A'`
        "#]])
        .code(2);
    vault
        .run(["append", "open", "text"])
        .stderr(expect![[r#"
            error: `open.md` opens ``` in line 3 and never closes it; the text would become part of it
            hint: close it: `mem edit open.md`
        "#]])
        .code(2);
    vault
        .run(["append", "open", " "])
        .stderr(expect![[r#"
            error: nothing to add: the text is empty
            hint: `mem append NOTE TEXT`, or `mem append NOTE -` to read stdin
        "#]])
        .code(2);
    vault
        .run(["append", "nothing", "text"])
        .stderr(expect![[r#"
            error: no note matches `nothing`
            hint: search the notes with `mem search nothing`
        "#]])
        .code(2);
    assert_eq!(vault.read("open.md"), "Text.\n\n```\ncode\n");
}

#[test]
fn concurrent_appends_are_all_written() {
    let vault = vault();
    let added: Vec<_> = (0..8)
        .map(|number| {
            let mut command = Command::new(MEM);
            vault.prepare(&mut command);
            let text = format!("- item {number}");
            let command = command.args(["append", "-q", "--daily", &text]);
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut one in added {
        assert!(one.wait().unwrap().success());
    }
    let text = vault.read("2026-04-01.md");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let expected: Vec<String> = (0..8).map(|number| format!("- item {number}")).collect();
    assert_eq!(lines, expected);
}

#[test]
fn daily_note_follows_obsidian_settings() {
    let vault = vault();
    vault
        .run(["daily", "-p"])
        .stdout(expect!["2026-04-01.md"])
        .stderr(expect![""])
        .code(0);
    vault.write(
        ".obsidian/daily-notes.json",
        r#"{"folder": "days", "format": "YYYY/MMMM Do", "template": "day"}"#,
    );
    vault.write(
        "day.md",
        "# {{date:dddd}} {{title}}\n\n## Log\n{{date:gggg}}\n",
    );
    vault
        .run(["append", "--daily", "Met", "Anna", "--under", "log"])
        .stdout(expect![[r#"
            added to days/2026/April 1st.md under `log`
        "#]])
        .stderr(expect![[r#"
            warning: `{{date:gggg}}` in the template is not supported and was left unchanged
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault
        .run(["append", "-d", "- Tea"])
        .stdout(expect!["added to days/2026/April 1st.md"])
        .stderr(expect!["hint: undo with `mem undo 757y`"])
        .code(0);
    expect![[r#"
        # Wednesday April 1st

        ## Log
        {{date:gggg}}

        Met Anna

        - Tea
    "#]]
    .assert_eq(&vault.read("days/2026/April 1st.md"));
    vault
        .run(["daily", "-p", "last", "monday"])
        .stdout(expect!["days/2026/March 30th.md"])
        .stderr(expect![""])
        .code(0);
    assert!(!vault.path("days/2026/March 30th.md").exists());
    vault
        .run(["daily", "last", "week"])
        .stderr(expect![[r#"
            error: `last week` is not a day
            hint: a day is `yesterday`, `last monday`, `3 days ago` or 2026-01-31
        "#]])
        .code(2);
    vault
        .run(["config", "daily.name", "YYYY-MM-DD", "--vault"])
        .stderr(expect![[r#"
            error: `daily.name` cannot be "YYYY-MM-DD"; it takes a path like "%Y/%Y-%m-%d", in the language of `date`
        "#]])
        .code(2);
    vault
        .run(["config", "daily.name", "%Y-%m-%d", "--vault", "-q"])
        .code(0);
    vault
        .command(["daily"])
        .env("EDITOR", "echo Typed >>")
        .run()
        .stdout(expect!["edited days/2026-04-01.md"])
        .stderr(expect![[r#"
            warning: `{{date:gggg}}` in the template is not supported and was left unchanged
            hint: undo with `mem undo 7580`
        "#]])
        .code(0);
    assert!(vault.read("days/2026-04-01.md").ends_with("Typed\n"));
    for _ in 0..3 {
        assert_eq!(vault.run(["undo"]).raw().code, 0);
    }
    assert!(!vault.path("days/2026/April 1st.md").exists());
    vault.write(".obsidian/daily-notes.json", r#"{"format": "gggg-ww"}"#);
    vault
        .run(["config", "daily.name", "--vault", "--unset", "-q"])
        .code(0);
    vault
        .run(["daily", "-p"])
        .stderr(expect![[r#"
        error: `.obsidian/daily-notes.json` has the format `gggg-ww`; mem does not support `gggg`
        hint: use a `strftime` pattern: `mem config daily.name '%Y-%m-%d'`
    "#]])
        .code(2);
}

#[test]
fn typed_text_survives_failures() {
    let vault = TestVault::indexed("sample");
    fs::write(vault.path("Twice.md"), "# Log\n").unwrap();
    let twice = format!(
        "echo '# Log' >> '{}'; echo 'two hours of work' > ",
        vault.path("Twice.md").display()
    );
    for (editor, arguments) in [
        (&*twice, &["append", "Twice", "--under", "Log"][..]),
        (
            "bad() { echo 'two hours of work' > \"$1\"; false; }; bad ",
            &["remember"],
        ),
    ] {
        let mut terminal = Terminal::with(&vault, [200, 24], arguments, &[("EDITOR", editor)]);
        assert_eq!(terminal.end(), 2);
        let screen = terminal.contents();
        let (_, kept) = screen.split_once("the text was saved to `").unwrap();
        let (kept, _) = kept.split_once('`').unwrap();
        let home = vault.home("");
        let kept = kept.replace("$TEMP", home.parent().unwrap().to_str().unwrap());
        let text = fs::read_to_string(&kept).unwrap_or_else(|error| panic!("{kept}: {error}"));
        assert_eq!(text, "two hours of work\n");
        fs::remove_file(kept).unwrap();
    }
    let mut terminal = Terminal::with(&vault, [80, 24], &["append", "Home"], &[("EDITOR", "true")]);
    assert_eq!(terminal.end(), 2);
    let expected = "error: nothing was saved in the editor; the note is unchanged";
    assert_eq!(terminal.contents().trim(), expected);
    // Two such headings exist now, which is reported before the editor opens.
    let editor = [("EDITOR", "echo open; echo text > ")];
    let mut terminal = Terminal::with(&vault, [80, 24], &["append", "Twice", "-u", "Log"], &editor);
    assert_eq!(terminal.end(), 2);
    assert!(
        !terminal.contents().contains("open"),
        "{}",
        terminal.contents()
    );
}

#[test]
fn a_new_note_is_edited_beside_its_place() {
    let vault = TestVault::of([("sub/a.md", "x\n")]);
    let editor = [("EDITOR", "echo \"$1\" > seen; echo text >> ")];
    for (typed, note, folder) in [
        ("sub/idea", "sub/idea.md", "sub"),
        ("AC/DC", "ac-dc.md", ""),
    ] {
        let mut terminal = Terminal::with(&vault, [80, 24], &["new", typed], &editor);
        assert_eq!(terminal.end(), 0, "{}", terminal.contents());
        assert!(vault.read(note).ends_with("text\n"), "{note}");
        let seen = vault.read("seen");
        let file = Path::new(seen.trim());
        assert_eq!(file.parent().unwrap(), vault.path(folder), "{seen}");
        assert_eq!(file.extension().unwrap(), "md", "{seen}");
        assert!(!file.exists(), "{seen}");
    }
}

#[test]
fn daily_template_and_text_are_one_run() {
    let vault = TestVault::of([("a.md", "x\n"), ("day.md", "# {{title}}\n")]);
    vault
        .run(["config", "daily.template", "day", "--vault", "-q"])
        .code(0);
    vault
        .run(["config", "daily.folder", "days", "--vault", "-q"])
        .code(0);
    let before = vault.tree();
    let daily = |editor: &str| vault.command(["daily"]).env("EDITOR", editor).run();
    daily("echo Typed >>")
        .stdout(expect!["edited days/2026-04-01.md"])
        .stderr(expect!["hint: undo with `mem undo 757y`"])
        .code(0);
    vault
        .run(["history", "-q"])
        .stdout(expect!["757y  just now  daily days/2026-04-01.md"])
        .code(0);
    vault
        .run(["undo"])
        .stdout(expect![[r#"
            undid daily days/2026-04-01.md (just now)
        "#]])
        .stderr(expect!["hint: redo with `mem undo 757z`"])
        .code(0);
    assert_eq!(vault.tree(), before);
    assert_eq!(vault.run(["undo", "757z"]).raw().code, 0);
    assert_eq!(vault.read("days/2026-04-01.md"), "# 2026-04-01\nTyped\n");
    assert_eq!(vault.run(["undo"]).raw().code, 0);
    daily("true")
        .stdout(expect!["created days/2026-04-01.md"])
        .stderr(expect!["hint: undo with `mem undo 7582`"])
        .code(0);
    assert_eq!(vault.run(["undo"]).raw().code, 0);
    assert_eq!(vault.tree(), before);
}

#[test]
fn lone_carriage_return_ends_a_line() {
    let vault = TestVault::of([("n.md", "# A\rb\n\n# C\n")]);
    vault
        .run(["-q", "append", "n", "text"])
        .stdout(expect!["added to n.md"])
        .code(0);
    vault.assert_text(
        "n.md",
        expect![[r#"
        # A␍b

        # C

        text
    "#]],
    );
}
