//! `mem index`

use std::process::Command;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{Index, JobState, Search, Status};

#[test]
fn index_pass_reports_changes() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["index"])
        .stdout(expect!["41 notes, no changes"])
        .code(0);
    vault.edit("tea/Oolong.md", "Five grams", "Six grams");
    std::fs::rename(vault.path("Home.md"), vault.path("Start here.md")).unwrap();
    std::fs::remove_file(vault.path("garden/Compost.md")).unwrap();
    vault.write("new/folder/note.md", "New.\n");
    vault.write("new/other.md", "Other.\n");
    vault
        .run(["index"])
        .stdout(expect![[r#"
            42 notes: 2 added, 1 changed, 1 moved, 1 removed
        "#]])
        .stderr(expect![[r#"
            hint: `mem doctor --fix` updates links to moved notes
        "#]])
        .code(0);
    let record: Index = vault.run(["index", "--json"]).json(0);
    assert_eq!((record.notes, record.problems), (42, Vec::new()));
    assert_eq!(
        record.added + record.changed + record.moved + record.removed,
        0
    );
    assert!(record.seconds.is_some());
}

#[test]
fn first_pass_and_rebuild_index_everything() {
    let vault = TestVault::from("sample");
    vault
        .run(["index"])
        .stdout(expect!["41 notes: 41 added"])
        .stderr(expect!["indexed 41 notes"])
        .code(0);
    // Also with the seed of the current index.
    vault
        .run(["index", "--rebuild"])
        .stdout(expect!["41 notes: 41 added"])
        .code(0);
    vault
        .run(["index"])
        .stdout(expect!["41 notes, no changes"])
        .code(0);
}

#[test]
fn empty_vault_is_indexed() {
    let vault = TestVault::empty();
    vault
        .run(["index"])
        .stdout(expect!["0 notes, no changes"])
        .stderr(expect!["indexed 0 notes"])
        .code(0);
    vault
        .run(["index"])
        .stdout(expect!["0 notes, no changes"])
        .code(0);
}

#[test]
fn single_notes_are_indexed_by_name_or_path() {
    let vault = TestVault::indexed("sample");
    vault.write("inbox/new.md", "New.\n");
    vault.edit("tea/Oolong.md", "Five grams", "Six grams");
    vault
        .run(["index", "inbox/new.md", "Oolong"])
        .stdout(expect!["42 notes: 1 added, 1 changed"])
        .code(0);
    vault
        .run(["index"])
        .stdout(expect!["42 notes, no changes"])
        .code(0);
    for name in ["Zucchini", "../outside.md"] {
        vault
            .run(["index", name])
            .naming(name, "$NAME")
            .stderr(expect![[r#"
                error: no note matches `$NAME`
                hint: search the notes with `mem search $NAME`
            "#]])
            .code(2);
    }
}

#[test]
fn own_removals_of_most_notes_are_no_alarm() {
    let vault = TestVault::empty();
    let texts = (0..60).map(|n| format!("{{\"text\": \"Jar {n} is on shelf {n}.\"}}\n"));
    let remember = vault.command(["-q", "remember", "--jsonl", "-", "--in", "jars"]);
    let run = remember.stdin(&texts.collect::<String>()).run().raw();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (cache, older) = (vault.home(".cache"), vault.home("older"));
    let code = |arguments: &[&str]| vault.run(arguments).raw().code;
    assert_eq!(code(&["search", "jar"]), 0);
    let names = std::fs::read_dir(vault.path("jars")).unwrap();
    let names = names.map(|name| format!("jars/{}", name.unwrap().file_name().display()));
    let names: Vec<String> = names.collect();
    let remove_all = [
        &["rm"][..],
        &names.iter().map(String::as_str).collect::<Vec<_>>(),
    ]
    .concat();
    for removal in [&["undo"][..], &remove_all] {
        let copy = Command::new("cp").arg("-R").args([&cache, &older]).status();
        assert!(copy.unwrap().success());
        assert_eq!(code(removal), 0, "{removal:?}");
        let search = vault.run(["search", "jar"]);
        search
            .stderr(expect!["no matches: no note contains `jar`"])
            .code(1);
        // The index as if the run had been killed before the update.
        std::fs::remove_dir_all(&cache).unwrap();
        std::fs::rename(&older, &cache).unwrap();
        let index = vault.run(["-q", "index"]);
        index.stdout(expect!["0 notes: 60 removed"]).code(0);
        let runs: Vec<serde_json::Value> = vault.run(["history", "--jsonl"]).jsonl(0);
        let removed_by = runs[0]["run"].as_str().unwrap();
        assert_eq!(code(&["undo", removed_by]), 0, "{removal:?}");
        assert_eq!(code(&["search", "jar"]), 0, "{removal:?}");
    }
    // Once they are back, their loss is not mem's removal.
    std::fs::rename(vault.path("jars"), vault.home("jars")).unwrap();
    assert_eq!(code(&["search", "jar"]), 2);
}

#[test]
fn suddenly_empty_vault_is_refused() {
    let vault = TestVault::indexed("sample");
    let away = vault.home("away");
    std::fs::create_dir(&away).unwrap();
    let move_all = |from: &std::path::Path, to: &std::path::Path| {
        for entry in std::fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            if name != ".mem" {
                std::fs::rename(from.join(&name), to.join(&name)).unwrap();
            }
        }
    };
    move_all(&vault.path(""), &away);
    let unbelievable = || {
        expect![[r#"
            error: 41 of 41 notes are missing from the vault; the index was left unchanged
            hint: is the disk mounted? `mem index --rebuild` accepts the vault as it is now
        "#]]
    };
    for arguments in [&["index"][..], &["sleep"], &["search", "oolong"], &["list"]] {
        vault.run(arguments).stderr(unbelievable()).code(2);
    }
    // A failed sleep does not count as success, and a dry run leaves no trace.
    let state = |vault: &TestVault| -> JobState {
        vault
            .run(["status", "--json"])
            .json::<Status>(0)
            .jobs
            .remove("index")
            .unwrap()
    };
    let failed = state(&vault);
    assert_eq!((failed.runs, failed.errors), (2, 1));
    let said = failed.last_error.unwrap();
    assert!(unbelievable().data().contains(&said), "{said}");
    let before = vault.whole_tree();
    vault
        .run(["sleep", "--dry-run"])
        .stderr(unbelievable())
        .code(2);
    before.assert_same(&vault.whole_tree());
    // After the return of the folder nothing is lost.
    move_all(&away, &vault.path(""));
    vault
        .run(["index"])
        .stdout(expect!["41 notes, no changes"])
        .code(0);
    move_all(&vault.path(""), &away);
    vault
        .run(["index", "--rebuild"])
        .stdout(expect!["0 notes, no changes"])
        .code(0);
}

#[test]
fn unreadable_note_is_reported_and_keeps_its_last_row() {
    let vault = TestVault::of([("a.md", "Old words.\n"), ("b.md", "Other words.\n")]);
    std::fs::write(vault.path("a.md"), b"Old \xff words.\n").unwrap();
    vault
        .run(["index"])
        .stdout(expect!["2 notes, no changes"])
        .stderr(expect![[r#"
            warning: skipped `a.md`: it is not UTF-8 text (byte 4)
        "#]])
        .code(0);
    let record: Search = vault.run(["search", "--json", "old"]).json(0);
    assert_eq!(record.hits[0].path, "a.md");
}
