//! Search quality: labelled questions over real vaults, for every method.
//!
//! ```text
//! cargo bench --bench quality -- CORPORA_DIR [--teacher DIR] [--only SET] [--jobs N] [--write FILE]
//! ```
//!
//! `CORPORA_DIR` has one folder per corpus; missing ones are skipped with a message. Each corpus is
//! a file in `sets/`, each method one in `methods/`:
//!
//! * `bm25`: the baseline, plain BM25 of this bench (k1 1.2, b 0.75) over title and text;
//! * `lexical`, `semantic`, `hybrid`, `recall`: `mem search --mode …` and `mem recall`, inside this
//!   process;
//! * `teacher`, `bm25 + teacher`: the vectors in `--teacher`, by cosine, and averaged with
//!   normalised BM25.
//!
//! The metrics, each a mean over the questions of a row:
//!
//! * `recall@10`, `@40`: share of the relevant notes among the first hits; `all@10`: whether all
//!   are;
//! * `hit@10`, `first`: whether any relevant note is among the first ten, or the first;
//! * `MRR`: 1 / rank of the first relevant note, 0 beyond rank twenty;
//! * `ms`: median time of one question, with `--jobs` in parallel.
//!
//! Further tables cover pairs of texts (`pairs`), jobs (`duplicates`, `conflicts`), names
//! (`known`), precision (`beliefs`, `silence`), updates and contradictions (`sides`), and feedback
//! (`learning`).
//!
//! `--write` also writes the table to a file, with the date and the command.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod beliefs;
mod conflicts;
mod duplicates;
mod figures;
mod known;
mod learning;
mod methods;
mod pairs;
mod sets;
mod sides;
mod silence;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use figures::{Figures, Row};
use methods::Method;
use sets::Set;
use support::flags::{self, Flags};
use support::{AtPath, Outcome};

const USAGE: &str = "cargo bench --bench quality -- CORPORA_DIR [--teacher DIR] [--only SET] \
                     [--jobs N] [--write FILE]";

/// Number of hits requested from every method.
const LIMIT: usize = 40;

fn main() -> ExitCode {
    let known = ["--teacher", "--only", "--jobs", "--write"];
    flags::run(USAGE, &known, quality)
}

fn quality(flags: &Flags) -> Outcome<ExitCode> {
    let corpora: PathBuf = flags.path("folder of corpora")?;
    let scratch = tempfile::tempdir()?;
    let teacher = flags.text("--teacher").map(Path::new);
    let jobs = flags.number("--jobs", 1)?;

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
        for method in methods::all(&set, scratch.path(), teacher) {
            rows.extend(measure(&set, &*method, jobs));
        }
    }

    let mut table = figures::table(&rows);
    if flags
        .text("--only")
        .is_none_or(|only| "pairs".contains(only))
    {
        table.push('\n');
        table.push_str(&pairs::table(&corpora, teacher)?);
    }
    if flags
        .text("--only")
        .is_none_or(|only| "dedupe".contains(only))
    {
        table.push('\n');
        table.push_str(&duplicates::tables(&corpora, scratch.path())?);
    }
    if flags
        .text("--only")
        .is_none_or(|only| "conflicts".contains(only))
    {
        table.push('\n');
        table.push_str(&conflicts::tables(&corpora)?);
    }
    if flags
        .text("--only")
        .is_none_or(|only| "known".contains(only))
    {
        table.push('\n');
        table.push_str(&known::table(&corpora, scratch.path())?);
    }
    if flags
        .text("--only")
        .is_none_or(|only| "beliefs".contains(only))
    {
        table.push('\n');
        table.push_str(&beliefs::table(&corpora, scratch.path())?);
    }
    if flags
        .text("--only")
        .is_none_or(|only| "silence".contains(only))
    {
        table.push('\n');
        table.push_str(&silence::table(&corpora, scratch.path())?);
    }
    if flags
        .text("--only")
        .is_none_or(|only| "sides".contains(only))
    {
        table.push('\n');
        table.push_str(&sides::table(&corpora, scratch.path())?);
    }
    if flags
        .text("--only")
        .is_none_or(|only| "learning".contains(only))
    {
        table.push('\n');
        table.push_str(&learning::table(&corpora, scratch.path())?);
    }
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

/// Runs all questions of a set, `jobs` in parallel; returns one row for all that count and one per
/// group.
fn measure(set: &Set, method: &dyn Method, jobs: usize) -> Vec<Row> {
    let mut total = Figures::default();
    let mut groups: BTreeMap<&str, Figures> = BTreeMap::new();
    for (question, (hits, time)) in set.questions.iter().zip(answers(set, method, jobs)) {
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

/// Returns the answer and the time of each question.
fn answers(
    set: &Set,
    method: &dyn Method,
    jobs: usize,
) -> Vec<(Result<Vec<String>, String>, Duration)> {
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::with_capacity(set.questions.len()));
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(question) = set.questions.get(at) else {
                        return;
                    };
                    let start = Instant::now();
                    let hits = method.answer(question, LIMIT);
                    let answer = (hits.map_err(|error| error.to_string()), start.elapsed());
                    let mut answers = answers.lock().expect("no thread panics while it adds");
                    answers.push((at, answer));
                }
            });
        }
    });
    let mut answers = answers
        .into_inner()
        .expect("no thread panics while it adds");
    answers.sort_by_key(|(at, _)| *at);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
