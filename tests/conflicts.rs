//! `mem conflicts`

use expect_test::{Expect, expect};

use crate::support::TestVault;
use crate::support::records::{AnswerRecord, Dedupe, Question};

/// Returns a dated note, as a person writes one.
fn dated(day: &str, text: &str) -> String {
    format!("---\ncreated: {day}\ntags: [database]\n---\n{text}\n")
}

/// A decision, its replacement, and a later statement.
fn ormah() -> TestVault {
    TestVault::of([
        (
            "chose.md",
            &dated(
                "2026-01-01",
                "We chose SQLite for Ormah: one file, no server to run.",
            ),
        ),
        (
            "switched.md",
            &dated(
                "2026-02-01",
                "We switched Ormah from SQLite to Postgres: two writers kept locking each other out.",
            ),
        ),
        ("uses.md", &dated("2026-03-01", "Ormah uses SQLite.")),
        ("tea.md", "The kettle sings at ninety degrees.\n"),
    ])
}

fn conflicts(vault: &TestVault, arguments: &[&str]) -> Dedupe {
    let mut all = vec!["-q", "conflicts", "--json"];
    all.extend(arguments);
    vault.run(all).json(0)
}

#[test]
fn supersessions_are_stated_asked_and_undone() {
    let vault = ormah();
    let switched = vault.read("switched.md");
    vault.write(
        "switched.md",
        &format!("{}\n\nReplaces [[chose]].\n", switched.trim_end()),
    );
    let before = vault.tree();
    // These are a person's notes, so nothing is applied unasked.
    let asked = conflicts(&vault, &[]);
    assert_eq!((asked.groups.len(), asked.needs_answer), (0, 2));
    before.assert_same(&vault.tree());
    let shown = conflicts(&vault, &["--dry-run", "--apply", "all"]);
    assert_eq!(shown.groups.len(), 1);
    let diff = shown.groups[0].diff.as_deref().unwrap();
    assert!(
        diff.contains("\n+evolved_from: [\"[[chose]]\"]\n"),
        "{diff}"
    );
    before.assert_same(&vault.tree());

    let done = conflicts(&vault, &["--apply", "all"]);
    assert_eq!((done.groups.len(), done.needs_answer), (1, 1));
    assert_eq!(
        done.groups[0].title,
        "record that switched.md replaces chose.md"
    );
    assert!(
        done.groups[0]
            .reason
            .ends_with("2026-02-01 is newer than 2026-01-01"),
        "{}",
        done.groups[0].reason
    );
    assert_eq!(before.changes(&vault.tree()), ["~ switched.md"]);
    let again = conflicts(&vault, &["--apply", "all"]);
    assert_eq!((again.groups.len(), again.needs_answer), (0, 1));
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
    // An undo rejects the proposal.
    let again = conflicts(&vault, &["--apply", "all", "--full"]);
    assert_eq!((again.groups.len(), again.needs_answer), (0, 1));
}

#[test]
fn both_statements_are_quoted() {
    let vault = ormah();
    let asked = conflicts(&vault, &["uses"]);
    let question = &asked.questions[0];
    let sides: Vec<_> = question.notes.iter().zip(&question.quotes).collect();
    let switched =
        "We switched Ormah from SQLite to Postgres: two writers kept locking each other out";
    assert_eq!(
        sides,
        [
            (&"uses.md".to_owned(), &"Ormah uses SQLite".to_owned()),
            (&"switched.md".to_owned(), &switched.to_owned())
        ]
    );
    vault
        .run(["-q", "conflicts", "uses"])
        .naming(&question.id[..8], "$ID")
        .stdout(expect![[r#"
            $ID Does uses.md contradict switched.md? (“switched”: away from “SQLite” to “Postgres”; 2026-03-01 is newer than 2026-02-01)
              uses.md: “Ormah uses SQLite”
              switched.md: “We switched Ormah from SQLite to Postgres: two writers kept locking each other out”
        "#]])
        .code(0);
}

#[test]
fn single_note_is_checked_by_name() {
    let vault = ormah();
    assert_eq!(conflicts(&vault, &["uses"]).needs_answer, 1);
    assert_eq!(conflicts(&vault, &["tag:database"]).needs_answer, 2);
    vault
        .run(["conflicts", "tea"])
        .stdout(expect!["no conflicts"])
        .code(0);
}

#[test]
fn answer_gives_the_direction() {
    let vault = ormah();
    let open: Vec<Question> = vault
        .run(["review", "--jsonl", "--kind", "conflict"])
        .jsonl(0);
    let about_uses = open
        .iter()
        .find(|asked| asked.notes.iter().any(|note| note == "uses.md"))
        .unwrap();
    assert_eq!(about_uses.notes, ["uses.md", "switched.md"]);
    assert_eq!(
        about_uses.answers,
        ["yes", "no", "evolved_from", "replaced_by", "contradicts"]
    );
    let line = format!(r#"{{"id": "{}", "answer": "evolved_from"}}"#, about_uses.id);
    let run = vault.command(["-q", "review", "--jsonl", "--apply", "-"]);
    let answered: Vec<AnswerRecord> = run.stdin(&line).run().jsonl(0);
    assert_eq!(answered[0].outcome, "applied");
    assert!(
        vault
            .read("uses.md")
            .contains("evolved_from: [\"[[switched]]\"]")
    );
    assert!(!vault.read("switched.md").contains("evolved_from"));
    vault
        .run(["review", "--decided", "--kind", "conflict", "-q"])
        .naming(&about_uses.id[..8], "$ID")
        // In an order that no job chooses.
        .naming(&decided(&vault), "$ANSWER")
        .stdout(expect![[r#"
            $ID 2026-04-01 12:00  conflict $ANSWER  (review)
        "#]])
        .code(0);
    // A replaced note no longer takes part in conflicts.
    assert_eq!(conflicts(&vault, &["--full"]).needs_answer, 0);
}

#[test]
fn a_longer_note_of_a_person_is_not_replaced_unasked() {
    let facts = "Ormah uses SQLite. Anna brought the keys back. The cat likes tuna.";
    let vault = TestVault::of([("My diary.md", &dated("2026-01-01", facts))]);
    let remember = |text: &str| {
        let remember = ["-q", "remember", "--by", "agent", "--created", "2026-03-01"];
        assert_eq!(vault.run([&remember[..], &[text]].concat()).raw().code, 0);
        let done = conflicts(&vault, &[]);
        (done.groups.len(), done.needs_answer)
    };
    assert_eq!(
        remember("Ormah uses Postgres now. Replaces [[My diary]]."),
        (0, 1)
    );
    vault.write("My diary.md", &dated("2026-01-01", "Ormah uses SQLite."));
    assert_eq!(remember("The disk is full. Replaces [[My diary]]."), (2, 0));
}

/// Returns the journal's record that `uses.md` replaced `switched.md`.
fn decided(vault: &TestVault) -> String {
    let outcome = vault.run(["-q", "review", "--decided"]).raw();
    let told = [
        "evolved_from: uses.md, switched.md",
        "replaced_by: switched.md, uses.md",
    ];
    let found = told.into_iter().find(|told| outcome.stdout.contains(told));
    found.unwrap_or_else(|| panic!("{outcome:?}")).to_owned()
}

#[test]
fn an_applied_answer_is_not_forgotten() {
    let vault = ormah();
    let question = conflicts(&vault, &["switched"]).questions;
    let id = &question[0].id;
    assert_eq!(vault.run(["-q", "review", "accept", id]).raw().code, 0);
    let accepted = vault.tree();
    for command in ["accept", "forget"] {
        let refused = vault.run(["review", command, id]).raw();
        assert_eq!(refused.code, 2, "{refused:?}");
        let hint = "`mem undo 757x` reverts the change and reopens the question";
        assert!(refused.stderr.contains(hint), "{refused:?}");
    }
    let kept = vault.run(["review", "forget", "--all"]).raw();
    assert!(kept.stderr.contains("`mem undo 757x`"), "{kept:?}");
    accepted.assert_same(&vault.tree());
    assert_eq!(vault.run(["-q", "undo", "757x"]).raw().code, 0);
    assert_eq!(conflicts(&vault, &["switched"]).questions[0].id, *id);
}

#[test]
fn kept_notes_are_not_replaced_unasked() {
    let vault = ormah();
    let kept = vault.read("chose.md").replace("tags:", "keep: true\ntags:");
    vault.write("chose.md", &kept);
    let earlier = vault.read("uses.md").replace("2026-03-01", "2026-01-15");
    vault.write("uses.md", &earlier);
    let done = vault
        .command(["-q", "conflicts", "--json", "--apply", "all"])
        .env("MEM_CONFLICTS_RESOLVE", "true")
        .run();
    let done: Dedupe = done.json(0);
    // There is no question whether another note replaces it.
    assert_eq!((done.groups.len(), done.needs_answer), (0, 1));
    vault
        .command(["-q", "review", "accept", "--all", "--kind", "conflict"])
        .env("MEM_CONFLICTS_RESOLVE", "true")
        .run()
        .raw();
    assert_eq!(vault.read("chose.md"), kept);
    assert!(vault.read("uses.md").contains("valid_until: "));
}

#[test]
fn only_configured_types_are_compared() {
    let vault = ormah();
    let of_types = |types: &str| -> usize {
        let run = vault
            .command(["-q", "conflicts", "--json", "--full"])
            .env("MEM_CONFLICTS_TYPES", types);
        run.run().json::<Dedupe>(0).needs_answer
    };
    let of_no_note = |types: &str, told: Expect| {
        let run = vault
            .command(["conflicts", "--full"])
            .env("MEM_CONFLICTS_TYPES", types);
        let none = expect!["no conflicts"];
        run.run().stdout(none).stderr(told).code(0);
    };
    assert_eq!(of_types("usual"), 2);
    // These have no type.
    of_no_note(
        "ormah",
        expect![[r#"
        warning: no note has a type in `conflicts.types` (preference, fact, observation, goal); existing types: untyped
    "#]],
    );
    of_no_note(
        "meeting note, foo",
        expect![[r#"
        warning: no note has a type in `conflicts.types` (meeting note, foo); existing types: untyped
    "#]],
    );
    assert_eq!(of_types("all"), 2);
    assert_eq!(of_types("meeting note, untyped"), 2);
    assert_eq!(of_types("event, untyped"), 2);
}
