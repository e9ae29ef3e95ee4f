//! Quality of `dedupe` on labelled pairs, and the effect of its questions with an informed judge.
//!
//! * single pairs (`pairs/duplicates`, statements; `pairs/note_versions`, whole notes): certain
//!   findings, and certain or asked ones by threshold. The pairs are also split into halves by
//!   number, because thresholds were chosen on them. Certain findings on `pairs/contradictions*`
//!   are reported, too: only entailed pairs may be certain;
//! * all texts of `pairs/duplicates` as one vault: the job runs, a judge answers each question from
//!   the labels, and the job runs again until no new question appears. Certain findings count
//!   without a question. For comparison: asking about every pair, and about every pair above a
//!   cosine.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use mem::cache::sync::{self, SyncSource};
use mem::embed::{Embedder as _, embedded};
use mem::finding::question::{Answer, Answers, QuestionKey, QuestionKind};
use mem::jobs::dedupe::DedupeOptions;
use mem::jobs::dedupe::similarity::{NoteFeatures, NoteFields, SimilarityVerdict};
use mem::jobs::find::{Find as _, Seeds};
use mem::note::words::hash::normal_hash;
use mem::note::words::language::LanguageSetting;
use mem::note::{self, TitleSource};
use mem::vault::Vault;
use mem::view::View;
use mem::view::similarity::NoteSimilarity;
use serde_json::Value;

use crate::methods::teacher::cosine;
use crate::sets::{json_lines, text};
use crate::support::{AtPath, Outcome};

/// Thresholds of questions in the table.
const ASK: [f64; 6] = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75];

/// Cosine above which Ormah asks its model about a pair.
const ORMAH: f64 = 0.25;

/// Returns the tables; empty without the corpus.
pub(crate) fn tables(corpora: &Path, scratch: &Path) -> Outcome<String> {
    let mut tables = String::new();
    let certain = |verdict| matches!(verdict, SimilarityVerdict::Certain(_));
    for name in ["duplicates", "note_versions"] {
        let file = corpora.join("pairs").join(format!("{name}.jsonl"));
        let Some(lines) = json_lines(&file)? else {
            continue;
        };
        let pairs: Vec<Pair> = lines.iter().map(Pair::of).collect();
        if tables.is_empty() {
            tables.push_str(
                "| pairs | what | precision | recall | right | wrong |\n|---|---|---:|---:|---:|---:|\n",
            );
        }
        let halves = [
            (name.to_owned(), 0, 1),
            (format!("{name}, even"), 0, 2),
            (format!("{name}, odd"), 1, 2),
        ];
        for (name, first, step) in halves {
            let some: Vec<&Pair> = pairs.iter().skip(first).step_by(step).collect();
            row(
                &mut tables,
                &name,
                "certain",
                &some,
                &DedupeOptions::default(),
                certain,
            );
            for ask in ASK {
                let options = DedupeOptions {
                    ask,
                    ..DedupeOptions::default()
                };
                let what = format!("certain or asked from {ask}");
                row(&mut tables, &name, &what, &some, &options, |verdict| {
                    verdict != SimilarityVerdict::Different
                });
            }
        }
    }
    for name in ["", "_negation", "_conj"] {
        let file = corpora.join(format!("pairs/contradictions{name}.jsonl"));
        let lines = json_lines(&file)?.unwrap_or_default();
        let pairs: Vec<Pair> = lines.iter().map(Pair::of).collect();
        let (name, all) = (
            format!("contradictions{name}"),
            pairs.iter().collect::<Vec<_>>(),
        );
        row(
            &mut tables,
            &name,
            "certain",
            &all,
            &DedupeOptions::default(),
            certain,
        );
    }
    let file = corpora.join("pairs/duplicates.jsonl");
    if let Some(lines) = json_lines(&file)? {
        tables.push('\n');
        tables.push_str(&queue(&lines, scratch)?);
    }
    Ok(tables)
}

/// A labelled pair.
struct Pair {
    a: NoteFeatures,
    b: NoteFeatures,
    cosine: f64,
    is_same: bool,
}

impl Pair {
    fn of(line: &Value) -> Self {
        let vector = |side| embedded().embed_one(&text(line, side));
        Self {
            a: likeness(&text(line, "a"), &stem(line, "old_path")),
            b: likeness(&text(line, "b"), &stem(line, "path")),
            cosine: cosine(&vector("a"), &vector("b")),
            is_same: is_same(line),
        }
    }
}

fn is_same(line: &Value) -> bool {
    matches!(
        text(line, "label").as_str(),
        "duplicate" | "same_note" | "entailment"
    )
}

fn stem(line: &Value, field: &str) -> String {
    let path = text(line, field);
    let stem = Path::new(&path).file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn likeness(text: &str, stem: &str) -> NoteFeatures {
    let note = note::read(text, stem);
    let title = (note.title_from != TitleSource::Stem).then_some(note.title.as_str());
    NoteFeatures::of(NoteFields {
        title,
        is_heading: note.title_from == TitleSource::Heading,
        title_hash: title.map_or(0, normal_hash),
        stem,
        properties: Some(&note.properties),
        keep: false,
        written: None,
        stated: 0,
        is_template: false,
        body: &text[note.body.clone()],
    })
}

fn row(
    table: &mut String,
    name: &str,
    what: &str,
    pairs: &[&Pair],
    options: &DedupeOptions,
    counts: impl Fn(SimilarityVerdict) -> bool,
) {
    let taken = pairs.iter().copied().filter(|pair| {
        let cosine = Some(pair.cosine as f32);
        counts(pair.a.judge(&pair.b, cosine, options))
    });
    let (right, wrong): (Vec<&Pair>, Vec<&Pair>) = taken.partition(|pair| pair.is_same);
    let (right, wrong) = (right.len(), wrong.len());
    let all = pairs.iter().filter(|pair| pair.is_same).count();
    let _ = writeln!(
        table,
        "| {name} | {what} | {:.3} | {:.3} | {right} | {wrong} |",
        right as f64 / (right + wrong).max(1) as f64,
        right as f64 / all.max(1) as f64,
    );
}

/// Returns the table of the informed judge.
fn queue(lines: &[Value], scratch: &Path) -> Outcome<String> {
    let root = scratch.join("duplicates");
    fs::create_dir_all(root.join(".mem")).at(&root)?;
    let mut notes: BTreeMap<String, usize> = BTreeMap::new();
    for side in ["a", "b"] {
        for line in lines {
            let count = notes.len();
            notes.entry(text(line, side)).or_insert(count);
        }
    }
    for (text, number) in &notes {
        let file = root.join(format!("note {number}.md"));
        fs::write(&file, text).at(&file)?;
    }
    let pairs: Vec<(usize, usize, bool)> = lines
        .iter()
        .map(|line| {
            (
                notes[&text(line, "a")],
                notes[&text(line, "b")],
                is_same(line),
            )
        })
        .collect();
    let vault = Vault::open(&root)?;
    let home = scratch.join("duplicates cache");
    fs::create_dir(&home).at(&home)?;
    let source = SyncSource::quiet(&vault, Some(embedded()));
    let (cache, _) = sync::rebuild(source, &home, 1, LanguageSetting::Auto)?;
    let reading = cache.read()?;
    let model = embedded().model();
    let near = cache
        .vectors_of(&reading.meta()?, &model.id)?
        .map(|vectors| NoteSimilarity::new(vectors, model.thresholds, 1));
    let view = View::new(&vault, reading, "2026-01-01T00:00[UTC]".parse()?).with_near(near);

    let mut labelled = UnionFind::default();
    for (a, b, is_same) in &pairs {
        if *is_same {
            labelled.join(*a, *b);
        }
    }
    let wanted: Vec<_> = pairs
        .iter()
        .filter(|(a, b, same)| *same && a != b)
        .collect();
    let distinct: Vec<_> = pairs.iter().filter(|(.., same)| !same).collect();
    let mut table = String::from(
        "| a vault of all texts | questions | answered \"yes\" | recall | pairs labelled distinct that became one |\n\
         |---|---:|---:|---:|---:|\n",
    );
    let mut judged = InformedJudge::default();
    let mut round = 0;
    loop {
        let before = (judged.asked, judged.merged);
        judged.run_job(&view, &labelled)?;
        if (judged.asked, judged.merged) == before {
            break;
        }
        round += 1;
        let joined = &judged.joined;
        let found = wanted
            .iter()
            .filter(|(a, b, _)| joined.root(*a) == joined.root(*b));
        let found = found.count();
        let wrong = distinct
            .iter()
            .filter(|(a, b, _)| joined.root(*a) == joined.root(*b));
        let wrong = wrong.count();
        let _ = writeln!(
            table,
            "| after look {round}, {} merged unasked | {} | {} | {:.3} | {wrong} |",
            judged.merged,
            judged.asked,
            judged.agreed,
            found as f64 / wanted.len().max(1) as f64,
        );
    }
    let every = notes.len() * (notes.len() - 1) / 2;
    let _ = writeln!(table, "| every pair | {every} | | 1.000 | |");
    let vectors: Vec<_> = notes
        .keys()
        .map(|text| embedded().embed_one(text))
        .collect();
    let mut above = 0;
    for (at, a) in vectors.iter().enumerate() {
        let others = vectors[at + 1..].iter();
        above += others.filter(|b| cosine(a, *b) >= ORMAH).count();
    }
    let numbers: HashMap<usize, usize> =
        notes.values().enumerate().map(|(at, n)| (*n, at)).collect();
    let reached = wanted
        .iter()
        .filter(|(a, b, _)| cosine(&vectors[numbers[a]], &vectors[numbers[b]]) >= ORMAH);
    let _ = writeln!(
        table,
        "| every pair of cosine ≥ {ORMAH} | {above} | | {:.3} | |",
        reached.count() as f64 / wanted.len().max(1) as f64
    );
    Ok(table)
}

/// State of the informed judge.
#[derive(Default)]
struct InformedJudge {
    answers: Answers,
    joined: UnionFind,
    asked: usize,
    agreed: usize,
    merged: usize,
}

impl InformedJudge {
    /// Runs the job once and answers its questions.
    ///
    /// Notes are not merged, to keep the labelled texts. Each pair is answered so that it does not
    /// return, and pairs already known to be one note do not count as asked.
    fn run_job(&mut self, view: &View<'_>, labelled: &UnionFind) -> Outcome<()> {
        let findings = DedupeOptions::default().find(view, &self.answers, &Seeds::All)?;
        for finding in findings.found {
            self.answers.insert(finding.key, Answer::No);
            let mut meanings = Vec::new();
            let mut notes = Vec::new();
            for path in &finding.notes {
                let entry = view.at(path)?.ok_or("a note is gone")?;
                meanings.push(view.content_key(&entry)?);
                let number = path.stem().strip_prefix("note ").unwrap_or_default();
                notes.push(number.parse::<usize>()?);
            }
            for (at, note) in notes.iter().enumerate().skip(1) {
                let pair = [meanings[0], meanings[at]];
                self.answers
                    .insert(QuestionKey::new(QuestionKind::Merge, &pair), Answer::No);
                if self.joined.root(notes[0]) == self.joined.root(*note) {
                    continue;
                }
                if finding.certain {
                    self.merged += 1;
                    self.joined.join(notes[0], *note);
                } else {
                    self.asked += 1;
                    if labelled.root(notes[0]) == labelled.root(*note) {
                        self.agreed += 1;
                        self.joined.join(notes[0], *note);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Union-find of notes that are one.
#[derive(Default)]
struct UnionFind(HashMap<usize, usize>);

impl UnionFind {
    fn root(&self, mut at: usize) -> usize {
        while let Some(next) = self.0.get(&at) {
            at = *next;
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.0.insert(a.max(b), a.min(b));
        }
    }
}
