//! Notes and queries that want to hurt.

use crate::support::TestVault;
use crate::support::records::{List, Search};

const LATIN: &str = "warning: left out `latin-1.md`: it is not UTF-8 text (byte 13)\n";

#[test]
fn hostile_notes_are_taken_in_and_left_alone() {
    let vault = TestVault::from("messy");
    let before = vault.tree();
    vault
        .run(["index"])
        .stdout("30 notes: 30 added\n")
        .stderr(&format!("indexed 30 notes\n{LATIN}"))
        .code(0);
    vault
        .run(["index"])
        .stdout("30 notes, nothing changed\n")
        .stderr(LATIN)
        .code(0);
    vault
        .run(["sleep", "--apply", "all"])
        .stdout(
            "
            index   30 notes, nothing changed
            dedupe  1 pair compared: 0 merged, 0 open questions
            ",
        )
        .stderr(LATIN)
        .code(0);
    before.assert_same(&vault.tree());
}

#[test]
fn what_is_hidden_is_never_found() {
    let vault = TestVault::indexed("messy");
    let hidden = "xylophone";
    assert!(vault.read("ignored/secret.md").contains(hidden));
    let nothing = "no note has any of these words\n";
    vault.run(["search", hidden]).stderr(nothing).code(1);
    vault.run(["search", "xylo*"]).stderr(nothing).code(1);
    let list: List = vault.run(["list", "--json"]).json(0);
    assert_eq!(list.total, 30);
    for note in list.notes {
        assert!(!vault.read(&note.path).contains(hidden), "{}", note.path);
    }
}

#[test]
fn a_note_whose_front_matter_is_none_is_found_and_says_so() {
    let vault = TestVault::indexed("messy");
    let list: List = vault.run(["list", "--json"]).json(0);
    let troubled: Vec<&str> = list
        .notes
        .iter()
        .filter(|note| note.problem.is_some())
        .map(|note| note.path.as_str())
        .collect();
    assert_eq!(
        troubled,
        [
            "bad yaml.md",
            "duplicate keys.md",
            "front matter is a list.md",
            "unclosed front matter.md",
            "yaml tab.md",
        ]
    );
}

#[test]
fn no_query_is_an_error() {
    let vault = TestVault::indexed("sample");
    let parentheses = "(".repeat(10_000);
    let nested = format!("{}tea{}", "(".repeat(5_000), ")".repeat(5_000));
    let words = "tea ".repeat(5_000);
    let long = "x".repeat(100_000);
    let control: String = ('\u{1}'..='\u{1f}').collect();
    let wide = "\u{10ffff}\u{200b}\u{202e}é\u{301}".repeat(50);
    for query in [
        "\"",
        "(((",
        ")))",
        "()",
        "foo:",
        ":",
        ":tea",
        "-",
        "--",
        "-tag:tea",
        "***",
        "*",
        "a OR",
        "OR",
        "OR OR",
        "AND NOT tea",
        "NOT",
        "-(",
        "\"\"",
        "tag:",
        "tag:\"",
        "tag:()",
        "created:>",
        "created:>>2026",
        "length:>",
        "is:",
        "has:",
        "tea~2",
        "tea^5",
        "[a TO b]",
        "{",
        "\\",
        "\\\"",
        "/(/",
        "a:b:c:d",
        "title:\"a",
        "created:9999999-99-99",
        "length:>99999999999999999999",
        "degree:-1",
        "confidence:nan",
        "created:<-5d",
        "\u{0}"[..0].as_ref(),
        " ",
        "\n",
        &parentheses,
        &nested,
        &words,
        &long,
        &control,
        &wide,
    ] {
        for arguments in [
            &["search", "--json", "--", query],
            &["list", "--json", "--", query],
        ] {
            let outcome = vault.run(arguments).raw();
            let shown: String = query.chars().take(40).collect();
            assert!(matches!(outcome.code, 0 | 1), "`{shown}`: {outcome:?}");
            assert!(
                outcome.stderr.lines().count() <= 4,
                "`{shown}`: {}",
                outcome.stderr
            );
            let record: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
            assert_eq!(outcome.code == 0, record["total"] != 0, "`{shown}`");
        }
    }
}

#[test]
fn words_that_are_no_text_are_no_panic() {
    use std::os::unix::ffi::OsStrExt as _;
    let vault = TestVault::indexed("sample");
    let junk = std::ffi::OsStr::from_bytes(b"\xff\xfe tea \x80");
    for command in ["search", "list", "dedupe"] {
        let outcome = vault.run([std::ffi::OsStr::new(command), junk]).raw();
        assert!(matches!(outcome.code, 0 | 1), "{outcome:?}");
    }
}

#[test]
fn links_and_names_do_not_lead_out_of_the_vault() {
    let vault = TestVault::indexed("sample");
    std::fs::write(vault.home("secret.md"), "The xylophone is outside.\n").unwrap();
    std::os::unix::fs::symlink(vault.home("secret.md"), vault.path("linked.md")).unwrap();
    std::os::unix::fs::symlink(vault.home(""), vault.path("linked")).unwrap();
    vault.write(
        "a.md",
        "[[../../home/secret]] ![[linked/secret.md]] [x](../home/secret.md)\n",
    );
    let outcome = vault.run(["index"]).raw();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    vault
        .run(["search", "xylophone"])
        .stderr("no note has any of these words\n")
        .code(1);
    for name in ["../home/secret.md", "linked/secret.md", "linked/secret"] {
        let outcome = vault.run(["show", name]).raw();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{name}");
    }
    for folder in ["..", "../home", "/tmp", "linked", "tea/../.."] {
        let outcome = vault
            .run(["remember", "A stray note", "--in", folder])
            .raw();
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (2, ""),
            "{folder}: {outcome:?}"
        );
    }
    let home: Vec<_> = std::fs::read_dir(vault.home(""))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(home.len(), 3, "{home:?}");
}

#[test]
fn a_title_cannot_forge_lines() {
    let vault = TestVault::of([(
        "a.md",
        "---\ntitle: \"tea\\nother.md\\tfaked\"\n---\nTea.\n",
    )]);
    vault
        .run(["list"])
        .stdout("a.md\ttea other.md\tfaked\n")
        .code(0);
    let record: Search = vault.run(["search", "--json", "tea"]).json(0);
    assert_eq!(record.hits[0].title, "tea\nother.md\tfaked");
    let outcome = vault.run(["search", "tea"]).raw();
    assert_eq!(outcome.stdout.lines().count(), 2, "{}", outcome.stdout);
}

#[test]
fn a_cache_inside_the_vault_does_not_lie_elsewhere() {
    let vault = TestVault::of([("a.md", "One.\n")]);
    vault.write(".mem/config.toml", "[cache]\ninside = true\n");
    let elsewhere = vault.home("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, vault.path(".mem/cache")).unwrap();
    vault
        .run(["list"])
        .stderr("error: cannot use `$VAULT/.mem/cache`\ncaused by: not a directory\n")
        .code(2);
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}
