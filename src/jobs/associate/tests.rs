use super::*;
use crate::jobs::find::NoteScope;
use crate::jobs::tests::managed;
use crate::view::IndexedVault;

fn note(kind: &str, day: u32, body: &str) -> String {
    managed(&format!("type: {kind}\ncreated: 2026-05-{day:02}\n"), body)
}

fn scene() -> IndexedVault {
    IndexedVault::new([
        (
            "Slow builds pattern.md",
            note(
                "pattern",
                20,
                "Builds are slow on Mondays because the cache is cold after the weekend.",
            ),
        ),
        (
            "Cold cache.md",
            note(
                "insight",
                2,
                "The cache of builds is cold after the weekend, so builds are slow.",
            ),
        ),
        (
            "Cheese.md",
            note(
                "decision",
                3,
                "We buy the cheese for the party at the market.",
            ),
        ),
        (
            "Cheese storage.md",
            note("decision", 12, "The cellar gets a new lock."),
        ),
        (
            "Lock.md",
            note("decision", 12, "Nobody paints the fence this year."),
        ),
    ])
}

fn found(scene: &IndexedVault, options: &AssociateOptions) -> Vec<String> {
    let findings = options.find(&scene.view(true), &Answers::default(), &Seeds::All);
    let found = findings.unwrap().found;
    found
        .iter()
        .map(|one| format!("{}{}", if one.certain { "" } else { "? " }, one.title()))
        .collect()
}

fn all() -> AssociateOptions {
    AssociateOptions {
        relevance: 0.0,
        ..AssociateOptions::default()
    }
}

#[test]
fn rules_apply_to_drawn_notes() {
    let explains = "record explains from Cold cache.md to Slow builds pattern.md";
    let contrasts = "record contrasts_with from Cheese storage.md to Cheese.md";
    assert_eq!(
        found(&scene(), &all()),
        [explains.to_owned(), format!("? {contrasts}")]
    );
    let any = AssociateOptions {
        subject: SubjectRule::Any,
        ..all()
    };
    let loose = found(&scene(), &any);
    assert!(
        loose.contains(&contrasts.to_owned()) && loose.len() > 2,
        "{loose:?}"
    );
    for (options, expected) in [
        (AssociateOptions { sample: 0, ..all() }, 0),
        (AssociateOptions { sample: 1, ..all() }, 0),
        (
            AssociateOptions {
                relevance: 1.0,
                ..all()
            },
            0,
        ),
    ] {
        assert_eq!(found(&scene(), &options).len(), expected, "{options:?}");
    }
    // Notes without a vector are skipped.
    let view = scene();
    let findings = any
        .find(&view.view(false), &Answers::default(), &Seeds::All)
        .unwrap();
    assert!(findings.found.is_empty());
}

#[test]
fn joined_and_identical_notes_are_skipped() {
    let linked = scene().with([(
        "Cheese storage.md",
        note(
            "decision",
            12,
            "The cellar gets a new lock, see [[Cheese]].",
        ),
    )]);
    assert!(
        !found(&linked, &all())
            .iter()
            .any(|one| one.contains("Cheese"))
    );
    assert!(
        found(
            &IndexedVault::new([("a.md", note("fact", 1, "Rain."))]),
            &all()
        )
        .is_empty()
    );
    let same =
        ["a", "b", "c"].map(|name| (format!("{name}.md"), note("fact", 1, "It rains in May.")));
    assert!(found(&IndexedVault::new(same), &all()).is_empty());
}

/// A "yes" does not bring up another pair, because of the limit per note.
/// Returns a vault of five insights that one pattern explains; some already state it.
fn slow_builds(joined: &[String]) -> IndexedVault {
    let insight = |name: &str| {
        let is_joined = joined
            .iter()
            .any(|title| title.contains(&format!("{name}.md")));
        let stated = if is_joined {
            "explains: \"[[Slow]]\"\n"
        } else {
            ""
        };
        let own = format!("type: insight\ncreated: 2026-05-02\n{stated}");
        let body =
            format!("The cache of builds is cold after the weekend, so builds are slow: {name}.");
        (format!("{name}.md"), managed(&own, &body))
    };
    let pattern = "Builds are slow on Mondays because the cache is cold after the weekend.";
    let slow = ("Slow.md".to_owned(), note("pattern", 20, pattern));
    IndexedVault::new(INSIGHTS.map(insight).into_iter().chain([slow]))
}

/// Names of the insights of [`slow_builds`].
const INSIGHTS: [&str; 5] = ["Ash", "Birch", "Cedar", "Elm", "Fir"];

/// Returns the relations that are found with the pattern of [`slow_builds`].
fn relations_to_slow(scene: &IndexedVault, options: &AssociateOptions) -> Vec<String> {
    let mut found = found(scene, options);
    found.retain(|title| title.contains("to Slow.md"));
    found
}

#[test]
fn joined_pairs_count_toward_the_limit() {
    let first = relations_to_slow(&slow_builds(&[]), &all());
    assert_eq!(first.len(), all().per_note, "{first:?}");
    assert!(relations_to_slow(&slow_builds(&first), &all()).is_empty());
}

#[test]
fn a_rule_without_a_limit_finds_all_pairs() {
    let unlimited = AssociateOptions {
        per_note: 0,
        ..all()
    };
    let found = relations_to_slow(&slow_builds(&[]), &unlimited);
    assert_eq!(found.len(), INSIGHTS.len(), "{found:?}");
}

#[test]
fn notes_of_people_only_give_questions() {
    let originals = scene().files.clone().into_iter();
    let files = originals.map(|(path, text)| (path, text.replace("mem: {by", "x: {by")));
    let scene = IndexedVault::new(files);
    assert!(found(&scene, &all()).is_empty());
    let asked = found(
        &scene,
        &AssociateOptions {
            notes: NoteScope::All,
            ..all()
        },
    );
    assert!(
        asked.len() == 2 && asked.iter().all(|one| one.starts_with('?')),
        "{asked:?}"
    );
}

#[test]
fn sample_depends_only_on_content() {
    let notes = |count: usize| {
        let notes = (0..count).map(|at| {
            (
                format!("{at:02}.md"),
                note("fact", 1, &format!("Word number {at} stands here.")),
            )
        });
        IndexedVault::new(notes)
    };
    let drawn = |scene: &IndexedVault| -> Vec<String> {
        let view = scene.view(true);
        let pool = living(&view).unwrap();
        let drawn = AssociateOptions { sample: 5, ..all() }
            .draw(&view, pool)
            .unwrap();
        drawn.iter().map(|entry| entry.path.to_string()).collect()
    };
    let thirty = notes(30);
    assert_eq!(drawn(&thirty), drawn(&notes(30)));
    assert_eq!(drawn(&thirty).len(), 5);
    assert_ne!(drawn(&thirty), drawn(&notes(31)));
}
