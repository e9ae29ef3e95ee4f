//! Front matter of every kind: parsing, and edits that can be reverted.
//!
//! The notes are those of `fixtures/frontmatter`: the YAML test suite, files of public
//! repositories, and tricky ones of our own. `cargo bench --bench roundtrip` runs the same edits
//! over any notes.

use std::collections::BTreeSet;
use std::fs;

use expect_test::expect;
use mem::note;
use mem::note::front_matter::matter;
use mem::note::front_matter::split::split;
use serde_json::Value;

use crate::support::records::Show;
use crate::support::roundtrip::{Tallies, try_all};
use crate::support::{TestVault, project};

fn lines(name: &str) -> Vec<Value> {
    let path = project().join("fixtures/frontmatter").join(name);
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn text<'a>(line: &'a Value, field: &str) -> &'a str {
    line[field].as_str().unwrap()
}

#[test]
fn yaml_suite_is_parsed_correctly() {
    let (mut maps, mut refused) = (0, 0);
    for case in lines("yaml_suite.jsonl") {
        let read = note::read(text(&case, "note"), "stem");
        if case["expect"] == "map" {
            assert_eq!(read.problem, None, "{case}");
            let parsed = matter::parse(text(&case, "yaml")).map(Value::Object);
            assert_eq!(parsed.as_ref(), Ok(&case["json"]), "{case}");
            // One case ends without a line ending, which the note's fence needs.
            if text(&case, "yaml").ends_with('\n') || case["id"] == "96NN-1" {
                assert_eq!(Value::Object(read.properties), case["json"], "{case}");
            }
            maps += 1;
        } else {
            assert!(read.problem.is_some(), "{case}");
            refused += 1;
        }
    }
    assert_eq!((maps, refused), (54, 18));
}

#[test]
fn only_invalid_front_matter_is_refused() {
    let mut problems = Vec::new();
    for name in ["real.jsonl", "tricky.jsonl"] {
        for line in lines(name) {
            if let Some(problem) = matter::problem(text(&line, "note")) {
                let from = line["source"].as_str().or(line["id"].as_str()).unwrap();
                let from = from.rsplit(['/', ':']).next().unwrap();
                problems.push(format!("{from}: {problem}"));
            }
        }
    }
    let expected = "
all.yaml: front matter line 1: the block is never closed
autodetect-coffee-fn.md: front matter line 1: code is not read, only YAML, TOML and JSON
autodetect-coffee.md: front matter line 1: code is not read, only YAML, TOML and JSON
autodetect-coffeescript.md: front matter line 1: code is not read, only YAML, TOML and JSON
autodetect-cson-fn.md: front matter line 1: code is not read, only YAML, TOML and JSON
autodetect-cson.md: front matter line 1: code is not read, only YAML, TOML and JSON
autodetect-javascript.md: front matter line 1: code is not read, only YAML, TOML and JSON
lang-coffee-bad.md: front matter line 1: code is not read, only YAML, TOML and JSON
lang-javascript-fn.md: front matter line 2: not a list of `key: value` lines
lang-javascript-object-fn.md: front matter line 6: `{` is not closed, or a comma is missing
ForEach-Object.md: front matter line 9: unexpected character: `%'
ForEach-Object.md: front matter line 9: unexpected character: `%'
ForEach-Object.md: front matter line 9: unexpected character: `%'
ForEach-Object.md: front matter line 9: unexpected character: `%'
ForEach-Object.md: front matter line 9: unexpected character: `%'
salvage-toml: front matter line 3: string values must be quoted, expected literal string
salvage-json: front matter line 3: key must be a string
salvage-js: front matter line 1: code is not read, only YAML, TOML and JSON
salvage-duplicate: front matter line 4: duplicate key `a`
salvage-colon: front matter line 2: a value with `: ` needs quotes, or the indentation is wrong
salvage-at: front matter line 2: unexpected character: `@'
salvage-tab: front matter line 3: tabs disallowed within this context (block indentation)
salvage-nul: front matter line 3: a NUL byte
salvage-bomb: front matter line 4: more than 16 aliases
salvage-deep: front matter line 2: nested more than 64 levels deep
salvage-list: front matter line 2: not a list of `key: value` lines
unclosed: front matter line 1: the block is never closed
";
    assert_eq!(problems.join("\n"), expected.trim());
}

#[test]
fn edits_can_be_reverted() {
    let mut tallies = Tallies::new();
    for case in lines("yaml_suite.jsonl") {
        try_all(text(&case, "id"), text(&case, "note"), &mut tallies);
    }
    // Notes without front matter are equal for an edit.
    let mut bare = 0;
    for line in lines("real.jsonl") {
        bare += usize::from(split(text(&line, "note")).block.is_none());
        if bare > 3 && split(text(&line, "note")).block.is_none() {
            continue;
        }
        try_all(text(&line, "source"), text(&line, "note"), &mut tallies);
    }
    for line in lines("tricky.jsonl") {
        try_all(text(&line, "id"), text(&line, "note"), &mut tallies);
    }
    let (mut refused, mut not_restored) = (BTreeSet::new(), BTreeSet::new());
    for (what, mut tally) in tallies {
        assert_eq!(tally.failed, Vec::<String>::new(), "{what}");
        if what != "unreadable, left alone" {
            tally.refused.remove("TOML has no null");
            refused.extend(tally.refused.into_values().flatten());
        }
        not_restored.extend(tally.not_restored);
    }
    let refused: Vec<_> = refused.iter().map(String::as_str).collect();
    // An alias repeats a value; a section or a dotted key of TOML has no span of its own.
    assert_eq!(
        refused,
        [
            "26DV-0 `top1`",
            "26DV-0 `top2`",
            "2SXE-0 `key`",
            "3GZX-0 `First occurrence`",
            "3GZX-0 `Override anchor`",
            "CUP7-0 `anchored`",
            "E76Z-0 `a`",
            "E76Z-0 `b`",
            "HMQ5-0 `foo`",
            "JS2J-0 `First occurrence`",
            "W5VH-0 `a`",
            "anchors `a`",
            "anchors `c`",
            "anchors `e.roundtrip trial`",
            "anchors `e`",
            "anchors `f.<<.roundtrip trial`",
            "anchors `g`",
            "toml `extra`",
            "toml `people`",
            "toml-crlf `t`",
            "toml-dotted `a.roundtrip trial`",
            "toml-dotted `a`",
            "toml-tables `a`",
            "toml-tables `b`",
        ]
    );
    let not_restored: Vec<_> = not_restored.iter().map(String::as_str).collect();
    assert_eq!(
        not_restored,
        [
            "54T7-0 `roundtrip trial`",
            "5WE3-0 `block key
`",
            "5WE3-0 `explicit key.roundtrip trial.a`",
            "5WE3-0 `explicit key`",
            "652Z-0 `roundtrip trial`",
            "A2M4-0 `a`",
            "EHF6-0 `roundtrip trial`",
            "Q5MG-0 `roundtrip trial`",
            "anchors `d`",
            "anchors `h`",
            "complex-keys `c`",
            "complex-keys `d.roundtrip trial.a`",
            "complex-keys `d`",
            "empty-values `c.roundtrip trial.a`",
            "empty-values `c`",
            "empty-values `d.roundtrip trial.a`",
            "empty-values `d`",
            "empty-values `k.roundtrip trial.a`",
            "empty-values `k`",
            "flow-block `roundtrip trial`",
            "flow-block-lines `roundtrip trial`",
            "flow-empty `roundtrip trial`",
            "jonschlinkert/gray-matter:test/fixtures/autodetect-json.md `roundtrip trial`",
            "jonschlinkert/gray-matter:test/fixtures/lang-json.md `roundtrip trial`",
            "json `none.roundtrip trial.a`",
            "json `none`",
            "json `roundtrip trial`",
            "json-empty `roundtrip trial`",
            "json-fence `roundtrip trial`",
            "json-in-yaml `roundtrip trial`",
            "json-line `roundtrip trial`",
            "obsidian-tasks-group/obsidian-tasks:resources/sample_vaults/Tasks-Demo/Test Data/jason_properties.md `roundtrip trial`",
        ]
    );
}

#[test]
fn every_format_is_searched_listed_and_shown() {
    let vault = TestVault::of([
        (
            "toml.md",
            "+++\ntitle = 'Quince'\ntags = ['fruit']\ndate = 2026-01-05\n+++\nA pome.\n",
        ),
        (
            "json.md",
            "{\n  \"title\": \"Medlar\",\n  \"tags\": [\"fruit\"]\n}\n\nEaten bletted.\n",
        ),
        (
            "yaml.md",
            "---yaml\ntitle: Sloe\ntags: [fruit]\nzip: 01234\n---\nA drupe.\n",
        ),
    ]);
    vault.run(["index"]).raw();
    vault
        .run(["list", "tag:fruit", "-0"])
        .stdout(expect![[r#"
            json.md␀toml.md␀yaml.md␀
            [no newline at the end]
        "#]])
        .code(0);
    for (note, title, body, key, value) in [
        ("toml", "Quince", "A pome.\n", "date", "2026-01-05"),
        ("json", "Medlar", "\nEaten bletted.\n", "title", "Medlar"),
        ("yaml", "Sloe", "A drupe.\n", "zip", "01234"),
    ] {
        let show: Show = vault.run(["show", note, "--json"]).json(0);
        assert_eq!((show.title.as_str(), show.body.as_str()), (title, body));
        assert_eq!(show.properties[key], value);
        assert_eq!(show.problem, None);
    }
}
