//! Which of two notes is the later one, and what becomes of the older.

use super::*;

#[test]
fn walkthrough_of_three_decisions() {
    let of = |title: &str, day: &str, body: &str| {
        dated(
            day,
            &format!("title: {title}\ntype: decision\nspace: ormah\ntags: [database]\n"),
            body,
        )
    };
    let scene = Scene::new([
        (
            "chose.md",
            of("Chose SQLite", "2026-03-01", "Chose SQLite for Ormah."),
        ),
        (
            "switched.md",
            of(
                "Switched to Postgres",
                "2026-04-07",
                "We switched Ormah to Postgres.",
            ),
        ),
        (
            "uses.md",
            of("Uses SQLite", "2026-03-20", "Ormah uses SQLite."),
        ),
    ]);
    let found = scene.found(&Options::default());
    assert_eq!(shown(&found), ["switched <- chose", "switched <- uses"]);
    let is_chosen = |finding: &&Finding| finding.notes[1].as_str() == "chose.md";
    let chosen = found.iter().find(is_chosen).unwrap();
    assert_eq!(
        chosen.reason,
        "“switched”: to “Postgres”, not “SQLite”; 2026-04-07 is newer than 2026-03-01"
    );
    assert_eq!(
        chosen.quotes,
        ["We switched Ormah to Postgres", "Chose SQLite for Ormah"]
    );
    let ormah = Options {
        types: Types::ormah(),
        ..Options::default()
    };
    assert_eq!(
        shown(&scene.found(&ormah)),
        [""; 0],
        "decisions are none of Ormah's types"
    );
}

#[test]
fn the_later_one_is_told_by_wording_then_by_dates() {
    for (case, a, b, expected) in [
        (
            "wording and dates agree",
            dated("2026-04-01", "", SWITCHED),
            dated("2026-03-01", "", SQLITE),
            "a <- b",
        ),
        (
            "dates against the wording",
            dated("2026-03-01", "", SWITCHED),
            dated("2026-04-01", "", SQLITE),
            "b >< a",
        ),
        (
            "only the file says when",
            SWITCHED.to_owned(),
            SQLITE.to_owned(),
            "a <- b",
        ),
        (
            "one day",
            dated("2026-03-01T10:00:00Z", "", SWITCHED),
            dated("2026-03-01T09:00:00Z", "", SQLITE),
            "a <- b",
        ),
        (
            "kept",
            dated("2026-04-01", "", SWITCHED),
            dated("2026-03-01", "keep: true\n", SQLITE),
            "a <- b",
        ),
        (
            "dates alone",
            dated("2026-03-01", "", "The gateway listens on port 8080."),
            dated("2026-04-01", "", "The gateway listens on port 9090."),
            "b <- a",
        ),
        (
            "nothing",
            "The gateway listens on port 8080.".to_owned(),
            "The gateway listens on port 9090.".to_owned(),
            "a >< b",
        ),
    ] {
        let scene = Scene::new([("a.md", a), ("b.md", b)]);
        assert_eq!(
            shown(&scene.found(&Options::default())),
            [expected],
            "{case}"
        );
    }
}

#[test]
fn direction_is_never_left_to_the_order_of_files() {
    for (first, second) in [("a.md", "b.md"), ("b.md", "a.md")] {
        let scene = Scene::new([
            (first, dated("2026-04-01", "", SWITCHED)),
            (second, dated("2026-03-01", "", SQLITE)),
        ]);
        let found = scene.found(&Options::default());
        assert_eq!(found[0].notes[0].as_str(), first);
        assert_eq!(found[0].relation(), Some(Relation::EvolvedFrom));
    }
}

#[test]
fn what_another_note_replaced_is_left_alone() {
    let scene = Scene::new([
        ("a.md", dated("2026-04-01", "", SWITCHED)),
        ("b.md", dated("2026-03-01", "", SQLITE)),
        (
            "c.md",
            "---\nevolved_from: \"[[b]]\"\n---\nThe billing service is history.\n".to_owned(),
        ),
    ]);
    assert_eq!(shown(&scene.found(&Options::default())), [""; 0]);
}

#[test]
fn what_says_itself_that_it_changed_is_asked_first() {
    let scene = Scene::new([
        ("a.md", "The gateway of the shop listens on port 8080."),
        ("b.md", "The gateway of the shop listens on port 9090."),
        (
            "c.md",
            "The importer was moved from Perl to Rust last week.",
        ),
        ("d.md", "The importer is Perl."),
    ]);
    let found = scene.found(&Options::default());
    let first: Vec<&str> = found
        .iter()
        .map(|finding| finding.notes[0].stem())
        .collect();
    assert_eq!(first, ["c", "a"]);
}

#[test]
fn resolving_ends_the_older_note_where_the_newer_begins() {
    let scene = |older: &str| {
        Scene::new([
            ("a.md", dated("2026-04-01", "", SWITCHED)),
            ("b.md", dated("2026-03-01", older, SQLITE)),
        ])
    };
    let resolve = Options {
        resolve: true,
        ..Options::default()
    };
    let evolved = (
        "a".to_owned(),
        vec![("evolved_from".to_owned(), Value::from(vec!["[[b]]"]))],
    );
    let over = |day: &str| {
        (
            "b".to_owned(),
            vec![("valid_until".to_owned(), Value::from(day))],
        )
    };
    let begins = "2026-04-01T00:00:00Z";
    for (case, older, answer, options, expected) in [
        (
            "resolved",
            "",
            Answer::Yes,
            &resolve,
            vec![evolved.clone(), over(begins)],
        ),
        (
            "by a person",
            "",
            Answer::Is(Relation::EvolvedFrom),
            &resolve,
            vec![evolved.clone(), over(begins)],
        ),
        (
            "not resolved",
            "",
            Answer::Yes,
            &Options::default(),
            vec![evolved.clone()],
        ),
        (
            "longer before",
            "valid_until: 2027-01-01\n",
            Answer::Yes,
            &resolve,
            vec![evolved, over(begins)],
        ),
        (
            "a tension",
            "",
            Answer::Is(Relation::Contradicts),
            &resolve,
            vec![(
                "a".to_owned(),
                vec![("contradicts".to_owned(), Value::from(vec!["[[b]]"]))],
            )],
        ),
        (
            "the other way round",
            "",
            Answer::Inverse(Relation::EvolvedFrom),
            &resolve,
            vec![
                (
                    "b".to_owned(),
                    vec![("evolved_from".to_owned(), Value::from(vec!["[[a]]"]))],
                ),
                (
                    "a".to_owned(),
                    vec![(
                        "valid_until".to_owned(),
                        Value::from("2026-03-01T00:00:00Z"),
                    )],
                ),
            ],
        ),
    ] {
        assert_eq!(scene(older).after(answer, options), expected, "{case}");
    }
    let kept = scene("keep: true\n");
    let finding = kept.found(&resolve).remove(0);
    assert!(acts::group(&kept.view(true), &finding, Answer::Yes).is_err());
}

#[test]
fn an_answer_about_an_earlier_statement_is_none_about_a_later_one() {
    let switched = dated("2026-03-01", "", SWITCHED);
    let of = |day: &str| {
        let notes = [("a.md", dated(day, "", SQLITE)), ("b.md", switched.clone())];
        Scene::new(notes)
    };
    let first = of("2026-01-10").found(&Options::default());
    assert_eq!(shown(&first), ["b <- a"]);
    let mut answers = Answers::default();
    answers.insert(first[0].key, first[0].stored(Answer::Yes).0);
    // The same is said once more, after the switch.
    let again = of("2026-09-01");
    let found = Options::default().find(&again.view(true), &answers, &Seeds::All);
    let found = found.unwrap().found;
    assert_eq!(shown(&found), ["a <- b"]);
    assert_eq!(found[0].answer(&answers), None);
}

#[test]
fn a_statement_made_again_is_the_later_one_and_asked_anew() {
    let managed = |day: &str, body: &str| dated(day, "", body);
    let sqlite = managed("2026-11-24T08:00:00Z", SQLITE);
    let switched = managed("2026-11-24T12:00:00Z", SWITCHED);
    let again = managed("2026-11-24T18:00:00Z", SQLITE);
    let before = Scene::new([("a.md", sqlite.clone()), ("b.md", switched.clone())]);
    let first = before.found(&Options::default()).remove(0);
    assert_eq!(shown(&[first.clone()]), ["b <- a"]);
    let mut answers = Answers::default();
    answers.insert(first.key, first.stored(Answer::Yes).0);
    // Within a day, and after a yes about the first time.
    let replaced = dated(
        "2026-11-24T12:00:00Z",
        "evolved_from: \"[[a]]\"\n",
        SWITCHED,
    );
    for (case, b, answers) in [
        ("answered", replaced, &answers),
        ("open", switched, &Answers::default()),
    ] {
        let scene = Scene::new([
            ("a.md", sqlite.clone()),
            ("b.md", b),
            ("c.md", again.clone()),
        ]);
        let found = Options::default().find(&scene.view(true), answers, &Seeds::All);
        let found = found.unwrap().found;
        let again = shown(&found).iter().position(|found| *found == "c <- b");
        let again = &found[again.expect(case)];
        assert_eq!(again.answer(answers), None, "{case}");
        let keys: HashSet<_> = found.iter().map(|finding| finding.key).collect();
        assert_eq!(keys.len(), found.len(), "{case}: one id for two questions");
    }
    // Dated anew: its list has the first date.
    let anew = dated("2026-05-01", "merged: [\"created: 2026-01-10\"]\n", SQLITE);
    let scene = Scene::new([("a.md", anew), ("b.md", dated("2026-03-10", "", SWITCHED))]);
    assert_eq!(shown(&scene.found(&Options::default())), ["a <- b"]);
}
