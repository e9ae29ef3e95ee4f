//! Generates a large, realistic vault from pieces of real notes.
//!
//! ```text
//! cargo bench --bench generate -- --out DIR [--notes 100000] [--seed 1] --from DIR1 [--from DIR2 …]
//! ```
//!
//! Recombines sections, sentences, titles and tags of the notes under every `--from`. Lengths are
//! log-normal around 1 KB; folders are nested and uneven; wikilinks lead to generated notes, a few
//! of them very popular. About 70 % have front matter (3 % of all are marked as written by an
//! agent), 3 % are copies with one small edit, 1 % share a title with another note. The same seed
//! and sources give the same bytes and file times.
//!
//! `DIR` must not exist or must be empty. `DIR.labels.jsonl`, outside the vault, lists the pairs:
//! `{"kind": "typo", "label": "duplicate" | "distinct", "a": path, "b": path}`. Pairs labelled
//! `distinct` (another number, a negation, or only the same title) must never be merged. Standard
//! output is one JSON document with the counts.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod copies;
mod names;
mod pool;
mod prose;
#[path = "../support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, FileTimes};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use serde_json::json;

use copies::EditedCopy;
use names::Names;
use pool::Pool;
use prose::Links;
use support::flags::Flags;
use support::random::Random;
use support::{AtPath, Outcome};

const USAGE: &str = "cargo bench --bench generate -- \
    --out DIR [--notes 100000] [--seed 1] --from DIR1 [--from DIR2 …]";

/// Share of notes that are edited copies of others.
const COPY_SHARE: f64 = 0.03;

/// First and last day of the vault in Unix seconds: 2019-01-01 and 2026-08-01.
const FIRST_AND_LAST_SECOND: (u64, u64) = (1_546_300_800, 1_785_542_400);

fn main() -> ExitCode {
    support::flags::run(USAGE, &["--out", "--notes", "--seed", "--from"], generate)
}

fn generate(flags: &Flags) -> Outcome<ExitCode> {
    let out = PathBuf::from(flags.text("--out").ok_or("`--out` is needed")?);
    let count: usize = flags.number("--notes", 100_000)?;
    let seed: u64 = flags.number("--seed", 1)?;
    let sources: Vec<PathBuf> = flags.all("--from").iter().map(PathBuf::from).collect();
    if out.is_dir() && fs::read_dir(&out).at(&out)?.next().is_some() {
        return Err(format!("{} is not empty", out.display()).into());
    }

    let pool = Pool::read(&sources)?;
    let edited = (count as f64 * COPY_SHARE) as usize;
    let originals = count - edited;
    let names = Names::draw(&pool, originals, seed);
    let links = Links::draw(originals, seed);

    for folder in &names.folders {
        let folder = out.join(folder);
        fs::create_dir_all(&folder).at(&folder)?;
    }
    let mut written: Vec<NoteSummary> = (0..originals)
        .into_par_iter()
        .map(|note| {
            let mut random = Random::new(seed, 1 << 32 | note as u64);
            let at = random.below((FIRST_AND_LAST_SECOND.1 - FIRST_AND_LAST_SECOND.0) as usize)
                as u64
                + FIRST_AND_LAST_SECOND.0;
            let text = prose::write(&pool, &names, &links, note, at, &mut random);
            write_file(&out, &names.notes[note].path, &text, at).map_err(|error| error.to_string())
        })
        .collect::<Result<_, _>>()?;
    let copies = copies::make(&out, &names, edited, seed)?;
    for copy in &copies {
        written.push(write_file(&out, &copy.path, &copy.text, copy.at)?);
    }

    write_labels(&out, &names, &copies)?;
    print_summary(&names, &links, &copies, &written);
    Ok(ExitCode::SUCCESS)
}

/// Data of a written note for the summary.
struct NoteSummary {
    bytes: usize,
    front: bool,
    managed: bool,
}

/// Writes one note with modification time `at`.
fn write_file(out: &Path, path: &str, text: &str, at: u64) -> Outcome<NoteSummary> {
    let file = out.join(path);
    let mut open = File::create(&file).at(&file)?;
    open.write_all(text.as_bytes()).at(&file)?;
    let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(at);
    open.set_times(FileTimes::new().set_modified(modified))
        .at(&file)?;
    Ok(NoteSummary {
        bytes: text.len(),
        front: text.starts_with("---\n"),
        managed: text.contains("\nmem: {by:"),
    })
}

/// Writes the labelled pairs next to the vault.
fn write_labels(out: &Path, names: &Names, copies: &[EditedCopy]) -> Outcome<()> {
    let mut file = out.as_os_str().to_owned();
    file.push(".labels.jsonl");
    let file = PathBuf::from(file);
    let mut lines = BufWriter::new(File::create(&file).at(&file)?);
    let same_titles = names.same_titles.iter().map(|&(a, b)| {
        (
            "title",
            "distinct",
            names.notes[a].path.as_str(),
            names.notes[b].path.as_str(),
        )
    });
    let copies = copies.iter().map(|copy| {
        (
            copy.kind,
            copy.label(),
            copy.of.as_str(),
            copy.path.as_str(),
        )
    });
    for (kind, label, a, b) in copies.chain(same_titles) {
        writeln!(
            lines,
            "{}",
            json!({"kind": kind, "label": label, "a": a, "b": b})
        )
        .at(&file)?;
    }
    lines.flush().at(&file)
}

fn print_summary(names: &Names, links: &Links, copies: &[EditedCopy], written: &[NoteSummary]) {
    let mut bytes: Vec<usize> = written.iter().map(|note| note.bytes).collect();
    bytes.sort_unstable();
    let at = |share: f64| {
        bytes
            .get((bytes.len() as f64 * share) as usize)
            .copied()
            .unwrap_or(0)
    };
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for copy in copies {
        *kinds.entry(copy.kind).or_default() += 1;
    }
    let mut inbound = vec![0usize; names.notes.len()];
    for &target in links.targets.iter().flatten() {
        inbound[target] += 1;
    }
    let used: BTreeSet<&str> = names
        .notes
        .iter()
        .map(|note| note.path.rsplit_once('/').map_or("", |(f, _)| f))
        .collect();
    let total: usize = bytes.iter().sum();
    let summary = json!({
        "notes": written.len(),
        "bytes": {
            "total": total,
            "mean": total / written.len().max(1),
            "p5": at(0.05),
            "p50": at(0.5),
            "p95": at(0.95),
            "max": bytes.last(),
        },
        "folders": used.len(),
        "front_matter": written.iter().filter(|note| note.front).count(),
        "managed": written.iter().filter(|note| note.managed).count(),
        "links": {
            "total": inbound.iter().sum::<usize>(),
            "most_inbound": inbound.iter().max(),
            "without_inbound": inbound.iter().filter(|&&count| count == 0).count(),
        },
        "copies": {
            "duplicate": copies.iter().filter(|copy| copy.label() == "duplicate").count(),
            "distinct": copies.iter().filter(|copy| copy.label() == "distinct").count(),
            "kinds": kinds,
        },
        "same_title_pairs": names.same_titles.len(),
    });
    println!("{summary:#}");
}
