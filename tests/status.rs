//! `mem status`

use expect_test::expect;

use crate::support::records::Status;
use crate::support::{TestVault, job_names};

#[test]
fn status_builds_no_index() {
    let vault = TestVault::from("sample");
    let before = vault.whole_tree();
    vault
        .run(["status"])
        .stdout(expect![[r#"
            vault       $VAULT
            index       not built yet: the next search builds it
            jobs        never run, due
        "#]])
        .code(0);
    before.assert_same(&vault.whole_tree());
    assert!(!vault.home(".cache").exists());
}

#[test]
fn status_reports_index_and_jobs() {
    let vault = TestVault::from("messy");
    let outcome = vault.run(["--quiet", "sleep"]).raw();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    vault
        .run(["status"])
        .stdout(expect![[r#"
            vault       $VAULT
            index       30 notes, fresh; last full scan 2026-04-01 12:00
            properties  of 5 notes cannot be read; `mem doctor` says where
            vectors     99 passages by all-MiniLM-L6-v2/static-256-int4/1, exact search
            jobs        ran 2026-04-01 12:00, next 2026-04-02 12:00
                        dedupe, conflicts, link, spaces, consolidate, split, decay, views, settle
            jobs        ran 2026-04-01 12:00, next 2026-04-08 12:00
                        associate, cluster
            review      2 questions, 1 suggestion
            skipped 1 file
              latin-1.md: it is not UTF-8 text (byte 13)
        "#]])
        .code(0);
    vault.write("new.md", "New.\n");
    vault.at("2026-04-02T12:00:00Z");
    vault
        .run(["status"])
        .stdout(expect![[r#"
            vault       $VAULT
            index       30 notes, stale: the next search updates it; last full scan 2026-04-01 12:00
            properties  of 5 notes cannot be read; `mem doctor` says where
            vectors     99 passages by all-MiniLM-L6-v2/static-256-int4/1, exact search
            jobs        ran 2026-04-01 12:00, due
                        dedupe, conflicts, link, spaces, consolidate, split, decay, views, settle
            jobs        ran 2026-04-01 12:00, next 2026-04-08 12:00
                        associate, cluster
            review      2 questions, 1 suggestion, notes changed since
            skipped 1 file
              latin-1.md: it is not UTF-8 text (byte 13)
        "#]])
        .code(0);
}

#[test]
fn own_writes_are_not_reported_as_changes() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["-q", "sleep", "--all", "--json"])
        .json::<serde_json::Value>(0);
    // Within one clock tick a later save is indistinguishable from mem's own.
    let is_fresh = |_| {
        let status: Status = vault.run(["status", "--json"]).json(0);
        assert_eq!(status.notes, Some(39));
        status.index == "fresh"
    };
    assert!((0..500).any(is_fresh));
}

#[test]
fn records_are_complete() {
    let vault = TestVault::from("sample");
    vault.run(["--quiet", "sleep"]).raw();
    let status: Status = vault.run(["status", "--json"]).json(0);
    assert_eq!((status.vault.as_str(), status.notes), ("$VAULT", Some(39)));
    assert!(!status.unfinished_run);
    assert_eq!(status.problems, []);
    let dedupe = &status.jobs["dedupe"];
    assert_eq!((dedupe.changed, dedupe.runs), (1, 1));
    let review = status.review.unwrap();
    let listed = vault.run(["-q", "review", "--jsonl", "--all"]).raw().stdout;
    assert!(review.questions > 0 && review.suggestions > 0, "{review:?}");
    assert_eq!(
        review.questions + review.suggestions,
        listed.lines().count()
    );
    assert_eq!(review.current, Some(true));
    assert_eq!(dedupe.last_success.as_deref(), Some("2026-04-01T12:00:00Z"));
    assert_eq!(dedupe.last_start, dedupe.last_success);
    let jobs: Vec<&str> = status.history.iter().map(|run| run.job.as_str()).collect();
    let mut expected = job_names();
    expected.insert(0, "index");
    assert!(jobs.iter().rev().eq(&expected), "{jobs:?}");
    let dedupe = jobs.iter().position(|job| *job == "dedupe").unwrap();
    assert_eq!(
        status.history[dedupe].run.as_deref(),
        Some("20260401-120000-757x")
    );
}
