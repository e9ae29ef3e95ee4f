//! Terminal screens, and the effect of each key.

use std::fs;

use expect_test::{Expect, expect};
use rexpect::process::Signal;

use crate::support::TestVault;
use crate::support::expected::ExpectedText;
use crate::support::records::Question;
use crate::support::terminal::Terminal;

const PROMPT: &str = "[y n e d s u a q ?]";
const SMALL: [u16; 2] = [80, 24];
const LARGE: [u16; 2] = [120, 40];

/// Compares the first screen of `mem review` with these arguments.
#[track_caller]
fn asks(vault: &TestVault, size: [u16; 2], arguments: &[&str], expected: Expect) {
    let arguments = [&["review"], arguments].concat();
    let mut terminal = Terminal::start(vault, size, &arguments);
    terminal.wait(PROMPT);
    ExpectedText::from(expected).compare("the screen", &terminal.contents());
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn merge_and_conflict_show_differences() {
    let vault = TestVault::indexed("sample");
    let only = |kind, place| ["--kind", kind, "--where", place];
    let tea = only("merge", "path:tea/");
    asks(
        &vault,
        SMALL,
        &tea,
        expect![[r#"
            Green tea.md becomes
            ~ The shop on Linden Street sells a Yabukita from Shizuoka that is worth the
              money. {+Their autumn harvest is well worth the money, too. +}#sencha

            tea/Green tea (conflicted copy 2026-03-02).md goes to the trash; Green tea.md
            contains all of its text

            links are updated in daily/2026-03-02.md, garden/Compost.md

            reason: same title, 91 % of the wording is the same
            (1/1) Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md?
            [y n e d s u a q ?]
        "#]],
    );
    asks(
        &vault,
        LARGE,
        &tea,
        expect![[r#"
            Green tea.md becomes
            ~ The shop on Linden Street sells a Yabukita from Shizuoka that is worth the money. {+Their autumn harvest is well worth
              the money, too. +}#sencha

            tea/Green tea (conflicted copy 2026-03-02).md goes to the trash; Green tea.md contains all of its text

            links are updated in daily/2026-03-02.md, garden/Compost.md

            reason: same title, 91 % of the wording is the same
            (1/1) Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? [y n e d s u a q ?]
        "#]],
    );
    let server = only("conflict", "path:inbox/");
    asks(
        &vault,
        SMALL,
        &server,
        expect![[r#"
        Dev server  inbox/Dev server.md:6  2026-03-11
          It listens on port [9090], restarts itself when the binary changes and mails
          every error to me

        Dev server  work/Dev server.md:6  2025-11-03
          It listens on port [8080], restarts itself when the binary changes and mails
          every error to me

        reason: “9090” / “8080”; 2026-03-11 is newer than 2025-11-03
        (1/1) Does inbox/Dev server.md replace work/Dev server.md? [y n e d s u a q ?]
    "#]],
    );
    asks(
        &vault,
        LARGE,
        &server,
        expect![[r#"
        Dev server  inbox/Dev server.md:6  2026-03-11
          It listens on port [9090], restarts itself when the binary changes and mails every error to me

        Dev server  work/Dev server.md:6  2025-11-03
          It listens on port [8080], restarts itself when the binary changes and mails every error to me

        reason: “9090” / “8080”; 2026-03-11 is newer than 2025-11-03
        (1/1) Does inbox/Dev server.md replace work/Dev server.md? [y n e d s u a q ?]
    "#]],
    );
}

#[test]
fn link_and_mention_show_their_evidence() {
    let vault = TestVault::indexed("sample");
    let only = |kind, place| ["--kind", kind, "--where", place];
    vault.run(["config", "link.similar", "all"]).raw();
    let weekly = only("link", "path:2026-03-19");
    asks(
        &vault,
        SMALL,
        &weekly,
        expect![[r#"
            Weekly with Anna  work/meetings/2026-03-19 weekly.md:13  2026-03-19
              reminders are live for ten gardens

            Weekly with Anna  work/meetings/2026-03-05 weekly.md:13  2026-03-05
              reminders are half done, the mail text is with Anna

            reason: cosine 0.84, both tagged #meeting #weekly
            (1/2) Link work/meetings/2026-03-19 weekly.md to work/meetings/2026-03-05
            weekly.md? [y n e d s u a q ?]
        "#]],
    );
    let name = only("mention", "path:2026-03-12");
    asks(
        &vault,
        SMALL,
        &name,
        expect![[r#"
        Weekly with Anna  work/meetings/2026-03-12 weekly.md:18  2026-03-12
          ask [Tomasz] about the translation

        Tomasz  people/Tomasz.md
          Gave us the migration script for [[Moved to Postgres]] and asks for tomatoes
          in return: keep him two Black Krim (see [[garden/Tomatoes|this year's plan]]).

        (1/1) Link "Tomasz" in work/meetings/2026-03-12 weekly.md to people/Tomasz.md?
        [y n e d s u a q ?]
    "#]],
    );
    asks(
        &vault,
        LARGE,
        &name,
        expect![[r#"
        Weekly with Anna  work/meetings/2026-03-12 weekly.md:18  2026-03-12
          ask [Tomasz] about the translation

        Tomasz  people/Tomasz.md
          Gave us the migration script for [[Moved to Postgres]] and asks for tomatoes in return: keep him two Black Krim (see
          [[garden/Tomatoes|this year's plan]]).

        (1/1) Link "Tomasz" in work/meetings/2026-03-12 weekly.md to people/Tomasz.md? [y n e d s u a q ?]
    "#]],
    );
}

#[test]
fn different_titles_are_marked() {
    let note = |day: &str, title: &str| {
        let created = format!("created: 2026-{day}T09:00:00Z");
        format!("---\ntitle: {title}\n{created}\n---\n\nElena Rossi: {title}.\n")
    };
    let [new, old] = [
        note("02-02", "Reduced ID verification drop-off from 40% to 18%"),
        note("01-05", "40% drop-off on identity verification"),
    ];
    let vault = TestVault::of([("new.md", &new), ("old.md", &old)]);
    asks(
        &vault,
        SMALL,
        &["--kind", "conflict"],
        expect![[r#"
        [Reduced ID verification] drop-off [from 40% to 18%]  new.md:6  2026-02-02

        [40%] drop-off [on identity verification]  old.md:6  2026-01-05

        reason: “Reduced”: away from “40%” to “18%”; 2026-02-02 is newer than 2026-01-05
        (1/1) Does new.md replace old.md? [y n e d s u a q ?]
    "#]],
    );
}

#[test]
fn names_are_marked_in_colour() {
    let vault = TestVault::indexed("sample");
    let arguments = ["review", "--kind", "mention", "--where", "path:2026-03-12"];
    let mut terminal = Terminal::with(&vault, SMALL, &arguments, &[]);
    terminal.wait(PROMPT);
    assert_eq!(terminal.marked(), "Tomasz");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

/// A sentence of 400 columns in a script with two columns per character.
const WIDE: &str = "この鍵は物置の水樽の後ろに掛かっています。庭師だけが知っています。";

#[test]
fn long_text_is_wrapped_and_elided() {
    let step = |number| format!("{number}. step {number} of how to oil the lock of the shed\n");
    let many = (1..=60).map(step).collect::<Vec<_>>().concat();
    let vault = TestVault::of([
        ("key.md", &format!("❤️ {many}")),
        ("key 1.md", &format!("❤️ {many}\n{}\n", WIDE.repeat(6))),
        ("lock.md", &format!("# Lock\n\n{many}")),
        ("lock 1.md", &format!("# Lock\n\n{many}\n{many}")),
    ]);
    let long = ["--kind", "merge", "--where", "path:lock"];
    let wide = ["--kind", "merge", "--where", "path:key"];
    asks(
        &vault,
        SMALL,
        &long,
        expect![[r#"
        lock.md becomes
          60. step 60 of how to oil the lock of the shed
        + ## Merged from lock 1.md
        + 1. step 1 of how to oil the lock of the shed
        + 2. step 2 of how to oil the lock of the shed
        + 3. step 3 of how to oil the lock of the shed
        + 4. step 4 of how to oil the lock of the shed
        + 5. step 5 of how to oil the lock of the shed
        + 6. step 6 of how to oil the lock of the shed
        + 7. step 7 of how to oil the lock of the shed
        … 106 lines more, d shows all
        + 54. step 54 of how to oil the lock of the shed
        + 55. step 55 of how to oil the lock of the shed
        + 56. step 56 of how to oil the lock of the shed
        + 57. step 57 of how to oil the lock of the shed
        + 58. step 58 of how to oil the lock of the shed
        + 59. step 59 of how to oil the lock of the shed
        + 60. step 60 of how to oil the lock of the shed

        lock 1.md goes to the trash; lock.md contains all of its text

        reason: same title, 99 % of the wording is the same
        (1/2) Merge lock 1.md into lock.md? [y n e d s u a q ?]
    "#]],
    );
    asks(
        &vault,
        SMALL,
        &wide,
        expect![[r#"
            key.md becomes
              60. step 60 of how to oil the lock of the shed
            + ## Merged from key 1.md
            + この鍵は物置の水樽の後ろに掛かっています。庭師だけが知っています。この鍵は物置
              の水樽の後ろに掛かっています。庭師だけが知っています。この鍵は物置の水樽の後ろ
              に掛かっています。庭師だけが知っています。この鍵は物置の水樽の後ろに掛かってい
              ます。庭師だけが知っています。この鍵は物置の水樽の後ろに掛かっています。庭師だ
              けが知っています。この鍵は物置の水樽の後ろに掛かっています。庭師だけが知ってい
              ます。

            key 1.md goes to the trash; key.md contains all of its text

            reason: 91 % of the wording is the same
            (1/2) Merge key 1.md into key.md? [y n e d s u a q ?]
        "#]],
    );
}

#[test]
fn searches_fit_the_screen() {
    let vault = TestVault::indexed("sample");
    for (size, expected) in [
        (
            SMALL,
            expect![[r#"
                Green tea.md:6
                  Sencha is forgiving about the leaf and merciless about the water. What works
                  in my kitchen:
                tea/Green tea (conflicted copy 2026-03-02).md:6  Green tea
                  Sencha is forgiving about the leaf and merciless about the water. What works
                  in my kitchen:
                books/The Book of Tea.md:8
                  …little vain, and right about emptiness: a room is useful because of what is
                  not in it. Read half of it on the train, with a flask of Green tea.
                daily/2026-03-02.md:4
                  …tea shelf and edited the tea note on both machines before they had synced, so
                  now there is Green tea (conflicted copy 2026-03-02) next to Green…
                garden/Compost.md:5
                  Used tea leaves go in, also those of the good green tea. Eggshells do nothing,
                  but I like them.
                5 of 9 notes; `-n N` shows more
            "#]],
        ),
        (
            LARGE,
            expect![[r#"
                Green tea.md:6
                  Sencha is forgiving about the leaf and merciless about the water. What works in my kitchen:
                tea/Green tea (conflicted copy 2026-03-02).md:6  Green tea
                  Sencha is forgiving about the leaf and merciless about the water. What works in my kitchen:
                books/The Book of Tea.md:8
                  Thin, a little vain, and right about emptiness: a room is useful because of what is not in it. Read half of it on the
                  train, with a flask of Green tea.
                daily/2026-03-02.md:4
                  …the tea shelf and edited the tea note on both machines before they had synced, so now there is Green tea (conflicted
                  copy 2026-03-02) next to Green tea. To be…
                garden/Compost.md:5
                  Used tea leaves go in, also those of the good green tea. Eggshells do nothing, but I like them.
                5 of 9 notes; `-n N` shows more
            "#]],
        ),
    ] {
        let mut terminal = Terminal::start(&vault, size, &["search", "green tea", "-n", "5"]);
        assert_eq!(terminal.end(), 0);
        ExpectedText::from(expected).compare("the screen", &terminal.contents());
    }
}

#[test]
fn heads_take_one_row_and_passages_break_between_words() {
    let vault = TestVault::empty();
    vault.write(
        "guides/in over our heads.md",
        "# In over our heads: the mental demands of the modern life of everybody\n\n## Of bicycles\n\n\
         What keeps a bicycle quiet is oil on its chain, wax on its cables and, above all, a rider who listens to it.\n",
    );
    vault.run(["-q", "index"]).raw();
    let question = "what keeps a bicycle quiet";
    for (command, expected) in [
        (
            "search",
            expect![[r#"
        guides/in over our heads.md:5  In over our heads: the mental demands of the mod…
          What keeps a bicycle quiet is oil on its chain, wax on its cables and, above
          all, a rider who listens to it.
    "#]],
        ),
        (
            "recall",
            expect![[r#"
        ## guides/in over our heads.md:1 In over our heads: the mental demands of the
        modern life of everybody > Of bicycles
        # In over our heads: the mental demands of the modern life of everybody

        ## Of bicycles

        What keeps a bicycle quiet is oil on its chain, wax on its cables and, above
        all, a rider who listens to it.
    "#]],
        ),
    ] {
        let mut terminal = Terminal::start(&vault, SMALL, &[command, question]);
        assert_eq!(terminal.end(), 0);
        ExpectedText::from(expected).compare("the screen", &terminal.contents());
    }
    let pager = [("MEM_PAGER", "cat > /dev/null; echo paged")];
    let mut terminal = Terminal::with(&vault, [40, 5], &["recall", question], &pager);
    assert_eq!(terminal.end(), 0);
    assert_eq!(terminal.contents(), "paged\n");
}

/// Three notes, each with a copy of its text.
fn copies() -> TestVault {
    let texts = [
        "The key of the shed hangs behind the water barrel on the left.\n",
        "The lamp over the stairs takes the small bulb of the cellar.\n",
        "Green tea is steeped for two minutes at seventy degrees, no longer.\n",
    ];
    let kept = texts.map(|text| format!("---\ntags: [house]\n---\n{text}"));
    TestVault::of([
        ("key.md", &kept[0]),
        ("key 1.md", texts[0]),
        ("lamp.md", &kept[1]),
        ("lamp 1.md", texts[1]),
        ("tea.md", &kept[2]),
        ("tea 1.md", texts[2]),
    ])
}

fn open(vault: &TestVault) -> usize {
    vault.run(["review", "--jsonl"]).jsonl::<Question>(0).len()
}

fn walk(vault: &TestVault) -> Terminal<'_> {
    let mut terminal = Terminal::start(vault, LARGE, &["review", "--kind", "merge"]);
    terminal.wait(PROMPT);
    terminal
}

/// Compares the last lines of the screen.
#[track_caller]
fn ends_with(terminal: &Terminal<'_>, expected: &str) {
    let screen = terminal.contents();
    assert!(screen.trim_end().ends_with(expected), "{screen}");
}

/// Asserts that `text` is on the screen.
#[track_caller]
fn shows(terminal: &Terminal<'_>, text: &str) {
    let screen = terminal.contents();
    assert!(screen.contains(text), "no `{text}` on\n{screen}");
}

#[test]
fn yes_no_skip_and_repeated_undo() {
    let vault = copies();
    let before = vault.tree();
    let mut terminal = walk(&vault);
    shows(&terminal, "(1/3) Merge");
    terminal.answer("u", PROMPT);
    shows(&terminal, "nothing to undo");
    terminal.answer("y", PROMPT);
    shows(&terminal, "\nmerged ");
    shows(&terminal, "(2/3) Merge");
    assert_eq!(before.changes(&vault.tree()).len(), 1);
    terminal.answer("n", PROMPT);
    shows(&terminal, "\nrejected: merge ");
    shows(&terminal, "(3/3) Merge");
    terminal.answer("u", PROMPT);
    shows(&terminal, "undone");
    terminal.answer("s", PROMPT);
    terminal.answer("u", PROMPT);
    terminal.answer("u", PROMPT);
    before.assert_same(&vault.tree());
    // In the other order this time; an unknown key shows the help.
    terminal.answer("n", PROMPT);
    terminal.answer("Y", PROMPT);
    terminal.answer("x", PROMPT);
    shows(&terminal, "undo: revert the last answer and ask again");
    terminal.answer("u", PROMPT);
    terminal.answer("u", PROMPT);
    before.assert_same(&vault.tree());
    ends_with(&terminal, PROMPT);
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    shows(&terminal, "0 yes, 0 no, 0 skipped; 3 questions left\n");
    assert_eq!(open(&vault), 3);
}

#[test]
fn details_and_help_keys() {
    let vault = copies();
    let mut terminal = walk(&vault);
    terminal.answer("d", PROMPT);
    shows(&terminal, "+++ /dev/null");
    terminal.answer("?", PROMPT);
    let screen = terminal.contents();
    let at = screen.find("  y  yes").unwrap();
    ExpectedText::from(expect![[r#"
          y  yes, do it now
          n  no, and do not ask again
          e  edit the merged text in `vi`, then yes
          d  details: the whole diff
          s  skip: asked again next time, last
          u  undo: revert the last answer and ask again
          a  all like this: the same answer for 3 merges, after a preview
          q  quit
          ?  this help
          many at once: `mem review accept --all --kind merge`, suggestions too with `--min-chance 0.9`
        (1/3) Merge key 1.md into key.md? [y n e d s u a q ?]
    "#]])
    .compare("the help", &screen[at..]);
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn answering_all_of_a_kind_is_one_run() {
    let vault = copies();
    let before = vault.tree();
    let all = "other keys go back]";
    let mut terminal = walk(&vault);
    terminal.answer("s", PROMPT);
    terminal.answer("a", all);
    let screen = terminal.contents();
    assert_eq!(screen.matches("would merge").count(), 2, "{screen}");
    shows(&terminal, "Yes to 2 merges?");
    before.assert_same(&vault.tree());
    terminal.answer("d", all);
    shows(&terminal, "+++ /dev/null");
    terminal.answer("n", PROMPT);
    shows(&terminal, "(2/3) Merge");
    terminal.answer("a", all);
    terminal.press("y");
    assert_eq!(terminal.end(), 0);
    shows(&terminal, "2 yes, 0 no, 1 skipped; 1 question left");
    shows(&terminal, "undo with `mem undo 757");
    assert_eq!(before.changes(&vault.tree()).len(), 2);
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());

    let vault = copies();
    let mut terminal = walk(&vault);
    terminal.answer("a", all);
    terminal.press("r");
    assert_eq!(terminal.end(), 0);
    shows(&terminal, "0 yes, 3 no, 0 skipped; 0 questions left");
    before.assert_same(&vault.tree());
    vault
        .run(["review"])
        .stderr(expect!["no open questions"])
        .code(1);
}

#[test]
fn skipped_questions_come_last() {
    let vault = copies();
    let mut terminal = walk(&vault);
    let question = |terminal: &Terminal<'_>| {
        let screen = terminal.contents();
        let (_, question) = screen.rsplit_once("/3) ").unwrap();
        question.to_owned()
    };
    let first = question(&terminal);
    // An undone answer is not a skipped one.
    terminal.answer("s", PROMPT);
    terminal.answer("u", PROMPT);
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    let mut terminal = walk(&vault);
    assert_eq!(question(&terminal), first);
    terminal.answer("s", PROMPT);
    let second = question(&terminal);
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    shows(&terminal, "0 yes, 0 no, 1 skipped; 3 questions left");
    let mut terminal = walk(&vault);
    assert_eq!(question(&terminal), second);
    terminal.answer("s", PROMPT);
    terminal.answer("s", PROMPT);
    assert_eq!(question(&terminal), first);
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

/// Starts a walk with an editor that runs this script on the file.
fn with_editor<'v>(vault: &'v TestVault, script: &str, arguments: &[&str]) -> Terminal<'v> {
    let editor = vault.home("editor");
    fs::write(&editor, script).unwrap();
    let editor = format!("sh {}", editor.display());
    let arguments = [&["review"], arguments].concat();
    let variables = [("NO_COLOR", "1"), ("EDITOR", editor.as_str())];
    let mut terminal = Terminal::with(vault, SMALL, &arguments, &variables);
    terminal.wait(PROMPT);
    terminal
}

#[test]
fn merged_text_can_be_edited() {
    // The editor exits without saving, then with an empty file, then with an error.
    let script = "printf x >> \"$0.times\"; case $(cat \"$0.times\") in\n\
                  x) ;; xx) : > \"$1\" ;; xxx) exit 3 ;; *) echo 'Behind the barrel.' > \"$1\" ;; esac\n";
    let vault = copies();
    let merge = ["--kind", "merge", "--where", "path:key"];
    let mut terminal = with_editor(&vault, script, &merge);
    let before = vault.tree();
    terminal.answer("e", PROMPT);
    shows(&terminal, "nothing was saved; the question is still open");
    terminal.answer("e", PROMPT);
    let screen = terminal.contents();
    assert_eq!(screen.matches("nothing was saved;").count(), 2, "{screen}");
    terminal.answer("e", PROMPT);
    shows(&terminal, "ended with exit status: 3; nothing was\nwritten");
    before.assert_same(&vault.tree());
    terminal.press("e");
    assert_eq!(terminal.end(), 0);
    shows(&terminal, "merged key 1.md into key.md");
    vault.assert_text(
        "key.md",
        expect![[r#"
        ---
        tags: [house]
        ---
        Behind the barrel.
    "#]],
    );

    let vault = TestVault::indexed("sample");
    let before = vault.tree();
    let script = "sed -i 's/about the translation/about everything/' \"$1\"\n";
    let mention = ["--kind", "mention", "--where", "path:2026-03-12"];
    let mut terminal = with_editor(&vault, script, &mention);
    terminal.press("e");
    assert_eq!(terminal.end(), 0);
    let note = "work/meetings/2026-03-12 weekly.md";
    assert_eq!(before.changes(&vault.tree()), [format!("~ {note}")]);
    let text = vault.read(note);
    assert!(
        text.contains("- [ ] ask [[Tomasz]] about everything\n"),
        "{text}"
    );
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
}

#[test]
fn another_relation_can_be_chosen() {
    let vault = TestVault::indexed("sample");
    let arguments = ["review", "--kind", "conflict", "--where", "path:inbox/"];
    let mut terminal = Terminal::start(&vault, SMALL, &arguments);
    terminal.wait(PROMPT);
    let relations = "contradict each other";
    terminal.answer("e", relations);
    shows(
        &terminal,
        "Which relation? (arrows and Enter; Esc cancels)\n> Dev server replaces Dev server\n",
    );
    terminal.answer("\x1b", PROMPT);
    terminal.answer("e", relations);
    terminal.press("k\r");
    assert_eq!(terminal.end(), 0);
    shows(
        &terminal,
        "recorded that inbox/Dev server.md contradicts work/Dev server.md",
    );
    assert!(vault.read("inbox/Dev server.md").contains("contradicts:"));
}

#[test]
fn signal_restores_the_terminal() {
    let vault = copies();
    let before = vault.tree();
    let mut terminal = walk(&vault);
    terminal.answer("n", PROMPT);
    terminal.press("\u{3}");
    assert_eq!(terminal.end(), 130);
    shows(&terminal, "0 yes, 1 no, 0 skipped; 2 questions left");
    for (signal, code) in [
        (Signal::SIGTERM, 143),
        (Signal::SIGINT, 130),
        (Signal::SIGHUP, 129),
    ] {
        let mut terminal = walk(&vault);
        terminal.signal(signal);
        assert_eq!(terminal.end(), code);
    }
    before.assert_same(&vault.tree());
    // An answer given before a signal counts while the editor is open.
    let editor = "kill -TERM $PPID; echo Behind. >";
    let variables = [("NO_COLOR", "1"), ("EDITOR", editor)];
    let arguments = ["review", "--kind", "merge"];
    let mut terminal = Terminal::with(&vault, LARGE, &arguments, &variables);
    terminal.wait(PROMPT);
    terminal.press("e");
    assert_eq!(terminal.end(), 143);
    assert_eq!(before.changes(&vault.tree()).len(), 2);
    assert_eq!(open(&vault), 1);
}

#[test]
fn questions_about_missing_notes_are_skipped() {
    let vault = copies();
    let mut terminal = walk(&vault);
    for note in ["key 1.md", "lamp 1.md", "tea 1.md"] {
        fs::remove_file(vault.path(note)).unwrap();
    }
    terminal.press("s");
    assert_eq!(terminal.end(), 0);
    shows(&terminal, "skipped: Merge ");
    shows(&terminal, "0 yes, 0 no, 1 skipped; 1 question left");
}

#[test]
fn dumb_terminal_gets_a_list() {
    let vault = copies();
    let arguments = ["review", "--kind", "merge"];
    let mut terminal = Terminal::with(&vault, LARGE, &arguments, &[("TERM", "dumb")]);
    assert_eq!(terminal.end(), 0);
    shows(&terminal, "hint: answer one with `mem review accept ID`");
}
