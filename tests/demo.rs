//! `mem demo`

use std::fs;

use expect_test::expect;

use crate::support::terminal::Terminal;
use crate::support::{TestVault, project, tree::Tree};

#[test]
fn demo_runs_real_commands_and_cleans_up() {
    let vault = TestVault::folder("sample");
    let temporary = vault.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let before = vault.tree();
    vault
        .command(["demo"])
        .env("TMPDIR", &temporary)
        .env("MEM_DEDUPE_EVERY", "off")
        .run()
        .stdout(expect![[r#"
            Copied 41 notes to a temporary folder. The commands below run there.

            Search by meaning, in other words than the note has:
            > mem search what kills snails -n 1
            no note contains `kills`, `snails`
            by meaning:
            garden/Beer traps make it worse.md:8
              Counted for two weeks. The bed with beer traps had more slugs than the one without: they come for the beer from the neighbour's side and eat on the way.…

            A sync tool left a second copy of a note. Preview the merge:
            > mem dedupe "Green tea" --apply all --dry-run
            would merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md
              reason: same title, 91 % of the wording is the same
            --- a/Green tea.md
            +++ b/Green tea.md
            @@ -12,3 +12,3 @@
             Bitter means too hot. Thin means too short, not too little leaf. See [[Water temperature]] for the other kinds.
            ␠
            -The shop on Linden Street sells a Yabukita from Shizuoka that is worth the money. #sencha
            +The shop on Linden Street sells a Yabukita from Shizuoka that is worth the money. Their autumn harvest is well worth the money, too. #sencha
            … 38 more lines

            Without --dry-run, the merge is applied. Links to the copy now lead to the note.
            > mem dedupe "Green tea" --apply all
            merged tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md
              reason: same title, 91 % of the wording is the same

            What rules cannot decide becomes a question. On a terminal, one key answers it.
            > mem review --kind conflict --limit 1
            2588cd37 Does work/Sessions after the cleanup.md replace work/Sessions.md? (“not use Redis to”; 2026-03-01 is newer than 2025-10-02)
              work/Sessions after the cleanup.md: “We do not use Redis to keep the sessions of [[Seedlist]]”
              work/Sessions.md: “We use Redis to keep the sessions of [[Seedlist]]”

            Answer yes:
            > mem review accept 2588cd37
            recorded that work/Sessions after the cleanup.md replaces work/Sessions.md

            Every run can be undone. Undo the answer:
            > mem undo
            undid review work/Sessions after the cleanup.md (just now)

            Undo the merge:
            > mem undo
            undid dedupe: merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md (just now)

            All notes are byte for byte unchanged. For yours: `cd NOTES && mem init`.
        "#]])
        .code(0);
    before.assert_same(&vault.tree());
}

#[test]
fn terminal_demo_pauses_between_scenes() {
    let vault = TestVault::folder("sample");
    let mut terminal = Terminal::with(&vault, [60, 24], &["demo"], &[]);
    terminal.wait("Go on? [Y/n]");
    expect![[r#"
        Copied 41 notes to a temporary folder. The commands below
        run there.

        Search by meaning, in other words than the note has:
        > mem search what kills snails -n 1
        no note contains `kills`, `snails`
        by meaning:
        garden/Beer traps make it worse.md:8
          Counted for two weeks. The bed with beer traps had more
          slugs than the one without: they come for the beer from
          the neighbour's side and eat on the way.…

        Go on? [Y/n]
    "#]]
    .assert_eq(&terminal.contents());
    for _ in 0..5 {
        terminal.answer("\r", "Go on? [Y/n]");
    }
    terminal.press("\r");
    assert_eq!(terminal.end(), 0);
    expect![[r#"
        Go on? yes

        Answer yes:
        > mem review accept 2588cd37
        recorded that work/Sessions after the cleanup.md replaces
        work/Sessions.md

        Go on? yes

        Every run can be undone. Undo the answer:
        > mem undo
        undid review work/Sessions after the cleanup.md (just now)

        Go on? yes

        Undo the merge:
        > mem undo
        undid dedupe: merge tea/Green tea (conflicted copy
        2026-03-02).md into Green tea.md (just now)

        All notes are byte for byte unchanged. For yours: `cd NOTES
        && mem init`.
    "#]]
    .assert_eq(&terminal.contents());

    let mut terminal = Terminal::with(&vault, [60, 24], &["demo"], &[]);
    terminal.wait("Go on? [Y/n]");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn given_folder_keeps_the_sample() {
    let vault = TestVault::folder("sample");
    vault.write("full/note.md", "mine");
    vault
        .run(["demo", "full"])
        .stderr(expect![[r#"
        error: `full` is not empty
        hint: choose a new folder for the sample
    "#]])
        .code(2);
    let records: Vec<serde_json::Value> = vault.run(["--jsonl", "-q", "demo", "new"]).jsonl(0);
    assert_eq!(records.len(), 7);
    let sample = Tree::of(&project().join("fixtures/vaults/sample"), &[]);
    sample.assert_same(&Tree::of(&vault.path("new"), &[".mem"]));
}

#[test]
fn interrupted_demo_cleans_up() {
    let vault = TestVault::folder("sample");
    let temporary = vault.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let place = [("TMPDIR", temporary.to_str().unwrap())];
    let mut terminal = Terminal::with(&vault, [60, 24], &["demo"], &place);
    terminal.wait("Go on? [Y/n]");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 130);
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}
