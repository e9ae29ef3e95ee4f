//! Quality of `conflicts` on labelled contradictions.
//!
//! The first table covers pairs of texts: precision and recall of the rules, next to the baseline
//! "a negation or a number differs". The threshold is chosen on every other pair (the highest with
//! a recall of .5 on every set of contradictions) and reported on the others and on all; one row
//! uses the built-in threshold. Then each set is left out once: the threshold with the best mean F1
//! on the others, reported on that set.
//!
//! The second table covers lines that their author later replaced: how many of each kind lead to a
//! question.
//!
//! The third table runs the job over vaults: the number of questions, the labelled pairs among them
//! and with the right direction, and the number of questions, best first, until an informed judge
//! finds no more; next to asking about every pair.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use mem::cache::embedding::backfill;
use mem::cache::sync::{self, SyncSource};
use mem::embed::{Embedder as _, embedded};
use mem::finding::question::Answers;
use mem::jobs::conflicts::{ConflictsOptions, compare};
use mem::jobs::find::{Find as _, Findings, Seeds};
use mem::note::words::language::LanguageSetting;
use mem::vault::Vault;
use mem::view::View;
use mem::view::similarity::NoteSimilarity;
use serde_json::Value;

use crate::sets::{json_lines, text};
use crate::support::{AtPath, Outcome, rough};

/// Sets of contradictions on which a threshold must keep a recall of .5.
const SETS_WITH_MIN_RECALL: [&str; 2] = ["SICK", "FEVER"];

/// Paths and texts of notes.
type Notes = Vec<(String, String)>;

/// Labels: any of the newer notes against any of the older ones, by path without extension; the
/// newer first if known.
type Labels = Vec<[Vec<String>; 2]>;

/// A labelled pair of texts: score of the rules, result of the baseline, label.
struct LabelledPair {
    score: f32,
    crude: bool,
    contradicts: bool,
}

/// Returns the tables; empty without the corpora.
pub(crate) fn tables(corpora: &Path) -> Outcome<String> {
    let mut tables = pairs(corpora)?;
    tables.push_str(&revisions(corpora)?);
    tables.push_str(&vaults(corpora)?);
    Ok(tables)
}

fn pairs(corpora: &Path) -> Outcome<String> {
    let mut sets: BTreeMap<String, Vec<LabelledPair>> = BTreeMap::new();
    for name in ["", "_negation", "_conj"] {
        let file = corpora.join(format!("pairs/contradictions{name}.jsonl"));
        for line in json_lines(&file)?.unwrap_or_default() {
            let source = text(&line, "source");
            let set = match name {
                "" => source.split(' ').next().unwrap_or_default(),
                name => name.trim_start_matches('_'),
            };
            let (a, b) = (text(&line, "a"), text(&line, "b"));
            sets.entry(set.to_owned()).or_default().push(LabelledPair {
                score: compare(&a, &b).map_or(0.0, |sign| sign.score),
                crude: baseline_features(&a) != baseline_features(&b),
                contradicts: text(&line, "label") == "contradiction",
            });
        }
    }
    if sets.is_empty() {
        return Ok(String::new());
    }
    let shipped = ConflictsOptions::default().ask;
    let chosen = bound(&sets);
    let mut table = String::from(
        "| contradictions | n | of them | rule | precision | recall |\n|---|---:|---:|---|---:|---:|\n",
    );
    for (set, pairs) in &sets {
        let half = || pairs.iter().skip(1).step_by(2);
        for (rule, figures) in [
            (
                "a negation or a number differs".to_owned(),
                figures(pairs, |pair| pair.crude),
            ),
            (
                format!("{chosen:.2}, the other half"),
                figures(half(), |pair| pair.score >= chosen),
            ),
            (
                format!("{chosen:.2}"),
                figures(pairs, |pair| pair.score >= chosen),
            ),
            (
                format!("{shipped:.2}, shipped"),
                figures(pairs, |pair| pair.score >= shipped),
            ),
        ] {
            let (n, of, precision, recall) = figures;
            let _ = writeln!(
                table,
                "| {set} | {n} | {of} | {rule} | {precision:.3} | {recall:.3} |"
            );
        }
    }
    table.push('\n');
    table.push_str(
        "| left out | bound of the others | precision | recall |\n|---|---:|---:|---:|\n",
    );
    for (set, pairs) in &sets {
        let others = sets.iter().filter(|(other, _)| *other != set);
        let others: Vec<&Vec<LabelledPair>> = others.map(|(_, pairs)| pairs).collect();
        let bound = best(&others);
        let (.., precision, recall) = figures(pairs, |pair| pair.score >= bound);
        let _ = writeln!(
            table,
            "| {set} | {bound:.2} | {precision:.3} | {recall:.3} |"
        );
    }
    table.push('\n');
    Ok(table)
}

/// Returns the threshold with the best mean F1 on these sets.
fn best(sets: &[&Vec<LabelledPair>]) -> f32 {
    let mean = |bound: f32| {
        let each = sets.iter().map(|pairs| {
            let (.., precision, recall) = figures(*pairs, |pair| pair.score >= bound);
            2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE)
        });
        each.sum::<f64>()
    };
    let bounds = (1..=20_u8).map(|step| f32::from(step) / 20.0);
    bounds
        .max_by(|a, b| mean(*a).total_cmp(&mean(*b)))
        .unwrap_or_default()
}

/// Returns the highest threshold with a recall of .5 on every other pair of the sets that require
/// it.
fn bound(sets: &BTreeMap<String, Vec<LabelledPair>>) -> f32 {
    let keeps = |bound: &f32| {
        SETS_WITH_MIN_RECALL
            .iter()
            .filter_map(|name| sets.get(*name))
            .all(|pairs| {
                let (.., recall) = figures(pairs.iter().step_by(2), |pair| pair.score >= *bound);
                recall >= 0.5
            })
    };
    let mut bounds = (0..=20_u8).rev().map(|step| f32::from(step) / 20.0);
    bounds.find(keeps).unwrap_or_default()
}

/// Returns the number of pairs and of contradictions, and precision and recall of `says`.
fn figures<'p>(
    pairs: impl IntoIterator<Item = &'p LabelledPair>,
    says: impl Fn(&LabelledPair) -> bool,
) -> (usize, usize, f64, f64) {
    let (mut n, mut of, mut said, mut right) = (0, 0, 0, 0);
    for pair in pairs {
        n += 1;
        of += usize::from(pair.contradicts);
        said += usize::from(says(pair));
        right += usize::from(says(pair) && pair.contradicts);
    }
    let share = |of: usize| right as f64 / of.max(1) as f64;
    (n, of, share(said), share(of))
}

/// Returns the features of the baseline: number of negations, and the numbers.
fn baseline_features(text: &str) -> (usize, BTreeSet<String>) {
    let words: Vec<String> = rough::words(text).collect();
    let negations = words
        .iter()
        .filter(|word| {
            matches!(
                word.as_str(),
                "not" | "no" | "never" | "nobody" | "none" | "nothing" | "without"
            ) || word.ends_with("n't")
        })
        .count();
    let numbers = words
        .into_iter()
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
    (negations, numbers.collect())
}

fn revisions(corpora: &Path) -> Outcome<String> {
    let Some(lines) = json_lines(&corpora.join("pairs/revisions.jsonl"))? else {
        return Ok(String::new());
    };
    let ask = ConflictsOptions::default().ask;
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in lines {
        let sign = compare(&text(&line, "a"), &text(&line, "b"));
        let kind = kinds.entry(text(&line, "kind_guess")).or_default();
        kind.0 += 1;
        kind.1 += usize::from(sign.is_some_and(|sign| sign.score >= ask));
    }
    let mut table = String::from("| revisions | n | asked about |\n|---|---:|---:|\n");
    for (kind, (n, asked)) in kinds {
        let _ = writeln!(table, "| {kind} | {n} | {asked} |");
    }
    table.push('\n');
    Ok(table)
}

fn vaults(corpora: &Path) -> Outcome<String> {
    let mut table = String::from(
        "| vault | notes | every pair | questions | certain | labelled | found | right way | questions until all that are found |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let empty = table.len();
    let folder = corpora.join("memorybench");
    if let Some(lines) = json_lines(&folder.join("supersessions.jsonl"))? {
        let labels = lines.iter().map(|line| {
            let path = |key| vec![format!("{}/{}", text(line, "user"), text(line, key))];
            [path("new_id"), path("old_id")]
        });
        let notes = notes_below(&folder.join("vault"))?;
        table.push_str(&row("memorybench", &notes, &labels.collect(), true)?);
    }
    let file = corpora.join("pairs/contradictions.jsonl");
    if let Some(lines) = json_lines(&file)? {
        let (notes, labels) = claims(&lines);
        table.push_str(&row("FEVER claims and evidence", &notes, &labels, false)?);
    }
    let folder = corpora.join("beam");
    if folder.is_dir() {
        let notes = notes_below(&folder.join("vault"))?;
        for kind in ["updates", "contradictions"] {
            let labels = chats(&folder.join(format!("{kind}.jsonl")), &notes)?;
            table.push_str(&row(
                &format!("BEAM, {kind}"),
                &notes,
                &labels,
                kind == "updates",
            )?);
        }
    }
    Ok(if table.len() == empty {
        String::new()
    } else {
        table
    })
}

/// Returns the labelled messages of chats.
fn chats(file: &Path, notes: &Notes) -> Outcome<Labels> {
    let id = |note: &str| {
        let line = note.lines().find(|line| line.starts_with("id: "));
        line.map(|line| line["id: ".len()..].to_owned())
    };
    let paths: BTreeMap<String, &str> = notes
        .iter()
        .filter_map(|(path, note)| Some((id(note)?, path.trim_end_matches(".md"))))
        .collect();
    let lines = json_lines(file)?.unwrap_or_default();
    let of = |line: &Value, side: &str| -> Vec<String> {
        let ids = line[side].as_array().into_iter().flatten();
        let ids = ids.filter_map(Value::as_str);
        ids.filter_map(|id| Some((*paths.get(id)?).to_owned()))
            .collect()
    };
    let labels = lines
        .iter()
        .map(|line| ["newer", "older"].map(|side| of(line, side)));
    Ok(labels.collect())
}

/// Returns a vault with one sentence per note, and the contradictions between them.
fn claims(lines: &[Value]) -> (Notes, Labels) {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut labels = Vec::new();
    for line in lines
        .iter()
        .filter(|line| text(line, "source").starts_with("FEVER"))
    {
        let [a, b] = ["a", "b"].map(|side| {
            let name = format!("n{:04}", names.len());
            names.entry(text(line, side)).or_insert(name).clone()
        });
        if text(line, "label") == "contradiction" {
            labels.push([vec![a], vec![b]]);
        }
    }
    let notes = names
        .into_iter()
        .map(|(text, name)| (format!("{name}.md"), text));
    (notes.collect(), labels)
}

/// Returns the notes below a folder, by relative path.
fn notes_below(folder: &Path) -> Outcome<Notes> {
    let mut notes = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(within) = folders.pop() {
        for entry in fs::read_dir(&within).at(&within)? {
            let path = entry.at(&within)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let name = path.strip_prefix(folder)?.display().to_string();
                notes.push((name, fs::read_to_string(&path).at(&path)?));
            }
        }
    }
    notes.sort_unstable();
    Ok(notes)
}

/// Runs the job over a vault of `notes`; if `ordered`, the newer of `labels` comes first.
fn row(name: &str, notes: &[(String, String)], labels: &Labels, ordered: bool) -> Outcome<String> {
    let folder = tempfile::tempdir()?;
    let findings = look(folder.path(), notes)?;
    let (mut found, mut right) = (HashSet::new(), HashSet::new());
    let mut last = 0;
    for (rank, finding) in findings.found.iter().enumerate() {
        let [a, b] = [0, 1].map(|at: usize| finding.notes[at].as_str().trim_end_matches(".md"));
        for (label, [newer, older]) in labels.iter().enumerate() {
            let has = |notes: &[String], path: &str| notes.iter().any(|note| note == path);
            let straight = has(newer, a) && has(older, b);
            if straight || has(newer, b) && has(older, a) {
                if found.insert(label) {
                    last = rank + 1;
                }
                if straight {
                    right.insert(label);
                }
            }
        }
    }
    let (found, right) = (found.len(), right.len());
    let certain = findings
        .found
        .iter()
        .filter(|finding| finding.certain)
        .count();
    let right = if ordered {
        right.to_string()
    } else {
        "-".to_owned()
    };
    Ok(format!(
        "| {name} | {} | {} | {} | {certain} | {} | {found} | {right} | {last} |\n",
        notes.len(),
        notes.len() * notes.len().saturating_sub(1) / 2,
        findings.found.len(),
        labels.len(),
    ))
}

fn look(folder: &Path, notes: &[(String, String)]) -> Outcome<Findings> {
    let (root, home): (PathBuf, PathBuf) = (folder.join("vault"), folder.join("cache"));
    fs::create_dir_all(root.join(".mem")).at(&root)?;
    fs::create_dir_all(&home).at(&home)?;
    for (name, text) in notes {
        let path = root.join(name);
        let parent = path.parent().unwrap_or(&root);
        fs::create_dir_all(parent).at(parent)?;
        fs::write(&path, text).at(&path)?;
    }
    let vault = Vault::open(&root)?;
    let source = SyncSource::quiet(&vault, Some(embedded()));
    let (cache, _) = sync::rebuild(source, &home, 1, LanguageSetting::Auto)?;
    backfill::backfill(&vault, &cache, embedded(), None)?;
    let reading = cache.read()?;
    let model = embedded().model();
    let vectors = cache.vectors_of(&reading.meta()?, &model.id)?;
    let near = vectors.map(|vectors| NoteSimilarity::new(vectors, model.thresholds, 1));
    let view = View::new(&vault, reading, jiff::Zoned::now()).with_near(near);
    Ok(ConflictsOptions::default().find(&view, &Answers::default(), &Seeds::All)?)
}
