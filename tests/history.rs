//! `mem history`

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{History, PastRun};

fn slept() -> TestVault {
    let vault = TestVault::indexed("sample");
    vault
        .run(["-q", "dedupe", "--apply", "all", "--json"])
        .raw();
    vault.at("2026-04-02T08:30:00Z");
    vault.run(["-q", "remember", "The kettle is broken"]).raw();
    vault
}

#[test]
fn a_sleep_is_undone_at_once() {
    let vault = TestVault::indexed("sample");
    // Its usage is written into the note after the merges.
    let used = "agents/Anna prefers short release notes.md";
    vault.run(["-q", "reinforce", used]).raw();
    let before = vault.tree();
    vault.run(["-q", "sleep", "--all", "--apply", "all"]).raw();
    vault
        .run(["undo"])
        .stdout(expect!["undid sleep: 2 runs (just now)"])
        .stderr(expect!["hint: redo with `mem undo 757z`"])
        .code(0);
    before.assert_same(&vault.tree());
    vault
        .run(["history", "-n", "3"])
        .stdout(expect![[r#"
        757z  just now  undo sleep
        757y  just now  settle agents/Anna prefers short release notes.md (undone)
        757x  just now  dedupe 7 notes (undone)
    "#]])
        .code(0);
}

#[test]
fn runs_are_listed_newest_first() {
    let vault = slept();
    vault
        .run(["history"])
        .stdout(expect![[r#"
            757y  just now  remember The kettle is broken.md
            757x  20 h ago  dedupe 7 notes
        "#]])
        .code(0);
    vault
        .run(["history", "--job", "dedupe", "-n", "1"])
        .stdout(expect!["757x  20 h ago  dedupe 7 notes"])
        .code(0);
    vault
        .run(["-q", "undo"])
        .stdout(expect![[r#"
            undid remember The kettle is broken.md (just now)
        "#]])
        .code(0);
    vault
        .run(["history", "-n", "2"])
        .stdout(expect![[r#"
            757z  just now  undo remember The kettle is broken.md
            757y  just now  remember The kettle is broken.md (undone)
        "#]])
        .code(0);
}

#[test]
fn runs_have_counts_and_durations() {
    let vault = slept();
    vault.run(["-q", "undo"]).raw();
    let history: History = vault.run(["history", "--json"]).json(0);
    let [undo, remember, dedupe] = &history.runs[..] else {
        panic!("{history:?}");
    };
    for by_hand in [undo, remember] {
        assert!(by_hand.processed.is_none() && by_hand.duration_seconds.is_some());
    }
    assert!(dedupe.processed.unwrap() > 0);
    let shown = vault.run(["history", "20260401-120000-757x"]).raw().stdout;
    let is_effort = |line: &&str| line.contains(" compared in ");
    let (effort, rest): (Vec<&str>, Vec<&str>) = shown.lines().partition(is_effort);
    assert!(effort.len() == 1 && effort[0].ends_with(" s"), "{shown}");
    expect![[r#"
        20260401-120000-757x  2026-04-01 12:00  dedupe  2 changes
          mem -q dedupe --apply all --json
          merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md (same title, 91 % of the wording is the same)
            Green tea.md
            daily/2026-03-02.md
            garden/Compost.md
            tea/Green tea (conflicted copy 2026-03-02).md
          merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md (same title, 100 % of the wording is the same)
            agents/Anna prefers short release notes.md
            agents/Anna prefers short release notes 2.md
            agents/Anna prefers short release notes 3.md
    "#]]
    .assert_eq(&(rest.join("\n") + "\n"));
}

#[test]
fn run_id_prefix_is_accepted() {
    let vault = slept();
    vault
        .run(["history", "20260402"])
        .stdout(expect![[r#"
            20260402-083000-757y  2026-04-02 08:30  remember  1 change
              mem -q remember The kettle is broken
              remember The kettle is broken.md (requested)
                The kettle is broken.md
        "#]])
        .code(0);
    vault
        .run(["undo", "2026"])
        .stderr(expect![[r#"
            error: `2026` matches 2 runs
            hint: use a longer prefix:
            hint:   20260401-120000-757x
            hint:   20260402-083000-757y
        "#]])
        .code(2);
    vault
        .run(["-q", "undo", "20260402-"])
        .stdout(expect![[r#"
            undid remember The kettle is broken.md (just now)
        "#]])
        .code(0);
    vault
        .run(["history", "purge", "20260401", "--dry-run"])
        .stdout(expect!["20260401-120000-757x"])
        .stderr(expect!["would delete the records of 1 run"])
        .code(0);
}

#[test]
fn records_are_complete() {
    let vault = slept();
    let history: History = vault.run(["history", "--json"]).json(0);
    let jobs: Vec<&str> = history.runs.iter().map(|run| run.job.as_str()).collect();
    assert_eq!(jobs, ["remember", "dedupe"]);
    let run = &history.runs[1];
    assert_eq!(
        (run.at.as_str(), run.groups.len()),
        ("2026-04-01T12:00:00Z", 2)
    );
    assert_eq!(run.command, "mem -q dedupe --apply all --json");
    assert!(
        run.groups
            .iter()
            .all(|group| group.applied && group.why.is_none())
    );
    assert_eq!(run.groups[0].files.len(), 4);
    assert_eq!(
        (run.short.as_str(), run.what.as_str(), run.notes),
        ("757x", "dedupe 7 notes", 7)
    );
    let lines: Vec<PastRun> = vault.run(["history", "--jsonl"]).jsonl(0);
    assert_eq!(lines.len(), 2);
}

#[test]
fn empty_history_is_reported() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["history"])
        .stderr(expect!["no changes yet"])
        .code(1);
    vault
        .run(["history", "--job", "nix"])
        .stderr(expect![[r#"
            no runs of `nix`
            hint: `mem history` lists all runs, `mem help jobs` the jobs
        "#]])
        .code(1);
    let history: History = vault.run(["history", "--json"]).json(1);
    assert_eq!(history.runs.len(), 0);
    vault
        .run(["history", "20260401-120000-0000"])
        .stderr(expect![[r#"
            error: no run `20260401-120000-0000`
            hint: list runs with `mem history`
        "#]])
        .code(2);
    vault
        .run(["history", "../x"])
        .stderr(expect![[r#"
            error: no run `../x`
            hint: list runs with `mem history`
        "#]])
        .code(2);
}

#[test]
fn history_of_a_single_note() {
    let vault = TestVault::indexed("sample");
    for (day, arguments) in [
        ("02", &["tag", "mv", "tea", "drink/tea"][..]),
        ("03", &["mv", "Oolong", "Wulong"]),
        ("04", &["rm", "Wulong"]),
        ("05", &["rm", "Compost"]),
        ("06", &["restore", "Wulong"]),
    ] {
        vault.at(&format!("2026-04-{day}T12:00:00Z"));
        vault.run([&["-q"], arguments].concat()).raw();
    }
    vault
        .run(["history", "--note", "Wulong"])
        .stdout(expect![[r#"
            7581  just now    restore tea/Wulong.md
            757z  2 days ago  rm tea/Wulong.md (undone)
            757y  3 days ago  mv tea/Oolong.md to tea/Wulong.md
            757x  4 days ago  tag 5 notes
        "#]])
        .code(0);
    // Restoring a note undoes its removal and does not block older undos.
    let edited = vault.read("Green tea.md").replace("drink/tea", "my/tea");
    vault.write("Green tea.md", &edited);
    vault
        .run(["-q", "undo", "20260402-120000-757x"])
        .stdout(expect![[r#"
            undid 4 of 5 changes of tag 5 notes (4 days ago)
              kept: rename #tea to #drink/tea in Green tea.md (Green tea.md: edited since)
        "#]])
        .code(1);
    vault
        .run(["history", "--job", "tag"])
        .stdout(expect![[r#"
            757x  4 days ago  tag 5 notes (undone except 1 change)
        "#]])
        .code(0);
}

#[test]
fn hidden_older_runs_are_mentioned() {
    let vault = TestVault::of([("a.md", "Tea.\n")]);
    for tag in 0..22 {
        let tag = format!("t{tag}");
        vault.run(["-q", "edit", "a", "--tag", &tag]).raw();
    }
    let told = |words: &[&str]| vault.run(words).raw().stderr;
    let hint = "hint: older runs are not shown: `mem history -n 100`";
    assert!(told(&["history"]).contains(hint));
    assert!(!told(&["history", "-n", "20"]).contains("not shown"));
}
