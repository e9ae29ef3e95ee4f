use super::*;
use crate::jobs::find::NoteScope;
use crate::jobs::tests::{done, found, managed};
use crate::view::IndexedVault;

fn note(properties: &str, body: &str) -> String {
    managed(&format!("{properties}created: 2026-05-30\n"), body)
}

const PORTS: [&str; 3] = [
    "The Postgres server in Basel listens on port 5432. Ada set it up.",
    "The Postgres server in Basel listens on port 5432.",
    "The Postgres server in Basel listens on port 5432 behind the firewall.",
];

fn scene(properties: &str, bodies: &[&str]) -> IndexedVault {
    let numbered = bodies.iter().enumerate();
    let notes = numbered.map(|(at, body)| (format!("{at}.md"), note(properties, body)));
    IndexedVault::new(notes.chain([(
        "tea.md".to_owned(),
        note("", "Green tea wants no boiling water."),
    )]))
}

fn loose() -> ConsolidateOptions {
    ConsolidateOptions {
        min_cosine: 0.6,
        ..ConsolidateOptions::default()
    }
}

#[test]
fn replaced_notes_are_not_digested() {
    let mut notes = scene("", &PORTS[..2]).files;
    assert_eq!(found(&IndexedVault::new(notes.clone()), &loose()).len(), 1);
    notes.insert(
        "1.md".to_owned(),
        note("evolved_from: \"[[0]]\"\n", PORTS[1]),
    );
    assert!(found(&IndexedVault::new(notes), &loose()).is_empty());
}

#[test]
fn digest_replaces_its_sources_once() {
    for (originals, expected) in [
        (Originals::Archival, "tier: archival"),
        (Originals::Superseded, "valid_until: 2026-05-30T00:00:00Z"),
    ] {
        let options = ConsolidateOptions {
            originals,
            ..loose()
        };
        let scene = done(&scene("type: fact\ntags: [db]\n", &PORTS), &options);
        let mut files = scene.files.iter();
        let (_, text) = files.find(|(path, _)| path.starts_with("digest")).unwrap();
        if originals == Originals::Archival {
            expect_test::expect![[r#"
                ---
                title: Digest of 1
                type: fact
                tags: [db]
                derived_from: ["[[1]]", "[[2]]", "[[0]]"]
                created: 2026-05-30T00:00:00Z
                mem:
                  by: consolidate
                  seal: "c82b7e41c7cdce01"
                ---
                - The Postgres server in Basel listens on port 5432 behind the firewall. ([[2]])
                - The Postgres server in Basel listens on port 5432. Ada set it up. ([[0]])

                The same: [[1]].
            "#]]
            .assert_eq(text);
        }
        for at in 0..3 {
            assert!(scene.files[&format!("{at}.md")].contains(expected));
        }
        assert!(found(&scene, &options).is_empty());
        // A digest is never a source of another.
        let near = ConsolidateOptions {
            source: ClusterSource::NearDuplicates,
            min_cosine: 0.3,
            ..options
        };
        let scene = scene.with([("3.md", note("", PORTS[1]))]);
        assert!(found(&scene, &near).is_empty());
    }
}

#[test]
fn incompatible_notes_are_not_consolidated() {
    for (properties, bodies, expected) in [
        ("", &PORTS[..], 1),
        ("", &PORTS[..1], 0),
        ("", &[][..], 0),
        ("", &[PORTS[0]; 7], 2),
        // A contradiction.
        (
            "",
            &[
                PORTS[0],
                "The Postgres server in Basel listens on port 6000.",
            ],
            0,
        ),
        ("", &[PORTS[0], PORTS[1]], 1),
        ("keep: true\n", &PORTS, 0),
        ("tier: core\n", &PORTS, 0),
        ("tier: archival\n", &PORTS, 0),
        ("type: meta\nsummarizes: \"[[tea]]\"\n", &PORTS, 0),
        ("type: meta\n", &PORTS, 1),
        ("due: 2026-07-01\n", &PORTS, 1),
        ("supports: \"[[tea]]\"\n", &PORTS, 0),
    ] {
        let found = found(&scene(properties, bodies), &loose());
        assert_eq!(found.len(), expected, "{properties} {bodies:?}");
        assert!(found.iter().all(|one| one.notes.len() <= MAX_SOURCES));
    }
    // One has an additional property.
    let scene = scene("", &PORTS).with([("1.md", note("due: 2026-07-01\n", PORTS[1]))]);
    assert!(found(&scene, &loose()).is_empty());
}

#[test]
fn extreme_options_and_notes_of_people() {
    let scene = scene("", &PORTS);
    for (options, expected) in [
        (
            ConsolidateOptions {
                min_cosine: 1.0,
                ..loose()
            },
            0,
        ),
        (
            ConsolidateOptions {
                min_cosine: 0.001,
                ..loose()
            },
            1,
        ),
        (
            ConsolidateOptions {
                source: ClusterSource::NearDuplicates,
                ..ConsolidateOptions::default()
            },
            0,
        ),
    ] {
        assert_eq!(found(&scene, &options).len(), expected, "{options:?}");
    }
    let numbered = PORTS.iter().enumerate();
    let people =
        IndexedVault::new(numbered.map(|(at, body)| (format!("{at}.md"), (*body).to_owned())));
    assert!(found(&people, &loose()).is_empty());
    assert_eq!(
        found(
            &people,
            &ConsolidateOptions {
                notes: NoteScope::All,
                ..loose()
            }
        )
        .len(),
        1
    );
    let no = |key| {
        let mut answers = Answers::default();
        answers.insert(key, Answer::No);
        answers
    };
    let answers = no(found(&scene, &loose())[0].key);
    let again = loose()
        .find(&scene.view(true), &answers, &Seeds::All)
        .unwrap();
    assert!(again.found.is_empty());
}

#[test]
fn links_keep_their_targets() {
    let body = |link: &str| format!("{} See {link}.", PORTS[1]);
    for (paths, link, expected) in [
        (["a/0.md", "a/1.md"], "[it](it.md)", 1),
        (["a/0.md", "b/1.md"], "[it](it.md)", 0),
        (["a/0.md", "b/1.md"], "[[a/it]]", 1),
        // The link resolves differently from each folder.
        (["a/0.md", "b/1.md"], "[[it]]", 0),
    ] {
        let notes = paths.map(|path| (path.to_owned(), note("", &body(link))));
        let others = ["a/it.md", "b/it.md"].map(|path| (path.to_owned(), "Rain.".to_owned()));
        let scene = IndexedVault::new(notes.into_iter().chain(others));
        assert_eq!(found(&scene, &loose()).len(), expected, "{paths:?} {link}");
    }
}
