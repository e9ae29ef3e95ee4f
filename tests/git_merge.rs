//! `mem git` and `mem merge-file` as git's merge driver, with real git. Without git these tests fail.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::expect;

use crate::support::{MEM, Outcome, TestVault};

fn git_in(vault: &TestVault, folder: &Path, arguments: &[&str]) -> Outcome {
    let mut command = Command::new("git");
    vault.prepare(&mut command);
    let ended = command.current_dir(folder).args(arguments).output();
    let ended = ended.expect("these tests need git");
    Outcome {
        code: ended.status.code().unwrap(),
        stdout: vault.shown(ended.stdout),
        stderr: vault.shown(ended.stderr),
    }
}

#[track_caller]
fn git(vault: &TestVault, arguments: &[&str]) -> String {
    let ended = git_in(vault, &vault.path(""), arguments);
    assert_eq!(ended.code, 0, "{arguments:?}: {ended:?}");
    ended.stdout
}

const LOG: &str = "---\ntags: [log]\n---\n# Log\n\n- 2026-01-01 start\n";

/// A vault in git, with or without the driver, whose branch `other` adds a line and a tag to a note.
fn vault(is_installed: bool) -> TestVault {
    let vault = TestVault::of([("a log.md", LOG), ("tea.md", "Green tea is hot.\n")]);
    let config = "[user]\nname = Anna\nemail = anna@example.org\n[init]\ndefaultBranch = main\n";
    fs::write(vault.home(".gitconfig"), config).unwrap();
    git(&vault, &["init", "-q"]);
    if is_installed {
        let installed = vault.run(["git", "install"]).raw();
        assert_eq!(installed.code, 0, "{installed:?}");
    }
    commit(&vault, "start");
    git(&vault, &["branch", "other"]);
    vault.write(
        "a log.md",
        &format!("{}- 2026-01-03 ours\n", LOG.replace("log]", "log, ours]")),
    );
    commit(&vault, "ours");
    git(&vault, &["checkout", "-q", "other"]);
    vault.write(
        "a log.md",
        &format!(
            "{}- 2026-01-02 theirs\n",
            LOG.replace("log]", "log, theirs]")
        ),
    );
    commit(&vault, "theirs");
    git(&vault, &["checkout", "-q", "main"]);
    vault
}

fn commit(vault: &TestVault, message: &str) {
    git(vault, &["add", "."]);
    git(vault, &["commit", "-q", "-m", message]);
}

const MERGED: &str = "---\ntags: [log, ours, theirs]\n---\n# Log\n\n- 2026-01-01 start\n- 2026-01-02 theirs\n- 2026-01-03 ours\n";

#[test]
fn git_merges_notes_by_structure() {
    for arguments in [
        &["merge", "-q", "--no-edit", "other"][..],
        &["rebase", "-q", "other"],
        &["cherry-pick", "other"],
    ] {
        let vault = vault(true);
        git(&vault, arguments);
        assert_eq!(vault.read("a log.md"), MERGED, "{arguments:?}");
    }
    let vault = vault(true);
    vault.edit(
        "a log.md",
        "- 2026-01-03 ours\n",
        "- 2026-01-03 ours\n- 2026-01-05 stash\n",
    );
    git(&vault, &["stash", "-q"]);
    git(&vault, &["merge", "-q", "--no-edit", "other"]);
    git(&vault, &["stash", "pop", "-q"]);
    assert_eq!(
        vault.read("a log.md"),
        format!("{MERGED}- 2026-01-05 stash\n")
    );
}

#[test]
fn a_name_like_an_option_is_a_name() {
    let vault = vault(true);
    git(&vault, &["mv", "a log.md", "--", "-h.md"]);
    git(&vault, &["commit", "-q", "-m", "ours"]);
    git(&vault, &["checkout", "-q", "other"]);
    git(&vault, &["mv", "a log.md", "--", "-h.md"]);
    git(&vault, &["commit", "-q", "-m", "theirs"]);
    git(&vault, &["merge", "-q", "--no-edit", "main"]);
    vault.assert_text(
        "-h.md",
        expect![[r#"
            ---
            tags: [log, ours, theirs]
            ---
            # Log

            - 2026-01-01 start
            - 2026-01-02 theirs
            - 2026-01-03 ours
        "#]],
    );
}

#[test]
fn git_merges_lines_where_mem_is_missing() {
    let vault = vault(true);
    git(&vault, &["config", "--remove-section", "merge.mem"]);
    let ended = git_in(&vault, &vault.path(""), &["merge", "--no-edit", "other"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert_eq!(vault.read("a log.md").matches("<<<<<<< HEAD").count(), 2);
}

#[test]
fn git_merges_lines_if_the_program_is_gone_or_fails() {
    for program in ["/nowhere/mem", "sh -c 'exit 2'", "sh -c 'exit 101'"] {
        let vault = vault(true);
        let driver = git(&vault, &["config", "merge.mem.driver"]);
        let (_, rest) = driver.trim_end().split_once(" merge-file").unwrap();
        let failing = format!("{program} merge-file{rest}");
        git(&vault, &["config", "merge.mem.driver", &failing]);
        let ended = git_in(&vault, &vault.path(""), &["merge", "--no-edit", "other"]);
        assert_eq!(ended.code, 1, "{program}: {ended:?}");
        let text = vault.read("a log.md");
        assert_eq!(text.matches("<<<<<<< ours").count(), 2, "{program}: {text}");
        assert!(text.contains("2026-01-02 theirs"), "{program}: {text}");
    }
}

#[test]
fn conflicts_keep_both_versions() {
    let vault = vault(true);
    git(&vault, &["checkout", "-q", "other"]);
    vault.write("tea.md", "White tea is hot.\n");
    commit(&vault, "white");
    git(&vault, &["checkout", "-q", "main"]);
    vault.write("tea.md", "Black tea is hot.\n");
    commit(&vault, "black");
    let ended = git_in(&vault, &vault.path(""), &["merge", "--no-edit", "other"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended
            .stderr
            .contains("tea.md: both sides changed the same words, near `Black tea is hot.`"),
        "{ended:?}"
    );
    vault.assert_text(
        "tea.md",
        expect![[r#"
            <<<<<<< ours (refused_by: both sides changed the same words)
            Black tea is hot.
            =======
            White tea is hot.
            >>>>>>> theirs
        "#]],
    );
    assert_eq!(
        git(&vault, &["diff", "--name-only", "--diff-filter=U"]),
        "tea.md\n"
    );
}

#[test]
fn installing_twice_and_uninstalling_leaves_no_trace() {
    let vault = vault(false);
    vault.write(".gitattributes", "*.png binary");
    let config = vault.path(".git/config");
    let before = fs::read_to_string(&config).unwrap();
    vault
        .run(["git", "install", "--dry-run"])
        .naming(MEM, "$MEM")
        .stdout(expect![[r#"
            $VAULT/.gitattributes
              + # >>> mem: merges notes by structure, see mem git
              + *.md merge=mem
              + .mem/journal/**/*.jsonl merge=mem
              + .mem/trash/**/trash.jsonl merge=mem
              + .mem/state/*.json merge=mem
              + # <<< mem
            git config of this clone
              + merge.mem.driver = $MEM merge-file %O %A %B -- %P || { test $? -eq 1 && exit 1; git merge-file -L ours -L base -L theirs %A %O %B; }
        "#]])
        .stderr(expect!["would add the merge driver"])
        .code(0);
    assert_eq!(vault.read(".gitattributes"), "*.png binary");
    vault
        .run(["git", "install"])
        .naming(MEM, "$MEM")
        .stdout(expect![[r#"
            $VAULT/.gitattributes
              + # >>> mem: merges notes by structure, see mem git
              + *.md merge=mem
              + .mem/journal/**/*.jsonl merge=mem
              + .mem/trash/**/trash.jsonl merge=mem
              + .mem/state/*.json merge=mem
              + # <<< mem
            git config of this clone
              + merge.mem.driver = $MEM merge-file %O %A %B -- %P || { test $? -eq 1 && exit 1; git merge-file -L ours -L base -L theirs %A %O %B; }
        "#]])
        .stderr(expect![[r#"
            added the merge driver
            hint: commit `.gitattributes`; each clone needs `mem git install`
        "#]])
        .code(0);
    vault
        .run(["git", "install"])
        .stdout(expect![[r#""#]])
        .stderr(expect!["already installed"])
        .code(0);
    vault.assert_text(
        ".gitattributes",
        expect![[r#"
        # >>> mem: merges notes by structure, see mem git
        *.md merge=mem
        .mem/journal/**/*.jsonl merge=mem
        .mem/trash/**/trash.jsonl merge=mem
        .mem/state/*.json merge=mem
        # <<< mem
        *.png binary
        [no newline at the end]
    "#]],
    );
    vault
        .run(["git", "uninstall"])
        .naming(MEM, "$MEM")
        .stdout(expect![[r#"
            $VAULT/.gitattributes
              - # >>> mem: merges notes by structure, see mem git
              - *.md merge=mem
              - .mem/journal/**/*.jsonl merge=mem
              - .mem/trash/**/trash.jsonl merge=mem
              - .mem/state/*.json merge=mem
              - # <<< mem
            git config of this clone
              - merge.mem.driver = $MEM merge-file %O %A %B -- %P || { test $? -eq 1 && exit 1; git merge-file -L ours -L base -L theirs %A %O %B; }
        "#]])
        .stderr(expect!["removed the merge driver"])
        .code(0);
    vault
        .run(["git", "uninstall"])
        .stdout(expect![[r#""#]])
        .stderr(expect!["not installed"])
        .code(0);
    assert_eq!(vault.read(".gitattributes"), "*.png binary");
    assert_eq!(fs::read_to_string(&config).unwrap(), before);
    vault.write(".gitattributes", "*.md merge=union\n");
    assert_eq!(vault.run(["git", "install"]).raw().code, 0);
    vault
        .run(["git", "install"])
        .stderr(expect![[r#"
            already installed
            warning: notes do not use the driver: another rule sets `merge` to `union`, see `git check-attr -a note.md`
        "#]])
        .code(0);
    vault.run(["--quiet", "git", "uninstall"]).raw();
    fs::remove_file(vault.path(".gitattributes")).unwrap();
    vault.run(["--quiet", "git", "install"]).raw();
    vault.run(["--quiet", "git", "uninstall"]).raw();
    assert!(!vault.path(".gitattributes").exists());
}

#[test]
fn install_needs_a_work_tree_and_works_in_others() {
    let outside = TestVault::of([("a.md", "One.\n")]);
    outside
        .run(["git", "install"])
        .stdout(expect![[r#""#]])
        .stderr(expect![[r#"
            error: `$VAULT` is not in a git work tree
            hint: run `git init` there
        "#]])
        .code(2);
    let vault = vault(false);
    let tree = vault.home("a tree");
    git(
        &vault,
        &[
            "worktree",
            "add",
            "-q",
            "--detach",
            tree.to_str().unwrap(),
            "main",
        ],
    );
    fs::create_dir_all(tree.join(".mem")).unwrap();
    let installed = vault
        .command(["git", "install"])
        .in_folder(&tree)
        .run()
        .raw();
    assert_eq!(installed.code, 0, "{installed:?}");
    assert!(tree.join(".gitattributes").exists());
    let merged = git_in(&vault, &tree, &["merge", "-q", "--no-edit", "other"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    assert_eq!(fs::read_to_string(tree.join("a log.md")).unwrap(), MERGED);
}

#[test]
fn merge_file_needs_no_vault() {
    let vault = TestVault::empty();
    fs::remove_dir(vault.path(".mem")).unwrap();
    for (name, text) in [
        ("base", "One is here.\n\nTwo.\n"),
        ("ours", "One is here.\n\nTwo two.\n"),
        ("theirs", "Eins is here.\n\nTwo.\n"),
    ] {
        vault.write(name, text);
    }
    vault
        .run(["merge-file", "base", "ours", "theirs", "note.md"])
        .stdout(expect![[r#""#]])
        .stderr(expect![[r#""#]])
        .code(0);
    assert_eq!(vault.read("ours"), "Eins is here.\n\nTwo two.\n");
    vault
        .run(["merge-file", "--check", "ours", "base", "base", "theirs"])
        .stdout(expect![[r#""#]])
        .stderr(expect![[r#""#]])
        .code(0);
    vault
        .run(["merge-file", "--check", "base", "base", "ours", "theirs"])
        .stdout(expect![[r#"
            line `Eins is here.` is missing
            line `Two two.` is missing
            line `One is here.` came back
        "#]])
        .stderr(expect![[r#""#]])
        .code(1);
    vault.write("open", "---\na: [\n---\n");
    vault
        .run(["merge-file", "--check", "open", "base", "open", "base"])
        .stdout(expect![[r#""#]])
        .stderr(expect![[r#"
            error: cannot check: front matter line 3: a value is missing, or a bracket or quote is not closed
        "#]])
        .code(2);
    vault
        .run(["merge-file", "base", "ours", "missing"])
        .stdout(expect![[r#""#]])
        .stderr(expect![[r#"
            error: cannot read `$VAULT/missing`
            caused by: No such file or directory (os error 2)
        "#]])
        .code(2);
    // Lines in any encoding.
    fs::write(vault.path("base"), b"caf\xe9\n\nb\n").unwrap();
    fs::write(vault.path("ours"), b"caf\xe9s\n\nb\n").unwrap();
    fs::write(vault.path("theirs"), b"caf\xe9\n\nc\n").unwrap();
    assert_eq!(
        vault
            .run(["merge-file", "base", "ours", "theirs"])
            .raw()
            .code,
        0
    );
    assert_eq!(fs::read(vault.path("ours")).unwrap(), b"caf\xe9s\n\nc\n");
    // UTF-16 has no lines of bytes.
    for (name, text) in [
        ("base", "a\0\n\0"),
        ("ours", "b\0\n\0"),
        ("theirs", "c\0\n\0"),
    ] {
        vault.write(name, text);
    }
    vault
        .run(["merge-file", "base", "ours", "theirs", "--", "-h.md"])
        .stderr(expect![[r#"
            -h.md: both sides changed a file that has NUL bytes, as UTF-16 does; ours was kept
        "#]])
        .code(1);
    assert_eq!(vault.read("ours"), "b\0\n\0");
    // Answers of two machines under one name.
    vault.write("base", "{\"n\":1}\n");
    vault.write("ours", "{\"n\":1}\n{\"n\":3}\n");
    vault.write("theirs", "{\"n\":1}\n{\"n\":2}\n");
    let path = ".mem/journal/pc/decisions.jsonl";
    assert_eq!(
        vault
            .run(["merge-file", "base", "ours", "theirs", path])
            .raw()
            .code,
        0
    );
    assert_eq!(vault.read("ours"), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
}

#[test]
fn four_clones_append_without_conflicts() {
    let vault = vault(true);
    git(&vault, &["reset", "-q", "--hard", "HEAD~1"]);
    for (number, hour) in [(1, 9), (2, 11), (3, 8), (4, 10)] {
        let branch = format!("clone{number}");
        git(&vault, &["checkout", "-q", "-b", &branch, "main"]);
        vault.write(
            "a log.md",
            &format!("{LOG}- 2026-01-02T{hour:02}:00 clone {number}\n"),
        );
        commit(&vault, &branch);
    }
    let mut results = Vec::new();
    for order in [["1", "2", "3", "4"], ["4", "2", "1", "3"]] {
        git(&vault, &["checkout", "-q", "-B", "joined", "main"]);
        for number in order {
            git(
                &vault,
                &["merge", "-q", "--no-edit", &format!("clone{number}")],
            );
        }
        results.push(vault.read("a log.md"));
    }
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0].matches("clone").count(), 4);
}

#[test]
fn conflict_copies_are_joined() {
    const COPY: &str = "tea.sync-conflict-20260401-120000-ABCDEFG.md";
    let vault = vault(false);
    let copy = "Green tea is hot.\n\nThe cup is old.\n";
    vault.write(COPY, copy);
    vault.write("new.md", "New.\n");
    vault.write("new (Anna's conflicted copy 2026-04-01).md", "Other.\n");
    vault.write("tea.md", "---\ntags: [tea]\n---\nGreen tea is hot.\n");
    let only = ["doctor", "--only", "conflict-copy"];
    vault
        .run(only)
        .stdout(expect![[r#"
            new (Anna's conflicted copy 2026-04-01).md: conflict-copy: conflict copy of new.md: no common earlier version is known; `mem merge new.md 'new (Anna'\''s conflicted copy 2026-04-01).md'` keeps the text of both
            tea.sync-conflict-20260401-120000-ABCDEFG.md: conflict-copy: conflict copy of tea.md
        "#]])
        .stderr(expect![[r#"
            2 problems in 2 files
            hint: `mem doctor --fix` repairs 1 of them; `--fix --dry-run` previews it
        "#]])
        .code(1);
    vault
        .run([&only[..], &["--fix", "--dry-run"]].concat())
        .stdout(expect![[r#"
            would join tea.sync-conflict-20260401-120000-ABCDEFG.md with tea.md
              reason: conflict copies of tea.md
            --- a/tea.md
            +++ b/tea.md
            @@ -3,2 +3,4 @@
             ---
             Green tea is hot.
            +
            +The cup is old.
            --- a/tea.sync-conflict-20260401-120000-ABCDEFG.md
            +++ /dev/null
            @@ -1,3 +0,0 @@
            -Green tea is hot.
            -
            -The cup is old.
            new (Anna's conflicted copy 2026-04-01).md: conflict-copy: conflict copy of new.md: no common earlier version is known; `mem merge new.md 'new (Anna'\''s conflicted copy 2026-04-01).md'` keeps the text of both
            tea.sync-conflict-20260401-120000-ABCDEFG.md: conflict-copy: conflict copy of tea.md
        "#]])
        .stderr(expect!["2 problems in 2 files"])
        .code(1);
    assert_eq!(vault.read(COPY), copy);
    vault
        .run([&only[..], &["--fix"]].concat())
        .stdout(expect![[r#"
            done: join tea.sync-conflict-20260401-120000-ABCDEFG.md with tea.md
              reason: conflict copies of tea.md
            new (Anna's conflicted copy 2026-04-01).md: conflict-copy: conflict copy of new.md: no common earlier version is known; `mem merge new.md 'new (Anna'\''s conflicted copy 2026-04-01).md'` keeps the text of both
        "#]])
        .stderr(expect![[r#"
            1 problem left in 1 file
            hint: undo with `mem undo 757x`
        "#]])
        .code(1);
    assert_eq!(
        vault.read("tea.md"),
        format!("---\ntags: [tea]\n---\n{copy}")
    );
    assert!(!vault.path(COPY).exists());
    assert_eq!(vault.run(["undo"]).raw().code, 0);
    assert_eq!(
        (vault.read("tea.md").len(), vault.read(COPY)),
        (38, copy.to_owned())
    );
}

#[test]
fn all_copies_of_a_note_are_joined_in_one_run() {
    const TEA: &str = "---\nid: 0191\n---\nGreen tea is hot.\n\nThe cup is old.\n";
    const COPIES: [&str; 3] = [
        "tea.sync-conflict-20260401-120000-ABCDEFG.md",
        "tea.sync-conflict-20260402-120000-ABCDEFG.md",
        "tea.sync-conflict-20260403-120000-ABCDEFG.md",
    ];
    let vault = vault(false);
    vault.write("tea.md", TEA);
    commit(&vault, "tea");
    vault.write(COPIES[0], &TEA.replace("hot.", "hot and bitter."));
    vault.write(COPIES[1], &format!("{TEA}\nThe pot is new.\n"));
    vault.write(COPIES[2], &TEA.replace("id:", "keep: true\nid:"));
    let only = ["doctor", "--only", "conflict-copy,duplicate-id"];
    let fixed = vault.run([&only[..], &["--fix"]].concat()).raw();
    assert_eq!(
        vault.read("tea.md"),
        TEA.replace("hot.", "hot and bitter.") + "\nThe pot is new.\n"
    );
    let left = COPIES.map(|path| vault.path(path).exists());
    assert_eq!(left, [false, false, true]);
    let lines: Vec<&str> = fixed.stdout.lines().collect();
    assert!(lines[0].contains("120000-ABCDEFG.md and tea"), "{fixed:?}");
    assert!(fixed.stdout.contains("it has `keep: true`"), "{fixed:?}");
    // The note and the protected copy still have one id.
    vault.write(COPIES[2], "Another note.\n");
    vault.write(COPIES[0], &vault.read("tea.md"));
    let fixed = vault.run([&only[..], &["--fix"]].concat()).raw();
    assert!(!fixed.stdout.contains("duplicate-id"), "{fixed:?}");
    assert!(!vault.path(COPIES[0]).exists());
}

/// iCloud numbers copies like a person who numbers notes.
#[test]
fn numbered_copies_are_joined_with_evidence() {
    const KEY: &str = "The spare key hangs behind the rain barrel of the neighbours.\n";
    let vault = vault(false);
    vault.write("key.md", KEY);
    commit(&vault, "key");
    vault.write("key.md", &format!("{KEY}\nIn a yellow bag.\n"));
    vault.write("key 2.md", &format!("# Key\n\n{KEY}"));
    // Another text, and an earlier version, as a template leaves one.
    vault.write("tea 2.md", "Black tea is hot.\n");
    vault.write("key 3.md", KEY);
    let only = ["doctor", "--only", "conflict-copy"];
    vault
        .run(only)
        .stdout(expect![[r#"
            key 2.md: conflict-copy: conflict copy of key.md
        "#]])
        .stderr(expect![[r#"
            1 problem in 1 file
            hint: `mem doctor --fix` repairs 1 of them; `--fix --dry-run` previews it
        "#]])
        .code(1);
    let fixed = vault.run([&only[..], &["--fix"]].concat()).raw();
    assert_eq!(fixed.code, 0, "{fixed:?}");
    let joined = format!("# Key\n\n{KEY}\nIn a yellow bag.\n");
    assert_eq!(vault.read("key.md"), joined);
    let left = ["key 2.md", "key 3.md", "tea 2.md"].map(|path| vault.path(path).exists());
    assert_eq!(left, [false, true, true]);
}

/// A vault with markers of git, and the texts of two notes.
fn with_markers() -> (TestVault, [String; 2]) {
    let conflict = |ours: &str, theirs: &str| {
        format!("<<<<<<< HEAD\n{ours}\n=======\n{theirs}\n>>>>>>> other\n")
    };
    let front_matter = format!(
        "---\n{}tags: [a]\n{}---\nTea.\n",
        conflict("title: A", "title: B"),
        conflict("up: 1", "up: 2")
    );
    let three = format!(
        "{}\n{}\n- x\n{}",
        conflict("One [[matter]].", "Two."),
        conflict("One.", "Two."),
        conflict("- a", "- b")
    );
    let vault = TestVault::of([
        ("matter.md", front_matter.as_str()),
        ("three.md", &three),
        ("code.md", &format!("```\n{}```\n", conflict("a", "b"))),
        ("twice.md", &conflict("Title\n=======\na", "b")),
    ]);
    (vault, [front_matter, three])
}

#[test]
fn conflict_markers_are_questions() {
    let (vault, _) = with_markers();
    vault
        .run(["review", "--all"])
        .stdout(expect![[r#"
            e05e5c52 Keep both versions in three.md? (line 1: git could not join both versions)
              ours: “One [[matter]].”
              theirs: “Two.”
            ef897360 Keep both versions in matter.md? (line 2 and 1 more: git could not join both versions)
              ours: “title: A”
              theirs: “title: B”
            e2108cc0 Keep both versions in three.md? (line 14: git could not join both versions)
              ours: “- a”
              theirs: “- b”
            e8d8282e Keep both versions in three.md? (line 7: git could not join both versions)
              ours: “One.”
              theirs: “Two.”
        "#]])
        .stderr(expect![[r#"
            4 questions: 4 merge-conflicts
            hint: answer one with `mem review accept ID` or `mem review reject ID`
            hint: keep one version with `mem review accept ID --as ours`, or `theirs`
            hint: answer many, suggestions too: `mem review accept --all --kind KIND --min-chance 0.9`; preview with `--dry-run`
        "#]])
        .code(0);
}

#[test]
fn conflicts_of_a_note_are_answered_at_once() {
    let (vault, [front_matter, three]) = with_markers();
    let all = ["review", "accept", "--all", "--kind", "merge-conflict"];
    vault
        .run([&all[..], &["--min-chance", "0.5", "--as", "ours"]].concat())
        .stdout(expect![[r#"
            kept ours in three.md
            kept ours in matter.md
            kept ours in three.md
            kept ours in three.md
        "#]])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    vault.assert_text(
        "matter.md",
        expect![[r#"
        ---
        title: A
        tags: [a]
        up: 1
        ---
        Tea.
    "#]],
    );
    vault.assert_text(
        "three.md",
        expect![[r#"
        One [[matter]].

        One.

        - x
        - a
    "#]],
    );
    vault.run(["undo"]).raw();
    assert_eq!(vault.read("matter.md"), front_matter);
    assert_eq!(vault.read("three.md"), three);
    vault
        .run([&all[..], &["--min-chance", "0.5"]].concat())
        .raw();
    vault.assert_text(
        "matter.md",
        expect![[r#"
        ---
        title: A
        # title: B
        tags: [a]
        up: 1
        # up: 2
        ---
        Tea.
    "#]],
    );
    vault.assert_text(
        "three.md",
        expect![[r#"
        One [[matter]].

        Two.

        One.

        Two.

        - x
        - a
        - b
    "#]],
    );
    // The same conflict is asked again after a yes, but not after a no.
    vault.write("three.md", &three);
    vault
        .run(["review", "reject", "--all", "--kind", "merge-conflict"])
        .stdout(expect![[r#"
            rejected: keep both versions in three.md
            rejected: keep both versions in three.md
            rejected: keep both versions in three.md
        "#]])
        .stderr(expect![[r#"
            hint: ask again with `mem review forget e05e5c52`
        "#]])
        .code(0);
    vault
        .run(["review", "--all"])
        .stderr(expect!["no open questions"])
        .code(1);
}

#[test]
fn doctor_names_conflict_markers() {
    let vault = TestVault::of([
        (
            "a.md",
            "One.\n\n<<<<<<< ours (refused_by: both sides changed this block)\na\n=======\nb\n>>>>>>> theirs\n",
        ),
        (
            "b.md",
            "---\n# <<<<<<< ours (refused_by: both sides changed `n`)\nn: 1\n# =======\n# n: 2\n# >>>>>>> theirs\n---\n",
        ),
        ("c.md", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"),
        (
            "d.md",
            "```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n```\n\n<<<<<<< alone\n\n>>>>>>> and reversed\n\n=======\n",
        ),
        (
            "e.md",
            "```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n```\n\n<<<<<<< HEAD\nc\n=======\nd\n>>>>>>> other\n",
        ),
        (
            "f.md",
            "```\n<<<<<<< HEAD\na\n```\n=======\nb\n```\n>>>>>>> other\n",
        ),
    ]);
    vault
        .run(["doctor"])
        .stdout(expect![[r#"
            a.md:3: conflict-markers: contains both versions of a merge: both sides changed this block; keep one with `mem review` or by hand
            b.md:2: conflict-markers: contains both versions of a merge: both sides changed `n`; keep one with `mem review` or by hand
            c.md:1: conflict-markers: contains both versions of a merge; keep one with `mem review` or by hand
            e.md:9: conflict-markers: contains both versions of a merge; keep one with `mem review` or by hand
            f.md:2: conflict-markers: contains both versions of a merge; keep one with `mem review` or by hand
        "#]])
        .stderr(expect!["5 problems in 5 files"])
        .code(1);
}
