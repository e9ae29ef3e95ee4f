//! `mem` without arguments at a terminal, and `mem pick`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use expect_test::{Expect, expect};
use rexpect::process::Signal;

use crate::support::expected::ExpectedText;
use crate::support::terminal::Terminal;
use crate::support::{MEM, TestVault};

const SMALL: [u16; 2] = [80, 24];

/// Environment with an editor that records its arguments and appends a line to the note.
fn surroundings(vault: &TestVault) -> [(&'static str, String); 2] {
    let (editor, words) = (vault.home("vim"), vault.home("words"));
    let script = format!(
        "#!/bin/sh\necho \"$@\" > {}\nfor last; do :; done\necho 'by hand' >> \"$last\"\n",
        words.display()
    );
    fs::write(&editor, script).unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let editor = editor.to_str().unwrap().to_owned();
    [("NO_COLOR", "1".to_owned()), ("EDITOR", editor)]
}

fn start(vault: &TestVault) -> Terminal<'_> {
    let surroundings = surroundings(vault);
    let surroundings = surroundings
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let mut terminal = Terminal::with(vault, SMALL, &[], &surroundings);
    terminal.wait_for("Home.md");
    terminal
}

#[track_caller]
fn shows(terminal: &Terminal<'_>, expected: Expect) {
    ExpectedText::from(expected).compare("the screen", &terminal.contents());
}

#[test]
fn name_matches_precede_text_matches() {
    let vault = TestVault::indexed("sample");
    let mut terminal = start(&vault);
    terminal.press("water");
    terminal.wait_for("Watering");
    shows(
        &terminal,
        expect![[r#"
            > water                                                                  2 of 41
            > Water temperature  tea/Water temperature.md
              Watering  garden/Watering.md








            ── tea/Water temperature.md ────────────────────────────────────────────────────
            ## Table

            | tea | [water] | first infusion |
            |---|---|---|
            | gyokuro | 55 °C | 2 min |
            | sencha | 70 °C | 1 min |
            | oolong | 90 °C | 45 s |
            | pu-erh | 98 °C | 20 s |
            | black | boiling | 4 min |

            ## Without a thermometer
            Enter open  ^N new note  ^Y copy link  ^R related  Esc leave
        "#]],
    );
    terminal.press("\x1b");
    assert_eq!(terminal.end(), 1);
}

#[test]
fn enter_opens_the_note_at_the_match() {
    let vault = TestVault::indexed("sample");
    let mut terminal = start(&vault);
    terminal.press("forgiving leaf");
    terminal.wait_for(".md:6 ");
    terminal.press("\r");
    assert_eq!(terminal.end(), 0);
    shows(
        &terminal,
        expect![[r#"
            edited tea/Green tea (conflicted copy 2026-03-02).md
            hint: undo with `mem undo 757x`
        "#]],
    );
    let words = fs::read_to_string(vault.home("words")).unwrap();
    assert!(
        words.starts_with("+6 ")
            && words.ends_with("/tea/Green tea (conflicted copy 2026-03-02).md\n"),
        "{words}"
    );
}

#[test]
fn keys_show_related_notes_and_copy_a_link() {
    let vault = TestVault::indexed("sample");
    let mut terminal = start(&vault);
    terminal.press("compost\x12");
    terminal.wait_for("around Compost>");
    shows(
        &terminal,
        expect![[r#"
            around Compost>                                                                3
            > Green tea  tea/Green tea (conflicted copy 2026-03-02).md
              2026-03-14  daily/2026-03-14.md
              Sourdough  recipes/Sourdough.md







            ── tea/Green tea (conflicted copy 2026-03-02).md ───────────────────────────────
            Sencha is forgiving about the leaf and merciless about the water. What works in
            my kitchen:

            1. Let the kettle boil, then pour the water into a cold mug and from there into
            the pot. Each pour takes about ten degrees off.
            2. Four grams of leaf for a small pot, water at 70 °C, one minute.
            3. The second infusion is the best one: 75 °C and only twenty seconds.

            Bitter means too hot. Thin means too short, not too little leaf. See [[Water
            temperature]] for the other kinds.

            Enter open  ^N new note  ^Y copy link  ^R related  Esc back
        "#]],
    );
    terminal.press("\x1b");
    terminal.wait_for("> compost");
    terminal.press(" heap");
    terminal.wait_for("[heap]");
    terminal.press("\x19");
    assert_eq!(terminal.end(), 0);
    shows(
        &terminal,
        expect![[r#"
        [[Compost]]
        copied, if your terminal allows programs to copy
    "#]],
    );
}

#[test]
fn missing_note_is_created() {
    let vault = TestVault::indexed("sample");
    let mut terminal = start(&vault);
    terminal.press("Oolong\x0e");
    assert_eq!(terminal.end(), 0);
    shows(
        &terminal,
        expect![[r#"
        Oolong.md
        hint: undo with `mem undo 757x`
    "#]],
    );
    let note = fs::read_to_string(vault.path("Oolong.md")).unwrap();
    assert!(note.ends_with("by hand\n"), "{note}");

    let mut terminal = Terminal::with(&vault, SMALL, &[], &[("EDITOR", "true")]);
    terminal.wait_for("Home.md");
    terminal.press("Assam\x0e");
    assert_eq!(terminal.end(), 2);
    shows(
        &terminal,
        expect![[r#"
        error: nothing was saved in the editor; no note was written
    "#]],
    );
    assert!(!vault.path("assam.md").exists());
}

#[test]
fn deleted_note_is_not_opened() {
    let vault = TestVault::indexed("sample");
    let mut terminal = start(&vault);
    terminal.press("Compost");
    terminal.wait_for("> Compost  garden/Compost.md");
    fs::remove_file(vault.path("garden/Compost.md")).unwrap();
    terminal.press("\r");
    terminal.wait_for("no longer exists");
    terminal.press("\x1b");
    assert_eq!(terminal.end(), 1);
}

#[test]
fn picker_fits_every_size() {
    let vault = TestVault::indexed("sample");
    for (size, expected) in [
        (
            [120, 12],
            expect![[r#"
                > te                                                                                                            30 of 41
                > Green tea  Green tea.md                        │ Sencha is forgiving about the leaf and merciless about the wa[te]r.
                  Green tea  tea/Green tea (conflicted copy 202… │ What works in my kitchen:
                  The Book of Tea  books/The Book of Tea.md      │
                  Water temperature  tea/Water temperature.md    │ 1. Let the kettle boil, then pour the wa[te]r into a cold mug and
                  Watering  garden/Watering.md                   │ from there into the pot. Each pour takes about [te]n degrees off.
                  Chose SQLite  work/Chose SQLite.md             │ 2. Four grams of leaf for a small pot, wa[te]r at 70 °C, one
                  Anna prefers short release…  agents/Anna pref… │ minu[te].
                  Anna prefers short release…  agents/Anna pref… │ 3. The second infusion is the best one: 75 °C and only twenty
                  Anna prefers short release…  agents/Anna pref… │ seconds.
                  Oolong  tea/Oolong.md                          │
                Enter pick  ^Y copy link  ^R related  Esc leave
            "#]],
        ),
        (
            [40, 8],
            expect![[r#"
                > te                            30 of 41
                > Green tea  Green tea.md
                  Green tea  tea/Green tea (conflicted …
                  The Book of Tea  books/The Book of Te…
                  Water temperature  tea/Water temperat…
                  Watering  garden/Watering.md
                  Chose SQLite  work/Chose SQLite.md
                Enter pick  ^Y copy link  Esc leave
            "#]],
        ),
        (
            [12, 3],
            expect![[r#"
                > te
                > Green…
                Esc leave
            "#]],
        ),
    ] {
        // Too short for a full-text search.
        let mut terminal = Terminal::start(&vault, size, &["pick", "te"]);
        // The smallest screen shows no count; fuzzy matches come after word matches.
        terminal.wait_for(if size[0] > 20 { "30 of 41" } else { "Gr" });
        shows(&terminal, expected);
        terminal.press("\x03");
        assert_eq!(terminal.end(), 130);
    }
}

#[test]
fn picked_path_is_printed_to_a_pipe() {
    let vault = TestVault::indexed("sample");
    let script = format!("picked=$({MEM} pick tea -m -0 | tr '\\0' ';'); echo \"got $picked\"");
    let words = ["sh", "-c", &script];
    let mut terminal = Terminal::program(&vault, SMALL, &words, &[("NO_COLOR", "1")]);
    terminal.wait_for("Green tea");
    terminal.press("\t\t\r");
    terminal.wait_for("got ");
    assert_eq!(terminal.end(), 0);
    shows(
        &terminal,
        expect![[r#"
            got Green tea.md;tea/Green tea (conflicted copy 2026-03-02).md;
        "#]],
    );
}

#[test]
fn signal_restores_the_terminal() {
    let vault = TestVault::indexed("sample");
    let mut terminal = start(&vault);
    terminal.signal(Signal::SIGTERM);
    assert_eq!(terminal.end(), 128 + 15);
}

#[test]
fn help_is_printed_without_a_terminal() {
    let vault = TestVault::indexed("sample");
    vault
        .run::<&str>([])
        .stdout(expect![""])
        .stderr(expect![[r#"
            Maintains a directory of Markdown notes

            Usage: mem [OPTIONS] [COMMAND]

            Commands:
              Find      search pick recall list tasks timeline resurface
              Read      show outline related graph extract why
              Write     new remember import append daily edit mv merge tag rm restore trash
                        confirm reinforce
              Maintain  sleep sync review undo history watch judge rules
              Jobs      index dedupe conflicts link spaces associate cluster consolidate
                        split decay forget views settle score
              Set up    demo init status doctor config presets completions help
              Agents    agent audit context hook mcp
              Editors   lsp
              Git       git merge-file

            Options:
              -C, --dir <DIR>  Use the vault in this folder or above it; repeat it to search several vaults with
                               `search`, `recall` and `timeline` [env: MEM_VAULT]
                  --json       Print one JSON document; errors are JSON, too
              -h, --help       Print help (see more with '--help')
              -V, --version    Print version

            `mem` alone finds a note as you type; `mem help COMMAND` explains a command.
            error: no command was given
        "#]])
        .code(2);
    let elsewhere = vault.run(["-C", "/"]).raw().stderr;
    assert!(elsewhere.contains("hint: `mem demo` shows"), "{elsewhere}");
    vault
        .run(["--json"])
        .stdout(expect![""])
        .stderr(expect![[r#"
            {"error":{"causes":[],"hints":["`mem --help` lists them"],"message":"no command was given"}}
        "#]])
        .code(2);
    vault
        .run(["pick"])
        .stdout(expect![""])
        .stderr(expect![[r#"
            error: mem pick needs a terminal
            hint: `mem search WORDS -0` and `mem list -0` print paths without asking
        "#]])
        .code(2);
}

#[test]
fn resize_redraws_immediately() {
    let vault = TestVault::indexed("sample");
    let mut terminal = start(&vault);
    terminal.press("oolong");
    terminal.wait_for("── tea/Oolong.md");
    terminal.resize([30, 6]);
    terminal.wait_for("1 of 41\n> Oolong");
    shows(
        &terminal,
        expect![[r#"
            > oolong               1 of 41
            > Oolong  tea/Oolong.md



            Enter open  Esc leave
        "#]],
    );
    terminal.press("\x1b");
    assert_eq!(terminal.end(), 1);
}

#[test]
fn early_keys_are_queued() {
    let vault = TestVault::indexed("sample");
    let surroundings = surroundings(&vault);
    let surroundings = surroundings
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let mut terminal = Terminal::with(&vault, SMALL, &[], &surroundings);
    // No note has this name, so only full text matches.
    terminal.wait_for("Esc leave");
    terminal.press("forgiving leaf\r");
    assert_eq!(terminal.end(), 0);
    let words = fs::read_to_string(vault.home("words")).unwrap();
    assert!(words.starts_with("+6 "), "{words}");
}

#[test]
fn keys_without_a_target_do_nothing() {
    let vault = TestVault::indexed("sample");
    let mut terminal = start(&vault);
    terminal.press("qqqxxx\r");
    terminal.wait_for("0 of 41");
    terminal.press("\x19\x12\x1b");
    assert_eq!(terminal.end(), 1);
}

#[test]
fn quitting_does_not_wait_for_the_index() {
    let vault = TestVault::indexed("sample");
    // A rebuild waits for the lock.
    let lock = fs::File::open(vault.cache().join("lock")).unwrap();
    lock.lock().unwrap();
    fs::remove_file(vault.cache().join("current")).unwrap();
    let mut terminal = Terminal::start(&vault, SMALL, &[]);
    terminal.wait_for("reading the notes …");
    terminal.press("tea\r");
    terminal.wait_for("> tea");
    terminal.press("\x1b");
    assert_eq!(terminal.end(), 1);
}

#[test]
fn damaged_index_is_rebuilt() {
    let vault = TestVault::indexed("sample");
    let folder = vault.index();
    for file in fs::read_dir(&folder).unwrap() {
        let file = file.unwrap().path();
        if file.is_file() {
            fs::write(file, "no index").unwrap();
        }
    }
    let mut terminal = start(&vault);
    terminal.press("oolong");
    terminal.wait_for("1 of 41");
    terminal.press("\x1b");
    assert_eq!(terminal.end(), 1);
}

#[test]
fn suspend_and_resume_restore_the_terminal() {
    let vault = TestVault::indexed("sample");
    let words = ["bash", "--norc", "--noprofile", "-i"];
    let surroundings = [("NO_COLOR", "1"), ("PS1", "shell> "), ("EDITOR", "true")];
    let mut terminal = Terminal::program(&vault, SMALL, &words, &surroundings);
    terminal.wait("shell>");
    terminal.press(&format!("{MEM}\r"));
    terminal.wait_for("Home.md");
    terminal.press("\x1a");
    terminal.wait_for("Stopped");
    terminal.press("fg\r");
    terminal.wait_for("Home.md");
    // The picker reads single keys again.
    terminal.press("oolong");
    terminal.wait_for("1 of 41");
    terminal.press("\x1b");
    terminal.wait("shell>");
    terminal.press("exit\r");
    assert_eq!(terminal.end(), 1);
}

#[test]
fn wide_characters_stay_in_their_row() {
    let vault = TestVault::of([
        (
            "a.md",
            "---\ntitle: \"evil \\e[2J\\u202e\"\n---\n\u{1b}[31mred\u{202e}\n",
        ),
        (
            "b.md",
            "# 緑茶と紅茶の淹れ方についての長い長い長い長い長い題名\n",
        ),
        ("c.md", "---\ntitle: 緑茶\n---\n緑茶は七十度。\n"),
    ]);
    // Notes changed at the same time are ordered by path.
    for path in ["a.md", "b.md", "c.md"] {
        let file = fs::File::open(vault.path(path)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000))
            .unwrap();
    }
    let outcome = vault.run(["--quiet", "index"]).raw();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let mut terminal = Terminal::start(&vault, [40, 14], &["pick"]);
    terminal.wait_for("evil");
    shows(
        &terminal,
        expect![[r#"
            >                                      3
            > evil \u{1b}[2J\u{202e}  a.md
              緑茶と紅茶の淹れ方に…  b.md
              緑茶  c.md


            ── a.md ────────────────────────────────
            \u{1b}[31mred\u{202e}





            Enter pick  ^Y copy link  Esc leave
        "#]],
    );
    // A word of two characters searches the texts, too.
    terminal.press("七十");
    terminal.wait_for("[七十]");
    shows(
        &terminal,
        expect![[r#"
            > 七十                            1 of 3
            > 緑茶  緑茶は[七十]度。




            ── c.md:4 ──────────────────────────────
            緑茶は[七十]度。





            Enter pick  ^Y copy link  Esc leave
        "#]],
    );
    terminal.press("\x03");
    assert_eq!(terminal.end(), 130);
}

#[test]
fn no_color_is_respected() {
    let vault = TestVault::indexed("sample");
    let script = "\"$0\" --color never pick compost heap | cat";
    let mut terminal = Terminal::program(&vault, SMALL, &["sh", "-c", script, MEM], &[]);
    terminal.wait_for("[heap]");
    terminal.press("\x1b");
    assert_eq!(terminal.end(), 0);
}
