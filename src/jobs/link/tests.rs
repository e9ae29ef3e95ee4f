use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use jiff::Timestamp;

use super::options::{RelatedPolicy, SimilarityScope};
use super::{JOB, LinkOptions};
use crate::change::acts;
use crate::finding::question::{Answer, QuestionKind};
use crate::finding::{Act, Answers, Change, Finding, Group, RelationEdge};
use crate::jobs::find::{Find as _, Findings, Seeds, about_pair};
use crate::journal;
use crate::journal::{RelationOrigin, TextHash};
use crate::note::{Relation, VaultPath, edit};
use crate::view::{Entry, IndexedVault};

/// Notes about three subjects, in pairs of an older and a newer one.
const SENTENCES: [(&str, &str, &str); 6] = [
    (
        "tomatoes",
        "2026-01-01",
        "Tomato seedlings are sown indoors in March and planted out in the garden bed in May, after the \
         last frost.",
    ),
    (
        "beds",
        "2026-02-01",
        "In May the tomato seedlings move out to the garden bed, when no frost is expected. Water them \
         well in the first week.",
    ),
    (
        "database",
        "2026-01-02",
        "The database of the billing service runs on Postgres and is backed up every night.",
    ),
    (
        "backups",
        "2026-02-02",
        "Nightly backups of the Postgres database are kept for the billing service for a month.",
    ),
    (
        "violin",
        "2026-01-03",
        "Practise the violin slowly: scales first, then the difficult bars of the sonata.",
    ),
    (
        "sonata",
        "2026-02-03",
        "For the concert in June the violin sonata has to be faster. The difficult bars are those on the \
         second page, where the scales begin.",
    ),
];

fn note(name: &str, properties: &str) -> (String, String) {
    let found = SENTENCES.iter().find(|(known, _, _)| *known == name);
    let (_, date, text) = found.unwrap();
    (
        format!("{name}.md"),
        format!("---\ncreated: {date}\n{properties}---\n{text}\n"),
    )
}

fn notes() -> Vec<(String, String)> {
    let names = SENTENCES.iter().map(|(name, _, _)| *name);
    names.map(|name| note(name, "")).collect()
}

fn related() -> LinkOptions {
    LinkOptions {
        similar: SimilarityScope::All,
        mentions: false,
        ..LinkOptions::default()
    }
}

fn mentions() -> LinkOptions {
    LinkOptions {
        similar: SimilarityScope::None,
        ..LinkOptions::default()
    }
}

fn pairs(findings: &Findings) -> BTreeSet<String> {
    let shown = |finding: &Finding| format!("{} > {}", finding.notes[0], finding.notes[1]);
    findings.found.iter().map(shown).collect()
}

/// Returns the weight of the proposed relation.
fn likeness(finding: &Finding) -> f32 {
    match &finding.acts[0] {
        Act::Relate { edge, .. } => edge.weight,
        act => panic!("{act:?}"),
    }
}

fn all(scene: &IndexedVault, options: &LinkOptions) -> Findings {
    scene.findings(&Answers::default(), &Seeds::All, options)
}

#[test]
fn newer_note_relates_to_similar_older_one() {
    let mut notes = notes();
    notes[0] = note("tomatoes", "tags: [garden, spring]\n");
    notes[1] = note("beds", "tags: [Garden]\n");
    let scene = IndexedVault::new(notes);
    let found = all(&scene, &related());
    assert_eq!(
        pairs(&found),
        [
            "backups.md > database.md",
            "beds.md > tomatoes.md",
            "sonata.md > violin.md"
        ]
        .map(str::to_owned)
        .into()
    );
    assert!(found.found.is_sorted_by(|a, b| a.weight >= b.weight));
    let finding = found
        .found
        .iter()
        .find(|found| found.notes[0].as_str() == "beds.md")
        .unwrap();
    assert_eq!(
        (finding.kind(), finding.relation()),
        (QuestionKind::Link, Some(Relation::RelatedTo))
    );
    let likeness = likeness(finding);
    assert!(finding.certain && likeness > 0.65 && likeness < 0.89);
    assert!(finding.weight < likeness);
    let cosine = format!("cosine {likeness:.2}, both tagged #Garden");
    assert_eq!(finding.reason, cosine);
    let group = scene.group(finding, Answer::Yes);
    let after = scene.files_after(&group);
    assert_eq!(
        after["beds.md"],
        scene.files["beds.md"].replacen("\n---\n", "\nrelated_to: [\"[[tomatoes]]\"]\n---\n", 1)
    );
    assert_eq!(after["tomatoes.md"], scene.files["tomatoes.md"]);
    assert_eq!(group.edges[0].weight.to_bits(), likeness.to_bits());
}

#[test]
fn joined_and_excluded_notes_are_skipped() {
    let beds = || note("beds", "");
    let tomatoes = || note("tomatoes", "");
    let linking = |(path, text): (String, String), link: &str| (path, text + link);
    for (case, pair, expected) in [
        ("strangers", [beds(), tomatoes()], Some(true)),
        (
            "a link",
            [linking(beds(), "[[tomatoes]]"), tomatoes()],
            None,
        ),
        (
            "a link back",
            [beds(), linking(tomatoes(), "[x](beds.md)")],
            None,
        ),
        (
            "a relation",
            [beds(), note("tomatoes", "contradicts: \"[[beds]]\"\n")],
            None,
        ),
        (
            "a property",
            [note("beds", "up: [\"[[tomatoes]]\"]\n"), tomatoes()],
            None,
        ),
        (
            "forgotten",
            [beds(), note("tomatoes", "tier: forgotten\n")],
            None,
        ),
        ("unreadable", [beds(), note("tomatoes", "a: b: c\n")], None),
        (
            "kept",
            [beds(), note("tomatoes", "keep: true\n")],
            Some(false),
        ),
        (
            "a name no link has",
            [beds(), ("a # b.md".to_owned(), tomatoes().1)],
            None,
        ),
    ] {
        let rest = notes().into_iter().skip(2);
        let scene = IndexedVault::new(pair.into_iter().chain(rest));
        let found = all(&scene, &related());
        let of_pair = found
            .found
            .iter()
            .find(|found| found.notes[0].as_str() == "beds.md");
        assert_eq!(of_pair.map(|found| found.certain), expected, "{case}");
        assert_eq!(
            found.found.len(),
            2 + usize::from(expected.is_some()),
            "{case}"
        );
    }
}

#[test]
fn spaces_and_short_or_foreign_texts_reduce_similarity() {
    let spaces = |a: &str, b: &str| {
        let pair = [note("beds", a), note("tomatoes", b)];
        let scene = IndexedVault::new(pair.into_iter().chain(notes().into_iter().skip(2)));
        let found = all(&scene, &related()).found.into_iter();
        let weight = found.filter(|found| found.notes[0].as_str() == "beds.md");
        weight.map(|found| likeness(&found)).next()
    };
    let near = spaces("", "").unwrap();
    assert_eq!(spaces("space: Garden\n", "space: garden\n"), Some(near));
    let options = LinkOptions::default();
    for (a, b) in [
        ("space: garden\n", "space: work\n"),
        ("space: garden\n", ""),
    ] {
        let far = spaces(a, b);
        if near - options.cross_space >= 0.65 {
            assert!((far.unwrap() - (near - options.cross_space)).abs() < 1e-6);
        } else {
            assert_eq!(far, None);
        }
    }
    for text in [
        "",
        "Tea tea.",
        "緑茶の淹れ方と湯の温度について書いた覚え書きです。",
        "Чай заваривают горячей водой и пьют из чашки утром и вечером.",
    ] {
        let vault = [("a.md", format!("{text} 1")), ("b.md", format!("{text} 2"))];
        let scene = IndexedVault::new(vault);
        let options = LinkOptions {
            min_cosine: f32::MIN_POSITIVE,
            ..related()
        };
        assert_eq!(pairs(&all(&scene, &options)), BTreeSet::new(), "{text}");
    }
}

#[test]
fn few_notes_equal_notes_and_extreme_options() {
    let many = |count: usize, text: &'static str| {
        IndexedVault::new((0..count).map(move |number| (format!("{number}.md"), text)))
    };
    let text = "The same words stand in each of these notes, and there are enough of them.";
    for scene in [
        many(0, ""),
        many(1, text),
        many(30, text),
        IndexedVault::new(notes()),
    ] {
        for least in [0.0, f32::MIN_POSITIVE, 1.0, f32::NAN] {
            for per_note in [0, 1, 5, 1000] {
                let options = LinkOptions {
                    similar: SimilarityScope::All,
                    min_cosine: least,
                    per_note,
                    ..LinkOptions::default()
                };
                let found = all(&scene, &options);
                let is_some = scene.files.len() == 6 && per_note > 0 && least < 1.0;
                if !least.is_nan() {
                    assert_eq!(!found.found.is_empty(), is_some, "{options:?}");
                }
                for finding in &found.found {
                    assert!((0.0..=1.0).contains(&finding.weight));
                }
            }
        }
        // Without vectors the job only finds mentions.
        let found =
            LinkOptions::default().find(&scene.view(false), &Answers::default(), &Seeds::All);
        assert_eq!(found.unwrap().found, []);
    }
}

/// Notes on four subjects, each with more similar notes than the limit per note.
fn subjects() -> IndexedVault {
    let words = [
        [
            "tomato",
            "seedling",
            "frost",
            "greenhouse",
            "compost",
            "basil",
            "harvest",
        ],
        [
            "database",
            "backup",
            "replica",
            "query",
            "schema",
            "migration",
            "index",
        ],
        [
            "violin",
            "sonata",
            "scale",
            "bow",
            "concert",
            "rehearsal",
            "string",
        ],
        [
            "mountain",
            "glacier",
            "summit",
            "rope",
            "hut",
            "ridge",
            "avalanche",
        ],
    ];
    let note = |subject: usize, number: usize| {
        let word = |at: usize| words[subject][(number + at * (1 + number / 7)) % 7];
        format!(
            "The {} needs the {} before the {} comes, so look after the {} first and write down what happened.",
            word(0),
            word(1),
            word(2),
            word(3)
        )
    };
    IndexedVault::new((0..4).flat_map(|subject| {
        (0..14).map(move |number| (format!("{subject}-{number:02}.md"), note(subject, number)))
    }))
}

#[test]
fn a_second_run_finds_nothing_new() {
    for per_note in [1, 2, 5] {
        let options = LinkOptions {
            per_note,
            ..related()
        };
        let mut scene = subjects();
        let first = all(&scene, &options).found;
        assert!(first.len() > 10, "{}", first.len());
        scene = scene.carried_out(&first);
        assert_eq!(all(&scene, &options).found, [], "{per_note}");
        let mut counts = std::collections::HashMap::new();
        for finding in &first {
            for note in &finding.notes {
                *counts.entry(note).or_insert(0) += 1;
            }
        }
        assert!(counts.values().all(|count| *count <= per_note));
    }
}

#[test]
fn rejected_pair_is_not_replaced_by_the_next() {
    let scene = subjects();
    let options = LinkOptions {
        per_note: 2,
        ..related()
    };
    let first = all(&scene, &options).found;
    let mut answers = Answers::default();
    for finding in &first {
        answers.insert(finding.key, Answer::No);
    }
    assert_eq!(scene.findings(&answers, &Seeds::All, &options).found, []);
    // Findings with other answers remain, for the policy to apply.
    let (answer, _) = first[0].stored(Answer::Is(Relation::Supports));
    answers.insert(first[0].key, answer);
    let found = scene.findings(&answers, &Seeds::All, &options).found;
    assert_eq!(found, first[..1]);
}

#[test]
fn incremental_run_matches_full_run() {
    let scene = subjects();
    let whole = pairs(&all(&scene, &related()));
    for seeds in [&["0-00.md"][..], &["1-03.md", "2-05.md", "2-06.md"], &[]] {
        let found = scene.findings(&Answers::default(), &scene.seeds(seeds), &related());
        let has_seed = |pair: &&String| pair.split(" > ").any(|note| seeds.contains(&note));
        let expected: BTreeSet<String> = whole.iter().filter(has_seed).cloned().collect();
        assert_eq!(pairs(&found), expected, "{seeds:?}");
    }
}

#[test]
fn removed_relation_is_asked_once() {
    let scene = IndexedVault::new(notes());
    let is_pair = |finding: &&Finding| finding.notes[0].as_str() == "beds.md";
    let find = |scene: &IndexedVault, answers: &Answers| {
        let found = scene.findings(answers, &Seeds::All, &related()).found;
        found.iter().find(is_pair).cloned()
    };
    let first = find(&scene, &Answers::default()).unwrap();
    let group = scene.group(&first, Answer::Yes);
    scene.keep_origins(&group, "link", 1_775_000_000);
    // The relation is missing: a stale editor buffer removed it.
    let again = find(&scene, &Answers::default()).unwrap();
    assert!(!again.certain && again.key == first.key.again(1_775_000_000));
    assert!(
        again
            .reason
            .ends_with("; related_to was stated on 2026-03-31 and removed since"),
        "{}",
        again.reason
    );
    // An undo answers the original question, a person the new one.
    for (key, answer) in [(first.key, Answer::No), (again.key, Answer::No)] {
        let mut answers = Answers::default();
        answers.insert(key, answer);
        assert_eq!(find(&scene, &answers), None);
    }
    let mut answers = Answers::default();
    answers.insert(first.key, Answer::Yes);
    assert_eq!(find(&scene, &answers), Some(again));
}

#[test]
fn provisional_relation_can_be_typed() {
    let is_pair = |finding: &&Finding| finding.notes[0].as_str() == "beds.md";
    let find = |scene: &IndexedVault, answers: &Answers, types: RelatedPolicy| {
        let options = LinkOptions { types, ..related() };
        let found = scene.findings(answers, &Seeds::All, &options).found;
        found.iter().find(is_pair).cloned()
    };
    let scene = IndexedVault::new(notes());
    let first = find(&scene, &Answers::default(), RelatedPolicy::Ask).unwrap();
    let group = scene.group(&first, Answer::Yes);
    let stated = |relation: &str| {
        let others = notes().into_iter().filter(|(path, _)| path != "beds.md");
        let beds = note("beds", &format!("{relation}: [\"[[tomatoes]]\"]\n"));
        let scene = IndexedVault::new(others.chain([beds]));
        scene.keep_origins(&group, "link", 1_775_000_000);
        scene
    };
    let related = stated("related_to");
    assert_eq!(
        find(&related, &Answers::default(), RelatedPolicy::Related),
        None
    );
    let asked = find(&related, &Answers::default(), RelatedPolicy::Ask).unwrap();
    assert!(!asked.certain && asked.key != first.key);
    let view = related.view(true);
    assert!(!crate::jobs::link::near::is_outdated(&view, &asked).unwrap());
    // A judge selects the relation, which replaces `related_to`.
    let after = related.group(&asked, Answer::Is(Relation::Supports));
    let Change::Edit { path, edits, .. } = &after.changes[0] else {
        panic!("{after:?}");
    };
    let text = edit::apply(&related.files[path.as_str()], edits).unwrap();
    assert!(
        text.contains("supports:") && !text.contains("related_to"),
        "{text}"
    );
    for answer in [Answer::Yes, Answer::No] {
        let mut answers = Answers::default();
        answers.insert(asked.key, answer);
        assert_eq!(find(&related, &answers, RelatedPolicy::Ask), None);
    }
    assert_eq!(
        find(&stated("supports"), &Answers::default(), RelatedPolicy::Ask),
        None
    );
}

#[test]
fn specific_relation_replaces_a_provisional_one() {
    let related = "related_to: [\"[[tomatoes|x]]\", \"[[sonata]]\"]\n";
    for (case, beds, tomatoes, by, expected) in [
        (
            "in the note that states it",
            related,
            "",
            "link",
            [
                Some("related_to: [\"[[sonata]]\"]\nsupports: [\"[[tomatoes]]\"]\n"),
                None,
            ],
        ),
        (
            "in the other one",
            "",
            "related_to: [\"[[beds]]\"]\n",
            "remember",
            [Some("supports: [\"[[tomatoes]]\"]\n"), Some("")],
        ),
        (
            "a single one",
            "related_to: \"[[tomatoes]]\"\n",
            "",
            "link",
            [Some("supports: [\"[[tomatoes]]\"]\n"), None],
        ),
        (
            "a person's",
            related,
            "",
            "review",
            [
                Some(
                    "related_to: [\"[[tomatoes|x]]\", \"[[sonata]]\"]\nsupports: [\"[[tomatoes]]\"]\n",
                ),
                None,
            ],
        ),
    ] {
        let scene = IndexedVault::new([
            note("beds", beds),
            note("tomatoes", tomatoes),
            note("sonata", ""),
        ]);
        let [first, second] = [scene.entry("beds.md"), scene.entry("tomatoes.md")];
        let view = scene.view(false);
        let pair = |relation| {
            let edge = RelationEdge {
                from: first.path.clone(),
                relation,
                to: second.path.clone(),
                weight: 0.5,
            };
            let supersedes = false;
            let act = Act::Relate { edge, supersedes };
            about_pair(&view, QuestionKind::Link, [&first, &second], act).unwrap()
        };
        // Record the job as the origin, in whichever note states the relation.
        let mut group = scene.group(&pair(Relation::RelatedTo), Answer::Yes);
        scene.keep_origins(&group, by, 1);
        let edge = &mut group.edges[0];
        std::mem::swap(&mut edge.from, &mut edge.to);
        scene.keep_origins(&group, by, 1);
        let group = scene.group(&pair(Relation::Supports), Answer::Yes);
        let after = scene.files_after(&group);
        let [date, other] = ["created: 2026-02-01\n", "created: 2026-01-01\n"];
        for ((path, date), expected) in [("beds.md", date), ("tomatoes.md", other)]
            .into_iter()
            .zip(expected)
        {
            let before = &scene.files[path];
            let body = &before[before.rfind("---\n").unwrap()..];
            let expected = expected.map_or_else(
                || before.clone(),
                |properties| format!("---\n{date}{properties}{body}"),
            );
            assert_eq!(after[path], expected, "{case}");
        }
        // Stating `related_to` again removes nothing.
        let group = scene.group(&pair(Relation::RelatedTo), Answer::Yes);
        assert_eq!(group.changes.len(), 1);
    }
}

/// Returns a text with its mentions of `others` linked.
fn linked(body: &str, others: &[(&str, &str)]) -> String {
    let text = [("text.md", body)];
    let scene = IndexedVault::new(text.iter().chain(others).copied());
    let found = all(&scene, &mentions()).found;
    let own: Vec<Finding> = found
        .into_iter()
        .filter(|found| found.notes[0].as_str() == "text.md")
        .collect();
    assert!(own.iter().all(|finding| !finding.certain));
    scene.carried_out(&own).files["text.md"].clone()
}

#[test]
fn first_mention_becomes_a_link() {
    let others = [
        (
            "n1.md",
            "---\ntitle: Moved to Postgres\naliases: [The Move]\n---\nx",
        ),
        ("Water temperature.md", "x"),
        ("Kyoto.md", "x"),
        ("a/Twin House.md", "x"),
        ("b/Twin House.md", "x"),
        ("c#d.md", "---\ntitle: Unnameable Note\n---\nx"),
    ];
    for (body, expected) in [
        (
            "So we moved to Postgres. Moved to Postgres!",
            "So we [[n1|moved to Postgres]]. Moved to Postgres!",
        ),
        (
            "Watch the water temperature.",
            "Watch the [[water temperature]].",
        ),
        ("`Kyoto` and **Kyoto**", "`Kyoto` and **[[Kyoto]]**"),
        (
            "The Move, or moved to Postgres",
            "The Move, or [[n1|moved to Postgres]]",
        ),
        (
            "# In Kyoto\n\n[Kyoto](x.md), https://x.y/Kyoto #Kyoto",
            "# In Kyoto\n\n[Kyoto](x.md), https://x.y/Kyoto #Kyoto",
        ),
        ("In [[Kyoto]] I like Kyoto", "In [[Kyoto]] I like Kyoto"),
        (
            "---\nup: \"[[Kyoto]]\"\n---\nKyoto",
            "---\nup: \"[[Kyoto]]\"\n---\nKyoto",
        ),
        ("kyoto, KYOTO", "kyoto, KYOTO"),
        (
            "Water temperature-wise\nand the water temperature",
            "Water temperature-wise\nand the [[water temperature]]",
        ),
        ("In the Twin House", "In the Twin House"),
        ("An Unnameable Note", "An Unnameable Note"),
        (
            "---\ntitle: Kyoto plans\n---\nTo Kyoto\r\nand water temperature\r\n",
            "---\ntitle: Kyoto plans\n---\nTo [[Kyoto]]\r\nand [[water temperature]]\r\n",
        ),
    ] {
        assert_eq!(linked(body, &others), expected);
    }
}

#[test]
fn longest_matching_name_is_linked() {
    let others = [("Water Pump.md", "x"), ("Water Pump House.md", "x")];
    assert_eq!(
        linked("At the water pump house.\nThe water pump.", &others),
        "At the [[water pump house]].\nThe [[water pump]]."
    );
}

#[test]
fn common_words_are_not_mentions() {
    let home = ("Green House.md", "x");
    let note = |number: usize, text: &str| (format!("{number}.md"), text.to_owned());
    let count = |notes: Vec<(String, String)>| {
        let all_notes = notes
            .into_iter()
            .chain([(home.0.to_owned(), home.1.to_owned())]);
        all(&IndexedVault::new(all_notes), &mentions()).found.len()
    };
    let many = |with: usize| {
        let texts = (0..40).map(|number| {
            if number < with {
                "the green house"
            } else {
                "else"
            }
        });
        texts
            .enumerate()
            .map(|(number, text)| note(number, text))
            .collect()
    };
    assert_eq!((count(many(5)), count(many(6))), (5, 0));
    // A word that also occurs in another spelling is a common word.
    for (others, expected) in [(&["rust", "Rust"][..], 0), (&["Rust is", "go"], 2)] {
        let notes = [("Rust.md", "x"), ("a.md", "in Rust")];
        let numbered = others.iter().enumerate();
        let other_notes: Vec<_> = numbered.map(|(number, text)| note(number, text)).collect();
        let others = other_notes
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()));
        let scene = IndexedVault::new(notes.into_iter().chain(others));
        assert_eq!(all(&scene, &mentions()).found.len(), expected);
    }
}

#[test]
fn question_about_a_mention_depends_on_its_line_only() {
    let named = [("Kyoto.md", "x"), ("Water temperature.md", "x")];
    let scene = |text: &str| IndexedVault::new([("text.md", text)].iter().chain(&named).copied());
    let find = |scene: &IndexedVault, answers: &Answers| {
        scene.findings(answers, &Seeds::All, &mentions()).found
    };
    let first = scene("In Kyoto at water temperature.\n\nMore.");
    let found = find(&first, &Answers::default());
    assert_eq!(found.len(), 2);
    let kyoto = found
        .iter()
        .find(|found| found.notes[1].as_str() == "Kyoto.md")
        .unwrap();
    assert_eq!(kyoto.title(), "link \"Kyoto\" in text.md to Kyoto.md");
    assert_eq!(kyoto.reason, "text: \"In Kyoto at water temperature.\"");
    // After linking the other name and adding text the question is the same.
    let later = scene("In Kyoto at [[water temperature]].\n\nMore and more.");
    let again = find(&later, &Answers::default());
    assert_eq!(
        again.iter().map(|found| found.key).collect::<Vec<_>>(),
        [kyoto.key]
    );
    let mut answers = Answers::default();
    answers.insert(kyoto.key, Answer::No);
    assert_eq!(find(&later, &answers), []);
    // Another line that names the note gives no further question, whatever the answers.
    for text in [
        "In Kyoto at [[water temperature]].\n\nKyoto again.",
        "Kyoto first.\n\nIn Kyoto at [[water temperature]].",
    ] {
        assert_eq!(find(&scene(text), &answers), [], "{text}");
        answers.insert(kyoto.key, Answer::Yes);
        assert_eq!(find(&scene(text), &answers).len(), 1, "{text}");
        answers.insert(kyoto.key, Answer::No);
    }
    // The refused line was removed.
    assert_eq!(
        find(&scene("Kyoto first. [[water temperature]]"), &answers).len(),
        1
    );
    // Two notes that name each other give two questions.
    let both = IndexedVault::new([
        ("Green House.md", "the brown house"),
        ("Brown House.md", "the green house"),
    ]);
    let found = find(&both, &Answers::default());
    assert_eq!(found.len(), 2);
    assert_ne!(found[0].key, found[1].key);
}

#[test]
fn relations_by_jobs_do_not_raise_probability() {
    let scene = |properties: &str| {
        let text = format!("---\n{properties}---\nIn Kyoto.\n\n[[a]] [[b]]");
        IndexedVault::new([
            ("text.md", text.as_str()),
            ("Kyoto.md", "[[c]]"),
            ("other.md", "Kyoto is in Japan."),
            ("a.md", "[[b]]"),
            ("b.md", "[[a]]"),
            ("c.md", "[[b]]"),
        ])
    };
    let chance = |properties: &str| {
        let found = all(&scene(properties), &mentions()).found;
        let of_text = found.iter().find(|one| one.notes[0].as_str() == "text.md");
        of_text.map(|one| one.weight)
    };
    let plain = chance("").unwrap();
    let related = "related_to: [\"[[c]]\", \"[[other]]\"]\n";
    assert_eq!(chance(related), Some(plain));
    // Other relations stated by the author count.
    assert!(chance("see: \"[[c]]\"\n").unwrap() > plain);
    assert_eq!(chance("related_to: \"[[Kyoto]]\"\n"), None);
}

#[test]
fn templates_have_no_mentions() {
    let scene = IndexedVault::new([
        ("Kyoto.md", "We met Anna Berg here."),
        ("Anna Berg.md", "She lives in Kyoto."),
        ("templates/Kyoto trip.md", "Kyoto: who comes?"),
        ("log.md", "Plans for a Kyoto trip."),
    ]);
    let found = pairs(&all(&scene, &mentions()));
    assert_eq!(
        found.iter().map(String::as_str).collect::<Vec<_>>(),
        [
            "Anna Berg.md > Kyoto.md",
            "Kyoto.md > Anna Berg.md",
            "log.md > Kyoto.md"
        ]
    );
}

#[test]
fn incremental_mentions_with_and_without_text_index() {
    let scene = IndexedVault::new([
        ("Kyoto.md", "See the Twin House."),
        ("Twin House.md", "Near Kyoto."),
        ("a.md", "Kyoto and a twin house"),
        ("b.md", "Osaka"),
        ("Osaka.md", "x"),
    ]);
    let whole = pairs(&all(&scene, &mentions()));
    assert_eq!(whole.len(), 5);
    for seeds in [
        &["Kyoto.md"][..],
        &["a.md"],
        &["b.md", "Twin House.md"],
        &["Osaka.md"],
        &[],
    ] {
        let has_seed = |pair: &&String| pair.split(" > ").any(|note| seeds.contains(&note));
        let expected: BTreeSet<String> = whole.iter().filter(has_seed).cloned().collect();
        let slots = scene.seeds(seeds);
        assert_eq!(
            pairs(&scene.findings(&Answers::default(), &slots, &mentions())),
            expected,
            "{seeds:?}"
        );
        let slow = mentions()
            .find(&scene.view(false), &Answers::default(), &slots)
            .unwrap();
        assert_eq!(pairs(&slow), expected, "{seeds:?}");
    }
}

#[test]
fn link_texts_are_names_and_their_frequency_sets_probability() {
    let proposal = |number: u32| (format!("eip-{number}.md"), "x".to_owned());
    let names = |text: &str| -> Vec<(String, f32)> {
        let linking = (0..6).map(|at| {
            let links = "[ERC-20](eip-20.md), [gas](gas.md), [[eip-20#^a|clean]]";
            (format!("{at}.md"), format!("{links} and gas"))
        });
        let plain = (0..12).map(|at| (format!("plain {at}.md"), "gas".to_owned()));
        let own = [
            proposal(20),
            proposal(1559),
            ("gas.md".to_owned(), "x".to_owned()),
        ];
        let text = [
            ("text.md".to_owned(), format!("[x](eip-1.md) {text}")),
            proposal(1),
        ];
        let scene = IndexedVault::new(linking.chain(plain).chain(own).chain(text));
        let findings = all(&scene, &mentions()).found.into_iter();
        let found = findings.filter(|found| found.notes[0].as_str() == "text.md");
        let named = found.map(|found| (found.notes[1].to_string(), found.weight));
        named.collect()
    };
    for (text, expected) in [
        ("as in EIP-1559 here", &["eip-1559.md"][..]),
        ("as in EIP 1559 and EIP1559 here", &["eip-1559.md"]),
        ("as ERC-20 says", &["eip-20.md"]),
        // Numbers, block ids, tags, code and callout types do not count as names.
        ("in 1559, #eip-1559 `EIP-1559` and\n\n> [!EIP-1559] x", &[]),
    ] {
        let found = names(text);
        let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, expected, "{text}");
    }
    let [likely, less] = ["as ERC-20 says", "as gas does"].map(names);
    assert!(
        less.first().is_none_or(|less| less.1 < likely[0].1),
        "{less:?}"
    );
}

#[test]
fn parts_of_longer_names_and_own_titles_are_not_mentions() {
    for (body, expected) in [
        ("Before its Kyoto of Ashes", false),
        ("A Pretty Good Kyoto", false),
        ("In the Kyoto Protocol", false),
        ("Use Kyoto", true),
        ("A trip. Then Kyoto is", true),
        ("---\ntitle: Old Kyoto\n---\nIn Kyoto", false),
    ] {
        let becomes = linked(body, &[("Kyoto.md", "x")]);
        assert_eq!(becomes.contains("[[Kyoto]]"), expected, "{body}");
    }
}

impl IndexedVault {
    pub(super) fn entry(&self, path: &str) -> Entry {
        let path = VaultPath::new(path).unwrap();
        self.view(true).at(&path).unwrap().unwrap()
    }

    pub(super) fn seeds(&self, paths: &[&str]) -> Seeds {
        Seeds::Of(paths.iter().map(|path| self.entry(path).slot).collect())
    }

    pub(super) fn findings(
        &self,
        answers: &Answers,
        seeds: &Seeds,
        options: &LinkOptions,
    ) -> Findings {
        options.find(&self.view(true), answers, seeds).unwrap()
    }

    pub(super) fn group(&self, finding: &Finding, answer: Answer) -> Group {
        acts::group(&self.view(true), finding, answer).unwrap()
    }

    /// Returns the texts after applying a group.
    pub(super) fn files_after(&self, group: &Group) -> BTreeMap<String, String> {
        let mut files = self.files.clone();
        for change in &group.changes {
            let Change::Edit { path, edits, .. } = change else {
                panic!("{change:?}");
            };
            let text = files.get_mut(path.as_str()).unwrap();
            *text = edit::apply(text, edits).unwrap();
        }
        files
    }

    /// Records the origin of the relations in `group`, as if the job `by` had run.
    pub(super) fn keep_origins(&self, group: &Group, by: &str, at: i64) {
        let origin = |edge: &crate::finding::plan::RelationEdge| RelationOrigin {
            from: edge.from.to_string(),
            relation: edge.relation,
            to: edge.to.to_string(),
            weight: edge.weight,
            reason: group.reason.clone(),
            by: by.to_owned(),
            at: Timestamp::from_second(at).unwrap(),
            run: "r".to_owned(),
            bodies: [&edge.from, &edge.to].map(|path| TextHash(self.entry(path.as_str()).row.body)),
        };
        let origins: Vec<RelationOrigin> = group.edges.iter().map(origin).collect();
        let device = self.vault.root().join(".mem/journal/0a0a0a0a");
        fs::create_dir_all(&device).unwrap();
        journal::append(&device, &origins).unwrap();
    }

    /// Applies all findings as one run.
    pub(super) fn carried_out(self, found: &[Finding]) -> Self {
        let mut edits: BTreeMap<String, Vec<edit::Edit>> = BTreeMap::new();
        for finding in found {
            let group = self.group(finding, Answer::Yes);
            self.keep_origins(&group, JOB.name, 1_000);
            for change in group.changes {
                let Change::Edit {
                    path, edits: own, ..
                } = change
                else {
                    panic!("{change:?}");
                };
                edits.entry(path.to_string()).or_default().extend(own);
            }
        }
        let changed: Vec<_> = edits
            .into_iter()
            .map(|(path, edits)| {
                (
                    path.clone(),
                    edit::apply(&self.files[&path], &edits).unwrap(),
                )
            })
            .collect();
        self.with(changed)
    }
}
