//! Precision of recall on `PrecisionMemBench`, as notes and `mem recall`.
//!
//! A belief is a note with its name and aliases, its statement and rationale, and its scope as a
//! tag. Replaced beliefs name their successor, resolved ones have expired, and another user's
//! beliefs are in another space. A case queries within its scopes. The benchmark adds pinned
//! beliefs of a scope outside the search, so they count neither as right nor as wrong unless the
//! case names them.
//!
//! Precision of a case without an answer is 1 without hits, else 0; recall covers cases with
//! an answer.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use mem::recall::SearchOptions;
use serde_json::Value;

use crate::support::vault::{self, Homes, words};
use crate::support::{AtPath, Outcome};

/// Returns the table, if the corpus exists.
pub(crate) fn table(corpora: &Path, scratch: &Path) -> Outcome<String> {
    let folder = corpora.join("precisionmembench");
    if !folder.is_dir() {
        return Ok(String::new());
    }
    let read = |name: &str| -> Outcome<Vec<Value>> {
        let file = folder.join(name);
        Ok(serde_json::from_str(&fs::read_to_string(&file).at(&file)?)?)
    };
    let (beliefs, cases) = (read("beliefs.seed.json")?, read("retrieval.cases.json")?);
    let notes = scratch.join("beliefs");
    fs::create_dir_all(&notes).at(&notes)?;
    for belief in &beliefs {
        let file = notes.join(format!("{}.md", text(&belief["_id"])));
        fs::write(&file, note(belief, &beliefs)).at(&file)?;
    }
    let session = vault::indexed(&Homes::below(&scratch.join("beliefs-homes")), &notes)?;
    let pinned: BTreeSet<&str> = beliefs
        .iter()
        .filter(|belief| belief["pinned"] == true)
        .map(|belief| text(&belief["_id"]))
        .collect();
    let mut table = String::from(
        "| method | cases | precision | recall | precision, pinned wrong | brought up |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    for (name, only_relevant) in [("search", false), ("recall", true)] {
        let (mut precision, mut strict, mut recall, mut brought) = (0.0, 0.0, 0.0, 0);
        let (mut asked, mut answered) = (0, 0);
        for case in &cases {
            let query = text(&case["query"]);
            // An empty query returns only pinned beliefs; one user has no beliefs at all.
            if query.is_empty() || !case["userId"].is_null() {
                continue;
            }
            let right = named(&case["expect"], &["mustInclude", "shouldOnlyInclude"]);
            let scopes = case["scope"].as_array().into_iter().flatten().map(text);
            let scopes = scopes.chain(["user:universal"]);
            let tags: Vec<String> = scopes.map(|scope| format!("tag:{}", tag(scope))).collect();
            let query = query.replace([':', '-', '"', '(', ')'], " ");
            let asks = format!("({}) -space:other {query}", tags.join(" OR "));
            let options = SearchOptions {
                limit: 20,
                snippet_width: 0,
                only_relevant,
                ..SearchOptions::default()
            };
            let answer = session
                .search(&asks, &options)
                .map_err(|error| words(&error))?;
            let hits = answer.results.hits.iter();
            let hits: BTreeSet<String> = hits.map(|hit| hit.entry.path.stem().to_owned()).collect();
            let good = hits
                .iter()
                .filter(|hit| right.contains(hit.as_str()))
                .count();
            let shown =
                |hit: &&String| right.contains(hit.as_str()) || !pinned.contains(hit.as_str());
            let counted = hits.iter().filter(shown).count();
            let share = |of: usize| match (of, right.is_empty()) {
                (0, true) => 1.0,
                (0, false) => 0.0,
                _ => good as f64 / of as f64,
            };
            asked += 1;
            brought += hits.len();
            precision += share(counted);
            strict += share(hits.len());
            if !right.is_empty() {
                answered += 1;
                recall += good as f64 / right.len() as f64;
            }
            if std::env::var_os("MEM_MISSES").is_some() {
                eprintln!("{name}: {query} right {right:?}");
                for hit in &answer.results.hits {
                    eprintln!(
                        "   {} total {:.3} text {:.3} meaning {:.3} cosine {:.3} share {:.3} named {} {:?}",
                        hit.entry.path,
                        hit.score.total(),
                        hit.score.text,
                        hit.score.semantic,
                        hit.cosine.unwrap_or_default(),
                        hit.share,
                        hit.is_named,
                        right.contains(hit.entry.path.stem()),
                    );
                }
            }
        }
        let _ = writeln!(
            table,
            "| {name} | {asked} | {:.3} | {:.3} | {:.3} | {:.1} |",
            precision / f64::from(asked),
            recall / f64::from(answered),
            strict / f64::from(asked),
            brought as f64 / f64::from(asked),
        );
    }
    Ok(table)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn tag(scope: &str) -> String {
    scope.replace(':', "/")
}

/// Returns the ids under any of `keys`, at any depth.
fn named(value: &Value, keys: &[&str]) -> BTreeSet<String> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, member)| match member {
                Value::Array(ids) if keys.contains(&key.as_str()) => {
                    ids.iter().map(|id| text(id).to_owned()).collect()
                }
                member => named(member, keys),
            })
            .collect(),
        _ => BTreeSet::new(),
    }
}

fn note(belief: &Value, beliefs: &[Value]) -> String {
    let list = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items.map(|item| text(item).to_owned()).collect()
    };
    let id = text(&belief["_id"]);
    let mut front: BTreeMap<&str, Value> = BTreeMap::new();
    front.insert(
        "title",
        text(&belief["canonical_name"]).replace('_', " ").into(),
    );
    front.insert("aliases", list(&belief["aliases"]).into());
    let tags: Vec<String> = list(&belief["scope"])
        .iter()
        .map(|scope| tag(scope))
        .collect();
    front.insert("tags", tags.into());
    front.insert("type", belief["type"].clone());
    front.insert("created", belief["created_at"].clone());
    front.insert("confidence", belief["confidence"].clone());
    let older = beliefs.iter().filter(|other| other["superseded_by"] == id);
    let older: Vec<String> = older
        .map(|other| format!("[[{}]]", text(&other["_id"])))
        .collect();
    if !older.is_empty() {
        front.insert("evolved_from", older.into());
    }
    if belief["pinned"] == true {
        front.insert("tier", "core".into());
    }
    if !belief["resolved_at"].is_null() {
        front.insert("valid_until", belief["resolved_at"].clone());
    }
    if text(&belief["user_id"]) != "test-user" {
        front.insert("space", "other".into());
    }
    let lines: Vec<String> = front
        .iter()
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    let (content, why) = (text(&belief["content"]), text(&belief["why_it_matters"]));
    format!("---\n{}\n---\n{content}\n\n{why}\n", lines.join("\n"))
}
