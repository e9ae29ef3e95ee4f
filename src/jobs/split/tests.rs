use super::*;
use crate::jobs::find::NoteScope;
use crate::jobs::tests::{done, found, managed};
use crate::jobs::{cluster, consolidate, dedupe, link};
use crate::note::front_matter::seal;
use crate::view::IndexedVault;

fn note(properties: &str, body: &str) -> String {
    managed(&format!("{properties}created: 2026-05-30\n"), body)
}

const BOTH: &str = "The Postgres server listens on port 5432.\n\nAda was born in Basel.";

#[test]
fn parts_inherit_properties_and_are_not_rejoined() {
    let properties = "type: fact\ntags: [db]\nspace: home\nid: x\naliases: [both]\n";
    let body = format!("{BOTH}\n\nGreen tea wants no boiling water.");
    let vault = IndexedVault::new([("n/notes.md", note(properties, &body))]);
    let scene = done(&vault, &SplitOptions::default());
    expect_test::expect![[r#"
        ---
        title: Ada was born in Basel
        space: home
        tags: [db]
        type: fact
        part_of: ["[[notes]]"]
        created: 2026-05-30T00:00:00Z
        mem:
          by: split
          seal: "a7a70d9ae48a44d4"
        ---
        Ada was born in Basel.
    "#]]
    .assert_eq(&scene.files["n/ada-was-born-in-basel.md"]);
    assert!(scene.files["n/notes.md"].contains("tier: archival"));
    assert!(scene.files["n/notes.md"].ends_with(&format!("{body}\n")));
    assert_eq!(scene.files.len(), 4);
    assert!(found(&scene, &SplitOptions::default()).is_empty());
    // They are neither split again after a restore, nor joined by another job.
    let back = scene.files["n/notes.md"].replace("tier: archival\n", "");
    let scene = scene.with([("n/notes.md", seal::reseal(&back))]);
    let cluster = cluster::ClusterOptions {
        notes: NoteScope::All,
        min_cosine: 0.001,
        spread: 1.0,
        relevance: 0.0,
    };
    let consolidate = consolidate::ConsolidateOptions {
        notes: NoteScope::All,
        min_cosine: 0.001,
        ..consolidate::ConsolidateOptions::default()
    };
    let loose = dedupe::DedupeOptions {
        ask: 0.001,
        ..dedupe::DedupeOptions::default()
    };
    // Without `part_of` they would get a summary.
    let files = scene.files.clone().into_iter();
    let alone =
        IndexedVault::new(files.map(|(path, text)| (path, text.replace("by: split", "by: a"))));
    assert_eq!(found(&alone, &cluster).len(), 1);
    for find in [
        &SplitOptions::default() as &dyn Find,
        &cluster,
        &consolidate,
        &dedupe::DedupeOptions::default(),
        &loose,
        &link::LinkOptions::default(),
    ] {
        assert_eq!(found(&scene, find), [], "{find:?}");
    }
}

#[test]
fn notes_that_are_not_split() {
    for (path, properties, body, expected) in [
        ("a.md", "", BOTH, 1),
        ("a.md", "keep: true\n", BOTH, 0),
        ("a.md", "tier: core\n", BOTH, 0),
        ("a.md", "tier: archival\n", BOTH, 0),
        ("a.md", "tier: forgotten\n", BOTH, 0),
        ("a.md", "valid_until: 2026-01-01\n", BOTH, 0),
        ("a.md", "supports: \"[[tea]]\"\n", BOTH, 0),
        ("a.md", "related_to: \"[[tea]]\"\n", BOTH, 1),
        ("a.md", "type: meta\nsummarizes: \"[[tea]]\"\n", BOTH, 0),
        ("a.md", "title: The server\n", BOTH, 0),
        ("templates/a.md", "", BOTH, 0),
        ("2026-05-30.md", "", BOTH, 0),
        (
            "a.md",
            "",
            "The server listens on port 5432.\n\n## Ada\n\nAda was born, see [[#Port]].",
            0,
        ),
        (
            "a.md",
            "",
            "The server listens on port 5432.\n\n## Ada\n\nAda was born in [Basel][b].\n\n[b]: basel.md",
            0,
        ),
        ("old.md", "", BOTH, 0),
        ("a.md", "", "", 0),
    ] {
        let tea = note(
            "evolved_from: \"[[old]]\"\n",
            "Green tea wants no boiling water.",
        );
        let scene = IndexedVault::new([(path, note(properties, body)), ("tea.md", tea)]);
        let found = found(&scene, &SplitOptions::default());
        assert_eq!(found.len(), expected, "{path} {properties} {body}");
    }
    // A person's note, or one edited by a person.
    for text in [BOTH.to_owned(), note("", "a").replace("a\n", BOTH)] {
        assert_eq!(
            found(
                &IndexedVault::new([("a.md", text)]),
                &SplitOptions::default()
            ),
            []
        );
    }
    // A digest, whatever its content.
    let digest = note("", BOTH).replace("by: a", "by: consolidate");
    assert_eq!(
        found(
            &IndexedVault::new([("a.md", digest)]),
            &SplitOptions::default()
        ),
        []
    );
    let scene = IndexedVault::new([("a.md", note("", BOTH))]);
    let mut answers = Answers::default();
    answers.insert(found(&scene, &SplitOptions::default())[0].key, Answer::No);
    let again = SplitOptions::default().find(&scene.view(true), &answers, &Seeds::All);
    assert_eq!(again.unwrap().found, []);
}
