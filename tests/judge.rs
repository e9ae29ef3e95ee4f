//! `mem judge` with programs as judges, with good and bad replies.

use std::fs;

use expect_test::expect;

use crate::support::records::{JudgeReply, Question};
use crate::support::{Outcome, TestVault};

/// The sample vault with a program as judge, which records its questions.
struct Court {
    vault: TestVault,
}

const KINDS: [&str; 4] = ["--kind", "merge", "--kind", "conflict"];

impl Court {
    fn of(answers: &str) -> Self {
        let court = Self {
            vault: TestVault::indexed("sample"),
        };
        court.answers(answers);
        court.set("judge.command", "sh ~/judge.sh");
        court.set("judge.parallel", "1");
        court
    }

    /// Writes the script that answers a question, which is in `$q`.
    fn answers(&self, answers: &str) {
        let asked = self.vault.home("asked");
        let keeps = format!("q=$(cat); printf '%s\\n' \"$q\" >> {}", asked.display());
        fs::write(self.vault.home("judge.sh"), format!("{keeps}\n{answers}\n")).unwrap();
    }

    fn set(&self, key: &str, value: &str) {
        let outcome = self.vault.run(["-q", "config", key, value]).raw();
        assert_eq!(outcome.code, 0, "{outcome:?}");
    }

    fn judge(&self, arguments: &[&str]) -> crate::support::Run {
        let all = ["judge"].iter().chain(&KINDS).chain(arguments);
        self.vault.run(all)
    }

    fn judged(&self) -> JudgeReply {
        self.vault
            .run(["-q", "judge", "--json"].iter().chain(&KINDS))
            .json(0)
    }

    /// Returns the number of calls so far.
    fn calls(&self) -> usize {
        let asked = fs::read_to_string(self.vault.home("asked")).unwrap_or_default();
        asked.lines().count()
    }
}

/// Answers yes to merges and no to the rest.
const MERGES: &str = r#"case $q in *'"kind":"merge"'*) echo '{"answer":"yes","why":"the same"}';; *) echo No.;; esac"#;

#[test]
fn program_answers_once_per_question() {
    let court = Court::of(MERGES);
    let before = court.vault.tree();
    let whole = court.vault.whole_tree();
    court
        .judge(&["--dry-run"])
        .stdout(expect![[r#"
            1e7c3bb3 Merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md?  sh-10cceac0
            1c5e1859 Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md?  sh-10cceac0
            2588cd37 Does work/Sessions after the cleanup.md replace work/Sessions.md?  sh-10cceac0
            2a184324 Does inbox/Dev server.md replace work/Dev server.md?  sh-10cceac0
            1666cfbb Merge garden/2025/Tomatoes.md into garden/Tomatoes.md?  sh-10cceac0
        "#]])
        .stderr(expect![[r#"
            5 calls, about 4,883 tokens, to the command sh-10cceac0
        "#]])
        .code(0);
    assert_eq!(court.calls(), 0);
    whole.assert_same(&court.vault.whole_tree());
    court
        .judge(&[])
        .stdout(expect![[r#"
            1e7c3bb3 Merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md?  sh-10cceac0: yes (the same)
            1c5e1859 Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md?  sh-10cceac0: yes (the same)
            2588cd37 Does work/Sessions after the cleanup.md replace work/Sessions.md?  sh-10cceac0: no
            2a184324 Does inbox/Dev server.md replace work/Dev server.md?  sh-10cceac0: no
            1666cfbb Merge garden/2025/Tomatoes.md into garden/Tomatoes.md?  sh-10cceac0: yes (the same)
            merged agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
        "#]])
        .stderr(expect![[r#"
            5 calls: 3 yes, 2 no
            hint: judges answered yes to 2 questions about your own notes; see `mem review --all`
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    assert_eq!(court.calls(), 5);
    // A person's notes are unchanged.
    let changes = before.changes(&court.vault.tree());
    assert!(
        changes
            .iter()
            .all(|change| change[2..].starts_with("agents/")),
        "{changes:?}"
    );
    court
        .vault
        .run(["review", "--kind", "merge", "--all"])
        .stdout(expect![[r#"
            1c5e1859 Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? (same title, 91 % of the wording is the same)
              sh-10cceac0: yes (the same)
            1666cfbb Merge garden/2025/Tomatoes.md into garden/Tomatoes.md? (same title, 80 % of the shorter note is in the longer one)
              sh-10cceac0: yes (the same)
        "#]])
        .stderr(expect![[r#"
            2 questions: 2 merges
            hint: answer one with `mem review accept ID` or `mem review reject ID`
            hint: answer many, suggestions too: `mem review accept --all --kind KIND --min-chance 0.9`; preview with `--dry-run`
        "#]])
        .code(0);
    court
        .judge(&[])
        .stdout(expect![""])
        .stderr(expect![[r#"
            nothing to ask: no new open questions
            hint: judges answered yes to 2 questions about your own notes; see `mem review --all`
        "#]])
        .code(1);
    fs::remove_dir_all(court.vault.cache()).unwrap();
    court.judge(&["-q"]).code(1);
    assert_eq!(court.calls(), 5);
    // A changed note is asked again, and only that.
    court.vault.edit(
        "Green tea.md",
        "that is worth the money",
        "that is worth every coin",
    );
    assert_eq!(court.judged().calls.len(), 1);
    // With all changes allowed, recorded opinions are applied.
    court.set("sleep.apply", "all");
    let done = court.judged();
    assert!(
        done.calls.is_empty()
            && done
                .answers
                .iter()
                .all(|answer| answer.outcome == "applied")
    );
    assert_eq!(done.answers.len(), 2);
    let run = done.answers[0].run.clone().unwrap();
    assert_eq!(court.vault.run(["-q", "undo", &run]).raw().code, 0);
    court.judge(&["-q"]).code(1);
}

#[test]
fn unusable_answers_change_nothing_and_are_retried_three_times() {
    for (answers, why) in [
        ("echo perhaps", "no answer in “perhaps”"),
        (
            "printf '{\"answer\":\"yes\"'",
            "no answer in “{\"answer\":\"yes\"”",
        ),
        (
            "echo '{\"answer\":\"part_of\"}'",
            "`part_of` is not one of its answers",
        ),
        (
            "echo '{\"id\":\"../..\",\"answer\":\"yes\"}'",
            "it answers `../..`, not this question",
        ),
        (
            "echo yes; echo no key >&2; exit 4",
            "it ended with 4: no key",
        ),
        ("sleep 100", "it took longer than 0.3 s"),
        ("true", "the reply is empty"),
    ] {
        let court = Court::of(answers);
        court.set("judge.timeout", "0.3");
        let before = court.vault.tree();
        for run in 0..4 {
            let Outcome { code, stderr, .. } = court.judge(&["--where", "Tomatoes"]).raw();
            let expected = if run < 3 { 2 } else { 1 };
            assert_eq!(code, expected, "{answers}: {stderr}");
            assert_eq!(stderr.contains(why), run < 3, "{answers}: {stderr}");
        }
        assert_eq!(court.calls(), 3, "{answers}");
        assert_eq!(before.changes(&court.vault.tree()), [""; 0]);
        // Another program is another judge.
        court.set("judge.command", "echo no");
        assert_eq!(court.judged().failed, 0);
    }
}

#[test]
fn limits_on_calls_are_respected() {
    let court = Court::of("echo no");
    court.set("judge.calls", "2");
    court.set("judge.parallel", "8");
    let first = court.judged();
    assert_eq!((first.calls.len(), first.left, court.calls()), (2, 3, 2));
    court.judged();
    assert_eq!((court.judged().left, court.calls()), (0, 5));
    // An unavailable judge is not tried for every question.
    let court = Court::of("exit 1");
    let outcome = court.judge(&[]).raw();
    assert_eq!((outcome.code, court.calls()), (2, 3), "{}", outcome.stderr);
    // A judge that stops answering is not retried repeatedly.
    let court = Court::of("test -e ~/once && exit 1; touch ~/once; echo no");
    assert_eq!((court.judged().failed, court.calls()), (3, 4));
    // A question that is too long is left to a person.
    let court = Court::of("echo no");
    court.set("judge.bytes", "100");
    let outcome = court.judge(&[]).raw();
    assert_eq!((outcome.code, court.calls()), (1, 0));
    assert!(
        outcome.stderr.contains("5 questions not asked"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn two_judges_must_agree() {
    let court = Court::of("echo no");
    court.set("judge.agree", "2");
    let failure = court.judge(&["--json"]).failure();
    assert_eq!(
        failure.message,
        "`judge.agree` is 2, but only one judge is set up"
    );
    court.set("judge.second", "sh ~/judge.sh");
    let failure = court.judge(&["--json"]).failure();
    assert_eq!(failure.message, "the second judge is the same as the first");
    court.set("judge.second", "grep -q Tomatoes && echo yes || echo no");
    let judged = court.judged();
    assert_eq!((judged.calls.len(), judged.answers.len()), (10, 4));
    let open: Vec<Question> = court
        .vault
        .run(["review", "--jsonl"].iter().chain(&KINDS))
        .jsonl(0);
    let [open] = open.as_slice() else {
        panic!("{open:?}");
    };
    assert!(open.notes[0].contains("Tomatoes"));
    assert!(open.opinions[0].ends_with(": no") && open.opinions[1].ends_with(": yes"));
    // The limit counts questions, regardless of the judge.
    let other = Court::of("echo perhaps");
    other.set("judge.second", "echo maybe");
    other.set("judge.agree", "2");
    let outcome = other.judge(&["--limit", "1"]).raw();
    assert!(
        outcome.stderr.starts_with("2 calls, 2 failed"),
        "{outcome:?}"
    );
    // A question whose answer was forgotten is asked again.
    let forgotten = court
        .vault
        .run(["-q", "review", "forget", "--all", "--limit", "1"])
        .raw();
    assert_eq!(forgotten.code, 0, "{forgotten:?}");
    let judged = court.judged();
    assert_eq!((judged.calls.len(), judged.answers.len()), (2, 1));
    // With one judge required, the first one's answer counts and the other is not asked.
    court.set("judge.agree", "1");
    let judged = court.judged();
    assert_eq!((judged.calls.len(), judged.answers.len()), (0, 1));
}

#[test]
fn person_overrides_a_judge() {
    let court = Court::of("echo no");
    assert_eq!(court.judged().answers.len(), 5);
    court
        .vault
        .run(["review", "--all", "--kind", "merge"])
        .stderr(expect![[r#"
            no question matches the filters; open in total: 0 questions, 6 suggestions
        "#]])
        .code(1);
    let before = court.vault.tree();
    let whole = court.vault.whole_tree();
    let preview = court
        .vault
        .run(["review", "accept", "1666", "--dry-run"])
        .raw();
    assert!(
        preview.stdout.starts_with("would merge garden/2025"),
        "{preview:?}"
    );
    whole.assert_same(&court.vault.whole_tree());
    court
        .vault
        .run(["review", "accept", "1666"])
        .stdout(expect![[r#"
            merged garden/2025/Tomatoes.md into garden/Tomatoes.md
        "#]])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    assert!(!before.changes(&court.vault.tree()).is_empty());
    // Scripts can answer, too; another judge's opinion is kept.
    let line = r#"{"id":"1c5e185923159489","answer":"no","by":"my-agent"}"#;
    court
        .vault
        .command(["review", "--apply", "-"])
        .stdin(line)
        .run()
        .stdout(expect![[r#"
            rejected: merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md
        "#]])
        .stderr(expect![[r#"
            hint: ask again with `mem review forget 1c5e1859`
        "#]])
        .code(0);
    court
        .vault
        .run(["review", "accept", "1c5e"])
        .stderr(expect![[r#"
            error: no open question `1c5e`
            hint: it was answered no by my-agent; `mem review forget 1c5e` reopens the question
        "#]])
        .code(2);
    // Judges' answers can be forgotten separately and are asked again.
    court
        .vault
        .run(["review", "forget", "--by", "judge"])
        .stdout(expect![[r#"
            forgot the answer about work/Dev server.md, inbox/Dev server.md
            forgot the answer about work/Sessions.md, work/Sessions after the cleanup.md
            forgot the answer about agents/Anna prefers short release notes.md, agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md
        "#]])
        .code(0);
    court
        .vault
        .run(["review", "--decided"])
        .stdout(expect![[r#"
            1c5e1859 2026-04-01 12:00  merge no: Green tea.md, tea/Green tea (conflicted copy 2026-03-02).md  (my-agent)
            1666cfbb 2026-04-01 12:00  merge yes: garden/Tomatoes.md, garden/2025/Tomatoes.md  (review)
        "#]])
        .stderr(expect![[r#"
            hint: `mem review forget ID` reopens a question; if a change was made, it names the `mem undo` that reverts it
        "#]])
        .code(0);
    assert_eq!(court.judged().calls.len(), 3);
    court
        .vault
        .run(["review", "--decided", "--by", "judge", "--kind", "merge"])
        .stdout(expect![[r#"
            1e7c3bb3 2026-04-01 12:00  merge no: agents/Anna prefers short release notes.md, agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md  (judge sh-10cceac0)
        "#]])
        .stderr(expect![[r#"
            hint: `mem review forget ID` reopens a question; if a change was made, it names the `mem undo` that reverts it
            hint: overrule a judge with `mem review accept ID` or `mem review reject ID`
        "#]])
        .code(0);
    assert_eq!(court.vault.run(["review", "--by", "judge"]).raw().code, 2);
}

#[test]
fn empty_review_names_the_judges() {
    let court = Court::of("echo no");
    let outcome = court.vault.run(["-q", "judge"]).raw();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    court
        .vault
        .run(["review", "--all"])
        .stderr(expect![[r#"
            no open questions
            hint: list the answers of judges: `mem review --decided --by judge`
        "#]])
        .code(1);
}

#[test]
fn foreign_journal_opinions_decide_nothing() {
    let court = Court::of("echo no");
    let judged = court.judged();
    let own = court.vault.path(".mem/journal");
    let device = fs::read_dir(&own).unwrap().next().unwrap().unwrap().path();
    let stranger = own.join("stranger");
    fs::create_dir(&stranger).unwrap();
    fs::rename(
        device.join("opinions.jsonl"),
        stranger.join("opinions.jsonl"),
    )
    .unwrap();
    fs::remove_file(device.join("decisions.jsonl")).unwrap();
    court.set("judge.calls", "0");
    let outcome = court.judge(&["--json"]).raw();
    assert_eq!(outcome.code, 1, "{outcome:?}");
    court.set("judge.calls", "25");
    assert_eq!(court.judged().calls.len(), judged.calls.len());
    // A person's answer in the meantime counts.
    court.vault.edit(
        "Green tea.md",
        "that is worth the money",
        "that is worth every coin",
    );
    let asks = "id=$(printf '%s' \"$q\" | sed 's/.*\"id\":\"\\([0-9a-f]*\\)\".*/\\1/')";
    let answers = "\"$MEM\" -q -C \"$MEM_VAULT\" review reject \"$id\" >/dev/null; echo yes";
    court.answers(&format!(
        "MEM={}\n{asks}\n{answers}",
        env!("CARGO_BIN_EXE_mem")
    ));
    court.set("sleep.apply", "all");
    let before = court.vault.tree();
    assert!(court.judged().answers.is_empty());
    assert_eq!(before.changes(&court.vault.tree()), [""; 0]);
}

#[test]
fn vault_cannot_set_a_judge() {
    let court = Court::of("echo no");
    court.set("judge.command", "");
    let witness = court.vault.home("witness");
    let config = format!(
        "[judge]\ncommand = \"touch {}; echo yes\"\n",
        witness.display()
    );
    court.vault.write(".mem/config.toml", &config);
    let outcome = court.judge(&[]).raw();
    assert_eq!(outcome.code, 2);
    assert!(
        outcome
            .stderr
            .contains("sets `judge.command`; only your own settings can"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stderr.contains("no judge is set up"),
        "{}",
        outcome.stderr
    );
    assert!(!witness.exists());
    // The command may contain a key: neither output nor files of the vault contain it.
    court.set("judge.command", "KEY=sk-12345 sh -c 'echo no'");
    fs::remove_file(court.vault.path(".mem/config.toml")).unwrap();
    let outcome = court.judge(&[]).raw();
    assert_eq!(outcome.code, 0);
    assert!(!outcome.stdout.contains("sk-1") && !outcome.stderr.contains("sk-1"));
    for folder in [
        court.vault.path(""),
        court.vault.home("state"),
        court.vault.cache(),
    ] {
        for file in walkdir::WalkDir::new(folder).into_iter().flatten() {
            let bytes = fs::read(file.path()).unwrap_or_default();
            assert!(
                !bytes.windows(8).any(|part| part == b"sk-12345"),
                "{file:?}"
            );
        }
    }
}
