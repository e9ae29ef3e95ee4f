//! The arrows of the map in `src/lib.rs`: who may know whom, read off the `use crate::` lines.

use std::collections::BTreeSet;
use std::fs;

use regex::Regex;

use crate::support::project;

/// Each folder and what it may know; what stands at the top beside the commands knows everybody.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("note", &[]),
    ("finding", &["note"]),
    ("embed", &[]),
    ("vault", &["note"]),
    ("cache", &["note", "embed", "vault"]),
    ("journal", &["note", "finding", "vault"]),
    (
        "view",
        &["note", "finding", "embed", "vault", "cache", "journal"],
    ),
    (
        "recall",
        &[
            "note", "finding", "embed", "vault", "cache", "journal", "view",
        ],
    ),
    (
        "jobs",
        &[
            "note", "finding", "embed", "vault", "cache", "journal", "view",
        ],
    ),
    (
        "change",
        &[
            "note", "finding", "embed", "vault", "cache", "journal", "view", "recall", "jobs",
        ],
    ),
    (
        "run",
        &[
            "session", "error", "note", "finding", "embed", "vault", "cache", "journal", "view",
            "recall", "jobs", "change",
        ],
    ),
];

const TOP: &[&str] = &[
    "commands", "cli", "session", "error", "output", "config", "lib", "main",
];

/// Arrows that point the other way, with the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "run",
    "config",
    "the policy is one of the settings, an enum of three",
)];

#[test]
fn arrows_point_one_way() {
    let names = Regex::new(r"\bcrate::(?:\{([^}]*)\}|(\w+))").unwrap();
    let mut wrong = BTreeSet::new();
    let mut used: BTreeSet<&(&str, &str, &str)> = BTreeSet::new();
    for file in walkdir::WalkDir::new(project().join("src")) {
        let file = file.unwrap();
        if file
            .path()
            .extension()
            .is_none_or(|extension| extension != "rs")
        {
            continue;
        }
        let path = file.path().strip_prefix(project().join("src")).unwrap();
        let folder = path
            .iter()
            .next()
            .unwrap()
            .to_str()
            .unwrap()
            .trim_end_matches(".rs");
        if TOP.contains(&folder) {
            continue;
        }
        let (_, may) = MAY_KNOW
            .iter()
            .find(|(name, _)| *name == folder)
            .unwrap_or_else(|| panic!("src/{folder} has no place on the map"));
        let text = fs::read_to_string(file.path()).unwrap();
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for found in code.flat_map(|line| names.captures_iter(line)) {
            let known = found.get(1).or(found.get(2)).unwrap().as_str().split(',');
            for known in known.map(|name| name.trim().split("::").next().unwrap_or_default()) {
                let exception = EXCEPTIONS
                    .iter()
                    .find(|(from, to, _)| (*from, *to) == (folder, known));
                used.extend(exception);
                if known != folder && !may.contains(&known) && exception.is_none() {
                    wrong.insert(format!("src/{}: {folder} knows {known}", path.display()));
                }
            }
        }
    }
    assert_eq!(wrong, BTreeSet::new());
    let unused: Vec<_> = EXCEPTIONS
        .iter()
        .filter(|exception| !used.contains(exception))
        .collect();
    assert!(unused.is_empty(), "no longer needed: {unused:?}");
}

/// Below the commands nobody prints, and only the front of the program knows its arguments.
#[test]
fn only_the_top_knows_the_terminal() {
    let banned = Regex::new(r"\b(?:println|eprintln|print|eprint)!|\bstd::(?:io::std(?:out|err)|env::args)|\bio::std(?:out|err)\(").unwrap();
    for (folder, _) in MAY_KNOW {
        for file in walkdir::WalkDir::new(project().join("src").join(folder)) {
            let file = file.unwrap();
            if file.file_type().is_file() {
                let text = fs::read_to_string(file.path()).unwrap();
                let found = banned.find(&text).map(|found| found.as_str());
                assert_eq!(found, None, "{}", file.path().display());
            }
        }
    }
}
