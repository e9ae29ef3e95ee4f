use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::*;
use crate::signals::tests::{Case, cases};

/// The parts and the composite equal Ormah's; their use differs. A missing part, such as the title, is left out
/// of the composite rather than counted as 0 ([`NoteFeatures::similarity`]). A composite alone never causes a merge.
#[test]
fn parts_and_composite_match_ormah() {
    let close = |found: f64, case: &Case<'_>| {
        assert!(
            (found - case.of("expected")).abs() <= 1e-9,
            "{case:?}: {found}"
        );
    };
    let text = |case: &Case<'_>, column| match case.text(column) {
        "-" => String::new(),
        text => text.replace("\\t", "\t").replace("\\n", "\n"),
    };
    let titles = cases(include_str!(
        "../../../../fixtures/signals/ormah_title_similarity.tsv"
    ));
    let overlaps = cases(include_str!(
        "../../../../fixtures/signals/ormah_token_overlap.tsv"
    ));
    let composites = cases(include_str!(
        "../../../../fixtures/signals/ormah_composite_duplicate.tsv"
    ));
    assert_eq!(
        (titles.len(), overlaps.len(), composites.len()),
        (117, 91, 45)
    );
    for case in titles {
        let (a, b) = (text(&case, "a"), text(&case, "b"));
        close(title_similarity(&a, &b), &case);
        close(title_similarity(&b, &a), &case);
    }
    for case in overlaps {
        let words = |column| tokens("", &text(&case, column), &TextWeights::default());
        close(token_overlap(&words("a"), &words("b")), &case);
        close(token_overlap(&words("b"), &words("a")), &case);
    }
    for case in composites {
        let [cosine, titles, words] =
            ["embedding_sim", "title_sim", "token_sim"].map(|part| case.of(part));
        close(composite(cosine, titles, words), &case);
    }
}

fn titled_note<'t>(title: Option<&'t str>, body: &'t str) -> NoteFields<'t> {
    NoteFields {
        title,
        title_hash: title.map_or(0, normal_hash),
        body,
        ..NoteFields::default()
    }
}

fn verdict(a: NoteFields<'_>, b: NoteFields<'_>, cosine: Option<f32>) -> SimilarityVerdict {
    let (a, b) = (NoteFeatures::of(a), NoteFeatures::of(b));
    let verdict = a.judge(&b, cosine, &DedupeOptions::default());
    assert_eq!(b.judge(&a, cosine, &DedupeOptions::default()), verdict);
    verdict
}

/// Returns the name of a verdict.
fn word(verdict: SimilarityVerdict) -> &'static str {
    match verdict {
        SimilarityVerdict::Certain(_) => "certain",
        SimilarityVerdict::Copy
        | SimilarityVerdict::Likely(_)
        | SimilarityVerdict::Alike(_)
        | SimilarityVerdict::Contained(_) => "asked",
        SimilarityVerdict::Versions => "versions",
        SimilarityVerdict::Different => "different",
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn verdicts_on_short_statements() {
    for (a, b, expected) in [
        (
            "Assign to a particular task",
            "assign to a particular task.",
            "certain",
        ),
        (
            "No, more tests are needed",
            "No more tests are needed",
            "asked",
        ),
        ("Ann said: Bob is late", "Ann, said Bob, is late", "asked"),
        ("We need no. 5 apples", "We need no 5 apples", "asked"),
        (
            "Paula is the product owner of the shop.",
            "Bruno has taken over as product owner of the shop.",
            "different",
        ),
        ("Warten nicht, helfen", "Warten, nicht helfen", "asked"),
        (
            "A black dog runs in the snow.",
            "- The black dog is running in the snow",
            "certain",
        ),
        (
            "A **black** dog runs in the snow.",
            "A *black* dog runs in the snow.",
            "asked",
        ),
        (
            "- Pack the tent.\n- Take the dog.",
            "- Pack the tent.\n  - Take the dog.",
            "asked",
        ),
        (
            "Build it:\n\n```sh\nmake all clean\n```",
            "Build it:\n\n```make\nmake all clean\n```",
            "asked",
        ),
        (
            "Roses are red  \nviolets are blue",
            "Roses are red\nviolets are blue",
            "asked",
        ),
        (
            "Build it:\n\n```\nmake all \\ \nclean\n```",
            "Build it:\n\n```\nmake all \\\nclean\n```",
            "asked",
        ),
        (
            "# House\n\nPaint it red.\n\n## Shed\n\nSweep it out.",
            "# House\n\nPaint it red.\n\n# Shed\n\nSweep it out.",
            "asked",
        ),
        (
            "A dog runs along the beach.",
            "A white dog runs along the beach.",
            "asked",
        ),
        (
            "Alice manages Bob in Berlin",
            "Bob manages Alice in Berlin",
            "asked",
        ),
        (
            "The garden lamp is enabled",
            "The garden lamp is disabled",
            "asked",
        ),
        (
            "Pope calls for action on the climate",
            "Pope urges action on the climate",
            "asked",
        ),
        (
            "The user prefers tabs over spaces",
            "The user prefers spaces over tabs",
            "asked",
        ),
        (
            "We use Postgres for billing",
            "We almost use Postgres for billing",
            "asked",
        ),
        (
            "We use Postgres for billing",
            "We used Postgres for billing",
            "asked",
        ),
        (
            "We use Postgres for billing",
            "We do not use Postgres for billing",
            "different",
        ),
        (
            "The service listens on port 8080",
            "The service listens on port 9090",
            "different",
        ),
        (
            "We upgraded to version 1.2 of it",
            "We upgraded to version 1.3 of it",
            "different",
        ),
        (
            "The concert is on 5 May 2026",
            "The concert is on 6 May 2026",
            "different",
        ),
        (
            "Import your notes from Bear",
            "Import your notes from Roam",
            "different",
        ),
        (
            "Call with Anna about the garden",
            "Call with Ben about the garden",
            "different",
        ),
        (
            "List files: `ls -a {{path}}`",
            "List files: `dir -a {{folder}}`",
            "different",
        ),
        (
            "A few people in the team can restart the staging machine.",
            "Few people in the team can restart the staging machine.",
            "asked",
        ),
        (
            "There is a little hope that the old backups of 2024 can be read.",
            "There is little hope that the old backups of 2024 can be read.",
            "asked",
        ),
        (
            "Anna said that she will re-sign the contract of the office.",
            "Anna said that she will re sign the contract of the office.",
            "asked",
        ),
        (
            "Anna hired a manager for the office in the old harbour.",
            "Anna hired the manager for the office in the old harbour.",
            "asked",
        ),
        ("Thanks!", "Thanks!", "different"),
        ("", "", "different"),
    ] {
        // The cosine of a model that ignores order and negation.
        let verdict = verdict(titled_note(None, a), titled_note(None, b), Some(0.98));
        assert_eq!(word(verdict), expected, "{a} / {b}: {verdict:?}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn metadata_affects_the_verdict() {
    let text = "The spare key of the shed hangs behind the rain barrel, wrapped in a yellow bag.";
    let other = "The spare key of the shed hangs behind the old rain barrel, wrapped in a bag.";
    let plain = titled_note(None, text);
    let titled = |title| titled_note(Some(title), text);
    let [fact, goal] =
        ["fact", "goal"].map(|kind| Map::from_iter([("type".to_owned(), kind.into())]));
    let with = |properties| NoteFields {
        properties: Some(properties),
        ..plain
    };
    for (name, a, b, expected) in [
        ("nothing", plain, plain, "certain"),
        ("one title", titled("Where it hangs"), plain, "certain"),
        ("same title", titled("Key"), titled("Key"), "certain"),
        // The title gives the subject of a short note, unless both texts contain it.
        ("two titles", titled("Green"), titled("Blue"), "different"),
        (
            "words of the text",
            titled("Rain key"),
            titled("Shed bag"),
            "asked",
        ),
        (
            "a title that repeats the text",
            titled("The spare key of the shed"),
            titled("Blue"),
            "certain",
        ),
        (
            "numbered titles",
            titled("Part 1"),
            titled("Part 2"),
            "different",
        ),
        (
            "a number in one title",
            titled("Remarks"),
            titled("Remarks 1"),
            "asked",
        ),
        (
            "a number and another text",
            titled("Part 1"),
            NoteFields {
                body: other,
                ..titled("Part")
            },
            "different",
        ),
        (
            "a number and a short text",
            NoteFields {
                body: "Ask the porter.",
                ..titled("Part 1")
            },
            NoteFields {
                body: "Ask the porter.",
                ..titled("Part")
            },
            "different",
        ),
        (
            "the name of a file",
            NoteFields {
                stem: "Key",
                ..plain
            },
            titled("key"),
            "certain",
        ),
        (
            "days",
            NoteFields {
                stem: "2026-01-05",
                ..plain
            },
            NoteFields {
                stem: "2026-01-06",
                ..plain
            },
            "different",
        ),
        ("types", with(&fact), with(&goal), "asked"),
        ("one type", with(&fact), plain, "certain"),
        (
            "keep",
            NoteFields {
                keep: true,
                ..plain
            },
            plain,
            "asked",
        ),
        (
            "keep both",
            NoteFields {
                keep: true,
                ..plain
            },
            NoteFields {
                keep: true,
                ..plain
            },
            "different",
        ),
        ("both say more", plain, titled_note(None, other), "asked"),
    ] {
        assert_eq!(word(verdict(a, b, None)), expected, "{name}");
    }
}

#[test]
fn long_text_with_two_names_is_a_question() {
    let text = |of: &str| {
        format!(
            "A {of} keeps the water of the winter until the beans need it. Anna dug the first one behind \
             the barn and lined the bottom with clay from the river. Ben covers the edge with flat stones, \
             plants willows on the southern bank against the wind, and cleans the overflow every autumn \
             before leaves fall."
        )
    };
    let [plain, pond, pool] = ["thing", "pond", "pool"].map(text);
    for (a, b, expected) in [
        (&plain, &plain, "asked"),
        (&pond, &pool, "different"),
        (&pond, &pond, "asked"),
    ] {
        let verdict = verdict(
            titled_note(Some("Pond"), a),
            titled_note(Some("Pool"), b),
            Some(0.98),
        );
        assert_eq!(word(verdict), expected, "{a} / {b}: {verdict:?}");
    }
}

#[test]
fn notes_without_content_are_different() {
    let full =
        "# Writing\n\nThe spare key of the shed hangs behind the rain barrel, wrapped in a bag.";
    for blank in [
        "",
        "# Writing",
        "# Writing\n\n## Sources\n\n## What I learned from the book about gardens",
        "# Writing\n\n![[desk.png]]",
        "# Writing\n\nTODO",
        "# Writing\n\nAuthor:\nYear of the first edition:\n",
        "# Writing\n\n```dataview\nLIST FROM #writing WHERE author SORT file.name\n```",
        "# Writing\n\nWho was there on {{date}}, and what was decided by them about the garden?",
    ] {
        for other in [blank, full] {
            let note = |body| NoteFields {
                is_heading: true,
                stem: "Writing",
                ..titled_note(Some("Writing"), body)
            };
            let found = verdict(note(blank), note(other), Some(0.99));
            assert_eq!(found, SimilarityVerdict::Different, "{blank:?} / {other:?}");
        }
    }
}

#[test]
fn different_days_or_file_names_give_questions() {
    let text = "The spare key of the shed hangs behind the rain barrel, wrapped in a yellow bag.";
    let note = |stem, written| NoteFields {
        stem,
        written,
        ..titled_note(Some("Visit"), text)
    };
    for (a, b, expected) in [
        (note("Visit", None), note("Visit", None), "certain"),
        (note("Visit", Some(1)), note("Visit", Some(1)), "certain"),
        (note("Visit", Some(1)), note("Visit", None), "certain"),
        (note("Visit", Some(1)), note("Visit", Some(8)), "asked"),
        (note("Visit Anna", None), note("Visit Ben", None), "asked"),
        (note("Visit", None), note("Visit 1", None), "certain"),
        (note("Visit 1", None), note("Visit 2", None), "certain"),
        (note("visit", None), note("Visit (copy)", None), "certain"),
    ] {
        assert_eq!(word(verdict(a, b, None)), expected, "{a:?} / {b:?}");
    }
}

/// The merged note has the later date, also its statements that were not repeated then.
#[test]
fn a_longer_note_is_not_merged_unasked_with_a_later_part() {
    let part = "The office is open from eight to five and closed in July.";
    let whole = format!("{part}\n\nThe manager of the office is Ann.");
    let note = |stated, body| NoteFields {
        stated,
        ..titled_note(Some("Office"), body)
    };
    for (a, b, expected) in [
        (note(5, &*whole), note(5, part), "certain"),
        (note(9, &*whole), note(5, part), "certain"),
        (note(5, &*whole), note(9, part), "asked"),
        (note(9, part), note(5, &*whole), "asked"),
        (note(5, part), note(9, part), "certain"),
    ] {
        assert_eq!(word(verdict(a, b, None)), expected, "{a:?} / {b:?}");
    }
}

#[test]
fn contained_long_text_is_a_question_under_any_title() {
    let sentence = |at: usize| {
        let words = [
            "ladder", "barrel", "spade", "kettle", "lantern", "basket", "anvil", "saddle",
        ];
        let of = |step: usize| words[(at * step + at / 8) % 8];
        format!(
            "The {} of row {at} stands beside the {} and below the {}.",
            of(1),
            of(3),
            of(5)
        )
    };
    let text = |range: std::ops::Range<usize>| range.map(sentence).collect::<Vec<_>>().join(" ");
    let (whole, part, other) = (text(0..80), text(0..20), text(60..80));
    let book = titled_note(Some("All rows of the barn"), &whole);
    let found = verdict(book, titled_note(Some("First rows"), &part), None);
    assert!(
        matches!(found, SimilarityVerdict::Contained(_)),
        "{found:?}"
    );
    let found = verdict(
        titled_note(Some("Last rows"), &other),
        titled_note(Some("First rows"), &part),
        None,
    );
    assert_eq!(found, SimilarityVerdict::Different);
}

#[test]
fn filled_form_is_not_a_copy() {
    let form = "Who was there. What was decided. What is open. Who does what until when. What \
        went well. What went wrong. What to try next time. When to meet again. Where to meet.";
    let filled = format!("{form} We decided to plant beans and peas behind the shed.");
    let asked = verdict(titled_note(None, form), titled_note(None, &filled), None);
    assert_eq!(word(asked), "asked");
    let same = verdict(
        titled_note(Some("Plan"), form),
        titled_note(Some("Plan"), &filled),
        None,
    );
    assert_eq!(word(same), "certain");
}

#[test]
fn extreme_thresholds() {
    let texts = [
        "tea is green in spring",
        "tea is green in the spring",
        "tea is white in spring",
        "Anna walks home",
    ];
    for (certain, ask) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
        let options = DedupeOptions {
            certain,
            ask,
            ..DedupeOptions::default()
        };
        let judge = |a: &str, b: &str| {
            NoteFeatures::of(titled_note(None, a)).judge(
                &NoteFeatures::of(titled_note(None, b)),
                Some(0.9),
                &options,
            )
        };
        assert_eq!(word(judge(texts[0], texts[1])), "certain", "{options:?}");
        let asked = if ask < 1.0 { "asked" } else { "different" };
        assert_eq!(word(judge(texts[0], texts[2])), asked, "{options:?}");
        assert_eq!(word(judge(texts[0], "")), "different", "{options:?}");
    }
}

/// A class of differences: sentences with a placeholder, and the texts to put there.
#[derive(Deserialize)]
struct Class {
    name: String,
    sentences: Vec<String>,
    instead: Vec<(String, String)>,
}

fn classes() -> Vec<Class> {
    let text = include_str!("look_alikes.toml");
    let mut tables: HashMap<String, Vec<Class>> = toml::from_str(text).unwrap();
    tables.remove("class").unwrap()
}

/// Text around the sentence: none, or the same in both notes.
const AROUND: [(&str, &str); 3] = [
    ("", "."),
    (
        "The shed behind the house was built by the neighbours, who still have a key.\n\n",
        "\n",
    ),
    (
        "",
        "\n\nAnna and Ben know the rest of it, and where the papers are kept for good.",
    ),
];

fn is_certain(a: NoteFields<'_>, b: NoteFields<'_>) -> bool {
    let [a, b] = [a, b].map(NoteFeatures::of);
    let options = DedupeOptions::default();
    let is_certain = |verdict| matches!(verdict, SimilarityVerdict::Certain(_));
    is_certain(a.judge(&b, Some(0.99), &options)) || is_certain(b.judge(&a, Some(0.99), &options))
}

fn note(body: &str) -> NoteFields<'_> {
    NoteFields {
        body,
        ..NoteFields::default()
    }
}

#[test]
fn visible_differences_prevent_certain_merges() {
    let mut pairs = 0;
    let mut wrong = Vec::new();
    for class in classes() {
        for sentence in &class.sentences {
            for (before, behind) in AROUND {
                for (a, b) in &class.instead {
                    let text =
                        |what: &str| format!("{before}{}{behind}", sentence.replace("{}", what));
                    let (a, b) = (text(a), text(b));
                    pairs += 1;
                    // Each equals itself, so that the difference decides.
                    assert!(is_certain(note(&a), note(&a)), "{}: {a:?}", class.name);
                    if is_certain(note(&a), note(&b)) {
                        wrong.push(format!("{}: {a:?} / {b:?}", class.name));
                    }
                }
            }
        }
    }
    assert!(pairs > 600, "{pairs}");
    assert!(
        wrong.is_empty(),
        "{} of {pairs}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

const TEXT: &str = "For all numbers of the field the order of the two makes no difference.";

#[test]
fn file_names_prevent_certain_merges() {
    let named = |stem| NoteFields { stem, ..note(TEXT) };
    for (a, b) in [
        ("add", "subtract"),
        ("associative-law", "distributive-law"),
        ("port 8080", "port 9090"),
        ("C", "C++"),
        ("grade A+", "grade A-"),
        ("report 2023", "report 2024"),
        ("chapter-1", "chapter-2"),
        ("key", "keys"),
        ("left_hand", "right_hand"),
        ("2026-01-05", "2026-01-05 (copy)"),
        ("2026-01-05", "2026-01-06"),
        ("work-42", "work-43"),
        ("INV-20240012", "INV-20240099"),
        ("task_7", "task_8"),
        ("fix 3f2a9c81", "fix 77ab01"),
        ("202601051230 Tea", "202601051231 Tea"),
    ] {
        assert!(!is_certain(named(a), named(b)), "{a} / {b}");
    }
    for (a, b) in [
        ("add", "add (copy)"),
        ("add", "add 1"),
        ("add 2", "add"),
        ("add", "add.sync-conflict-20260105-120000-ABCDEFG"),
        ("add", "3f2a9c81d0"),
        ("add", "for-all-numbers-of-the-field"),
        ("add", "202601051230"),
        ("The Law", "the-law"),
        ("note 17", "note 4"),
    ] {
        assert!(is_certain(named(a), named(b)), "{a} / {b}");
    }
    let titled = |title| NoteFields {
        title: Some(title),
        stem: "x",
        ..note(TEXT)
    };
    assert!(!is_certain(titled("C++"), titled("C#")));
    assert!(!is_certain(titled("Add"), named("subtract")));
    assert!(is_certain(titled("Add"), named("add")));
}

#[test]
fn properties_prevent_certain_merges() {
    let certain = |a: &Value, b: &Value| {
        let with = |properties| NoteFields {
            properties: Some(properties),
            ..note(TEXT)
        };
        let none = Map::new();
        let [a, b] = [a, b].map(|value| value.as_object().unwrap_or(&none));
        is_certain(with(a), with(b))
    };
    for (a, b) in [
        (json!({"status": "open"}), json!({"status": "done"})),
        (json!({"type": "fact"}), json!({"type": "goal"})),
        (json!({"space": "a"}), json!({"space": "b"})),
        (json!({"valid_until": "2026-01-01"}), json!({})),
        (
            json!({"valid_until": "2026-01-01"}),
            json!({"valid_until": "2027-01-01"}),
        ),
        (json!({"port": 80}), json!({"port": 81})),
        (json!({"id": "work-42"}), json!({"id": "work-43"})),
        (json!({"id": 1}), json!({"id": 2})),
        (json!({"done": true}), json!({"done": false})),
    ] {
        assert!(!certain(&a, &b), "{a} / {b}");
        assert!(certain(&a, &a), "{a}");
    }
    assert!(certain(
        &json!({"id": "01J9Z3QK8VBM6T5W2XRYD4E7HN", "tags": ["a"]}),
        &json!({"id": "01J9Z3QK8VBM6T5W2XRYD4E7HM", "tags": ["b"]})
    ));
}

#[test]
fn templates_are_never_merged() {
    for text in [
        "# {{title}}\n\nWho was there, and what was said of it.",
        "Who was there on <% tp.date.now() %>, and what was said.",
    ] {
        assert!(!is_certain(note(text), note(text)), "{text}");
    }
    let text = "List the files of a folder:\n\n`ls {{path/to/folder}}`";
    assert!(is_certain(note(text), note(text)));
    let from = NoteFields {
        is_template: true,
        ..note(TEXT)
    };
    assert!(!is_certain(from, note(TEXT)));
}
