//! Pairs of notes that differ by one thing that a reader sees, and so in what they mean: none is certain.

use serde_json::{Map, Value, json};

use super::likeness::{Likeness, NoteFields, Verdict};
use super::options::Options;

/// A class of differences: sentences with a place, and what stands there instead of each other.
struct Class {
    name: &'static str,
    sentences: &'static [&'static str],
    instead: &'static [(&'static str, &'static str)],
}

const CLASSES: &[Class] = &[
    Class {
        name: "comparisons",
        sentences: &[
            "Alert when the load {} 80 on the database host",
            "Keep the branch where a.size {} b.size holds",
        ],
        instead: &[
            (">", "<"),
            (">=", "<="),
            ("≥", "≤"),
            ("==", "!="),
            ("=", "≠"),
            (">", ">="),
            ("<", "="),
            ("~", "="),
        ],
    },
    Class {
        name: "operators",
        sentences: &[
            "The area of the field is x{}y in all plans",
            "Take the flag a {} b of the second machine",
        ],
        instead: &[
            ("*", "+"),
            ("-", "+"),
            ("/", "*"),
            ("&&", "||"),
            ("&", "|"),
            ("^", "*"),
            ("%", "/"),
            ("<<", ">>"),
            ("→", "←"),
            ("++", "--"),
        ],
    },
    Class {
        name: "marks",
        sentences: &[
            "{} The backup of the garden server",
            "The backup of the garden server {}",
            "- {} water the beans behind the shed",
        ],
        instead: &[
            ("✅", "❌"),
            ("👍", "👎"),
            ("🔴", "🟢"),
            ("⬆", "⬇"),
            ("☀", "☁"),
            ("+", "-"),
            ("[ ]", "[x]"),
            ("[x]", "[-]"),
            (":)", ":("),
            ("", "✅"),
            ("", "❌"),
            ("", "?"),
        ],
    },
    Class {
        name: "grades and languages",
        sentences: &[
            "Anna wrote the parser of the shop in {} last year",
            "The whole class got {} for the garden",
        ],
        instead: &[
            ("C", "C++"),
            ("C", "C#"),
            ("C++", "C#"),
            ("F#", "F"),
            ("A+", "A-"),
            ("B", "B+"),
            ("A-", "A"),
            (".NET", "NET"),
            ("J", "J++"),
        ],
    },
    Class {
        name: "units and signs",
        sentences: &[
            "The rent of the shop went up by {} this spring",
            "The new pump takes {} in the morning",
        ],
        instead: &[
            ("50 %", "50"),
            ("50 $", "50 €"),
            ("$50", "€50"),
            ("$50", "50"),
            ("-5", "5"),
            ("+5", "-5"),
            ("±5", "5"),
            ("5°", "5"),
            ("5\"", "5'"),
            ("5 mW", "5 MW"),
            ("5mb", "5MB"),
            ("5 k", "5 K"),
            ("5!", "5"),
            ("5-6", "5/6"),
            ("~5", "5"),
            ("5 m²", "5 m³"),
            ("½", "¼"),
            ("#5", "5"),
        ],
    },
    Class {
        name: "numbers",
        sentences: &[
            "The service listens on port {} of the host",
            "The key is behind plank {} of the shed",
        ],
        instead: &[
            ("8080", "9090"),
            ("1.2", "1.3"),
            ("1,000", "10,00"),
            ("12:30", "13:30"),
            ("2026-01-05", "2026-01-06"),
            ("three", "four"),
            ("3a", "3b"),
            ("v1", "v2"),
            ("0x1F", "0x1E"),
            ("1e5", "1e6"),
            ("IV", "VI"),
        ],
    },
    Class {
        name: "little words",
        sentences: &[
            "Send the plan {} Anna of the board",
            "Anna {} the doctor of the village",
            "The plan is {} the shed behind the house",
        ],
        instead: &[
            ("to", "from"),
            ("to", "of"),
            ("with", "without"),
            ("has", "is"),
            ("is", "was"),
            ("in", "on"),
            ("near", "inside"),
            ("at", "by"),
            ("before", "after"),
            ("and", "or"),
            ("over", "under"),
            ("or", "not"),
        ],
    },
    Class {
        name: "words",
        sentences: &[
            "The lamp in the {} hall stays as it is",
            "Please {} the files of the backup at night",
        ],
        instead: &[
            ("upload", "unload"),
            ("mount", "unmount"),
            ("key", "keys"),
            ("import", "export"),
            ("trail", "trial"),
            ("train", "training"),
            ("Polish", "polish"),
            ("US", "us"),
            ("enable", "disable"),
            ("use", "used"),
            ("", "staging"),
            ("", "spare"),
            ("", "only"),
            ("", "old"),
            ("", "not"),
            ("", "second"),
        ],
    },
    Class {
        name: "clauses",
        sentences: &[
            "The club takes the house by the river{}",
            "We keep the rabbit of the neighbours{}",
        ],
        instead: &[
            ("", ", though it is first"),
            ("", " which is first"),
            ("", " if it rains"),
            ("", " unless Anna objects"),
            ("", " at night"),
            ("", ". Cancelled"),
            ("", ". Or not"),
            ("", ". Not any more"),
            ("", "?"),
            ("", " until spring"),
        ],
    },
    Class {
        name: "code and addresses",
        sentences: &[
            "Start it with `run {} now` on the host",
            "Start the server on the host:\n\n```sh\nrun {}\n```",
            "See https://example.org/{} for the plan of the garden",
        ],
        instead: &[
            ("-a", "-A"),
            ("a b", "b a"),
            ("x", "X"),
            ("--on", "--no"),
            ("a=1", "a==1"),
            ("a/b", "a\\b"),
            ("?q=a", "?q=b"),
            ("a#b", "a#c"),
            ("{a}", "[a]"),
            ("$A", "A"),
            ("a;b", "a&b"),
            ("\"a\"", "'a'"),
        ],
    },
    Class {
        name: "markup that says something",
        sentences: &[
            "{} is how we water the beans of the garden",
            "We water the beans of the garden, {}",
        ],
        instead: &[
            ("~~by hand~~", "by hand"),
            ("f(x)", "f[x]"),
            ("[0, 1)", "[0, 1]"),
            ("2*3*4", "234"),
            ("a_b", "ab"),
            ("$x^2$", "$x_2$"),
            ("[by hand](a.md)", "[by hand](b.md)"),
            ("![a](a.png)", "![a](b.png)"),
            ("[^1]", "[^2]"),
            ("@anna", "anna"),
            ("#water", "water"),
            ("a.b", "a b"),
            ("w/o", "w o"),
            ("\"free\"", "free"),
            ("'free'", "free"),
            ("“by hand”", "by hand"),
        ],
    },
    Class {
        name: "lines",
        sentences: &["Do this in the garden:\n\n{}\n\nThen rest a little."],
        instead: &[
            ("- dig\n- sow\n- water", "- sow\n- dig\n- water"),
            ("1. dig\n2. sow", "1. sow\n2. dig"),
            ("> dig and sow", "dig and sow"),
            ("- 5 points", "+ 5 points"),
            ("3. dig", "4. dig"),
            (
                "| dig | sow |\n|---|---|\n| a | b |",
                "| dig | sow |\n|---|---|\n| b | a |",
            ),
            ("- dig\n\n## Never\n\n- sow", "- dig\n- sow"),
            ("- [ ] dig\n- [x] sow", "- [x] dig\n- [ ] sow"),
            ("1. dig\n2. sow", "- dig\n- sow"),
            ("- dig\n- sow", "- dig\n- sow\n- water"),
            ("- dig\n- sow", "- dig\n  - deep down\n- sow"),
            ("| dig |\n|---|\n| a |", "| dig |\n|---|\n| a |\n| b |"),
            ("| dig |\n|---|\n| a |", "| dig |\n|--:|\n| a |"),
        ],
    },
];

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
    for class in CLASSES {
        for sentence in class.sentences {
            for (before, behind) in AROUND {
                for (a, b) in class.instead {
                    let text = |what| format!("{before}{}{behind}", sentence.replace("{}", what));
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
