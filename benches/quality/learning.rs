//! Effect of feedback on recall.
//!
//! Evidence notes are split in two by the hash of their path, and folders (conversations) as well.
//! In the first half of the folders each evidence note of the first half is reinforced with a
//! question that it answers, as by a person who found it useful. The table compares recall@10 and
//! MRR without and with feedback:
//!
//! * `other questions`: on reinforced notes, with other questions than those of the feedback;
//! * `other notes`: in the same folders, answered only by notes of the other half;
//! * `elsewhere`: in the other folders.
//!
//! The control reinforces as many random notes of these folders with the same questions. Intervals
//! are 95 % bootstrap intervals over questions.
//!
//! `MEM_LEARN=S,C,A;S,C,A` measures these values of `salience`, `context` and `alike` instead of
//! the defaults.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use mem::journal::events::{EventKind, UsageEvent};
use mem::note::path::VaultPath;
use mem::recall::SearchOptions;
use mem::session::Session;
use mem::signals::recall_options::RecallOptions;

use crate::sets::{Question, Set, conversations, memorybench};
use crate::support::random::Random;
use crate::support::rough;
use crate::support::vault::{self, Homes, words};
use crate::support::{Outcome, process};

const LIMIT: usize = 20;
const DRAWS: usize = 1000;

/// A question and the half that its folder belongs to.
struct FolderQuestion<'s> {
    question: &'s Question,
    relevant: BTreeSet<String>,
    folder: String,
}

/// Returns the table for the existing corpora.
pub(crate) fn table(corpora: &Path, scratch: &Path) -> Outcome<String> {
    let mut table = String::from(
        "| set | salience, context, alike | questions | | recall@10 before | taught | control | MRR before | taught | control |\n\
         |---|---|---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for load in [
        conversations::merged,
        conversations::beam,
        memorybench::load,
    ] {
        if let Some(set) = load(corpora)? {
            measure(&set, scratch, &mut table)?;
        }
    }
    Ok(table)
}

/// Returns the weights to measure.
fn weights() -> Outcome<Vec<RecallOptions>> {
    let Ok(text) = std::env::var("MEM_LEARN") else {
        return Ok(vec![RecallOptions::default()]);
    };
    let one = |text: &str| -> Outcome<RecallOptions> {
        let numbers: Vec<f64> = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let [salience, context, alike] = numbers[..] else {
            return Err("MEM_LEARN takes S,C,A;S,C,A".into());
        };
        Ok(RecallOptions {
            salience,
            context,
            min_context_cosine: alike,
            ..RecallOptions::default()
        })
    };
    text.split(';').map(one).collect()
}

/// Whether this name belongs to the first half.
fn is_first(name: &str) -> bool {
    xxhash_rust::xxh3::xxh3_64(name.as_bytes()) & 1 == 0
}

fn folder(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

fn measure(set: &Set, scratch: &Path, table: &mut String) -> Outcome<()> {
    let vault = scratch.join("learning").join(set.name);
    for (from, inside) in set.vaults.iter().zip(&set.inside) {
        process::copy_folder(from, &vault.join(inside.trim_end_matches('/')))?;
    }
    let session = vault::indexed(&Homes::below(&scratch.join("learning-homes")), &vault)?;
    let counted = set.questions.iter().filter(|question| question.counts);
    let asked: Vec<FolderQuestion<'_>> = counted
        .map(|question| {
            let inside = &set.inside[question.vault];
            let relevant = question.relevant.iter();
            let relevant: BTreeSet<String> =
                relevant.map(|path| format!("{inside}{path}")).collect();
            let folder = relevant.first().map_or("", |path| folder(path)).to_owned();
            FolderQuestion {
                question,
                relevant,
                folder,
            }
        })
        .collect();
    // Each note of the first half, with the first question that it answers.
    let mut taught: BTreeMap<&str, &str> = BTreeMap::new();
    for asked in asked.iter().filter(|asked| is_first(&asked.folder)) {
        for note in asked.relevant.iter().filter(|note| is_first(note)) {
            taught.entry(note).or_insert(&asked.question.text);
        }
    }
    let given: BTreeSet<&str> = taught.values().copied().collect();
    let mut groups: BTreeMap<&str, Vec<(&str, BTreeSet<String>)>> = BTreeMap::new();
    for asked in &asked {
        let text = asked.question.text.as_str();
        let is_taught = |note: &&String| taught.contains_key(note.as_str());
        let known: BTreeSet<String> = asked.relevant.iter().filter(is_taught).cloned().collect();
        let (group, relevant) = if !is_first(&asked.folder) {
            ("elsewhere", asked.relevant.clone())
        } else if given.contains(text) {
            continue;
        } else if known.is_empty() {
            ("other notes", asked.relevant.clone())
        } else {
            ("other questions", known)
        };
        groups.entry(group).or_default().push((text, relevant));
    }
    let random = control(&vault, &taught)?;
    let mut before = BTreeMap::new();
    for (group, questions) in &groups {
        before.insert(*group, figures(&session, questions, None)?);
    }
    let mut after = Vec::new();
    for feedback in [
        taught.iter().map(|(note, text)| (*note, *text)).collect(),
        random
            .iter()
            .map(|(note, text)| (note.as_str(), *text))
            .collect::<Vec<_>>(),
    ] {
        reinforce(&session, &vault, &feedback)?;
        for weights in weights()? {
            for (group, questions) in &groups {
                after.push((
                    (*group, weights),
                    figures(&session, questions, Some(weights))?,
                ));
            }
        }
    }
    let (learned, control) = after.split_at(after.len() / 2);
    for (((group, weights), taught), (_, control)) in learned.iter().zip(control) {
        let before = &before[group];
        let _ = write!(
            table,
            "| {} | {}, {}, {} | {group} | {} |",
            set.name,
            weights.salience,
            weights.context,
            weights.min_context_cosine,
            before.len()
        );
        for figure in 0..2 {
            let of = |figures: &[[f64; 2]]| -> Vec<f64> {
                figures.iter().map(|figures| figures[figure]).collect()
            };
            let before = of(before);
            let _ = write!(table, " {:.3} |", mean(&before));
            for after in [of(taught), of(control)] {
                let [low, high] = interval(&before, &after);
                let _ = write!(table, " {:.3} ({low:+.3} to {high:+.3}) |", mean(&after));
            }
        }
        table.push('\n');
    }
    Ok(())
}

/// Returns as many random notes of the same folders, each with the question of another.
fn control<'t>(vault: &Path, taught: &BTreeMap<&str, &'t str>) -> Outcome<Vec<(String, &'t str)>> {
    let mut of_folder: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for note in rough::read_notes(vault)? {
        let notes = of_folder.entry(folder(&note.path).to_owned()).or_default();
        notes.push(note.path);
    }
    let mut random = Random::new(0, 0);
    let control = taught.iter().map(|(note, text)| {
        let notes = &of_folder[folder(note)];
        (random.pick(notes).clone(), *text)
    });
    Ok(control.collect())
}

/// Replaces the journal of the vault by feedback that these notes were useful for these questions.
fn reinforce(session: &Session, vault: &Path, feedback: &[(&str, &str)]) -> Outcome<()> {
    let journal = vault.join(".mem/journal");
    if journal.exists() {
        std::fs::remove_dir_all(&journal)?;
    }
    let at = session.env.now.timestamp().as_second();
    let mut events = Vec::new();
    for (note, text) in feedback {
        let note = VaultPath::new(note)?;
        events.push(UsageEvent {
            reward: Some(1.0),
            question: Some((*text).to_owned()),
            ..UsageEvent::new(EventKind::Reinforced, at, [&note])
        });
    }
    session.events().append(&events)?;
    let (cache, _) = session.index().map_err(|error| words(&error))?;
    let taken = session.fold_uses(&cache);
    taken.map_err(|error| words(&error).into())
}

/// Returns recall@10 and the reciprocal rank of each question.
fn figures(
    session: &Session,
    questions: &[(&str, BTreeSet<String>)],
    learned: Option<RecallOptions>,
) -> Outcome<Vec<[f64; 2]>> {
    let mut figures = Vec::new();
    for (text, relevant) in questions {
        let options = SearchOptions {
            limit: LIMIT,
            snippet_width: 0,
            only_relevant: true,
            learned,
            ..SearchOptions::default()
        };
        let answer = session.search(text, &options);
        let hits = answer.map_err(|error| words(&error))?.results.hits;
        let is_right = |hit: &mem::recall::Hit| relevant.contains(hit.entry.path.as_str());
        let found = hits.iter().take(10).filter(|hit| is_right(hit)).count();
        let first = hits.iter().position(is_right);
        figures.push([
            found as f64 / relevant.len() as f64,
            first.map_or(0.0, |at| 1.0 / (at + 1) as f64),
        ]);
    }
    Ok(figures)
}

fn mean(figures: &[f64]) -> f64 {
    figures.iter().sum::<f64>() / figures.len().max(1) as f64
}

/// Returns the interval of the mean difference.
fn interval(before: &[f64], after: &[f64]) -> [f64; 2] {
    let differences: Vec<f64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
    let mut random = Random::new(1, 0);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let drawn = (0..differences.len()).map(|_| *random.pick(&differences));
            mean(&drawn.collect::<Vec<f64>>())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    [means[DRAWS / 40], means[DRAWS - 1 - DRAWS / 40]]
}
