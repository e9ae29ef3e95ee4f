//! `mem cluster`: a group of similar notes gets a summary and keeps it.

use expect_test::expect;

use crate::support::TestVault;

const BACKUPS: [(&str, &str); 4] = [
    (
        "Where",
        "The nightly backup of the Postgres database is stored on the server in Basel.",
    ),
    (
        "Key",
        "The nightly backup of the Postgres database is encrypted and stored on the server.",
    ),
    (
        "Again",
        "The nightly backup of the Postgres database is stored on the server once more in Bern.",
    ),
    (
        "Long",
        "The nightly backup of the Postgres database is stored on the server for thirty days.",
    ),
];

#[test]
fn summary_is_written_updated_and_undone() {
    let vault = TestVault::of([("Mine.md", "Tea at four.\n")]);
    vault
        .run(["-q", "config", "cluster.min_cosine", "0.6"])
        .raw();
    for (title, text) in &BACKUPS[..3] {
        vault.run(["-q", "remember", "--title", title, text]).raw();
    }
    vault.run(["cluster", "--dry-run"]).stdout(expect![[r#"
        would create backup-database-nightly.md
          reason: 3 notes, cosines 0.84 to 0.89
        --- /dev/null
        +++ b/backup-database-nightly.md
        @@ -0,0 +1,17 @@
        +---
        +title: Backup, database, nightly
        +type: meta
        +confidence: 0.8
        +cluster_size: 3
        +temporal_span_days: 0
        +summarizes: ["[[again]]", "[[where]]", "[[key]]"]
        +created: 2026-04-01T12:00:00Z
        +mem:
        +  by: cluster
        +  seal: "d3abfda12343dc47"
        +---
        +<!-- mem cluster -->
        +- The nightly backup of the Postgres database is stored on the server once more in Bern. ([[again]])
        +- The nightly backup of the Postgres database is encrypted and stored on the server. ([[key]])
        +- The nightly backup of the Postgres database is stored on the server in Basel. ([[where]])
        +<!-- /mem c9dacd8a -->
    "#]]).stderr(expect![""]).code(0);
    vault
        .run(["cluster"])
        .stdout(expect![[r#"
        created backup-database-nightly.md
          reason: 3 notes, cosines 0.84 to 0.89
    "#]])
        .stderr(expect!["hint: undo with `mem undo 7580`"])
        .code(0);
    vault
        .run(["cluster", "--full"])
        .stdout(expect!["nothing to summarize"])
        .code(0);
    vault
        .run(["sleep", "--all"])
        .stdout(expect![[r#"
        ran 12 jobs: 2 changes, 0 open; `mem sleep --report` lists them
    "#]])
        .code(0);
    vault
        .run(["list", "type:meta"])
        .stdout(expect!["backup-database-nightly.md"])
        .code(0);
    let (title, text) = BACKUPS[3];
    vault.run(["-q", "remember", "--title", title, text]).raw();
    vault
        .run(["cluster"])
        .stdout(expect![[r#"
        edited backup-database-nightly.md
          reason: 4 notes, cosines 0.84 to 0.89
    "#]])
        .stderr(expect!["hint: undo with `mem undo 7583`"])
        .code(0);
    vault.run(["search", "-n", "2", "nightly backup server"]).stdout(expect![[r#"
        backup-database-nightly.md:14  Backup, database, nightly
          The nightly backup of the Postgres database is stored on the server once more in Bern. (again)
        long.md:9  Long
          The nightly backup of the Postgres database is stored on the server for thirty days.
    "#]]).code(0);
    // An undone summary is not written again.
    vault.run(["-q", "undo"]).raw();
    vault
        .run(["cluster", "--full"])
        .stdout(expect!["nothing to summarize"])
        .code(0);
    vault
        .run(["undo", "20260401-120000-7580"])
        .stdout(expect![[r#"
            undid cluster backup-database-nightly.md (just now)
        "#]])
        .stderr(expect!["hint: redo with `mem undo 7585`"])
        .code(0);
    vault
        .run(["cluster", "--full"])
        .stdout(expect!["nothing to summarize"])
        .code(0);
    vault
        .run(["list", "type:meta"])
        .stdout(expect![""])
        .stderr(expect!["no matches"])
        .code(1);
}

#[test]
fn summary_of_what_ended_is_marked_and_rewritten() {
    let expected = |why: &str| Some(format!("may be out of date: {why}"));
    for (change, why) in [
        (
            &["edit", "key", "--outdated=2026-03-01"][..],
            "quotes key.md, which ended or was removed",
        ),
        (&["rm", "key"], "quotes key, which ended or was removed"),
        (
            &[
                "remember",
                "--replaces",
                "key",
                "The backup is not encrypted any more.",
            ],
            "newer in the-backup-is-not-encrypted-any-more.md",
        ),
    ] {
        let vault = TestVault::empty();
        vault
            .run(["-q", "config", "cluster.min_cosine", "0.6"])
            .raw();
        for (title, text) in BACKUPS {
            vault.run(["-q", "remember", "--title", title, text]).raw();
        }
        vault.run(["-q", "cluster"]).raw();
        let mark = || {
            let recalled = vault.run(["recall", "nightly", "backup", "database", "server"]);
            let recalled = recalled.raw().stdout;
            let mut heads = recalled.lines();
            let head = heads.find(|line| line.starts_with("## backup-database-nightly.md"));
            let marked = head.unwrap_or_default().split_once("), ");
            marked.map(|(_, mark)| mark.to_owned())
        };
        assert_eq!(mark(), None);
        let outcome = vault.run(["-q"].iter().chain(change).copied()).raw();
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert_eq!(mark(), expected(why), "{change:?}");
        vault.run(["-q", "cluster"]).raw();
        let summary = vault.read("backup-database-nightly.md");
        assert!(!summary.contains("encrypted"), "{change:?}: {summary}");
        assert_eq!(mark(), None, "{change:?}");
    }
}

#[test]
fn former_members_leave_the_summary() {
    let vault = TestVault::empty();
    vault
        .run(["-q", "config", "cluster.min_cosine", "0.6"])
        .raw();
    for (title, text) in BACKUPS {
        vault.run(["-q", "remember", "--title", title, text]).raw();
    }
    vault.run(["-q", "cluster"]).raw();
    // Nothing else changed.
    std::fs::remove_file(vault.path("key.md")).unwrap();
    vault
        .run(["cluster"])
        .stdout(expect![[r#"
            edited backup-database-nightly.md
              reason: 3 notes, cosines 0.86 to 0.89
        "#]])
        .stderr(expect!["hint: undo with `mem undo 7582`"])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    vault.write("key.md", "");
    vault
        .run(["-q", "edit", "long", "--set", "tier=forgotten"])
        .raw();
    vault
        .run(["cluster"])
        .stdout(expect![[r#"
            removed backup-database-nightly.md
              reason: its notes no longer form a group
        "#]])
        .stderr(expect!["hint: undo with `mem undo 7585`"])
        .code(0);
    vault
        .run(["cluster"])
        .stdout(expect!["nothing to summarize"])
        .code(0);
}

#[test]
fn handwritten_vault_gets_a_hint_and_then_questions() {
    let notes = BACKUPS.map(|(title, text)| (format!("{title}.md"), format!("{text}\n")));
    let vault = TestVault::of(notes.each_ref().map(|(path, text)| (&**path, &**text)));
    vault
        .run(["-q", "config", "cluster.min_cosine", "0.6"])
        .raw();
    for job in ["cluster", "consolidate", "associate", "decay", "forget"] {
        let hint = format!(
            "hint: no note was written by mem or an agent; `mem config {job}.notes all` includes yours\n"
        );
        assert_eq!(vault.run([job]).raw().stderr, hint);
    }
    vault
        .run(["split"])
        .stdout(expect![[r#"
            nothing to split: no note by mem or an agent has several unrelated facts
        "#]])
        .stderr(expect![""])
        .code(0);
    vault.run(["-q", "config", "cluster.notes", "all"]).raw();
    vault
        .run(["cluster"])
        .stdout(expect![[r#"
            83c4b215 Summarize Again.md, Where.md, Long.md and Key.md in backup-database-nightly.md? (4 notes, cosines 0.84 to 0.89)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind cluster`
        "#]])
        .code(0);
}
