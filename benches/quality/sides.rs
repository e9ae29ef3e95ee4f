//! Updates and contradictions of BEAM.
//!
//! * `newer first`: share of updates where the best newer message ranks above the best older one,
//!   or the older one is missing; questions that find neither do not count;
//! * `both`: share of contradictions with both sides among the first ten.
//!
//! Measured on the original chats, and after a person answered every question about an update
//! correctly: the newer message states what it evolved from, and each side of a contradiction names
//! the other. For the changed facts of memorybench: the number of questions whose first answer is
//! the current fact.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use mem::recall::SearchOptions;
use mem::session::Session;
use serde_json::{Value, json};

use crate::sets::{json_lines, memorybench, text};
use crate::support::rough;
use crate::support::vault::{self, Homes, words};
use crate::support::{AtPath, Outcome, process};

const LIMIT: usize = 40;

/// Returns the tables of the existing corpora.
pub(crate) fn table(corpora: &Path, scratch: &Path) -> Outcome<String> {
    let chats = chats(corpora, scratch)?;
    Ok(format!("{chats}\n{}", facts(corpora, scratch)?))
}

fn chats(corpora: &Path, scratch: &Path) -> Outcome<String> {
    let folder = corpora.join("beam");
    let updates = json_lines(&folder.join("updates.jsonl"))?;
    let contradictions = json_lines(&folder.join("contradictions.jsonl"))?;
    let (Some(updates), Some(contradictions)) = (updates, contradictions) else {
        return Ok(String::new());
    };
    let paths = paths_by_id(&folder.join("vault"))?;
    let mut table = String::from(
        "| method | updates found | newer first | contradictions | both |\n|---|---:|---:|---:|---:|\n",
    );
    for is_answered in [false, true] {
        let name = if is_answered { "answered" } else { "as it is" };
        let copy = scratch.join("sides").join(name.replace(' ', "-"));
        process::copy_folder(&folder.join("vault"), &copy)?;
        if is_answered {
            for update in &updates {
                answer(&copy, "evolved_from", update, &paths)?;
            }
            for sides in &contradictions {
                answer(&copy, "contradicts", sides, &paths)?;
            }
        }
        let homes = Homes::below(&scratch.join("sides-homes"));
        let mut sessions: BTreeMap<String, Session> = BTreeMap::new();
        for line in updates.iter().chain(&contradictions) {
            let chat = format!("chat-{}", text(line, "conv"));
            if !sessions.contains_key(&chat) {
                sessions.insert(chat.clone(), vault::indexed(&homes, &copy.join(&chat))?);
            }
        }
        for only_relevant in [false, true] {
            let ranks = |line: &Value| -> Outcome<[Option<usize>; 2]> {
                let chat = format!("chat-{}", text(line, "conv"));
                let hits = hits(&sessions[&chat], &text(line, "query"), only_relevant)?;
                let rank = |side: &str| {
                    let ids = line[side].as_array().into_iter().flatten();
                    let paths = ids.filter_map(|id| paths.get(id.as_str()?));
                    let ranks = paths.filter_map(|path| {
                        hits.iter().position(|hit| format!("{chat}/{hit}") == *path)
                    });
                    ranks.min()
                };
                Ok([rank("older"), rank("newer")])
            };
            let (mut found, mut first, mut both) = (0, 0, 0);
            for line in &updates {
                let [older, newer] = ranks(line)?;
                found += usize::from(older.or(newer).is_some());
                first +=
                    usize::from(newer.is_some_and(|newer| older.is_none_or(|older| newer < older)));
            }
            for line in &contradictions {
                let sides = ranks(line)?;
                both += usize::from(sides.iter().all(|rank| rank.is_some_and(|rank| rank < 10)));
            }
            let method = if only_relevant { "recall" } else { "search" };
            let _ = writeln!(
                table,
                "| {method}, {name} | {found} of {} | {:.3} | {} | {:.3} |",
                updates.len(),
                f64::from(first as u32) / f64::from(found.max(1) as u32),
                contradictions.len(),
                f64::from(both as u32) / contradictions.len().max(1) as f64,
            );
        }
    }
    Ok(table)
}

fn facts(corpora: &Path, scratch: &Path) -> Outcome<String> {
    let folder = corpora.join("memorybench");
    let changes = json_lines(&folder.join("supersessions.jsonl"))?;
    let (Some(changes), Some(set)) = (changes, memorybench::load(corpora)?) else {
        return Ok(String::new());
    };
    let paths = paths_by_id(&folder.join("vault"))?;
    let mut table = String::from(
        "| method | questions on changed facts | current first | and no older one |\n|---|---:|---:|---:|\n",
    );
    for is_answered in [false, true] {
        let name = if is_answered { "answered" } else { "as it is" };
        let copy = scratch.join("facts").join(name.replace(' ', "-"));
        process::copy_folder(&folder.join("vault"), &copy)?;
        for change in changes.iter().filter(|_| is_answered) {
            let sides = json!({"newer": [change["new_id"]], "older": [change["old_id"]]});
            answer(&copy, "evolved_from", &sides, &paths)?;
        }
        let homes = Homes::below(&scratch.join("facts-homes"));
        for only_relevant in [false, true] {
            let (mut asked, mut first, mut alone) = (0, 0, 0);
            for (question, change) in set
                .questions
                .iter()
                .flat_map(|question| changes.iter().map(move |change| (question, change)))
            {
                let user = &set.inside[question.vault];
                let path = |id: &str| paths.get(&text(change, id))?.strip_prefix(user.as_str());
                let (Some(newer), Some(older)) = (path("new_id"), path("old_id")) else {
                    continue;
                };
                if !question.relevant.iter().any(|relevant| relevant == newer) {
                    continue;
                }
                let session = vault::indexed(&homes, &copy.join(user))?;
                let hits = hits(&session, &question.text, only_relevant)?;
                let place = |path: &str| hits.iter().position(|hit| hit == path);
                let (newer, older) = (place(newer), place(older));
                asked += 1;
                let is_first = newer.is_some_and(|newer| older.is_none_or(|older| newer < older));
                first += usize::from(is_first);
                alone += usize::from(newer.is_some() && older.is_none());
            }
            let method = if only_relevant { "recall" } else { "search" };
            let _ = writeln!(table, "| {method}, {name} | {asked} | {first} | {alone} |");
        }
    }
    Ok(table)
}

/// Returns the path of each note by id.
fn paths_by_id(vault: &Path) -> Outcome<BTreeMap<String, String>> {
    let mut paths = BTreeMap::new();
    for note in rough::read_notes(vault)? {
        let mut lines = note.front.lines();
        if let Some(id) = lines.find_map(|line| line.strip_prefix("id: ")) {
            paths.insert(id.trim().to_owned(), note.path);
        }
    }
    Ok(paths)
}

fn hits(session: &Session, question: &str, only_relevant: bool) -> Outcome<Vec<String>> {
    let options = SearchOptions {
        limit: LIMIT,
        snippet_width: 0,
        only_relevant,
        ..SearchOptions::default()
    };
    let answer = session.search(question, &options);
    let answer = answer.map_err(|error| words(&error))?;
    let hits = answer.results.hits.iter();
    Ok(hits.map(|hit| hit.entry.path.to_string()).collect())
}

/// States the relations of each newer message to the older ones.
fn answer(
    vault: &Path,
    relation: &str,
    update: &Value,
    paths: &BTreeMap<String, String>,
) -> Outcome<()> {
    let side = |side: &str| -> Vec<&String> {
        let ids = update[side].as_array().into_iter().flatten();
        ids.filter_map(|id| paths.get(id.as_str()?)).collect()
    };
    let older = side("older");
    let links: Vec<String> = older
        .iter()
        .filter_map(|path| path.split_once('/'))
        .map(|(_, path)| format!("\"[[{}]]\"", path.trim_end_matches(".md")))
        .collect();
    for newer in side("newer") {
        let file = vault.join(newer);
        let note = fs::read_to_string(&file).at(&file)?;
        if note.contains(&format!("\n{relation}:")) {
            continue;
        }
        let stated = format!("---\n{relation}: [{}]\n", links.join(", "));
        fs::write(&file, note.replacen("---\n", &stated, 1)).at(&file)?;
    }
    Ok(())
}
