//! Whether retrievability predicts which notes are edited next.
//!
//! ```text
//! cargo bench --bench history -- HISTORY_DIR [--skip 10]
//! ```
//!
//! `HISTORY_DIR` is as for `replay`. Before each step except the first `--skip`, every note gets a
//! score from its edits so far; the notes that the step edits should rank first. The figures are
//! means over steps: AUC over all notes and over previously edited notes, and the share of edited
//! notes among the ten best (of ten, or of all if fewer are edited). Differences to retrievability
//! have a 95 % bootstrap interval over steps.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::process::ExitCode;

use jiff::Timestamp;
use mem::signals::stability::{StabilityOptions, after_use, retrievability};
use serde::Deserialize;

use support::flags::{self, Flags};
use support::history::Change;
use support::random::Random;
use support::{AtPath, Outcome, rough};

const USAGE: &str = "cargo bench --bench history -- HISTORY_DIR [--skip 10]";

/// A note without edits counts as edited this many days before the first step.
const LONG_AGO: f64 = 1000.0;

#[derive(Deserialize)]
struct Step {
    at: Timestamp,
    changes: Vec<Change>,
}

/// Names of the scores; the last is the reference.
const SCORES: [&str; 6] = [
    "recency",
    "number of edits",
    "edits, half-life 30 days",
    "edits, half-life 14 days",
    "retrievability, page",
    "retrievability, later",
];

fn scores(edits: &[f64], now: f64, page: &StabilityOptions, later: &StabilityOptions) -> [f64; 6] {
    let days = now - edits.last().copied().unwrap_or(-LONG_AGO);
    let decayed = |half_life: f64| -> f64 {
        let edits = edits.iter();
        edits
            .map(|at| (-(now - at) / half_life).exp2())
            .sum::<f64>()
            - days * 1e-9
    };
    let kept = |options: &StabilityOptions| {
        let (mut stability, mut last) = (options.initial, None);
        for at in edits {
            let since = last.map_or(0.0, |last| at - last);
            if last.is_none() || since >= options.pause {
                stability = after_use(stability, since, options);
                last = Some(*at);
            }
        }
        // Values that underflow still need an order.
        let kept = retrievability(days, stability);
        if kept > 0.0 { kept } else { -days / stability }
    };
    [
        -days,
        edits.len() as f64,
        decayed(30.0),
        decayed(14.0),
        kept(page),
        kept(later),
    ]
}

/// Returns how often one of `edited` exceeds one of `others`; a tie counts half.
fn auc(edited: &[f64], others: &[f64]) -> f64 {
    let mut wins = 0.0;
    for one in edited {
        for other in others {
            wins += match one.total_cmp(other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    wins / (edited.len() * others.len()) as f64
}

fn main() -> ExitCode {
    flags::run(USAGE, &["--skip"], measure)
}

fn measure(flags: &Flags) -> Outcome<ExitCode> {
    let folder = flags.path("history folder")?;
    let skip: usize = flags.number("--skip", 10)?;
    let file = folder.join("steps.jsonl");
    let text = fs::read_to_string(&file).at(&file)?;
    let steps: Vec<Step> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let later = StabilityOptions::default();
    let page = StabilityOptions {
        initial: 1.0,
        base: 0.0,
        gain: 1.5,
        damping: 0.0,
        ceiling: 1e6,
        pause: 0.0,
        ..later.clone()
    };
    let mut notes: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for note in rough::read_notes(&folder.join("base"))? {
        notes.insert(note.path, Vec::new());
    }
    let days = |at: Timestamp| (at.as_second() - steps[0].at.as_second()) as f64 / 86_400.0;
    let (mut all, mut before, mut ten) = (Vec::new(), Vec::new(), Vec::new());
    for (number, step) in steps.iter().enumerate() {
        let now = days(step.at);
        let edited: HashSet<&str> = step.changes.iter().filter_map(edited).collect();
        if number >= skip {
            let scored: Vec<_> = notes
                .iter()
                .map(|(path, edits)| {
                    (
                        path.as_str(),
                        !edits.is_empty(),
                        scores(edits, now, &page, &later),
                    )
                })
                .collect();
            all.extend(step_auc(&scored, &edited, false));
            before.extend(step_auc(&scored, &edited, true));
            ten.extend(first_ten(&scored, &edited));
        }
        for change in &step.changes {
            follow(&mut notes, change, now);
        }
    }
    println!(
        "| score | AUC | AUC, edited before | of the ten best | later minus this, edited before |"
    );
    println!("|---|---|---|---|---|");
    let mean = |rows: &[[f64; 6]], at: usize| {
        rows.iter().map(|row| row[at]).sum::<f64>() / rows.len() as f64
    };
    for (at, name) in SCORES.iter().enumerate() {
        let (low, high) = interval(&before, at);
        println!(
            "| {name} | {:.3} | {:.3} | {:.3} | {low:+.3} to {high:+.3} |",
            mean(&all, at),
            mean(&before, at),
            mean(&ten, at)
        );
    }
    println!("\n{} steps, {} notes at the end", all.len(), notes.len());
    Ok(ExitCode::SUCCESS)
}

type ScoredNote<'n> = (&'n str, bool, [f64; 6]);

fn step_auc(
    scored: &[ScoredNote<'_>],
    edited: &HashSet<&str>,
    only_edited_before: bool,
) -> Option<[f64; 6]> {
    let taken = scored
        .iter()
        .filter(|(_, known, _)| *known || !only_edited_before);
    let (positive, negative): (Vec<_>, Vec<_>) =
        taken.partition(|(path, ..)| edited.contains(path));
    if positive.is_empty() || negative.is_empty() {
        return None;
    }
    let column =
        |rows: &[&ScoredNote<'_>], at: usize| rows.iter().map(|row| row.2[at]).collect::<Vec<_>>();
    Some(std::array::from_fn(|at| {
        auc(&column(&positive, at), &column(&negative, at))
    }))
}

fn first_ten(scored: &[ScoredNote<'_>], edited: &HashSet<&str>) -> Option<[f64; 6]> {
    let there = scored
        .iter()
        .filter(|(path, ..)| edited.contains(path))
        .count();
    (there > 0).then(|| {
        std::array::from_fn(|at| {
            let mut best: Vec<&ScoredNote<'_>> = scored.iter().collect();
            best.sort_by(|a, b| b.2[at].total_cmp(&a.2[at]).then_with(|| a.0.cmp(b.0)));
            let hits = best
                .iter()
                .take(10)
                .filter(|(path, ..)| edited.contains(path))
                .count();
            hits as f64 / there.min(10) as f64
        })
    })
}

/// Returns the note that a change edits, by its old path.
fn edited(change: &Change) -> Option<&str> {
    match change {
        Change::Modify { path, .. } => Some(path),
        Change::Rename { old_path, .. } => Some(old_path),
        Change::Add { .. } | Change::Delete { .. } => None,
    }
}

fn follow(notes: &mut BTreeMap<String, Vec<f64>>, change: &Change, now: f64) {
    match change {
        Change::Add { path, .. } | Change::Modify { path, .. } => {
            notes.entry(path.clone()).or_default().push(now);
        }
        Change::Delete { path } => drop(notes.remove(path)),
        Change::Rename { path, old_path, .. } => {
            let mut edits = notes.remove(old_path).unwrap_or_default();
            edits.push(now);
            notes.insert(path.clone(), edits);
        }
    }
}

/// Returns the interval of the mean difference between the last score and score `at`.
fn interval(rows: &[[f64; 6]], at: usize) -> (f64, f64) {
    let differences: Vec<f64> = rows.iter().map(|row| row[5] - row[at]).collect();
    let mut random = Random::new(1, 0);
    let mut means: Vec<f64> = (0..4000)
        .map(|_| {
            let drawn =
                (0..differences.len()).map(|_| differences[random.below(differences.len())]);
            drawn.sum::<f64>() / differences.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (means[100], means[3899])
}
