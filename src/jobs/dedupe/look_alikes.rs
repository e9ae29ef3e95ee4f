//! Pairs of notes that differ by one thing that a reader sees, and so in what they mean: none is certain.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::likeness::{Likeness, NoteFields, Verdict};
use super::options::Options;

/// A class of differences: sentences with a place, and what stands there instead of each other.
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

/// Text around the sentence: nothing, or what both notes say as well.
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
    let [a, b] = [a, b].map(Likeness::of);
    let options = Options::default();
    let is_certain = |verdict| matches!(verdict, Verdict::Certain(_));
    is_certain(a.judge(&b, Some(0.99), &options)) || is_certain(b.judge(&a, Some(0.99), &options))
}

fn note(body: &str) -> NoteFields<'_> {
    NoteFields {
        body,
        ..NoteFields::default()
    }
}

#[test]
fn what_a_reader_sees_tells_notes_apart() {
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
                    // Each is the same as itself, so that it is the difference that decides.
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
fn names_of_files_tell_notes_apart() {
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
fn properties_tell_notes_apart() {
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
fn templates_are_nothing_to_merge() {
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
