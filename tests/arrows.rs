//! Checks the map in `src/lib.rs`: permitted imports between folders, and no import cycles between
//! files.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;

use regex::Regex;

use crate::support::imports::{self, Arrows};
use crate::support::project;

/// Each folder and top-level file of `src` in map order, and its permitted imports. An unused
/// permission fails like a missing one.
const ARROWS: &[(&str, &str)] = &[
    ("note", ""),
    ("finding", "note"),
    ("config", ""),
    ("signals", "note config"),
    ("vault", "note"),
    ("http", ""),
    ("embed", "note config http"),
    ("cache", "note config signals vault embed"),
    ("journal", "note finding signals vault"),
    ("view", "note finding signals vault embed cache journal"),
    ("recall", "note config signals embed cache view"),
    (
        "jobs",
        "note finding config signals embed cache view recall",
    ),
    ("change", "note finding signals vault cache journal view"),
    ("error", "note vault embed cache change"),
    ("output", "note change error"),
    (
        "session",
        "note finding config signals vault http embed cache journal view recall change error output",
    ),
    (
        "run",
        "note finding config signals vault http embed cache journal view recall jobs change error output session",
    ),
    (
        "commands",
        "note finding config signals vault embed cache journal view recall jobs change error output session run",
    ),
    ("cli", "config error output session commands"),
    ("lib", "cache error output cli"),
    ("main", ""),
];

/// Modules that may print and read arguments.
const KNOW_THE_TERMINAL: &[&str] = &["output", "session", "commands", "cli", "main"];

/// Returns the part of a path used in the table.
fn top(file: &str) -> &str {
    let top = file.split('/').next().unwrap_or(file);
    top.strip_suffix(".rs").unwrap_or(top)
}

fn each(arrows: &Arrows) -> impl Iterator<Item = (&str, &str)> {
    arrows
        .iter()
        .flat_map(|(from, known)| known.iter().map(|to| (from.as_str(), to.as_str())))
}

#[test]
fn folder_imports_match_the_table() {
    let arrows = imports::arrows();
    // Actual imports between folders, with an example file.
    let mut found: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for (from, to) in each(&arrows).filter(|(from, to)| top(from) != top(to)) {
        found.entry(top(from)).or_default().insert(top(to), from);
    }
    let mut wrong = Vec::new();
    for (folder, knows) in ARROWS {
        let found = found.remove(folder).unwrap_or_default();
        let known: BTreeSet<&str> = knows.split_whitespace().collect();
        if !known.iter().eq(found.keys()) {
            let rows = ARROWS.iter().map(|(name, _)| *name);
            let names: Vec<_> = rows.filter(|name| found.contains_key(name)).collect();
            let names = names.join(" ");
            wrong.push(format!(
                "    (\"{folder}\", \"{names}\"),\n    // {found:?}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "the table should say\n{}", wrong.concat());
    assert_eq!(found, BTreeMap::new(), "not in the table");
}

#[test]
fn imports_point_down_the_map() {
    let height = |name: &str| ARROWS.iter().position(|(folder, _)| *folder == name);
    let known = |(from, knows): &(&'static str, &'static str)| -> Vec<(&str, &str)> {
        knows.split_whitespace().map(|to| (*from, to)).collect()
    };
    let known = ARROWS.iter().flat_map(known);
    let up: BTreeSet<_> = known
        .filter(|(from, to)| height(to) >= height(from))
        .collect();
    assert_eq!(up, BTreeSet::new());
}

#[test]
fn files_have_no_import_cycles() {
    let arrows = imports::arrows();
    let circles = each(&arrows).filter_map(|(from, to)| circle(&arrows, from, to));
    let circles: BTreeSet<_> = circles.map(|files| files.join(" -> ")).collect();
    assert!(circles.is_empty(), "circles: {circles:#?}");
}

/// Returns a shortest import cycle with this edge, starting at its first file by name.
fn circle<'a>(arrows: &'a Arrows, from: &'a str, to: &'a str) -> Option<Vec<&'a str>> {
    let mut before = BTreeMap::from([(to, from)]);
    let mut next = VecDeque::from([to]);
    while let Some(file) = next.pop_front() {
        for known in arrows.get(file).into_iter().flatten() {
            before.entry(known).or_insert_with(|| {
                next.push_back(known);
                file
            });
        }
    }
    let back = |file: &&'a str| before.get(file).copied().filter(|file| *file != from);
    before.get(from)?;
    let mut files: Vec<_> = std::iter::successors(Some(from), back).collect();
    files.reverse();
    let first = (0..files.len()).min_by_key(|at| files[*at])?;
    files.rotate_left(first);
    Some(files)
}

#[test]
fn map_lists_all_modules() {
    let rows = ARROWS.iter().map(|(name, _)| (*name).to_owned());
    let files: BTreeSet<_> = imports::files().map(|file| top(&file).to_owned()).collect();
    assert_eq!(rows.collect::<BTreeSet<_>>(), files, "the table here");
    let map = fs::read_to_string(project().join("src/lib.rs")).unwrap();
    let row = Regex::new(r"(?m)^//! \| \[`(\w+)`\]").unwrap();
    let named = row.captures_iter(&map).map(|row| row[1].to_owned());
    let rows = ARROWS.iter().map(|(name, _)| (*name).to_owned());
    let modules: Vec<_> = rows
        .filter(|name| name != "lib" && name != "main")
        .collect();
    assert_eq!(named.collect::<Vec<_>>(), modules, "the map in src/lib.rs");
}

/// Modules below the commands do not print, and only the front end reads arguments.
#[test]
fn only_the_front_end_uses_the_terminal() {
    let banned = Regex::new(r"\b(?:println|eprintln|print|eprint)!|\bstd::(?:io::std(?:out|err)|env::args)|\bio::std(?:out|err)\(").unwrap();
    for file in imports::files().filter(|file| !KNOW_THE_TERMINAL.contains(&top(file))) {
        let text = fs::read_to_string(project().join("src").join(&file)).unwrap();
        let found = banned.find(&text).map(|found| found.as_str());
        assert_eq!(found, None, "{file}");
    }
}

#[test]
fn only_one_module_prompts() {
    let files = imports::files().filter(|file| {
        let text = fs::read_to_string(project().join("src").join(file)).unwrap();
        text.contains("dialoguer::")
    });
    assert_eq!(files.collect::<Vec<_>>(), ["commands/args/prompt.rs"]);
}
