use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::judge::judge;
use super::pair::PairContext;
use super::parsed_note::ParsedNote;
use super::*;
use crate::change::acts;
use crate::finding::Finding;
use crate::finding::plan::Change;
use crate::note;
use crate::note::edit;
use crate::note::front_matter::relation::Relation;
use crate::note::front_matter::seal;
use crate::note::path::VaultPath;
use crate::view::tests::IndexedVault;

/// Pairs of a path or title and a text.
type NamedTexts = Vec<(String, String)>;

/// Notes and expected findings: `tests/scenes.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenes {
    participants: Vec<(String, String, String, usize)>,
    directions: Vec<(String, String, String, String)>,
    named: Vec<(String, String, String)>,
    same_subject: Vec<(String, NamedTexts, Vec<String>)>,
    long: Vec<(String, [String; 2], [String; 2], bool)>,
    changes_of_others: Vec<(String, String, bool)>,
    by_agents: Vec<(String, [String; 2], String)>,
}

/// Pairs of texts, compared without a vault: `tests/pairs.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pairs {
    disagree: Vec<(String, String, String)>,
    agree: Vec<(String, String)>,
    revisions: Vec<(String, String)>,
    changes: Vec<(String, String)>,
    compatible: Vec<(String, String)>,
}

static SCENES: LazyLock<Scenes> =
    LazyLock::new(|| toml::from_str(include_str!("tests/scenes.toml")).unwrap());
static PAIRS: LazyLock<Pairs> =
    LazyLock::new(|| toml::from_str(include_str!("tests/pairs.toml")).unwrap());

impl IndexedVault {
    pub(super) fn found(&self, options: &ConflictsOptions) -> Vec<Finding> {
        let findings = options
            .find(&self.view(true), &Answers::default(), &Seeds::All)
            .unwrap();
        assert_eq!(findings.skipped, Vec::<String>::new());
        findings.found
    }

    /// Returns the changed properties of both notes after applying the only finding with `answer`.
    fn after(
        &self,
        answer: Answer,
        options: &ConflictsOptions,
    ) -> Vec<(String, Vec<(String, Value)>)> {
        let view = self.view(true);
        let found = self.found(options);
        let [finding] = found.as_slice() else {
            panic!("one finding is expected: {found:#?}");
        };
        let group = acts::group(&view, finding, answer).unwrap();
        let changes = group.changes.iter().map(|change| {
            let Change::Edit { path, edits, .. } = change else {
                panic!("a relation takes edits: {change:?}");
            };
            let entry = view.at(path).unwrap().unwrap();
            let before = view.text(&entry).unwrap();
            let after = edit::apply(&before, edits).unwrap();
            let before = note::read(&before, path.stem()).properties;
            let mut properties = note::read(&after, path.stem()).properties;
            properties.retain(|key, value| before.get(key) != Some(value));
            (path.stem().to_owned(), properties.into_iter().collect())
        });
        changes.collect()
    }
}

pub(super) fn dated(day: &str, more: &str, body: &str) -> String {
    format!("---\ncreated: {day}\n{more}---\n{body}\n")
}

/// Formats findings as `newer <- older` or `one >< other`, with `!` if certain.
pub(super) fn shown(found: &[Finding]) -> Vec<String> {
    let mut shown: Vec<String> = found
        .iter()
        .map(|finding| {
            let sign = match finding.relation() {
                Some(Relation::EvolvedFrom) => "<-",
                _ => "><",
            };
            let mark = if finding.certain { "!" } else { "" };
            let [a, b] = [0, 1].map(|at: usize| finding.notes[at].stem());
            format!("{a} {sign} {b}{mark}")
        })
        .collect();
    shown.sort_unstable();
    shown
}

const SWITCHED: &str = "We switched from SQLite to Postgres for the billing service.";
const SQLITE: &str = "We use SQLite for the billing service.";

#[test]
fn only_candidate_notes_are_compared() {
    let newer = |more: &str| dated("2026-04-01", more, SWITCHED);
    let older = |more: &str| dated("2026-03-01", more, SQLITE);
    for (case, a, b, expected) in &SCENES.participants {
        let scene = IndexedVault::new([("a.md", newer(a)), ("b.md", older(b))]);
        let found = scene.found(&ConflictsOptions::default()).len();
        assert_eq!(found, *expected, "{case}");
    }
}

#[test]
fn a_rejected_pair_is_not_asked_again() {
    let scene = IndexedVault::new([
        ("a.md", dated("2026-04-01", "", SWITCHED)),
        ("b.md", dated("2026-03-01", "", SQLITE)),
    ]);
    let finding = scene.found(&ConflictsOptions::default()).remove(0);
    let mut answers = Answers::default();
    answers.insert(finding.key, Answer::No);
    let view = scene.view(true);
    let again = ConflictsOptions::default()
        .find(&view, &answers, &Seeds::All)
        .unwrap();
    assert_eq!(again.found, []);
    // The policy handles other answers.
    answers.insert(
        finding.key,
        finding.stored(Answer::Is(Relation::Contradicts)).0,
    );
    let again = ConflictsOptions::default()
        .find(&view, &answers, &Seeds::All)
        .unwrap();
    assert_eq!(again.found, [finding]);
}

#[test]
fn a_capped_run_leaves_seeds_for_the_next_run() {
    let things = ["roof", "garden", "kitchen", "car", "boat", "school"];
    let notes = (0..12).map(|n: usize| {
        let text = format!(
            "Ann Hill: the budget of the {} grew to {n}00 euros.",
            things[n / 2]
        );
        (format!("{n:02}.md"), dated("2026-03-01", "", &text))
    });
    let scene = IndexedVault::new(notes);
    let view = scene.view(true);
    let capped = ConflictsOptions {
        cap: 10,
        near: 4,
        ..ConflictsOptions::default()
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
    let all = scene.found(&ConflictsOptions {
        near: 4,
        ..ConflictsOptions::default()
    });
    assert!(all.len() > 1);
    assert_eq!(pairs, all.iter().map(|finding| finding.key).collect());
}

#[test]
fn incremental_run_matches_full_run() {
    let scene = IndexedVault::new([
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
        ConflictsOptions::default()
            .find(&view, &Answers::default(), &seeds)
            .unwrap()
            .found
    };
    let all = scene.found(&ConflictsOptions::default());
    assert_eq!(shown(&all), ["a <- b"]);
    assert_eq!(of(&["a.md"]), all);
    assert_eq!(of(&["b.md"]), all);
    assert_eq!(of(&["c.md"]), []);
    assert_eq!(of(&[]), []);
}

#[test]
fn extreme_note_counts_and_thresholds() {
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
        let scene = IndexedVault::new(notes);
        for (least, ask) in [(0.2, 0.4), (0.0, 0.0), (1.0, 1.0)] {
            let options = ConflictsOptions {
                min_cosine: least,
                ask,
                ..ConflictsOptions::default()
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
    let scene = IndexedVault::new([
        ("a.md", dated("2026-04-01", "", SWITCHED)),
        ("b.md", dated("2026-03-01", "", SQLITE)),
    ]);
    let none = ConflictsOptions {
        near: 0,
        ..ConflictsOptions::default()
    };
    assert_eq!(scene.found(&none), []);
}

#[test]
fn titles_and_tags_give_candidates_without_vectors() {
    let scene = IndexedVault::new([
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
    let findings = ConflictsOptions::default()
        .find(&view, &Answers::default(), &Seeds::All)
        .unwrap();
    assert_eq!(shown(&findings.found), ["a <- b"]);
}

#[test]
fn three_decisions_end_to_end() {
    let of = |title: &str, day: &str, body: &str| {
        dated(
            day,
            &format!("title: {title}\ntype: decision\nspace: ormah\ntags: [database]\n"),
            body,
        )
    };
    let scene = IndexedVault::new([
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
    let found = scene.found(&ConflictsOptions::default());
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
    let ormah = ConflictsOptions {
        types: TypeFilter::ormah(),
        ..ConflictsOptions::default()
    };
    assert_eq!(
        shown(&scene.found(&ormah)),
        [""; 0],
        "decisions are none of Ormah's types"
    );
}

#[test]
fn wording_then_dates_give_the_order() {
    for (case, a, b, expected) in &SCENES.directions {
        let scene = IndexedVault::new([("a.md", a), ("b.md", b)]);
        assert_eq!(
            shown(&scene.found(&ConflictsOptions::default())),
            [expected.as_str()],
            "{case}"
        );
    }
}

#[test]
fn order_of_files_never_gives_the_direction() {
    for (first, second) in [("a.md", "b.md"), ("b.md", "a.md")] {
        let scene = IndexedVault::new([
            (first, dated("2026-04-01", "", SWITCHED)),
            (second, dated("2026-03-01", "", SQLITE)),
        ]);
        let found = scene.found(&ConflictsOptions::default());
        assert_eq!(found[0].notes[0].as_str(), first);
        assert_eq!(found[0].relation(), Some(Relation::EvolvedFrom));
    }
}

#[test]
fn replaced_notes_are_skipped() {
    let scene = IndexedVault::new([
        ("a.md", dated("2026-04-01", "", SWITCHED)),
        ("b.md", dated("2026-03-01", "", SQLITE)),
        (
            "c.md",
            "---\nevolved_from: \"[[b]]\"\n---\nThe billing service is history.\n".to_owned(),
        ),
    ]);
    assert_eq!(shown(&scene.found(&ConflictsOptions::default())), [""; 0]);
}

#[test]
fn reported_changes_rank_first() {
    let scene = IndexedVault::new([
        ("a.md", "The gateway of the shop listens on port 8080."),
        ("b.md", "The gateway of the shop listens on port 9090."),
        (
            "c.md",
            "The importer was moved from Perl to Rust last week.",
        ),
        ("d.md", "The importer is Perl."),
    ]);
    let found = scene.found(&ConflictsOptions::default());
    let first: Vec<&str> = found
        .iter()
        .map(|finding| finding.notes[0].stem())
        .collect();
    assert_eq!(first, ["c", "a"]);
}

#[test]
fn resolving_sets_valid_until_of_the_older_note() {
    let scene = |older: &str| {
        IndexedVault::new([
            ("a.md", dated("2026-04-01", "", SWITCHED)),
            ("b.md", dated("2026-03-01", older, SQLITE)),
        ])
    };
    let resolve = ConflictsOptions {
        resolve: true,
        ..ConflictsOptions::default()
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
            &ConflictsOptions::default(),
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
fn answers_do_not_apply_to_a_repeated_statement() {
    let switched = dated("2026-03-01", "", SWITCHED);
    let of = |day: &str| {
        let notes = [("a.md", dated(day, "", SQLITE)), ("b.md", switched.clone())];
        IndexedVault::new(notes)
    };
    let first = of("2026-01-10").found(&ConflictsOptions::default());
    assert_eq!(shown(&first), ["b <- a"]);
    let mut answers = Answers::default();
    answers.insert(first[0].key, first[0].stored(Answer::Yes).0);
    // The statement is repeated after the switch.
    let again = of("2026-09-01");
    let findings = ConflictsOptions::default().find(&again.view(true), &answers, &Seeds::All);
    let found = findings.unwrap().found;
    assert_eq!(shown(&found), ["a <- b"]);
    assert_eq!(found[0].answer(&answers), None);
}

#[test]
fn replacement_claims_are_found() {
    let newer = [("two.md", "# Second way\nWalk.\n"), ("eip-2.md", "Walk.\n")];
    for (case, text, expected) in &SCENES.named {
        let scene = IndexedVault::new(newer.into_iter().chain([("eip-1.md", text.as_str())]));
        let expected: Vec<&str> = Some(expected.as_str())
            .into_iter()
            .filter(|it| !it.is_empty())
            .collect();
        assert_eq!(
            shown(&scene.found(&ConflictsOptions::default())),
            expected,
            "{case}"
        );
    }
    let scene = IndexedVault::new(
        newer
            .into_iter()
            .chain([("eip-1.md", "Superseded by [[two]].")]),
    );
    let found = scene.found(&ConflictsOptions::default());
    assert_eq!(found[0].quotes, ["Second way", "Superseded by [[two]]."]);
}

#[test]
fn new_note_resolves_an_earlier_claim() {
    let scene = IndexedVault::new([
        ("one.md", "Superseded by [[two]]."),
        ("two.md", "# Second way\nWalk.\n"),
    ]);
    let view = scene.view(true);
    let two = view
        .at(&VaultPath::new("two.md").unwrap())
        .unwrap()
        .unwrap();
    let seeds = Seeds::Of(HashSet::from([two.slot]));
    let found = ConflictsOptions::default().find(&view, &Answers::default(), &seeds);
    assert_eq!(shown(&found.unwrap().found), ["two <- one"]);
}

/// Pairs with one subject, and pairs with two.
#[test]
fn only_notes_on_one_subject_conflict() {
    for (case, notes, expected) in &SCENES.same_subject {
        let scene = IndexedVault::new(notes.iter().map(|(path, text)| (path, text)));
        let found = scene.found(&ConflictsOptions::default());
        assert_eq!(shown(&found), *expected, "{case}");
    }
}

#[test]
fn titles_of_short_notes_may_differ_for_one_subject() {
    let note = |title: &str, port: u16| {
        format!(
            "---\ntitle: {title}\nmem: {{by: claude, seal: '0000000000000000'}}\n---\n\
             The gateway listens on port {port}.\n"
        )
    };
    let notes = [note("Gateway", 8080), note("Settings", 9090)];
    let by_agents = notes.clone().map(|text| seal::reseal(&text));
    for (case, [first, second], expected) in [
        ("agents", by_agents, &["a >< b"][..]),
        ("edited by a person", notes.clone(), &["a >< b"]),
        (
            "long",
            notes.map(|text| text + &"Rain fell on the long road. ".repeat(9)),
            &[],
        ),
    ] {
        let scene = IndexedVault::new([("a.md", first), ("b.md", second)]);
        assert_eq!(
            shown(&scene.found(&ConflictsOptions::default())),
            expected,
            "{case}"
        );
    }
}

/// An older and a newer statement by an agent, titled as `remember` does.
#[test]
fn validity_and_scope_of_statements_count() {
    for (case, texts, expected) in &SCENES.by_agents {
        let note = |(text, day): (&String, &str)| {
            let (title, body) = text.split_once('|').unwrap_or((text, text));
            seal::reseal(&format!(
                "---\ntitle: '{title}'\ncreated: {day}\nmem: {{by: agent, seal: '0000000000000000'}}\n---\n{body}\n"
            ))
        };
        let [older, newer] = texts;
        let scene = IndexedVault::new([
            ("older.md", note((older, "2026-01-10"))),
            ("newer.md", note((newer, "2026-05-10"))),
        ]);
        let found = shown(&scene.found(&ConflictsOptions::default()));
        assert_eq!(found.join(""), *expected, "{case}");
    }
}

/// A sentence of a person, under a title, and a newer one by an agent.
#[test]
fn an_agent_may_contradict_a_person_by_a_name_alone() {
    for (title, older, newer, expected) in [
        (
            "Flat",
            "The landlord of the flat is Mr. Okafor.",
            "The landlord of the flat is Ms. Diaz.",
            1,
        ),
        (
            "Billing",
            "Tom leads the billing team.",
            "Priya leads the billing team.",
            1,
        ),
        (
            "Billing",
            "Tom leads the billing team.",
            "Priya leads the design team.",
            0,
        ),
        (
            "Bank",
            "The bank is in Rue Pasteur 9.",
            "The theatre is in Rue Pasteur 9.",
            0,
        ),
        (
            "Sold",
            "Grandma lives at 8 Orchard Close",
            "The Patels have sold no. 10 Orchard Close, new people moving in",
            0,
        ),
        (
            "Floors",
            "Use wax on floors",
            "Desk phones: no longer wax, it ruined the keys",
            0,
        ),
        (
            "Dishwasher",
            "Dishwasher serviced by Bosch, contract no. 77",
            "Washing machine no longer under contract, too dear",
            0,
        ),
        (
            "Heater",
            "The heater on floor 1 is out of order.",
            "The heater on floor 2 has been repaired.",
            0,
        ),
        ("Friends", "My friend is Tom.", "My friend is Priya.", 0),
        ("Trips", "We visited Rome.", "We visited Paris.", 0),
        (
            "Dune",
            "The author of Dune is Frank Herbert.",
            "The author of Emma is Jane Austen.",
            0,
        ),
    ] {
        let by_agent = seal::reseal(&format!(
            "---\ntitle: '{newer}'\ncreated: 2026-05-10\nmem: {{by: agent, seal: '0000000000000000'}}\n---\n{newer}\n"
        ));
        let by_person = format!("---\ncreated: 2026-01-10\n---\n# {title}\n\n{older}\n");
        let scene = IndexedVault::new([("older.md", by_person), ("newer.md", by_agent)]);
        let found = scene.found(&ConflictsOptions::default());
        assert_eq!(found.len(), expected, "{older} / {newer}");
    }
}

/// Sentences of two long notes.
#[test]
fn long_notes_conflict_only_by_reported_changes() {
    let filler =
        "The rest of this page tells of the weather, of birds on wires and of long walks. ";
    let long = |title: &str, text: &str| format!("# {title}\n{text}\n\n{}", filler.repeat(5));
    for (case, [title, text], [other, beside], expected) in &SCENES.long {
        let scene = IndexedVault::new([("a.md", long(title, text)), ("b.md", long(other, beside))]);
        let found = scene.found(&ConflictsOptions::default());
        assert_eq!(found.len(), usize::from(*expected), "{case}: {found:?}");
    }
}

/// Statements about the world, examples and other subjects outdate no note.
#[test]
fn changes_of_other_subjects_replace_nothing() {
    let filler =
        "The rest of this page tells of the weather, of birds on wires and of long walks. ";
    for (text, beside, expected) in &SCENES.changes_of_others {
        for rest in [String::new(), filler.repeat(5)] {
            let [a, b] = [text, beside].map(|text| format!("{text}\n\n{rest}"));
            let scene = IndexedVault::new([("a.md", a), ("b.md", b)]);
            let found = scene.found(&ConflictsOptions::default());
            assert!(
                *expected || found.is_empty(),
                "{text} / {beside}: {found:?}"
            );
            let is_brief = rest.is_empty();
            assert!(
                !expected || !is_brief || found.len() == 1,
                "{text} / {beside}: {found:?}"
            );
        }
    }
}

#[test]
fn notes_without_content_never_conflict() {
    let form = "# Plan\n\nWe switched from SQLite to Postgres for the billing service.\n";
    let older = "We use SQLite for the billing service.\n";
    for (case, notes, expected) in [
        ("a note", vec![("a.md", form), ("b.md", older)], 1),
        (
            "a template",
            vec![("Templates/a.md", form), ("b.md", older)],
            0,
        ),
        (
            "headings",
            vec![
                ("a.md", "# We switched from SQLite to Postgres\n"),
                ("b.md", older),
            ],
            0,
        ),
    ] {
        let scene = IndexedVault::new(notes);
        let found = scene.found(&ConflictsOptions::default());
        assert_eq!(found.len(), expected, "{case}: {found:?}");
    }
}

/// Returns the result of [`compare`] if it reaches the threshold of questions.
fn disagree(first: &str, second: &str) -> Option<Disagreement> {
    let found = compare(first, second);
    found.filter(|found| found.score >= ConflictsOptions::default().ask)
}

#[test]
fn contradicting_texts_are_found() {
    for (first, second, later) in &PAIRS.disagree {
        let first_is_newer = match later.as_str() {
            "first" => Some(true),
            "second" => Some(false),
            _ => None,
        };
        let found = disagree(first, second);
        let Some(found) = found else {
            panic!("{first} / {second}: nothing is found");
        };
        assert_eq!(
            found.first_is_newer, first_is_newer,
            "{first} / {second}: {found:?}"
        );
        let back = disagree(second, first).expect("the order does not matter");
        assert_eq!(
            back.first_is_newer,
            first_is_newer.map(|first| !first),
            "{second} / {first}"
        );
        assert!(
            (back.score - found.score).abs() < 1e-6,
            "{second} / {first}"
        );
    }
}

#[test]
fn compatible_texts_are_not_found() {
    for (first, second) in &PAIRS.agree {
        let found = disagree(first, second);
        assert_eq!(found, None, "{first} / {second}");
    }
}

#[test]
fn rephrased_revisions_do_not_conflict() {
    for (first, second) in &PAIRS.revisions {
        assert_eq!(disagree(first, second), None, "{first} / {second}");
    }
}

/// Returns whether two notes by an agent about one person give a question.
fn conflicts_for_one_person(first: &str, second: &str) -> bool {
    let accounts = [first, second].map(|text| {
        let mut note = ParsedNote::of("", text);
        note.by_agent = true;
        note
    });
    let context = PairContext {
        is_asked: true,
        ..PairContext::default()
    };
    let evidence = judge(&accounts[0], &accounts[1], context);
    evidence.is_some_and(|evidence| evidence.score >= ConflictsOptions::default().ask)
}

#[test]
fn changed_values_conflict_without_change_wording() {
    for (first, second) in &PAIRS.changes {
        assert!(
            conflicts_for_one_person(first, second),
            "{first} / {second}"
        );
        assert!(
            conflicts_for_one_person(second, first),
            "{second} / {first}"
        );
    }
}

#[test]
fn reason_names_the_newer_value_first() {
    let (first, second) = (
        "Board meeting moved to February 15th.",
        "Board meeting January 30th for growth metrics.",
    );
    let accounts = [first, second].map(|text| {
        let mut note = ParsedNote::of("", text);
        note.by_agent = true;
        note
    });
    let context = PairContext {
        is_asked: true,
        ..PairContext::default()
    };
    let evidence = judge(&accounts[0], &accounts[1], context).unwrap();
    for (first_is_newer, reason) in [
        (Some(true), "“moved”: to “February 15th”, not “January”"),
        (Some(false), "“January” / “February 15th”"),
        (None, "“moved”: to “February 15th”, not “January”"),
    ] {
        assert_eq!(evidence.reason(first_is_newer), reason);
        let turned = evidence.clone().swapped();
        let first_is_newer = first_is_newer.map(|first| !first);
        assert_eq!(turned.reason(first_is_newer), reason);
    }
    assert_eq!(
        evidence.quotes,
        [first, second].map(|text| text.trim_end_matches('.'))
    );
}

#[test]
fn compatible_values_do_not_conflict() {
    for (first, second) in &PAIRS.compatible {
        assert!(
            !conflicts_for_one_person(first, second),
            "{first} / {second}"
        );
        assert!(
            !conflicts_for_one_person(second, first),
            "{second} / {first}"
        );
    }
}

#[test]
fn repeated_statement_is_newer_and_asked_again() {
    let managed = |day: &str, body: &str| dated(day, "", body);
    let sqlite = managed("2026-11-24T08:00:00Z", SQLITE);
    let switched = managed("2026-11-24T12:00:00Z", SWITCHED);
    let again = managed("2026-11-24T18:00:00Z", SQLITE);
    let before = IndexedVault::new([("a.md", sqlite.clone()), ("b.md", switched.clone())]);
    let first = before.found(&ConflictsOptions::default()).remove(0);
    assert_eq!(shown(std::slice::from_ref(&first)), ["b <- a"]);
    let mut answers = Answers::default();
    answers.insert(first.key, first.stored(Answer::Yes).0);
    // Within a day, and after a "yes" to the first occurrence.
    let replaced = dated(
        "2026-11-24T12:00:00Z",
        "evolved_from: \"[[a]]\"\n",
        SWITCHED,
    );
    for (case, b, answers) in [
        ("answered", replaced, &answers),
        ("open", switched, &Answers::default()),
    ] {
        let scene = IndexedVault::new([
            ("a.md", sqlite.clone()),
            ("b.md", b),
            ("c.md", again.clone()),
        ]);
        let findings = ConflictsOptions::default().find(&scene.view(true), answers, &Seeds::All);
        let found = findings.unwrap().found;
        let position = shown(&found).iter().position(|found| *found == "c <- b");
        let again = &found[position.expect(case)];
        assert_eq!(again.answer(answers), None, "{case}");
        let keys: HashSet<_> = found.iter().map(|finding| finding.key).collect();
        assert_eq!(keys.len(), found.len(), "{case}: one id for two questions");
    }
    // With a new date; the list contains the first date.
    let redated = dated("2026-05-01", "merged: [\"created: 2026-01-10\"]\n", SQLITE);
    let scene = IndexedVault::new([
        ("a.md", redated),
        ("b.md", dated("2026-03-10", "", SWITCHED)),
    ]);
    assert_eq!(
        shown(&scene.found(&ConflictsOptions::default())),
        ["a <- b"]
    );
}

#[test]
fn a_named_note_is_replaced_unasked_only_if_one_can_be_meant() {
    let replaces = |day: &str, name: &str| dated(day, "", &format!("Replaces [[{name}]]."));
    let size = |title: &str| dated("2026-03-01", &format!("title: {title}\n"), "Max size is 3.");
    for (notes, expected) in [
        (
            vec![
                ("n.md", replaces("2026-04-01", "Setup")),
                ("x/setup.md", size("Setup")),
            ],
            "n <- setup!",
        ),
        (
            vec![
                ("n.md", replaces("2026-04-01", "Setup")),
                ("x/setup.md", size("Setup")),
                ("y/other.md", size("Setup")),
            ],
            "n <- setup",
        ),
        (
            vec![
                ("a.md", replaces("2026-04-01", "b")),
                ("b.md", replaces("2026-04-01", "a")),
            ],
            "a <- b",
        ),
    ] {
        let scene = IndexedVault::new(notes);
        let found = shown(&scene.found(&ConflictsOptions::default()));
        assert_eq!(found, [expected]);
    }
}

#[test]
fn a_note_with_several_statements_is_not_replaced_as_a_whole() {
    let page = format!("Ann leads the team.\nBackups run at night.\n{SQLITE}");
    for (older, expected) in [(SQLITE, "a <- b"), (&*page, "a >< b")] {
        let scene = IndexedVault::new([
            ("a.md", dated("2026-04-01", "", SWITCHED)),
            ("b.md", dated("2026-03-01", "", older)),
        ]);
        let found = shown(&scene.found(&ConflictsOptions::default()));
        assert_eq!(found, [expected]);
    }
}
