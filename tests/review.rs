//! `mem review`

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{AnswerRecord, DecisionList, Dedupe, Question, Review, Status};

fn questions(vault: &TestVault) -> Vec<Question> {
    vault.run(["review", "--jsonl", "--all"]).jsonl(0)
}

#[test]
fn questions_are_listed_with_their_changes() {
    let vault = TestVault::indexed("sample");
    let before = vault.whole_tree();
    vault
        .run(["review", "--kind", "merge"])
        .stdout(expect![[r#"
            1e7c3bb3 Merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md? (same title, 100 % of the wording is the same)
            1c5e1859 Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? (same title, 91 % of the wording is the same)
            1666cfbb Merge garden/2025/Tomatoes.md into garden/Tomatoes.md? (same title, 80 % of the shorter note is in the longer one)
        "#]])
        .stderr(expect![[r#"
            2 questions: 2 merges
            1 suggestion: 1 merge
            hint: answer one with `mem review accept ID` or `mem review reject ID`
            hint: answer many, suggestions too: `mem review accept --all --kind KIND --min-chance 0.9`; preview with `--dry-run`
        "#]])
        .code(0);
    let lines = merges(&vault);
    let record: Review = vault.run(["review", "--json", "--kind", "merge"]).json(0);
    let ids = |questions: &[Question]| -> Vec<String> {
        questions
            .iter()
            .map(|question| question.id.clone())
            .collect()
    };
    assert_eq!(ids(&lines), ids(&record.questions));
    let tea = &lines[1];
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

fn merges(vault: &TestVault) -> Vec<Question> {
    let mut all = questions(vault);
    all.retain(|asked| asked.kind == "merge");
    all
}

/// Returns the id prefix of the merge question about `note`.
fn id_of(vault: &TestVault, note: &str) -> String {
    let asked = questions(vault);
    let found = asked
        .iter()
        .find(|asked| asked.kind == "merge" && asked.notes.iter().any(|path| path == note));
    found.unwrap().id[..8].to_owned()
}

#[test]
fn yes_is_applied_and_no_is_stored() {
    let vault = TestVault::indexed("sample");
    let before = vault.tree();
    vault
        .run(["review", "accept", &id_of(&vault, "garden/Tomatoes.md")])
        .stdout(expect![[r#"
            merged garden/2025/Tomatoes.md into garden/Tomatoes.md
        "#]])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    assert_eq!(
        before.changes(&vault.tree()),
        ["- garden/2025/Tomatoes.md", "~ garden/Tomatoes.md"]
    );
    vault
        .run(["review", "reject", "--all", "--kind", "merge"])
        .stdout(expect![[r#"
            rejected: merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
            rejected: merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md
        "#]])
        .stderr(expect![[r#"
            hint: ask again with `mem review forget 1e7c3bb3`
        "#]])
        .code(0);
    vault
        .run(["-q", "review", "reject", "--all", "--min-chance", "0"])
        .raw();
    vault
        .run(["review"])
        .stderr(expect!["no open questions"])
        .code(1);
    vault
        .run(["review", "--jsonl", "--all"])
        .stderr(expect!["no open questions"])
        .code(1);
    vault
        .run(["dedupe", "--apply", "all"])
        .stdout(expect!["no duplicates"])
        .code(0);
    // A changed note is asked about again.
    vault.edit(
        "Green tea.md",
        "that is worth the money",
        "that is worth every coin",
    );
    assert_eq!(merges(&vault).len(), 1);
}

#[test]
fn lost_answers_are_asked_again() {
    let vault = TestVault::indexed("sample");
    let ids = || -> std::collections::BTreeSet<String> {
        questions(&vault)
            .into_iter()
            .map(|asked| asked.id)
            .collect()
    };
    let before = ids();
    vault
        .run(["-q", "review", "reject", "--all", "--min-chance", "0"])
        .raw();
    // The following runs leave them out.
    for _ in 0..2 {
        vault
            .run(["review", "--all"])
            .stderr(expect!["no open questions"])
            .code(1);
    }
    fs::remove_dir_all(vault.path(".mem/journal")).unwrap();
    assert_eq!(ids(), before);
}

#[test]
fn scripts_answer_line_by_line() {
    let vault = TestVault::indexed("sample");
    let open = questions(&vault);
    let [anna, tea, tomatoes] = ["agents/Anna", "Green tea", "garden/Tomatoes"].map(|note| {
        let about = |asked: &&Question| asked.kind == "merge" && asked.notes[0].starts_with(note);
        open.iter().find(about).unwrap().id.clone()
    });
    // The text of this question changes before the answer arrives.
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
    let answered: Vec<AnswerRecord> = run.jsonl(1);
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
        Some("no such open question; its notes may have changed")
    );
    assert_eq!(
        answered[3].why.as_deref(),
        Some("already answered by an earlier line")
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
        .filter(|entry| entry.file_name() == "decisions.jsonl")
        .map(|entry| fs::read_to_string(entry.path()).unwrap())
        .collect();
    assert_eq!(decisions.lines().count(), 2);
    assert!(decisions.contains("\"by\":\"script\""), "{decisions}");
}

#[test]
fn answers_are_read_from_a_file() {
    let vault = TestVault::indexed("sample");
    let id = questions(&vault)[2].id.clone();
    vault.write(
        "answers.jsonl",
        &format!("{{\"id\":\"{id}\",\"answer\":\"no\"}}\n"),
    );
    vault
        .run(["review", "--apply", "answers.jsonl"])
        .stdout(expect![[r#"
            rejected: record that work/Sessions after the cleanup.md replaces work/Sessions.md
        "#]])
        .stderr(expect![[r#"
            hint: ask again with `mem review forget 2588cd37`
        "#]])
        .code(0);
    let short = questions(&vault)[0].id[..8].to_owned();
    let answer = format!("{{\"id\":\"{short}\",\"answer\":\"no\"}}\n");
    vault
        .command(["review", "--apply", "-"])
        .stdin(&answer)
        .run()
        .stdout(expect![[r#"
            rejected: merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
        "#]])
        .stderr(expect![[r#"
            hint: ask again with `mem review forget 1e7c3bb3`
        "#]])
        .code(0);
    vault
        .run(["review", "--apply", "answers.jsonl"])
        .naming(&id, "$ID")
        .stdout(expect![[r#"
            stale: $ID (no such open question; its notes may have changed)
        "#]])
        .code(1);
    vault
        .run(["review", "--apply", "none.jsonl"])
        .stderr(expect![[r#"
            error: cannot read `none.jsonl`
            caused by: No such file or directory (os error 2)
        "#]])
        .code(2);
}

#[test]
fn id_must_be_unambiguous() {
    let vault = TestVault::indexed("sample");
    for (id, message, hint) in [
        (
            "ffff",
            "no open question `ffff`",
            "list open questions with `mem review`; the notes may have changed since",
        ),
        (
            "",
            "no open question ``",
            "list open questions with `mem review`; the notes may have changed since",
        ),
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

const KEY: &str = "The spare key of the garden shed hangs behind the rain barrel, on the left side, \
                   where nobody looks for it and the rain does not reach.";

/// Two equal notes by a person.
fn keys() -> TestVault {
    TestVault::of([
        (
            "key.md",
            &format!("---\ntags: [shed]\n---\n{KEY}\n\nOil it.\n"),
        ),
        ("key 1.md", &format!("{KEY}\n")),
        (
            "lamp.md",
            "The lamp over the stairs takes the small bulb.\n",
        ),
    ])
}

fn compared(vault: &TestVault) -> (usize, usize) {
    let dedupe: Dedupe = vault.run(["-q", "dedupe", "--json"]).json(0);
    (dedupe.compared, dedupe.needs_answer)
}

#[test]
fn findings_are_cached() {
    let vault = keys();
    assert_eq!(compared(&vault), (1, 1));
    // The question is still open, and no pair was compared again.
    assert_eq!(compared(&vault), (0, 1));
    let id = questions(&vault)[0].id.clone();
    vault.write("lamp.md", "The lamp over the stairs takes the big bulb.\n");
    assert_eq!(compared(&vault), (0, 1));
    // Without the caches the same question is found again.
    fs::remove_dir_all(vault.home(".cache")).unwrap();
    assert_eq!(compared(&vault), (1, 1));
    assert_eq!(questions(&vault)[0].id, id);
    let full: Dedupe = vault.run(["-q", "dedupe", "--json", "--full"]).json(0);
    assert_eq!((full.compared, full.needs_answer), (1, 1));
    // Deleting a note removes its questions.
    fs::remove_file(vault.path("key 1.md")).unwrap();
    assert_eq!(compared(&vault), (0, 0));
}

#[test]
fn decisions_are_listed_and_forgotten() {
    let vault = keys();
    vault
        .run(["review", "--decided"])
        .stderr(expect!["no answers yet"])
        .code(1);
    let id = questions(&vault)[0].id[..8].to_owned();
    vault.run(["-q", "review", "reject", &id]).raw();
    assert_eq!(compared(&vault).1, 0);
    vault
        .run(["review", "--decided"])
        .naming(&id, "$ID")
        .stdout(expect![[r#"
            $ID 2026-04-01 12:00  merge no: key.md, key 1.md  (review)
        "#]])
        .stderr(expect![[r#"
            hint: `mem review forget ID` reopens a question; if a change was made, it names the `mem undo` that reverts it
        "#]])
        .code(0);
    let decided: DecisionList = vault.run(["review", "--decided", "--json"]).json(0);
    let decision = &decided.decisions[0];
    assert_eq!(
        (decision.kind.as_str(), decision.answer.as_str()),
        ("merge", "no")
    );
    assert!(decision.id.starts_with(&id) && decision.by == "review");
    assert_eq!(decision.at, "2026-04-01T12:00:00Z");
    assert_eq!(decision.notes, ["key.md", "key 1.md"]);
    vault
        .run(["review", "--decided", "--where", "lamp"])
        .stderr(expect!["no answers yet"])
        .code(1);
    vault
        .run(["review", "forget", "ffff"])
        .stderr(expect![[r#"
            error: no answer `ffff`
            hint: list answers with `mem review --decided`
        "#]])
        .code(2);
    let forgotten: DecisionList = vault.run(["review", "forget", &id, "--json"]).json(0);
    assert_eq!(forgotten.decisions[0].notes, ["key.md", "key 1.md"]);
    vault.run(["-q", "review", "reject", &id]).raw();
    vault
        .run(["review", "forget", &id])
        .stdout(expect!["forgot the answer about key.md, key 1.md"])
        .code(0);
    assert_eq!(compared(&vault).1, 1);
    assert_eq!(questions(&vault)[0].id[..8], id);
}

#[test]
fn agent_may_provide_the_merged_text() {
    let vault = keys();
    let before = vault.tree();
    let id = questions(&vault)[0].id.clone();
    let line = |answer: &str, text: &str| {
        format!(r#"{{"id": "{id}", "answer": "{answer}", "text": "{text}", "by": "agent"}}"#)
    };
    let give = |lines: &str| -> Vec<AnswerRecord> {
        let run = vault.command(["-q", "review", "--jsonl", "--apply", "-"]);
        let outcome = run.stdin(lines).run().raw();
        let lines = outcome.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let refused = give(&line("no", "x"));
    assert_eq!(refused[0].outcome, "invalid");
    let other = format!(r#"{{"id": "{id}", "answer": "contradicts"}}"#);
    let refused = give(&other);
    assert_eq!(
        (refused[0].outcome.as_str(), refused[0].why.as_deref()),
        ("invalid", Some("this question takes yes, no"))
    );
    let done = give(&line("yes", "The key hangs behind the barrel.\\n"));
    assert_eq!(done[0].outcome, "applied");
    vault.assert_text(
        "key.md",
        expect![[r#"
        ---
        tags: [shed]
        ---
        The key hangs behind the barrel.
    "#]],
    );
    assert!(!vault.path("key 1.md").exists());
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
    // After an undo it is asked again.
    assert_eq!(compared(&vault).1, 1);
}

#[test]
fn questions_are_filtered() {
    let vault = TestVault::indexed("sample");
    let listed = |arguments: &[&str]| -> usize {
        let mut all = vec!["-q", "review", "--jsonl", "--all"];
        all.extend(arguments);
        vault.run(all).raw().stdout.lines().count()
    };
    assert!(listed(&["--kind", "merge"]) >= 3);
    assert_eq!(listed(&["--kind", "merge", "--limit", "2"]), 2);
    assert_eq!(listed(&["--kind", "merge", "--where", "tag:vegetables"]), 1);
    let vault = keys();
    vault
        .run(["review", "--where", "lamp"])
        .stderr(expect![[r#"
            no question matches the filters; open in total: 1 question, 0 suggestions
        "#]])
        .code(1);
    vault
        .run(["review", "reject", "--all", "--where", "lamp"])
        .stderr(expect![[r#"
            no question matches the filters; open in total: 1 question, 0 suggestions
        "#]])
        .code(1);
}

#[test]
fn answers_of_two_devices_are_combined() {
    let copies = [keys(), keys()];
    for vault in &copies {
        vault.write(
            "tea.md",
            "Green tea is steeped for two minutes at seventy degrees, no longer.\n",
        );
        vault.write(
            "tea 1.md",
            "Green tea is steeped for two minutes at seventy degrees, no longer.\n",
        );
    }
    for (vault, note) in copies.iter().zip(["key.md", "tea.md"]) {
        let id = id_of(vault, note);
        vault.run(["-q", "review", "reject", &id]).raw();
        assert_eq!(questions(vault).len(), 1);
    }
    // A sync tool copies the folder of the other device; each device has its own.
    for (from, to) in [(0, 1), (1, 0)] {
        for device in fs::read_dir(copies[from].path(".mem/journal")).unwrap() {
            let device = device.unwrap();
            let name = format!("{}-{from}", device.file_name().to_str().unwrap());
            let folder = copies[to].path(".mem/journal").join(name);
            fs::create_dir_all(&folder).unwrap();
            let file = "decisions.jsonl";
            fs::copy(device.path().join(file), folder.join(file)).unwrap();
        }
        copies[to]
            .run(["review"])
            .stderr(expect!["no open questions"])
            .code(1);
    }
}

/// Duplicate texts in handwritten notes.
const SAID: [(&str, &str); 6] = [
    (
        "alder",
        "The old alder by the gate was planted in spring after the great flood of the valley.",
    ),
    (
        "bread",
        "Rye dough rests overnight in the cold pantry before anybody fires the stone oven.",
    ),
    (
        "clock",
        "Grandmother winds the kitchen clock on Sundays and never trusts a battery with time.",
    ),
    (
        "drum",
        "A snare wants loose wires for brushes, and tight ones wherever sticks are played.",
    ),
    (
        "ferry",
        "From the harbour a ferry crosses at seven, at noon, and once more when schools close.",
    ),
    (
        "glaze",
        "Cobalt turns the glaze blue at any heat; copper only blushes where smoke is kept in.",
    ),
];

/// Returns that many pairs of equal handwritten notes, each in its own folder.
fn pairs(number: usize) -> TestVault {
    let vault = TestVault::of([]);
    for (name, text) in SAID.iter().take(number) {
        vault.write(&format!("{name}/{name}.md"), &format!("{text}\n"));
        vault.write(&format!("{name}/{name} 1.md"), &format!("{text}\n"));
    }
    vault
}

fn counts(vault: &TestVault) -> (usize, usize) {
    let status: Status = vault.run(["status", "--json"]).json(0);
    let open = status.review.unwrap();
    assert_eq!(open.current, Some(true));
    (open.questions, open.suggestions)
}

fn asked(vault: &TestVault) -> Vec<String> {
    let run = vault.run(["-q", "review", "--jsonl"]).raw();
    let lines = run.stdout.lines();
    let asked = lines.map(|line| serde_json::from_str::<Question>(line).unwrap());
    asked.map(|asked| asked.id).collect()
}

#[test]
fn questions_per_day_are_limited() {
    let vault = pairs(6);
    vault.run(["config", "review.daily", "2"]).raw();
    let today = asked(&vault);
    assert_eq!((today.len(), counts(&vault)), (2, (2, 4)));
    vault
        .run(["review", "--kind", "link"])
        .stderr(expect![[r#"
            no question matches the filters; open in total: 2 questions, 4 suggestions
        "#]])
        .code(1);
    // They stay the same whatever else is found.
    vault.write("a.md", &vault.read("glaze/glaze.md"));
    vault.run(["-q", "sleep"]).raw();
    assert_eq!(asked(&vault), today);
    vault.run(["-q", "review", "accept", &today[0]]).raw();
    assert_eq!(asked(&vault), today[1..]);
    vault.run(["-q", "review", "reject", &today[1]]).raw();
    vault
        .run(["review"])
        .stderr(expect![[r#"
        no more questions today (2 answers given)
        6 suggestions: 6 merges; list them with `mem review --all`
    "#]])
        .code(1);
    // Any answer counts, from a person or a judge, and the rest is listed on request.
    let all = questions(&vault);
    assert!(all.iter().all(|one| one.asked == Some(false)));
    assert_eq!(counts(&vault), (0, all.len()));
    // After an undo it is asked again and does not count as answered.
    vault.run(["-q", "undo"]).raw();
    assert_eq!(asked(&vault), today[..1]);
    assert_eq!(counts(&vault).0, 1);
    vault.at("2026-04-02T12:00:00Z");
    assert_eq!(asked(&vault).len(), 2);
    assert_eq!(asked(&vault)[0], today[0]);
    vault.run(["config", "review.daily", "0"]).raw();
    assert_eq!(asked(&vault), [""; 0]);
    vault
        .run(["status"])
        .stdout(expect![[r#"
            vault       $VAULT
            index       13 notes, fresh; last full scan 2026-04-01 12:00
            vectors     13 passages by all-MiniLM-L6-v2/static-256-int4/1, exact search
            jobs        ran 2026-04-01 12:00, due
                        dedupe, conflicts, link, spaces, consolidate, split, decay, views, settle
            jobs        ran 2026-04-01 12:00, next 2026-04-08 12:00
                        associate, cluster
            review      0 questions, 7 suggestions
        "#]])
        .code(0);
}

#[test]
fn findings_about_read_only_notes_are_not_asked() {
    let vault = pairs(3);
    let set_mode = |mode| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(vault.path("clock/clock 1.md"), mode).unwrap();
    };
    set_mode(0o444);
    assert_eq!((asked(&vault).len(), counts(&vault)), (2, (2, 1)));
    let listed = vault.run(["review"]).raw().stderr;
    assert!(
        listed.contains("not asked: 1 about read-only notes\n"),
        "{listed}"
    );
    let status = vault.run(["status"]).raw().stdout;
    let row = "\nread-only   1 note, which jobs cannot change; `chmod u+w` allows changes\n";
    assert!(status.contains(row), "{status}");
    let status: Status = vault.run(["status", "--json"]).json(0);
    assert_eq!(status.read_only, 1);
    set_mode(0o644);
    assert_eq!(asked(&vault).len(), 3);
    assert!(!vault.run(["status"]).raw().stdout.contains("read-only"));
}

#[test]
fn counts_agree_across_commands() {
    let vault = pairs(3);
    assert_eq!(asked(&vault).len(), 3);
    assert_eq!(counts(&vault), (3, 0));
    vault.run(["-q", "rm", "clock/clock.md"]).raw();
    assert_eq!(counts(&vault), (2, 0));
    assert_eq!(asked(&vault).len(), 2);
    vault.run(["-q", "undo"]).raw();
    assert_eq!(counts(&vault), (3, 0));
    vault.run(["-q", "review", "accept", "--all"]).raw();
    assert_eq!(counts(&vault), (0, 0));
    // A batch is undone at once and asked again.
    vault.run(["-q", "undo"]).raw();
    assert_eq!(counts(&vault), (3, 0));
    assert_eq!(asked(&vault).len(), 3);
}

#[test]
fn batches_are_previewed() {
    let vault = pairs(2);
    let before = vault.whole_tree();
    vault
        .run([
            "review",
            "accept",
            "--all",
            "--kind",
            "merge",
            "--where",
            "path:bread",
            "--dry-run",
        ])
        .stdout(expect![[r#"
            would merge bread/bread 1.md into bread/bread.md
            --- a/bread/bread 1.md
            +++ /dev/null
            @@ -1 +0,0 @@
            -Rye dough rests overnight in the cold pantry before anybody fires the stone oven.
        "#]])
        .code(0);
    let first = &asked(&vault)[0];
    vault
        .run(["review", "reject", "--dry-run", first])
        .stdout(expect![[r#"
            would reject: merge alder/alder 1.md into alder/alder.md
        "#]])
        .code(0);
    before.assert_same(&vault.whole_tree());
    vault
        .run(["review", "accept", "--all", "--min-chance", "1.5"])
        .stderr(expect![[r#"
            error: invalid value '1.5' for '--min-chance <CHANCE>': expected a number from 0 to 1

            For more information, try '--help'.
        "#]])
        .code(2);
}

#[test]
fn batches_include_suggestions_only_by_chance() {
    let vault = pairs(6);
    vault.run(["config", "review.daily", "2"]).raw();
    let taken = |filter: &[&str]| {
        let arguments = ["-q", "review", "reject", "--all", "--dry-run", "--jsonl"];
        let run = vault.run([&arguments, filter].concat()).raw();
        run.stdout.lines().count()
    };
    assert_eq!(taken(&["--kind", "merge"]), 2);
    assert_eq!(taken(&["--kind", "merge", "--min-chance", "0"]), 6);
}

#[test]
fn answers_are_one_document() {
    let vault = pairs(2);
    let ids = asked(&vault);
    let arguments = ["-q", "review", "reject", "--json", &ids[0], &ids[1]];
    let document: serde_json::Value = vault.run(arguments).json(0);
    assert_eq!(document["answers"].as_array().map(Vec::len), Some(2));
    let arguments = ["-q", "review", "reject", "--json", "--all"];
    let document: serde_json::Value = vault.run(arguments).json(1);
    assert_eq!(document, serde_json::json!({"answers": []}));
}

#[test]
fn incompatible_flags_are_refused() {
    let vault = pairs(2);
    let before = vault.whole_tree();
    for arguments in [
        &["--teach", "accept", "--all"][..],
        &["--apply", "-", "accept", "--all"],
        &["--decided", "accept", "--all"],
        &["forget", "--all", "--min-chance", "0.5"],
        &["--decided", "--min-chance", "0.5"],
    ] {
        let refused = vault.run([&["review"], arguments].concat()).raw();
        assert_eq!(refused.code, 2, "{}", refused.stderr);
    }
    before.assert_same(&vault.whole_tree());
    vault.run(["config", "review.daily", "1"]).raw();
    let first = &asked(&vault)[0];
    vault.run(["-q", "review", "reject", first]).raw();
    vault
        .run(["review", "--teach"])
        .stderr(expect![[r#"
        no more questions today (1 answer given)
        1 suggestion: 1 merge; list them with `mem review --all`
    "#]])
        .code(1);
}

#[test]
fn mostly_rejected_kind_is_muted() {
    let vault = pairs(2);
    let decision = |number: usize| {
        format!(
            "{{\"key\":\"1{number:015x}\",\"kind\":\"merge\",\"answer\":\"no\",\
             \"at\":\"2026-03-2{}T12:00:00Z\",\"by\":\"review\",\"about\":[],\
             \"features\":{{\"certainty\":389,\"rules\":100,\"names\":50,\"folder\":100}}}}\n",
            number % 10
        )
    };
    let journal = |answers: usize| {
        let lines: String = (0..answers).map(decision).collect();
        vault.write(".mem/journal/other/decisions.jsonl", &lines);
    };
    journal(3);
    assert_eq!(asked(&vault).len(), 2);
    journal(40);
    vault.at("2026-04-02T12:00:00Z");
    vault.run(["review"]).stderr(expect![[r#"
        no questions today
        2 suggestions: 2 merges; list them with `mem review --all`
        not asked: 2 below a chance of 0.7
        mem stopped asking merge questions (40 of 40 answers were no); accept one from `mem review --kind merge` to resume
    "#]]).code(1);
    vault.run(["status"]).stdout(expect![[r#"
        vault       $VAULT
        index       4 notes, fresh; last full scan 2026-04-01 12:00
        vectors     4 passages by all-MiniLM-L6-v2/static-256-int4/1, exact search
        jobs        never run, due
        review      0 questions, 2 suggestions
          mem stopped asking merge questions (40 of 40 answers were no); accept one from `mem review --kind merge` to resume
    "#]]).code(0);
    vault
        .run(["review", "--explain", "--kind", "merge"])
        .stdout(expect![[r#"
            159eb057 Merge alder/alder 1.md into alder/alder.md? (same text)
              worth 0.45 = 0.15 × 3, chance 0.15 from log odds -1.74 = merge -2.00 certainty +4.67 rules +1.50 names +0.50 answers -6.41
            1e97bfa7 Merge bread/bread 1.md into bread/bread.md? (same text)
              worth 0.45 = 0.15 × 3, chance 0.15 from log odds -1.74 = merge -2.00 certainty +4.67 rules +1.50 names +0.50 answers -6.41
        "#]])
        .stderr(expect![[r#"
            2 suggestions: 2 merges
            mem stopped asking merge questions (40 of 40 answers were no); accept one from `mem review --kind merge` to resume
            hint: answer one with `mem review accept ID` or `mem review reject ID`
            hint: answer many, suggestions too: `mem review accept --all --kind KIND --min-chance 0.9`; preview with `--dry-run`
        "#]])
        .code(0);
    // Automatic changes do not affect them.
    vault.run(["sleep", "--apply", "all", "--all", "-q"]).raw();
    assert!(!vault.path("alder/alder 1.md").exists() && !vault.path("bread/bread 1.md").exists());
    vault.run(["-q", "undo"]).raw();
    vault.run(["config", "review.learn", "false"]).raw();
    vault.at("2026-04-03T12:00:00Z");
    vault
        .run(["review", "--teach"])
        .stdout(expect![[r#""#]])
        .stderr(expect!["no open questions"])
        .code(1);
}

#[test]
fn answer_that_waits_is_applied_by_the_next_sleep() {
    let vault = TestVault::indexed("sample");
    vault.run(["-q", "sleep", "--all"]).raw();
    let copy = vault.path("tea/Green tea (conflicted copy 2026-03-02).md");
    let (trash, aside) = (vault.path(".mem/trash"), vault.path(".mem/aside"));
    fs::rename(&trash, &aside).unwrap();
    fs::write(&trash, "").unwrap();
    let accepted = vault.run(["review", "accept", "1c5e"]).raw();
    let printed = accepted.stdout + &accepted.stderr;
    assert!(
        printed.contains("the next `mem sleep` tries again"),
        "{printed}"
    );
    fs::remove_file(&trash).unwrap();
    fs::rename(&aside, &trash).unwrap();
    assert!(copy.exists());
    vault.run(["-q", "sleep"]).raw();
    assert!(!copy.exists());
}
