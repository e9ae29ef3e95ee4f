//! Memory-Benchmark-1: facts of ten users as notes, and questions with the facts needed.
//!
//! The answer key paraphrases facts ("Switched from …" for the note "Switching from …"), so each is
//! mapped to the note of that user with the largest word overlap. Facts with less than half of
//! their words in any note are omitted, and so are questions without remaining facts.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::{Question, Set, json_lines, text};
use crate::support::Outcome;
use crate::support::rough::{self, RoughNote};

/// Minimum share of a fact's words in its note.
const MIN_WORD_OVERLAP: f64 = 0.5;

/// Reads `memorybench`: one vault per user, since questions do not name the user.
pub(crate) fn load(corpora: &Path) -> Outcome<Option<Set>> {
    let folder = corpora.join("memorybench");
    let Some(lines) = json_lines(&folder.join("queries.jsonl"))? else {
        return Ok(None);
    };
    let mut users: BTreeMap<String, (usize, Vec<RoughNote>)> = BTreeMap::new();
    let mut vaults = Vec::new();
    let mut inside = Vec::new();
    let mut questions = Vec::new();
    let (mut without, mut lost) = (0, 0);
    for line in &lines {
        let user = text(line, "user");
        if !users.contains_key(&user) {
            let vault = folder.join("vault").join(&user);
            users.insert(user.clone(), (vaults.len(), rough::read_notes(&vault)?));
            vaults.push(vault);
            inside.push(format!("{user}/"));
        }
        let (vault, notes) = &users[&user];
        let facts: Vec<&str> = line["required_memories"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|fact| fact.as_str())
            .collect();
        let mut relevant: Vec<String> = facts
            .iter()
            .filter_map(|fact| note_of(fact, notes))
            .collect();
        lost += facts.len() - relevant.len();
        relevant.sort();
        relevant.dedup();
        if relevant.is_empty() {
            without += 1;
            continue;
        }
        questions.push(Question {
            key: text(line, "qid"),
            text: text(line, "query"),
            vault: *vault,
            relevant,
            group: text(line, "category"),
            counts: true,
        });
    }
    let remark = format!(" ({without} without a note left out, {lost} facts match no note)");
    Ok(Some(Set {
        name: "memorybench",
        corpus: "memorybench",
        vaults,
        inside,
        questions,
        remark,
    }))
}

/// Returns the path of the note with the largest word overlap, if it reaches the minimum.
fn note_of(fact: &str, notes: &[RoughNote]) -> Option<String> {
    let wanted = word_prefixes(fact);
    let (shared, note) = notes
        .iter()
        .map(|note| {
            let title = word_prefixes(&note.title);
            let both = wanted.intersection(&title).count() as f64;
            (
                both / wanted.union(&title).count().max(1) as f64 + both / wanted.len() as f64,
                note,
            )
        })
        // Ties go to the first path, which is the order of the facts.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let both = wanted.intersection(&word_prefixes(&note.title)).count() as f64;
    (shared > 0.0 && both / wanted.len() as f64 >= MIN_WORD_OVERLAP).then(|| note.path.clone())
}

/// Returns the first five letters of each content word, as a simple stem.
fn word_prefixes(text: &str) -> HashSet<String> {
    rough::words(text)
        .filter(|word| {
            ![
                "a", "an", "and", "by", "for", "from", "in", "of", "the", "to", "with",
            ]
            .contains(&word.as_str())
        })
        .map(|word| word.chars().take(5).collect())
        .collect()
}
