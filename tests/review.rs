//! `mem review`

use std::fs;

use crate::support::TestVault;
use crate::support::records::{Answered, Question, Review};

fn questions(vault: &TestVault) -> Vec<Question> {
    vault.run(["review", "--jsonl"]).jsonl(0)
}

#[test]
fn open_questions_are_listed_with_what_would_change() {
    let vault = TestVault::indexed("sample");
    let before = vault.whole_tree();
    vault
        .run(["review"])
        .stdout(
            "
            1be7e61f merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? (same title, 95 % of the wording is the same)
            0c4146e8 merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md? (same title, 97 % of the wording is the same)
            ed2f0e78 merge garden/2025/Tomatoes.md into garden/Tomatoes.md? (same title, 80 % of the shorter one stands in the longer one)
            ",
        )
        .stderr("hint: `mem review accept ID` or `mem review reject ID` answers one\n")
        .code(0);
    let lines = questions(&vault);
    let record: Review = vault.run(["review", "--json"]).json(0);
    let ids = |questions: &[Question]| -> Vec<String> {
        questions
            .iter()
            .map(|question| question.id.clone())
            .collect()
    };
    assert_eq!(ids(&lines), ids(&record.questions));
    let tea = &lines[0];
    assert_eq!(
        (tea.kind.as_str(), tea.certain, lines[2].certain),
        ("merge", true, false)
    );
    assert_eq!(
        tea.notes,
        [
            "Green tea.md",
            "tea/Green tea (conflicted copy 2026-03-02).md"
        ]
    );
    assert_eq!(tea.answers, ["yes", "no"]);
    assert!(
        tea.diff
            .starts_with("--- a/Green tea.md\n+++ b/Green tea.md\n"),
        "{}",
        tea.diff
    );
    before.assert_same(&vault.whole_tree());
}

#[test]
fn yes_is_done_and_no_is_remembered() {
    let vault = TestVault::indexed("sample");
    let before = vault.tree();
    vault
        .run(["review", "accept", "ed2f"])
        .stdout("did merge garden/2025/Tomatoes.md into garden/Tomatoes.md\n")
        .stderr("hint: `mem undo 20260401-120000-757x` takes it back\n")
        .code(0);
    assert_eq!(
        before.changes(&vault.tree()),
        ["- garden/2025/Tomatoes.md", "~ garden/Tomatoes.md"]
    );
    vault
        .run(["review", "reject", "--all"])
        .stdout(
            "
            left as it is: merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md
            left as it is: merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
            ",
        )
        .code(0);
    vault.run(["review"]).stderr("no open questions\n").code(1);
    vault
        .run(["review", "--jsonl"])
        .stderr("no open questions\n")
        .code(1);
    vault
        .run(["dedupe", "--apply", "all"])
        .stdout("no duplicates\n")
        .code(0);
    // What is said anew is asked anew.
    vault.edit(
        "Green tea.md",
        "that is worth the money",
        "that is worth every coin",
    );
    assert_eq!(questions(&vault).len(), 1);
}

#[test]
fn a_script_answers_line_by_line() {
    let vault = TestVault::indexed("sample");
    let open = questions(&vault);
    let [tea, anna, tomatoes] = [0, 1, 2].map(|at: usize| open[at].id.clone());
    // The text behind this question changes before the answer comes.
    vault.edit(
        "garden/2025/Tomatoes.md",
        "Blight again.",
        "Blight, again and again.",
    );
    let answers = [
        format!(r#"{{"id": "{tea}", "answer": "yes", "by": "script"}}"#),
        format!(r#"{{"id": "{anna}", "answer": "no"}}"#),
        format!(r#"{{"id": "{tomatoes}", "answer": "yes"}}"#),
        format!(r#"{{"id": "{tea}", "answer": "no"}}"#),
        r#"{"id": "xyz", "answer": "no"}"#.to_owned(),
        format!(r#"{{"id": "{anna}", "answer": "perhaps"}}"#),
        "nonsense".to_owned(),
    ]
    .join("\n");
    let before = vault.tree();
    let run = vault
        .command(["-q", "review", "--jsonl", "--apply", "-"])
        .stdin(&answers)
        .run();
    let answered: Vec<Answered> = run.jsonl(1);
    let outcomes: Vec<&str> = answered
        .iter()
        .map(|answer| answer.outcome.as_str())
        .collect();
    assert_eq!(
        outcomes,
        [
            "applied",
            "remembered",
            "stale",
            "stale",
            "stale",
            "invalid",
            "invalid"
        ]
    );
    assert_eq!(answered[0].run.as_deref(), Some("20260401-120000-757x"));
    assert_eq!(
        answered[2].why.as_deref(),
        Some("no such question is open; its notes may have changed")
    );
    assert_eq!(
        answered[3].why.as_deref(),
        Some("it was answered by an earlier line")
    );
    assert_eq!(
        before.changes(&vault.tree()),
        [
            "~ Green tea.md",
            "~ daily/2026-03-02.md",
            "~ garden/Compost.md",
            "- tea/Green tea (conflicted copy 2026-03-02).md"
        ]
    );
    let journal = walkdir::WalkDir::new(vault.path(".mem/journal"));
    let decisions: String = journal
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| fs::read_to_string(entry.path()).unwrap())
        .collect();
    assert_eq!(decisions.lines().count(), 2);
    assert!(decisions.contains("\"by\":\"script\""), "{decisions}");
}

#[test]
fn answers_come_from_a_file_too() {
    let vault = TestVault::indexed("sample");
    let id = questions(&vault)[2].id.clone();
    vault.write(
        "answers.jsonl",
        &format!("{{\"id\":\"{id}\",\"answer\":\"no\"}}\n"),
    );
    vault
        .run(["review", "--apply", "answers.jsonl"])
        .stdout("left as it is: merge garden/2025/Tomatoes.md into garden/Tomatoes.md\n")
        .code(0);
    vault
        .run(["review", "--apply", "answers.jsonl"])
        .stdout(&format!(
            "stale: {id} (no such question is open; its notes may have changed)\n"
        ))
        .code(1);
    vault
        .run(["review", "--apply", "none.jsonl"])
        .stderr(
            "
            error: cannot read `none.jsonl`
            caused by: No such file or directory (os error 2)
            ",
        )
        .code(2);
}

#[test]
fn an_id_has_to_name_one_open_question() {
    let vault = TestVault::indexed("sample");
    for (id, message, hint) in [
        (
            "ffff",
            "no open question `ffff`",
            "`mem review` lists the open ones; the notes may have changed since",
        ),
        ("", "`` begins several questions", "write more of the id"),
    ] {
        let failure = vault.run(["--json", "review", "accept", id]).failure();
        assert_eq!(
            (failure.message.as_str(), &failure.hints[..]),
            (message, &[hint.to_owned()][..])
        );
    }
    let failure = vault.run(["--json", "review", "accept"]).failure();
    assert_eq!(
        failure.message,
        "the following required arguments were not provided:"
    );
}
