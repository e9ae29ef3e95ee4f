//! `mem dedupe`, and what it must never do.

use std::fs;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{Dedupe, Question, Review};

const BODY: &str = "The spare key of the garden shed hangs behind the rain barrel, on the left side, \
                    where Anna put it after the storm, wrapped in a yellow bag so that it stays dry.";

/// Applies all certain merges.
fn dedupe_all(vault: &TestVault) -> Dedupe {
    vault
        .run(["-q", "dedupe", "--json", "--apply", "all"])
        .json(0)
}

/// Returns the outcomes of the merges and the number of open questions.
fn ends(dedupe: &Dedupe) -> (Vec<&str>, usize) {
    (
        dedupe
            .groups
            .iter()
            .map(|group| group.outcome.as_str())
            .collect(),
        dedupe.questions.len(),
    )
}

#[test]
fn merge_is_previewed_applied_and_undone() {
    let vault = TestVault::indexed("sample");
    let before = vault.tree();
    let shown: Dedupe = vault.run(["-q", "dedupe", "--json", "--dry-run"]).json(0);
    assert!(shown.dry_run && shown.run.is_none());
    assert_eq!(ends(&shown), (vec!["planned"], 2));
    before.assert_same(&vault.tree());
    vault
        .run(["dedupe"])
        .stdout(expect![[r#"
            merged agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
              reason: same title, 100 % of the wording is the same
            1c5e1859 Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? (same title, 91 % of the wording is the same)
            1666cfbb Merge garden/2025/Tomatoes.md into garden/Tomatoes.md? (same title, 80 % of the shorter note is in the longer one)
        "#]])
        .stderr(expect![[r#"
            hint: undo with `mem undo 757x`
            hint: answer with `mem review --kind merge`
        "#]])
        .code(0);
    vault
        .run(["-q", "undo"])
        .stdout(expect![[r#"
            undid dedupe: merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md (just now)
        "#]])
        .code(0);
    before.assert_same(&vault.tree());
}

#[test]
fn query_limit_and_expect_restrict_the_run() {
    let vault = TestVault::indexed("sample");
    let before = vault.tree();
    vault
        .run(["dedupe", "--apply", "all", "--expect", "1"])
        .stderr(expect![[r#"
            error: 2 changes would be made, more than the expected 1; nothing was changed
            hint: `--dry-run` lists them
        "#]])
        .code(2);
    before.assert_same(&vault.tree());
    let tea: Dedupe = vault
        .run([
            "-q",
            "dedupe",
            "--json",
            "--dry-run",
            "--apply",
            "all",
            "sencha",
        ])
        .json(0);
    assert_eq!(ends(&tea), (vec!["planned"], 0));
    let one: Dedupe = vault
        .run([
            "-q",
            "dedupe",
            "--json",
            "--dry-run",
            "--apply",
            "all",
            "--limit",
            "1",
        ])
        .json(0);
    assert_eq!(ends(&one), (vec!["planned"], 1));
    vault
        .run(["dedupe", "tag:bread"])
        .stdout(expect!["no duplicates"])
        .code(0);
    before.assert_same(&vault.tree());
}

#[test]
fn three_notes_with_one_title_become_one() {
    let vault = TestVault::of([
        ("a/Key.md", &format!("---\ntitle: Key\n---\n{BODY}\n")),
        ("b/Key.md", &format!("---\ntitle: Key\n---\n{BODY}\n")),
        (
            "c/Key.md",
            &format!("---\ntitle: Key\n---\n{BODY} Oil it.\n"),
        ),
        (
            "links.md",
            "[[a/Key]] [[b/Key|the key]] [[c/Key#Left]] [key](b/Key.md) ![[a/Key]]\n",
        ),
    ]);
    assert_eq!(ends(&dedupe_all(&vault)), (vec!["applied"], 0));
    assert!(!vault.path("a/Key.md").exists() && !vault.path("b/Key.md").exists());
    assert!(
        vault
            .read("c/Key.md")
            .starts_with(&format!("---\ntitle: Key\n---\n{BODY} Oil it.\n"))
    );
    vault.assert_text(
        "links.md",
        expect![[r#"
            [[c/Key]] [[c/Key|the key]] [[c/Key#Left]] [key](c/Key.md) ![[c/Key]]
        "#]],
    );
    assert_eq!(ends(&dedupe_all(&vault)), (vec![], 0));
}

#[test]
fn merge_creates_no_self_links() {
    let vault = TestVault::of([
        (
            "key.md",
            &format!(
                "---\ntitle: Key\ntags: [a]\nrelated_to: [\"[[key copy]]\", \"[[shed]]\"]\n---\n\
                 {BODY} See [[key copy|the other]].\n"
            ),
        ),
        (
            "key copy.md",
            &format!(
                "---\ntitle: Key\nrelated_to: \"[[key]]\"\nsupports: [\"[[shed]]\"]\n---\n{BODY} So says [[Key]].\n"
            ),
        ),
        ("shed.md", "The shed.\n"),
    ]);
    vault
        .run(["-q", "review", "accept", "--all", "--min-chance", "0"])
        .stdout(expect!["merged key copy.md into key.md"])
        .code(0);
    assert_eq!(
        vault.read("key.md"),
        format!(
            "---\ntitle: Key\ntags: [a]\nrelated_to: [\"[[shed]]\"]\nsupports: [\"[[shed]]\"]\n---\n\
             {BODY} See the other.\n\n## Merged from key copy.md\n\n{BODY} So says Key.\n"
        )
    );
}

#[test]
fn a_block_id_of_two_blocks_prevents_the_merge() {
    let vault = TestVault::of([
        ("A.md", "apples ^a\n"),
        ("B.md", "bananas ^A\n"),
        ("Copy.md", "apples ^a\n\npears\n"),
        ("R.md", "![[B#^A]] ![[Copy#^a]]\n"),
    ]);
    vault
        .run(["merge", "A", "B"])
        .stderr(expect![[r#"
            error: the merge into `A.md` would lose the block id `^a`, which two blocks have; edit it in one of the notes, then merge
        "#]])
        .code(2);
    vault
        .run(["-q", "merge", "A", "Copy"])
        .stdout(expect!["merged Copy.md into A.md"])
        .code(0);
    vault.assert_text("R.md", expect!["![[B#^A]] ![[A#^a]]"]);
}

#[test]
fn links_to_headings_of_merged_notes_stay_links() {
    let vault = TestVault::of([
        (
            "Guide.md",
            "# Guide\n\n[[Guide#Use|Use]] ![[Guide#Use]] [[#Use]] [[Guide]] [[Other#Care]] [[Other]] [c](x/Other.md#^b1)\n\n## Use\n",
        ),
        (
            "x/Other.md",
            "# Other\n\n[[Guide#Use|U]] [[Other#Care|C]] [u](../Guide.md#use) [[Other#Other]]\n\n## Care\n\nWash it. ^b1\n",
        ),
    ]);
    vault.run(["-q", "merge", "Guide", "Other"]).raw();
    vault.assert_text(
        "Guide.md",
        expect![[r#"
        ---
        aliases: [Other]
        ---
        # Guide

        [[Guide#Use|Use]] ![[Guide#Use]] [[#Use]] [[Guide]] [[Guide#Care]] Other [c](Guide.md#^b1)

        ## Use

        ## Merged from x/Other.md

        [[Guide#Use|U]] [[Guide#Care|C]] [u](Guide.md#use) Other > Other

        ### Care

        Wash it. ^b1
    "#]],
    );
}

#[test]
fn links_and_relations_are_repointed_to_the_keeper() {
    let vault = TestVault::of([
        ("key.md", &format!("{BODY} Oil it.\n")),
        ("old/key 1.md", &format!("{BODY}\n")),
        (
            "plan.md",
            "---\ndepends_on: [\"[[key 1]]\", \"[[shed]]\"] # mine\nsupports: \"[[old/key 1]]\"\nrelated_to: [\"[[key]]\", \"[[key 1]]\"]\nnote: see [[key 1]]\n---\n[[Key 1]], [[key 1#Left|left]], [there](old/key%201.md), `[[key 1]]`\n",
        ),
        (
            "deep/er/far.md",
            "[there](../../old/key%201.md#left \"title\")\r\n",
        ),
        ("shed.md", "The shed.\n"),
    ]);
    let dedupe = dedupe_all(&vault);
    assert_eq!(ends(&dedupe), (vec!["applied"], 0), "{dedupe:?}");
    vault.assert_text(
        "plan.md",
        expect![[r#"
        ---
        depends_on: ["[[key]]", "[[shed]]"] # mine
        supports: "[[key]]"
        related_to: ["[[key]]"]
        note: see [[key]]
        ---
        [[key]], [[key#Left|left]], [there](key.md), `[[key 1]]`
    "#]],
    );
    vault.assert_text(
        "deep/er/far.md",
        expect![[r#"[there](../../key.md#left "title")␍"#]],
    );
    vault
        .run(["-q", "undo"])
        .stdout(expect![[r#"
            undid dedupe: merge old/key 1.md into key.md (just now)
        "#]])
        .code(0);
    vault.assert_text(
        "deep/er/far.md",
        expect![[r#"
            [there](../../old/key%201.md#left "title")␍
        "#]],
    );
}

#[test]
fn properties_are_not_lost() {
    let vault = TestVault::of([
        (
            "key.md",
            &format!(
                "---\ntitle: Shed key # mine\ntags: [garden]\ncreated: 2026-02-01\nimportance: 0.3\nvalid_until: 2027-01-01\nstatus: 'open'\n---\n{BODY} Oil it.\n"
            ),
        ),
        (
            "key 1.md",
            &format!(
                "---\nid: K1\naliases: [barrel key]\ntags: [garden, keys]\ncreated: 2025-12-24\nimportance: 0.9\nvalid_until: 2028-01-01\nstatus: done\nrating: 5\nseen: [a, b]\nspace: home\n---\n{BODY}\n"
            ),
        ),
    ]);
    // Two states and two end dates are not merged unasked.
    let asked = dedupe_all(&vault);
    assert_eq!(ends(&asked), (vec![], 1), "{asked:?}");
    vault
        .run(["-q", "review", "accept", "--all", "--min-chance", "0"])
        .raw();
    assert_eq!(
        vault.read("key.md"),
        format!(
            "---\ntitle: Shed key # mine\ntags: [garden, keys]\ncreated: 2026-02-01\nimportance: 0.9\nvalid_until: 2028-01-01\nstatus: 'open'\nmerged:\n  - \"created: 2025-12-24\"\n  - \"importance: 0.3\"\n  - \"status: done\"\n  - \"valid_until: 2027-01-01\"\nid: K1\naliases: [barrel key]\nrating: 5\nseen: [a, b]\nspace: home\n---\n{BODY} Oil it.\n"
        )
    );
}

#[test]
fn title_of_the_merged_note_becomes_an_alias() {
    let vault = TestVault::of([
        (
            "a.md",
            &format!("---\ntitle: Shed key\n---\n{BODY} Oil it in spring.\n"),
        ),
        (
            "b.md",
            &format!("---\ntitle: Barrel key\nid: B1\n---\n{BODY}\n"),
        ),
    ]);
    // Two titles given by a person are not merged unasked.
    let asked = dedupe_all(&vault);
    assert_eq!(ends(&asked), (vec![], 1), "{asked:?}");
    let answer = format!(
        "{{\"id\":\"{}\",\"answer\":\"yes\"}}",
        asked.questions[0].id
    );
    let run = vault
        .command(["-q", "review", "--apply", "-"])
        .stdin(&answer)
        .run();
    run.stdout(expect!["merged b.md into a.md"]).code(0);
    assert_eq!(
        vault.read("a.md"),
        format!(
            "---\ntitle: Shed key\naliases: [Barrel key]\nid: B1\n---\n{BODY} Oil it in spring.\n"
        )
    );
    // It is still found by the old name and id.
    for name in ["Barrel key", "B1"] {
        vault.run(["show", name]).stdout(vault.read("a.md")).code(0);
    }
}

#[test]
fn kept_notes_are_not_removed_unasked() {
    let vault = TestVault::of([
        ("key.md", &format!("{BODY} Oil it.\n")),
        ("key 1.md", &format!("---\nkeep: true\n---\n{BODY}\n")),
        (
            "lamp.md",
            "---\nkeep: true\n---\nThe lamp over the stairs needs the small bulb, the one with the thin thread.\n",
        ),
        (
            "lamp 1.md",
            "---\nkeep: true\n---\nThe lamp over the stairs needs the small bulb, the one with the thin thread.\n",
        ),
    ]);
    let before = vault.tree();
    let dedupe = dedupe_all(&vault);
    assert_eq!(ends(&dedupe), (vec![], 1), "{dedupe:?}");
    // If it is merged, it stays.
    assert_eq!(dedupe.questions[0].notes, ["key 1.md", "key.md"]);
    before.assert_same(&vault.tree());
}

#[test]
fn numbers_and_negations_distinguish_notes() {
    let vault = TestVault::of([
        (
            "port 1.md",
            "The dev server runs on the old laptop and listens on port 8080 all night.\n",
        ),
        (
            "port 2.md",
            "The dev server runs on the old laptop and listens on port 9090 all night.\n",
        ),
        (
            "tea 1.md",
            "We use the small pot for the green tea when there are guests in the house.\n",
        ),
        (
            "tea 2.md",
            "We never use the small pot for the green tea when there are guests in the house.\n",
        ),
        (
            "a/Day.md",
            "---\ntitle: Day\n---\nRain in the morning, then the bus at 9:15, then soup.\n",
        ),
        (
            "b/Day.md",
            "---\ntitle: Day\n---\nSun in the morning, then the bus at 8:45, then cake.\n",
        ),
    ]);
    let dedupe = dedupe_all(&vault);
    assert!(dedupe.compared >= 2, "{dedupe:?}");
    assert_eq!(ends(&dedupe), (vec![], 0), "{dedupe:?}");
}

#[test]
fn handwritten_notes_are_only_proposed() {
    let vault = TestVault::of([
        ("key.md", &format!("{BODY}\n")),
        ("key 1.md", &format!("{BODY}\n")),
    ]);
    let before = vault.tree();
    let dedupe: Dedupe = vault.run(["-q", "dedupe", "--json"]).json(0);
    assert_eq!(ends(&dedupe), (vec![], 1));
    assert!(dedupe.questions[0].certain);
    vault.write(".mem/config.toml", "[sleep]\napply = \"all\"\n");
    let dedupe: Dedupe = vault
        .run(["-q", "dedupe", "--json"])
        .stderr(expect![[r#"
            warning: `$VAULT/.mem/config.toml` sets `sleep.apply` to "all"; a vault may only lower it
        "#]])
        .json(0);
    assert_eq!(ends(&dedupe), (vec![], 1));
    before.assert_same(&vault.tree());
}

#[test]
fn edited_or_linked_agent_notes_are_only_proposed() {
    let vault = TestVault::empty();
    for (text, title) in [(BODY, "Key"), (&format!("{BODY} Oil it."), "Key")] {
        vault
            .run(["-q", "remember", text, "--title", title, "--by", "claude"])
            .raw();
    }
    let planned = || -> Dedupe { vault.run(["-q", "dedupe", "--json", "--dry-run"]).json(0) };
    assert_eq!(ends(&planned()), (vec!["planned"], 0));
    // A person's note would change with it, so the merge is a question.
    vault.write("mine.md", "See [[key-2]].\n");
    assert_eq!(ends(&planned()), (vec![], 1));
    std::fs::remove_file(vault.path("mine.md")).unwrap();
    assert_eq!(ends(&planned()), (vec!["planned"], 0));
    vault.edit("key-2.md", "Oil it.", "Oil it, please.");
    assert_eq!(ends(&planned()), (vec![], 1));
}

#[test]
fn unparsable_notes_are_never_written() {
    let broken = format!("---\ntitle: [unclosed\n---\n{BODY}\n");
    let vault = TestVault::of([
        ("key.md", &format!("{BODY}\n")),
        ("key 1.md", &format!("{BODY}\n")),
        ("key 2.md", &broken),
        ("links.md", "---\nrelated_to: [unclosed\n---\n[[key 1]]\n"),
    ]);
    let before = vault.tree();
    let why =
        "`key 1.md`: cannot update the link from `links.md`, whose front matter cannot be read";
    let dedupe: Dedupe = vault
        .run(["-q", "dedupe", "--json", "--apply", "all"])
        .stderr(expect![[r#"
            warning: skipped `key 1.md`: cannot update the link from `links.md`, whose front matter cannot be read
        "#]])
        .json(0);
    assert_eq!(
        (ends(&dedupe), &dedupe.skipped[..]),
        ((vec![], 0), &[why.to_owned()][..])
    );
    before.assert_same(&vault.tree());
}

#[test]
fn stale_plans_are_not_applied() {
    let vault = TestVault::of([
        ("key.md", &format!("{BODY}\n")),
        ("key 1.md", &format!("{BODY}\n")),
    ]);
    let questions: Vec<Question> = vault.run(["review", "--jsonl", "--all"]).jsonl(0);
    vault.edit("key 1.md", "left side", "right side");
    let before = vault.tree();
    // No index pass before the answer: the files themselves show the change.
    let answer = format!("{{\"id\":\"{}\",\"answer\":\"yes\"}}", questions[0].id);
    let run = vault
        .command(["-q", "--no-sync", "review", "--apply", "-"])
        .stdin(&answer)
        .run()
        .raw();
    assert_eq!(run.code, 1, "{run:?}");
    before.assert_same(&vault.tree());
}

#[test]
fn images_next_to_the_merged_note_still_resolve() {
    let vault = TestVault::of([
        (
            "key.md",
            &format!("---\ntier: core\n---\n# Key\n\n{BODY}\n"),
        ),
        (
            "old/key.md",
            &format!("# Key\n\n{BODY}\n\n![map](img/shed.png) [list](../lists/Tools.md)\n"),
        ),
        ("old/img/shed.png", ""),
        ("lists/Tools.md", "Spade.\n"),
    ]);
    vault
        .run(["-q", "review", "accept", "--all", "--min-chance", "0"])
        .stdout(expect!["merged old/key.md into key.md"])
        .code(0);
    assert_eq!(
        vault.read("key.md"),
        format!(
            "---\ntier: core\n---\n# Key\n\n{BODY}\n\n## Merged from old/key.md\n\n\
             ![map](old/img/shed.png) [list](lists/Tools.md)\n"
        )
    );
}

#[test]
fn chain_of_duplicates_becomes_one_note() {
    // Each text contains the previous one and a little more.
    let texts = [
        BODY.to_owned(),
        format!("{BODY} Oil it."),
        format!("{BODY} Oil it. The lock is old."),
        format!("{BODY} Oil it. The lock is old. Anna knows it."),
    ];
    let vault = TestVault::empty();
    for (number, text) in texts.iter().enumerate() {
        let text = format!("---\ntitle: Key\n---\n{text}\n");
        vault.write(&format!("key {number}.md"), &text);
    }
    let mut looks = 0;
    while dedupe_all(&vault)
        .groups
        .iter()
        .any(|group| group.outcome == "applied")
    {
        looks += 1;
    }
    assert!(looks <= 2, "{looks}");
    let last = &texts[3];
    assert_eq!(
        vault.read("key 3.md"),
        format!("---\ntitle: Key\n---\n{last}\n")
    );
    assert_eq!(ends(&dedupe_all(&vault)), (vec![], 0));
    assert!((0..3).all(|number| !vault.path(&format!("key {number}.md")).exists()));
}

#[test]
fn run_merges_duplicates_that_its_merges_create() {
    let shelf = |key: &str| {
        format!("The shelf beside the door. What hangs there: [[{key}]], and a lamp.\n")
    };
    let vault = TestVault::of([
        ("key.md", BODY),
        ("key 1.md", BODY),
        ("shelf.md", &shelf("key")),
        ("shelf 1.md", &shelf("key 1")),
    ]);
    let merged = dedupe_all(&vault);
    assert_eq!(ends(&merged), (vec!["applied", "applied"], 0));
    assert_eq!(merged.followed_by.len(), 1);
    assert!(!vault.path("key 1.md").exists() && !vault.path("shelf 1.md").exists());
    assert_eq!(ends(&dedupe_all(&vault)), (vec![], 0));
    for run in merged.followed_by.iter().chain(&merged.run) {
        let undone = vault.run(["-q", "undo", run]).raw();
        assert_eq!(undone.code, 0, "{}", undone.stderr);
    }
    vault.assert_text(
        "shelf 1.md",
        expect![[r#"
        The shelf beside the door. What hangs there: [[key 1]], and a lamp.
    "#]],
    );
}

#[test]
fn notes_of_one_template_are_not_merged() {
    let import = |name: &str| {
        format!(
            "Export your notes from {name} as one archive, unpack it beside the vault, and drag the \
             folder into the window. Pictures come along when they lie beside the notes.\n"
        )
    };
    let vault = TestVault::of([
        ("bear.md", &import("Bear")),
        ("roam.md", &import("Roam")),
        ("notion.md", &import("Notion")),
        ("2026-03-02.md", &format!("{BODY}\n")),
        ("2026-03-03.md", &format!("{BODY}\n")),
        (
            "a.md",
            &format!("---\ntitle: Part 1\n---\n{}", import("Craft")),
        ),
        (
            "b.md",
            &format!("---\ntitle: Part 2\n---\n{}", import("Craft")),
        ),
    ]);
    let dedupe: Dedupe = vault
        .run(["-q", "dedupe", "--json", "--dry-run", "--apply", "all"])
        .json(0);
    assert!(dedupe.compared >= 5, "{dedupe:?}");
    assert_eq!(ends(&dedupe), (vec![], 0), "{dedupe:?}");
}

#[test]
fn copies_are_asked_whatever_their_names() {
    let text = "We ordered twelve chairs of beech for the reading room, and they arrive in June.\n";
    let vault = TestVault::of([
        ("chairs.md", text),
        ("orders/Beech.md", text),
        ("Remarks.md", &*format!("# Remarks\n\n{BODY}\n")),
        ("Remarks 1.md", &format!("# Remarks 1\n\n{BODY}\n")),
    ]);
    vault.run(["-q", "dedupe"]).raw();
    let questions: Vec<Question> = vault.run(["-q", "review", "--jsonl"]).jsonl(0);
    let asked: Vec<&str> = questions.iter().map(|one| one.question.as_str()).collect();
    assert_eq!(
        asked,
        [
            "Merge Remarks 1.md into Remarks.md?",
            "Merge orders/Beech.md into chairs.md?",
        ]
    );
}

#[test]
fn copies_of_one_text_are_one_question() {
    let names = ["Ash", "Elm", "Fir", "Oak"];
    let questions = |count: usize, note: &dyn Fn(&str) -> String| {
        let notes = names[..count].iter();
        let notes: Vec<(String, String)> = notes
            .map(|name| (format!("{name}.md"), note(name)))
            .collect();
        let vault = TestVault::empty();
        for (path, text) in &notes {
            vault.write(path, text);
        }
        let before = vault.tree();
        vault.run(["-q", "dedupe", "--apply", "all"]).raw();
        before.assert_same(&vault.tree());
        let asked: Vec<Question> = vault.run(["-q", "review", "--all", "--jsonl"]).jsonl(0);
        asked
            .into_iter()
            .map(|one| one.question)
            .collect::<Vec<_>>()
    };
    let more = "In winter the pump of the well stands beside it, because the pipe froze twice, and Otto repaired it.";
    let plain = |_: &str| format!("{BODY}\n\n{more}\n");
    let titled = |name: &str| format!("# {name}\n\n{BODY}\n\n{more}\n");
    for note in [&plain as &dyn Fn(&str) -> String, &titled] {
        assert_eq!(questions(2, note), ["Merge Elm.md into Ash.md?"]);
        assert_eq!(questions(3, note), ["Merge Elm.md, Fir.md into Ash.md?"]);
        assert_eq!(
            questions(4, note),
            ["Merge Elm.md, Fir.md, Oak.md into Ash.md?"]
        );
    }
}

#[test]
fn duplicates_of_different_types_are_asked() {
    let note = |kind: &str| format!("---\ntype: {kind}\n---\n{BODY}\n");
    let vault = TestVault::of([("key.md", &note("fact")), ("key 1.md", &note("procedure"))]);
    assert_eq!(ends(&dedupe_all(&vault)), (vec![], 1));
}

#[test]
fn missing_note_is_reported() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["dedupe", "Gren tea"])
        .stderr(expect!["no note matches `Gren tea`"])
        .code(1);
    let done: Dedupe = vault.run(["-q", "dedupe", "tag:nothing", "--json"]).json(1);
    assert_eq!((done.compared, done.groups.len()), (0, 0));
}

#[test]
fn omitted_blocks_are_listed() {
    let tasks = "- paint the door of the house\n- sweep the floor of the house\n";
    let vault = TestVault::of([
        (
            "tasks.md",
            &format!("# Tasks\n\n{BODY}\n\n## House\n\n{tasks}"),
        ),
        (
            "tasks 1.md",
            &format!("# Tasks\n\n{BODY}\n\n## House\n\n{tasks}\n## Shed\n\n{tasks}"),
        ),
    ]);
    let review: Review = vault.run(["review", "--json", "--all"]).json(0);
    let [question] = &review.questions[..] else {
        panic!("{review:?}");
    };
    let [left_out] = &question.left_out[..] else {
        panic!("{question:?}");
    };
    assert_eq!(
        (left_out.note.as_str(), left_out.keeper.as_str()),
        ("tasks 1.md", "tasks.md")
    );
    assert_eq!(left_out.blocks.len(), 3, "{left_out:?}");
    vault
        .run(["-q", "review", "accept", "--all", "--min-chance", "0"])
        .stdout(expect!["merged tasks 1.md into tasks.md"])
        .code(0);
    let merged = vault.read("tasks.md");
    assert_eq!(merged.matches(tasks).count(), 2, "{merged}");
}

/// An undone or rejected merge is not applied later because mem itself changed one of the notes.
#[test]
fn rejection_survives_edits_by_mem() {
    for is_undone in [true, false] {
        let vault = TestVault::indexed("sample");
        let done = |arguments: &[&str]| {
            let outcome = vault.run(arguments).raw();
            assert_eq!(outcome.code, 0, "{arguments:?}: {}", outcome.stderr);
        };
        let twin = vault.path("agents/Anna prefers short release notes 2.md");
        if is_undone {
            done(&["-q", "sleep"]);
            assert!(!twin.exists());
            done(&["-q", "undo"]);
        } else {
            done(&["-q", "review", "--kind", "merge"]);
            done(&["-q", "review", "reject", "--all", "--kind", "merge"]);
        }
        assert!(twin.exists());
        // A name becomes a link, and another note gets a link from another name.
        let before = fs::read_to_string(&twin).unwrap();
        vault
            .run([
                "review",
                "accept",
                "--all",
                "--kind",
                "mention",
                "--min-chance",
                "0",
            ])
            .raw();
        done(&["-q", "mv", "people/Anna.md", "people/Hanna.md"]);
        done(&[
            "-q",
            "mv",
            "agents/Anna prefers short release notes 3.md",
            "agents/third.md",
        ]);
        assert_ne!(fs::read_to_string(&twin).unwrap(), before);
        done(&["-q", "sleep", "--all"]);
        assert!(twin.exists(), "undone: {is_undone}");
        assert!(vault.path("agents/third.md").exists());
    }
}

#[test]
fn equal_texts_of_three_months_keep_the_latest_date() {
    let vault = TestVault::empty();
    for (month, tag) in [("01", "cellar"), ("02", "shop"), ("03", "disk")] {
        let created = format!("2026-{month}-05");
        let text = "The nightly backup of the shop is written to the second disk in the cellar.";
        // Another tag makes another note.
        let args = ["--created", &created, "--tag", tag, text];
        let by = ["-q", "remember", "--by", "agent"];
        vault.run([&by[..], &args[..]].concat()).raw();
    }
    let tree = vault.tree();
    vault.run(["-q", "dedupe"]).stdout(expect![[r#"
        merged the-nightly-backup-of-the-shop-is-written-to-the-second-disk-2.md, the-nightly-backup-of-the-shop-is-written-to-the-second-disk-3.md into the-nightly-backup-of-the-shop-is-written-to-the-second-disk.md
          reason: same text
    "#]]).code(0);
    vault
        .run(["list", "--format", "{{ created }} {{ tags }}"])
        .stdout(expect![[r#"
            2026-03-05T00:00:00Z ['cellar', 'shop', 'disk']
        "#]])
        .code(0);
    vault
        .run(["list", "created:<2026-03"])
        .stderr(expect!["no matches"])
        .code(1);
    vault.run(["-q", "undo"]).raw();
    tree.assert_same(&vault.tree());
}
