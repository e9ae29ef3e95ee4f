//! Whether mem proposes the links that an author made: a tenth of the links is hidden, and the
//! proposals are compared with them.
//!
//! ```text
//! cargo bench --bench links -- VAULT... [--mem PATH] [--seed 1] [--share 0.1] [--related 50]
//! ```
//!
//! Every vault is only read. Linked pairs of notes are drawn and lose all links between them;
//! labels stay as text. Then `mem link --full` processes the copy, and the list of `mem review` is
//! read in order.
//!
//! | figure | what it is |
//! |---|---|
//! | p@N | share of the first N proposals that join a hidden pair |
//! | in 200 | share of the hidden pairs that the first 200 proposals join |
//! | in all | share of the hidden pairs that any proposal joins |
//! | related | share of hidden pairs where `mem related` of one note has the other among the first ten mentions and similar notes, as shown |
//!
//! Hidden links are a lower bound of what is right: a useful link that the author never made counts
//! as wrong.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod hide;
#[path = "../support/mod.rs"]
mod support;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::process::ExitCode;

use serde::Deserialize;

use hide::{HiddenLinks, Pair, hide, pair};
use support::flags::{self, Flags};
use support::process::{self, Mem};
use support::{Outcome, random::Random};

const USAGE: &str =
    "cargo bench --bench links -- VAULT... [--mem PATH] [--seed 1] [--share 0.1] [--related 50]";

/// Cut-offs of the list.
const CUTS: [usize; 3] = [20, 50, 200];

#[derive(Deserialize)]
struct Question {
    kind: String,
    notes: Vec<String>,
}

#[derive(Deserialize)]
struct RelatedReply {
    near: Vec<PathRecord>,
    mentions: Vec<PathRecord>,
}

#[derive(Deserialize)]
struct PathRecord {
    path: String,
}

fn main() -> ExitCode {
    flags::run(USAGE, &["--mem", "--seed", "--share", "--related"], links)
}

fn links(flags: &Flags) -> Outcome<ExitCode> {
    println!(
        "{}, `{}`\n",
        jiff::Zoned::now().date(),
        flags::command_line("links")
    );
    println!("| vault | hidden | proposed | p@20 | p@50 | p@200 | in 200 | in all | related |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for folder in flags.words() {
        row(flags, Path::new(folder))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn row(flags: &Flags, folder: &Path) -> Outcome<()> {
    let scratch = tempfile::tempdir()?;
    let vault = scratch.path().join("vault");
    process::copy_folder(folder, &vault)?;
    let mut random = Random::new(flags.number("--seed", 1)?, 0);
    let HiddenLinks { pairs } = hide(&vault, flags.number("--share", 0.1)?, &mut random)?;
    let mem = Mem::new(flags, scratch.path())?;
    mem.init_and_index(&vault)?;
    mem.run(&vault, &["link", "--full", "--apply", "none"])?;
    let proposed = proposals(&mem, &vault)?;
    let is_hidden: Vec<bool> = proposed.iter().map(|pair| pairs.contains(pair)).collect();
    let precision = CUTS.map(|cut| {
        let cut = cut.min(proposed.len());
        let right = is_hidden[..cut].iter().filter(|hidden| **hidden).count();
        right as f64 / cut.max(1) as f64
    });
    let restored = |most: usize| {
        let first = &proposed[..most.min(proposed.len())];
        let found: HashSet<&Pair> = first.iter().filter(|pair| pairs.contains(pair)).collect();
        found.len() as f64 / pairs.len().max(1) as f64
    };
    let related = related(&mem, &vault, &pairs, flags.number("--related", 50)?)?;
    let name = folder.parent().unwrap_or(folder).file_name();
    println!(
        "| {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {related:.2} |",
        name.unwrap_or(folder.as_os_str()).to_string_lossy(),
        pairs.len(),
        proposed.len(),
        precision[0],
        precision[1],
        precision[2],
        restored(CUTS[2]),
        restored(usize::MAX),
    );
    Ok(())
}

/// Returns the pairs for which links are proposed, in display order.
fn proposals(mem: &Mem, vault: &Path) -> Outcome<Vec<Pair>> {
    // A mem without a daily limit shows everything at once.
    let all = mem.run(vault, &["review", "--jsonl", "--all"]);
    let listed = all.or_else(|_| mem.run(vault, &["review", "--jsonl"]))?;
    let text = String::from_utf8(listed.output.stdout)?;
    let mut proposed = Vec::new();
    for line in text.lines() {
        let question: Question = serde_json::from_str(line)?;
        if matches!(question.kind.as_str(), "link" | "mention")
            && let [first, second] = question.notes.as_slice()
        {
            proposed.push(pair(first, second));
        }
    }
    Ok(proposed)
}

/// Returns the share of pairs for which `mem related` shows one among the first ten of the other.
fn related(mem: &Mem, vault: &Path, pairs: &BTreeSet<Pair>, most: usize) -> Outcome<f64> {
    let step = (pairs.len() / most.max(1)).max(1);
    let (mut hits, mut asked) = (0, 0);
    for (first, second) in pairs.iter().step_by(step).take(most) {
        let shown = mem.run(vault, &["related", "--json", first])?;
        let shown: RelatedReply = serde_json::from_slice(&shown.output.stdout)?;
        let mut first_ten = shown.mentions.iter().chain(&shown.near).take(10);
        hits += usize::from(first_ten.any(|shown| shown.path == *second));
        asked += 1;
    }
    Ok(f64::from(u32::try_from(hits)?) / f64::from(asked.max(1)))
}
