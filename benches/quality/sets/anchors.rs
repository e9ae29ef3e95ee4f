//! Link texts of authors as questions: standards, a wiki, the rules of a game.
//!
//! A text counts once, if it always leads to the same note and is not its name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::Regex;

use super::{Question, Set};
use crate::support::Outcome;
use crate::support::rough::{self, RoughNote};

/// Proposals for a standard.
pub(super) fn proposals(corpora: &Path) -> Outcome<Option<Set>> {
    load(corpora, "proposals", "eips")
}

/// The wiki of a community.
pub(super) fn wiki(corpora: &Path) -> Outcome<Option<Set>> {
    load(corpora, "wiki", "morrowind-wiki")
}

/// The rules of a game.
pub(super) fn rules(corpora: &Path) -> Outcome<Option<Set>> {
    load(corpora, "rules", "dnd5e-srd")
}

fn load(corpora: &Path, name: &'static str, folder: &str) -> Outcome<Option<Set>> {
    let vault = corpora.join(folder).join("vault");
    if !vault.is_dir() {
        return Ok(None);
    }
    let link = Regex::new(
        r"\[\[([^\]|#]+)(?:#[^\]|]*)?\|([^\]]+)\]\]|\[([^\]\[]+)\]\(([^)\s:#]+)\.md(?:#[^)]*)?\)",
    )?;
    let notes = rough::read_notes(&vault)?;
    let mut by_stem: BTreeMap<String, Vec<&RoughNote>> = BTreeMap::new();
    for note in &notes {
        by_stem.entry(stem(&note.path)).or_default().push(note);
    }
    let mut targets: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for note in &notes {
        for found in link.captures_iter(&note.body) {
            let part = |number| found.get(number).map(|part| part.as_str());
            let (Some(label), Some(target)) = (part(2).or(part(3)), part(1).or(part(4))) else {
                continue;
            };
            let label = label.trim_matches(|c: char| !c.is_alphanumeric());
            if let Some([target]) = by_stem.get(&stem(target)).map(Vec::as_slice)
                && !label.is_empty()
                && !is_name(label, target)
            {
                let targets = targets.entry(label.to_lowercase()).or_default();
                targets.insert(&target.path);
            }
        }
    }
    let questions = targets
        .into_iter()
        .filter(|(_, targets)| targets.len() == 1)
        .enumerate()
        .map(|(number, (text, targets))| Question {
            key: number.to_string(),
            text,
            vault: 0,
            relevant: targets.into_iter().map(str::to_owned).collect(),
            group: "links".to_owned(),
            counts: true,
        });
    Ok(Some(Set {
        name,
        corpus: name,
        questions: questions.collect(),
        vaults: vec![vault],
        inside: vec![String::new()],
        remark: String::new(),
    }))
}

/// Returns the lower-case file name without extension.
fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.trim_end_matches(".md").to_lowercase()
}

fn is_name(label: &str, note: &RoughNote) -> bool {
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let label = letters(label);
    label == letters(&note.title) || label == letters(&stem(&note.path))
}
