//! `mem sleep --to DIR`: a sleep in a copy of the vault.

use std::fs;
use std::path::Path;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::tree::Tree;

/// Returns vault, index and local state.
fn all_of(vault: &TestVault) -> [Tree; 3] {
    let root = vault.path("");
    let name = root.file_name().unwrap().to_str().unwrap();
    let only = |home: &str| {
        let mut entries = fs::read_dir(vault.home(home)).unwrap().flatten();
        let of_vault = entries.find(|entry| {
            let key = entry.file_name().into_string().unwrap();
            key.starts_with(&format!("{name}-"))
        });
        Tree::of(&of_vault.unwrap().path(), &[])
    };
    [
        vault.whole_tree(),
        only(".cache/mem"),
        only(".local/state/mem"),
    ]
}

fn copied(vault: &TestVault, to: &str) -> Tree {
    Tree::of(&vault.home(to), &[".mem"])
}

const OUTCOME: [&str; 7] = [
    "~ Green tea.md",
    "- agents/Anna prefers short release notes 2.md",
    "- agents/Anna prefers short release notes 3.md",
    "~ agents/Anna prefers short release notes.md",
    "~ daily/2026-03-02.md",
    "~ garden/Compost.md",
    "- tea/Green tea (conflicted copy 2026-03-02).md",
];

#[test]
fn sleep_into_a_copy_leaves_the_vault_unchanged() {
    let vault = TestVault::indexed("sample");
    vault.run(["show", "tea/Oolong.md"]).raw();
    let before = all_of(&vault);
    let to = vault.home("after");
    let sleep = ["sleep", "--to", to.to_str().unwrap(), "--apply", "all"];
    vault
        .run(sleep)
        .stdout(expect![[r#"
            index       41 notes: 41 added
            dedupe      10 pairs compared: 2 merged, 1 open
            merged tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md
              reason: same title, 91 % of the wording is the same
            merged agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
              reason: same title, 100 % of the wording is the same
            conflicts   99 pairs compared: 2 open
            link        11 pairs compared: 2 open
            nothing to do for spaces, associate, cluster, consolidate, split, decay, views, settle
            2588cd37 Does work/Sessions after the cleanup.md replace work/Sessions.md? (“not use Redis to”; 2026-03-01 is newer than 2025-10-02)
            2a184324 Does inbox/Dev server.md replace work/Dev server.md? (“9090” / “8080”; 2026-03-11 is newer than 2025-11-03)
        "#]])
        .stderr(expect![[r#"
            indexed 41 notes
            the result is in $HOME/after
            hint: `diff -r -x '.*' $VAULT $HOME/after` compares; `mem -C $HOME/after review` lists open questions
        "#]])
        .code(0);
    for (before, after) in before.iter().zip(&all_of(&vault)) {
        before.assert_same(after);
    }
    assert_eq!(vault.tree().changes(&copied(&vault, "after")), OUTCOME);
}

#[test]
fn copy_is_an_independent_vault() {
    let vault = TestVault::indexed("sample");
    let to = vault.home("after");
    let sleep = ["sleep", "--to", to.to_str().unwrap(), "--apply", "all"];
    let slept = || {
        vault.run(sleep).raw();
        copied(&vault, "after")
    };
    let first = slept();
    assert_eq!(vault.tree().changes(&first), OUTCOME);
    vault
        .command(["undo"])
        .in_folder(&to)
        .run()
        .stdout(expect!["undid dedupe 7 notes (just now)"])
        .stderr(expect!["hint: redo with `mem undo 757y`"])
        .code(0);
    vault.tree().assert_same(&copied(&vault, "after"));
    // Its old records do not count as those of a new copy.
    fs::remove_dir_all(&to).unwrap();
    first.assert_same(&slept());
}

#[test]
fn due_jobs_are_due_in_the_copy() {
    let vault = TestVault::from("sample");
    vault.write(".mem/id", "x\n");
    vault.run(["-q", "sleep"]).code(0);
    let to = vault.home("after");
    vault
        .run(["sleep", "--to", to.to_str().unwrap()])
        .stdout(expect!["index       39 notes: 39 added"])
        .stderr(expect![[r#"
            indexed 39 notes
            nothing due until 2026-04-02 12:00 (conflicts); `--all` runs anyway
            the result is in $HOME/after
            hint: `diff -r -x '.*' $VAULT $HOME/after` compares; `mem -C $HOME/after review` lists open questions
        "#]])
        .code(0);
}

#[test]
fn existing_target_is_refused() {
    let vault = TestVault::indexed("sample");
    fs::create_dir_all(vault.home("other/.mem")).unwrap();
    fs::create_dir(vault.home("half.unfinished")).unwrap();
    fs::write(vault.home("file"), "").unwrap();
    let before = Tree::of(&vault.home(""), &[]);
    let refused = |to: &Path| {
        let outcome = vault
            .run(["sleep".as_ref(), "--to".as_ref(), to.as_os_str()])
            .raw();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{to:?}");
        outcome.stderr
    };
    let places = [
        vault.path("inner"),
        vault.path(""),
        vault.home("other/inner"),
        vault.home("other"),
        vault.home("half"),
        vault.home("file"),
        vault.home("none/after"),
    ];
    let words: String = places.iter().map(|to| refused(to)).collect();
    expect![[r#"
        error: `$VAULT/inner` is in the vault `$VAULT`
        hint: name a folder that does not exist yet, or an empty one, outside of any vault
        error: `$VAULT/` is not empty
        hint: name a folder that does not exist yet, or an empty one, outside of any vault
        error: `$HOME/other/inner` is in another vault, `$HOME/other`
        hint: name a folder that does not exist yet, or an empty one, outside of any vault
        error: `$HOME/other` is not empty
        hint: name a folder that does not exist yet, or an empty one, outside of any vault
        error: `$HOME/half.unfinished` is an unfinished copy, or is being written
        hint: `rm -r $HOME/half.unfinished` deletes it
        error: `$HOME/file` is not a folder
        hint: name a folder that does not exist yet, or an empty one, outside of any vault
        error: cannot make `$HOME/none/after`
        caused by: No such file or directory (os error 2)
        hint: create its folder: `mkdir -p $HOME/none`
    "#]]
    .assert_eq(&words);
    before.assert_same(&Tree::of(&vault.home(""), &[]));
}

#[test]
fn history_of_a_missing_vault_is_kept() {
    let vault = TestVault::from("sample");
    vault.run(["-q", "sleep"]).code(0);
    let (root, away) = (vault.path(""), vault.home("away"));
    fs::rename(&root, &away).unwrap();
    let to = root.to_str().unwrap();
    vault
        .command(["-C", away.to_str().unwrap(), "sleep", "--to", to])
        .in_folder(&away)
        .run()
        .stderr(expect![[r#"
            error: `$VAULT` was a vault with an undo history
            hint: name another folder, or delete that history: `rm -r $STATE/vault`
        "#]])
        .code(2);
    assert!(!root.exists());
    fs::rename(&away, &root).unwrap();
    let undone = vault.run(["undo"]).raw();
    assert_eq!(undone.code, 0, "{undone:?}");
}
