//! `mem decay` and `mem forget`: notes move down the ladder and back.

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::Recall;

/// A vault of an agent's notes, most of them protected, and one of a person, adopted by an earlier
/// sleep.
fn vault() -> TestVault {
    let vault = TestVault::of([(
        "Mine.md",
        "---\ncreated: 2021-03-01\n---\nThe old quay is rotten.\n",
    )]);
    for (title, text) in [
        ("Piles", "The quay needs forty piles."),
        ("Oak", "Oak is cut in winter."),
        ("Harbour", "The harbour master is called Ann."),
        ("Choice", "We build of oak."),
        ("Digest", "All about the quay."),
    ] {
        vault.run(["-q", "remember", "--title", title, text]).raw();
    }
    for (note, property) in [
        ("harbour", "keep=true"),
        ("choice", "type=decision"),
        ("digest", "derived_from=[[piles]]"),
    ] {
        vault.run(["-q", "edit", note, "--set", property]).raw();
    }
    vault
}

#[test]
fn unused_notes_are_archived_and_used_ones_return() {
    let (vault, mut said) = (vault(), String::new());
    // A note of any age is new to the first sleep.
    vault.at("2060-04-01T12:00:00Z");
    let before = vault.tree();
    vault.run(["-q", "sleep", "--only", "decay,forget"]).raw();
    before.assert_same(&vault.tree());

    vault.at("2060-05-01T12:00:00Z");
    vault
        .run(["decay"])
        .stdout(expect![[r#"
        set tier of oak.md to archival
          reason: not used for 30 days, retrievability 0.01
        set tier of piles.md to archival
          reason: not used for 30 days, retrievability 0.01
    "#]])
        .stderr(expect!["hint: undo with `mem undo 7585`"])
        .code(0);
    vault
        .run(["decay"])
        .stdout(expect!["nothing fades"])
        .code(0);
    vault
        .run(["list", "tier:archival"])
        .stdout(expect![[r#"
            oak.md
            piles.md
        "#]])
        .code(0);
    vault
        .run(["forget"])
        .stdout(expect!["nothing to forget"])
        .code(0);
    for note in ["oak", "harbour", "choice", "Mine"] {
        let why = vault.run(["why", note]).raw().stdout;
        said.push_str(why.lines().last().unwrap());
        said.push('\n');
    }
    expect![[r#"
        next            jobs keep its tier
        next            jobs keep its tier: protected by `keep`, or as a summary of other notes
        next            jobs keep its tier: protected by its type
        next            it is yours: jobs keep its tier unless `decay.notes` is "all"
    "#]]
    .assert_eq(&said);
    let archived = vault.tree();

    // Useful notes and restored ones return.
    vault.at("2060-05-20T12:00:00Z");
    vault.run(["-q", "reinforce", "oak"]).raw();
    vault
        .run(["decay"])
        .stdout(expect![[r#"
        set tier of oak.md to working
          reason: used since it was archived
    "#]])
        .stderr(expect!["hint: undo with `mem undo 7586`"])
        .code(0);
    vault
        .run(["restore", "piles"])
        .stdout(expect!["restored piles.md to tier working"])
        .stderr(expect!["hint: undo with `mem undo 7587`"])
        .code(0);
    vault
        .run(["decay"])
        .stdout(expect!["nothing fades"])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    vault.run(["-q", "undo"]).raw();
    archived.assert_same(&vault.tree());
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
}

#[test]
fn forgetting_and_removal_need_settings() {
    let vault = vault();
    let before = vault.tree();
    for month in ["04", "05"] {
        vault.at(&format!("2060-{month}-01T12:00:00Z"));
        vault.run(["-q", "decay"]).raw();
    }

    vault.at("2060-12-01T12:00:00Z");
    vault
        .run(["forget"])
        .stdout(expect![[r#"
        set tier of oak.md to forgotten
          reason: not used for 244 days, relevance 0.15
        set tier of piles.md to forgotten
          reason: not used for 244 days, relevance 0.15
    "#]])
        .stderr(expect!["hint: undo with `mem undo 7586`"])
        .code(0);
    vault
        .run(["forget"])
        .stdout(expect!["nothing to forget"])
        .code(0);
    vault
        .run(["search", "quay"])
        .stdout(expect![[r#"
            digest.md:10  Digest
              All about the quay.
            Mine.md:4
              The old quay is rotten.
        "#]])
        .code(0);

    vault.at("2062-01-01T12:00:00Z");
    vault
        .run(["forget"])
        .stdout(expect!["nothing to forget"])
        .code(0);
    vault.run(["-q", "config", "forget.trash", "365d"]).raw();
    vault
        .run(["forget"])
        .stdout(expect![[r#"
        removed oak.md
          reason: forgotten for 396 days
        removed piles.md
          reason: forgotten for 396 days
    "#]])
        .stderr(expect!["hint: undo with `mem undo 7587`"])
        .code(0);
    vault
        .run(["forget"])
        .stdout(expect!["nothing to forget"])
        .code(0);
    for _ in 0..3 {
        vault.run(["-q", "undo"]).raw();
    }
    before.assert_same(&vault.tree());
}

#[test]
fn handwritten_notes_give_one_question_a_month() {
    let old = "---\ncreated: 2021-03-01\n---\nWritten by hand.\n";
    let vault = TestVault::of([
        ("Anchor.md", old),
        ("Bell.md", old),
        ("Crane.md", old),
        ("Dock.md", old),
        ("Kept.md", "---\nkeep: true\n---\n"),
    ]);
    let before = vault.tree();
    vault.at("2060-04-01T12:00:00Z");
    vault.run(["-q", "config", "decay.notes", "all"]).raw();
    vault.run(["-q", "sleep", "--only", "decay"]).raw();
    // It is the first of May before anything of April is asked.
    vault.at("2060-04-30T12:00:00Z");
    vault
        .run(["decay"])
        .stdout(expect!["nothing fades"])
        .code(0);
    vault.at("2060-05-01T12:00:00Z");
    vault.run(["decay"]).stdout(expect![[r#"
        66a02a59 Set tier of 4 notes to archival? (Anchor.md, Bell.md, Crane.md and 1 more; the first: not used for 30 days, retrievability 0.01)
    "#]]).stderr(expect![[r#"
        hint: answer with `mem review --kind decay`
    "#]]).code(0);
    vault.run(["review"]).stdout(expect![[r#"
        66a02a59 Set tier of 4 notes to archival? (Anchor.md, Bell.md, Crane.md and 1 more; the first: not used for 30 days, retrievability 0.01)
    "#]]).stderr(expect![[r#"
        1 question: 1 decay
        hint: answer one with `mem review accept ID` or `mem review reject ID`
    "#]]).code(0);
    before.assert_same(&vault.tree());
    vault
        .run(["review", "accept", "--all", "--kind", "decay"])
        .stdout(expect!["set tier of 4 notes to archival"])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    vault
        .run(["list", "tier:archival"])
        .stdout(expect![[r#"
        Anchor.md
        Bell.md
        Crane.md
        Dock.md
    "#]])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
    // A "no" applies to all of them, and to later ones.
    vault
        .run(["review", "reject", "--all", "--kind", "decay"])
        .stdout(expect![[r#"
            rejected: set tier of 4 notes to archival
        "#]])
        .stderr(expect![[r#"
            hint: ask again with `mem review forget 66a02a59`
        "#]])
        .code(0);
    vault.write("New.md", "A new thing.\n");
    vault.run(["-q", "decay"]).raw();
    vault.at("2061-05-01T12:00:00Z");
    vault
        .run(["decay"])
        .stdout(expect![[r#"
            62a8da79 Set tier of New.md to archival? (not used for 365 days, retrievability 0.00)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind decay`
        "#]])
        .code(0);
}

#[test]
fn disabled_decay_ignores_age() {
    let vault = vault();
    for job in ["decay.every", "forget.every"] {
        vault.run(["-q", "config", job, "off"]).raw();
    }
    vault.run(["-q", "sleep"]).raw();
    let before = vault.tree();
    for year in [2060, 2070] {
        vault.at(&format!("{year}-04-01T12:00:00Z"));
        vault.run(["-q", "sleep"]).raw();
    }
    before.assert_same(&vault.tree());
}

#[test]
fn each_parameter_of_the_ladder_is_a_setting() {
    let vault = vault();
    vault
        .run(["-q", "edit", "oak", "--set", "tier=archival"])
        .raw();
    vault.at("2060-04-01T12:00:00Z");
    vault.run(["-q", "sleep", "--only", "decay,forget"]).raw();
    vault.at("2060-09-01T12:00:00Z");
    let moved = |job: &str| {
        let said = vault.run([job, "--dry-run"]).raw().stdout;
        let lines = said
            .lines()
            .filter_map(|line| line.strip_prefix("would set tier of "));
        let notes = lines.map(|line| line.split('.').next().unwrap().to_owned());
        notes.collect::<Vec<_>>().join(" ")
    };
    for (job, setting, value, expected) in [
        ("decay", "lifecycle.min_retrievability", "0.3", "piles"),
        ("decay", "lifecycle.min_retrievability", "0", ""),
        ("decay", "lifecycle.max_importance", "0", ""),
        ("decay", "lifecycle.protected_types", "none", "choice piles"),
        ("forget", "lifecycle.min_relevance", "0.2", "oak"),
        ("forget", "lifecycle.min_relevance", "0", ""),
        ("forget", "lifecycle.grace_days", "1000", ""),
        ("forget", "lifecycle.protected_importance", "0", ""),
    ] {
        vault.run(["-q", "config", setting, value]).raw();
        assert_eq!(moved(job), expected, "{setting} {value}");
        vault.run(["-q", "config", "--unset", setting]).raw();
    }
}

/// By default notes stop at archival: found, but ranked lower.
#[test]
fn default_settings_forget_nothing() {
    let vault = TestVault::empty();
    for (title, kind, text) in [
        (
            "Kettle upstairs",
            "fact",
            "The kettle of the harbour café boils at ninety degrees.",
        ),
        ("Sugar", "preference", "The user takes two spoons of sugar."),
        ("Ann", "person", "Ann is the harbour master."),
        (
            "Release",
            "procedure",
            "A release is tagged and then pushed.",
        ),
        ("Oak", "decision", "We build the quay of oak."),
        ("Rot", "insight", "Piles rot where water and air meet."),
    ] {
        let remembered = ["-q", "remember", "--title", title, "--type", kind, text];
        assert_eq!(vault.run(remembered).raw().code, 0);
    }
    vault.run(["-q", "sleep"]).raw();
    let mut tiers = Vec::new();
    for day in ["2026-04-09", "2026-07-14", "2027-05-06"] {
        vault.at(&format!("{day}T12:00:00Z"));
        vault.run(["-q", "sleep"]).raw();
        for tier in ["archival", "forgotten"] {
            let listed = vault.run(["list", &format!("tier:{tier}")]).raw().stdout;
            tiers.push(listed.replace("kettle-upstairs.md\n", "K "));
        }
    }
    assert_eq!(tiers.join("|"), "K ||K ||K |");
    // It is found below equally relevant notes.
    let newer = "The kettle of the harbour café boils at eighty degrees.";
    vault
        .run(["-q", "remember", "--title", "Kettle downstairs", newer])
        .raw();
    for command in ["search", "recall"] {
        let found = vault
            .run([command, "kettle of the harbour café"])
            .raw()
            .stdout;
        let place = |path: &str| {
            found
                .find(path)
                .unwrap_or_else(|| panic!("{command}: {found}"))
        };
        assert!(
            place("kettle-downstairs.md") < place("kettle-upstairs.md"),
            "{command}: {found}"
        );
    }
}

#[test]
fn forgotten_match_is_mentioned_with_a_weak_answer() {
    let vault = TestVault::of([
        (
            "Boats.md",
            "---\ntier: forgotten\n---\nThe boat is moored at pier nine.\n",
        ),
        ("Pier.md", "Pier one was painted.\n"),
    ]);
    let told = "also found 1 forgotten note: add `tier:forgotten` to the question";
    for (question, is_told) in [("where is the boat moored", true), ("painted pier", false)] {
        let recalled = vault.run(["recall", question]).raw().stdout;
        assert_eq!(recalled.contains(told), is_told, "{question}: {recalled}");
    }
}

#[test]
fn recall_reports_expired_matches() {
    let vault = TestVault::of([(
        "Permit.md",
        "---\nvalid_until: 2024-01-01\n---\nThe parking permit of the tram depot costs 40 euros.\n",
    )]);
    vault
        .run(["-q", "recall", "what does the parking permit cost"])
        .stdout(expect![[r#"
            found only 1 expired note: add `is:expired` to the question
        "#]])
        .code(1);
}

#[test]
fn recall_reports_forgotten_matches() {
    let vault = TestVault::empty();
    let text = "The kettle of the harbour café boils at ninety degrees.";
    vault
        .run(["-q", "remember", "--title", "Kettle", text])
        .raw();
    vault
        .run(["-q", "edit", "kettle", "--set", "tier=forgotten"])
        .raw();
    let question = "at how many degrees does the kettle boil";
    vault
        .run(["recall", question])
        .stdout(expect![[r#"
            found only 1 forgotten note: add `tier:forgotten` to the question
        "#]])
        .code(1);
    let recall: Recall = vault.run(["recall", "--json", question]).json(1);
    assert_eq!(
        (recall.forgotten, recall.expired, recall.hits.len()),
        (1, 0, 0)
    );
    vault
        .run(["recall", "tier:forgotten", question])
        .stdout(expect![[r#"
            ## kettle.md:10 Kettle (2026-04-01)
            The kettle of the harbour café boils at ninety degrees.
        "#]])
        .code(0);
    let text = "Practise the violin slowly, scales first.";
    vault
        .run(["-q", "remember", "--title", "Violin", text])
        .raw();
    let recall: Recall = vault
        .run(["recall", "--json", "how is the violin practised"])
        .json(0);
    assert_eq!((recall.forgotten, recall.hits.len()), (0, 1));
    // If nothing matches, forgotten notes are not mentioned.
    let recall: Recall = vault
        .run(["-q", "recall", "--json", "who chairs the parliament"])
        .json(1);
    assert_eq!(recall.forgotten, 0);
}
