//! Link texts of authors and their target notes: a garden, a manual.

use std::path::Path;

use super::{Question, Set, json_lines, text};
use crate::support::Outcome;

/// A personal garden.
pub(super) fn garden(corpora: &Path) -> Outcome<Option<Set>> {
    load(corpora, "garden", "garden-jackyzha0")
}

/// The manual of a program.
pub(super) fn manual(corpora: &Path) -> Outcome<Option<Set>> {
    load(corpora, "manual", "obsidian-help")
}

fn load(corpora: &Path, name: &'static str, folder: &str) -> Outcome<Option<Set>> {
    let folder = corpora.join(folder);
    let Some(lines) = json_lines(&folder.join("link_queries.jsonl"))? else {
        return Ok(None);
    };
    let questions = lines
        .iter()
        .enumerate()
        .map(|(number, line)| Question {
            key: number.to_string(),
            text: text(line, "query"),
            vault: 0,
            relevant: vec![text(line, "relevant_path")],
            group: "links".to_owned(),
            counts: true,
        })
        .collect();
    let vaults = vec![folder.join("vault")];
    Ok(Some(Set {
        name,
        corpus: name,
        vaults,
        inside: vec![String::new()],
        questions,
        remark: String::new(),
    }))
}
