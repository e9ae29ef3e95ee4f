//! Quality of cosines of text pairs: sentence similarity and duplicates.
//!
//! * `STS`: Spearman's rank correlation with human scores (`pairs/sts`);
//! * `STS by source`: its mean over the sources;
//! * `duplicates`: probability that a duplicate pair scores above another pair
//!   (`pairs/duplicates`).
//!
//! The columns: word overlap (Jaccard), the model in `mem`, the teacher.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;

use mem::embed::embedded;
use serde_json::Value;

use crate::methods::teacher::{Vectors, cosine};
use crate::sets::{json_lines, text};
use crate::support::{Outcome, rough};

/// A function that scores each line of a file of pairs.
type Score<'s> = Box<dyn Fn(&Value) -> Outcome<f64> + 's>;

/// Returns the table; empty without the corpus.
pub(crate) fn table(corpora: &Path, teacher: Option<&Path>) -> Outcome<String> {
    let mut table = String::new();
    for name in ["sts", "duplicates"] {
        let file = corpora.join("pairs").join(format!("{name}.jsonl"));
        let Some(lines) = json_lines(&file)? else {
            continue;
        };
        if table.is_empty() {
            table.push_str("| pairs | n | method | figure |\n|---|---:|---|---:|\n");
        }
        let vectors = teacher
            .map(|folder| Vectors::read(folder, name))
            .transpose()?;
        let mut methods: Vec<(&str, Score<'_>)> = vec![
            ("words in common", Box::new(|line| Ok(shared(line)))),
            ("mem", Box::new(|line| Ok(embedded_cosine(line)))),
        ];
        if let Some(vectors) = &vectors {
            methods.push(("teacher", Box::new(|line| taught_cosine(vectors, line))));
        }
        for (method, score) in methods {
            let scores = lines.iter().map(score).collect::<Outcome<Vec<f64>>>()?;
            for (figure, value) in figures(name, &lines, &scores) {
                let _ = writeln!(
                    table,
                    "| {figure} | {} | {method} | {value:.3} |",
                    lines.len()
                );
            }
        }
    }
    Ok(table)
}

fn figures(name: &str, lines: &[Value], scores: &[f64]) -> Vec<(&'static str, f64)> {
    if name == "duplicates" {
        let labels = lines.iter().map(|line| text(line, "label") == "duplicate");
        return vec![("duplicates, AUC", auc(&labels.collect::<Vec<_>>(), scores))];
    }
    let wanted: Vec<f64> = lines
        .iter()
        .map(|line| line["score"].as_f64().unwrap_or_default())
        .collect();
    let mut sources: BTreeMap<String, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for ((line, wanted), score) in lines.iter().zip(&wanted).zip(scores) {
        let source = sources.entry(text(line, "source")).or_default();
        source.0.push(*wanted);
        source.1.push(*score);
    }
    let each = sources
        .values()
        .map(|(wanted, found)| spearman(wanted, found));
    let mean = each.sum::<f64>() / sources.len().max(1) as f64;
    vec![
        ("STS, Spearman", spearman(&wanted, scores)),
        ("STS by source, Spearman", mean),
    ]
}

fn shared(line: &Value) -> f64 {
    let words = |side| rough::words(&text(line, side)).collect::<HashSet<String>>();
    let (a, b) = (words("a"), words("b"));
    a.intersection(&b).count() as f64 / a.union(&b).count().max(1) as f64
}

fn embedded_cosine(line: &Value) -> f64 {
    let vector = |side| embedded().embed_one(&text(line, side));
    cosine(&vector("a"), &vector("b"))
}

fn taught_cosine(vectors: &Vectors, line: &Value) -> Outcome<f64> {
    let vector = |side| vectors.of(&format!("{}\t{side}", text(line, "id")));
    Ok(cosine(vector("a")?, vector("b")?))
}

/// Returns the ranks of `values`; ties share their rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    for equal in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        let below = order.partition_point(|&at| values[at] < values[equal[0]]);
        for &at in equal {
            ranks[at] = below as f64 + f64::midpoint(equal.len() as f64, 1.0);
        }
    }
    ranks
}

fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = f64::midpoint(a.len() as f64, 1.0);
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

fn auc(labels: &[bool], scores: &[f64]) -> f64 {
    let ranks = ranks(scores);
    let of_true = ranks.iter().zip(labels).filter(|(_, label)| **label);
    let count = labels.iter().filter(|label| **label).count() as f64;
    let others = labels.len() as f64 - count;
    let sum: f64 = of_true.map(|(rank, _)| rank).sum();
    (sum - count * (count + 1.0) / 2.0) / (count * others)
}
