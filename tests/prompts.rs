//! Prompts at a terminal: confirmations and choices. Those of `mem init` and `mem review` are in
//! their tests.

use std::fs;
use std::process::Stdio;

use expect_test::expect;
use rexpect::process::Signal;

use crate::support::terminal::Terminal;
use crate::support::{MEM, TestVault};

/// A vault with two notes of one name, and one in the trash.
fn vault() -> TestVault {
    let vault = TestVault::of([
        ("home/plan.md", "Paint the fence.\n"),
        ("old.md", "Sell the car.\n"),
        (
            "work/plan.md",
            "---\ntags: [q2]\n---\n# Plan\n\nShip it in May.\n",
        ),
    ]);
    vault.run(["-q", "rm", "old"]).raw();
    vault
}

const EMPTY: &str = "[y/N]";
const WHICH: &str = "  work/plan.md  Ship it in May.";

#[test]
fn confirmation_takes_one_key() {
    for (keys, code, is_deleted) in [
        ("y", 0, true),
        ("xY", 0, true),
        ("n", 0, false),
        ("\r", 0, false),
        ("\x1b", 0, false),
        ("q", 0, false),
        ("\x03", 130, false),
    ] {
        let vault = vault();
        let before = vault.whole_tree();
        let mut terminal = Terminal::start(&vault, [40, 12], &["trash", "empty"]);
        terminal.wait(EMPTY);
        assert_eq!(
            terminal.contents(),
            "delete 1 note from the trash?\n(afterwards only `mem undo RUN`\ncan restore them) [y/N]\n",
            "each row once"
        );
        terminal.press(keys);
        assert_eq!(terminal.end(), code, "{keys:?}");
        let screen = terminal.contents();
        assert_eq!(screen.matches("delete 1 note").count(), 1, "{screen}");
        let is_said = screen.contains("nothing was deleted");
        assert_eq!(is_said, code == 0 && !is_deleted, "{screen}");
        if !is_deleted {
            before.assert_same(&vault.whole_tree());
        }
    }
}

#[test]
fn one_of_several_notes_is_chosen() {
    let vault = vault();
    for (keys, code, end) in [
        (
            "\r",
            0,
            "Which `plan`? home/plan.md  Paint the fence.\nPaint the fence.\n",
        ),
        ("\x1b[B\r", 0, "Ship it in May.\n"),
        ("jkj ", 0, "Ship it in May.\n"),
        ("\x1b[A\r", 0, "Ship it in May.\n"),
        ("\x1b", 2, "hint:   home/plan.md\nhint:   work/plan.md\n"),
        ("q", 2, "hint:   home/plan.md\nhint:   work/plan.md\n"),
        ("\x03", 130, WHICH),
    ] {
        let mut terminal = Terminal::start(&vault, [60, 12], &["show", "plan", "--raw"]);
        terminal.wait(WHICH);
        assert_eq!(
            terminal.contents(),
            format!("Which `plan`?\n> home/plan.md  Paint the fence.\n{WHICH}\n")
        );
        terminal.press(keys);
        assert_eq!(terminal.end(), code, "{keys:?}");
        let screen = terminal.contents();
        assert!(
            screen.trim_end().ends_with(end.trim_end()),
            "{keys:?}\n{screen}"
        );
    }
}

#[test]
fn one_of_several_notes_in_the_trash_is_chosen() {
    let vault = vault();
    vault.write("old.md", "Sell the bicycle.\n");
    vault.run(["-q", "rm", "old"]).raw();
    let mut terminal = Terminal::start(&vault, [60, 12], &["-q", "restore", "old"]);
    assert_eq!(terminal.end(), 2, "nothing is asked with --quiet");
    let mut terminal = Terminal::start(&vault, [60, 12], &["restore", "old"]);
    terminal.wait("/old.md");
    terminal.press("\r");
    assert_eq!(terminal.end(), 0);
    assert_eq!(
        vault.read("old.md"),
        "Sell the bicycle.\n",
        "the last first"
    );
}

/// dialoguer counts the bytes of an item and redraws as many rows as they would fill.
#[test]
fn long_lists_are_paged_without_wrapping() {
    let vault = TestVault::of([]);
    let folder = |number| format!("{number:02} {}", "茶".repeat(12));
    for number in 0..12 {
        let path = format!("{}/plan.md", folder(number));
        vault.write(&path, &"Green tea. ".repeat(20));
    }
    let [page_1, page_2] = [5, 11].map(|number| format!("  {}/plan.md …", folder(number)));
    let mut terminal = Terminal::start(&vault, [40, 8], &["show", "plan", "--raw"]);
    terminal.wait(&page_1);
    terminal.answer("j", &page_1);
    terminal.answer("\x1b[C", &page_2);
    expect![[r#"
        Which `plan`? [Page 2/2]
        > 06 茶茶茶茶茶茶茶茶茶茶茶茶/plan.md …
          07 茶茶茶茶茶茶茶茶茶茶茶茶/plan.md …
          08 茶茶茶茶茶茶茶茶茶茶茶茶/plan.md …
          09 茶茶茶茶茶茶茶茶茶茶茶茶/plan.md …
          10 茶茶茶茶茶茶茶茶茶茶茶茶/plan.md …
          11 茶茶茶茶茶茶茶茶茶茶茶茶/plan.md …
    "#]]
    .assert_eq(&terminal.contents());
    terminal.answer("k", &page_1.replace("  05", "> 05"));
    terminal.press("\r");
    assert_eq!(terminal.end(), 0);

    // Not paged.
    let mut terminal = Terminal::start(&vault, [40, 24], &["show", "plan", "--raw"]);
    terminal.wait(&page_2);
    let before = terminal.contents();
    for (key, active) in [("j", "> 01"), ("k", "> 00")] {
        terminal.press(key);
        terminal.wait_for(active);
        terminal.wait(&page_2);
    }
    assert_eq!(terminal.contents(), before);
    terminal.press("\x1b");
    assert_eq!(terminal.end(), 2);
    // Three rows are too few for a list.
    let mut terminal = Terminal::start(&vault, [40, 3], &["show", "plan", "--raw"]);
    assert_eq!(terminal.end(), 2);
}

#[test]
fn note_text_is_sanitised_in_prompts() {
    let vault = TestVault::of([]);
    vault.write("a\u{202e}b/plan.md", "\x1b[2J\x1b]0;owned\x07Gone.\n");
    vault.write("c/plan.md", "Red\u{202e}.\n");
    let variables = [("NO_COLOR", "")];
    for variables in [&variables[..], &[("NO_COLOR", "1")]] {
        let mut terminal = Terminal::with(&vault, [80, 12], &["show", "plan"], variables);
        terminal.wait("Red\\u{202e}.");
        expect![[r#"
            Which `plan`? (arrows and Enter; Esc cancels)
            > a\u{202e}b/plan.md  \u{1b}[2J\u{1b}]0;owned\u{7}Gone.
              c/plan.md  Red\u{202e}.
        "#]]
        .assert_eq(&terminal.contents());
        terminal.press("q");
        assert_eq!(terminal.end(), 2);
    }
}

#[test]
fn prompts_respect_colour_settings() {
    let vault = vault();
    for (variables, is_coloured) in [(&[][..], true), (&[("NO_COLOR", "1")], false)] {
        let mut terminal = Terminal::with(&vault, [60, 12], &["show", "plan"], variables);
        terminal.wait(WHICH);
        assert_eq!(terminal.is_styled(), is_coloured);
        terminal.press("q");
        assert_eq!(terminal.end(), 2);
    }
}

#[test]
fn signal_at_a_prompt_restores_the_terminal() {
    let vault = vault();
    let before = vault.whole_tree();
    for (words, shown) in [(["trash", "empty"], EMPTY), (["show", "plan"], WHICH)] {
        for (signal, code) in [
            (Signal::SIGTERM, 143),
            (Signal::SIGINT, 130),
            (Signal::SIGHUP, 129),
        ] {
            let mut terminal = Terminal::start(&vault, [60, 12], &words);
            terminal.wait(shown);
            terminal.wait_without_cursor();
            terminal.signal(signal);
            assert_eq!(terminal.end(), code, "{words:?}");
        }
    }
    before.assert_same(&vault.whole_tree());
}

#[test]
fn ctrl_c_after_a_prompt_reaches_the_pager() {
    let vault = vault();
    vault.write("work/plan.md", &"Ship it in May.\n\n".repeat(40));
    let pager = vault.path("pager");
    let text =
        "#!/bin/sh\ntrap 'echo interrupted' INT\necho reading\nread line < /dev/tty\necho read\n";
    fs::write(&pager, text).unwrap();
    let command = format!("sh {}", pager.display());
    let variables = [("NO_COLOR", "1"), ("MEM_PAGER", command.as_str())];
    let mut terminal = Terminal::with(&vault, [60, 12], &["show", "plan"], &variables);
    terminal.wait(WHICH);
    terminal.press("j\r");
    terminal.wait("reading");
    terminal.press("\x03");
    terminal.wait_for("interrupted");
    terminal.press("\r");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn no_prompts_without_a_terminal() {
    let vault = vault();
    let before = vault.whole_tree();
    // None of the streams is a terminal.
    for stdin in [Stdio::null(), Stdio::from(std::io::pipe().unwrap().0)] {
        let mut command = std::process::Command::new(MEM);
        vault.prepare(&mut command);
        let output = command
            .args(["show", "plan"])
            .stdin(stdin)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
    }
    // One of them is not a terminal.
    for (words, refused) in [
        ("trash empty", "refusing to delete 1 note"),
        ("show plan", "`plan` matches 2 notes"),
        ("restore plan --dry-run", "`plan` matches 2 notes"),
    ] {
        for around in [
            "mem < /dev/null",
            ": | mem",
            "mem 2>&1 | cat",
            "mem 2>err; code=$?; cat err; rm err; exit $code",
            "TERM=dumb mem",
        ] {
            let script = around.replace("mem", &format!("{MEM} {words}"));
            let mut terminal = Terminal::program(&vault, [100, 12], &["sh", "-c", &script], &[]);
            let code = if around.ends_with("cat") { 0 } else { 2 };
            assert_eq!(terminal.end(), code, "{script}");
            let screen = terminal.contents();
            assert!(screen.starts_with(&format!("error: {refused}")), "{screen}");
        }
    }
    before.assert_same(&vault.whole_tree());
    // With stdout redirected there is no choice; a confirmation is still shown.
    let script = format!("{MEM} show plan | cat");
    let mut terminal = Terminal::program(&vault, [100, 12], &["sh", "-c", &script], &[]);
    assert_eq!(terminal.end(), 0);
    assert!(terminal.contents().starts_with("error: `plan` matches"));
    let script = format!("{MEM} --json trash empty > out");
    let mut terminal = Terminal::program(&vault, [100, 12], &["sh", "-c", &script], &[]);
    terminal.wait(EMPTY);
    terminal.press("y");
    assert_eq!(terminal.end(), 0);
    let record: serde_json::Value = serde_json::from_str(&vault.read("out")).unwrap();
    assert_eq!(record["dry_run"], false);
}
