//! Known-item search: a query that is the name of a note should find that note.
//!
//! Every unique name of every note is queried as it is, in other case, and with a typo in one of
//! its longer words. Random letters should find nothing. The figures:
//!
//! * `hit@1` over exact names, by kind, and in upper case;
//! * `hit@3` over titles with one typo each, drawn with a seed;
//! * `none`: share of pairs of random words without a hit.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use mem::recall::SearchOptions;
use mem::session::Session;

use crate::support::random::Random;
use crate::support::vault::{self, Homes, words};
use crate::support::{Outcome, process};

/// Minimum length of a word to get a typo.
const MIN_TYPO_LENGTH: usize = 5;
const RANDOM: usize = 100;

/// Name in the table and folder in the corpora.
const VAULTS: [(&str, &str); 4] = [
    ("garden", "garden-jackyzha0/vault"),
    ("proposals", "eips/vault"),
    ("wiki", "morrowind-wiki/vault"),
    ("pages", "scale/tldr-en.tar.gz"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Title,
    Alias,
    Stem,
}

/// Returns the table for the existing corpora.
pub(crate) fn table(corpora: &Path, scratch: &Path) -> Outcome<String> {
    let mut table = String::from(
        "| vault | names | n | hit@1 | in capitals | missed |\n|---|---|---:|---:|---:|---|\n",
    );
    let mut slips = String::from(
        "| vault | titles with a slip | hit@3 | hit@1 | random words without a hit |\n|---|---:|---:|---:|---:|\n",
    );
    let homes = Homes::below(&scratch.join("known"));
    for (name, folder) in VAULTS {
        let from = corpora.join(folder);
        if !from.exists() {
            continue;
        }
        let copy = scratch.join("known-vaults").join(name);
        copy_or_unpack(&from, &copy)?;
        let session = vault::indexed(&homes, &copy)?;
        let names = unique_names(&session)?;
        for (kind, known) in &names {
            let (mut first, mut capitals, mut missed) = (0, 0, Vec::new());
            for (typed, path) in known {
                let is_first = place(&session, typed)? == Some(path.clone());
                first += usize::from(is_first);
                capitals +=
                    usize::from(place(&session, &typed.to_uppercase())? == Some(path.clone()));
                if !is_first {
                    missed.push(typed.clone());
                }
            }
            let share = |count: usize| count as f64 / known.len() as f64;
            missed.truncate(3);
            let _ = writeln!(
                table,
                "| {name} | {kind:?} | {} | {:.4} | {:.4} | {} |",
                known.len(),
                share(first),
                share(capitals),
                missed.join("; ").replace('|', "/"),
            );
        }
        let mut random = Random::new(1, 0);
        let (mut third, mut first, mut count) = (0, 0, 0);
        for (title, path) in names.get(&Kind::Title).into_iter().flatten() {
            let Some(typed) = with_slip(title, &mut random) else {
                continue;
            };
            let hits = hits(&session, &typed, 3)?;
            count += 1;
            first += usize::from(hits.first() == Some(path));
            third += usize::from(hits.contains(path));
            if std::env::var_os("MEM_MISSES").is_some() && !hits.contains(path) {
                eprintln!("{name}: `{typed}` for `{title}`: {hits:?}");
            }
        }
        let mut without = 0;
        for _ in 0..RANDOM {
            let typed = format!("{} {}", letters(&mut random), letters(&mut random));
            without += usize::from(hits(&session, &typed, 3)?.is_empty());
        }
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        let _ = writeln!(
            slips,
            "| {name} | {count} | {:.3} | {:.3} | {:.2} |",
            share(third, count),
            share(first, count),
            share(without, RANDOM),
        );
    }
    Ok(format!("{table}\n{slips}"))
}

fn copy_or_unpack(from: &Path, to: &PathBuf) -> Outcome<()> {
    if from.is_dir() {
        return process::copy_folder(from, to);
    }
    std::fs::create_dir_all(to)?;
    let status = Command::new("tar")
        .arg("xzf")
        .arg(from)
        .arg("-C")
        .arg(to)
        .status()?;
    status.success().then_some(()).ok_or("tar failed".into())
}

/// Returns the unique names by kind, with the path of the note.
fn unique_names(session: &Session) -> Outcome<BTreeMap<Kind, Vec<(String, String)>>> {
    let cache = session.cache().map_err(|error| words(&error))?;
    let view = session.view(&cache)?;
    let mut called: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut names: BTreeSet<(Kind, String, String)> = BTreeSet::new();
    for entry in view.entries()? {
        let details = view.details(entry.slot)?;
        let path = entry.path.to_string();
        let mut add = |kind, name: &str| {
            called
                .entry(name.to_lowercase())
                .or_default()
                .insert(path.clone());
            names.insert((kind, name.to_owned(), path.clone()));
        };
        add(Kind::Title, &details.title);
        add(Kind::Stem, entry.path.stem());
        details
            .aliases
            .iter()
            .for_each(|alias| add(Kind::Alias, alias));
    }
    let mut unique: BTreeMap<Kind, Vec<(String, String)>> = BTreeMap::new();
    for (kind, name, path) in names {
        if called[&name.to_lowercase()].len() == 1 && name.chars().any(char::is_alphanumeric) {
            unique.entry(kind).or_default().push((name, path));
        }
    }
    Ok(unique)
}

fn place(session: &Session, typed: &str) -> Outcome<Option<String>> {
    Ok(hits(session, typed, 1)?.into_iter().next())
}

fn hits(session: &Session, typed: &str, limit: usize) -> Outcome<Vec<String>> {
    let options = SearchOptions {
        limit,
        snippet_width: 0,
        ..SearchOptions::default()
    };
    let answer = session.search(typed, &options);
    let hits = answer.map_err(|error| words(&error))?.results.hits;
    Ok(hits.iter().map(|hit| hit.entry.path.to_string()).collect())
}

/// Returns a title with a typo in one of its longer words, if it has any.
fn with_slip(title: &str, random: &mut Random) -> Option<String> {
    let parts: Vec<&str> = title.split(' ').collect();
    let is_long = |part: &&str| {
        part.chars().count() >= MIN_TYPO_LENGTH && part.chars().all(|c| c.is_ascii_alphabetic())
    };
    let long: Vec<usize> = (0..parts.len()).filter(|&at| is_long(&parts[at])).collect();
    let &at = long.get(random.below(long.len().max(1)))?;
    let mut letters: Vec<char> = parts[at].chars().collect();
    let place = 1 + random.below(letters.len() - 2);
    let letter = char::from(b'a' + random.below(26) as u8);
    match random.below(4) {
        0 => drop(letters.remove(place)),
        1 => letters.insert(place, letter),
        2 => letters[place] = letter,
        _ => letters.swap(place, place + 1),
    }
    let word: String = letters.into_iter().collect();
    let mut parts: Vec<String> = parts.into_iter().map(str::to_owned).collect();
    (parts[at] != word).then(|| {
        parts[at] = word;
        parts.join(" ")
    })
}

fn letters(random: &mut Random) -> String {
    (0..6)
        .map(|_| char::from(b'a' + random.below(26) as u8))
        .collect()
}
