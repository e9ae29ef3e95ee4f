//! `mem extract`, and `mem graph` over facts

use expect_test::expect;

use crate::support::TestVault;

fn vault() -> TestVault {
    TestVault::of([
        (
            "adr-1.md",
            "---\nstatus: accepted\n---\n# Use SQLite\n\nA file.\n",
        ),
        (
            "adr-2.md",
            "---\nstatus: accepted\nsupersedes: 1\nauthor: Ann Lee\n---\n# Use Postgres\n\nAnn Lee works at Acme.\n",
        ),
        (
            "team.md",
            "Bo Ray works at [[acme]]. Cy does not work at Acme.\n",
        ),
    ])
}

#[test]
fn facts_are_listed() {
    let vault = vault();
    vault
        .run([
            "extract",
            "--predicate",
            "supersedes",
            "--predicate",
            "works-at",
        ])
        .stdout(expect![[r#"
            adr-2.md:3: Use Postgres -supersedes-> Use SQLite
            adr-2.md:8: Ann Lee -works at-> Acme
            team.md:1: Bo Ray -works at-> Acme
        "#]])
        .code(0);
    vault
        .run(["extract", "path:team", "--jsonl"])
        .stdout(expect![[r#"
            {"subject":"Bo Ray","predicate":"works at","object":"acme","path":"team.md","line":1,"rule":"sentence"}
        "#]])
        .code(0);
    vault
        .run(["extract", "path:adr-1", "--predicate", "requires"])
        .stderr(expect![[r#"
            no facts found; `mem help facts` lists the forms
        "#]])
        .code(1);
}

#[test]
fn facts_around_a_thing_are_listed() {
    let vault = vault();
    vault
        .run(["graph", "acme", "--hops", "3"])
        .stdout(expect![[r#"
            Acme
              <-works at- Ann Lee  (adr-2.md:8)
                <-author- adr-2.md  Use Postgres  (adr-2.md:4)
                  -status-> accepted  (adr-2.md:2)
                  -supersedes-> adr-1.md  Use SQLite  (adr-2.md:3)
              <-works at- Bo Ray  (team.md:1)
        "#]])
        .code(0);
    vault
        .run(["graph", "Use SQLite", "--facts", "--format", "mermaid"])
        .stdout(expect![[r#"
            flowchart LR
              n0["Use SQLite"]
              n1["accepted"]
              n2["Use Postgres"]
              n0 -->|"status"| n1
              n2 -->|"supersedes"| n0
        "#]])
        .code(0);
    vault
        .run(["graph", "Accepted", "--json", "--where", "path:adr-1"])
        .stdout(expect![[r#"
            {
              "entities": [
                {
                  "name": "accepted",
                  "distance": 0
                },
                {
                  "name": "Use SQLite",
                  "path": "adr-1.md",
                  "distance": 1
                }
              ],
              "facts": [
                {
                  "subject": "Use SQLite",
                  "subject_path": "adr-1.md",
                  "predicate": "status",
                  "object": "accepted",
                  "path": "adr-1.md",
                  "line": 2,
                  "rule": "property"
                }
              ],
              "cut": false
            }
        "#]])
        .code(0);
    vault
        .run(["graph", "acme", "--hops", "6"])
        .stderr(expect![[r#"
            error: facts are followed over at most 5 hops
            hint: start at a name that these facts contain
        "#]])
        .code(2);
}

/// Names in templates are placeholders; a search finds them.
#[test]
fn templates_are_no_facts_and_no_context() {
    let note = |name: &str| {
        format!(
            "---\ntype: decision\nowner: \"[[Ann]]\"\nupdated: 2026-03-01\n---\nWe chose {name}.\n"
        )
    };
    let vault = TestVault::of([
        ("Tea.md", &*note("tea")),
        ("templates/decision.md", &note("{{title}}")),
        ("Vorlagen/Entscheid.md", &note("{{title}}")),
        (".obsidian/templates.json", r#"{"folder": "Vorlagen"}"#),
    ]);
    vault
        .run(["-q", "extract"])
        .stdout(expect![[r#"
            Tea.md:2: Tea -type-> decision
            Tea.md:3: Tea -owner-> Ann
        "#]])
        .code(0);
    vault
        .run(["-q", "context", "--days", "0"])
        .stdout(expect![[r#"
            Preferences and decisions:
            - We chose tea. (Tea.md, 2026-03-01)
        "#]])
        .code(0);
    vault
        .run(["-q", "extract", "Vorlagen/Entscheid.md"])
        .stdout(expect![[r#"
            Vorlagen/Entscheid.md:2: Entscheid -type-> decision
            Vorlagen/Entscheid.md:3: Entscheid -owner-> Ann
        "#]])
        .code(0);
}
