use super::*;
use crate::jobs::find::NoteScope;
use crate::jobs::tests::{self as scene, found};
use crate::view::IndexedVault;

fn managed(body: &str) -> String {
    scene::managed("type: fact\ncreated: 2026-05-30\n", body)
}

const BACKUPS: [&str; 4] = [
    "The nightly backup of the Postgres database is stored on the server in Basel.",
    "The nightly backup of the Postgres database is encrypted before it is stored on the server.",
    "The Postgres database server is restored from the nightly backup once a month as a test.",
    "The nightly Postgres database backup on the server is kept for thirty days.",
];

fn scene(bodies: &[&str]) -> IndexedVault {
    let other = (
        "tea.md".to_owned(),
        managed("Green tea wants water of eighty degrees, not boiling."),
    );
    let numbered = bodies.iter().enumerate();
    let notes = numbered.map(|(at, body)| (format!("ops/{at}.md"), managed(body)));
    IndexedVault::new(notes.chain([other]))
}

fn loose() -> ClusterOptions {
    ClusterOptions {
        min_cosine: 0.6,
        ..ClusterOptions::default()
    }
}

/// Returns the vault after applying all findings.
fn done(scene: &IndexedVault, options: &ClusterOptions) -> (IndexedVault, Vec<String>) {
    let titles = found(scene, options).iter().map(Finding::title).collect();
    (scene::done(scene, options), titles)
}

fn summary(scene: &IndexedVault) -> (&String, &String) {
    let mut metas = scene
        .files
        .iter()
        .filter(|(_, text)| text.contains("type: meta"));
    let one = metas.next().unwrap();
    assert!(metas.next().is_none());
    one
}

#[test]
fn replaced_notes_are_not_summarized() {
    let (scene, titles) = done(&scene(&BACKUPS), &loose());
    assert_eq!(titles, ["create ops/backup-database-nightly.md"]);
    let mut notes = scene.files;
    let newer = scene::managed("type: fact\nevolved_from: \"[[0]]\"\n", BACKUPS[3]);
    notes.insert("ops/3.md".to_owned(), newer);
    let (scene, _) = done(&IndexedVault::new(notes), &loose());
    let (_, text) = summary(&scene);
    assert!(!text.contains("[[0]]") && text.contains("[[1]]"), "{text}");
}

#[test]
fn group_keeps_one_summary() {
    let (scene, titles) = done(&scene(&BACKUPS[..3]), &loose());
    assert_eq!(titles, ["create ops/backup-database-nightly.md"]);
    let (path, text) = summary(&scene);
    expect_test::expect![[r#"
        ---
        title: Backup, database, nightly
        type: meta
        confidence: 0.8
        dominant_type: fact
        cluster_size: 3
        temporal_span_days: 0
        summarizes: ["[[0]]", "[[1]]", "[[2]]"]
        created: 2026-06-01T12:00:00Z
        mem:
          by: cluster
          seal: "03913eabb81013c0"
        ---
        <!-- mem cluster -->
        - The nightly backup of the Postgres database is stored on the server in Basel. ([[0]])
        - The nightly backup of the Postgres database is encrypted before it is stored on the server. ([[1]])
        - The Postgres database server is restored from the nightly backup once a month as a test. ([[2]])
        <!-- /mem f464344f -->
    "#]].assert_eq(text);
    let path = path.clone();
    // A second run finds nothing.
    let (scene, titles) = done(&scene, &loose());
    assert!(titles.is_empty(), "{titles:?}");
    // One added note, and one changed note.
    let properties = "type: fact\ncreated: 2026-05-20T06:00:00Z\n";
    let older = scene::managed(properties, BACKUPS[3]);
    let scene = scene.with([("ops/3.md", older)]);
    let (scene, titles) = done(&scene, &loose());
    assert_eq!(titles, [format!("edit {path}")]);
    let text = summary(&scene).1;
    assert!(text.contains("kept for thirty days"));
    assert!(
        text.contains("\ncluster_size: 4\ntemporal_span_days: 9.75\n"),
        "{text}"
    );
    let scene = scene.with([("ops/0.md", managed("Lunch is at noon in the garden."))]);
    let (scene, titles) = done(&scene, &loose());
    assert_eq!(titles, [format!("edit {path}")]);
    assert!(!summary(&scene).1.contains("[[0]]"));
    let (scene, titles) = done(&scene, &loose());
    assert!(titles.is_empty(), "{titles:?}");
    // The group dissolved.
    let scene = scene.with([(
        "ops/1.md",
        managed("The cat sleeps on the warm roof all day."),
    )]);
    let (scene, titles) = done(&scene, &loose());
    assert_eq!(titles, [format!("remove {path}")]);
    assert!(done(&scene, &loose()).1.is_empty());
}

#[test]
fn edited_lines_are_kept() {
    let (scene, _) = done(&scene(&BACKUPS[..3]), &loose());
    let (path, text) = summary(&scene);
    let (path, edited) = (
        path.clone(),
        text.replace("is encrypted", "is well encrypted"),
    );
    assert_ne!(&edited, text);
    let edited_scene = scene.with([(path.clone(), edited)]);
    let scene = edited_scene.with([("ops/3.md", managed(BACKUPS[3]))]);
    let (scene, titles) = done(&scene, &loose());
    assert!(titles.is_empty(), "{titles:?}");
    // Edits outside the marks are allowed; the lines between them are still updated.
    let text = scene.files[&path].replace("is well encrypted", "is encrypted") + "\nMy own line.\n";
    let scene = scene.with([(path.clone(), text)]);
    let found = found(&scene, &loose());
    assert_eq!(found.len(), 1);
    let (scene, _) = done(&scene, &loose());
    let text = &scene.files[&path];
    assert!(
        text.contains("thirty days") && text.ends_with("\nMy own line.\n"),
        "{text}"
    );
}

#[test]
fn few_or_identical_notes_and_extreme_options() {
    let own = ClusterOptions {
        notes: NoteScope::All,
        ..loose()
    };
    for (bodies, options, expected) in [
        (&[][..], loose(), 0),
        (&BACKUPS[..1], loose(), 0),
        (&BACKUPS[..2], loose(), 0),
        (&[BACKUPS[0]; 5], loose(), 1),
        (
            &BACKUPS,
            ClusterOptions {
                min_cosine: 1.0,
                ..loose()
            },
            0,
        ),
        // At a minimum of 0.001 all notes are near each other; only the spread limits groups.
        (
            &BACKUPS,
            ClusterOptions {
                min_cosine: 0.001,
                spread: 1.0,
                ..loose()
            },
            1,
        ),
        (
            &BACKUPS,
            ClusterOptions {
                relevance: 1.0,
                ..loose()
            },
            0,
        ),
        (&BACKUPS, own, 1),
    ] {
        assert_eq!(
            found(&scene(bodies), &options).len(),
            expected,
            "{options:?}"
        );
    }
    // Without vectors the job finds nothing.
    let scene = scene(&BACKUPS);
    let findings = loose().find(&scene.view(false), &Answers::default(), &Seeds::All);
    assert!(findings.unwrap().found.is_empty());
}

#[test]
fn notes_of_people_only_give_questions() {
    let notes = BACKUPS.iter().enumerate();
    let scene = IndexedVault::new(notes.map(|(at, body)| {
        let text = format!("---\ncreated: 2026-05-30\n---\n{body}\n");
        (format!("{at}.md"), text)
    }));
    assert!(found(&scene, &loose()).is_empty());
    let all = ClusterOptions {
        notes: NoteScope::All,
        ..loose()
    };
    let found = found(&scene, &all);
    assert_eq!(
        found.iter().map(|one| one.certain).collect::<Vec<_>>(),
        [false]
    );
    let answers = {
        let mut answers = Answers::default();
        answers.insert(found[0].key, Answer::No);
        answers
    };
    let again = all.find(&scene.view(true), &answers, &Seeds::All).unwrap();
    assert!(again.found.is_empty());
}

#[test]
fn changed_note_reaches_its_whole_group() {
    let scene = scene(&BACKUPS);
    let view = scene.view(true);
    let entries = view.entries().unwrap();
    let seeds = Seeds::Of([entries[1].slot].into());
    let find = |seeds| {
        loose()
            .find(&view, &Answers::default(), seeds)
            .unwrap()
            .found
    };
    assert_eq!(find(&seeds), find(&Seeds::All));
    let tea = Seeds::Of([entries[4].slot].into());
    assert!(find(&tea).is_empty());
}

#[test]
fn filled_forms_are_not_grouped() {
    let stubs = |count: usize, own: &str| {
        let trees = ["ash", "elm", "fir", "yew", "oak", "larch"];
        let notes = trees.into_iter().take(count).map(|tree| {
            let text = format!(
                "This page of the old handbook was moved.\n{}",
                own.replace('X', tree)
            );
            (format!("{tree}.md"), managed(&text))
        });
        found(&IndexedVault::new(notes), &loose()).len()
    };
    // Text shared by only three notes still counts as own text.
    assert_eq!(stubs(3, ""), 1);
    assert_eq!(stubs(6, ""), 0);
    assert_eq!(stubs(6, "Now at X."), 0);
    assert_eq!(
        stubs(6, "In it the wood of the X is praised for boats and oars."),
        1
    );
}

#[test]
fn links_added_by_a_person_are_kept() {
    let (scene, _) = done(&scene(&BACKUPS[..3]), &loose());
    let (path, text) = summary(&scene);
    let (path, text) = (
        path.clone(),
        text.replace("summarizes: [", "summarizes: [\"[[tea]]\", "),
    );
    let links = |scene: &IndexedVault| {
        let mut lines = summary(scene).1.lines();
        lines
            .find(|line| line.starts_with("summarizes"))
            .unwrap()
            .to_owned()
    };
    let scene = scene.with([(path, text), ("ops/3.md".to_owned(), managed(BACKUPS[3]))]);
    let (scene, _) = done(&scene, &loose());
    let expected = r#"summarizes: ["[[tea]]", "[[0]]", "[[1]]", "[[2]]", "[[3]]"]"#;
    assert_eq!(links(&scene), expected);
    // A link that the lines quote belongs to the job.
    let scene = scene.with([("ops/0.md", managed("Lunch is at noon in the garden."))]);
    let (scene, _) = done(&scene, &loose());
    assert_eq!(links(&scene), expected.replace(r#" "[[0]]","#, ""));
    assert_eq!(done(&scene, &loose()).1, Vec::<String>::new());
}
