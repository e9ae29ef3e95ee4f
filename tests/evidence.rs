//! Evidence for jobs is the note's own text: no forms, templates or notes with `keep`.

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::Question;

/// People with notes in the vault.
const PEOPLE: [&str; 8] = [
    "Anna", "Ben", "Cleo", "Dora", "Emil", "Fritz", "Gerda", "Hans",
];

#[test]
fn notes_without_own_statements_are_no_evidence() {
    let mut notes: Vec<(String, String)> = Vec::new();
    let mut add = |path: String, text: &str| notes.push((path, text.to_owned()));
    let form = "## Born\n\n## Works at\n\nWhat did we talk about, and what was promised to whom?\n";
    add("Templates/person.md".to_owned(), form);
    for (at, name) in PEOPLE.iter().enumerate() {
        let day = format!("2026-01-0{}", at + 1);
        add(format!("people/{name}.md"), form);
        add(
            format!("called/{name}.md"),
            &format!("---\ntitle: {name}\ncreated: {day}\n---\n{form}"),
        );
        add(
            format!("books/{name}.md"),
            "# Book\n\n## Author\n\nRating:\n",
        );
        add(
            format!("daily/{day}.md"),
            "# Day\n\n- [ ] \n\n## Thanks for\n",
        );
        add(format!("empty/{name}.md"), "");
        add(
            format!("matter/{name}.md"),
            "---\ntype: person\nstatus: open\n---\n",
        );
        add(
            format!("query/{name}.md"),
            "```dataview\nLIST FROM #person\n```\n",
        );
        add(format!("stub/{name}.md"), "# Stub\n\nTODO\n");
        add(
            format!("{name}/readme.md"),
            "Each folder holds the songs of one singer of the choir.\n",
        );
    }
    let vault = TestVault::empty();
    for (path, text) in &notes {
        vault.write(path, text);
    }
    for (job, key) in [
        ("cluster", "notes"),
        ("consolidate", "notes"),
        ("associate", "notes"),
        ("link", "similar"),
    ] {
        vault
            .run(["-q", "config", &format!("{job}.{key}"), "all"])
            .code(0);
    }
    let before = vault.tree();
    vault.run(["-q", "sleep", "--all", "--apply", "all"]).raw();
    before.assert_same(&vault.tree());
    let questions: Vec<Question> = vault.run(["-q", "review", "--all", "--jsonl"]).jsonl(1);
    assert_eq!(questions.len(), 0, "{questions:?}");
}

#[test]
fn notes_of_a_template_without_a_cursor_are_no_evidence() {
    let form = "# {{title}}\n\nWho came through the door that day, and who stayed at home?\n\nWhat \
                was promised to whom, and until when should it be done?\n";
    let vault = TestVault::of([("templates/visit.md", form)]);
    // Three notes are too few to be recognised as boilerplate by their number.
    for name in &PEOPLE[..2] {
        vault.write(&format!("{name}.md"), &form.replace("{{title}}", name));
    }
    vault.write("Cleo.md", &form.replace("# {{title}}\n\n", ""));
    // The text is a paragraph of its own, not the end of a question.
    vault
        .run([
            "-q",
            "remember",
            "--template",
            "visit",
            "--title",
            "Dora",
            "The bees of Emil moved in.",
        ])
        .stdout(expect!["dora.md"])
        .code(0);
    let dora = form.replace("{{title}}", "Dora") + "\nThe bees of Emil moved in.\n";
    assert_eq!(
        std::fs::read_to_string(vault.path("dora.md")).unwrap(),
        dora
    );
    for (job, key) in [
        ("cluster", "notes"),
        ("consolidate", "notes"),
        ("associate", "notes"),
        ("link", "similar"),
    ] {
        vault
            .run(["-q", "config", &format!("{job}.{key}"), "all"])
            .code(0);
    }
    let before = vault.tree();
    vault.run(["-q", "sleep", "--all", "--apply", "all"]).raw();
    before.assert_same(&vault.tree());
    let questions: Vec<Question> = vault.run(["-q", "review", "--all", "--jsonl"]).jsonl(1);
    assert_eq!(questions.len(), 0, "{questions:?}");
}

#[test]
fn inapplicable_findings_are_not_asked() {
    let text = "The spare key of the shed hangs behind the rain barrel, wrapped in a yellow bag.";
    let vault = TestVault::of([
        ("key.md", &*format!("{text} It is old.\n")),
        (
            "tied.md",
            &*format!("---\na: &a {{b: 1}}\nc:\n  <<: *a\n---\n{text} It is new.\n"),
        ),
        (
            "a.md",
            "---\ncreated: 2026-03-01\nkeep: true\n---\nWe use SQLite for the billing.\n",
        ),
        (
            "b.md",
            "---\ncreated: 2026-03-20\n---\nWe switched from SQLite to Postgres for the billing.\n",
        ),
    ]);
    vault
        .run([
            "-q", "review", "--all", "--kind", "merge", "--kind", "conflict",
        ])
        .stdout(expect![""])
        .code(1);
}
