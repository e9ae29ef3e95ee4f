//! A personal garden: phrases its author linked, and the note behind each.

use std::path::Path;

use super::{Question, Set, json_lines, text};
use crate::support::Outcome;

/// Reads `garden-jackyzha0`.
pub(super) fn load(corpora: &Path) -> Outcome<Option<Set>> {
    let folder = corpora.join("garden-jackyzha0");
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
        name: "garden",
        corpus: "garden",
        vaults,
        inside: vec![String::new()],
        questions,
        remark: String::new(),
    }))
}
