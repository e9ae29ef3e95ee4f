//! The history of a vault, step by step, and a comparison of two sets of caches.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::process::Mem;
use super::random::Random;
use super::{AtPath, Outcome, rough};

/// One step of a history.
#[derive(Deserialize)]
pub(crate) struct Step {
    pub(crate) n: usize,
    pub(crate) changes: Vec<Change>,
}

/// Change of one file; `content` is its new text.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(crate) enum Change {
    Add {
        path: String,
        content: String,
    },
    Modify {
        path: String,
        content: String,
    },
    Delete {
        path: String,
    },
    Rename {
        path: String,
        old_path: String,
        content: String,
    },
}

/// Reads the steps of the history in a folder.
pub(crate) fn steps(history: &Path) -> Outcome<Vec<Step>> {
    let file = history.join("steps.jsonl");
    let text = fs::read_to_string(&file).at(&file)?;
    let step = |(number, line)| {
        serde_json::from_str(line)
            .map_err(|error| format!("{}: step {number}: {error}", file.display()).into())
    };
    text.lines().enumerate().map(step).collect()
}

/// Applies one change to the vault.
pub(crate) fn make(change: &Change, vault: &Path) -> Outcome<()> {
    let write = |path: &str, content: &str| {
        let file = inside(vault, path)?;
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).at(folder)?;
        }
        fs::write(&file, content).at(&file)
    };
    match change {
        Change::Add { path, content } | Change::Modify { path, content } => write(path, content),
        Change::Delete { path } => {
            let file = inside(vault, path)?;
            fs::remove_file(&file).at(&file)
        }
        Change::Rename {
            path,
            old_path,
            content,
        } => {
            let (old, new) = (inside(vault, old_path)?, inside(vault, path)?);
            if let Some(folder) = new.parent() {
                fs::create_dir_all(folder).at(folder)?;
            }
            fs::rename(&old, &new).at(&old)?;
            // A rename without an edit keeps the modification time, like `mv`.
            if fs::read(&new).at(&new)? == content.as_bytes() {
                return Ok(());
            }
            write(path, content)
        }
    }
}

/// Returns the file of a step's path; refuses paths outside the vault.
fn inside(vault: &Path, path: &str) -> Outcome<PathBuf> {
    let plain = Path::new(path)
        .components()
        .all(|component| matches!(component, std::path::Component::Normal(_)));
    if plain {
        Ok(vault.join(path))
    } else {
        Err(format!("`{path}` leaves the vault").into())
    }
}

/// Returns the commands whose answers are compared.
pub(crate) fn commands(
    vault: &Path,
    searches: usize,
    random: &mut Random,
) -> Outcome<Vec<Vec<String>>> {
    let notes = rough::read_notes(vault)?;
    let titles: Vec<&str> = notes.iter().map(|note| note.title.as_str()).collect();
    let words = rough::vocabulary(notes.iter().map(|note| note.body.as_str()));
    if titles.is_empty() || words.is_empty() {
        return Err("the vault has no words to search for".into());
    }
    let mut commands = vec![vec!["list".to_owned(), "--json".to_owned()]];
    for at in 0..searches {
        let query = match at % 4 {
            0 => (*random.pick(&titles)).to_owned(),
            1 => random.pick(&words).clone(),
            2 => format!("{} {}", random.pick(&words), random.pick(&words)),
            _ => {
                let title = *random.pick(&titles);
                let first = title.split_whitespace().next().unwrap_or(title);
                format!("{first} {}", random.pick(&words))
            }
        };
        let search = ["search", "--json", "--limit", "50", "--", &query].map(str::to_owned);
        commands.push(search.to_vec());
    }
    Ok(commands)
}

/// Runs all commands with both caches and returns the differences.
pub(crate) fn differences(
    followed: &Mem,
    afresh: &Mem,
    vault: &Path,
    commands: &[Vec<String>],
) -> Outcome<Vec<String>> {
    let mut differences = BTreeMap::new();
    for (at, command) in commands.iter().enumerate() {
        let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        let one = followed.run(vault, &arguments)?.output;
        let other = afresh.run(vault, &arguments)?.output;
        if one.status.code() != other.status.code() {
            let text = format!("{arguments:?}: {} and {}", one.status, other.status);
            differences.insert(at, text);
        } else if one.stdout != other.stdout {
            let place = first_difference(&one.stdout, &other.stdout);
            differences.insert(at, format!("{arguments:?}: {place}"));
        }
    }
    Ok(differences.into_values().collect())
}

/// Returns the position of the first difference of two outputs, with some context.
fn first_difference(one: &[u8], other: &[u8]) -> String {
    let at = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let excerpt = |bytes: &[u8]| {
        let around = &bytes[at.saturating_sub(40)..bytes.len().min(at + 60)];
        String::from_utf8_lossy(around).into_owned()
    };
    format!(
        "at byte {at}: followed {:?}, afresh {:?}",
        excerpt(one),
        excerpt(other)
    )
}
