//! A search reflects the current notes without an explicit index run or a delay.

use std::fs;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::Search;

/// Returns the paths of the notes that contain `word`; requires an empty stderr.
#[track_caller]
fn saying(vault: &TestVault, word: &str) -> Vec<String> {
    let outcome = vault
        .run(["search", "--mode", "lexical", "--json", "-n", "100", word])
        .raw();
    let says_nothing = outcome.stderr.starts_with("no matches");
    let is_quiet = outcome.stderr.is_empty();
    assert!(
        if outcome.code == 0 {
            is_quiet
        } else {
            says_nothing
        },
        "{outcome:?}"
    );
    let record: Search = serde_json::from_str(&outcome.stdout).unwrap();
    let mut paths: Vec<String> = record.hits.into_iter().map(|hit| hit.path).collect();
    paths.sort();
    paths
}

#[test]
fn in_place_saves_are_found() {
    let vault = TestVault::indexed("sample");
    // Same length and same clock tick, as fast as a program can save.
    for word in ["zucchini", "zeppelin", "zoologic"] {
        vault.write("tea/Oolong.md", &format!("The {word} blooms.\n"));
        assert_eq!(saying(&vault, word), ["tea/Oolong.md"]);
        assert_eq!(saying(&vault, "tieguanyin"), [""; 0]);
    }
}

#[test]
fn replaced_files_are_found() {
    let vault = TestVault::indexed("sample");
    for word in ["zucchini", "zeppelin", "zoologic"] {
        vault.write("tea/.Oolong.md.swp", &format!("The {word} blooms.\n"));
        fs::rename(
            vault.path("tea/.Oolong.md.swp"),
            vault.path("tea/Oolong.md"),
        )
        .unwrap();
        assert_eq!(saying(&vault, word), ["tea/Oolong.md"]);
    }
    assert_eq!(saying(&vault, "zeppelin"), [""; 0]);
}

#[test]
fn added_and_deleted_notes_are_noticed() {
    let vault = TestVault::indexed("sample");
    for path in [
        "zucchini.md",
        "garden/2025/zucchini.md",
        "new/zucchini.md",
        "new/er/zucchini.md",
    ] {
        vault.write(path, "Zucchini.\n");
        assert_eq!(saying(&vault, "zucchini"), [path]);
        fs::remove_file(vault.path(path)).unwrap();
        assert_eq!(saying(&vault, "zucchini"), [""; 0], "{path}");
    }
    vault.write("new/er/a.md", "Zucchini.\n");
    vault.write("new/b.md", "Zucchini.\n");
    assert_eq!(saying(&vault, "zucchini"), ["new/b.md", "new/er/a.md"]);
    fs::remove_dir_all(vault.path("new")).unwrap();
    assert_eq!(saying(&vault, "zucchini"), [""; 0]);
}

#[test]
fn renamed_notes_and_folders_are_noticed() {
    let vault = TestVault::indexed("sample");
    assert_eq!(saying(&vault, "tieguanyin"), ["tea/Oolong.md"]);
    fs::rename(vault.path("tea/Oolong.md"), vault.path("tea/Blue tea.md")).unwrap();
    assert_eq!(saying(&vault, "tieguanyin"), ["tea/Blue tea.md"]);
    fs::rename(vault.path("tea/Blue tea.md"), vault.path("Blue tea.md")).unwrap();
    assert_eq!(saying(&vault, "tieguanyin"), ["Blue tea.md"]);
    fs::rename(vault.path("work"), vault.path("office")).unwrap();
    let office = ["office/Incident 2026-02-11.md"];
    assert_eq!(
        saying(&vault, "\"incident 2026-02-11\" path:office -postgres"),
        office
    );
    vault
        .run(["index"])
        .stdout(expect!["41 notes, no changes"])
        .code(0);
}

#[test]
fn bulk_changes_are_noticed() {
    let vault = TestVault::indexed("sample");
    for number in 0..120 {
        vault.write(
            &format!("many/{number}.md"),
            &format!("Zucchini number {number}.\n"),
        );
    }
    let outcome = vault.run(["search", "-n", "1", "zucchini"]).raw();
    assert_eq!(
        (outcome.code, outcome.stderr.as_str()),
        (0, "indexed 120 changed notes\n")
    );
    assert_eq!(saying(&vault, "zucchini").len(), 100);
}

#[test]
fn no_sync_gives_the_old_answer() {
    let vault = TestVault::indexed("sample");
    vault.write("zucchini.md", "Zucchini.\n");
    vault
        .run(["--no-sync", "search", "zucchini"])
        .stderr(expect!["no matches: no note contains `zucchini`"])
        .code(1);
    assert_eq!(saying(&vault, "zucchini"), ["zucchini.md"]);
}

#[test]
fn newly_excluded_notes_disappear() {
    let vault = TestVault::indexed("sample");
    assert_eq!(saying(&vault, "tieguanyin"), ["tea/Oolong.md"]);
    for (file, rule) in [
        (".memignore", "tea/\n"),
        (".gitignore", "Oolong.md\n"),
        ("tea/.gitignore", "Oo*\n"),
    ] {
        vault.write(file, rule);
        assert_eq!(saying(&vault, "tieguanyin"), [""; 0], "{file}");
        fs::remove_file(vault.path(file)).unwrap();
        assert_eq!(saying(&vault, "tieguanyin"), ["tea/Oolong.md"], "{file}");
    }
}

#[test]
fn reading_commands_sync_first() {
    let vault = TestVault::indexed("sample");
    vault.write("zucchini.md", "---\ntags: [marrow]\n---\nZucchini.\n");
    vault
        .run(["show", "zucchini"])
        .stdout(expect![[r#"
            ---
            tags: [marrow]
            ---
            Zucchini.
        "#]])
        .code(0);
    vault.write("marrow.md", "---\ntags: [marrow]\n---\nMarrow.\n");
    vault
        .run(["list", "tag:marrow"])
        .stdout(expect![[r#"
            marrow.md
            zucchini.md
        "#]])
        .code(0);
    vault.write("Green tea copy.md", &vault.read("Green tea.md"));
    vault.write("Oolong copy.md", &vault.read("tea/Oolong.md"));
    vault
        .run(["dedupe", "tieguanyin"])
        .stdout(expect![[r#"
            19b5dfaa Merge Oolong copy.md into tea/Oolong.md? (same text)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind merge`
        "#]])
        .code(0);
}
