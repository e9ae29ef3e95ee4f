//! Which notes are held against each other.

use super::*;

#[test]
fn who_takes_part() {
    let newer = |more: &str| dated("2026-04-01", more, SWITCHED);
    let older = |more: &str| dated("2026-03-01", more, SQLITE);
    for (case, a, b, expected) in [
        (
            "fact and decision",
            newer("type: decision\n"),
            older("type: Fact\n"),
            1,
        ),
        ("a person", newer("type: person\n"), older(""), 0),
        ("forgotten", newer(""), older("tier: forgotten\n"), 0),
        ("over", newer(""), older("valid_until: 2026-05-01\n"), 0),
        (
            "over later",
            newer(""),
            older("valid_until: 2026-07-01\n"),
            1,
        ),
        (
            "two spaces",
            newer("space: home\n"),
            older("space: work\n"),
            0,
        ),
        (
            "one space",
            newer("space: work\n"),
            older("space: work\n"),
            1,
        ),
        ("space and none", newer("space: work\n"), older(""), 1),
        (
            "two speakers",
            newer("speaker: Ann\n"),
            older("speaker: Bob\n"),
            0,
        ),
        (
            "said to evolve",
            newer("evolved_from: [\"[[b]]\"]\n"),
            older(""),
            0,
        ),
        (
            "said to contradict, from the other end",
            newer(""),
            older("contradicts: \"[[a]]\"\n"),
            0,
        ),
        (
            "only related",
            newer("related_to: [\"[[b]]\"]\n"),
            older(""),
            1,
        ),
    ] {
        let scene = Scene::new([("a.md", a), ("b.md", b)]);
        assert_eq!(scene.found(&Options::default()).len(), expected, "{case}");
    }
}

#[test]
fn a_refused_pair_is_not_asked_again() {
    let scene = Scene::new([
        ("a.md", dated("2026-04-01", "", SWITCHED)),
        ("b.md", dated("2026-03-01", "", SQLITE)),
    ]);
    let finding = scene.found(&Options::default()).remove(0);
    let mut answers = Answers::default();
    answers.insert(finding.key, Answer::No);
    let view = scene.view(true);
    let again = Options::default()
        .find(&view, &answers, &Seeds::All)
        .unwrap();
    assert_eq!(again.found, []);
    // Another answer is for the policy to carry out.
    answers.insert(
        finding.key,
        finding.stored(Answer::Is(Relation::Contradicts)).0,
    );
    let again = Options::default()
        .find(&view, &answers, &Seeds::All)
        .unwrap();
    assert_eq!(again.found, [finding]);
}

#[test]
fn a_cap_leaves_seeds_and_the_next_run_begins_there() {
    let things = ["roof", "garden", "kitchen", "car", "boat", "school"];
    let notes = (0..12).map(|n: usize| {
        let text = format!(
            "Ann Hill: the budget of the {} grew to {n}00 euros.",
            things[n / 2]
        );
        (format!("{n:02}.md"), dated("2026-03-01", "", &text))
    });
    let scene = Scene::new(notes);
    let view = scene.view(true);
    let capped = Options {
        cap: 10,
        near: 4,
        ..Options::default()
    };
    let mut pairs = HashSet::new();
    let mut seeds = Seeds::All;
    let mut runs = 0;
    loop {
        let findings = capped.find(&view, &Answers::default(), &seeds).unwrap();
        runs += 1;
        pairs.extend(findings.found.iter().map(|finding| finding.key));
        assert!(findings.compared > 0, "a capped run progresses");
        if findings.left.is_empty() {
            break;
        }
        assert!(findings.left.len() < 12);
        seeds = Seeds::Of(findings.left);
    }
    assert!(runs > 2);
    let all = scene.found(&Options {
        near: 4,
        ..Options::default()
    });
    assert!(all.len() > 1);
    assert_eq!(pairs, all.iter().map(|finding| finding.key).collect());
}

#[test]
fn seeds_find_what_a_full_pass_finds_of_them() {
    let scene = Scene::new([
        ("a.md", dated("2026-04-01", "", SWITCHED)),
        ("b.md", dated("2026-03-01", "", SQLITE)),
        (
            "c.md",
            dated("2026-03-01", "", "Bread needs water, flour and salt."),
        ),
    ]);
    let view = scene.view(true);
    let of = |names: &[&str]| {
        let slot = |name: &&str| {
            view.at(&VaultPath::new(name).unwrap())
                .unwrap()
                .unwrap()
                .slot
        };
        let seeds = Seeds::Of(names.iter().map(slot).collect());
        Options::default()
            .find(&view, &Answers::default(), &seeds)
            .unwrap()
            .found
    };
    let all = scene.found(&Options::default());
    assert_eq!(shown(&all), ["a <- b"]);
    assert_eq!(of(&["a.md"]), all);
    assert_eq!(of(&["b.md"]), all);
    assert_eq!(of(&["c.md"]), []);
    assert_eq!(of(&[]), []);
}

#[test]
fn any_number_of_notes_and_any_threshold() {
    let same: Vec<(String, &str)> = (0..20).map(|n| (format!("{n}.md"), SQLITE)).collect();
    for (case, notes) in [
        ("none", Vec::new()),
        ("one", vec![("a.md".to_owned(), SQLITE)]),
        ("all the same", same),
        (
            "empty ones",
            vec![("a.md".to_owned(), ""), ("b.md".to_owned(), "\n")],
        ),
    ] {
        let scene = Scene::new(notes);
        for (least, ask) in [(0.2, 0.4), (0.0, 0.0), (1.0, 1.0)] {
            let options = Options {
                least,
                ask,
                ..Options::default()
            };
            for vectors in [false, true] {
                let view = scene.view(vectors);
                let findings = options
                    .find(&view, &Answers::default(), &Seeds::All)
                    .unwrap();
                assert_eq!(findings.found, [], "{case}, {least}, {ask}, {vectors}");
            }
        }
    }
    let scene = Scene::new([
        ("a.md", dated("2026-04-01", "", SWITCHED)),
        ("b.md", dated("2026-03-01", "", SQLITE)),
    ]);
    let none = Options {
        near: 0,
        ..Options::default()
    };
    assert_eq!(scene.found(&none), []);
}

#[test]
fn without_vectors_words_of_titles_and_tags_lead_to_each_other() {
    let scene = Scene::new([
        (
            "a.md",
            dated("2026-04-01", "title: Billing moved to Postgres\n", SWITCHED),
        ),
        (
            "b.md",
            dated("2026-03-01", "title: Billing on SQLite\n", SQLITE),
        ),
        ("c.md", dated("2026-03-01", "title: Bread\n", SQLITE)),
    ]);
    let view = scene.view(false);
    let findings = Options::default()
        .find(&view, &Answers::default(), &Seeds::All)
        .unwrap();
    assert_eq!(shown(&findings.found), ["a <- b"]);
}
