//! The language of the program and its manuals: no phrase of `phrases.txt`, and no type whose name is a
//! pronoun, a question word or a bare participle of the list below. See "Language" in CONTRIBUTING.md.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Type names that say nothing in an import or a stack trace.
const VAGUE_NAMES: &str = "How What Who Where Which When Why Whose Itself Other Same Each Such Told Asked Written \
    Seen Known Given Taken Gone Made Kept Held Left Sought Slept Said Done";

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

#[test]
fn type_names_are_nouns() {
    let declaration =
        Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type) (\w+)").unwrap();
    let vague: Vec<&str> = VAGUE_NAMES.split_whitespace().collect();
    let mut found = Vec::new();
    for path in files("src", ".rs") {
        for name in declaration.captures_iter(&program(&path)) {
            let name = &name[1];
            if vague.contains(&name) {
                found.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
