mod pairs;

use std::collections::HashSet;

use serde_json::Value;

use super::*;
use crate::change::acts;
use crate::finding::Finding;
use crate::finding::plan::Change;
use crate::note;
use crate::note::edit;
use crate::note::path::VaultPath;
use crate::note::seal;
use crate::view::scene::Scene;

impl Scene {
    fn found(&self, options: &Options) -> Vec<Finding> {
        let findings = options
            .find(&self.view(true), &Answers::default(), &Seeds::All)
            .unwrap();
        assert_eq!(findings.skipped, Vec::<String>::new());
        findings.found
    }

    /// What two notes look like once the only finding was carried out as answered, by their stems.
    fn after(&self, answer: Answer, options: &Options) -> Vec<(String, Vec<(String, Value)>)> {
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

fn dated(day: &str, more: &str, body: &str) -> String {
    format!("---\ncreated: {day}\n{more}---\n{body}\n")
}

/// What was found, as `newer <- older` or `one >< other`, with `!` if it is certain.
fn shown(found: &[Finding]) -> Vec<String> {
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
    assert_eq!(shown(&found), ["switched <- chose!", "switched <- uses"]);
    let chosen = found.iter().find(|finding| finding.certain).unwrap();
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
            "a <- b!",
        ),
        (
            "dates against the wording",
            dated("2026-03-01", "", SWITCHED),
            dated("2026-04-01", "", SQLITE),
            "a <- b",
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
    assert_eq!(shown(&all), ["a <- b!"]);
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
    assert_eq!(shown(&findings.found), ["a <- b!"]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn a_note_that_names_the_one_it_replaced() {
    let newer = [("two.md", "# Second way\nWalk.\n"), ("eip-2.md", "Walk.\n")];
    for (case, text, expected) in [
        (
            "a property",
            "---\nsuperseded-by: \"[[two]]\"\n---\nRun.",
            "two <- eip-1",
        ),
        (
            "its own name for it",
            "---\nReplaced_By: Second way\n---\nRun.",
            "two <- eip-1",
        ),
        (
            "a number of a series",
            "---\nsuperseded-by: 2\n---\nRun.",
            "eip-2 <- eip-1",
        ),
        (
            "the other way",
            "---\nreplaces: [eip-2]\n---\nRun.",
            "eip-1 <- eip-2",
        ),
        (
            "said in a property",
            "---\nreason: Superseded by EIP-2.\n---\nRun.",
            "eip-2 <- eip-1",
        ),
        (
            "of a type that is not compared",
            "---\ntype: Standards Track\nreason: Replaced by EIP-2\n---\nRun.",
            "eip-2 <- eip-1",
        ),
        (
            "a sentence",
            "Run. This proposal supersedes EIP-2, as agreed.",
            "eip-1 <- eip-2",
        ),
        (
            "by its own name",
            "EIP-1 was replaced by the [second way](two.md).",
            "two <- eip-1",
        ),
        (
            "over two lines",
            "Run. It has been fully\nsuperseded by [[two|that]].",
            "two <- eip-1",
        ),
        (
            "behind a label",
            "- **Status**: Superseded by [[two]]",
            "two <- eip-1",
        ),
        (
            "in a callout",
            "> [!note]\n> This page is replaced by [[two]].",
            "two <- eip-1",
        ),
        ("with a colon", "**Superseded by:** [[two]]", "two <- eip-1"),
        ("in capitals", "SUPERSEDED BY [[two]]", "two <- eip-1"),
        (
            "a numbered item",
            "1. Superseded by [[two]]",
            "two <- eip-1",
        ),
        (
            "below a fence in a fence",
            "```md\n~~~\n```\n\nSuperseded by [[two]]",
            "two <- eip-1",
        ),
        (
            "in favour of another",
            "This proposal was withdrawn in favor of [EIP-2](eip-2.md).",
            "eip-2 <- eip-1",
        ),
        (
            "deprecated",
            "Deprecated in favour of [[two]].",
            "two <- eip-1",
        ),
        (
            "why it is over",
            "---\nwithdrawal-reason: The author prefers EIP-2\n---\nRun.",
            "eip-2 <- eip-1",
        ),
        (
            "it moved",
            "This page has moved to [[two]].",
            "two <- eip-1",
        ),
        (
            "where to look",
            "> [!warning] Outdated\n> See [[two]] instead.\n\nRun.",
            "two <- eip-1",
        ),
        (
            "what to use",
            "Deprecated, use [[two]].\n\nRun.",
            "two <- eip-1",
        ),
        ("a number in a sentence", "Obsoletes: 2", "eip-1 <- eip-2"),
        (
            "a part is deprecated",
            "Run.\n\nThe flag is deprecated. See [[two]] instead.",
            "",
        ),
        (
            "a part is favoured",
            "The flag was removed in favor of [[two]].",
            "",
        ),
        ("a task of a day", "Run.\n\n- Moved to [[two]]", ""),
        ("what is used", "Run. Use [[two]] instead of walking.", ""),
        (
            "why it is not over",
            "---\nreason: The author prefers EIP-2\n---\nRun.",
            "",
        ),
        ("a question", "Superseded by [[two]]?", ""),
        ("something else", "The method is superseded by [[two]].", ""),
        (
            "a part of this one",
            "This method is superseded by [[two]].",
            "",
        ),
        ("a part of the other", "Replaces the nonce of [[two]].", ""),
        (
            "a thing of the other",
            "Replaces EIP-2's fee. Replaces EIP-2 transactions.",
            "",
        ),
        ("in part", "This EIP partially supersedes EIP-2.", ""),
        ("denied", "This EIP is not superseded by EIP-2.", ""),
        ("a name that no note has", "Superseded by EIP-20.", ""),
        ("itself", "Superseded by EIP-1.", ""),
        ("code", "```\nSuperseded by [[two]]\n```", ""),
    ] {
        let scene = Scene::new(newer.into_iter().chain([("eip-1.md", text)]));
        let expected: Vec<&str> = Some(expected)
            .into_iter()
            .filter(|it| !it.is_empty())
            .collect();
        assert_eq!(shown(&scene.found(&Options::default())), expected, "{case}");
    }
    let scene = Scene::new(
        newer
            .into_iter()
            .chain([("eip-1.md", "Superseded by [[two]].")]),
    );
    let found = scene.found(&Options::default());
    assert_eq!(found[0].quotes, ["Second way", "Superseded by [[two]]."]);
}

#[test]
fn a_note_learns_that_it_is_named_when_it_comes() {
    let scene = Scene::new([
        ("one.md", "Superseded by [[two]]."),
        ("two.md", "# Second way\nWalk.\n"),
    ]);
    let view = scene.view(true);
    let two = view
        .at(&VaultPath::new("two.md").unwrap())
        .unwrap()
        .unwrap();
    let seeds = Seeds::Of(HashSet::from([two.slot]));
    let found = Options::default().find(&view, &Answers::default(), &seeds);
    assert_eq!(shown(&found.unwrap().found), ["two <- one"]);
}

/// They differ in a number, and in much else.
const TRIP: &str = "The long trip to the lake with Ann lasts 3 days in June.";
const WALK: &str = "The long walk by the river with Paul lasts 5 days and needs a tent.";

/// Each is one subject, or two.
#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn only_notes_about_the_same_disagree() {
    for (case, notes, expected) in [
        (
            "one subject",
            vec![
                ("a/gate.md", "# Gate\nThe gate listens on port 8080."),
                ("b/gate.md", "# Gate\nThe gate listens on port 9090."),
            ],
            vec!["gate >< gate"],
        ),
        (
            "sentences that share little but what is counted",
            vec![("1.md", TRIP), ("2.md", WALK)],
            vec![],
        ),
        (
            "titles that say the same as the notes",
            vec![
                ("a.md", "# Uses port 8080 now\nThe gate uses port 8080 now."),
                ("b.md", "# Uses port 9090 now\nThe gate uses port 9090 now."),
            ],
            vec!["a >< b"],
        ),
        (
            "two things of a kind",
            vec![
                ("a.md", "# Abacus\n- **Weight**: 2.0 pounds"),
                ("b.md", "# Amulet\n- **Weight**: 1.0 pounds"),
            ],
            vec![],
        ),
        (
            "what two things are",
            vec![
                ("a.md", "# Map Merge\nMap Merge is a tool for merging maps."),
                ("b.md", "# Map Maker\nMap Maker is a viewer in the browser."),
            ],
            vec![],
        ),
        (
            "a kind and one of it",
            vec![
                (
                    "a.md",
                    "# Potion of Healing\nYou regain 4 points when you drink it.",
                ),
                (
                    "b.md",
                    "# Potion of Great Healing\nYou regain 8 points when you drink it.",
                ),
            ],
            vec![],
        ),
        (
            "two of a series",
            vec![
                ("a.md", "# +1 Wand\nThe wand adds 1 to each attack."),
                ("b.md", "# +2 Wand\nThe wand adds 2 to each attack."),
            ],
            vec![],
        ),
        (
            "two days",
            vec![
                ("2026-03-01.md", "Slept for 7 hours this night."),
                ("2026-03-02.md", "Slept for 6 hours this night."),
            ],
            vec![],
        ),
        (
            "a label is nobody",
            vec![
                (
                    "a.md",
                    "# Ring\nA ring.\n\n- **Gain Bonus**: it adds 1 point",
                ),
                (
                    "b.md",
                    "# Belt\nA belt.\n\n- **Gain Bonus**: it adds 3 points",
                ),
            ],
            vec![],
        ),
        (
            "a form that many fill in",
            vec![
                (
                    "a/meeting.md",
                    "# Meeting\nThere were 4 guests at the table.",
                ),
                (
                    "b/meeting.md",
                    "# Meeting\nThere were 5 guests at the table.",
                ),
                (
                    "c/meeting.md",
                    "# Meeting\nThere were 6 guests at the table.",
                ),
                (
                    "d/meeting.md",
                    "# Meeting\nThere were 7 guests at the table.",
                ),
            ],
            vec![],
        ),
    ] {
        let scene = Scene::new(notes);
        let found = scene.found(&Options::default());
        assert_eq!(shown(&found), expected, "{case}");
    }
}

#[test]
fn an_agent_calls_one_thing_by_two_titles() {
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
        ("edited by a person", notes, &[]),
    ] {
        let scene = Scene::new([("a.md", first), ("b.md", second)]);
        assert_eq!(shown(&scene.found(&Options::default())), expected, "{case}");
    }
}

/// A sentence of a long note, beside one of another.
#[test]
fn long_notes_disagree_only_by_what_they_say_to_have_changed() {
    let filler =
        "The rest of this page tells of the weather, of birds on wires and of long walks. ";
    let long = |title: &str, text: &str| format!("# {title}\n{text}\n\n{}", filler.repeat(5));
    for (case, [title, text], [other, beside], expected) in [
        (
            "the subject of the other",
            ["March", "We moved the billing from SQLite to Postgres."],
            ["Billing", "It uses SQLite, one file."],
            true,
        ),
        (
            "its own subject",
            ["Billing", "We moved from SQLite to Postgres."],
            ["Services", "The billing uses SQLite."],
            true,
        ),
        (
            "another subject",
            ["March", "We moved the billing from SQLite to Postgres."],
            ["Search", "The search uses SQLite."],
            false,
        ),
        (
            "how things work",
            [
                "Billing",
                "The billing file is replaced by the copy of SQLite.",
            ],
            ["Copies", "A billing file is kept for a year."],
            false,
        ),
        (
            "what to do",
            [
                "Changes",
                "Wait for changes of the billing from the remote vault to the local one.",
            ],
            ["Billing", "The remote vault holds changes of the billing."],
            false,
        ),
        (
            "numbers",
            [
                "Billing",
                "The billing listens on port 8080. The garden fence is green.",
            ],
            ["Billing", "The billing listens on port 9090."],
            false,
        ),
        (
            "all the same but for a number",
            ["Billing", "The billing listens on port 8080."],
            ["Billing", "The billing listens on port 9090."],
            true,
        ),
        (
            "denials",
            ["Billing", "The billing is not a part of the shop."],
            ["Billing", "The billing is a part of the shop."],
            false,
        ),
    ] {
        let scene = Scene::new([("a.md", long(title, text)), ("b.md", long(other, beside))]);
        let found = scene.found(&Options::default());
        assert_eq!(found.len(), usize::from(expected), "{case}: {found:?}");
    }
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
            "kept",
            "keep: true\n",
            Answer::Yes,
            &resolve,
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
}
