//! The language of the program and its manuals: no phrase of `phrases.txt`, and no type whose name is one
//! participle, pronoun or question word. See "Language" in CONTRIBUTING.md.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Type names that say nothing in an import or a stack trace: pronouns, question words, irregular participles.
/// Each may also be a noun somewhere, but a longer noun is always clearer.
const VAGUE_NAMES: &str = "How What Who Where Which When Why Whose Itself Other Same Each Such First Last Thing \
    Told Asked Written Seen Known Given Taken Gone Made Kept Held Left Sought Slept Said Done Found Lost Shown \
    Undone Unknown Unseen Hidden Broken Chosen Drawn Built Sent Spent Met Begun Grown Born Worn Fallen Forgotten \
    Frozen Spoken Driven Caught Brought Thought Bought Taught Meant Felt Dealt Stuck Cut Split Put Laid Fed Unread";

/// Single-word type names in `-ed` that are no participles.
const NOUNS_IN_ED: [&str; 4] = ["Bed", "Feed", "Seed", "Speed"];

/// Returns the files below `folder` whose name ends in `ending`.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = walkdir::WalkDir::new(root.join(folder)).into_iter();
    let paths = entries.map(|entry| entry.unwrap().into_path());
    paths
        .filter(|path| path.is_file() && path.to_string_lossy().ends_with(ending))
        .collect()
}

/// Returns the program text of a Rust file: without unit tests, whose notes may be in any language.
fn program(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let is_test =
        path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs");
    if is_test {
        return String::new();
    }
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end].to_owned()
}

#[test]
fn no_phrase_of_the_list_occurs() {
    let phrases = include_str!("plain_english/phrases.txt").lines();
    let phrases: Vec<Regex> = phrases.map(|line| Regex::new(line).unwrap()).collect();
    let mut texts: Vec<(PathBuf, String)> = Vec::new();
    for path in files("src", ".rs") {
        let text = program(&path);
        texts.push((path, text));
    }
    let manuals = [
        files("docs", ".md"),
        files("man", ".1"),
        files("src", "help.txt"),
    ]
    .concat();
    let help = files("src/commands/setup/help", ".txt");
    let readme = [files("README.md", ""), files("CHANGELOG.md", "")].concat();
    for path in [manuals, help, readme].concat() {
        let text = fs::read_to_string(&path).unwrap();
        texts.push((path, text));
    }
    let mut found = Vec::new();
    for (path, text) in &texts {
        for (number, line) in text.lines().enumerate() {
            for phrase in phrases.iter().filter(|phrase| phrase.is_match(line)) {
                found.push(format!(
                    "{}:{}: {phrase}: {line}",
                    path.display(),
                    number + 1
                ));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Returns true for a type name of one word that is a participle, a pronoun or a question word.
fn is_vague(name: &str) -> bool {
    let is_one_word = !name[1..].contains(|letter: char| letter.is_ascii_uppercase());
    let is_participle = is_one_word && name.ends_with("ed") && !NOUNS_IN_ED.contains(&name);
    is_participle || VAGUE_NAMES.split_whitespace().any(|vague| vague == name)
}

#[test]
fn type_names_are_nouns() {
    let names = [
        ("Ranked", true),
        ("Unsynced", true),
        ("Written", true),
        ("Which", true),
        ("RankedHit", false),
        ("Seed", false),
        ("Hit", false),
    ];
    for (name, expected) in names {
        assert_eq!(is_vague(name), expected, "{name}");
    }
    let declaration =
        Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|union|trait|type) (\w+)")
            .unwrap();
    let mut found = Vec::new();
    for path in ["src", "tests", "benches"]
        .map(|folder| files(folder, ".rs"))
        .concat()
    {
        let text = fs::read_to_string(&path).unwrap();
        for name in declaration.captures_iter(&text) {
            if is_vague(&name[1]) {
                found.push(format!("{}: {}", path.display(), &name[1]));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Public type names with a definition in several modules: each `Result` has the error of its module
/// as the default, like `std::io::Result`.
const SHARED_TYPE_NAMES: [&str; 1] = ["Result"];

#[test]
fn public_type_names_are_unique() {
    let declaration =
        Regex::new(r"(?m)^\s*pub(?:\([^)]*\))? (?:struct|enum|union|trait|type) (\w+)").unwrap();
    let mut definitions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files("src", ".rs") {
        for name in declaration.captures_iter(&program(&path)) {
            let places = definitions.entry(name[1].to_owned()).or_default();
            places.push(path.display().to_string());
        }
    }
    definitions
        .retain(|name, places| places.len() > 1 && !SHARED_TYPE_NAMES.contains(&name.as_str()));
    assert!(definitions.is_empty(), "{definitions:#?}");
}
