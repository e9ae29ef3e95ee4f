use proptest::prelude::*;
use serde_json::json;

use super::*;

fn set(key: &str, value: Value) -> Edit {
    Edit::Set {
        key: key.into(),
        value,
    }
}

fn unset(key: &str) -> Edit {
    Edit::Unset { key: key.into() }
}

fn append(key: &str, value: Value) -> Edit {
    Edit::Append {
        key: key.into(),
        value,
    }
}

/// Replaces the first occurrence of `was` in `text`.
fn replace(text: &str, was: &str, with: &str) -> Edit {
    let start = text.find(was).unwrap();
    Edit::Replace {
        span: start..start + was.len(),
        was: was.to_owned(),
        text: with.to_owned(),
    }
}

/// Applies edits to the front matter `yaml` of a note and returns the result.
fn edited(yaml: &str, edits: &[Edit]) -> Result<String, EditError> {
    let text = apply(&format!("---\n{yaml}---\nbody\n"), edits)?;
    let inner = text
        .strip_prefix("---\n")
        .unwrap()
        .strip_suffix("---\nbody\n")
        .unwrap();
    Ok(inner.to_owned())
}

const MESSY: &str = "\
# first
title:   \"Old\"   # why
tags: [a, 'b']  # list
'quoted key': x
aliases:
- One
- Two # two

# about the map
map:
  x: 1

  y: 2
text: |
  a: b
  # no comment

empty:
folded: plain
  goes on
flow: {
  a: 1
}
nested:
    - a
    - b
    # trailing
last: 1

# end
";

#[test]
fn sets_only_the_value() {
    for (key, value, old, new) in [
        (
            "title",
            json!("no"),
            "title:   \"Old\"   # why",
            "title:   \"no\"   # why",
        ),
        (
            "title",
            json!(null),
            "title:   \"Old\"   # why",
            "title:   # why",
        ),
        (
            "title",
            json!({"a": [1]}),
            "\"Old\"   # why\n",
            "# why\n  a: [1]\n",
        ),
        ("quoted key", json!(1), "'quoted key': x", "'quoted key': 1"),
        ("tags", json!(["[[c]]"]), "[a, 'b']", "[\"[[c]]\"]"),
        (
            "aliases",
            json!(["1", 2]),
            "- One\n- Two # two\n",
            "- \"1\"\n- 2\n",
        ),
        (
            "aliases",
            json!("x"),
            "aliases:\n- One\n- Two # two\n",
            "aliases: x\n",
        ),
        (
            "aliases",
            json!([]),
            "aliases:\n- One\n- Two # two\n",
            "aliases: []\n",
        ),
        ("map", json!({"z": {}}), "  x: 1\n\n  y: 2\n", "  z: {}\n"),
        ("map", json!(1.5), "map:\n  x: 1\n\n  y: 2\n", "map: 1.5\n"),
        (
            "text",
            json!("a\nb"),
            "|\n  a: b\n  # no comment\n",
            "\"a\\nb\"\n",
        ),
        ("empty", json!("x"), "empty:\n", "empty: x\n"),
        ("empty", json!({"k": "v"}), "empty:\n", "empty:\n  k: v\n"),
        ("folded", json!("x"), "plain\n  goes on\n", "x\n"),
        ("flow", json!(["x"]), "{\n  a: 1\n}", "[x]"),
        ("last", json!(2), "last: 1", "last: 2"),
        ("new", json!("x"), "# end\n", "# end\nnew: x\n"),
    ] {
        let expected = MESSY.replace(old, new);
        assert_ne!(expected, MESSY, "{old:?} occurs in the text");
        assert_eq!(edited(MESSY, &[set(key, value)]), Ok(expected), "{key}");
    }
}

#[test]
fn removes_only_the_property() {
    for (key, lines) in [
        ("title", "title:   \"Old\"   # why\n"),
        ("tags", "tags: [a, 'b']  # list\n"),
        ("quoted key", "'quoted key': x\n"),
        ("aliases", "aliases:\n- One\n- Two # two\n"),
        ("map", "map:\n  x: 1\n\n  y: 2\n"),
        ("text", "text: |\n  a: b\n  # no comment\n"),
        ("empty", "empty:\n"),
        ("folded", "folded: plain\n  goes on\n"),
        ("flow", "flow: {\n  a: 1\n}\n"),
        ("nested", "nested:\n    - a\n    - b\n    # trailing\n"),
        ("missing", ""),
    ] {
        assert_eq!(
            edited(MESSY, &[unset(key)]),
            Ok(MESSY.replace(lines, "")),
            "{key}"
        );
    }
}

#[test]
fn appends_in_the_form_of_the_list() {
    for (old, new) in [
        ("k: [a, b] # c\n", "k: [a, b, x] # c\n"),
        ("k: [a, b,]\n", "k: [a, b, x,]\n"),
        ("k: [ 'a' ]\n", "k: [ 'a', x ]\n"),
        (
            "k: [\n  a, # one\n  b # two\n]\n",
            "k: [\n  a, # one\n  b, x # two\n]\n",
        ),
        ("k: []\n", "k: [ x ]\n"),
        ("k:\n", "k:\n  - x\n"),
        ("k: # none yet\n", "k: # none yet\n  - x\n"),
        ("k: ~\n", "k: [x]\n"),
        ("", "k: [x]\n\n"),
        ("# only\n", "# only\nk: [x]\n"),
        ("k:\n- a\n- b # c\nl: 1\n", "k:\n- a\n- b # c\n- x\nl: 1\n"),
        (
            "k:\n  - a\n\n# c\nl: 1\n",
            "k:\n  - a\n  - x\n\n# c\nl: 1\n",
        ),
        (
            "k:\n  - |\n    text\n\nl: 1\n",
            "k:\n  - |\n    text\n  - x\n\nl: 1\n",
        ),
        (
            "k:\n  - a: 1\n    b: 2\n",
            "k:\n  - a: 1\n    b: 2\n  - x\n",
        ),
        ("k: foo\n", "k: [foo, x]\n"),
        ("k: 7 # c\n", "k: [7, x] # c\n"),
    ] {
        assert_eq!(
            edited(old, &[append("k", json!("x"))]),
            Ok(new.to_owned()),
            "{old:?}"
        );
    }
    let respelled = edited(
        "Tags: [a] # b\nALIAS: x\n",
        &[append("tags", json!("c")), append("aliases", json!("z"))],
    );
    assert_eq!(
        respelled,
        Ok("Tags: [a, c] # b\nALIAS: [x, z]\n".to_owned())
    );
    let tags = edited("tags: a, b\n", &[append("tags", json!("c"))]);
    assert_eq!(tags, Ok("tags: [a, b, c]\n".to_owned()));
    let twice = [
        append("k", json!("[[A]]")),
        append("k", json!({"to": "B", "weight": 1})),
    ];
    assert_eq!(
        edited("k:\n- a\n", &twice),
        Ok("k:\n- a\n- \"[[A]]\"\n- to: B\n  weight: 1\n".to_owned())
    );
    let error = EditError::NotAList { key: "k".into() };
    assert_eq!(edited("k: {a: 1}\n", &[append("k", json!(1))]), Err(error));
}

#[test]
fn edits_nested_maps() {
    let path = |text: &str| text.parse::<KeyPath>().unwrap();
    for (yaml, text, expected) in [
        ("# c\n", "a.b.c", "# c\na:\n  b:\n    c: x\n"),
        ("a:\n  a: 1\n", "a.b", "a:\n  a: 1\n  b: x\n"),
        ("z: 1\n", "a.b", "z: 1\na:\n  b: x\n"),
    ] {
        let set = Edit::Set {
            key: path(text),
            value: json!("x"),
        };
        let with = edited(yaml, &[set]);
        assert_eq!(with.as_deref(), Ok(expected), "{yaml:?}");
        let unset = Edit::Unset { key: path(text) };
        assert_eq!(edited(expected, &[unset]).as_deref(), Ok(yaml));
    }
    let set = Edit::Set {
        key: path("a.b.c"),
        value: json!("x"),
    };
    assert_eq!(
        edited("a: {b: 1}\n", &[set]),
        Err(EditError::NotAMap { key: path("a.b") })
    );
}

#[test]
fn makes_and_removes_the_block() {
    for (text, expected) in [
        ("", "---\nk: v\n---\n"),
        ("body", "---\nk: v\n---\nbody"),
        ("\r\nbody\r\n", "---\r\nk: v\r\n---\r\n\r\nbody\r\n"),
        ("\u{feff}# H\n", "\u{feff}---\nk: v\n---\n# H\n"),
        ("\n---\nx\n---\n", "---\nk: v\n---\n\n---\nx\n---\n"),
    ] {
        let with = apply(text, &[set("k", json!("v"))]);
        assert_eq!(with.as_deref(), Ok(expected));
        assert_eq!(apply(expected, &[unset("k")]).as_deref(), Ok(text));
    }
    // Other content between the fences keeps them.
    for (text, expected) in [
        ("---\n# c\nk: v\n---\n", "---\n# c\n---\n"),
        ("---\n\nk: v\n---\n", "---\n\n---\n"),
        ("---\n---\n", "---\n---\n"),
        ("---\r\nk: v\r\n\r\n---\r\n", "---\r\n---\r\n"),
    ] {
        assert_eq!(
            apply(text, &[unset("k")]).as_deref(),
            Ok(expected),
            "{text:?}"
        );
    }
}

#[test]
fn keeps_line_endings_mark_and_end() {
    let text = "\u{feff}---  \r\na: 1\r\nl:\r\n- x\r\n...\r\nbody\r\nno end";
    let edits = [
        set("a", json!({"b": 1})),
        append("l", json!("w")),
        set("m", json!(["z"])),
    ];
    let expected =
        "\u{feff}---  \r\na:\r\n  b: 1\r\nl:\r\n- x\r\n- w\r\nm: [z]\r\n...\r\nbody\r\nno end";
    assert_eq!(apply(text, &edits).as_deref(), Ok(expected));
    // A body may be appended to a note that ends with its fence.
    let text = "---\na: 1\n---";
    let insert = Edit::Replace {
        span: 12..12,
        was: String::new(),
        text: "body".to_owned(),
    };
    assert_eq!(
        apply(text, &[insert]).as_deref(),
        Ok("---\na: 1\n---\nbody")
    );
}

#[test]
fn replaces_spans_of_the_original_text() {
    let text = "---\nrel: [\"[[A]]\", \"[[B]]\"]\nt: x\n---\nsee [[A]] and [[B]]\n";
    let edits = [
        replace(text, "and [[B]]", "or [[Z]]"),
        set("t", json!("longer than it was")),
        replace(text, "see [[A]]", "see"),
        replace(text, "[[B]]", "[[Long Name]]"),
        replace(text, "[[A]]", "[[C]]"),
        append("rel", json!("[[D]]")),
    ];
    let expected = "---\nrel: [\"[[C]]\", \"[[Long Name]]\", \"[[D]]\"]\nt: longer than it was\n---\nsee or [[Z]]\n";
    assert_eq!(apply(text, &edits).as_deref(), Ok(expected));
}

#[test]
fn refuses_invalid_edits() {
    let text = "---\na: \"[[A]]\"\nb: 1\n---\nbody é\n";
    let span = |span: Range<usize>| Edit::Replace {
        was: text.get(span.clone()).unwrap_or_default().to_owned(),
        span,
        text: "x".to_owned(),
    };
    let cases: Vec<(&str, Vec<Edit>, EditError)> = vec![
        (
            "end",
            vec![span(20..99)],
            EditError::NoSuchSpan { span: 20..99 },
        ),
        (
            "character",
            vec![span(30..31)],
            EditError::NoSuchSpan { span: 30..31 },
        ),
        (
            "overlap",
            vec![span(25..28), span(24..26)],
            EditError::SpansOverlap { span: 25..28 },
        ),
        (
            "fence",
            vec![span(2..6)],
            EditError::SpanOnFence { span: 2..6 },
        ),
        (
            "lower fence",
            vec![span(19..22)],
            EditError::SpanOnFence { span: 19..22 },
        ),
        (
            "key",
            vec![span(4..5)],
            EditError::SpanWouldChangeMore { span: 4..5 },
        ),
        (
            "two values",
            vec![span(8..18)],
            EditError::SpanWouldChangeMore { span: 8..18 },
        ),
    ];
    for (name, edits, error) in cases {
        assert_eq!(apply(text, &edits), Err(error), "{name}");
    }
    let differs = Edit::Replace {
        span: 24..28,
        was: "Body".to_owned(),
        text: String::new(),
    };
    assert!(matches!(
        apply(text, &[differs]),
        Err(EditError::TextDiffers { .. })
    ));
    // A value whose text would close the block.
    let closing = replace(text, "1\n", "1\n---\n");
    assert_eq!(apply(text, &[closing]), Err(EditError::WouldMoveBorder));
    let opening = Edit::Replace {
        span: 0..0,
        was: String::new(),
        text: "---\n".to_owned(),
    };
    assert_eq!(
        apply("x\n---\n", &[opening]),
        Err(EditError::WouldMoveBorder)
    );
}

#[test]
fn leaves_unreadable_front_matter_alone() {
    for text in [
        "---\na: b: c\n---\nbody\n",
        "---\na: 1\nbody\n",
        "---\n- a\n---\nbody\n",
    ] {
        for edit in [set("k", json!(1)), unset("a"), append("k", json!(1))] {
            let error = apply(text, &[edit]).unwrap_err();
            assert!(
                matches!(error, EditError::UnreadableMatter(_)),
                "{text:?}: {error}"
            );
        }
        let changed = apply(text, &[replace(text, "body", "BODY")]).unwrap();
        assert_eq!(changed, text.replace("body", "BODY"));
    }
}

#[test]
fn refuses_edits_that_change_another_property() {
    // The alias would change with the value.
    let error = EditError::WouldChangeMore { key: "a".into() };
    assert_eq!(
        edited("a: &x 1\nb: *x\n", &[set("a", json!(2))]),
        Err(error)
    );
    // Exceeds the size limit of front matter.
    let long = set("a", json!("x".repeat(matter::MAX_FRONT_MATTER_BYTES)));
    assert!(matches!(
        edited("a: 1\n", &[long]),
        Err(EditError::WouldChangeMore { .. })
    ));
}

/// Front matter in every common layout.
fn yaml(least: usize) -> impl Strategy<Value = String> {
    let lines = prop::sample::select(vec![
        ": 1",
        ": text # c",
        ": \"q\"",
        ": 'it''s'",
        ":",
        ": [a, b]",
        ": []",
        ":\n- a\n- b",
        ":\n  - a # c\n  # c\n  - b",
        ": |\n  x\n\n  y",
        ": >-\n  x\n",
        ": |+\n  x\n\n",
        ": a\n  b",
        ": {a: 1}",
        ":\n  x: 1\n  y:\n    - z",
        "   :   x   ",
        ": &n x",
        ": !!str 1",
        ":\n  \"x\"",
        ": [\n  a,\n  b\n ]",
        ": \"[[A]]\"",
        ": ~",
        ": é",
        ":\n\n  - a",
    ]);
    let between = prop::sample::select(vec!["", "", "", "\n", "# c\n", "  # c\n", "\n\n"]);
    prop::collection::vec((lines, between), least..6).prop_map(|lines| {
        let mut yaml = String::new();
        for (number, (line, between)) in lines.into_iter().enumerate() {
            yaml.extend(["k", &number.to_string(), line, "\n", between]);
        }
        yaml
    })
}

proptest! {
    #[test]
    fn unset_inverts_set(
        yaml in yaml(0), block: bool, mark: bool, crlf: bool,
        body in prop::sample::select(vec!["", "body", "\nbody\n", "a\n---\nb\n"]),
    ) {
        let mut text = String::new();
        text.push_str(if mark { "\u{feff}" } else { "" });
        if block {
            text.extend(["---\n", &yaml, "---\n"]);
        }
        text.push_str(body);
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let with = apply(&text, &[set("new", json!(["v", {"a": 1}]))]).unwrap();
        prop_assert_eq!(apply(&with, &[unset("new")]), Ok(text));
    }

    #[test]
    fn edits_change_only_the_lines_of_their_property(
        yaml in yaml(1), which in 0_usize..6,
        value in prop::sample::select(vec![
            json!("x"), json!(null), json!(["a", "b: c"]), json!([]), json!({"m": [1]}), json!("a\nb"),
        ]),
    ) {
        let text = format!("---\n{yaml}k6: end\n---\nbody\n");
        let before = matter::parse(&yaml).unwrap();
        let which = which % before.len();
        let key = format!("k{which}");
        // Lines of other properties, comments and blank lines stay unchanged.
        let start = text.find(&key).unwrap();
        let next = (which + 1..=6).find_map(|next| text.find(&format!("k{next}"))).unwrap();
        for edit in [set(&key, value.clone()), unset(&key), append(&key, json!("new"))] {
            match apply(&text, &[edit]) {
                Ok(new) => {
                    prop_assert!(new.starts_with(&text[..start]), "{new}");
                    prop_assert!(new.ends_with(&text[next..]), "{new}");
                }
                Err(EditError::NotAList { .. }) => prop_assert!(before[&key].is_object()),
                // The blank lines below would become part of the text above.
                Err(EditError::WouldChangeMore { .. }) if yaml.contains("|+") => {}
                Err(error) => prop_assert!(false, "{}: {}", error, text),
            }
        }
    }

    #[test]
    fn edits_change_one_property_and_can_be_reverted(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..12),
        braces: bool,
        keys in prop::sample::select(vec!["a", "b", "new", "a.b", "a.new", "m.n.o", "l"]),
        value in prop::sample::select(vec![
            json!("x"), json!("- y: [z"), json!(null), json!(["a", "b: c"]), json!([]),
            json!({"m": [1]}), json!("a\nb"), json!(7),
        ]),
    ) {
        let inner = pieces.concat();
        let text = if braces {
            format!("---\n{{{inner}}}\n---\nbody\n")
        } else {
            format!("---\n{inner}\n---\nbody\n")
        };
        let Ok(before) = matter::properties(&text) else { return Ok(()) };
        let key = keys.parse::<KeyPath>().unwrap();
        let set = Edit::Set { key: key.clone(), value: value.clone() };
        let unset = Edit::Unset { key: key.clone() };
        let append = Edit::Append { key: key.clone(), value: json!("appended") };
        let remove = Edit::Remove { key: key.clone(), value: json!("appended") };
        let known = value_at(&before, key.keys());
        // The parent of a missing key: nothing, or a map, but not a literal `null`.
        let can_set = known.is_none() && before.get(key.top()).is_none_or(Value::is_object);
        for (there, back) in [(set, &unset), (append, &remove)] {
            let Ok(with) = apply(&text, &[there]) else { continue };
            let after = matter::properties(&with).unwrap();
            let others = |properties: &Map<String, Value>| {
                let mut others = properties.clone();
                others.remove(key.top());
                others
            };
            prop_assert_eq!(others(&before), others(&after), "{}", with);
            let Ok(again) = apply(&with, std::slice::from_ref(back)) else { continue };
            if can_set && before.get(key.top()) != Some(&Value::Null) {
                prop_assert_eq!(&again, &text, "with {}", with);
            }
            prop_assert_eq!(others(&before), others(&matter::properties(&again).unwrap()));
        }
    }
}

/// Building blocks of front matter, valid or not.
const PIECES: [&str; 36] = [
    "a: 1\n",
    "a:\n",
    "a: x # c\n",
    "b: [x, y]\n",
    "b:\n  - x\n",
    "b:\n- x # c\n- y\n",
    "a:\n  b: 1\n",
    "a:\n  b:\n    - x\n",
    "  b: 2\n",
    "  - z\n",
    "a: {b: 1, c: [x]}\n",
    "l: []\n",
    "l: [ x ]\n",
    "m: {}\n",
    "m:\n  n: {o: 1}\n",
    "m:\n  n:\n    o: 1\n    p: 2\n",
    "# c\n",
    "  # c\n",
    "\n",
    "  \n",
    "\t\n",
    "t: |\n  x\n\n",
    "t: >+\n  x\n\n",
    "q: \"x\"\n",
    "? k\n: v\n",
    "'a': &x 1\n",
    "b: *x\n",
    "a: !!str 1\n",
    "\"l\": [x,\n  y]\n",
    "a: 1, ",
    "b: [x], ",
    "l: [\n  x,\n  y\n  ], ",
    "\"m\": {n: {o: 1}}, ",
    "c: 007\n",
    "a:\t1\n",
    "\r\n",
];
