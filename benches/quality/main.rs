//! How well notes are found: labelled questions over real vaults, every method on the same ones.
//!
//! ```text
//! cargo bench --bench quality -- CORPORA_DIR [--mem PATH] [--only SET] [--write FILE]
//! ```
//!
//! `CORPORA_DIR` holds one folder per corpus; what is missing is skipped and named. Each corpus is
//! a file under `sets/`, each method one under `methods/`:
//!
//! * `bm25`: the yardstick, plain BM25 of this bench (k1 1.2, b 0.75) over title and text;
//! * `search`: `mem search --json --limit 20`, one process per question, caches of its own.
//!
//! The figures, each a mean over the questions of a row:
//!
//! * `recall@10`: share of the relevant notes among the first ten hits;
//! * `hit@10`, `hit@1`: whether any relevant note is among the first ten, or is the first;
//! * `MRR@10`: 1 / rank of the first relevant note, 0 when it is not among the first ten;
//! * `ms`: median time of one question (for `search` a whole process).
//!
//! `--write` puts the table into a file too, with the date and the command.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod figures;
mod methods;
mod sets;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use figures::{Figures, Row};
use methods::Method;
use sets::Set;
use support::flags::{self, Flags};
use support::process::Mem;
use support::{AtPath, Outcome};

const USAGE: &str =
    "cargo bench --bench quality -- CORPORA_DIR [--mem PATH] [--only SET] [--write FILE]";

/// Hits asked of every method.
const LIMIT: usize = 20;

fn main() -> ExitCode {
    flags::run(USAGE, &["--mem", "--only", "--write"], quality)
}

fn quality(flags: &Flags) -> Outcome<ExitCode> {
    let corpora: PathBuf = flags.path("folder of corpora")?;
    let scratch = tempfile::tempdir()?;
    let mem = Mem::new(flags, scratch.path())?;

    let mut rows = Vec::new();
    for load in sets::ALL {
        let Some(set) = load(&corpora)? else { continue };
        if flags
            .text("--only")
            .is_some_and(|only| !set.name.contains(only))
        {
            continue;
        }
        eprintln!(
            "{}: {} questions{}",
            set.name,
            set.questions.len(),
            set.remark
        );
        for make in methods::ALL {
            match make(&set, &mem, scratch.path()).map(|method| measure(&set, method)) {
                Ok(measured) => rows.extend(measured),
                // One method that cannot run must not cost the figures of the others.
                Err(error) => eprintln!("{}: left out a method: {error}", set.name),
            }
        }
    }

    let table = figures::table(&rows);
    println!("{table}");
    if let Some(file) = flags.text("--write") {
        let file = PathBuf::from(file);
        let date = jiff::Zoned::now().date();
        let command = flags::command_line("quality");
        let text = format!("# Quality of search\n\n{date}, `{command}`\n\n{table}");
        fs::write(&file, text).at(&file)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks a method every question of a set; one row for all that count and one per group.
fn measure(set: &Set, mut method: Box<dyn Method>) -> Vec<Row> {
    let mut total = Figures::default();
    let mut groups: BTreeMap<&str, Figures> = BTreeMap::new();
    for question in &set.questions {
        let start = Instant::now();
        let hits = method.answer(question, LIMIT);
        let time = start.elapsed();
        let group = groups.entry(&question.group).or_default();
        if question.counts {
            total.add(&question.relevant, hits.as_deref().unwrap_or(&[]), time);
        }
        group.add(&question.relevant, hits.as_deref().unwrap_or(&[]), time);
        if let Err(error) = hits {
            if total.failed == 0 {
                eprintln!(
                    "{}: {}: `{}`: {error}",
                    set.name,
                    method.name(),
                    question.text
                );
            }
            total.failed += usize::from(question.counts);
            group.failed += 1;
        }
    }
    let row = |group: &str, figures| Row {
        set: set.name.to_owned(),
        group: group.to_owned(),
        method: method.name().to_owned(),
        figures,
    };
    let mut rows = vec![row("all", total)];
    if groups.len() > 1 {
        rows.extend(
            groups
                .into_iter()
                .map(|(group, figures)| row(group, figures)),
        );
    }
    rows
}
