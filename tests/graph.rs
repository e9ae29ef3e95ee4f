//! `mem graph`

use std::collections::BTreeSet;
use std::fs;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{GraphEdge, NoteGraph};

const SQLITE: &str =
    "---\ntitle: Chose SQLite\nsupports: \"[[Speed]]\"\n---\nOne file, see [[Speed]].\n";
const POSTGRES: &str = "---\nevolved_from: [\"[[sqlite|what was]]\"]\nrelated_to: [\"[[Speed]]\"]\n\
    up: \"[[Home]]\"\n---\nNow [[sqlite]] and [[Sqlite#Why]], not [[gone]].\n";

/// Notes with the provenance of one relation.
fn vault() -> TestVault {
    let vault = TestVault::of([
        ("sqlite.md", SQLITE),
        ("postgres.md", POSTGRES),
        ("Speed.md", "Fast, see [[Speed]]."),
        ("Home.md", "[here](postgres.md)"),
        ("alone.md", "I know nobody."),
    ]);
    vault.write(
        ".mem/journal/0a0a0a0a/edges.jsonl",
        "{\"from\":\"postgres.md\",\"relation\":\"evolved_from\",\"to\":\"old name.md\",\"weight\":0.8,\
         \"reason\":\"switched\\nto\",\"by\":\"conflicts\",\"at\":\"2026-03-01T00:00:00Z\",\"run\":\"r\",\
         \"bodies\":[\"0000000000000001\",\"BODY\"]}\n",
    );
    // The note was renamed since: only its body is the same.
    let file = vault.path(".mem/journal/0a0a0a0a/edges.jsonl");
    let body = xxhash_rust::xxh3::xxh3_64(b"one file, see [[speed]].");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("BODY", &format!("{body:016x}"))).unwrap();
    vault
}

#[test]
fn neighbourhood_of_a_note() {
    let vault = vault();
    vault
        .run(["graph", "sqlite"])
        .stdout(expect![[r#"
            sqlite.md  Chose SQLite
              -supports-> Speed.md
              -> Speed.md
              -replaced_by-> postgres.md  0.80  "switched to" (conflicts)
              <- postgres.md
        "#]])
        .code(0);
    vault
        .run(["graph", "Home", "--hops", "2"])
        .stdout(expect![[r#"
            Home.md
              -> postgres.md
                -evolved_from-> sqlite.md  Chose SQLite  0.80  "switched to" (conflicts)
                -related_to-> Speed.md
                -> sqlite.md  Chose SQLite
              <-up- postgres.md
        "#]])
        .code(0);
    let record: NoteGraph = vault
        .run(["graph", "sqlite", "--hops", "2", "--json"])
        .json(0);
    let nodes: Vec<_> = record
        .nodes
        .iter()
        .map(|node| (node.path.as_str(), node.distance.unwrap()))
        .collect();
    assert_eq!(
        nodes,
        [
            ("sqlite.md", 0),
            ("Speed.md", 1),
            ("postgres.md", 1),
            ("Home.md", 2)
        ]
    );
    assert_eq!(record.nodes[0].title, "Chose SQLite");
    assert_eq!(record.edges.len(), 7);
    vault
        .run(["graph", "alone"])
        .stdout(expect!["alone.md"])
        .stderr(expect!["no links or relations"])
        .code(1);
    let failure = vault.run(["graph", "nobody", "--json"]).failure();
    assert_eq!(failure.message, "no note matches `nobody`");
    let failure = vault.run(["graph", "--hops", "2", "--json"]).failure();
    assert!(failure.hints.concat().contains("<NOTE>"), "{failure:?}");
}

#[test]
fn all_edges_of_the_vault() {
    let vault = vault();
    vault
        .run(["graph"])
        .stdout(expect![[r#"
            Home.md -> postgres.md
            postgres.md -evolved_from-> sqlite.md  0.80  "switched to" (conflicts)
            postgres.md -related_to-> Speed.md
            postgres.md -up-> Home.md
            postgres.md -> sqlite.md
            sqlite.md -supports-> Speed.md
            sqlite.md -> Speed.md
        "#]])
        .code(0);
    let document: NoteGraph = vault.run(["graph", "--json"]).json(0);
    let again: NoteGraph = vault.run(["graph", "--format", "json"]).json(0);
    let lines: Vec<GraphEdge> = vault.run(["graph", "--jsonl"]).jsonl(0);
    assert_eq!(document.edges, lines);
    assert_eq!(
        (document.nodes, document.edges.clone()),
        (again.nodes, again.edges)
    );
    assert_eq!(
        document.edges[1],
        GraphEdge {
            from: "postgres.md".to_owned(),
            to: "sqlite.md".to_owned(),
            relation: Some("evolved_from".to_owned()),
            weight: Some(0.8),
            reason: Some("switched\nto".to_owned()),
            by: Some("conflicts".to_owned()),
            at: Some("2026-03-01T00:00:00Z".to_owned()),
        }
    );
    // Their strength is not stated: the default of the kind, or none.
    assert_eq!(document.edges[2].weight, Some(0.5));
    assert_eq!(
        (document.edges[3].weight, document.edges[3].by.as_ref()),
        (None, None)
    );

    // Without the journal only the provenance is lost.
    fs::remove_dir_all(vault.path(".mem/journal")).unwrap();
    let lines: Vec<GraphEdge> = vault.run(["graph", "--jsonl"]).jsonl(0);
    assert_eq!(lines.len(), document.edges.len());
    assert_eq!(
        (lines[1].weight, lines[1].reason.as_ref()),
        (Some(0.9), None)
    );
}

#[test]
fn edges_are_filtered() {
    let vault = vault();
    for (arguments, expected) in [
        (
            &["--relation", "evolved_from"][..],
            expect![[r#"
                postgres.md -evolved_from-> sqlite.md  0.80  "switched to" (conflicts)
            "#]],
        ),
        (
            &["--relation", "replaced_by", "--relation", "up"],
            expect![[r#"
                postgres.md -evolved_from-> sqlite.md  0.80  "switched to" (conflicts)
                postgres.md -up-> Home.md
            "#]],
        ),
        (
            &["--relation", "link", "--where", "path:sqlite OR path:speed"],
            expect!["sqlite.md -> Speed.md"],
        ),
        (
            &["--by", "conflicts"],
            expect![[r#"
                postgres.md -evolved_from-> sqlite.md  0.80  "switched to" (conflicts)
            "#]],
        ),
        (
            &["Speed", "--hops", "5", "--relation", "supports"],
            expect![[r#"
                Speed.md
                  -supported_by-> sqlite.md  Chose SQLite
            "#]],
        ),
        // The path to Home leads over an excluded note.
        (
            &["Speed", "--hops", "5", "--where", "-path:postgres"],
            expect![[r#"
                Speed.md
                  -supported_by-> sqlite.md  Chose SQLite
                  <- sqlite.md  Chose SQLite
            "#]],
        ),
        (
            &[
                "Speed",
                "--where",
                "path:sqlite OR path:home",
                "--where",
                "-path:home",
            ],
            expect![[r#"
                Speed.md
                  -supported_by-> sqlite.md  Chose SQLite
                  <- sqlite.md  Chose SQLite
            "#]],
        ),
    ] {
        vault
            .run(["graph"].iter().chain(arguments))
            .stdout(expected)
            .code(0);
    }
    for (arguments, said) in [
        (
            &["--by", "link"][..],
            expect!["no such links or relations between notes"],
        ),
        (
            &["--where", "title:nothing"],
            expect!["no such links or relations between notes"],
        ),
    ] {
        vault
            .run(["graph"].iter().chain(arguments))
            .stderr(said)
            .code(1);
    }
    TestVault::of([("a.md", "text")])
        .run(["graph"])
        .stderr(expect!["no links or relations between notes"])
        .code(1);
}

#[test]
fn graph_formats_for_other_programs() {
    let vault = TestVault::of([
        ("a \"b\"].md", "---\nsee \"it\"|: \"[[c]]\"\n---\n[[c]]\n"),
        (
            "c.md",
            "---\ntitle: \"x\\\"];\\nn0 --> n9 <b> `%%{\"\n---\nsee",
        ),
        ("alone.md", "alone"),
    ]);
    vault
        .run(["graph", "--format", "dot"])
        .stdout(expect![[r#"
            digraph mem {
              node [shape=box];
              n0 [label="a \"b\"]", tooltip="a \"b\"].md"];
              n2 [label="x\"]; n0 --> n9 <b> `%%{", tooltip="c.md"];
              n0 -> n2 [label="see \"it\"|"];
              n0 -> n2;
            }
        "#]])
        .code(0);
    vault
        .run(["graph", "--format", "mermaid"])
        .stdout(expect![[r#"
            flowchart LR
              n0["a #34;b#34;#93;"]
              n2["x#34;#93;#59; n0 --#62; n9 #60;b#62; #96;#37;#37;#123;"]
              n0 -->|"see #34;it#34;#124;"| n2
              n0 --> n2
        "#]])
        .code(0);
}

/// Links are resolved in two ways, in bulk and individually.
#[test]
fn whole_graph_and_neighbourhood_agree() {
    for name in ["sample", "messy"] {
        let vault = TestVault::indexed(name);
        let record = |arguments: &[&str]| -> NoteGraph {
            let outcome = vault.run(["graph", "--json"].iter().chain(arguments)).raw();
            serde_json::from_str(&outcome.stdout).unwrap()
        };
        let shown = |edges: &[&GraphEdge]| -> BTreeSet<String> {
            edges.iter().map(|edge| format!("{edge:?}")).collect()
        };
        let whole = record(&[]);
        assert!(whole.edges.len() > 3, "{name}");
        for node in &whole.nodes {
            let around = record(&[&format!("./{}", node.path), "--hops", "1000"]);
            assert_eq!(&around.nodes[0].path, &node.path);
            let reached: BTreeSet<&str> =
                around.nodes.iter().map(|node| node.path.as_str()).collect();
            let of_them: Vec<_> = whole
                .edges
                .iter()
                .filter(|edge| reached.contains(edge.from.as_str()))
                .collect();
            let edges: Vec<_> = around.edges.iter().collect();
            assert_eq!(edges.len(), of_them.len(), "{}", node.path);
            assert_eq!(shown(&edges), shown(&of_them), "{}", node.path);
        }
    }
}

#[test]
fn related_to_a_text_lists_the_notes_that_it_names() {
    let vault = TestVault::indexed("sample");
    for (text, expected) in [
        (
            "Tomasz brings Green tea, and the Oolong.",
            &[
                "people/Tomasz.md",
                "Green tea.md",
                "tea/Green tea (conflicted copy 2026-03-02).md",
                "tea/Oolong.md",
            ][..],
        ),
        ("oolong again", &[]),
    ] {
        let run = vault
            .command(["-q", "related", "-", "--json"])
            .stdin(text)
            .run()
            .raw();
        let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let links = found["links"].as_array().unwrap();
        let paths: Vec<&str> = links
            .iter()
            .map(|link| link["path"].as_str().unwrap())
            .collect();
        assert_eq!(paths, expected, "{text}");
    }
}
