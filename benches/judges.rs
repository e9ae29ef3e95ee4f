//! Value of a good judge and cost of a bad one: `mem judge` with simulated judges that err.
//!
//! ```text
//! cargo bench --bench judges -- CORPORA [--mem PATH] [--only SET]
//! ```
//!
//! The texts of each labelled set are notes of their own vault. `sleep.apply` is `all`, so every
//! yes is applied. The judge is this bench as a command: it reads a question, looks up the labels
//! and errs in a share of its answers. A hash of question and seed decides, so it errs
//! consistently. `mem judge` runs until no question is left (merges change notes and lead to
//! another round), then once more, and again after an edit of five notes.
//!
//! * asked: questions that were answered; calls: calls of the judge;
//! * right, wrong: recorded answers of `yes` or a relation that agree with the labels, and others;
//! * precision: share of right ones; recall: share of the labelled pairs that were found;
//! * again: calls of the additional run, which must be 0, and after the edit of five notes.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use support::flags::{self, Flags};
use support::process::Mem;
use support::{AtPath, Outcome};

const USAGE: &str = "cargo bench --bench judges -- CORPORA [--mem PATH] [--only SET]";

/// Percentage of wrong answers, and number of judges that must agree.
const JUDGES: [(u64, usize); 6] = [(0, 1), (10, 1), (30, 1), (0, 2), (10, 2), (30, 2)];

/// Label of a pair of notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    /// The notes are equivalent.
    Same,
    /// The first replaced the second.
    Newer,
    Contradicts,
}

/// Notes and the labels of pairs of their names.
struct Set {
    name: &'static str,
    kind: &'static str,
    notes: BTreeMap<String, String>,
    labels: BTreeMap<Pair, Label>,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if let (Some("judge"), Some(labels), Some(errs), Some(seed)) = (
        arguments.next().as_deref(),
        arguments.next(),
        arguments.next(),
        arguments.next(),
    ) {
        return match answer(Path::new(&labels), errs.parse().unwrap_or(0), &seed) {
            Ok(answer) => {
                println!("{answer}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    flags::run(USAGE, &["--mem", "--only"], measure)
}

/// Answers the question on stdin, with `errs` percent errors.
fn answer(labels: &Path, errs: u64, seed: &str) -> Outcome<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let asked: Value = serde_json::from_str(&text)?;
    let labels: BTreeMap<String, String> =
        serde_json::from_str(&fs::read_to_string(labels).at(labels)?)?;
    let notes = asked["notes"].as_array().into_iter().flatten();
    let stems: Vec<&str> = notes
        .filter_map(|note| stem(note["path"].as_str()?))
        .collect();
    let of = |a: &str, b: &str| labels.get(&format!("{a}\t{b}")).map(String::as_str);
    let label = |a: &str, b: &str| of(a, b).or_else(|| of(b, a).filter(|label| *label != "newer"));
    let (first, rest) = stems.split_first().ok_or("no notes")?;
    let right = match asked["kind"].as_str() {
        Some("merge") => {
            let is_same = |other: &&&str| label(first, other) == Some("same");
            if rest.iter().all(|other| is_same(&other)) {
                "yes"
            } else {
                "no"
            }
        }
        _ => match (label(first, rest[0]), label(rest[0], first)) {
            (Some("newer"), _) => "evolved_from",
            (_, Some("newer")) => "replaced_by",
            (Some("contradicts"), _) => "contradicts",
            _ => "no",
        },
    };
    let chance = xxh3_64(format!("{} {seed}", asked["id"]).as_bytes()) % 100;
    let wrong = match right {
        "no" => "yes",
        "evolved_from" => "replaced_by",
        "replaced_by" => "evolved_from",
        _ => "no",
    };
    Ok(if chance < errs { wrong } else { right }.to_owned())
}

fn stem(path: &str) -> Option<&str> {
    Path::new(path).file_stem()?.to_str()
}

fn measure(flags: &Flags) -> Outcome<ExitCode> {
    let corpora = flags.path("corpora")?;
    let only = flags.text("--only");
    println!(
        "{}, `{}`\n",
        jiff::Zoned::now().date(),
        flags::command_line("judges")
    );
    println!(
        "| set | labelled | errs | agree | asked | calls | right | wrong | precision | recall | again |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"
    );
    for set in sets(&corpora)? {
        if only.is_some_and(|only| only != set.name) {
            continue;
        }
        for (errs, agree) in JUDGES {
            row(flags, &set, errs, agree)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn row(flags: &Flags, set: &Set, errs: u64, agree: usize) -> Outcome<()> {
    let scratch = tempfile::tempdir()?;
    let vault = scratch.path().join("vault");
    fs::create_dir_all(&vault)?;
    for (name, text) in &set.notes {
        fs::write(vault.join(format!("{name}.md")), text)?;
    }
    let labels = scratch.path().join("labels.json");
    let named = set.labels.iter().map(|((a, b), label)| {
        let label = match label {
            Label::Same => "same",
            Label::Newer => "newer",
            Label::Contradicts => "contradicts",
        };
        (format!("{a}\t{b}"), label)
    });
    fs::write(
        &labels,
        json!(named.collect::<BTreeMap<_, _>>()).to_string(),
    )?;
    let mem = Mem::new(flags, scratch.path())?;
    mem.run(&vault, &["init"])?;
    mem.run(&vault, &["index"])?;
    let this = std::env::current_exe()?;
    let judge = |seed: &str| {
        format!(
            "'{}' judge '{}' {errs} {seed}",
            this.display(),
            labels.display()
        )
    };
    let agree_text = agree.to_string();
    for (key, value) in [
        ("judge.command", judge("1")),
        ("judge.second", judge("2")),
        ("judge.agree", agree_text),
        ("judge.calls", "10000".to_owned()),
        ("judge.calls_per_kind", "10000".to_owned()),
        ("judge.tokens", "1000000000".to_owned()),
        ("sleep.apply", "all".to_owned()),
    ] {
        mem.run(&vault, &["-q", "config", key, &value])?;
    }
    let ask = || -> Outcome<usize> {
        let run = mem.run(&vault, &["-q", "judge", "--kind", set.kind, "--json"])?;
        let report: Value = serde_json::from_slice(&run.output.stdout)?;
        Ok(report["calls"].as_array().map_or(0, Vec::len))
    };
    let mut calls = 0;
    for _ in 0..8 {
        let now = ask()?;
        calls += now;
        if now == 0 {
            break;
        }
    }
    let again = ask()?;
    let (asked, right, wrong) = recorded(&vault, set)?;
    let edited = edit(&vault)?;
    let after = ask()?;
    let found = right.len() as f64 / set.labels.len().max(1) as f64;
    let said = right.len() + wrong;
    let precision = right.len() as f64 / said.max(1) as f64;
    println!(
        "| {} | {} | {errs} % | {agree} | {asked} | {calls} | {} | {wrong} | {precision:.3} | {found:.3} | {again}, {after} after {edited} edits |",
        set.name,
        set.labels.len(),
        right.len(),
    );
    Ok(())
}

type Pair = (String, String);

/// Returns the number of answered questions, the labelled pairs found, and the number of wrong
/// answers.
fn recorded(vault: &Path, set: &Set) -> Outcome<(usize, BTreeSet<Pair>, usize)> {
    let (mut asked, mut right, mut wrong) = (0, BTreeSet::new(), 0);
    for file in files(&vault.join(".mem/journal"), "decisions.jsonl") {
        for line in fs::read_to_string(&file).at(&file)?.lines() {
            let decision: Value = serde_json::from_str(line)?;
            asked += 1;
            let about = decision["about"].as_array().into_iter().flatten();
            let about: Vec<&str> = about.filter_map(|path| stem(path.as_str()?)).collect();
            let Some(answer) = decision["answer"].as_str().filter(|answer| *answer != "no") else {
                continue;
            };
            let says = match answer {
                "contradicts" => Label::Contradicts,
                "yes" if set.kind == "merge" => Label::Same,
                _ => Label::Newer,
            };
            for (at, first) in about.iter().enumerate() {
                for second in &about[at + 1..] {
                    let (first, second) = if answer == "replaced_by" {
                        (second, first)
                    } else {
                        (first, second)
                    };
                    let pair = ((*first).to_owned(), (*second).to_owned());
                    let turned = (pair.1.clone(), pair.0.clone());
                    if set.labels.get(&pair) == Some(&says) {
                        right.insert(pair);
                    } else if says != Label::Newer && set.labels.get(&turned) == Some(&says) {
                        right.insert(turned);
                    } else if set.kind != "merge" || at == 0 {
                        wrong += 1;
                    }
                }
            }
        }
    }
    Ok((asked, right, wrong))
}

/// Adds a sentence to five existing notes.
fn edit(vault: &Path) -> Outcome<usize> {
    let mut notes = files(vault, ".md");
    notes.sort();
    notes.truncate(5);
    for note in &notes {
        let text = fs::read_to_string(note).at(note)?;
        fs::write(note, text + "\nOne sentence more, about a heron.\n").at(note)?;
    }
    Ok(notes.len())
}

fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).into_iter().flatten();
    let files = entries.filter(|entry| entry.path().to_string_lossy().ends_with(end));
    files
        .map(walkdir::DirEntry::into_path)
        .filter(|path| end != ".md" || !path.to_string_lossy().contains("/.mem/"))
        .collect()
}

fn lines(file: &Path) -> Outcome<Vec<Value>> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(file).at(file)?;
    let lines = text.lines().map(|line| Ok(serde_json::from_str(line)?));
    lines.collect()
}

fn sets(corpora: &Path) -> Outcome<Vec<Set>> {
    let mut sets = vec![
        pairs(corpora, "duplicates", "merge", "")?,
        pairs(corpora, "note_versions", "merge", "")?,
        pairs(corpora, "contradictions", "conflict", "FEVER")?,
        pairs(corpora, "contradictions", "conflict", "SICK")?,
        changes(corpora, "memorybench", &["supersessions.jsonl"])?,
        changes(corpora, "beam", &["updates.jsonl", "contradictions.jsonl"])?,
    ];
    sets.retain(|set| !set.notes.is_empty());
    Ok(sets)
}

/// Returns pairs of texts as notes; notes of a possibly contradicting pair share a title.
fn pairs(
    corpora: &Path,
    file: &'static str,
    kind: &'static str,
    source: &'static str,
) -> Outcome<Set> {
    let name = if source.is_empty() { file } else { source };
    let (mut notes, mut labels) = (BTreeMap::new(), BTreeMap::new());
    for line in lines(&corpora.join("pairs").join(format!("{file}.jsonl")))? {
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        if !text("source").starts_with(source) {
            continue;
        }
        // Names with numbers count as a series.
        let hash = xxh3_64(text("id").as_bytes());
        let letters = (0..10).map(|at| char::from(b'a' + (hash >> (at * 6)) as u8 % 26));
        let id: String = letters.collect();
        let (a, b) = (format!("{id} one"), format!("{id} two"));
        let head = match kind {
            "conflict" => format!("---\ntitle: {id}\n---\n"),
            _ => String::new(),
        };
        notes.insert(a.clone(), format!("{head}{}\n", text("a")));
        notes.insert(b.clone(), format!("{head}{}\n", text("b")));
        let label = match text("label").as_str() {
            "duplicate" | "same_note" => Label::Same,
            "contradiction" => Label::Contradicts,
            _ => continue,
        };
        labels.insert((a, b), label);
    }
    Ok(Set {
        name,
        kind,
        notes,
        labels,
    })
}

/// Returns the notes of a vault and the replacements between them.
fn changes(corpora: &Path, name: &'static str, files_of: &[&str]) -> Outcome<Set> {
    let folder = corpora.join(name);
    let (mut notes, mut labels) = (BTreeMap::new(), BTreeMap::new());
    for note in files(&folder.join("vault"), ".md") {
        let text = fs::read_to_string(&note).at(&note)?;
        let id = text.lines().find_map(|line| line.strip_prefix("id: "));
        let id = id.or_else(|| stem(note.to_str()?)).unwrap_or_default();
        notes.insert(id.trim_matches('"').to_owned(), text);
    }
    for file in files_of {
        for line in lines(&folder.join(file))? {
            let ids = |one: &str, many: &str| -> Vec<String> {
                let one = line[one].as_str().into_iter();
                let many = line[many].as_array().into_iter().flatten();
                one.chain(many.filter_map(Value::as_str))
                    .map(str::to_owned)
                    .collect()
            };
            let label = if file.starts_with("contra") {
                Label::Contradicts
            } else {
                Label::Newer
            };
            for newer in ids("new_id", "newer") {
                for older in ids("old_id", "older") {
                    labels.insert((newer.clone(), older), label);
                }
            }
        }
    }
    Ok(Set {
        name,
        kind: "conflict",
        notes,
        labels,
    })
}
