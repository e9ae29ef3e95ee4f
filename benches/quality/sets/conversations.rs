//! `LoCoMo` and BEAM: long conversations with one note per turn, and questions with the turns that
//! answer them.
//!
//! `merged` queries a vault of all conversations, `own` only the conversation concerned.
//! Adversarial questions, which the conversation does not answer, have a row but do not count.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::{Question, Set, json_lines, text};
use crate::support::Outcome;
use crate::support::rough;

/// All conversations in one vault.
pub(crate) fn merged(corpora: &Path) -> Outcome<Option<Set>> {
    load(corpora, "locomo", "locomo", |_| String::new())
}

/// One vault per conversation.
pub(super) fn own(corpora: &Path) -> Outcome<Option<Set>> {
    load(
        corpora,
        "locomo",
        "locomo, own conversation",
        |conversation| format!("conv-{conversation}"),
    )
}

/// Chats with an assistant, one vault per chat.
pub(crate) fn beam(corpora: &Path) -> Outcome<Option<Set>> {
    load(corpora, "beam", "beam", |chat| format!("chat-{chat}"))
}

fn load(
    corpora: &Path,
    corpus: &'static str,
    name: &'static str,
    vault_of: impl Fn(&str) -> String,
) -> Outcome<Option<Set>> {
    let folder = corpora.join(corpus);
    let Some(lines) = json_lines(&folder.join("queries.jsonl"))? else {
        return Ok(None);
    };
    let mut paths_of: HashMap<String, String> = HashMap::new();
    for note in rough::read_notes(&folder.join("vault"))? {
        if let Some(id) = note
            .front
            .lines()
            .find_map(|line| line.strip_prefix("id: "))
        {
            paths_of.insert(id.trim().to_owned(), note.path);
        }
    }
    let mut vaults: BTreeMap<String, usize> = BTreeMap::new();
    let mut questions = Vec::new();
    let mut without = 0;
    for line in &lines {
        let inside = vault_of(&text(line, "conv"));
        let prefix = if inside.is_empty() {
            String::new()
        } else {
            format!("{inside}/")
        };
        let relevant: Vec<String> = line["relevant_ids"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|id| paths_of.get(id.as_str()?)?.strip_prefix(&prefix))
            .map(str::to_owned)
            .collect();
        if relevant.is_empty() {
            without += 1;
            continue;
        }
        let next = vaults.len();
        let vault = *vaults.entry(inside).or_insert(next);
        let group = text(line, "category_name");
        let counts = group != "adversarial";
        questions.push(Question {
            key: text(line, "qid"),
            text: text(line, "query"),
            vault,
            relevant,
            group,
            counts,
        });
    }
    let mut folders = vec![folder.clone(); vaults.len()];
    let mut prefixes = vec![String::new(); vaults.len()];
    for (inside, vault) in vaults {
        folders[vault] = folder.join("vault").join(&inside);
        if !inside.is_empty() {
            prefixes[vault] = format!("{inside}/");
        }
    }
    let remark = format!(" ({without} without any evidence left out)");
    Ok(Some(Set {
        name,
        corpus,
        vaults: folders,
        inside: prefixes,
        questions,
        remark,
    }))
}
